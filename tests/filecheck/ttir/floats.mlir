// RUN: mytriton-opt %s | mytriton-opt | filecheck %s

// Infinities, NaN and exact values are bit patterns in the text, for scalars and inside dense<...>.

%0 = arith.constant dense<0xFF800000> : tensor<256xf32>
%1 = arith.constant dense<0x7F800000> : tensor<256xf32>
%2 = arith.constant dense<[0x7FC00000, 1.5, -0.0]> : tensor<3xf32>
%3 = arith.constant dense<0xFC00> : tensor<4xf16>
%4 = arith.constant dense<0xFF80> : tensor<4xbf16>
%5 = arith.constant dense<0xFFF0000000000000> : tensor<2xf64>
%6 = arith.constant 0xFF800000 : f32
%7 = arith.constant 0x7E00 : f16
%8 = arith.constant dense<0xFF800000> : tensor<4xi32>
%9 = arith.constant dense<0x4B800001> : tensor<1xf32>
%10 = arith.constant 0x4B800001 : f32

// CHECK:      arith.constant dense<0xFF800000> : tensor<256xf32>
// CHECK-NEXT: arith.constant dense<0x7F800000> : tensor<256xf32>
// CHECK-NEXT: arith.constant dense<[0x7FC00000, 1.500000e+00, -0.000000e+00]> : tensor<3xf32>
// CHECK-NEXT: arith.constant dense<0xFC00> : tensor<4xf16>
// CHECK-NEXT: arith.constant dense<0xFF80> : tensor<4xbf16>
// CHECK-NEXT: arith.constant dense<0xFFF0000000000000> : tensor<2xf64>
// CHECK-NEXT: arith.constant 0xFF800000 : f32
// CHECK-NEXT: arith.constant 0x7E00 : f16
// CHECK-NEXT: arith.constant dense<-8388608> : tensor<4xi32>
// CHECK-NEXT: arith.constant dense<0x4B800001> : tensor<1xf32>
// CHECK-NEXT: arith.constant 0x4B800001 : f32
