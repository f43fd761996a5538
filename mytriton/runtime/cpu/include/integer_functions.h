// Integer functions of CUDA.
#ifndef MYTRITON_INTEGER_FUNCTIONS_H
#define MYTRITON_INTEGER_FUNCTIONS_H

#define MYTRITON_EXTREMA(type)                                                                                        \
  static inline type min(type a, type b) { return b < a ? b : a; }                                                    \
  static inline type max(type a, type b) { return a < b ? b : a; }
MYTRITON_EXTREMA(int)
MYTRITON_EXTREMA(unsigned)
MYTRITON_EXTREMA(long long)
MYTRITON_EXTREMA(unsigned long long)
#undef MYTRITON_EXTREMA
static inline unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
static inline unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
static inline unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
static inline unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }

static inline int abs(int x) { return x < 0 ? (int)(0u - (unsigned)x) : x; }
static inline long long abs(long long x) { return x < 0 ? (long long)(0ULL - (unsigned long long)x) : x; }
static inline long long llabs(long long x) { return abs(x); }

static inline int __popc(unsigned x) {
#if defined(__POPCNT__) || defined(__aarch64__)
  return __builtin_popcount(x);
#else
  x -= x >> 1 & 0x55555555;
  x = (x & 0x33333333) + (x >> 2 & 0x33333333);
  return (int)(((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24);
#endif
}
static inline int __popcll(unsigned long long x) { return __popc((unsigned)x) + __popc((unsigned)(x >> 32)); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return x ? __builtin_ctz((unsigned)x) + 1 : 0; }
static inline int __ffsll(long long x) { return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0; }
static inline unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(x);
}
static inline unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}

static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}

// The upper or lower half of a 64-bit value shifted by `shift` modulo 32.
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = (unsigned long long)high << 32 | low;
  return (unsigned)(both << (shift & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = (unsigned long long)high << 32 | low;
  return (unsigned)(both >> (shift & 31));
}

// The bytes of the eight in `low` and `high` that the four lowest digits of `selector` name.
static inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const unsigned long long both = (unsigned long long)high << 32 | low;
  unsigned result = 0;
  for (int byte = 0; byte < 4; ++byte) {
    const unsigned digit = selector >> 4 * byte & 15;
    unsigned value = (unsigned)(both >> 8 * (digit & 7)) & 0xff;
    if (digit & 8) value = value & 0x80 ? 0xff : 0;
    result |= value << 8 * byte;
  }
  return result;
}

#endif
