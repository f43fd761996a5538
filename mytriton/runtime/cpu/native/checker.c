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

// The time up to which an atomic operation on an address makes known what was done.
struct published {
  const void *address;
  uint64_t time;
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
    ++check->visible.stamp;
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
  check->visible.stamp = first;
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

// ---- the order of events

static struct history *history_of(struct checks *checks, unsigned stamp) {
  const size_t chunk = (stamp - checks->launch_stamp) / CHUNK;
  return chunk < checks->owner_capacity ? checks->owners[chunk] : NULL;
}

// The last of the blocks that began at a stamp or before it.
static size_t block_at(const struct history *history, unsigned stamp) {
  size_t low = 0, high = history->block_count;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    *(history->blocks[middle].stamp <= stamp ? &low : &high) = middle;
  }
  return low;
}

// When the program at place `block` of a history first published what it had done at `stamp`; never is the largest number.
static uint64_t release_after(const struct history *history, size_t block, unsigned stamp) {
  const unsigned end = block + 1 < history->block_count ? history->blocks[block + 1].stamp : ~0u;
  size_t low = 0, high = history->release_count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (history->releases[middle].stamp < stamp) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < history->release_count && history->releases[low].stamp < end ? history->releases[low].time : UINT64_MAX;
}

void check_fence(struct mytriton_thread *thread) {
  struct worker *worker = running_worker();
  struct check *check = worker->check;
  struct checks *checks = worker->job->checks;
  struct history *history = check->history;
  (void)thread;
  worker->critical = 1;
  pthread_mutex_lock(&checks->mutex);
  const uint64_t time = ++checks->time;
  if (!history->release_count || history->releases[history->release_count - 1].stamp != check->visible.stamp) {
    history->releases =
        grown(history->releases, history->release_count, &history->release_capacity, sizeof *history->releases);
    history->releases[history->release_count++] = (struct released){check->visible.stamp, time};
  }
  check->last_fence = time;
  if (check->pending_horizon > check->horizon) check->horizon = check->pending_horizon;
  pthread_mutex_unlock(&checks->mutex);
  worker->critical = 0;
}

static struct published *find_published(struct checks *checks, const void *address) {
  const size_t mask = checks->published_capacity - 1;
  size_t at = mixed((uint64_t)(uintptr_t)address) & mask;
  while (checks->published[at].address && checks->published[at].address != address) at = (at + 1) & mask;
  return &checks->published[at];
}

static struct published *published_at(struct checks *checks, const void *address) {
  if (2 * checks->published_count >= checks->published_capacity) {
    struct published *old = checks->published;
    const size_t capacity = checks->published_capacity;
    checks->published_capacity = capacity ? 2 * capacity : 64;
    checks->published = calloc(checks->published_capacity, sizeof *checks->published);
    if (!checks->published) abort();
    for (size_t at = 0; at < capacity; ++at)
      if (old[at].address) *find_published(checks, old[at].address) = old[at];
    free(old);
  }
  struct published *found = find_published(checks, address);
  if (!found->address) {
    found->address = address;
    ++checks->published_count;
  }
  return found;
}

void check_before_atomic(struct mytriton_thread *thread, const void *address) {
  struct worker *worker = running_worker();
  struct check *check = worker->check;
  struct checks *checks = worker->job->checks;
  (void)thread;
  if (!check->last_fence) return;
  worker->critical = 1;
  pthread_mutex_lock(&checks->mutex);
  struct published *found = published_at(checks, address);
  if (found->time < check->last_fence) found->time = check->last_fence;
  pthread_mutex_unlock(&checks->mutex);
  worker->critical = 0;
}

void check_after_atomic(struct mytriton_thread *thread, const void *address) {
  struct worker *worker = running_worker();
  struct check *check = worker->check;
  struct checks *checks = worker->job->checks;
  (void)thread;
  worker->critical = 1;
  pthread_mutex_lock(&checks->mutex);
  if (checks->published_count) {
    const struct published *found = find_published(checks, address);
    if (found->address && found->time > check->pending_horizon) check->pending_horizon = found->time;
  }
  pthread_mutex_unlock(&checks->mutex);
  worker->critical = 0;
}

// ---- cells

#define FLAG 0x10000u
#define OTHER_WARPS 0x8000u
#define READ_LINE 0x7fffu
#define WRITE_LINE 0xffffu

static unsigned stamp_of(uint64_t cell) { return (unsigned)(cell >> 32); }
static unsigned thread_of(uint64_t cell) { return (unsigned)(cell >> 22) & 1023; }
static unsigned clock_of(uint64_t cell) { return (unsigned)(cell >> 17) & 31; }

static uint64_t own_key(const struct check *check, const struct mytriton_thread *thread) {
  return (uint64_t)check->visible.stamp << 32 | thread->key;
}

// Whether a thread of the same program, in the time between two barriers that is now, did before us what `cell` says.
static bool knows(const struct check *check, unsigned thread, uint64_t cell) {
  const unsigned other = thread_of(cell);
  if (other == thread) return true;
  return other / 32 == thread / 32 && check->seen[thread][other % 32] > clock_of(cell);
}

// Whether we know of all reads that `cell` stands for.
static bool knows_reads(const struct check *check, unsigned thread, uint64_t cell) {
  if (!(cell & FLAG)) return knows(check, thread, cell);
  if (cell & OTHER_WARPS || thread_of(cell) / 32 != thread / 32) return false;
  // The clock is that of the last one of them, whichever lane it was.
  unsigned least = 255;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (check->seen[thread][lane] < least) least = check->seen[thread][lane];
  return least > clock_of(cell);
}

static uint64_t with_read(uint64_t cell, uint64_t key, unsigned line) {
  if (stamp_of(cell) != stamp_of(key)) return key | (line < READ_LINE ? line : READ_LINE);
  if (thread_of(cell) == thread_of(key) && !(cell & FLAG)) return (cell & ~(uint64_t)(31u << 17)) | (key & 31u << 17);
  cell |= FLAG;
  if (thread_of(cell) / 32 != thread_of(key) / 32) cell |= OTHER_WARPS;
  return clock_of(key) > clock_of(cell) ? (cell & ~(uint64_t)(31u << 17)) | (key & 31u << 17) : cell;
}

static bool unchanged(const void *address, const void *value, unsigned size) {
  return value && !memcmp(address, value, size);
}

// ---- shared memory

static void shared_fault(struct mytriton_thread *thread, int kind, unsigned size, int access, int line, int array_line,
                         long long offset, uint64_t other, int other_access, int other_line) {
  struct mytriton_fault fault;
  memset(&fault, 0, sizeof fault);
  fault.kind = kind;
  fault.array = MYTRITON_SHARED_MEMORY;
  fault.own.line = line;
  fault.own.access = access;
  const struct mytriton_index index = thread->block->index;
  fault.other.program[0] = index.x;
  fault.other.program[1] = index.y;
  fault.other.program[2] = index.z;
  fault.other.thread = (int)thread_of(other);
  fault.other.line = other_line;
  fault.other.access = other_access;
  fault.array_line = array_line;
  fault.offset = offset;
  fault.size = size;
  check_fault(thread, &fault);
}

// A copy into these bytes of which nobody has waited for the end.
static const struct copy *copy_to(const struct check *check, const void *address, unsigned size) {
  const char *begin = address;
  for (const struct copy *copy = check->copies; copy < check->copies + check->copy_count; ++copy)
    if (copy->shared < begin + size && begin < copy->shared + copy->size) return copy;
  return NULL;
}

void check_shared_access(struct mytriton_thread *thread, const void *address, unsigned size, int access, int line,
                         int array_line, long long offset, const void *value) {
  struct worker *worker = running_worker();
  struct check *check = worker->check;
  if (!check->exact) {
    shared_fault(thread, MYTRITON_SUSPICION, size, access, line, array_line, offset, 0, 0, 0);
    return;
  }
  const unsigned shift = worker->job->kernel->shared_shift, own = thread->index;
  const size_t first = (size_t)((const char *)address - worker->block.shared) >> shift;
  const size_t count = size >> shift ? size >> shift : 1;
  const uint64_t key = own_key(check, thread);
  const uint64_t written = key | (access == MYTRITON_ATOMIC ? FLAG : 0) | ((unsigned)line < WRITE_LINE ? (unsigned)line : 0);
  const struct copy *copy = copy_to(check, address, size);
  if (copy) {
    shared_fault(thread, MYTRITON_ASYNCHRONOUS_COPY, size, access, line, array_line, offset, (uint64_t)copy->thread << 22,
                 MYTRITON_WRITE, copy->line);
    return;
  }
  for (size_t at = first; at < first + count; ++at) {
    struct mytriton_cells *cell = &check->visible.shared[at];
    const uint64_t write = cell->write, read = cell->read;
    const bool is_new = stamp_of(write) == stamp_of(key);
    if (access != MYTRITON_WRITE && stamp_of(write) < check->visible.first_stamp) {
      shared_fault(thread, MYTRITON_SHARED_UNINITIALISED, size, access, line, array_line, offset, 0, 0, 0);
      cell->write = written;
      continue;
    }
    const bool both_atomic = access == MYTRITON_ATOMIC && write & FLAG;
    if (is_new && !both_atomic && !knows(check, own, write) &&
        !(access == MYTRITON_WRITE && !(write & FLAG) && unchanged(address, value, size))) {
      shared_fault(thread, MYTRITON_SHARED_RACE, size, access, line, array_line, offset, write,
                   write & FLAG ? MYTRITON_ATOMIC : MYTRITON_WRITE, (int)(write & WRITE_LINE));
    } else if (access != MYTRITON_READ && stamp_of(read) == stamp_of(key) && !knows_reads(check, own, read)) {
      shared_fault(thread, MYTRITON_SHARED_RACE, size, access, line, array_line, offset, read, MYTRITON_READ,
                   (int)(read & READ_LINE));
    }
    if (access == MYTRITON_READ) {
      cell->read = with_read(read, key, (unsigned)line);
    } else {
      cell->write = written;
    }
  }
}

// ---- asynchronous copies

void check_begin_copy(struct mytriton_thread *thread, void *shared, const void *global, unsigned size, int line,
                      int array_line, long long offset) {
  struct worker *worker = running_worker();
  struct check *check = worker->check;
  const unsigned shift = worker->job->kernel->shared_shift, count = size >> shift ? size >> shift : 1;
  const size_t first = (size_t)((const char *)shared - worker->block.shared) >> shift;
  unsigned *marks = check->marks + first;
  if (check->exact) {
    check_shared_access(thread, shared, size, MYTRITON_WRITE, line, array_line, offset, NULL);
  } else {
    for (unsigned i = 0; i < count; ++i)
      if (marks[i] >= check->visible.now)
        check_shared_access(thread, shared, size, MYTRITON_WRITE, line, array_line, offset, NULL);
    // Whatever is done there now is not plainly right.
    for (unsigned i = 0; i < count; ++i) marks[i] = ~0u;
  }
  worker->critical = 1;
  check->copies = grown(check->copies, check->copy_count, &check->copy_capacity, sizeof *check->copies);
  check->copies[check->copy_count++] =
      (struct copy){shared, global, size, thread->index, 0, line, array_line, offset, first, count};
  worker->critical = 0;
}

void check_commit_copies(struct mytriton_thread *thread) {
  struct check *check = running_worker()->check;
  for (size_t at = 0; at < check->copy_count; ++at)
    if (check->copies[at].thread == thread->index) ++check->copies[at].group;
}

void check_wait_copies(struct mytriton_thread *thread, unsigned groups, int line) {
  struct worker *worker = running_worker();
  struct check *check = worker->check;
  (void)line;
  size_t kept = 0;
  for (size_t at = 0; at < check->copy_count; ++at) {
    const struct copy copy = check->copies[at];
    if (copy.thread != thread->index || copy.group <= groups) {
      check->copies[kept++] = copy;
      continue;
    }
    memcpy(copy.shared, copy.global, copy.size);
    for (size_t cell = copy.cell; cell < copy.cell + copy.cells; ++cell) {
      check->marks[cell] = check->visible.now + 2;
      check->visible.shared[cell].write =
          own_key(check, thread) | ((unsigned)copy.line < WRITE_LINE ? (unsigned)copy.line : 0);
    }
  }
  check->copy_count = kept;
}

// ---- global memory

struct conflict {
  uint64_t block;
  unsigned thread;
  bool same_program;
};

// Who did what `cell` says, and whether nothing orders it before what we do now.
static bool is_conflict(struct worker *worker, unsigned own, uint64_t cell, bool is_read, struct conflict *conflict) {
  struct check *check = worker->check;
  struct checks *checks = worker->job->checks;
  const unsigned stamp = stamp_of(cell);
  *conflict = (struct conflict){0, thread_of(cell), true};
  if (stamp < checks->launch_stamp) return false;
  if (stamp == check->visible.stamp) return is_read ? !knows_reads(check, own, cell) : !knows(check, own, cell);
  bool result = false;
  pthread_mutex_lock(&checks->mutex);
  const struct history *history = history_of(checks, stamp);
  if (history && history->block_count) {
    const size_t block = block_at(history, stamp);
    conflict->block = history->blocks[block].block;
    conflict->same_program = history == check->history && block == history->block_count - 1;
    result = !conflict->same_program && release_after(history, block, stamp) > check->horizon;
  }
  pthread_mutex_unlock(&checks->mutex);
  return result;
}

static void global_fault(struct mytriton_thread *thread, const struct mytriton_array *array, const void *address,
                         unsigned size, int access, int line, const struct conflict *conflict, int other_access,
                         int other_line) {
  const struct worker *worker = running_worker();
  struct mytriton_fault fault;
  memset(&fault, 0, sizeof fault);
  fault.kind = conflict->same_program ? MYTRITON_THREAD_RACE : MYTRITON_PROGRAM_RACE;
  fault.array = array->number;
  fault.own.line = line;
  fault.own.access = access;
  if (conflict->same_program) {
    memcpy(fault.other.program, &worker->block.index, sizeof fault.other.program);
  } else {
    fill_program(fault.other.program, worker->job, conflict->block);
  }
  fault.other.thread = (int)conflict->thread;
  fault.other.line = other_line;
  fault.other.access = other_access;
  fault.offset = (const char *)address - array->base;
  fault.size = size;
  check_fault(thread, &fault);
}

static uint64_t exchanged(struct check *check, unsigned long long *cell, uint64_t value) {
  _Atomic(unsigned long long) *shared = (_Atomic(unsigned long long) *)(void *)cell;
  if (check->visible.exchanges) {
    --check->visible.exchanges;
    return atomic_exchange_explicit(shared, value, memory_order_seq_cst);
  }
  const uint64_t before = atomic_load_explicit(shared, memory_order_relaxed);
  atomic_store_explicit(shared, value, memory_order_relaxed);
  return before;
}

static uint64_t relaxed(const unsigned long long *cell) {
  return atomic_load_explicit((const _Atomic(unsigned long long) *)(const void *)cell, memory_order_relaxed);
}

// Of the reads that nothing orders before what we do now, the first slot has one, and the second one of another program.
static void note_read(struct worker *worker, unsigned own, unsigned long long *slots, uint64_t key, unsigned line) {
  struct conflict conflict;
  const uint64_t read = relaxed(&slots[0]);
  const bool keep = stamp_of(read) != stamp_of(key) && is_conflict(worker, own, read, true, &conflict);
  unsigned long long *slot = keep ? &slots[1] : &slots[0];
  const uint64_t before = relaxed(slot), noted = with_read(before, key, line);
  if (noted != before) exchanged(worker->check, slot, noted);
}

// An access to an array that the kernel may write to.
void check_global_access(struct mytriton_thread *thread, struct mytriton_array *array, const void *address,
                         unsigned size, int access, int line, const void *value) {
  struct worker *worker = running_worker();
  struct check *check = worker->check;
  const unsigned shift = array->shift, own = thread->index;
  const size_t first = (size_t)((const char *)address - array->base) >> shift;
  const size_t count = size >> shift ? size >> shift : 1;
  const uint64_t key = own_key(check, thread);
  const uint64_t written = key | (access == MYTRITON_ATOMIC ? FLAG : 0) | ((unsigned)line < WRITE_LINE ? (unsigned)line : 0);
  worker->critical = 1;
  if (access == MYTRITON_READ && !(array->careful & 1)) {
    atomic_fetch_or((_Atomic unsigned *)(void *)&array->careful, 1);
  }
  for (size_t at = first; at < first + count; ++at) {
    struct conflict conflict;
    uint64_t write;
    if (access == MYTRITON_READ) {
      note_read(worker, own, &array->reads[2 * at], key, (unsigned)line);
      write = relaxed(&array->writes[at]);
    } else {
      write = exchanged(check, &array->writes[at], written);
    }
    const bool both_atomic = access == MYTRITON_ATOMIC && write & FLAG;
    if (!both_atomic && is_conflict(worker, own, write, false, &conflict) &&
        !(conflict.same_program && access == MYTRITON_WRITE && !(write & FLAG) && unchanged(address, value, size))) {
      worker->critical = 0;
      global_fault(thread, array, address, size, access, line, &conflict,
                   write & FLAG ? MYTRITON_ATOMIC : MYTRITON_WRITE, (int)(write & WRITE_LINE));
      return;
    }
    if (access == MYTRITON_READ || !(array->careful & 1)) continue;
    for (unsigned slot = 0; slot < 2; ++slot) {
      const uint64_t read = relaxed(&array->reads[2 * at + slot]);
      if (!is_conflict(worker, own, read, true, &conflict)) continue;
      worker->critical = 0;
      global_fault(thread, array, address, size, access, line, &conflict, MYTRITON_READ, (int)(read & READ_LINE));
      return;
    }
  }
  worker->critical = 0;
}
