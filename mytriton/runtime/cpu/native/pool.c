// The pool: threads that run the blocks of all launches.

#include "runtime.h"
#include "switch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SPIN_NANOSECONDS 20000
#define THREAD_STACK_BYTES (512 * 1024)
#define MAX_WORKERS 4096

struct pool pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

uint64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void initialise_condition(pthread_cond_t *condition) {
#ifdef __APPLE__
  pthread_cond_init(condition, NULL);
#else
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
#endif
}

// Waits for a condition of `initialise_condition`; the caller holds the mutex. False where the time is over.
bool wait_until(pthread_cond_t *condition, uint64_t milliseconds) {
  struct timespec time;
#ifdef __APPLE__
  clock_gettime(CLOCK_REALTIME, &time);
#else
  clock_gettime(CLOCK_MONOTONIC, &time);
#endif
  uint64_t end = (uint64_t)time.tv_nsec + milliseconds * 1000000;
  time.tv_sec += (time_t)(end / 1000000000);
  time.tv_nsec = (long)(end % 1000000000);
  return pthread_cond_timedwait(condition, &pool.mutex, &time) != ETIMEDOUT;
}

// ---- jobs

void list_job(struct job *job) {
  job->previous = pool.last;
  job->following = NULL;
  *(pool.last ? &pool.last->following : &pool.first) = job;
  pool.last = job;
  job->listed = true;
}

void unlist_job(struct job *job) {
  if (!job->listed) return;
  *(job->previous ? &job->previous->following : &pool.first) = job->following;
  *(job->following ? &job->following->previous : &pool.last) = job->previous;
  job->listed = false;
}

static struct job *job_to_join(void) {
  for (struct job *job = pool.first; job; job = job->following)
    if (job->active < job->limit) return job;
  return NULL;
}

void fail(struct job *job, enum status status, const struct report *report) {
  pthread_mutex_lock(&pool.mutex);
  if (atomic_load(&job->status) == RUNNING) {
    if (report) job->report = *report;
    atomic_store(&job->status, (int)status);
  }
  atomic_store(&job->stop, true);
  atomic_store(&job->next, job->total);
  pthread_mutex_unlock(&pool.mutex);
}

void fail_without_memory(struct job *job) {
  struct report report;
  memset(&report, 0, sizeof report);
  snprintf(report.message, sizeof report.message,
           "there is not enough memory for the stacks (%u threads of %u bytes) and the shared memory (%lu bytes) of a block",
           job->kernel->threads, job->kernel->stack_bytes, job->kernel->shared_bytes);
  fail(job, NO_RESOURCES, &report);
}

// A worker that found no more blocks leaves; the caller holds the mutex.
void leave_job(struct job *job, uint64_t nanoseconds_of_a_block) {
  unlist_job(job);
  if (nanoseconds_of_a_block) job->kernel->block_nanoseconds = nanoseconds_of_a_block;
  if (--job->active) return;
  atomic_store(&job->finished, true);
  pthread_cond_signal(&job->changed);
}

// ---- workers

static void run_job(struct worker *worker, struct job *job, uint64_t *blocks) {
  if (!prepare_worker(worker, job)) {
    fail_without_memory(job);
    return;
  }
  reset_float_environment();
  uint64_t block;
  while ((block = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed)) < job->total) {
    if (atomic_load_explicit(&job->stop, memory_order_relaxed)) break;
    run_block(worker, block);
    ++*blocks;
  }
}

// Waits a little for a launch before the thread goes to sleep: waking it up takes longer than many kernels.
static void spin_for_work(unsigned version) {
  if (!pool.spin) return;
  uint64_t end = nanoseconds() + SPIN_NANOSECONDS;
  do {
    for (int i = 0; i < 32; ++i) {
      if (atomic_load_explicit(&pool.version, memory_order_acquire) != version) return;
      pause_processor();
    }
  } while (nanoseconds() < end);
}

static void *run_worker(void *argument) {
  struct worker *worker = argument;
  set_running_worker(worker);
  pthread_mutex_lock(&pool.mutex);
  for (;;) {
    struct job *job = job_to_join();
    if (!job) {
      unsigned version = atomic_load(&pool.version);
      pthread_mutex_unlock(&pool.mutex);
      spin_for_work(version);
      pthread_mutex_lock(&pool.mutex);
      if (atomic_load(&pool.version) == version) {
        ++pool.sleeping;
        pthread_cond_wait(&pool.work, &pool.mutex);
        --pool.sleeping;
      }
      continue;
    }
    if (++job->active < job->limit && pool.sleeping) pthread_cond_signal(&pool.work);
    worker->job = job;
    pthread_mutex_unlock(&pool.mutex);
    uint64_t start = nanoseconds(), blocks = 0;
    run_job(worker, job, &blocks);
    uint64_t average = blocks ? (nanoseconds() - start) / blocks : 0;
    pthread_mutex_lock(&pool.mutex);
    worker->job = NULL;
    leave_job(job, average);
  }
  return NULL;
}

// Signals are for the threads of the program, so ours block all but the one that interrupts a block.
bool start_thread(pthread_t *thread, void *(*function)(void *), void *argument) {
  pthread_attr_t attributes;
  sigset_t all, before;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
  sigfillset(&all);
  sigdelset(&all, INTERRUPT_SIGNAL);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(thread, &attributes, function, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return !error;
}

struct worker *new_worker(void) {
  struct worker *worker = aligned_alloc(64, sizeof *worker);
  if (worker) memset(worker, 0, sizeof *worker);
  return worker;
}

// Starts one worker; the caller holds the mutex.
static bool start_worker(void) {
  if (pool.worker_count >= MAX_WORKERS) return false;
  struct worker *worker = new_worker();
  if (!worker) return false;
  if (!start_thread(&worker->thread, run_worker, worker)) {
    free(worker);
    return false;
  }
  worker->next = pool.workers;
  pool.workers = worker;
  ++pool.worker_count;
  return true;
}

// Lets as many workers into the job as it may have; the caller, which is one of them, holds the mutex. There are more
// already where `request_worker` was called first.
void open_job(struct job *job) {
  job->open = true;
  if (job->limit < job->workers) job->limit = job->workers;
  while (pool.worker_count + 1 < job->limit && start_worker()) {
  }
  if (job->limit == 1) return;
  atomic_fetch_add(&pool.version, 1);
  if (pool.sleeping) pthread_cond_signal(&pool.work);
}

// Lets one more worker into the job, and starts one where all are busy.
void request_worker(struct worker *worker) {
  struct job *job = worker->job;
  worker->critical = 1;
  pthread_mutex_lock(&pool.mutex);
  bool possible = true;
  if (job->listed) {
    possible = pool.sleeping || start_worker();
    if (possible) {
      if (job->active == job->limit) ++job->limit;
      if (job->limit > job->kernel->blocks_at_once) job->kernel->blocks_at_once = job->limit;
      atomic_fetch_add(&pool.version, 1);
      // To all: a signal to one may be lost (glibc bug 25847), and here a block may wait for the one that sleeps on.
      pthread_cond_broadcast(&pool.work);
    }
  }
  pthread_mutex_unlock(&pool.mutex);
  if (!possible) {
    struct report report;
    memset(&report, 0, sizeof report);
    snprintf(report.message, sizeof report.message,
             "blocks wait for blocks that have not begun, and no more than %u can run at the same time", job->limit);
    fail(job, NO_RESOURCES, &report);
  }
  worker->critical = 0;
}

// Keeps a copy of what a thread of the worker's block tells Python.
void add_record(struct worker *worker, const void *record, size_t size) {
  struct job *job = worker->job;
  worker->critical = 1;
  pthread_mutex_lock(&pool.mutex);
  if (job->record_bytes + size > job->record_capacity) {
    job->record_capacity = 2 * job->record_capacity + size;
    job->records = realloc(job->records, job->record_capacity);
    if (!job->records) abort();
  }
  memcpy(job->records + job->record_bytes, record, size);
  job->record_bytes += size;
  pthread_mutex_unlock(&pool.mutex);
  worker->critical = 0;
}

// After a fork the child has none of the threads.
static void begin_in_child(void) {
  memset(&pool, 0, sizeof pool);
  pthread_mutex_init(&pool.mutex, NULL);
  pthread_cond_init(&pool.work, NULL);
  initialise_condition(&pool.watch);
  pool.spin = sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

__attribute__((constructor)) static void begin(void) {
  initialise_condition(&pool.watch);
  pool.spin = sysconf(_SC_NPROCESSORS_ONLN) > 1;
  pthread_atfork(NULL, NULL, begin_in_child);
}
