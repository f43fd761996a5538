// RUN: not mytriton-opt %s -p canonicalise 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not mytriton-opt %s -p 'cse{depth=3}' 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not mytriton-opt %s -p 'cse{depth=3' 2>&1 | filecheck %s --check-prefix=BRACE
// RUN: not mytriton-opt %s -t cubim 2>&1 | filecheck %s --check-prefix=TARGET
// RUN: not mytriton-opt %s -t 'cubin{arch=sm_3}' 2>&1 | filecheck %s --check-prefix=ARCH
// RUN: not mytriton-opt %s -t 'cubin{warps=4}' 2>&1 | filecheck %s --check-prefix=TARGET-OPTION
// RUN: not mytriton-opt %s.missing.mlir 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not mytriton-opt %s -f toml 2>&1 | filecheck %s --check-prefix=FRONTEND
// RUN: not mytriton-opt %s --frobnicate 2>&1 | filecheck %s --check-prefix=FLAG
// RUN: not mytriton-opt %s -o %t.no/such/folder/out.mlir 2>&1 | filecheck %s --check-prefix=OUTPUT

%0 = arith.constant 1 : i32

// PASS:          mytriton-opt: error: unknown pass 'canonicalise' in -p 'canonicalise'; did you mean 'canonicalize'?
// OPTION:        mytriton-opt: error: the pass cse has no option 'depth'; it has none
// BRACE:         mytriton-opt: error: -p 'cse{depth=3' is malformed: malformed pass arguments, expected either a space or `}` here
// TARGET:        mytriton-opt: error: unknown target 'cubim' in -t 'cubim'; did you mean 'cubin'?
// ARCH:          mytriton-opt: error: the target 'cubin{arch="sm_3"}' cannot be made: arch must be one of sm_75,
// TARGET-OPTION: mytriton-opt: error: the target cubin has no option 'warps'; its options are arch
// MISSING:       mytriton-opt: error: cannot read '{{.*}}.missing.mlir': No such file or directory
// FRONTEND:      mytriton-opt: error: unknown frontend 'toml'; there is mlir, ttir
// FLAG:          mytriton-opt: error: unrecognized arguments: --frobnicate; see mytriton-opt --help
// OUTPUT:        mytriton-opt: error: cannot write '{{.*}}out.mlir': No such file or directory
