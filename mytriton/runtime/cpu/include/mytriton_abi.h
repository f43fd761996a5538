// What a compiled kernel (C++) and the runtime (C) know of each other. It includes no standard header.
#ifndef MYTRITON_ABI_H
#define MYTRITON_ABI_H

#define MYTRITON_ABI 4

struct mytriton_index {
  unsigned x, y, z;
};

// What the checker finds. Python reads these numbers (faults.py).
enum mytriton_fault_kind {
  MYTRITON_NO_FAULT,
  MYTRITON_OUT_OF_BOUNDS,
  MYTRITON_MISALIGNED,
  MYTRITON_SHARED_RACE,
  MYTRITON_SHARED_UNINITIALISED,
  MYTRITON_ASYNCHRONOUS_COPY,
  MYTRITON_PROGRAM_RACE,
  MYTRITON_THREAD_RACE,
  MYTRITON_VALUE,
  MYTRITON_STEPS,
  // Perhaps a fault in shared memory: only an exact run can tell.
  MYTRITON_SUSPICION,
};

// What an access does.
// A volatile read, or an atomic one, is told as a read; atomic writes may go on at the same time.
enum mytriton_access { MYTRITON_READ = 0, MYTRITON_WRITE = 1, MYTRITON_ATOMIC = 2, MYTRITON_ATOMIC_READ = 3 };

#define MYTRITON_SHARED_MEMORY (-2)
#define MYTRITON_NO_ARRAY (-1)

// One side of a fault; `line` is that of the kernel's text, 0 where it is not known.
struct mytriton_side {
  unsigned program[3];
  int thread, line, access;
};

// Python reads this structure. `array` is the number of an array of the launch; `offset` in bytes is that of the
// access from the array's beginning; for shared memory `array_line` is the line that declares the array. For a value,
// `origin` and `sink` are numbers in the tables of the kernel, and `offset` is an address.
struct mytriton_fault {
  int kind, array;
  struct mytriton_side own, other;
  long long offset;
  unsigned size;
  int array_line, origin, sink;
  // The order in which the program came to it, for a launch that looks for all faults.
  unsigned long long count;
};

// An array that a launch may access: `bytes` from `base` on. Where rows have gaps between them, `pitch` is the distance
// of rows and `row_bytes` their size, otherwise both are 0. `writes` and `reads` have a cell for each granule, of
// 1 << `shift` bytes, of an array that the kernel may write to, of reads two; otherwise they are NULL. `careful`: reads are
// to be looked at, since there were some in this launch.
struct mytriton_array {
  char *base;
  long long bytes, pitch, row_bytes;
  unsigned long long *writes, *reads;
  unsigned shift;
  int number;
  volatile unsigned careful;
};

// Who accessed a granule last: stamp << 32 | thread << 22 | clock << 17 | flag << 16 | line. A stamp stands for the time
// between two barriers of one program, or for a part of it, and grows. `flag`: of a write, that it was atomic; of a read, that more threads
// read than one.
struct mytriton_cells {
  unsigned long long write, read;
};

// What the checker knows of the block that a worker runs: `stamp` is now, `first_stamp` that of the block's beginning.
// What was before `launch_stamp` is of earlier launches. Shared memory has cells of 1 << `shared_shift` bytes.
// `exchanges`: how many more writes of the block take care of other workers that write at the same moment.
// `thread_order` changes the order of threads that do not wait for each other. Where a launch is not exact, shared
// memory has marks in the place of cells: a granule's is `now` + 1 after it was read, `now` + 2 after it was written, and
// `now` + 3 after an atomic operation.
// `now` grows by 4 at each barrier, and was `first_now` when the block began. In an exact launch they are 0 and 2, so that
// no access is plainly right. `marks_of_0` is where the mark of the address 0 would be.
struct mytriton_check {
  unsigned stamp, first_stamp, launch_stamp, exchanges;
  unsigned now, first_now;
  char *marks_of_0;
  struct mytriton_cells *shared;
  struct mytriton_array *arrays;
  // For each parameter of the kernel the number of its array, or -1.
  const int *array_of_parameter;
  unsigned long long steps, step_limit;
  unsigned thread_order, find_all;
};

// What the threads of one block have in common. A worker runs its blocks one after another in the same one of these.
struct mytriton_block {
  struct mytriton_index index, grid;
  unsigned threads;
  char *shared;
  // NULL where nothing is checked.
  struct mytriton_check *check;
};

// One thread of a block; where the kernel needs no collectives, one of these stands for all of them in turn.
// `polls` counts the atomic operations in a row that changed nothing: such a thread waits for another one. `key` is the
// thread's part of a checker's cell. `line`: of what it waits at.
struct mytriton_thread {
  struct mytriton_block *block;
  unsigned index;
  unsigned polls;
  unsigned key;
  int line;
};

// Computes a collective operation of a warp from what each lane in `mask` posted, and writes each lane's result there.
typedef void mytriton_warp_function(void *const *lanes, unsigned mask);

struct mytriton_api {
  struct mytriton_thread *(*current)(void);
  // Waits for all threads of the block.
  void (*barrier)(struct mytriton_thread *, unsigned predicate, int line, const char *kind);
  // How many threads passed a `predicate` other than 0 to the last barrier.
  unsigned (*barrier_count)(struct mytriton_thread *);
  // Waits for the lanes in `mask`; the last one to arrive calls `function` for all of them.
  void (*warp_op)(struct mytriton_thread *, unsigned mask, mytriton_warp_function *function, void *lane, int line,
                  const char *kind);
  // Lets other threads and blocks run while this one waits for memory to change.
  void (*yield)(struct mytriton_thread *);
  // Keeps a copy of something for the caller of the launch.
  void (*record)(struct mytriton_thread *, const void *data, unsigned long size);
  // Ends the launch, which fails. It does not return.
  void (*stop)(struct mytriton_thread *);
  // The checker, of which native/checker.c says more: what is rare enough to be no part of the kernel.
  void (*fault)(struct mytriton_thread *, const struct mytriton_fault *);
  // `value` is what a write is about to put there.
  void (*global_access)(struct mytriton_thread *, struct mytriton_array *, const void *address, unsigned size,
                        int access, int line, const void *value);
  void (*shared_access)(struct mytriton_thread *, const void *address, unsigned size, int access, int line,
                        int array_line, long long offset, const void *value);
  // Keeps what a thread copies until it waits; `groups` are those that need not be done.
  void (*begin_copy)(struct mytriton_thread *, void *shared, const void *global, unsigned size, int line,
                     int array_line, long long offset);
  void (*commit_copies)(struct mytriton_thread *);
  void (*wait_copies)(struct mytriton_thread *, unsigned groups, int line);
  void (*publish)(struct mytriton_thread *);
  void (*before_atomic)(struct mytriton_thread *, const void *address);
  void (*after_atomic)(struct mytriton_thread *, const void *address);
  // Where a thread of the operating system has the address of the block that it runs, from its thread pointer on.
  long block_of_worker;
};

// The one symbol that a compiled kernel exports. `run` runs one thread if `fibers`, otherwise all threads of a block.
struct mytriton_kernel {
  unsigned abi;
  unsigned threads;
  unsigned fibers;
  unsigned stack_bytes;
  // Of a kernel that was compiled with checks: bytes of a cell of shared memory, as a power of two.
  unsigned shared_shift;
  void (*run)(struct mytriton_thread *, const unsigned char *arguments);
  const struct mytriton_api **api;
  // Filled in by the runtime when it loads the kernel, as is what `api` points to.
  unsigned long shared_bytes;
  // How many blocks a launch has needed at the same time because they wait for each other; 0 if none has.
  unsigned blocks_at_once;
  // What a block took in the last launch.
  unsigned long long block_nanoseconds;
};

#endif
