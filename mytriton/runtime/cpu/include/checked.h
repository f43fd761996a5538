// Pointers and shared arrays that look at each access. A kernel that is compiled with checks has them in the place of
// C's own; its text is otherwise the same (checked_text.py).
#ifndef MYTRITON_CHECKED_H
#define MYTRITON_CHECKED_H

#define MYTRITON_COLD __attribute__((noinline, cold, unused))
#define MYTRITON_INLINE inline __attribute__((always_inline))
#define MYTRITON_LIKELY(condition) __builtin_expect(!!(condition), 1)

// A place in the kernel's text: an index or a pointer of C becomes one where it is used.
struct mytriton_at {
  long long index;
  int line;
  template <class Index>
  MYTRITON_INLINE mytriton_at(Index index, int line = __builtin_LINE()) : index((long long)index), line(line) {}
};

template <class T> struct mytriton_value { typedef T type; };
template <class T> struct mytriton_value<const T> { typedef T type; };
template <class T> struct mytriton_value<volatile T> { typedef T type; };
template <class T> struct mytriton_value<const volatile T> { typedef T type; };
template <class T> struct mytriton_is_volatile { static const bool value = false; };
template <class T> struct mytriton_is_volatile<volatile T> { static const bool value = true; };
template <class T> struct mytriton_is_volatile<const volatile T> { static const bool value = true; };

// What a value is read as: structs of two bytes, of which there are two on the way, would go through memory.
template <class V, unsigned bytes = sizeof(V)> struct mytriton_word { typedef V type; };
template <class V> struct mytriton_word<V, 1> { typedef unsigned char type; };
template <class V> struct mytriton_word<V, 2> { typedef unsigned short type; };

// ---- faults

static MYTRITON_COLD void mytriton_tell(mytriton_thread *self, int kind, int array, long long offset, unsigned size,
                                        int access, int line, int array_line) {
  mytriton_fault fault = {};
  fault.kind = kind;
  fault.array = array;
  fault.offset = offset;
  fault.size = size;
  fault.own.access = access;
  fault.own.line = line;
  fault.array_line = array_line;
  mytriton_runtime->fault(self, &fault);
}

static MYTRITON_COLD void mytriton_tell_value(mytriton_thread *self, int line, int origin, int sink, int array,
                                              const void *address) {
  mytriton_fault fault = {};
  fault.kind = MYTRITON_VALUE;
  fault.array = array;
  fault.own.line = line;
  fault.origin = origin;
  fault.sink = sink;
  fault.offset = (long long)address;
  mytriton_runtime->fault(self, &fault);
}

static MYTRITON_INLINE void mytriton_step(mytriton_thread *self, int line) {
  mytriton_check *check = self->block->check;
  if (!MYTRITON_LIKELY(++check->steps <= check->step_limit))
    mytriton_tell(self, MYTRITON_STEPS, MYTRITON_NO_ARRAY, 0, 0, 0, line, 0);
}

// ---- global memory

// Whether the bytes are those of the array; where not, and the launch goes on, they are not touched.
static MYTRITON_INLINE bool mytriton_in_bounds(mytriton_thread *self, const mytriton_array *array, const void *address,
                                               unsigned size, int access, int line) {
  const long long offset = (long long)((unsigned long long)address - (unsigned long long)array->base);
  if (!MYTRITON_LIKELY(offset >= 0 && offset <= array->bytes - (long long)size)) {
    mytriton_tell(self, MYTRITON_OUT_OF_BOUNDS, array->number, offset, size, access, line, 0);
    return false;
  }
  if (size > 1 && !MYTRITON_LIKELY(((unsigned long long)address & (size - 1)) == 0)) {
    mytriton_tell(self, MYTRITON_MISALIGNED, array->number, offset, size, access, line, 0);
    return false;
  }
  if (!MYTRITON_LIKELY(array->pitch == 0) && offset % array->pitch + size > array->row_bytes) {
    mytriton_tell(self, MYTRITON_OUT_OF_BOUNDS, array->number, offset, size, access, line, 0);
    return false;
  }
  return true;
}

template <class V>
static MYTRITON_INLINE void mytriton_note_write(mytriton_thread *self, mytriton_array *array, V *address, int line,
                                                const V &value) {
  const mytriton_check *check = self->block->check;
  const unsigned long long offset = (unsigned long long)address - (unsigned long long)array->base;
  if (!MYTRITON_LIKELY(array->writes != nullptr)) return;
  unsigned long long *cells = array->writes + (offset >> array->shift);
  const unsigned count = sizeof(V) >> array->shift;
  const unsigned long long launch = (unsigned long long)check->launch_stamp << 32;
  bool plain = !check->exchanges && !(array->careful & 1) && count;
  for (unsigned i = 0; i < count; ++i) plain &= cells[i] < launch;
  if (!MYTRITON_LIKELY(plain)) {
    mytriton_runtime->global_access(self, array, address, sizeof(V), MYTRITON_WRITE, line, &value);
    return;
  }
  const unsigned long long cell = (unsigned long long)check->stamp << 32 | self->key | (unsigned)line;
  for (unsigned i = 0; i < count; ++i) cells[i] = cell;
}

template <class T> struct mytriton_global;

// An element behind a pointer, before it is known whether it is read or written.
template <class T> struct mytriton_global_place {
  typedef typename mytriton_value<T>::type V;
  T *address;
  mytriton_array *array;
  mytriton_thread *self;
  int line;

  MYTRITON_INLINE V read() const {
    if (array) {
      constexpr int access = mytriton_is_volatile<T>::value ? MYTRITON_ATOMIC_READ : MYTRITON_READ;
      if (!mytriton_in_bounds(self, array, (const void *)address, sizeof(V), MYTRITON_READ, line)) return V{};
      if (!MYTRITON_LIKELY(array->writes == nullptr))
        mytriton_runtime->global_access(self, array, (const void *)address, sizeof(V), access, line, nullptr);
    }
    return *const_cast<const V *>(address);
  }
  MYTRITON_INLINE void write(V value) const {
    if (array) {
      if (!mytriton_in_bounds(self, array, address, sizeof(V), MYTRITON_WRITE, line)) return;
      mytriton_note_write(self, array, address, line, value);
    }
    *address = value;
  }
  MYTRITON_INLINE operator V() const { return read(); }
  template <class U> MYTRITON_INLINE operator mytriton_global<U>() const { return read(); }
  MYTRITON_INLINE void operator=(V value) const { write(value); }
  MYTRITON_INLINE void operator=(const mytriton_global_place &other) const { write(other.read()); }
  template <class U> MYTRITON_INLINE void operator=(const mytriton_global<U> &pointer) const { write(pointer.address); }
  MYTRITON_INLINE mytriton_global<T> operator&() const;
};

// A pointer that knows of which array it is. One that was in memory does not, and is not looked at.
template <class T> struct mytriton_global {
  T *address;
  mytriton_array *array;
  mytriton_thread *self;
  int line;

  MYTRITON_INLINE mytriton_global() {}
  MYTRITON_INLINE mytriton_global(T *address) : address(address), array(nullptr), self(nullptr), line(0) {}
  MYTRITON_INLINE mytriton_global(decltype(nullptr)) : address(nullptr), array(nullptr), self(nullptr), line(0) {}
  MYTRITON_INLINE mytriton_global(T *address, mytriton_array *array, mytriton_thread *self, int line)
      : address(address), array(array), self(self), line(line) {}
  template <class U>
  MYTRITON_INLINE mytriton_global(const mytriton_global<U> &other)
      : address(other.address), array(other.array), self(other.self), line(other.line) {}

  MYTRITON_INLINE mytriton_global_place<T> operator[](mytriton_at at) const {
    return {address + at.index, array, self, at.line};
  }
  MYTRITON_INLINE mytriton_global operator+(mytriton_at at) const {
    return {(T *)((unsigned long long)address + (unsigned long long)at.index * sizeof(T)), array, self, at.line};
  }
  MYTRITON_INLINE mytriton_global &operator+=(mytriton_at at) { return *this = *this + at; }
  MYTRITON_INLINE mytriton_global operator-(mytriton_at at) const { return *this + mytriton_at(-at.index, at.line); }
  template <class U> MYTRITON_INLINE bool operator==(const mytriton_global<U> &other) const {
    return (const volatile void *)address == (const volatile void *)other.address;
  }
  template <class U> MYTRITON_INLINE bool operator!=(const mytriton_global<U> &other) const { return !(*this == other); }
  MYTRITON_INLINE bool operator==(decltype(nullptr)) const { return address == nullptr; }
  MYTRITON_INLINE bool operator!=(decltype(nullptr)) const { return address != nullptr; }
  explicit MYTRITON_INLINE operator long long() const { return (long long)address; }
  explicit MYTRITON_INLINE operator unsigned long long() const { return (unsigned long long)address; }
  explicit MYTRITON_INLINE operator const void *() const { return (const void *)address; }
};
template <class T> MYTRITON_INLINE mytriton_global<T> mytriton_global_place<T>::operator&() const {
  return {address, array, self, line};
}

// The address for an atomic operation; a place that nobody looks at where the array has no such bytes.
template <class T>
static MYTRITON_INLINE T *mytriton_atomic_address(mytriton_thread *self, int line, mytriton_global<T> pointer,
                                                  int access = MYTRITON_ATOMIC) {
  static typename mytriton_value<T>::type nowhere;
  if (!pointer.array) return pointer.address;
  const int told = access == MYTRITON_ATOMIC_READ ? MYTRITON_READ : access;
  if (!mytriton_in_bounds(self, pointer.array, (const void *)pointer.address, sizeof(T), told, line)) return &nowhere;
  if (pointer.array->writes)
    mytriton_runtime->global_access(self, pointer.array, (const void *)pointer.address, sizeof(T), access, line, nullptr);
  mytriton_runtime->before_atomic(self, (const void *)pointer.address);
  return pointer.address;
}

// ---- shared memory

// Bytes of one array, from `begin` on; `line` declares it.
struct mytriton_shared_extent {
  char *begin;
  unsigned bytes;
  int line;
  const mytriton_check *check;
};

// The marks of `count` granules; false where what is done may be a fault.
template <unsigned count, class T = unsigned> struct mytriton_marks {
  typedef T Vector __attribute__((vector_size(4 * count), aligned(4), may_alias));
  template <class Truth> static MYTRITON_INLINE bool all(const Truth &truth) {
    unsigned long long words[count / 2], result = ~0ULL;
    __builtin_memcpy(words, &truth, sizeof words);
    for (unsigned i = 0; i < count / 2; ++i) result &= words[i];
    return result == ~0ULL;
  }
  static MYTRITON_INLINE bool read(unsigned *marks, unsigned first, unsigned now) {
    Vector &all_marks = *reinterpret_cast<Vector *>(marks);
    const bool result = all(all_marks - first < Vector{} + (now + 2 - first));
    all_marks = Vector{} + (now + 1);
    return result;
  }
  static MYTRITON_INLINE bool write(unsigned *marks, unsigned now) {
    Vector &all_marks = *reinterpret_cast<Vector *>(marks);
    const bool result = all(all_marks < Vector{} + now);
    all_marks = Vector{} + (now + 2);
    return result;
  }
};
template <class T> struct mytriton_marks<1, T> {
  static MYTRITON_INLINE bool read(unsigned *mark, unsigned first, unsigned now) {
    const bool result = *mark - first < now + 2 - first;
    *mark = now + 1;
    return result;
  }
  static MYTRITON_INLINE bool write(unsigned *mark, unsigned now) {
    const bool result = *mark < now;
    *mark = now + 2;
    return result;
  }
};

template <class V, bool is_write, bool is_cast>
static MYTRITON_INLINE bool mytriton_shared_access(mytriton_thread *self, const mytriton_shared_extent &extent,
                                                   const void *address, int line, const V *value) {
  const long long offset = (long long)((unsigned long long)address - (unsigned long long)extent.begin);
  constexpr int access = is_write ? MYTRITON_WRITE : MYTRITON_READ;
  if (!MYTRITON_LIKELY((unsigned long long)offset <= extent.bytes - sizeof(V))) {
    mytriton_tell(self, MYTRITON_OUT_OF_BOUNDS, MYTRITON_SHARED_MEMORY, offset, sizeof(V), access, line, extent.line);
    return false;
  }
  if (is_cast && !MYTRITON_LIKELY(((unsigned long long)address & (sizeof(V) - 1)) == 0)) {
    mytriton_tell(self, MYTRITON_MISALIGNED, MYTRITON_SHARED_MEMORY, offset, sizeof(V), access, line, extent.line);
    return false;
  }
  const mytriton_check *check = extent.check;
  typedef mytriton_marks<(sizeof(V) >> MYTRITON_SHARED_SHIFT)> Marks;
  unsigned *marks = reinterpret_cast<unsigned *>(
      check->marks_of_0 + ((unsigned long long)address >> MYTRITON_SHARED_SHIFT) * sizeof(unsigned));
  const bool plain = is_write ? Marks::write(marks, check->now) : Marks::read(marks, check->first_now, check->now);
  if (!MYTRITON_LIKELY(plain))
    mytriton_runtime->shared_access(self, address, sizeof(V), access, line, extent.line, offset, value);
  return true;
}

template <class T, bool is_cast = false> struct mytriton_shared_pointer;

// `is_cast`: of a type that is not the array's own, so that it may be misaligned.
template <class T, bool is_cast = false> struct mytriton_shared_place {
  typedef typename mytriton_value<T>::type V;
  T *address;
  mytriton_shared_extent extent;
  mytriton_thread *self;
  int line;

  MYTRITON_INLINE V read() const {
    typedef typename mytriton_word<V>::type Word;
    Word word = Word{};
    if (mytriton_shared_access<V, false, is_cast>(self, extent, (const void *)address, line, nullptr))
      word = *(const Word *)address;
    return mytriton_bit_cast<V>(word);
  }
  MYTRITON_INLINE void write(V value) const {
    if (mytriton_shared_access<V, true, is_cast>(self, extent, address, line, &value)) *address = value;
  }
  MYTRITON_INLINE operator V() const { return read(); }
  template <class U> MYTRITON_INLINE operator mytriton_global<U>() const { return read(); }
  MYTRITON_INLINE void operator=(V value) const { write(value); }
  MYTRITON_INLINE void operator=(const mytriton_shared_place &other) const { write(other.read()); }
  template <class U> MYTRITON_INLINE void operator=(const mytriton_global<U> &pointer) const { write(pointer.address); }
  MYTRITON_INLINE mytriton_shared_pointer<T, is_cast> operator&() const;
};

template <class T, bool is_cast> struct mytriton_shared_pointer {
  T *address;
  mytriton_shared_extent extent;
  mytriton_thread *self;
  int line;

  MYTRITON_INLINE mytriton_shared_place<T, is_cast> operator[](mytriton_at at) const {
    return {address + at.index, extent, self, at.line};
  }
  MYTRITON_INLINE mytriton_shared_pointer operator+(mytriton_at at) const {
    return {address + at.index, extent, self, at.line};
  }
};
template <class T, bool is_cast>
MYTRITON_INLINE mytriton_shared_pointer<T, is_cast> mytriton_shared_place<T, is_cast>::operator&() const {
  return {address, extent, self, line};
}

// An array of the kernel, or a view into one: indices of all but the last dimension only move the pointer.
template <class T, int... rest> struct mytriton_rows;
template <class T> struct mytriton_rows<T> {
  static const int size = 1;
  typedef mytriton_shared_place<T> part;
  static MYTRITON_INLINE part of(T *address, const mytriton_shared_extent &extent, mytriton_thread *self, int line) {
    return {address, extent, self, line};
  }
};
template <class T, int extent0, int... rest> struct mytriton_rows<T, extent0, rest...> {
  typedef mytriton_rows<T, rest...> Rest;
  static const int size = extent0 * Rest::size;
  struct part {
    T *address;
    mytriton_shared_extent extent;
    mytriton_thread *self;
    MYTRITON_INLINE auto operator[](mytriton_at at) const {
      return Rest::of(address + at.index * Rest::size, extent, self, at.line);
    }
  };
  static MYTRITON_INLINE part of(T *address, const mytriton_shared_extent &extent, mytriton_thread *self, int) {
    return {address, extent, self};
  }
};

template <class T, int... extents> struct mytriton_shared : mytriton_rows<T, extents...>::part {
  typedef mytriton_rows<T, extents...> Rows;
  MYTRITON_INLINE mytriton_shared(mytriton_thread *self, unsigned offset, int line)
      : Rows::part{reinterpret_cast<T *>(self->block->shared + offset),
                   {self->block->shared + offset, (unsigned)(sizeof(T) * Rows::size), line, self->block->check},
                   self} {}
};

template <class T, bool is_cast>
static MYTRITON_INLINE T *mytriton_atomic_address(mytriton_thread *self, int line,
                                                  mytriton_shared_pointer<T, is_cast> pointer,
                                                  int access = MYTRITON_ATOMIC) {
  if (access == MYTRITON_ATOMIC_READ) access = MYTRITON_ATOMIC;
  const long long offset = (const char *)pointer.address - pointer.extent.begin;
  const mytriton_check *check = pointer.extent.check;
  unsigned *mark = reinterpret_cast<unsigned *>(
      check->marks_of_0 + ((unsigned long long)pointer.address >> MYTRITON_SHARED_SHIFT) * sizeof(unsigned));
  const bool plain = (sizeof(T) >> MYTRITON_SHARED_SHIFT) == 1 && access == MYTRITON_ATOMIC && *mark >= check->first_now &&
                     (*mark < check->now || *mark == check->now + 3);
  *mark = check->now + 3;
  if (!MYTRITON_LIKELY(plain))
    mytriton_runtime->shared_access(self, (const void *)pointer.address, sizeof(T), access, line, pointer.extent.line,
                                  offset, nullptr);
  return pointer.address;
}
// An array is a pointer to its first element.
template <class T, int extent>
static MYTRITON_INLINE T *mytriton_atomic_address(mytriton_thread *self, int line,
                                                  const mytriton_shared<T, extent> &array,
                                                  int access = MYTRITON_ATOMIC) {
  return mytriton_atomic_address(self, line, &array[mytriton_at(0, line)], access);
}
template <class T> static MYTRITON_INLINE T *mytriton_atomic_address(mytriton_thread *, int, T *pointer, int = 0) {
  return pointer;
}

// ---- the operators of C that cannot be defined for a pointer to an unknown type

// `(T *)p` is `mytriton_cast<T>()->*p`, and `*p` is `mytriton_here(self, line)->*p`.
template <class T> struct mytriton_cast {
  template <class U> MYTRITON_INLINE mytriton_global<T> operator->*(const mytriton_global<U> &pointer) const {
    return {(T *)pointer.address, pointer.array, pointer.self, pointer.line};
  }
  template <class U, bool is_cast>
  MYTRITON_INLINE mytriton_shared_pointer<T, true> operator->*(const mytriton_shared_pointer<U, is_cast> &pointer) const {
    return {(T *)pointer.address, pointer.extent, pointer.self, pointer.line};
  }
  template <class U> MYTRITON_INLINE T *operator->*(U *pointer) const { return (T *)pointer; }
  MYTRITON_INLINE mytriton_global<T> operator->*(long long address) const { return (T *)address; }
  MYTRITON_INLINE mytriton_global<T> operator->*(unsigned long long address) const { return (T *)address; }
  MYTRITON_INLINE mytriton_global<T> operator->*(decltype(nullptr)) const { return nullptr; }
};

// `c ? p : nullptr` is `c ? mytriton_pointer()->*p : nullptr`: the type of a pointer, and not of the place that has it.
struct mytriton_pointer {
  template <class T> MYTRITON_INLINE mytriton_global<T> operator->*(T *pointer) const { return pointer; }
  template <class T> MYTRITON_INLINE mytriton_global<T> operator->*(const mytriton_global<T> &pointer) const {
    return pointer;
  }
  template <class Place, class Value = typename Place::V> MYTRITON_INLINE auto operator->*(const Place &place) const {
    return *this->*place.read();
  }
};
template <class T> struct mytriton_cast_here;
struct mytriton_here {
  mytriton_thread *self;
  int line;
  MYTRITON_INLINE mytriton_here(mytriton_thread *self, int line) : self(self), line(line) {}
  template <class T> MYTRITON_INLINE mytriton_global_place<T> operator->*(const mytriton_global<T> &pointer) const {
    return {pointer.address, pointer.array, pointer.self, line};
  }
  template <class T, bool is_cast>
  MYTRITON_INLINE mytriton_shared_place<T, is_cast> operator->*(const mytriton_shared_pointer<T, is_cast> &pointer) const {
    return {pointer.address, pointer.extent, pointer.self, line};
  }
  template <class T> MYTRITON_INLINE T &operator->*(T *pointer) const { return *pointer; }
  template <class T> MYTRITON_INLINE mytriton_cast_here<T> operator->*(mytriton_cast<T>) const { return {*this}; }
};
template <class T> struct mytriton_cast_here {
  mytriton_here here;
  template <class Pointer> MYTRITON_INLINE decltype(auto) operator->*(const Pointer &pointer) const {
    return here->*(mytriton_cast<T>()->*pointer);
  }
};

template <class T>
static MYTRITON_INLINE mytriton_global<T> mytriton_array_argument(mytriton_thread *self, const unsigned char *arguments,
                                                                  int index, int array) {
  T *address = mytriton_argument<T *>(arguments, index);
  if (array < 0) return address;
  return {address, self->block->check->arrays + array, self, 0};
}

// ---- what takes a pointer

#define MYTRITON_ADDRESS(pointer) mytriton_atomic_address(mytriton_self, __LINE__, pointer)

// Afterwards it is known what the other side of an atomic operation had published.
struct mytriton_acquired {
  mytriton_thread *self;
  const void *address;
  MYTRITON_INLINE ~mytriton_acquired() { mytriton_runtime->after_atomic(self, address); }
};
template <class Operation, class T>
static inline T mytriton_checked_atomic(mytriton_thread *self, T *address, typename mytriton_same<T>::type operand) {
  const mytriton_acquired acquired = {self, (const void *)address};
  return mytriton_atomic<Operation>(self, address, operand);
}
template <class T>
static inline T mytriton_checked_cas(mytriton_thread *self, T *address, typename mytriton_same<T>::type compare,
                                     typename mytriton_same<T>::type value) {
  const mytriton_acquired acquired = {self, (const void *)address};
  return mytriton_atomic_cas(self, address, compare, value);
}
template <class T> static inline T mytriton_checked_load(mytriton_thread *self, const T *address) {
  const mytriton_acquired acquired = {self, (const void *)address};
  return mytriton_atomic_load(self, address);
}
template <class T, class V>
static inline bool mytriton_checked_poll(mytriton_thread *self, int line, const T *address, V expected,
                                         unsigned long long deadline) {
  while (mytriton_checked_load(self, address) != (T)expected) {
    mytriton_step(self, line);
    if (deadline != ~0ULL && global_timer() >= deadline) return false;
  }
  return true;
}

#undef atomicCAS
#undef atomicExch
#undef atomicAdd
#undef atomicSub
#undef atomicMin
#undef atomicMax
#undef atomicAnd
#undef atomicOr
#undef atomicXor
#undef atomicInc
#undef atomicDec
#undef atomic_load
#undef atomic_poll
#undef atomic_poll_until
#define MYTRITON_CHECKED(operation, pointer, ...)                                                                     \
  mytriton_checked_atomic<mytriton_atomic_##operation>(mytriton_self, MYTRITON_ADDRESS(pointer), __VA_ARGS__)
#define atomicCAS(pointer, ...) mytriton_checked_cas(mytriton_self, MYTRITON_ADDRESS(pointer), __VA_ARGS__)
#define atomicExch(pointer, ...) MYTRITON_CHECKED(exchange, pointer, __VA_ARGS__)
#define atomicAdd(pointer, ...) MYTRITON_CHECKED(add, pointer, __VA_ARGS__)
#define atomicSub(pointer, ...) MYTRITON_CHECKED(sub, pointer, __VA_ARGS__)
#define atomicMin(pointer, ...) MYTRITON_CHECKED(min, pointer, __VA_ARGS__)
#define atomicMax(pointer, ...) MYTRITON_CHECKED(max, pointer, __VA_ARGS__)
#define atomicAnd(pointer, ...) MYTRITON_CHECKED(and, pointer, __VA_ARGS__)
#define atomicOr(pointer, ...) MYTRITON_CHECKED(or, pointer, __VA_ARGS__)
#define atomicXor(pointer, ...) MYTRITON_CHECKED(xor, pointer, __VA_ARGS__)
#define atomicInc(pointer, ...) MYTRITON_CHECKED(increment, pointer, __VA_ARGS__)
#define atomicDec(pointer, ...) MYTRITON_CHECKED(decrement, pointer, __VA_ARGS__)
#undef atomic_add_half
#undef atomic_add_bfloat16
#define atomic_add_half(pointer, ...)                                                                                 \
  mytriton_checked_atomic<mytriton_atomic_add_half>(mytriton_self, MYTRITON_ADDRESS(pointer), __VA_ARGS__)
#define atomic_add_bfloat16(pointer, ...)                                                                             \
  mytriton_checked_atomic<mytriton_atomic_add_bfloat16>(mytriton_self, MYTRITON_ADDRESS(pointer), __VA_ARGS__)
#define atomic_load(pointer)                                                                                           \
  mytriton_checked_load(mytriton_self,                                                                                 \
                        mytriton_atomic_address(mytriton_self, __LINE__, pointer, MYTRITON_ATOMIC_READ))
#define atomic_store(pointer, value) (atomic_store)(MYTRITON_ADDRESS(pointer), value)
#define atomic_poll(pointer, expected)                                                                                \
  mytriton_checked_poll(mytriton_self, __LINE__, MYTRITON_ADDRESS(pointer), expected, ~0ULL)
#define atomic_poll_until(pointer, expected, deadline)                                                                \
  mytriton_checked_poll(mytriton_self, __LINE__, MYTRITON_ADDRESS(pointer), expected, deadline)
#define fence() (mytriton_runtime->publish(mytriton_self), (fence)())
#define fence_system() (mytriton_runtime->publish(mytriton_self), (fence_system)())
#define __threadfence() (mytriton_runtime->publish(mytriton_self), (__threadfence)())
#define __threadfence_system() (mytriton_runtime->publish(mytriton_self), (__threadfence_system)())

#define MYTRITON_PLACE(pointer) (mytriton_here(mytriton_self, __LINE__)->*(pointer))
#define __ldg(pointer) mytriton_read(MYTRITON_PLACE(pointer))
#define __ldca(pointer) mytriton_read(MYTRITON_PLACE(pointer))
#define __ldcg(pointer) mytriton_read(MYTRITON_PLACE(pointer))
#define __ldcs(pointer) mytriton_read(MYTRITON_PLACE(pointer))
#define __ldlu(pointer) mytriton_read(MYTRITON_PLACE(pointer))
#define __ldcv(pointer) mytriton_read(MYTRITON_PLACE(pointer))
#define __stwb(pointer, value) (MYTRITON_PLACE(pointer) = (value))
#define __stcg(pointer, value) (MYTRITON_PLACE(pointer) = (value))
#define __stcs(pointer, value) (MYTRITON_PLACE(pointer) = (value))
#define __stwt(pointer, value) (MYTRITON_PLACE(pointer) = (value))
template <class T> static MYTRITON_INLINE auto mytriton_read(const mytriton_global_place<T> &place) {
  return place.read();
}
template <class T, bool is_cast> static MYTRITON_INLINE auto mytriton_read(const mytriton_shared_place<T, is_cast> &place) {
  return place.read();
}

#ifdef MYTRITON_USES_REGISTERS
template <int size, class T, bool is_cast>
static MYTRITON_INLINE void mytriton_to_float(float *result, const mytriton_shared_pointer<T, is_cast> &values) {
  mytriton_to_float<size>(result, [&](const int r) { return values[mytriton_at(r, values.line)].read(); });
}
template <int size, class T>
static MYTRITON_INLINE void mytriton_to_float(float *result, const mytriton_global<T> &values) {
  mytriton_to_float<size>(result, [&](const int r) { return values[mytriton_at(r, values.line)].read(); });
}
#endif

template <unsigned size, class T, bool is_cast, class U>
static MYTRITON_INLINE void mytriton_copy_async(mytriton_thread *self, int line,
                                                mytriton_shared_pointer<T, is_cast> shared, mytriton_global<U> global) {
  const long long offset = (const char *)shared.address - shared.extent.begin;
  if (offset < 0 || offset + size > shared.extent.bytes || ((unsigned long long)shared.address & (size - 1))) {
    const bool inside = offset >= 0 && offset + size <= shared.extent.bytes;
    mytriton_tell(self, inside ? MYTRITON_MISALIGNED : MYTRITON_OUT_OF_BOUNDS, MYTRITON_SHARED_MEMORY, offset, size,
                  MYTRITON_WRITE, line, shared.extent.line);
    return;
  }
  if (global.array) {
    if (!mytriton_in_bounds(self, global.array, (const void *)global.address, size, MYTRITON_READ, line)) return;
    if (global.array->writes)
      mytriton_runtime->global_access(self, global.array, (const void *)global.address, size, MYTRITON_READ, line,
                                      nullptr);
  }
  mytriton_runtime->begin_copy(self, (void *)shared.address, (const void *)global.address, size, line,
                               shared.extent.line, offset);
}
#define copy_async_4(shared, global) mytriton_copy_async<4>(mytriton_self, __LINE__, shared, global)
#define copy_async_8(shared, global) mytriton_copy_async<8>(mytriton_self, __LINE__, shared, global)
#define copy_async_16(shared, global) mytriton_copy_async<16>(mytriton_self, __LINE__, shared, global)
#define copy_async_commit() mytriton_runtime->commit_copies(mytriton_self)
#define copy_async_wait(groups) mytriton_runtime->wait_copies(mytriton_self, groups, __LINE__)

#define report_value(origin, sink, address)                                                                           \
  mytriton_report_value(mytriton_self, __LINE__, origin, sink, address)
template <class T>
static MYTRITON_INLINE void mytriton_report_value(mytriton_thread *self, int line, int origin, int sink,
                                                  const mytriton_global<T> &pointer) {
  const int array = pointer.array ? pointer.array->number : MYTRITON_NO_ARRAY;
  mytriton_tell_value(self, line, origin, sink, array, (const void *)pointer.address);
}
static MYTRITON_INLINE void mytriton_report_value(mytriton_thread *self, int line, int origin, int sink,
                                                  const volatile void *address) {
  mytriton_tell_value(self, line, origin, sink, MYTRITON_NO_ARRAY, (const void *)address);
}
template <class T> static MYTRITON_INLINE unsigned long long mytriton_recorded(const mytriton_global<T> &pointer) {
  return (unsigned long long)pointer.address;
}

#endif
