// RUN: not mytriton-opt %s -p 'coalesce{num-warps=3}' 2>&1 | filecheck %s

// CHECK: error: num-warps must be a power of two from 1 to 32, found 3
tt.func @f() {
  tt.return
}
