// One block: its threads are fibers that a worker switches between, and that meet at barriers and warp operations.

#include "runtime.h"
#include "switch.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

DEFINE_SWITCH

// Stacks a power of two apart would compete for the same cache sets.
#define STACK_SKEW (17 * 64)
#define GUARD_BYTES 65536
#define SHARED_ALIGNMENT 128
#define POLLS_BEFORE_CLOCK 64
#define NANOSECONDS_BEFORE_GROWTH 200000

static _Thread_local struct worker *this_worker __attribute__((tls_model("initial-exec")));

struct worker *running_worker(void) { return this_worker; }
void set_running_worker(struct worker *worker) { this_worker = worker; }

static struct fiber *fiber_of(struct mytriton_thread *thread) { return (struct fiber *)(void *)thread; }

_Noreturn void leave_block(struct worker *worker) {
  void *abandoned;
  worker->in_block = 0;
  mytriton_switch(&abandoned, worker->main_context);
  __builtin_unreachable();
}

static bool same_kind(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

// Gives the job its first failure, with what each thread of this block does, and leaves the block.
static _Noreturn void report_threads(struct worker *worker, enum status status) {
  struct report report;
  worker->in_block = 0;
  memset(&report, 0, sizeof report);
  report.block[0] = worker->block.index.x;
  report.block[1] = worker->block.index.y;
  report.block[2] = worker->block.index.z;
  for (unsigned index = 0; index < worker->contexts; ++index) {
    const struct fiber *fiber = &worker->fibers[index];
    const bool waits = fiber == worker->current || !(worker->warps[index / 32].ready >> index % 32 & 1);
    const char *kind = fiber->ended ? NULL : waits ? fiber->kind : "";
    const int line = kind && *kind ? fiber->thread.line : 0;
    struct group *last = report.group_count ? &report.groups[report.group_count - 1] : NULL;
    if (last && last->line == line && same_kind(last->kind, kind)) {
      last->last = (int)index;
    } else {
      if (report.group_count++ == MAX_GROUPS) break;
      report.groups[report.group_count - 1] = (struct group){(int)index, (int)index, line, kind};
    }
  }
  fail(worker->job, status, &report);
  leave_block(worker);
}

// The lowest bit of `set` above bit `after`, or the lowest one if there is none.
static unsigned next_bit(unsigned set, unsigned after) {
  unsigned above = set & ~((2u << after) - 1);
  return (unsigned)__builtin_ctz(above ? above : set);
}

static struct fiber *resume_in(struct worker *worker, unsigned warp_index) {
  struct warp *warp = &worker->warps[warp_index];
  warp->cursor = next_bit(warp->ready, worker->shuffled ? random_order(worker) % 32 : warp->cursor);
  worker->current = &worker->fibers[warp_index * 32 + warp->cursor];
  return worker->current;
}

// The next fiber that can run: a lane of the same warp, or else of the next warp.
static struct fiber *next_fiber(struct worker *worker, unsigned warp_index) {
  if (worker->shuffled) warp_index = random_order(worker) % 32;
  if (worker->ready_warps >> warp_index & 1) return resume_in(worker, warp_index);
  if (!worker->ready_warps) report_threads(worker, worker->divergent ? DIVERGENT : DEADLOCK);
  return resume_in(worker, next_bit(worker->ready_warps, warp_index));
}

static void set_waiting(struct worker *worker, unsigned index) {
  struct warp *warp = &worker->warps[index / 32];
  warp->ready &= ~(1u << (index % 32));
  if (!warp->ready) worker->ready_warps &= ~(1u << (index / 32));
}

// Makes a fiber wait, and returns the one that runs then. Nearly always that is its neighbour, whose place in memory does
// not depend on anything that has to be read first.
static inline struct fiber *next_after(struct worker *worker, struct fiber *fiber, struct warp *warp) {
  const unsigned index = fiber->thread.index, lane = index % 32;
  if ((warp->ready >> lane >> 1 & 1) && !worker->shuffled) {
    warp->ready &= ~(1u << lane);
    warp->cursor = lane + 1;
    return worker->current = fiber + 1;
  }
  set_waiting(worker, index);
  return next_fiber(worker, index / 32);
}

static void set_ready(struct worker *worker, unsigned warp_index, unsigned lanes) {
  worker->warps[warp_index].ready |= lanes;
  worker->ready_warps |= 1u << warp_index;
}

static void make_all_ready(struct worker *worker) {
  unsigned warps = (worker->contexts + 31) / 32;
  for (unsigned warp = 0; warp < warps; ++warp) {
    unsigned lanes = worker->contexts - warp * 32;
    worker->warps[warp].ready = lanes >= 32 ? ~0u : (1u << lanes) - 1;
  }
  worker->ready_warps = warps >= 32 ? ~0u : (1u << warps) - 1;
}

static void leave_if_stopped(struct worker *worker) {
  if (atomic_load_explicit(&worker->job->stop, memory_order_relaxed)) leave_block(worker);
}

// The switch to another fiber is the last step of these functions, so that it is a jump, and nothing else is saved.
static void barrier(struct mytriton_thread *thread, unsigned predicate, int line, const char *kind) {
  struct worker *worker = this_worker;
  struct fiber *fiber = fiber_of(thread);
  fiber->kind = kind;
  fiber->thread.line = line;
  if (!worker->arrived) worker->barrier_line = line;
  if (worker->barrier_line != line) worker->divergent = true;
  worker->predicates += predicate != 0;
  if (++worker->arrived < worker->contexts) {
    mytriton_switch(&fiber->stack_pointer, next_after(worker, fiber, fiber->warp)->stack_pointer);
  } else {
    if (worker->divergent) report_threads(worker, DIVERGENT);
    leave_if_stopped(worker);
    worker->barrier_result = worker->predicates;
    worker->predicates = worker->arrived = 0;
    if (worker->block.check) check_barrier(worker);
    make_all_ready(worker);
  }
}

static unsigned barrier_count(struct mytriton_thread *thread) {
  (void)thread;
  return this_worker->barrier_result;
}

// Whether the lanes in `mask` wait in the same operation.
static bool same_operation(const struct worker *worker, const struct fiber *fiber, unsigned mask) {
  const struct fiber *lanes = &worker->fibers[fiber->thread.index & ~31u];
  for (unsigned rest = mask; rest; rest &= rest - 1) {
    const struct fiber *other = &lanes[__builtin_ctz(rest)];
    if (other->thread.line != fiber->thread.line || other->mask != mask || !same_kind(other->kind, fiber->kind)) return false;
  }
  return true;
}

static void warp_op(struct mytriton_thread *thread, unsigned mask, mytriton_warp_function *function, void *lane,
                    int line, const char *kind) {
  struct worker *worker = this_worker;
  struct fiber *fiber = fiber_of(thread);
  struct warp *warp = fiber->warp;
  unsigned own = 1u << (thread->index % 32);
  mask |= own;
  fiber->kind = kind;
  fiber->thread.line = line;
  fiber->mask = mask;
  warp->lanes[thread->index % 32] = lane;
  if (!warp->posted) warp->first = fiber;
  warp->mixed |= warp->first->thread.line != line || warp->first->mask != mask || warp->first->kind != kind;
  warp->posted |= own;
  if ((warp->posted & mask) != mask) {
    mytriton_switch(&fiber->stack_pointer, next_after(worker, fiber, warp)->stack_pointer);
  } else {
    if (warp->mixed && !same_operation(worker, fiber, mask)) report_threads(worker, DIVERGENT);
    if (function) {
      function(warp->lanes, mask);
    } else if (worker->block.check) {
      check_sync_warp(worker, thread->index / 32, mask);
    }
    warp->posted &= ~mask;
    if (!warp->posted) warp->mixed = false;
    set_ready(worker, thread->index / 32, mask);
  }
}

// Asks for one more worker where a thread has waited long while blocks have not begun: it may wait for one of those.
static void grow_if_stuck(struct worker *worker, struct fiber *fiber) {
  if (fiber->thread.polls <= POLLS_BEFORE_CLOCK) fiber->spinning_since = 0;
  if (atomic_load_explicit(&worker->job->next, memory_order_relaxed) >= worker->job->total) return;
  uint64_t now = nanoseconds();
  if (!fiber->spinning_since) {
    fiber->spinning_since = now;
  } else if (now - fiber->spinning_since > NANOSECONDS_BEFORE_GROWTH) {
    fiber->spinning_since = now;
    request_worker(worker);
  }
}

static void yield(struct mytriton_thread *thread) {
  struct worker *worker = this_worker;
  struct fiber *fiber = fiber_of(thread);
  leave_if_stopped(worker);
  if (thread->polls % POLLS_BEFORE_CLOCK == 0) grow_if_stuck(worker, fiber);
  unsigned index = worker->shuffled ? random_order(worker) % 32 : thread->index / 32;
  struct fiber *next = resume_in(worker, next_bit(worker->ready_warps, index));
  if (next != fiber) {
    mytriton_switch(&fiber->stack_pointer, next->stack_pointer);
  } else if (thread->polls < POLLS_BEFORE_CLOCK) {
    pause_processor();
  } else {
    sched_yield();
  }
}

static struct mytriton_thread *current(void) { return &this_worker->current->thread; }

static void record(struct mytriton_thread *thread, const void *data, unsigned long size) {
  (void)thread;
  add_record(this_worker, data, size);
}

static _Noreturn void stop(struct mytriton_thread *thread) {
  (void)thread;
  struct worker *worker = this_worker;
  worker->in_block = 0;
  fail(worker->job, STOPPED, NULL);
  leave_block(worker);
}

const struct mytriton_api *runtime_api(void) {
  static struct mytriton_api api = {
      current,
      barrier,
      barrier_count,
      warp_op,
      yield,
      record,
      stop,
      check_fault,
      check_global_access,
      check_shared_access,
      check_begin_copy,
      check_commit_copies,
      check_wait_copies,
      check_fence,
      check_before_atomic,
      check_after_atomic,
      0,
  };
#if defined(__x86_64__) && defined(__linux__)
  const char *thread_pointer;
  __asm__("movq %%fs:0, %0" : "=r"(thread_pointer));
  // A worker begins with its block.
  _Static_assert(offsetof(struct worker, block) == 0, "the address of a worker is that of its block");
  api.block_of_worker = (const char *)&this_worker - thread_pointer;
#endif
  return &api;
}

static void run_fiber(void *argument) {
  struct fiber *fiber = argument;
  struct worker *worker = this_worker;
  worker->in_block = 1;
  worker->job->kernel->run(&fiber->thread, worker->job->arguments);
  fiber->ended = true;
  if (!--worker->live) leave_block(worker);
  unsigned index = (unsigned)(fiber - worker->fibers);
  set_waiting(worker, index);
  mytriton_switch(&fiber->stack_pointer, next_fiber(worker, index / 32)->stack_pointer);
}

static void unmap_stacks(struct worker *worker) {
  if (worker->stacks) munmap(worker->stacks, worker->stacks_mapped);
  worker->stacks = NULL;
  worker->stacks_mapped = 0;
}

// Makes stacks and shared memory large enough for the job's kernel; false where there is not enough memory.
bool prepare_worker(struct worker *worker, struct job *job) {
  const struct mytriton_kernel *kernel = job->kernel;
  worker->contexts = kernel->fibers ? kernel->threads : 1;
  worker->stack_bytes = ((size_t)kernel->stack_bytes + 63) / 64 * 64 + STACK_SKEW;
  size_t needed = GUARD_BYTES + worker->stack_bytes * worker->contexts;
  if (needed > worker->stacks_mapped) {
    unmap_stacks(worker);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
    flags |= MAP_NORESERVE;
#endif
    void *memory = mmap(NULL, needed, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED) return false;
    mprotect(memory, GUARD_BYTES, PROT_NONE);
    worker->stacks = memory;
    worker->stacks_mapped = needed;
  }
  if (kernel->shared_bytes > worker->shared_allocated) {
    free(worker->shared_memory);
    worker->shared_allocated = 0;
    if (posix_memalign(&worker->shared_memory, SHARED_ALIGNMENT, kernel->shared_bytes)) {
      worker->shared_memory = NULL;
      return false;
    }
    worker->shared_allocated = kernel->shared_bytes;
  }
  worker->job = job;
  worker->block.grid = job->grid;
  worker->block.threads = kernel->threads;
  worker->block.shared = worker->shared_memory;
  return prepare_check(worker, job);
}

bool run_block(struct worker *worker, uint64_t block) {
  if (worker->block.check) block = begin_checked_block(worker, block);
  const struct mytriton_index grid = worker->job->grid;
  worker->block.index = (struct mytriton_index){
      (unsigned)(block % grid.x), (unsigned)(block / grid.x % grid.y), (unsigned)(block / grid.x / grid.y)};
  char *top = worker->stacks + GUARD_BYTES;
  for (unsigned index = 0; index < worker->contexts; ++index) {
    struct fiber *fiber = &worker->fibers[index];
    top += worker->stack_bytes;
    fiber->thread = (struct mytriton_thread){&worker->block, index, 0, index << 22, 0};
    fiber->stack_pointer = new_context((char *)((uintptr_t)top & ~(uintptr_t)63), run_fiber, fiber);
    fiber->warp = &worker->warps[index / 32];
    fiber->ended = false;
  }
  for (unsigned warp = 0; warp * 32 < worker->contexts; ++warp) {
    worker->warps[warp].posted = 0;
    worker->warps[warp].cursor = 31;
    worker->warps[warp].mixed = false;
  }
  make_all_ready(worker);
  worker->live = worker->contexts;
  worker->arrived = worker->predicates = 0;
  worker->divergent = false;
  worker->paused_context = next_fiber(worker, 0)->stack_pointer;
  return continue_block(worker);
}

bool continue_block(struct worker *worker) {
  void *context = worker->paused_context;
  worker->paused_context = NULL;
  mytriton_switch(&worker->main_context, context);
  return !worker->paused_context;
}

// In the handler of a signal: pauses the block of a thread that launches, and abandons another one's if its job is over.
void interrupt_block(void) {
  struct worker *worker = this_worker;
  if (!worker->in_block || worker->critical) return;
  if (worker->launches) {
    worker->in_block = 0;
    mytriton_switch(&worker->paused_context, worker->main_context);
    worker->in_block = 1;
  } else if (atomic_load(&worker->job->stop)) {
    leave_block(worker);
  }
}
