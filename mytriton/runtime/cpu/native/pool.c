// The pool: worker threads that run the blocks of launches, and what Python calls.

#include "runtime.h"
#include "switch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <link.h>
#endif

#define SPIN_NANOSECONDS 30000
#define WORKER_STACK_BYTES (512 * 1024)
#define MAX_WORKERS 4096
// A signal that nothing happens at by default, and that few programs use.
#define INTERRUPT_SIGNAL SIGURG
#define INTERRUPT_AFTER_MILLISECONDS 200
#define INTERRUPT_EVERY_MILLISECONDS 10

static struct {
  pthread_mutex_t mutex, interrupting;
  pthread_cond_t work;
  struct job *first, *last;
  struct worker *workers;
  unsigned worker_count, sleeping;
  atomic_uint version;
  bool spin;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .interrupting = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

uint64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// ---- jobs

static void list_job(struct job *job) {
  job->previous = pool.last;
  job->following = NULL;
  *(pool.last ? &pool.last->following : &pool.first) = job;
  pool.last = job;
  job->listed = true;
}

static void unlist_job(struct job *job) {
  if (!job->listed) return;
  *(job->previous ? &job->previous->following : &pool.first) = job->following;
  *(job->following ? &job->following->previous : &pool.last) = job->previous;
  job->listed = false;
}

static bool has_blocks(struct job *job) { return atomic_load(&job->next) < job->total; }

static struct job *job_to_join(void) {
  for (struct job *job = pool.first; job; job = job->following)
    if (job->active < job->limit) return job;
  return NULL;
}

static void stop_job(struct job *job) {
  atomic_store(&job->stop, true);
  atomic_store(&job->next, job->total);
}

void fail(struct job *job, enum status status, const struct report *report) {
  int expected = RUNNING;
  pthread_mutex_lock(&pool.mutex);
  if (atomic_load(&job->status) == expected) {
    if (report) job->report = *report;
    atomic_store(&job->status, (int)status);
  }
  pthread_mutex_unlock(&pool.mutex);
  stop_job(job);
}

static void fail_without_memory(struct job *job) {
  struct report report;
  memset(&report, 0, sizeof report);
  snprintf(report.message, sizeof report.message,
           "there is not enough memory for the stacks (%u threads of %u bytes) and the shared memory (%lu bytes) of a block",
           job->kernel->threads, job->kernel->stack_bytes, job->kernel->shared_bytes);
  fail(job, NO_RESOURCES, &report);
}

// ---- workers

static void run_job(struct worker *worker, struct job *job) {
  if (!prepare_worker(worker, job)) {
    fail_without_memory(job);
    return;
  }
  uint64_t block;
  while ((block = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed)) < job->total) {
    if (atomic_load_explicit(&job->stop, memory_order_relaxed)) break;
    run_block(worker, block);
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
    run_job(worker, job);
    pthread_mutex_lock(&pool.mutex);
    worker->job = NULL;
    unlist_job(job);
    if (--job->active == 0 && !has_blocks(job)) {
      atomic_store(&job->finished, true);
      pthread_cond_signal(&job->changed);
    }
  }
  return NULL;
}

// Starts one worker; the caller holds the mutex.
static bool start_worker(void) {
  if (pool.worker_count >= MAX_WORKERS) return false;
  struct worker *worker = calloc(1, sizeof *worker);
  if (!worker) return false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, WORKER_STACK_BYTES);
  // Signals are for the threads of the program, so the workers block all but their own.
  sigset_t all, before;
  sigfillset(&all);
  sigdelset(&all, INTERRUPT_SIGNAL);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&worker->thread, &attributes, run_worker, worker);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (error) {
    free(worker);
    return false;
  }
  worker->next = pool.workers;
  pool.workers = worker;
  ++pool.worker_count;
  return true;
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
      pthread_cond_signal(&pool.work);
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

// ---- interrupting blocks that do not look at `stop`

static struct sigaction previous_action;

static void on_interrupt(int signal, siginfo_t *information, void *context) {
  if (running_worker()) {
    interrupt_block();
  } else if (previous_action.sa_flags & SA_SIGINFO) {
    previous_action.sa_sigaction(signal, information, context);
  } else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(signal);
  }
}

static void interrupt_workers(const struct job *job) {
  pthread_mutex_lock(&pool.mutex);
  for (struct worker *worker = pool.workers; worker; worker = worker->next)
    if (worker->job == job) pthread_kill(worker->thread, INTERRUPT_SIGNAL);
  pthread_mutex_unlock(&pool.mutex);
}

static bool wait_for_result(struct job *job, int milliseconds);

static void interrupt_until_finished(struct job *job) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_interrupt;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
  pthread_mutex_lock(&pool.interrupting);
  sigaction(INTERRUPT_SIGNAL, &action, &previous_action);
  do {
    interrupt_workers(job);
  } while (!wait_for_result(job, INTERRUPT_EVERY_MILLISECONDS));
  sigaction(INTERRUPT_SIGNAL, &previous_action, NULL);
  pthread_mutex_unlock(&pool.interrupting);
}

// ---- waiting

// The time `milliseconds` from now, on the clock of the condition variables.
static struct timespec deadline(int milliseconds) {
  struct timespec time;
#ifdef __APPLE__
  clock_gettime(CLOCK_REALTIME, &time);
#else
  clock_gettime(CLOCK_MONOTONIC, &time);
#endif
  long nanosecond = time.tv_nsec + milliseconds % 1000 * 1000000L;
  time.tv_sec += milliseconds / 1000 + nanosecond / 1000000000;
  time.tv_nsec = nanosecond % 1000000000;
  return time;
}

static void initialise_condition(pthread_cond_t *condition) {
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

static void spin_for_result(struct job *job) {
  if (!pool.spin) return;
  uint64_t end = nanoseconds() + SPIN_NANOSECONDS;
  do {
    for (int i = 0; i < 32; ++i) {
      if (atomic_load_explicit(&job->finished, memory_order_acquire)) return;
      pause_processor();
    }
  } while (nanoseconds() < end);
}

static bool wait_for_result(struct job *job, int milliseconds) {
  struct timespec end = deadline(milliseconds);
  pthread_mutex_lock(&pool.mutex);
  while (!atomic_load(&job->finished))
    if (pthread_cond_timedwait(&job->changed, &pool.mutex, &end) == ETIMEDOUT) break;
  bool finished = atomic_load(&job->finished);
  pthread_mutex_unlock(&pool.mutex);
  return finished;
}

// ---- what Python calls

// Makes a kernel ready to run; returns 0, or 1 where it was built for another runtime.
EXPORT int mytriton_load(struct mytriton_kernel *kernel);
// Runs a grid. NULL means that all is done; otherwise `mytriton_wait` tells what happened, and `mytriton_end` must follow.
EXPORT struct job *mytriton_launch(struct mytriton_kernel *kernel, unsigned x, unsigned y, unsigned z,
                                   const void *arguments, size_t size, unsigned workers, int milliseconds);
// Waits for so many milliseconds; the status.
EXPORT int mytriton_wait(struct job *job, int milliseconds);
// Why a launch that is not running any more failed.
EXPORT const struct report *mytriton_report(const struct job *job);
// Frees what belongs to a launch. One that still runs is stopped first: its blocks end where they are.
EXPORT void mytriton_end(struct job *job);
// How many worker threads there are.
EXPORT unsigned mytriton_worker_count(void);

#ifdef __linux__
// The size of the thread-local storage of the object that contains the kernel: that is its shared memory.
static int find_shared_bytes(struct dl_phdr_info *object, size_t size, void *argument) {
  (void)size;
  struct mytriton_kernel *kernel = argument;
  const ElfW(Phdr) *storage = NULL;
  bool found = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    uintptr_t offset = (uintptr_t)kernel - object->dlpi_addr - header->p_vaddr;
    if (header->p_type == PT_LOAD && offset < header->p_memsz) found = true;
    if (header->p_type == PT_TLS) storage = header;
  }
  if (found && storage) kernel->shared_bytes = storage->p_memsz;
  return found;
}
#endif

int mytriton_load(struct mytriton_kernel *kernel) {
  if (kernel->abi != MYTRITON_ABI) return 1;
  *kernel->api = &runtime_api;
#ifdef __linux__
  dl_iterate_phdr(find_shared_bytes, kernel);
#endif
  return 0;
}

static void free_job(struct job *job) {
  pthread_cond_destroy(&job->changed);
  free(job);
}

struct job *mytriton_launch(struct mytriton_kernel *kernel, unsigned x, unsigned y, unsigned z, const void *arguments,
                            size_t size, unsigned workers, int milliseconds) {
  struct job *job = aligned_alloc(64, (sizeof *job + size + 63) / 64 * 64);
  if (!job) abort();
  memset(job, 0, sizeof *job);
  memcpy(job->arguments, arguments, size);
  job->kernel = kernel;
  job->grid = (struct mytriton_index){x, y, z};
  job->total = (uint64_t)x * y * z;
  atomic_init(&job->status, RUNNING);
  initialise_condition(&job->changed);

  pthread_mutex_lock(&pool.mutex);
  job->limit = workers > kernel->blocks_at_once ? workers : kernel->blocks_at_once;
  if (job->limit > job->total) job->limit = (unsigned)job->total;
  while (pool.worker_count < job->limit && start_worker()) {
  }
  if (!pool.worker_count) {
    snprintf(job->report.message, sizeof job->report.message, "no thread could be started");
    atomic_store(&job->status, NO_RESOURCES);
    atomic_store(&job->finished, true);
    pthread_mutex_unlock(&pool.mutex);
    return job;
  }
  list_job(job);
  atomic_fetch_add(&pool.version, 1);
  bool wake = pool.sleeping;
  pthread_mutex_unlock(&pool.mutex);
  if (wake) pthread_cond_signal(&pool.work);

  spin_for_result(job);
  if (mytriton_wait(job, milliseconds) != DONE) return job;
  free_job(job);
  return NULL;
}

int mytriton_wait(struct job *job, int milliseconds) {
  if (!wait_for_result(job, milliseconds)) return RUNNING;
  int status = atomic_load(&job->status);
  return status == RUNNING ? DONE : status;
}

const struct report *mytriton_report(const struct job *job) { return &job->report; }

void mytriton_end(struct job *job) {
  if (!wait_for_result(job, 0)) {
    fail(job, ABORTED, NULL);
    pthread_mutex_lock(&pool.mutex);
    unlist_job(job);
    if (!job->active) atomic_store(&job->finished, true);
    pthread_mutex_unlock(&pool.mutex);
    if (!wait_for_result(job, INTERRUPT_AFTER_MILLISECONDS)) interrupt_until_finished(job);
  }
  free_job(job);
}

unsigned mytriton_worker_count(void) { return pool.worker_count; }

// After a fork the child has none of the worker threads.
static void begin_in_child(void) {
  memset(&pool, 0, sizeof pool);
  pthread_mutex_init(&pool.mutex, NULL);
  pthread_mutex_init(&pool.interrupting, NULL);
  pthread_cond_init(&pool.work, NULL);
  pool.spin = sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

__attribute__((constructor)) static void begin(void) {
  pool.spin = sysconf(_SC_NPROCESSORS_ONLN) > 1;
  pthread_atfork(NULL, NULL, begin_in_child);
}
