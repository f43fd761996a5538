// RUN: mytriton-opt %s -p convert-to-cuda --target cuda | filecheck %s

// Inline PTX on one element, and on two halves that share a register.

#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>

module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func public @kernel(%x: f32, %h: f16, %out: !tt.ptr<f32>) {
    // CHECK: float y;
    // CHECK-NEXT: {
    // CHECK-NEXT: asm volatile("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x) : "memory");
    // CHECK-NEXT: }
    %y = tt.elementwise_inline_asm "ex2.approx.f32 $0, $1;" {constraints = "=f,f,~{memory}", packed_element = 1 : i32, pure = false} %x : f32 -> f32
    tt.store %out, %y : !tt.ptr<f32>
    // CHECK: half both[2];
    // CHECK-NEXT: {
    // CHECK-NEXT: unsigned part_0;
    // CHECK-NEXT: asm("add.f16x2 %0, %1, %1; // 100%%" : "=r"(part_0) : "r"((unsigned){{.*}}[0].bits | (unsigned){{.*}}[1].bits << 16));
    // CHECK-NEXT: both[0] = half{(unsigned short)part_0};
    // CHECK-NEXT: both[1] = half{(unsigned short)(part_0 >> 16)};
    // CHECK-NEXT: }
    %hs = tt.splat %h : f16 -> tensor<64xf16, #blocked>
    %both = tt.elementwise_inline_asm "add.f16x2 $0, $1, $1; // 100%" {constraints = "=r,r", packed_element = 2 : i32, pure = true} %hs : tensor<64xf16, #blocked> -> tensor<64xf16, #blocked>
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #blocked>
    %p = tt.bitcast %out : !tt.ptr<f32> -> !tt.ptr<f16>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #blocked>
    %places = tt.addptr %ps, %i : tensor<64x!tt.ptr<f16>, #blocked>, tensor<64xi32, #blocked>
    tt.store %places, %both : tensor<64x!tt.ptr<f16>, #blocked>
    tt.return
  }
}
