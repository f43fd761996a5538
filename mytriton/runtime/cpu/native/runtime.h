// Inside of the runtime: workers (one operating system thread each) run the blocks of jobs (one launch each).
#ifndef MYTRITON_RUNTIME_H
#define MYTRITON_RUNTIME_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../include/mytriton_abi.h"

#define EXPORT __attribute__((visibility("default")))
#define MAX_WARPS 32
#define MAX_GROUPS 64

enum status { DONE, RUNNING, DEADLOCK, DIVERGENT, ABORTED, NO_RESOURCES };

// Neighbouring threads in the same state; `kind` is NULL for threads that have ended, "" for those that do not wait.
struct group {
  int first, last, line;
  const char *kind;
};

// Why a launch failed. Python reads this structure.
struct report {
  unsigned block[3];
  int group_count;
  struct group groups[MAX_GROUPS];
  char message[256];
};

struct job {
  struct mytriton_kernel *kernel;
  struct mytriton_index grid;
  uint64_t total;
  _Alignas(64) _Atomic uint64_t next;
  _Alignas(64) atomic_bool stop;
  atomic_int status;
  atomic_bool finished;
  // Under the pool's mutex: the workers in the job, how many there may be, and the list of jobs with blocks to run.
  unsigned active, limit;
  bool listed;
  struct job *previous, *following;
  pthread_cond_t changed;
  struct report report;
  _Alignas(16) unsigned char arguments[];
};

struct fiber {
  struct mytriton_thread thread;
  void *stack_pointer;
  void *lane;
  const char *kind;
  int line;
  unsigned mask;
  uint64_t spinning_since;
  bool ended;
};

// Bit sets of lanes: `ready` can run, `posted` wait in a warp operation, all in the same one unless `mixed`; `first` was
// the first of them. `cursor` is the lane that ran last.
struct warp {
  unsigned ready, posted, cursor;
  bool mixed;
  const struct fiber *first;
  void *lanes[32];
};

struct worker {
  struct mytriton_block block;
  struct job *job;
  struct fiber *current;
  void *main_context;
  unsigned contexts, live, ready_warps;
  unsigned arrived, predicates, barrier_result;
  int barrier_line;
  bool divergent;
  volatile sig_atomic_t in_block, critical;
  char *stacks;
  size_t stack_bytes, stacks_mapped, shared_allocated;
  void *shared_memory;
  pthread_t thread;
  struct worker *next;
  struct warp warps[MAX_WARPS];
  struct fiber fibers[32 * MAX_WARPS];
};

// scheduler.c
extern const struct mytriton_api runtime_api;
struct worker *running_worker(void);
void set_running_worker(struct worker *);
bool prepare_worker(struct worker *, struct job *);
void run_block(struct worker *, uint64_t block);
void interrupt_block(void);

// pool.c
void fail(struct job *, enum status, const struct report *);
void request_worker(struct worker *);
uint64_t nanoseconds(void);

#endif
