// Floating-point functions of CUDA. Those that are not written out here come from the C library.
#ifndef MYTRITON_MATH_FUNCTIONS_H
#define MYTRITON_MATH_FUNCTIONS_H

#define MYTRITON_LIBRARY_1(name)                                                                                      \
  extern "C" float name##f(float);                                                                                    \
  extern "C" double name(double);
#define MYTRITON_LIBRARY_2(name)                                                                                      \
  extern "C" float name##f(float, float);                                                                             \
  extern "C" double name(double, double);
MYTRITON_LIBRARY_1(acos)
MYTRITON_LIBRARY_1(acosh)
MYTRITON_LIBRARY_1(asin)
MYTRITON_LIBRARY_1(asinh)
MYTRITON_LIBRARY_1(atan)
MYTRITON_LIBRARY_1(atanh)
MYTRITON_LIBRARY_1(cbrt)
MYTRITON_LIBRARY_1(ceil)
MYTRITON_LIBRARY_1(cos)
MYTRITON_LIBRARY_1(cosh)
MYTRITON_LIBRARY_1(erf)
MYTRITON_LIBRARY_1(erfc)
MYTRITON_LIBRARY_1(exp)
MYTRITON_LIBRARY_1(exp2)
MYTRITON_LIBRARY_1(expm1)
MYTRITON_LIBRARY_1(fabs)
MYTRITON_LIBRARY_1(floor)
MYTRITON_LIBRARY_1(lgamma)
MYTRITON_LIBRARY_1(log)
MYTRITON_LIBRARY_1(log10)
MYTRITON_LIBRARY_1(log1p)
MYTRITON_LIBRARY_1(log2)
MYTRITON_LIBRARY_1(logb)
MYTRITON_LIBRARY_1(nearbyint)
MYTRITON_LIBRARY_1(rint)
MYTRITON_LIBRARY_1(round)
MYTRITON_LIBRARY_1(sin)
MYTRITON_LIBRARY_1(sinh)
MYTRITON_LIBRARY_1(sqrt)
MYTRITON_LIBRARY_1(tan)
MYTRITON_LIBRARY_1(tanh)
MYTRITON_LIBRARY_1(tgamma)
MYTRITON_LIBRARY_1(trunc)
MYTRITON_LIBRARY_2(atan2)
MYTRITON_LIBRARY_2(copysign)
MYTRITON_LIBRARY_2(fdim)
MYTRITON_LIBRARY_2(fmod)
MYTRITON_LIBRARY_2(hypot)
MYTRITON_LIBRARY_2(nextafter)
MYTRITON_LIBRARY_2(pow)
MYTRITON_LIBRARY_2(remainder)
#undef MYTRITON_LIBRARY_1
#undef MYTRITON_LIBRARY_2
extern "C" float fmaf(float, float, float);
extern "C" double fma(double, double, double);
extern "C" float ldexpf(float, int);
extern "C" double ldexp(double, int);

static inline float abs(float x) { return __builtin_fabsf(x); }
static inline double abs(double x) { return __builtin_fabs(x); }
static inline float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
static inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
static inline double rcbrt(double x) { return 1.0 / cbrt(x); }
static inline double exp10(double x) { return pow(10.0, x); }
static inline float exp10f(float x) { return (float)pow(10.0, (double)x); }
static inline void sincosf(float x, float *sine, float *cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
static inline void sincos(double x, double *sine, double *cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}

// Bits.
static inline int __float_as_int(float x) { return mytriton_bit_cast<int>(x); }
static inline unsigned __float_as_uint(float x) { return mytriton_bit_cast<unsigned>(x); }
static inline float __int_as_float(int x) { return mytriton_bit_cast<float>(x); }
static inline float __uint_as_float(unsigned x) { return mytriton_bit_cast<float>(x); }
static inline long long __double_as_longlong(double x) { return mytriton_bit_cast<long long>(x); }
static inline double __longlong_as_double(long long x) { return mytriton_bit_cast<double>(x); }
static inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
static inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
static inline double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

static inline int mytriton_to_bits(float x) { return __float_as_int(x); }
static inline long long mytriton_to_bits(double x) { return __double_as_longlong(x); }
static inline float mytriton_from_bits(int x) { return __int_as_float(x); }
static inline double mytriton_from_bits(long long x) { return __longlong_as_double(x); }

// -0 is smaller than 0. With one NaN, fmin and fmax give the other operand, and minimum and maximum the NaN. These forms
// have no branch that depends on which operand is larger: with a processor's minimum and maximum, which take the second
// operand of two zeros, both orders of the operands differ in the sign of zero only.
#if defined(__AVX__)
// The same on the lowest lane of vectors, whose selections do not branch.
typedef float mytriton_lanes_of_float __attribute__((vector_size(16)));
typedef double mytriton_lanes_of_double __attribute__((vector_size(16)));
typedef int mytriton_bits_of_float __attribute__((vector_size(16)));
typedef long long mytriton_bits_of_double __attribute__((vector_size(16)));
#define MYTRITON_NUMBER(type, word, compare, combine)                                                                 \
  static inline type mytriton_number_##word(type x, type y) {                                                         \
    typedef mytriton_lanes_of_##type Lanes;                                                                           \
    typedef mytriton_bits_of_##type Bits;                                                                             \
    Lanes a, b;                                                                                                       \
    __asm__("" : "=x"(a) : "0"(x));                                                                                   \
    __asm__("" : "=x"(b) : "0"(y));                                                                                   \
    const Lanes first = a compare b ? a : b, second = b compare a ? b : a;                                            \
    const Lanes number = a != a ? b : (Lanes)((Bits)first combine (Bits)second);                                      \
    return (b != b ? a : number)[0];                                                                                  \
  }
#else
#define MYTRITON_NUMBER(type, word, compare, combine)                                                                 \
  static inline type mytriton_number_##word(type a, type b) {                                                         \
    const type first = a compare b ? a : b, second = b compare a ? b : a;                                             \
    const type number = mytriton_from_bits(mytriton_to_bits(first) combine mytriton_to_bits(second));                 \
    const type other = a != a ? b : number;                                                                           \
    return b != b ? a : other;                                                                                        \
  }
#endif
MYTRITON_NUMBER(float, min, <, |)
MYTRITON_NUMBER(float, max, >, &)
MYTRITON_NUMBER(double, min, <, |)
MYTRITON_NUMBER(double, max, >, &)
#undef MYTRITON_NUMBER
#define MYTRITON_EXTREMUM(type, f, word, compare, combine)                                                            \
  static inline type mytriton_##word(type a, type b) {                                                                \
    const type first = a compare b ? a : b, second = b compare a ? b : a;                                             \
    return mytriton_from_bits(mytriton_to_bits(first) combine mytriton_to_bits(second));                              \
  }                                                                                                                   \
  static inline type f(type a, type b) { return mytriton_number_##word(a, b); }                                       \
  static inline type word(type a, type b) { return f(a, b); }
MYTRITON_EXTREMUM(float, fminf, min, <, |)
MYTRITON_EXTREMUM(float, fmaxf, max, >, &)
MYTRITON_EXTREMUM(double, fmin, min, <, |)
MYTRITON_EXTREMUM(double, fmax, max, >, &)
#undef MYTRITON_EXTREMUM
#define MYTRITON_EXTREMUM(type, name, word)                                                                           \
  static inline type name(type a, type b) {                                                                           \
    const type other = b != b ? b : mytriton_##word(a, b);                                                            \
    return a != a ? a : other;                                                                                        \
  }
MYTRITON_EXTREMUM(float, minimum_f32, min)
MYTRITON_EXTREMUM(float, maximum_f32, max)
MYTRITON_EXTREMUM(double, minimum_f64, min)
MYTRITON_EXTREMUM(double, maximum_f64, max)
#undef MYTRITON_EXTREMUM
static inline float __saturatef(float x) { return x > 0.0f ? fminf(x, 1.0f) : 0.0f; }

static inline bool isnan(float x) { return x != x; }
static inline bool isnan(double x) { return x != x; }
static inline bool isinf(float x) { return __builtin_fabsf(x) == __builtin_inff(); }
static inline bool isinf(double x) { return __builtin_fabs(x) == __builtin_inf(); }
static inline bool isfinite(float x) { return __builtin_fabsf(x) < __builtin_inff(); }
static inline bool isfinite(double x) { return __builtin_fabs(x) < __builtin_inf(); }
static inline bool signbit(float x) { return __float_as_int(x) < 0; }
static inline bool signbit(double x) { return __double_as_longlong(x) < 0; }

// The fast forms, and the ones that say how they round.
static inline float __expf(float x) { return expf(x); }
static inline float __exp10f(float x) { return exp10f(x); }
static inline float __logf(float x) { return logf(x); }
static inline float __log2f(float x) { return log2f(x); }
static inline float __log10f(float x) { return log10f(x); }
static inline float __sinf(float x) { return sinf(x); }
static inline float __cosf(float x) { return cosf(x); }
static inline float __tanf(float x) { return tanf(x); }
static inline float __powf(float x, float y) { return powf(x, y); }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __frcp_rn(float x) { return 1.0f / x; }
static inline float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
static inline float __frsqrt_rn(float x) { return rsqrtf(x); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __drcp_rn(double x) { return 1.0 / x; }
static inline double __dsqrt_rn(double x) { return __builtin_sqrt(x); }

// To integers: saturated, NaN gives 0. `low` and `high` are exact in `from`.
#define MYTRITON_TO_INTEGER(name, from, to, low, high, lowest, highest)                                               \
  static inline to name(from x) {                                                                                     \
    if (x >= (from)high) return highest;                                                                                    \
    if (x > (from)low) return (to)x;                                                                                        \
    return x != x ? 0 : lowest;                                                                                       \
  }
#define MYTRITON_TO_INTEGERS(from)                                                                                    \
  MYTRITON_TO_INTEGER(from##_to_s8, from, signed char, -128, 128, -128, 127)                                          \
  MYTRITON_TO_INTEGER(from##_to_u8, from, unsigned char, 0, 256, 0, 255)                                              \
  MYTRITON_TO_INTEGER(from##_to_s16, from, short, -32768, 32768, -32768, 32767)                                       \
  MYTRITON_TO_INTEGER(from##_to_u16, from, unsigned short, 0, 65536, 0, 65535)                                        \
  MYTRITON_TO_INTEGER(from##_to_s32, from, int, -0x1p31, 0x1p31, -0x7fffffff - 1, 0x7fffffff)                         \
  MYTRITON_TO_INTEGER(from##_to_u32, from, unsigned, 0, 0x1p32, 0, 0xffffffff)                                        \
  MYTRITON_TO_INTEGER(from##_to_s64, from, long long, -0x1p63, 0x1p63, -0x7fffffffffffffff - 1, 0x7fffffffffffffff)   \
  MYTRITON_TO_INTEGER(from##_to_u64, from, unsigned long long, 0, 0x1p64, 0, 0xffffffffffffffff)
MYTRITON_TO_INTEGERS(float)
MYTRITON_TO_INTEGERS(double)
#undef MYTRITON_TO_INTEGERS
#undef MYTRITON_TO_INTEGER

#define MYTRITON_CONVERSIONS(from, f)                                                                                 \
  static inline int __##from##2int_rz(from x) { return from##_to_s32(x); }                                            \
  static inline unsigned __##from##2uint_rz(from x) { return from##_to_u32(x); }                                      \
  static inline long long __##from##2ll_rz(from x) { return from##_to_s64(x); }                                       \
  static inline unsigned long long __##from##2ull_rz(from x) { return from##_to_u64(x); }                             \
  static inline int __##from##2int_rn(from x) { return from##_to_s32(__builtin_rint##f(x)); }                         \
  static inline unsigned __##from##2uint_rn(from x) { return from##_to_u32(__builtin_rint##f(x)); }                   \
  static inline long long __##from##2ll_rn(from x) { return from##_to_s64(__builtin_rint##f(x)); }                    \
  static inline unsigned long long __##from##2ull_rn(from x) { return from##_to_u64(__builtin_rint##f(x)); }          \
  static inline int __##from##2int_rd(from x) { return from##_to_s32(__builtin_floor##f(x)); }                        \
  static inline int __##from##2int_ru(from x) { return from##_to_s32(__builtin_ceil##f(x)); }
MYTRITON_CONVERSIONS(float, f)
MYTRITON_CONVERSIONS(double, )
#undef MYTRITON_CONVERSIONS
static inline float __int2float_rn(int x) { return (float)x; }
static inline float __uint2float_rn(unsigned x) { return (float)x; }
static inline float __ll2float_rn(long long x) { return (float)x; }
static inline float __ull2float_rn(unsigned long long x) { return (float)x; }
static inline double __int2double_rn(int x) { return x; }
static inline double __uint2double_rn(unsigned x) { return x; }
static inline double __ll2double_rn(long long x) { return (double)x; }
static inline double __ull2double_rn(unsigned long long x) { return (double)x; }
static inline float __double2float_rn(double x) { return (float)x; }

#endif
