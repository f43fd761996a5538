// Atomic operations on global and shared memory.
#ifndef MYTRITON_ATOMICS_H
#define MYTRITON_ATOMICS_H

template <int bytes> struct mytriton_bits;
template <> struct mytriton_bits<2> { typedef unsigned short type; };
template <> struct mytriton_bits<4> { typedef unsigned type; };
template <> struct mytriton_bits<8> { typedef unsigned long long type; };
template <class T> struct mytriton_same { typedef T type; };

// An operation that changed nothing is what a thread does while it waits for another one.
static inline void mytriton_count_poll(mytriton_thread *self, bool changed) {
  if (changed) {
    self->polls = 0;
  } else {
    ++self->polls;
    mytriton_runtime->yield(self);
  }
}

template <class Operation, class T>
static inline T mytriton_atomic(mytriton_thread *self, T *address, typename mytriton_same<T>::type operand) {
  typedef typename mytriton_bits<sizeof(T)>::type Bits;
  Bits *word = reinterpret_cast<Bits *>(address);
  Bits before = __atomic_load_n(word, __ATOMIC_RELAXED), after;
  do {
    after = mytriton_bit_cast<Bits>(Operation::apply(mytriton_bit_cast<T>(before), operand));
  } while (!__atomic_compare_exchange_n(word, &before, after, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  mytriton_count_poll(self, before != after);
  return mytriton_bit_cast<T>(before);
}

template <class T>
static inline T mytriton_atomic_cas(mytriton_thread *self, T *address, typename mytriton_same<T>::type compare,
                                    typename mytriton_same<T>::type value) {
  typedef typename mytriton_bits<sizeof(T)>::type Bits;
  Bits before = mytriton_bit_cast<Bits>(compare);
  const bool changed = __atomic_compare_exchange_n(reinterpret_cast<Bits *>(address), &before,
                                                   mytriton_bit_cast<Bits>(value), false, __ATOMIC_SEQ_CST,
                                                   __ATOMIC_SEQ_CST);
  mytriton_count_poll(self, changed);
  return mytriton_bit_cast<T>(before);
}

#define MYTRITON_OPERATION(name, expression)                                                                          \
  struct mytriton_atomic_##name {                                                                                     \
    template <class T> static T apply(T old, T value) { return expression; }                                          \
  };
MYTRITON_OPERATION(exchange, (void(old), value))
MYTRITON_OPERATION(add, old + value)
MYTRITON_OPERATION(sub, old - value)
MYTRITON_OPERATION(min, value < old ? value : old)
MYTRITON_OPERATION(max, old < value ? value : old)
MYTRITON_OPERATION(and, old & value)
MYTRITON_OPERATION(or, old | value)
MYTRITON_OPERATION(xor, old ^ value)
MYTRITON_OPERATION(increment, old >= value ? 0 : old + 1)
MYTRITON_OPERATION(decrement, old == 0 || old > value ? value : old - 1)
#undef MYTRITON_OPERATION

#define atomicCAS(...) mytriton_atomic_cas(mytriton_self, __VA_ARGS__)
#define atomicExch(...) mytriton_atomic<mytriton_atomic_exchange>(mytriton_self, __VA_ARGS__)
#define atomicAdd(...) mytriton_atomic<mytriton_atomic_add>(mytriton_self, __VA_ARGS__)
#define atomicSub(...) mytriton_atomic<mytriton_atomic_sub>(mytriton_self, __VA_ARGS__)
#define atomicMin(...) mytriton_atomic<mytriton_atomic_min>(mytriton_self, __VA_ARGS__)
#define atomicMax(...) mytriton_atomic<mytriton_atomic_max>(mytriton_self, __VA_ARGS__)
#define atomicAnd(...) mytriton_atomic<mytriton_atomic_and>(mytriton_self, __VA_ARGS__)
#define atomicOr(...) mytriton_atomic<mytriton_atomic_or>(mytriton_self, __VA_ARGS__)
#define atomicXor(...) mytriton_atomic<mytriton_atomic_xor>(mytriton_self, __VA_ARGS__)
#define atomicInc(...) mytriton_atomic<mytriton_atomic_increment>(mytriton_self, __VA_ARGS__)
#define atomicDec(...) mytriton_atomic<mytriton_atomic_decrement>(mytriton_self, __VA_ARGS__)

// For the threads of a block, or of all devices: every operation is one step for all threads here.
#define atomicCAS_block(...) atomicCAS(__VA_ARGS__)
#define atomicExch_block(...) atomicExch(__VA_ARGS__)
#define atomicAdd_block(...) atomicAdd(__VA_ARGS__)
#define atomicMin_block(...) atomicMin(__VA_ARGS__)
#define atomicMax_block(...) atomicMax(__VA_ARGS__)
#define atomicAnd_block(...) atomicAnd(__VA_ARGS__)
#define atomicOr_block(...) atomicOr(__VA_ARGS__)
#define atomicXor_block(...) atomicXor(__VA_ARGS__)
#define atomicCAS_system(...) atomicCAS(__VA_ARGS__)
#define atomicExch_system(...) atomicExch(__VA_ARGS__)
#define atomicAdd_system(...) atomicAdd(__VA_ARGS__)
#define atomicMin_system(...) atomicMin(__VA_ARGS__)
#define atomicMax_system(...) atomicMax(__VA_ARGS__)
#define atomicAnd_system(...) atomicAnd(__VA_ARGS__)
#define atomicOr_system(...) atomicOr(__VA_ARGS__)
#define atomicXor_system(...) atomicXor(__VA_ARGS__)
#define atomic_cas_short_system(...) atomicCAS(__VA_ARGS__)

// Fences, and loads and stores in one step. A thread that loads may be waiting for another one.
static inline void fence_block() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
static inline void fence() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
static inline void fence_system() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }

template <class T> static inline T mytriton_atomic_load(mytriton_thread *self, const T *address) {
  T value;
  __atomic_load(address, &value, __ATOMIC_ACQUIRE);
  mytriton_count_poll(self, false);
  return value;
}
template <class T, class V> static inline void atomic_store(T *address, V x) {
  T value = (T)x;
  __atomic_store(address, &value, __ATOMIC_RELEASE);
}
#define atomic_load(...) mytriton_atomic_load(mytriton_self, __VA_ARGS__)

extern "C" int clock_gettime(int clock, struct timespec *time);
static inline unsigned long long global_timer() {
  // Seconds and nanoseconds, whatever the type has behind them.
  long time[8] = {};
#if defined(__APPLE__)
  clock_gettime(6, reinterpret_cast<struct timespec *>(time));
#else
  clock_gettime(1, reinterpret_cast<struct timespec *>(time));
#endif
  return (unsigned long long)time[0] * 1000000000ULL + (unsigned long long)time[1];
}
template <class T, class V>
static inline bool mytriton_poll(mytriton_thread *self, const T *address, V expected, unsigned long long deadline) {
  while (mytriton_atomic_load(self, address) != (T)expected)
    if (deadline != ~0ULL && global_timer() >= deadline) return false;
  return true;
}
#define atomic_poll(address, expected) mytriton_poll(mytriton_self, address, expected, ~0ULL)
#define atomic_poll_until(address, expected, deadline) mytriton_poll(mytriton_self, address, expected, deadline)

static inline void mytriton_nanosleep(mytriton_thread *self) { mytriton_count_poll(self, false); }
#define __nanosleep(nanoseconds) ((void)(nanoseconds), mytriton_nanosleep(mytriton_self))

// Loads and stores with a cache hint: the caches of a CPU need none.
#define MYTRITON_LOAD(name)                                                                                           \
  template <class T> static inline T name(const T *address) { return *address; }
MYTRITON_LOAD(__ldg)
MYTRITON_LOAD(__ldca)
MYTRITON_LOAD(__ldcg)
MYTRITON_LOAD(__ldcs)
MYTRITON_LOAD(__ldlu)
#undef MYTRITON_LOAD
template <class T> static inline T __ldcv(const T *address) { return *static_cast<const volatile T *>(address); }
#define MYTRITON_STORE(name)                                                                                          \
  template <class T> static inline void name(T *address, typename mytriton_same<T>::type value) { *address = value; }
MYTRITON_STORE(__stwb)
MYTRITON_STORE(__stcg)
MYTRITON_STORE(__stcs)
MYTRITON_STORE(__stwt)
#undef MYTRITON_STORE

#endif
