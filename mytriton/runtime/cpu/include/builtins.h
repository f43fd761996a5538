// The words of CUDA C that say where code runs and where data lives, and the built-in variables.
#ifndef MYTRITON_BUILTINS_H
#define MYTRITON_BUILTINS_H

typedef __SIZE_TYPE__ size_t;

#define __device__ __attribute__((unused))
#define __host__
#define __constant__ __attribute__((unused))
#define __global__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#ifndef __clang__
#define __builtin_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif

template <class To, class From> static inline To mytriton_bit_cast(From value) {
  static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
  To result;
  __builtin_memcpy(&result, &value, sizeof result);
  return result;
}

struct dim3 {
  unsigned x, y, z;
};

// The kernel is compiled as a function with these parameters in front of its own, so that the built-in variables are
// plain local values there. Other functions find the variables of the same names below.
#define MYTRITON_PARAMETERS                                                                                           \
  mytriton_thread *const mytriton_self, const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim
#define MYTRITON_ARGUMENTS(self, thread, threads)                                                                     \
  self, uint3{thread, 0, 0}, mytriton_block_index(self), dim3{threads, 1, 1}, mytriton_grid(self)

static const mytriton_api *mytriton_runtime;

static inline uint3 mytriton_block_index(const mytriton_thread *self) {
  const mytriton_index index = self->block->index;
  return {index.x, index.y, index.z};
}
static inline dim3 mytriton_grid(const mytriton_thread *self) {
  const mytriton_index grid = self->block->grid;
  return {grid.x, grid.y, grid.z};
}

struct mytriton_current_thread {
  operator mytriton_thread *() const { return mytriton_runtime->current(); }
  mytriton_thread *operator->() const { return *this; }
};
static const mytriton_current_thread mytriton_self;

template <int variable, int axis> struct mytriton_component {
  operator unsigned() const {
    const mytriton_thread *self = mytriton_self;
    if (variable == 0) return axis == 0 ? self->index : 0;
    if (variable == 2) return axis == 0 ? self->block->threads : 1;
    const mytriton_index &vector = variable == 1 ? self->block->index : self->block->grid;
    return axis == 0 ? vector.x : axis == 1 ? vector.y : vector.z;
  }
};
template <int variable> struct mytriton_vector {
  mytriton_component<variable, 0> x;
  mytriton_component<variable, 1> y;
  mytriton_component<variable, 2> z;
};
static const mytriton_vector<0> threadIdx;
static const mytriton_vector<1> blockIdx;
static const mytriton_vector<2> blockDim;
static const mytriton_vector<3> gridDim;
static const int warpSize = 32;

// One copy of a shared array for each operating system thread is one for each block that runs at the same time.
// Where the processor's thread-local storage is reached by a call, ours answers with the worker's one arena, so that
// kernels do not each keep an arena of their own on each worker. The linker lays the arrays out.
#define __shared__ thread_local
#if defined(__x86_64__) && defined(__linux__)
struct mytriton_storage_index {
  unsigned long module, offset;
};
extern "C" __attribute__((visibility("hidden"), used)) inline void *__tls_get_addr(mytriton_storage_index *index) {
  const mytriton_block *block;
  __asm__("movq %%fs:(%1), %0" : "=r"(block) : "r"(mytriton_runtime->block_of_worker));
  return block->shared + index->offset;
}
#endif

// What the code after a kernel's text uses: arguments come in one buffer, eight bytes each.
template <class T> static inline T mytriton_argument(const unsigned char *arguments, int index) {
  T value;
  __builtin_memcpy(&value, arguments + 8 * index, sizeof value);
  return value;
}
#ifndef MYTRITON_LARGE_FRAMES
#define MYTRITON_LARGE_FRAMES 0
#endif
// A kernel with checks says how much shared memory it has; of others the loader finds out.
#ifndef MYTRITON_SHARED_BYTES
#define MYTRITON_SHARED_BYTES 0
#define MYTRITON_SHARED_SHIFT 0
#endif
#define MYTRITON_KERNEL(threads)                                                                                      \
  extern "C" {                                                                                                        \
  __attribute__((visibility("default"))) mytriton_kernel mytriton_exported_kernel = {                                 \
      MYTRITON_ABI, threads, MYTRITON_FIBERS, MYTRITON_STACK + MYTRITON_LARGE_FRAMES, MYTRITON_SHARED_SHIFT,          \
      mytriton_run, &mytriton_runtime, MYTRITON_SHARED_BYTES, 0, 0};                                                                                                       \
  }

#endif
