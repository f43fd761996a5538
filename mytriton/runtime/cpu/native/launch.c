// What Python calls. The launching thread runs blocks itself, so that a small launch costs no change of threads. It comes
// back to Python from time to time, also out of the middle of a block, so that signals such as that of Ctrl-C are handled.

#include "runtime.h"
#include "switch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <link.h>
#endif

// Other workers are woken for a launch that is expected to take, or has taken, longer.
#define ALONE_NANOSECONDS 50000
#define AWAY_NANOSECONDS 50000000
#define WATCH_MILLISECONDS 25
#define WATCHES_BEFORE_SLEEP 40
#define INTERRUPT_AFTER_MILLISECONDS 100
#define INTERRUPT_EVERY_MILLISECONDS 10

// Makes a kernel ready to run; returns 0, or 1 where it was built for another runtime.
EXPORT int mytriton_load(struct mytriton_kernel *kernel);
// Runs a grid, for a while; the status. Before anything runs `*running` is set to the launch, for `mytriton_wait` and
// for `mytriton_end`, which must follow; DONE ends the launch itself, and leaves NULL there, unless there are records.
// With a `request`, of a kernel that was compiled with checks, the launch is not ended here either.
EXPORT int mytriton_launch(struct mytriton_kernel *kernel, unsigned x, unsigned y, unsigned z, const void *arguments,
                           size_t size, unsigned workers, struct job **running, const struct request *request);
// Goes on for a while; the status.
EXPORT int mytriton_wait(struct job *job);
// Why a launch that is not running any more failed.
EXPORT const struct report *mytriton_report(const struct job *job);
// What the threads of a launch that is not running any more recorded.
EXPORT const void *mytriton_records(const struct job *job, size_t *size);
// Frees what belongs to a launch. One that still runs is stopped first: its blocks end where they are.
EXPORT void mytriton_end(struct job *job);
// How many threads there are that run blocks.
EXPORT unsigned mytriton_worker_count(void);

// ---- loading

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
  *kernel->api = runtime_api();
#ifdef __linux__
  dl_iterate_phdr(find_shared_bytes, kernel);
#endif
  return 0;
}

// ---- interrupting blocks

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

// The caller holds the mutex.
static void install_handler(void) {
  struct sigaction action;
  sigaction(INTERRUPT_SIGNAL, NULL, &action);
  if ((action.sa_flags & SA_SIGINFO) && action.sa_sigaction == on_interrupt) return;
  previous_action = action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_interrupt;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
  sigaction(INTERRUPT_SIGNAL, &action, NULL);
}

// Sends launching threads back to Python that have been away for long. Sleeps while nothing is launched.
static void *watch(void *argument) {
  (void)argument;
  int quiet = 0;
  pthread_mutex_lock(&pool.mutex);
  for (;;) {
    if (quiet < WATCHES_BEFORE_SLEEP) {
      wait_until(&pool.watch, WATCH_MILLISECONDS);
    } else {
      pool.watcher_sleeps = true;
      pthread_cond_wait(&pool.watch, &pool.mutex);
      pool.watcher_sleeps = false;
      quiet = 0;
    }
    ++quiet;
    uint64_t now = nanoseconds();
    for (struct worker *worker = pool.watched; worker; worker = worker->next) {
      if (!worker->away_since) continue;
      quiet = 0;
      if (now > worker->away_since + AWAY_NANOSECONDS) pthread_kill(worker->thread, INTERRUPT_SIGNAL);
    }
  }
  return NULL;
}

// The caller holds the mutex.
static void be_watched(void) {
  if (!pool.watching) {
    pthread_t thread;
    install_handler();
    pool.watching = start_thread(&thread, watch, NULL);
  } else if (pool.watcher_sleeps) {
    pthread_cond_signal(&pool.watch);
  }
}

// ---- the launching thread

// A worker for this thread; the caller holds the mutex.
static struct worker *take_launcher(void) {
  struct worker *worker = pool.launchers;
  if (worker) {
    pool.launchers = worker->next_free;
  } else {
    worker = new_worker();
    if (!worker) abort();
    worker->launches = true;
    worker->next = pool.watched;
    pool.watched = worker;
  }
  worker->thread = pthread_self();
  return worker;
}

// Ends this thread's part in a job. `block_nanoseconds`: what a block took, if that is known.
static void return_launcher(struct worker *worker, uint64_t block_nanoseconds) {
  pthread_mutex_lock(&pool.mutex);
  worker->away_since = 0;
  worker->next_free = pool.launchers;
  pool.launchers = worker;
  leave_job(worker->job, block_nanoseconds);
  pthread_mutex_unlock(&pool.mutex);
}

static void let_others_in(struct job *job) {
  if (job->open) return;
  pthread_mutex_lock(&pool.mutex);
  open_job(job);
  pthread_mutex_unlock(&pool.mutex);
}

// Runs blocks until there are no more, which ends this thread's part in the job, or until it has to go back to Python.
static void run_blocks(struct worker *worker, uint64_t start) {
  struct job *job = worker->job;
  uint64_t block, blocks = 0;
  const unsigned environment = take_float_environment();
  set_running_worker(worker);
  bool over = !job->paused || continue_block(worker);
  while (over && (block = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed)) < job->total) {
    if (atomic_load_explicit(&job->stop, memory_order_relaxed)) break;
    over = run_block(worker, block);
    ++blocks;
    if (!job->open && nanoseconds() > start + ALONE_NANOSECONDS) let_others_in(job);
  }
  set_running_worker(NULL);
  restore_float_environment(environment);
  job->paused = over ? NULL : worker;
  if (over) {
    return_launcher(worker, blocks ? (nanoseconds() - start) / blocks : 0);
  } else {
    let_others_in(job);
    pthread_mutex_lock(&pool.mutex);
    worker->away_since = 0;
    pthread_mutex_unlock(&pool.mutex);
  }
}

// ---- launches

static struct job *new_job(struct mytriton_kernel *kernel, struct mytriton_index grid, const void *arguments,
                           size_t size) {
  struct job *job = aligned_alloc(64, (sizeof *job + size + 63) / 64 * 64);
  if (!job) abort();
  memset(job, 0, sizeof *job);
  memcpy(job->arguments, arguments, size);
  job->kernel = kernel;
  job->grid = grid;
  job->total = (uint64_t)grid.x * grid.y * grid.z;
  job->active = job->limit = 1;
  atomic_init(&job->status, RUNNING);
  initialise_condition(&job->changed);
  return job;
}

static void free_job(struct job *job) {
  pthread_cond_destroy(&job->changed);
  free(job->records);
  end_checks(job->checks);
  free(job);
}

static bool wait_for_result(struct job *job, uint64_t milliseconds) {
  pthread_mutex_lock(&pool.mutex);
  while (!atomic_load(&job->finished) && wait_until(&job->changed, milliseconds)) {
  }
  bool finished = atomic_load(&job->finished);
  pthread_mutex_unlock(&pool.mutex);
  return finished;
}

int mytriton_launch(struct mytriton_kernel *kernel, unsigned x, unsigned y, unsigned z, const void *arguments,
                    size_t size, unsigned workers, struct job **running, const struct request *request) {
  struct job *job = *running = new_job(kernel, (struct mytriton_index){x, y, z}, arguments, size);
  if (request) job->checks = begin_checks(job, request);
  pthread_mutex_lock(&pool.mutex);
  struct worker *worker = take_launcher();
  be_watched();
  list_job(job);
  job->workers = workers > kernel->blocks_at_once ? workers : kernel->blocks_at_once;
  if (job->workers > job->total) job->workers = (unsigned)job->total;
  if (kernel->block_nanoseconds * job->total > ALONE_NANOSECONDS || kernel->blocks_at_once) open_job(job);
  worker->job = job;
  const uint64_t start = worker->away_since = nanoseconds();
  pthread_mutex_unlock(&pool.mutex);
  if (prepare_worker(worker, job)) {
    run_blocks(worker, start);
  } else {
    fail_without_memory(job);
    return_launcher(worker, 0);
  }
  if (job->paused) return RUNNING;
  const int status = mytriton_wait(job);
  if (status == DONE && !job->record_bytes && !job->checks) {
    *running = NULL;
    free_job(job);
  }
  return status;
}

int mytriton_wait(struct job *job) {
  struct worker *worker = job->paused;
  if (worker && atomic_load(&job->stop)) {
    job->paused = NULL;
    return_launcher(worker, 0);
  } else if (worker) {
    pthread_mutex_lock(&pool.mutex);
    const uint64_t start = worker->away_since = nanoseconds();
    pthread_mutex_unlock(&pool.mutex);
    run_blocks(worker, start);
    if (job->paused) return RUNNING;
  }
  if (!wait_for_result(job, AWAY_NANOSECONDS / 1000000)) return RUNNING;
  const int status = atomic_load(&job->status);
  return status == RUNNING ? DONE : status;
}

const struct report *mytriton_report(const struct job *job) { return &job->report; }

const void *mytriton_records(const struct job *job, size_t *size) {
  *size = job->record_bytes;
  return job->records;
}

static void interrupt_workers(const struct job *job) {
  pthread_mutex_lock(&pool.mutex);
  for (struct worker *worker = pool.workers; worker; worker = worker->next)
    if (worker->job == job) pthread_kill(worker->thread, INTERRUPT_SIGNAL);
  pthread_mutex_unlock(&pool.mutex);
}

void mytriton_end(struct job *job) {
  if (job->paused) {
    fail(job, ABORTED, NULL);
    return_launcher(job->paused, 0);
  }
  if (!wait_for_result(job, 0)) {
    fail(job, ABORTED, NULL);
    pthread_mutex_lock(&pool.mutex);
    unlist_job(job);
    if (!job->active) atomic_store(&job->finished, true);
    pthread_mutex_unlock(&pool.mutex);
    for (int delay = INTERRUPT_AFTER_MILLISECONDS; !wait_for_result(job, (uint64_t)delay);) {
      interrupt_workers(job);
      delay = INTERRUPT_EVERY_MILLISECONDS;
    }
  }
  free_job(job);
}

unsigned mytriton_worker_count(void) { return pool.worker_count; }
