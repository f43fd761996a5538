// What CUDA C kernels printed by mytriton need to run on a CPU. It is put in front of a kernel and includes no standard
// header, since those take longer to compile than most kernels.
#ifndef MYTRITON_CPU_H
#define MYTRITON_CPU_H

#include "mytriton_abi.h"

#include "vector_types.h"

#include "builtins.h"

#include "asynchronous_copies.h"
#include "atomics.h"
#include "collectives.h"
#include "integer_functions.h"
#include "math_functions.h"
#ifdef MYTRITON_USES_MESSAGES
#include "messages.h"
#endif
#ifdef MYTRITON_USES_LIBDEVICE
#include "libdevice.h"
#endif

#include "half.h"

#ifdef MYTRITON_USES_REGISTERS
#include "registers.h"
#endif

#include "float8.h"

// The functions that kernels call by these names, which on a GPU are in the text of the kernel itself.

static inline int processor_id() { return 0; }
static inline void grid_dependency_wait() {}
static inline void grid_dependency_launch_dependents() {}

static inline float exp_approx(float x) { return expf(x); }
static inline float exp2_approx(float x) { return exp2f(x); }
static inline float div_full(float a, float b) { return a / b; }
static inline float sqrt_approx(float x) { return __builtin_sqrtf(x); }

// Division is defined for every divisor, shifts for every amount.
static inline int divide_s32(int a, int b) { return b == 0 ? -1 : b == -1 ? (int)(0u - (unsigned)a) : a / b; }
static inline int remainder_s32(int a, int b) { return b == 0 ? -1 : b == -1 ? 0 : a % b; }
static inline unsigned divide_u32(unsigned a, unsigned b) { return b == 0 ? ~0u : a / b; }
static inline unsigned remainder_u32(unsigned a, unsigned b) { return b == 0 ? ~0u : a % b; }
static inline unsigned shift_left_32(unsigned a, unsigned n) { return n < 32 ? a << n : 0; }
static inline unsigned shift_right_u32(unsigned a, unsigned n) { return n < 32 ? a >> n : 0; }
static inline int shift_right_s32(int a, unsigned n) { return a >> (n < 32 ? n : 31); }
static inline long long divide_s64(long long a, long long b) {
  return b == 0 ? -1 : b == -1 ? (long long)(0ULL - (unsigned long long)a) : a / b;
}
static inline long long remainder_s64(long long a, long long b) { return b == 0 ? -1 : b == -1 ? 0 : a % b; }
static inline unsigned long long divide_u64(unsigned long long a, unsigned long long b) {
  return b == 0 ? ~0ULL : a / b;
}
static inline unsigned long long remainder_u64(unsigned long long a, unsigned long long b) {
  return b == 0 ? ~0ULL : a % b;
}
static inline unsigned long long shift_left_64(unsigned long long a, unsigned long long n) {
  return n < 64 ? a << n : 0;
}
static inline unsigned long long shift_right_u64(unsigned long long a, unsigned long long n) {
  return n < 64 ? a >> n : 0;
}
static inline long long shift_right_s64(long long a, unsigned long long n) { return a >> (n < 64 ? n : 63); }

#ifdef MYTRITON_CHECKED_KERNEL
#include "checked.h"
#endif

#endif
