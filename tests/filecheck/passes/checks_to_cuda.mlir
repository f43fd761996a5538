// RUN: mytriton-opt %s -p convert-to-cuda | filecheck %s
// RUN: mytriton-opt %s -p convert-to-cuda,inline-maps,canonicalize,cse,infer-no-wrap,assign-variables -t cuda | filecheck %s --check-prefix=TEXT

#four = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Elements that are padding, and copies that other threads hold, are not reported. The tables stay with the kernel.
  // CHECK: cuda.func @padded
  // CHECK-SAME: tt.check_origins = [{kind = "shift"}]
  // CHECK: cuda.map 2
  // CHECK: arith.cmpi slt
  // CHECK: cuda.report %{{.*}} if %{{.*}} {sink = 1 : i32}
  // TEXT: for (int r = 0; r < 2; ++r) {
  // TEXT: if (tid + r * 32 < 48 && m && n != 0) report_value(n, 1, 0);
  tt.func public @padded(%n: i32, %m: i1) attributes {tt.check_origins = [{kind = "shift"}]} {
    %x = tt.splat %n : i32 -> tensor<48xi32, #four>
    %mask = tt.splat %m : i1 -> tensor<48xi1, #four>
    ttg.check %x if %mask {sink = 1 : i32} : tensor<48xi32, #four>
    tt.return
  }

  // CHECK: cuda.func @copied
  // TEXT: if (tid < 8 && n != 0) report_value(n, 0, p + tid % 8);
  tt.func public @copied(%n: i32, %p: !tt.ptr<f32>) {
    %x = tt.splat %n : i32 -> tensor<8xi32, #four>
    %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #four>
    %base = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>, #four>
    %q = tt.addptr %base, %range : tensor<8x!tt.ptr<f32>, #four>, tensor<8xi32, #four>
    ttg.check %x at %q : tensor<8x!tt.ptr<f32>, #four> {sink = 0 : i32} : tensor<8xi32, #four>
    tt.return
  }

  // All of them use it.
  // CHECK: cuda.func @copied_and_used_by_all
  // TEXT: if (n != 0) report_value(n, 0, p + tid % 8);
  tt.func public @copied_and_used_by_all(%n: i32, %p: !tt.ptr<f32>) {
    %x = tt.splat %n : i32 -> tensor<8xi32, #four>
    %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #four>
    %base = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>, #four>
    %q = tt.addptr %base, %range : tensor<8x!tt.ptr<f32>, #four>, tensor<8xi32, #four>
    ttg.check %x at %q : tensor<8x!tt.ptr<f32>, #four> {by_all, sink = 0 : i32} : tensor<8xi32, #four>
    tt.return
  }

  // A scalar is reported by one thread, or by all.
  // CHECK: cuda.func @scalar
  // TEXT: if (tid == 0 && m && cond) report_value(n, 3, p);
  // TEXT-NEXT: if (m && cond) report_value(n, 4, 0);
  tt.func public @scalar(%n: i32, %m: i1, %p: !tt.ptr<f32>) {
    ttg.check %n at %p : !tt.ptr<f32> if %m {sink = 3 : i32} : i32
    ttg.check %n if %m {by_all, sink = 4 : i32} : i32
    tt.return
  }
}
