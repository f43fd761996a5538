// Inside of the runtime: workers run the blocks of jobs. A job is one launch; a worker is an operating system thread of
// the pool, or the thread that launches while it takes part.
#ifndef MYTRITON_RUNTIME_H
#define MYTRITON_RUNTIME_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../include/mytriton_abi.h"

// Interrupts a block. Nothing happens at it by default, and few programs use it.
#define INTERRUPT_SIGNAL SIGURG

#define EXPORT __attribute__((visibility("default")))
#define MAX_WARPS 32
#define MAX_GROUPS 64

enum status { DONE, RUNNING, DEADLOCK, DIVERGENT, ABORTED, NO_RESOURCES, STOPPED, FAULT };

// Neighbouring threads in the same state; `kind` is NULL for threads that have ended, "" for those that do not wait.
struct group {
  int first, last, line;
  const char *kind;
};

// Why a launch failed. Python reads this structure. `group_count` may be one more than there is room for.
struct report {
  unsigned block[3];
  int group_count;
  struct group groups[MAX_GROUPS];
  char message[256];
};

// What a launch with checks asks for; `shuffled`: in an order that `seed` chooses. `step_limit` is 0 where there is none.
// Python writes this structure.
struct request {
  struct mytriton_array *arrays;
  const int *array_of_parameter;
  unsigned find_all, shuffled, exact;
  unsigned long long seed, step_limit;
};

struct job {
  struct mytriton_kernel *kernel;
  // NULL for a launch without checks.
  struct checks *checks;
  struct mytriton_index grid;
  uint64_t total;
  _Alignas(64) _Atomic uint64_t next;
  _Alignas(64) atomic_bool stop;
  atomic_int status;
  atomic_bool finished;
  // The launching thread's worker, while it has a block that it has not finished.
  struct worker *paused;
  // Under the pool's mutex: the workers in the job, how many there may be, how many there may be once it is `open` to
  // others than the launching thread, and the list of jobs with blocks to run.
  unsigned active, limit, workers;
  bool listed, open;
  struct job *previous, *following;
  pthread_cond_t changed;
  struct report report;
  // Under the pool's mutex: what the kernel's threads left for Python to read.
  char *records;
  size_t record_bytes, record_capacity;
  _Alignas(16) unsigned char arguments[];
};

// In one cache line, since all of them are touched at each barrier. `kind` and `line`: what it waits at.
struct fiber {
  _Alignas(64) struct mytriton_thread thread;
  void *stack_pointer;
  struct warp *warp;
  const char *kind;
  unsigned mask;
  bool ended;
  uint64_t spinning_since;
};
_Static_assert(sizeof(struct fiber) == 64, "a fiber takes one cache line");

// Bit sets of lanes: `ready` can run, `posted` wait in a warp operation, all in the same one unless `mixed`; `first` was
// the first of them. `cursor` is the lane that ran last.
struct warp {
  unsigned ready, posted, cursor;
  bool mixed;
  const struct fiber *first;
  void *lanes[32];
};

// A copy that a thread has begun. `group` counts from the thread's last one: 0 is the one that it has not committed yet.
struct copy {
  char *shared;
  const char *global;
  unsigned size, thread, group;
  int line, array_line;
  long long offset;
  size_t cell, cells;
};

// Whether what was done at `stamp` is a conflict for the block that began at `first_stamp`, as long as it knows what it knew.
struct remembered {
  unsigned stamp, first_stamp;
  uint64_t horizon, block;
  bool is_conflict, same_program;
};

// What the checker keeps for a worker. `clocks` counts the `__syncwarp` of each thread since the last barrier, and `seen`
// has the clock of each lane of its warp up to which a thread knows what the lane did; `synced` where any is not 0. The
// time since the last barrier has the stamps from `interval` to that of now: each of the first `PARTS` atomic operations
// that publish something begins a new one, so that what comes after it is not published with it.
#define PARTS 8
struct check {
  struct mytriton_check visible;
  struct history *history;
  unsigned last_stamp, interval, generation;
  uint64_t last_fence, horizon, pending_horizon;
  uint64_t random;
  size_t shared_cells;
  unsigned *marks;
  unsigned last_now;
  bool synced, exact;
  struct remembered remembered[8];
  struct copy *copies;
  size_t copy_count, copy_capacity;
  unsigned char clocks[32 * MAX_WARPS], seen[32 * MAX_WARPS][32];
};

struct worker {
  struct mytriton_block block;
  struct job *job;
  struct fiber *current;
  void *main_context, *paused_context;
  unsigned contexts, live, ready_warps;
  unsigned arrived, predicates, barrier_result;
  int barrier_line;
  bool divergent, launches, shuffled;
  // For the signal handler: whether a thread of the block runs, and whether it is in a place where it must go on.
  volatile sig_atomic_t in_block, critical;
  char *stacks;
  size_t stack_bytes, stacks_mapped, shared_allocated;
  void *shared_memory;
  pthread_t thread;
  // Made for the first launch with checks.
  struct check *check;
  // Under the pool's mutex: since when the launching thread has been away from Python, 0 while it is not.
  uint64_t away_since;
  struct worker *next, *next_free;
  struct warp warps[MAX_WARPS];
  struct fiber fibers[32 * MAX_WARPS];
};

// scheduler.c
const struct mytriton_api *runtime_api(void);
struct worker *running_worker(void);
void set_running_worker(struct worker *);
bool prepare_worker(struct worker *, struct job *);
// Both return whether the block is over; if not, it was paused and can be continued.
bool run_block(struct worker *, uint64_t block);
bool continue_block(struct worker *);
void interrupt_block(void);

_Noreturn void leave_block(struct worker *);

// checker.c
struct checks *begin_checks(struct job *, const struct request *);
void end_checks(struct checks *);
bool prepare_check(struct worker *, struct job *);
uint64_t begin_checked_block(struct worker *, uint64_t block);
void check_barrier(struct worker *);
void check_sync_warp(struct worker *, unsigned warp, unsigned mask);
unsigned random_order(struct worker *);
void check_fault(struct mytriton_thread *, const struct mytriton_fault *);
void check_global_access(struct mytriton_thread *, struct mytriton_array *, const void *address, unsigned size,
                         int access, int line, const void *value);
void check_shared_access(struct mytriton_thread *, const void *address, unsigned size, int access, int line,
                         int array_line, long long offset, const void *value);
void check_begin_copy(struct mytriton_thread *, void *shared, const void *global, unsigned size, int line,
                      int array_line, long long offset);
void check_commit_copies(struct mytriton_thread *);
void check_wait_copies(struct mytriton_thread *, unsigned groups, int line);
void check_fence(struct mytriton_thread *);
void check_before_atomic(struct mytriton_thread *, const void *address);
void check_after_atomic(struct mytriton_thread *, const void *address);

// pool.c
extern struct pool {
  pthread_mutex_t mutex;
  pthread_cond_t work, watch;
  struct job *first, *last;
  // `launchers` and `watched` are the workers of launching threads that are free, and all of them.
  struct worker *workers, *launchers, *watched;
  unsigned worker_count, sleeping;
  atomic_uint version;
  bool spin, watching, watcher_sleeps;
} pool;
void fail(struct job *, enum status, const struct report *);
void fail_without_memory(struct job *);
void request_worker(struct worker *);
void add_record(struct worker *, const void *record, size_t size);
void open_job(struct job *);
void list_job(struct job *);
void unlist_job(struct job *);
void leave_job(struct job *, uint64_t nanoseconds_of_a_block);
bool start_thread(pthread_t *, void *(*function)(void *), void *argument);
struct worker *new_worker(void);
void initialise_condition(pthread_cond_t *);
bool wait_until(pthread_cond_t *, uint64_t milliseconds);
uint64_t nanoseconds(void);

#endif
