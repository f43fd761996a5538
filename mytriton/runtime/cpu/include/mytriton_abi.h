// What a compiled kernel (C++) and the runtime (C) know of each other. It includes no standard header.
#ifndef MYTRITON_ABI_H
#define MYTRITON_ABI_H

#define MYTRITON_ABI 3

struct mytriton_index {
  unsigned x, y, z;
};

// What the threads of one block have in common. A worker runs its blocks one after another in the same one of these.
struct mytriton_block {
  struct mytriton_index index, grid;
  unsigned threads;
  char *shared;
};

// One thread of a block; where the kernel needs no collectives, one of these stands for all of them in turn.
// `polls` counts the atomic operations in a row that changed nothing: such a thread waits for another one.
struct mytriton_thread {
  struct mytriton_block *block;
  unsigned index;
  unsigned polls;
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
  // Where a thread of the operating system has the address of the block that it runs, from its thread pointer on.
  long block_of_worker;
};

// The one symbol that a compiled kernel exports. `run` runs one thread if `fibers`, otherwise all threads of a block.
struct mytriton_kernel {
  unsigned abi;
  unsigned threads;
  unsigned fibers;
  unsigned stack_bytes;
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
