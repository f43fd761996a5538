// What the checker knows of memory: who accessed a granule last. The cells are described in include/mytriton_abi.h.

#include "runtime.h"

#define FLAG 0x10000u
#define OTHER_WARPS 0x8000u
#define READ_LINE 0x7fffu
#define WRITE_LINE 0xffffu

static unsigned stamp_of(uint64_t cell) { return (unsigned)(cell >> 32); }
static unsigned thread_of(uint64_t cell) { return (unsigned)(cell >> 22) & 1023; }
static unsigned clock_of(uint64_t cell) { return (unsigned)(cell >> 17) & 31; }

// Whether what a cell says was done by our own program since the last barrier.
static bool is_recent(const struct check *check, uint64_t cell) {
  return stamp_of(cell) >= check->interval && stamp_of(cell) <= check->visible.stamp;
}

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
    const bool is_new = is_recent(check, write);
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
    } else if (access != MYTRITON_READ && is_recent(check, read) && !knows_reads(check, own, read)) {
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
  if (is_recent(check, cell)) return is_read ? !knows_reads(check, own, cell) : !knows(check, own, cell);
  struct remembered *remembered = &check->remembered[stamp % 8];
  if (remembered->stamp != stamp || remembered->first_stamp != check->visible.first_stamp ||
      remembered->horizon != check->horizon) {
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
    *remembered = (struct remembered){stamp, check->visible.first_stamp, check->horizon, conflict->block, result,
                                      conflict->same_program};
  }
  conflict->block = remembered->block;
  conflict->same_program = remembered->same_program;
  return remembered->is_conflict;
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
  const bool is_atomic_read = access == MYTRITON_ATOMIC_READ, is_read = access == MYTRITON_READ || is_atomic_read;
  worker->critical = 1;
  if (access == MYTRITON_READ && !(array->careful & 1)) {
    atomic_fetch_or((_Atomic unsigned *)(void *)&array->careful, 1);
  }
  for (size_t at = first; at < first + count; ++at) {
    struct conflict conflict;
    // An atomic read is not noted, since the atomic write that may come later would be taken for a fault.
    if (access == MYTRITON_READ) note_read(worker, own, &array->reads[2 * at], key, (unsigned)line);
    const uint64_t write =
        is_read ? relaxed(&array->writes[at]) : exchanged(check, &array->writes[at], written);
    const bool both_atomic = (access == MYTRITON_ATOMIC || is_atomic_read) && write & FLAG;
    if (!both_atomic && is_conflict(worker, own, write, false, &conflict) &&
        !(conflict.same_program && access == MYTRITON_WRITE && !(write & FLAG) && unchanged(address, value, size))) {
      worker->critical = 0;
      global_fault(thread, array, address, size, is_read ? MYTRITON_READ : access, line, &conflict,
                   write & FLAG ? MYTRITON_ATOMIC : MYTRITON_WRITE, (int)(write & WRITE_LINE));
      return;
    }
    // What a program has stored plainly stays so under its own atomic operations: those of others do not go with it.
    if (access == MYTRITON_ATOMIC && !(write & FLAG) && stamp_of(write) >= worker->job->checks->launch_stamp &&
        conflict.same_program)
      exchanged(check, &array->writes[at], written & ~(uint64_t)FLAG);
    if (is_read || !(array->careful & 1)) continue;
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
