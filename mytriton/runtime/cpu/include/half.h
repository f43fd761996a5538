// half and bfloat16 are storage: kernels convert them to float, compute, and convert back, rounding to nearest even.
#ifndef MYTRITON_HALF_H
#define MYTRITON_HALF_H

struct half {
  unsigned short bits;
};
struct bfloat16 {
  unsigned short bits;
};

#if defined(__aarch64__)
typedef __fp16 mytriton_native_half;
#define MYTRITON_NATIVE_HALF 1
#elif defined(__F16C__) && (defined(__clang__) ? __clang_major__ >= 15 : __GNUC__ >= 13)
typedef _Float16 mytriton_native_half;
#define MYTRITON_NATIVE_HALF 1
#endif

// The conversions for processors that have none.
static inline float mytriton_software_half_to_float(half x) {
  const unsigned magnitude = (unsigned)(x.bits & 0x7fff) << 13;
  // Moves the exponent from half's bias to float's, and makes denormals normal.
  float scaled = __uint_as_float(magnitude) * 0x1p112f;
  if (magnitude >= 0x0f800000) scaled = __uint_as_float(magnitude | 0x7f800000);
  return __uint_as_float(__float_as_uint(scaled) | (unsigned)(x.bits & 0x8000) << 16);
}

static inline half mytriton_software_float_to_half(float x) {
  const unsigned bits = __float_as_uint(x), magnitude = bits & 0x7fffffff;
  unsigned result;
  if (magnitude > 0x7f800000) {
    result = 0x7fff;
  } else if (magnitude >= 0x477ff000) {  // 65520, half way between the largest half and the next power of two
    result = 0x7c00;
  } else if (magnitude < 0x38800000) {  // below the smallest normal half: the addition rounds to multiples of 2^-24
    result = __float_as_uint(__uint_as_float(magnitude) + 0.5f) - 0x3f000000;
  } else {
    result = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  }
  return {(unsigned short)(result | (bits >> 16 & 0x8000))};
}

static inline float half_to_float(half x) {
#if MYTRITON_NATIVE_HALF
  return (float)mytriton_bit_cast<mytriton_native_half>(x);
#elif defined(__F16C__)
  typedef short Halves __attribute__((vector_size(16)));
  return __builtin_ia32_vcvtph2ps((Halves){(short)x.bits})[0];
#else
  return mytriton_software_half_to_float(x);
#endif
}

static inline half float_to_half(float x) {
#if MYTRITON_NATIVE_HALF
  return mytriton_bit_cast<half>((mytriton_native_half)x);
#elif defined(__F16C__)
  typedef float Floats __attribute__((vector_size(16)));
  return {(unsigned short)__builtin_ia32_vcvtps2ph((Floats){x}, 0)[0]};
#else
  return mytriton_software_float_to_half(x);
#endif
}

static inline float bfloat16_to_float(bfloat16 x) { return __uint_as_float((unsigned)x.bits << 16); }

static inline bfloat16 float_to_bfloat16(float x) {
  const unsigned bits = __float_as_uint(x);
  const unsigned rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return {(unsigned short)(x == x ? rounded : 0x7fff)};
}

// The float next to x whose last bit is set, where no float is x: rounding it again gives what rounding x would.
static inline float mytriton_round_to_odd(double x) {
  const float nearest = (float)x;
  if ((double)nearest == x || x != x) return nearest;
  const bool away_from_zero = __builtin_fabs((double)nearest) > __builtin_fabs(x);
  return __uint_as_float((__float_as_uint(nearest) - away_from_zero) | 1);
}
static inline half double_to_half(double x) { return float_to_half(mytriton_round_to_odd(x)); }
static inline bfloat16 double_to_bfloat16(double x) { return float_to_bfloat16(mytriton_round_to_odd(x)); }

// Additions in memory.
struct mytriton_atomic_add_half {
  static half apply(half old, half value) { return float_to_half(half_to_float(old) + half_to_float(value)); }
};
struct mytriton_atomic_add_bfloat16 {
  static bfloat16 apply(bfloat16 old, bfloat16 value) {
    return float_to_bfloat16(bfloat16_to_float(old) + bfloat16_to_float(value));
  }
};
#define atomic_add_half(...) mytriton_atomic<mytriton_atomic_add_half>(mytriton_self, __VA_ARGS__)
#define atomic_add_half_block(...) atomic_add_half(__VA_ARGS__)
#define atomic_add_half_system(...) atomic_add_half(__VA_ARGS__)
#define atomic_add_bfloat16(...) mytriton_atomic<mytriton_atomic_add_bfloat16>(mytriton_self, __VA_ARGS__)
#define atomic_add_bfloat16_block(...) atomic_add_bfloat16(__VA_ARGS__)
#define atomic_add_bfloat16_system(...) atomic_add_bfloat16(__VA_ARGS__)

#endif
