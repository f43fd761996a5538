// Copies from global to shared memory that a thread begins, and whose end it waits for (cp.async on a GPU).
//
// `copy_async_16(shared, global)` begins a copy of 16 bytes, and there are ones of 4 and 8; `copy_async_commit()` makes a
// group of those begun since the last one, and `copy_async_wait(n)` waits until at most the last n groups are not done.
#ifndef MYTRITON_ASYNCHRONOUS_COPIES_H
#define MYTRITON_ASYNCHRONOUS_COPIES_H

#ifndef MYTRITON_CHECKED_KERNEL
static inline void copy_async_4(void *shared, const void *global) { __builtin_memcpy(shared, global, 4); }
static inline void copy_async_8(void *shared, const void *global) { __builtin_memcpy(shared, global, 8); }
static inline void copy_async_16(void *shared, const void *global) { __builtin_memcpy(shared, global, 16); }
static inline void copy_async_commit() {}
static inline void copy_async_wait(int) {}
#endif

#endif
