// The checker: what a kernel compiled with checks calls where an access is not plainly right, and the order of events.
//
// A stamp stands for the time between two barriers of one block. Workers take stamps in chunks, so those of a block grow,
// and no two blocks share one. Between programs, a fence followed by an atomic operation publishes what was before it to
// whoever does an atomic operation on the same address and then a fence.

#include "runtime.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK 1024u
#define EXCHANGES 16
#define MAX_FAULTS 1024
#define LAST_STAMP 0xf0000000u
#define CLOCK_LIMIT 31u

// What a worker did in one launch, in order: the blocks that it ran, and its fences.
struct started {
  unsigned stamp;
  uint64_t block;
};
struct released {
  unsigned stamp;
  uint64_t time;
};
struct history {
  struct history *next;
  struct started *blocks;
  struct released *releases;
  size_t block_count, block_capacity, release_count, release_capacity;
};

// The time up to which an atomic operation on an address makes known what was done: `time` to all programs but the one
// that began at the stamp `owner`, whose own it is, and `others_time` to that one.
struct published {
  const void *address;
  uint64_t time, others_time;
  unsigned owner;
};

struct checks {
  struct request request;
  unsigned launch_stamp;
  pthread_mutex_t mutex;
  struct history *histories, **owners;
  size_t owner_capacity;
  uint64_t time;
  struct published *published;
  size_t published_count, published_capacity;
  struct mytriton_fault *faults;
  size_t fault_count;
};

// Under the pool's mutex: the next stamp that no launch has had. A generation ends when stamps begin anew.
static unsigned next_stamp = 1, generation = 1;

// Python calls these. `mytriton_shadow`: at least that many bytes for the cells of the arrays of a launch, which are 0 or
// those of earlier launches; NULL where there is not enough memory. Only one launch at a time may use them.
EXPORT void *mytriton_shadow(size_t bytes);
EXPORT const struct mytriton_fault *mytriton_faults(const struct job *job, size_t *count);

static void *shadow;
static size_t shadow_bytes;
static unsigned shadow_generation;

void *mytriton_shadow(size_t bytes) {
  pthread_mutex_lock(&pool.mutex);
  if (next_stamp > LAST_STAMP / 2) {
    next_stamp = 1;
    ++generation;
  }
  if (bytes > shadow_bytes || shadow_generation != generation) {
    if (shadow) munmap(shadow, shadow_bytes);
    shadow_bytes = bytes > shadow_bytes ? bytes : shadow_bytes;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
    flags |= MAP_NORESERVE;
#endif
    shadow = mmap(NULL, shadow_bytes ? shadow_bytes : 1, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (shadow == MAP_FAILED) {
      shadow = NULL;
      shadow_bytes = 0;
    }
    shadow_generation = generation;
  }
  void *result = shadow;
  pthread_mutex_unlock(&pool.mutex);
  return result;
}

const struct mytriton_fault *mytriton_faults(const struct job *job, size_t *count) {
  *count = job->checks ? job->checks->fault_count : 0;
  return *count ? job->checks->faults : NULL;
}

static void *grown(void *array, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) return array;
  *capacity = *capacity ? 2 * *capacity : 64;
  void *larger = realloc(array, *capacity * size);
  if (!larger) abort();
  return larger;
}

// ---- launches

struct checks *begin_checks(struct job *job, const struct request *request) {
  (void)job;
  struct checks *checks = calloc(1, sizeof *checks);
  if (!checks) abort();
  checks->request = *request;
  pthread_mutex_init(&checks->mutex, NULL);
  pthread_mutex_lock(&pool.mutex);
  checks->launch_stamp = next_stamp;
  pthread_mutex_unlock(&pool.mutex);
  return checks;
}

void end_checks(struct checks *checks) {
  if (!checks) return;
  for (struct history *history = checks->histories, *next; history; history = next) {
    next = history->next;
    free(history->blocks);
    free(history->releases);
    free(history);
  }
  pthread_mutex_destroy(&checks->mutex);
  free(checks->owners);
  free(checks->published);
  free(checks->faults);
  free(checks);
}

// ---- blocks

static uint64_t mixed(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// A permutation of the numbers below `total`: a Feistel network on enough bits, again until the number is one of them.
static uint64_t permuted(uint64_t number, uint64_t total, uint64_t seed) {
  unsigned half = 1;
  while (half < 32 && (uint64_t)1 << 2 * half < total) ++half;
  const uint64_t mask = ((uint64_t)1 << half) - 1;
  do {
    uint64_t left = number >> half, right = number & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      const uint64_t next = left ^ (mixed(right ^ mixed(seed + round)) & mask);
      left = right;
      right = next;
    }
    number = left << half | right;
  } while (number >= total);
  return number;
}

unsigned random_order(struct worker *worker) {
  struct check *check = worker->check;
  check->random = check->random * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(check->random >> 33);
}

// Gives a worker of a launch with checks what the checker needs; false where there is not enough memory.
bool prepare_check(struct worker *worker, struct job *job) {
  struct checks *checks = job->checks;
  worker->block.check = NULL;
  worker->shuffled = false;
  if (!checks) return true;
  struct check *check = worker->check;
  if (!check) {
    check = worker->check = calloc(1, sizeof *check);
    if (!check) return false;
  }
  const struct mytriton_kernel *kernel = job->kernel;
  const size_t cells = (kernel->shared_bytes >> kernel->shared_shift) + 1;
  if (cells > check->shared_cells || check->generation != generation) {
    free(check->visible.shared);
    free(check->marks);
    check->visible.shared = calloc(cells, sizeof *check->visible.shared);
    check->marks = calloc(cells, sizeof *check->marks);
    check->shared_cells = check->visible.shared && check->marks ? cells : 0;
    if (!check->shared_cells) return false;
  }
  struct history *history = calloc(1, sizeof *history);
  if (!history) return false;
  pthread_mutex_lock(&checks->mutex);
  history->next = checks->histories;
  checks->histories = history;
  pthread_mutex_unlock(&checks->mutex);
  check->generation = generation;
  check->history = history;
  check->visible.arrays = checks->request.arrays;
  check->visible.array_of_parameter = checks->request.array_of_parameter;
  check->visible.launch_stamp = checks->launch_stamp;
  check->visible.stamp = check->last_stamp = 0;
  check->visible.step_limit = checks->request.step_limit ? checks->request.step_limit : ~0ull;
  check->visible.find_all = checks->request.find_all;
  check->exact = checks->request.exact || checks->request.find_all;
  worker->block.check = &check->visible;
  worker->shuffled = checks->request.shuffled != 0;
  return true;
}

static _Noreturn void no_more_stamps(struct worker *worker) {
  struct report report;
  memset(&report, 0, sizeof report);
  strcpy(report.message, "a launch with checks has at most 3.7e9 programs and barriers, all together");
  fail(worker->job, NO_RESOURCES, &report);
  leave_block(worker);
}

static void advance(struct worker *worker) {
  struct check *check = worker->check;
  if (check->visible.stamp != check->last_stamp) {
    check->interval = ++check->visible.stamp;
    return;
  }
  struct checks *checks = worker->job->checks;
  worker->critical = 1;
  pthread_mutex_lock(&pool.mutex);
  const unsigned first = next_stamp;
  if (first <= LAST_STAMP) next_stamp += CHUNK;
  pthread_mutex_unlock(&pool.mutex);
  if (first > LAST_STAMP) no_more_stamps(worker);
  pthread_mutex_lock(&checks->mutex);
  const size_t chunk = (first - checks->launch_stamp) / CHUNK;
  while (chunk >= checks->owner_capacity) {
    const size_t before = checks->owner_capacity;
    checks->owners = grown(checks->owners, before, &checks->owner_capacity, sizeof *checks->owners);
    memset(checks->owners + before, 0, (checks->owner_capacity - before) * sizeof *checks->owners);
  }
  checks->owners[chunk] = check->history;
  pthread_mutex_unlock(&checks->mutex);
  worker->critical = 0;
  check->visible.stamp = check->interval = first;
  check->last_stamp = first + CHUNK - 1;
}

// Marks of earlier blocks are smaller than those of the block that begins.
static void begin_marks(struct worker *worker) {
  struct check *check = worker->check;
  const unsigned shift = worker->job->kernel->shared_shift;
  check->visible.marks_of_0 =
      (char *)((uintptr_t)check->marks - ((uintptr_t)worker->block.shared >> shift) * sizeof *check->marks);
  // Copies that the last block has begun and not waited for.
  for (const struct copy *copy = check->copies; copy < check->copies + check->copy_count; ++copy)
    for (size_t at = copy->cell; at < copy->cell + copy->cells && at < check->shared_cells; ++at) check->marks[at] = 0;
  check->copy_count = 0;
  if (check->last_now >= LAST_STAMP) {
    check->last_now = 0;
    memset(check->marks, 0, check->shared_cells * sizeof *check->marks);
  }
  check->last_now += 4;
  check->visible.now = check->exact ? 0 : check->last_now;
  check->visible.first_now = check->exact ? 2 : check->last_now;
}

// The number of the block to run in the place of `block`.
uint64_t begin_checked_block(struct worker *worker, uint64_t block) {
  struct check *check = worker->check;
  struct checks *checks = worker->job->checks;
  const struct request *request = &checks->request;
  if (request->shuffled) {
    block = permuted(block, worker->job->total, request->seed);
    check->random = mixed(request->seed ^ mixed(block + 1));
  }
  check->visible.thread_order = request->shuffled ? random_order(worker) % worker->job->kernel->threads : 0;
  advance(worker);
  check->visible.first_stamp = check->visible.stamp;
  check->visible.steps = 0;
  begin_marks(worker);
  check->visible.exchanges = EXCHANGES;
  check->last_fence = check->horizon = check->pending_horizon = 0;
  if (check->synced) {
    memset(check->clocks, 0, sizeof check->clocks);
    memset(check->seen, 0, sizeof check->seen);
    check->synced = false;
  }
  struct history *history = check->history;
  pthread_mutex_lock(&checks->mutex);
  history->blocks = grown(history->blocks, history->block_count, &history->block_capacity, sizeof *history->blocks);
  history->blocks[history->block_count++] = (struct started){check->visible.stamp, block};
  pthread_mutex_unlock(&checks->mutex);
  return block;
}

static void forget_clocks(struct worker *worker) {
  struct check *check = worker->check;
  if (!check->synced) return;
  for (unsigned index = 0; index < worker->contexts; ++index) worker->fibers[index].thread.key = index << 22;
  memset(check->clocks, 0, sizeof check->clocks);
  memset(check->seen, 0, sizeof check->seen);
  check->synced = false;
}

void check_barrier(struct worker *worker) {
  advance(worker);
  if (!worker->check->exact) worker->check->visible.now = worker->check->last_now += 4;
  forget_clocks(worker);
}

// The lanes in `mask` have met. What each has done is known to all of them.
void check_sync_warp(struct worker *worker, unsigned warp, unsigned mask) {
  struct check *check = worker->check;
  if (worker->contexts == 32 && mask == ~0u) {
    check_barrier(worker);
    return;
  }
  unsigned char all[32] = {0};
  for (unsigned rest = mask; rest; rest &= rest - 1) {
    const unsigned index = warp * 32 + (unsigned)__builtin_ctz(rest);
    for (unsigned lane = 0; lane < 32; ++lane)
      if (check->seen[index][lane] > all[lane]) all[lane] = check->seen[index][lane];
  }
  for (unsigned rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = (unsigned)__builtin_ctz(rest), index = warp * 32 + lane;
    // A clock that cannot go on makes the checker take too much for ordered, never too little.
    if (check->clocks[index] < CLOCK_LIMIT) ++check->clocks[index];
    all[lane] = check->clocks[index] == CLOCK_LIMIT ? 255 : check->clocks[index];
    worker->fibers[index].thread.key = index << 22 | (unsigned)check->clocks[index] << 17;
  }
  for (unsigned rest = mask; rest; rest &= rest - 1)
    memcpy(check->seen[warp * 32 + (unsigned)__builtin_ctz(rest)], all, sizeof all);
  check->synced = true;
}

// ---- faults

static void fill_program(unsigned *program, const struct job *job, uint64_t block) {
  program[0] = (unsigned)(block % job->grid.x);
  program[1] = (unsigned)(block / job->grid.x % job->grid.y);
  program[2] = (unsigned)(block / job->grid.x / job->grid.y);
}

static bool same_fault(const struct mytriton_fault *a, const struct mytriton_fault *b) {
  return a->kind == b->kind && a->array == b->array && a->own.line == b->own.line && a->other.line == b->other.line &&
         a->origin == b->origin && a->sink == b->sink && a->own.access == b->own.access &&
         a->other.access == b->other.access && (a->array != MYTRITON_SHARED_MEMORY || a->array_line == b->array_line);
}

// Keeps a fault, unless one like it is known, and leaves the block unless the launch looks for all faults.
void check_fault(struct mytriton_thread *thread, const struct mytriton_fault *fault) {
  struct worker *worker = running_worker();
  struct checks *checks = worker->job->checks;
  struct mytriton_fault kept = *fault;
  const struct mytriton_index index = worker->block.index;
  kept.own.program[0] = index.x;
  kept.own.program[1] = index.y;
  kept.own.program[2] = index.z;
  kept.own.thread = (int)thread->index;
  kept.count = 1;
  worker->critical = 1;
  pthread_mutex_lock(&checks->mutex);
  if (!checks->faults) checks->faults = malloc(MAX_FAULTS * sizeof *checks->faults);
  if (!checks->faults) abort();
  size_t at = 0;
  while (at < checks->fault_count && !same_fault(&checks->faults[at], &kept)) ++at;
  if (at < checks->fault_count) {
    ++checks->faults[at].count;
  } else if (at < MAX_FAULTS) {
    checks->faults[checks->fault_count++] = kept;
  }
  pthread_mutex_unlock(&checks->mutex);
  worker->critical = 0;
  if (checks->request.find_all && kept.kind != MYTRITON_STEPS) return;
  worker->in_block = 0;
  fail(worker->job, FAULT, NULL);
  leave_block(worker);
}
