// Work on the registers of a thread, which kernels write as loops, as operations on vectors.
#ifndef MYTRITON_REGISTERS_H
#define MYTRITON_REGISTERS_H

// For each r below `size` accumulator[r] = fma(column[r / columns], row[r % columns], accumulator[r]).
template <int size, int columns> struct mytriton_outer_product {
  static void add(float *accumulator, const float *column, const float *row) {
#pragma GCC unroll 64
    for (int r = 0; r < size; ++r)
      accumulator[r] = __builtin_fmaf(column[r / columns], row[r % columns], accumulator[r]);
  }
  static void add(double *accumulator, const double *column, const double *row) {
#pragma GCC unroll 64
    for (int r = 0; r < size; ++r)
      accumulator[r] = __builtin_fma(column[r / columns], row[r % columns], accumulator[r]);
  }
};

#if defined(__FMA__) && defined(__AVX__)
template <class T, int bytes> struct mytriton_vector_of {
  typedef T type __attribute__((vector_size(bytes)));
  typedef T in_memory __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
};
#define MYTRITON_VECTOR_FMA(T, bytes, function)                                                                       \
  static inline mytriton_vector_of<T, bytes>::type mytriton_vector_fma(mytriton_vector_of<T, bytes>::type a,          \
                                                                       mytriton_vector_of<T, bytes>::type b,          \
                                                                       mytriton_vector_of<T, bytes>::type c) {        \
    return function(a, b, c);                                                                                         \
  }
MYTRITON_VECTOR_FMA(float, 16, __builtin_ia32_vfmaddps)
MYTRITON_VECTOR_FMA(float, 32, __builtin_ia32_vfmaddps256)
MYTRITON_VECTOR_FMA(double, 16, __builtin_ia32_vfmaddpd)
MYTRITON_VECTOR_FMA(double, 32, __builtin_ia32_vfmaddpd256)
#undef MYTRITON_VECTOR_FMA

// The row is read in the parts in which kernels write it, since the processor has to wait for two writes where they are
// read at once.
#if defined(__clang__) || __GNUC__ >= 12
#define MYTRITON_JOIN(suffix, low, high, ...) __builtin_shufflevector(low, high, __VA_ARGS__)
#else
#define MYTRITON_JOIN(suffix, low, high, ...)                                                                         \
  __builtin_ia32_vinsertf128_##suffix##256(__builtin_ia32_##suffix##256_##suffix(low), high, 1)
#endif
static inline mytriton_vector_of<float, 32>::type mytriton_join(const float *low, const float *high) {
  typedef mytriton_vector_of<float, 16>::in_memory Half;
  return MYTRITON_JOIN(ps, *(const Half *)low, *(const Half *)high, 0, 1, 2, 3, 4, 5, 6, 7);
}
static inline mytriton_vector_of<double, 32>::type mytriton_join(const double *low, const double *high) {
  typedef mytriton_vector_of<double, 16>::in_memory Half;
  return MYTRITON_JOIN(pd, *(const Half *)low, *(const Half *)high, 0, 1, 2, 3);
}
#undef MYTRITON_JOIN

// `width` registers of one row of the accumulator at a time.
template <class T, int size, int columns, int width>
static inline __attribute__((always_inline)) void mytriton_add_rows(T *accumulator, const T *column, const T *row) {
  typedef typename mytriton_vector_of<T, sizeof(T) * width>::type Vector;
  typedef typename mytriton_vector_of<T, sizeof(T) * width>::in_memory InMemory;
#pragma GCC unroll 64
  for (int r = 0; r < size; r += width) {
    InMemory &sum = *reinterpret_cast<InMemory *>(accumulator + r);
    Vector part;
    if constexpr (sizeof part == 32) {
      part = mytriton_join(row + r % columns, row + r % columns + width / 2);
    } else {
      part = *reinterpret_cast<const InMemory *>(row + r % columns);
    }
    const Vector all = column[r / columns] - Vector{};
    sum = mytriton_vector_fma(all, part, sum);
  }
}
#endif

static inline float mytriton_number(half x) { return half_to_float(x); }
static inline float mytriton_number(bfloat16 x) { return bfloat16_to_float(x); }

#if defined(__F16C__) && defined(__AVX2__)
typedef short mytriton_eight_bits __attribute__((vector_size(16)));
typedef long long mytriton_two_words __attribute__((vector_size(16)));
static inline mytriton_vector_of<float, 32>::type mytriton_numbers(half, mytriton_eight_bits bits) {
  return (mytriton_vector_of<float, 32>::type)__builtin_ia32_vcvtph2ps256(bits);
}
static inline mytriton_vector_of<float, 32>::type mytriton_numbers(bfloat16, mytriton_eight_bits bits) {
  typedef mytriton_vector_of<int, 32>::type Words;
  return (mytriton_vector_of<float, 32>::type)(__builtin_convertvector(bits, Words) << 16);
}
static inline mytriton_vector_of<float, 16>::type mytriton_four_numbers(half, mytriton_eight_bits bits) {
  return (mytriton_vector_of<float, 16>::type)__builtin_ia32_vcvtph2ps(bits);
}
static inline mytriton_vector_of<float, 16>::type mytriton_four_numbers(bfloat16, mytriton_eight_bits bits) {
  typedef mytriton_vector_of<int, 16>::type Words;
  const Words words = {bits[0], bits[1], bits[2], bits[3]};
  return (mytriton_vector_of<float, 16>::type)(words << 16);
}
#endif

// result[r] = values[r] as a float, for each r below `size`; they are halves or bfloat16s.
template <int size, class T>
static inline __attribute__((always_inline)) void mytriton_to_float(float *result, const T *values) {
  int r = 0;
#if defined(__F16C__) && defined(__AVX2__)
  typedef short EightBits __attribute__((vector_size(16), aligned(2), may_alias));
  typedef long long Word __attribute__((aligned(2), may_alias));
#pragma GCC unroll 64
  for (; r + 8 <= size; r += 8)
    *reinterpret_cast<typename mytriton_vector_of<float, 32>::in_memory *>(result + r) =
        mytriton_numbers(T{}, *reinterpret_cast<const EightBits *>(values + r));
  if constexpr (size % 8 >= 4) {
    const mytriton_two_words four = {*reinterpret_cast<const Word *>(values + r), 0};
    *reinterpret_cast<typename mytriton_vector_of<float, 16>::in_memory *>(result + r) =
        mytriton_four_numbers(T{}, (mytriton_eight_bits)four);
    r += 4;
  }
#endif
#pragma GCC unroll 64
  for (; r < size; ++r) result[r] = mytriton_number(values[r]);
}

// The same with values that are in different places, of which read(r) gives one.
template <int size, class Read>
static inline __attribute__((always_inline)) auto mytriton_to_float(float *result, const Read &read)
    -> decltype(read(0).bits, void()) {
  int r = 0;
#if defined(__F16C__) && defined(__AVX2__)
  // Four at a time, since one of four is taken out of a vector by one instruction, one of eight by two.
#pragma GCC unroll 64
  for (; r + 4 <= size; r += 4) {
    // Two at a time are joined in a register of the processor: as shorts, some would go through memory, and come back
    // wider than they went.
    const unsigned long long low = read(r).bits | (unsigned long long)read(r + 1).bits << 16,
                             high = read(r + 2).bits | (unsigned long long)read(r + 3).bits << 16;
    const mytriton_two_words four = {(long long)(low | high << 32), 0};
    *reinterpret_cast<typename mytriton_vector_of<float, 16>::in_memory *>(result + r) =
        mytriton_four_numbers(decltype(read(0)){}, (mytriton_eight_bits)four);
  }
#endif
#pragma GCC unroll 64
  for (; r < size; ++r) result[r] = mytriton_number(read(r));
}

template <int size, int columns, class T>
static inline __attribute__((always_inline)) void mytriton_add_outer_product(T *accumulator, const T *column,
                                                                             const T *row) {
#if defined(__FMA__) && defined(__AVX__)
  constexpr int most = 32 / sizeof(T);
  if constexpr (columns % most == 0) {
    return mytriton_add_rows<T, size, columns, most>(accumulator, column, row);
  } else if constexpr (columns % (most / 2) == 0) {
    return mytriton_add_rows<T, size, columns, most / 2>(accumulator, column, row);
  }
#endif
  mytriton_outer_product<size, columns>::add(accumulator, column, row);
}

#endif
