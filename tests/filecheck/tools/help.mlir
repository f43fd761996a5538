// RUN: mytriton-opt --help | filecheck %s
// RUN: mytriton-opt --version | filecheck %s --check-prefix=VERSION

// CHECK:      usage: mytriton-opt
// CHECK:      --print-ir-after-all
// CHECK:      passes of mytriton:
// CHECK:        canonicalize
// CHECK:        match-dot-operands
// CHECK:      passes of xDSL:
// CHECK-NOT:  canonicalize,
// CHECK:      loop-hoist-memref,
// CHECK:      targets:
// CHECK-NEXT: {{.*}}cubin, cuda, {{.*}}ptx,

// VERSION: mytriton-opt {{.*}}, xDSL 0.75.0
