// The vector types of CUDA, with its alignments, and the functions that make them.
#ifndef MYTRITON_VECTOR_TYPES_H
#define MYTRITON_VECTOR_TYPES_H

#define MYTRITON_VECTORS(name, type, align2, align4)                                                                  \
  struct name##1 {                                                                                                    \
    type x;                                                                                                           \
  };                                                                                                                  \
  struct __attribute__((aligned(align2))) name##2 {                                                                   \
    type x, y;                                                                                                        \
  };                                                                                                                  \
  struct name##3 {                                                                                                    \
    type x, y, z;                                                                                                     \
  };                                                                                                                  \
  struct __attribute__((aligned(align4))) name##4 {                                                                   \
    type x, y, z, w;                                                                                                  \
  };                                                                                                                  \
  static inline name##1 make_##name##1(type x) { return {x}; }                                                        \
  static inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                             \
  static inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                                  \
  static inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

MYTRITON_VECTORS(char, signed char, 2, 4)
MYTRITON_VECTORS(uchar, unsigned char, 2, 4)
MYTRITON_VECTORS(short, short, 4, 8)
MYTRITON_VECTORS(ushort, unsigned short, 4, 8)
MYTRITON_VECTORS(int, int, 8, 16)
MYTRITON_VECTORS(uint, unsigned, 8, 16)
MYTRITON_VECTORS(float, float, 8, 16)
MYTRITON_VECTORS(longlong, long long, 16, 16)
MYTRITON_VECTORS(ulonglong, unsigned long long, 16, 16)
MYTRITON_VECTORS(double, double, 16, 16)
#undef MYTRITON_VECTORS

#endif
