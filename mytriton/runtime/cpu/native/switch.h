// Switching between stacks: `mytriton_switch` saves what a call must preserve on the running stack, and returns on the other.
#ifndef MYTRITON_SWITCH_H
#define MYTRITON_SWITCH_H

#include <stdint.h>

__attribute__((visibility("hidden"))) void mytriton_switch(void **save, void *load);
__attribute__((visibility("hidden"))) void mytriton_start(void);

#ifdef __APPLE__
#define LABEL(name) ".globl _" #name "\n.private_extern _" #name "\n.p2align 4\n_" #name ":\n"
#else
#define LABEL(name) ".globl " #name "\n.hidden " #name "\n.p2align 4\n" #name ":\n"
#endif

#if defined(__x86_64__)

// A jump, since a processor takes `ret` to go back behind the newest call: fibers that meet at one barrier after the other
// leave at the second and come back at the first.
#define DEFINE_SWITCH                                                                                                 \
  __asm__(".text\n"                                                                                                   \
          LABEL(mytriton_switch)                                                                                      \
          "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"                      \
          "  movq %rsp, (%rdi)\n"                                                                                     \
          "  movq %rsi, %rsp\n"                                                                                       \
          "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"                            \
          "  popq %rcx\n  jmp *%rcx\n"                                                                               \
          LABEL(mytriton_start)                                                                                       \
          "  movq %r12, %rdi\n"                                                                                       \
          "  call *%rbx\n"                                                                                            \
          "  ud2\n");

// The stack pointer of a stack that will begin with `function(argument)`; `top` is a multiple of 16.
static inline void *new_context(char *top, void (*function)(void *), void *argument) {
  uint64_t *frame = (uint64_t *)(void *)top - 7;
  frame[0] = frame[1] = frame[2] = 0;
  frame[3] = (uint64_t)argument;
  frame[4] = (uint64_t)function;
  frame[5] = 0;
  frame[6] = (uint64_t)mytriton_start;
  return frame;
}

static inline void restore_float_environment(unsigned environment) { __builtin_ia32_ldmxcsr(environment); }
// Rounding to nearest, no flush of denormals, no traps.
static inline void reset_float_environment(void) { __builtin_ia32_ldmxcsr(0x1f80); }
static inline unsigned take_float_environment(void) {
  const unsigned environment = __builtin_ia32_stmxcsr();
  reset_float_environment();
  return environment;
}
static inline void pause_processor(void) { __builtin_ia32_pause(); }

#elif defined(__aarch64__)

#define DEFINE_SWITCH                                                                                                 \
  __asm__(".text\n"                                                                                                   \
          LABEL(mytriton_switch)                                                                                      \
          "  stp x19, x20, [sp, #-160]!\n"                                                                            \
          "  stp x21, x22, [sp, #16]\n"                                                                               \
          "  stp x23, x24, [sp, #32]\n"                                                                               \
          "  stp x25, x26, [sp, #48]\n"                                                                               \
          "  stp x27, x28, [sp, #64]\n"                                                                               \
          "  stp x29, x30, [sp, #80]\n"                                                                               \
          "  stp d8, d9, [sp, #96]\n"                                                                                 \
          "  stp d10, d11, [sp, #112]\n"                                                                              \
          "  stp d12, d13, [sp, #128]\n"                                                                              \
          "  stp d14, d15, [sp, #144]\n"                                                                              \
          "  mov x9, sp\n"                                                                                            \
          "  str x9, [x0]\n"                                                                                          \
          "  mov sp, x1\n"                                                                                            \
          "  ldp x21, x22, [sp, #16]\n"                                                                               \
          "  ldp x23, x24, [sp, #32]\n"                                                                               \
          "  ldp x25, x26, [sp, #48]\n"                                                                               \
          "  ldp x27, x28, [sp, #64]\n"                                                                               \
          "  ldp x29, x30, [sp, #80]\n"                                                                               \
          "  ldp d8, d9, [sp, #96]\n"                                                                                 \
          "  ldp d10, d11, [sp, #112]\n"                                                                              \
          "  ldp d12, d13, [sp, #128]\n"                                                                              \
          "  ldp d14, d15, [sp, #144]\n"                                                                              \
          "  ldp x19, x20, [sp], #160\n"                                                                              \
          "  br x30\n"                                                                                                  \
          LABEL(mytriton_start)                                                                                       \
          "  mov x0, x19\n"                                                                                           \
          "  blr x20\n"                                                                                               \
          "  brk #0\n");

static inline void *new_context(char *top, void (*function)(void *), void *argument) {
  uint64_t *frame = (uint64_t *)(void *)(top - 160);
  for (int word = 0; word < 20; ++word) frame[word] = 0;
  frame[0] = (uint64_t)argument;
  frame[1] = (uint64_t)function;
  frame[11] = (uint64_t)mytriton_start;
  return frame;
}

static inline void restore_float_environment(unsigned environment) {
  __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)environment));
}
static inline void reset_float_environment(void) { restore_float_environment(0); }
static inline unsigned take_float_environment(void) {
  uint64_t environment;
  __asm__ volatile("mrs %0, fpcr" : "=r"(environment));
  reset_float_environment();
  return (unsigned)environment;
}
static inline void pause_processor(void) { __asm__ volatile("yield"); }

#else
#error "mytriton runs kernels on x86-64 and aarch64 processors only"
#endif

#endif
