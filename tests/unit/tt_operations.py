"""Every operation, attribute and type of Triton 3.9's `tt` dialect, in every form that its text may have.

What is listed here are facts of the form, written down by hand; the oracle test says whether Triton agrees.
"""

from __future__ import annotations

OPERATIONS = frozenset(
    {
        "tt.addptr",
        "tt.approx_divf",
        "tt.assert",
        "tt.atomic_cas",
        "tt.atomic_load",
        "tt.atomic_poll",
        "tt.atomic_rmw",
        "tt.atomic_store",
        "tt.bitcast",
        "tt.broadcast",
        "tt.call",
        "tt.cat",
        "tt.clampf",
        "tt.descriptor_gather",
        "tt.descriptor_load",
        "tt.descriptor_reduce",
        "tt.descriptor_scatter",
        "tt.descriptor_store",
        "tt.dot",
        "tt.dot_scaled",
        "tt.elementwise_inline_asm",
        "tt.expand_dims",
        "tt.extern_elementwise",
        "tt.fp_to_fp",
        "tt.func",
        "tt.gather",
        "tt.get_num_programs",
        "tt.get_program_id",
        "tt.grid_dependency_launch_dependents",
        "tt.grid_dependency_wait",
        "tt.histogram",
        "tt.int_to_ptr",
        "tt.join",
        "tt.load",
        "tt.make_range",
        "tt.make_tensor_descriptor",
        "tt.map_elementwise",
        "tt.map_elementwise.return",
        "tt.mulhiui",
        "tt.precise_divf",
        "tt.precise_sqrt",
        "tt.print",
        "tt.ptr_to_int",
        "tt.reduce",
        "tt.reduce.return",
        "tt.reshape",
        "tt.return",
        "tt.scan",
        "tt.scan.return",
        "tt.splat",
        "tt.split",
        "tt.store",
        "tt.trans",
        "tt.unsplat",
    }
)
"""The operations of the dialect, without those that exist for Triton's sanitizer alone."""

ATTRIBUTES = frozenset({"tt.cache_policy"})
TYPES = frozenset({"tt.ptr", "tt.tensordesc"})

ARGUMENTS = """%i: i32, %j: i64, %s: f32, %h: f16, %d: f64, %p: i1, %ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32},
    %cptr: !tt.ptr<f16, "constant">, %iptr: !tt.ptr<i32>, %wptr: !tt.ptr<i64>, %hptr: !tt.ptr<f16>, %bptr: !tt.ptr<i1>,
    %u: tensor<i32>, %one: tensor<1x1xf32>, %t: tensor<16xf32>, %n: tensor<16xi32>, %w: tensor<16xi64>,
    %m: tensor<16xi1>, %hs: tensor<16xf16>, %e: tensor<16xf8E4M3FN>, %bf: tensor<16xbf16>,
    %tp: tensor<16x!tt.ptr<f32>>, %ip: tensor<16x!tt.ptr<i32>>, %q: tensor<16x32xf16>, %r: tensor<32x8xf16>,
    %c: tensor<16x8xf32>, %c3: tensor<4x16x8xf32>, %q3: tensor<4x16x32xf16>, %r3: tensor<4x32x8xf16>,
    %q8: tensor<16x32xi8>, %r8: tensor<32x8xi8>, %c8: tensor<16x8xi32>, %g: tensor<4x8xi32>,
    %x: tensor<64x32xf16>, %xi: tensor<64x32xi32>, %rows: tensor<8xi32>, %short: tensor<8xi16>, %y: tensor<8x32xf16>,
    %desc: !tt.tensordesc<64x32xf16>, %udesc: !tt.tensordesc<64x32xui32>, %sdesc: !tt.tensordesc<64x32xsi32>,
    %rdesc: !tt.tensordesc<1x32xf16>, %a4: tensor<64x64xf8E4M3FN>, %a5: tensor<64x64xf8E5M2>, %packed: tensor<32x64xi8>,
    %packed_n: tensor<64x32xi8>, %scales: tensor<64x2xi8>, %scales4: tensor<64x4xf8E4M3FN>, %big: tensor<64x64xf32>,
    %half: tensor<64x64xf16>, %bhalf: tensor<64x64xbf16>"""

ATOMIC_RMW = [
    f"%0 = tt.atomic_rmw {kind}, {semantics}, {scope}, %iptr, %i : (!tt.ptr<i32>, i32) -> i32"
    for kind, semantics, scope in [
        ("and", "relaxed", "gpu"),
        ("or", "acquire", "cta"),
        ("xor", "release", "sys"),
        ("add", "acq_rel", "gpu"),
        ("max", "relaxed", "gpu"),
        ("min", "relaxed", "gpu"),
        ("umax", "relaxed", "gpu"),
        ("umin", "relaxed", "gpu"),
        ("exch", "relaxed", "gpu"),
    ]
]

ATOMICS = [
    *ATOMIC_RMW,
    "%0 = tt.atomic_rmw fadd, relaxed, gpu, %tp, %t, %m : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>, tensor<16xi1>) -> "
    "tensor<16xf32>",
    "%0 = tt.atomic_cas acq_rel, gpu, %iptr, %i, %i : (!tt.ptr<i32>, i32, i32) -> i32",
    "%0 = tt.atomic_cas relaxed, sys, %ip, %n, %n : (tensor<16x!tt.ptr<i32>>, tensor<16xi32>, tensor<16xi32>) -> "
    "tensor<16xi32>",
    "%0 = tt.atomic_load acquire, gpu, %iptr : (!tt.ptr<i32>) -> i32",
    "%0 = tt.atomic_load relaxed, cta, %tp, %m : (tensor<16x!tt.ptr<f32>>, tensor<16xi1>) -> tensor<16xf32>",
    "tt.atomic_store release, gpu, %iptr, %i : !tt.ptr<i32>",
    "tt.atomic_store relaxed, sys, %tp, %t, %m : tensor<16x!tt.ptr<f32>>",
    "%0 = tt.atomic_poll acquire, gpu, %iptr, %i : !tt.ptr<i32>, i32 -> i1",
    "%0 = tt.atomic_poll relaxed, sys, %wptr, %j timeout %j : !tt.ptr<i64>, i64 -> i1",
]

CACHES = ["none", "ca", "cg", "cs", "cv"]
LOADS = [
    "%0 = tt.load %ptr : !tt.ptr<f32>",
    "%0 = tt.load %bptr : !tt.ptr<i1>",
    '%0 = tt.load %cptr : !tt.ptr<f16, "constant">',
    "%0 = tt.load %tp, %m : tensor<16x!tt.ptr<f32>>",
    "%0 = tt.load %tp, %m, %t {isVolatile = true} : tensor<16x!tt.ptr<f32>>",
    *[
        f"%0 = tt.load %tp, %m {{cachePolicy = #tt.cache_policy<cache_modifier = {cache}, eviction_policy = {policy}>}}"
        " : tensor<16x!tt.ptr<f32>>"
        for cache, policy in zip(CACHES, ["evict_first", "evict_last", "evict_normal"] * 2, strict=False)
    ],
    "%0 = tt.load %ptr, %p, %s {isVolatile = true, tt.latency = 2 : i32, some.note = [1, {b}]} : !tt.ptr<f32>",
]

STORES = [
    "tt.store %ptr, %s : !tt.ptr<f32>",
    "tt.store %ptr, %s, %p : !tt.ptr<f32>",
    "tt.store %tp, %t, %m {ignore_cta} : tensor<16x!tt.ptr<f32>>",
    *[
        f"tt.store %tp, %t {{cachePolicy = #tt.cache_policy<cache_modifier = {cache}, eviction_policy = evict_last>}}"
        " : tensor<16x!tt.ptr<f32>>"
        for cache in ["none", "wb", "cg", "cs", "wt"]
    ],
]

DOTS = [
    *[
        f"%0 = tt.dot %q, %r, %c{precision} : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>"
        for precision in [
            "",
            *[f", inputPrecision = {name}" for name in ("tf32", "tf32x3", "bf16x3", "bf16x6")],
        ]
    ],
    "%0 = tt.dot %q, %r, %c {maxNumImpreciseAcc = 5 : i32} : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>",
    "%0 = tt.dot %q3, %r3, %c3, inputPrecision = tf32 {note}"
    " : tensor<4x16x32xf16> * tensor<4x32x8xf16> -> tensor<4x16x8xf32>",
    "%0 = tt.dot %q8, %r8, %c8 : tensor<16x32xi8> * tensor<32x8xi8> -> tensor<16x8xi32>",
    "%0 = tt.dot_scaled %a4 scale %scales, %packed scale %scales, %big lhs = e4m3 rhs = e2m1 {fastMath = true}"
    " : tensor<64x64xf8E4M3FN>, tensor<64x2xi8> * tensor<32x64xi8>, tensor<64x2xi8> -> tensor<64x64xf32>",
    "%0 = tt.dot_scaled %a4 scale %scales4, %half, %big lhs = e2m3 rhs = fp16 {fastMath = false}"
    " : tensor<64x64xf8E4M3FN>, tensor<64x4xf8E4M3FN> * tensor<64x64xf16> -> tensor<64x64xf32>",
    "%0 = tt.dot_scaled %bhalf, %packed_n scale %scales, %big lhs = bf16 rhs = e2m1"
    " {fastMath = false, rhs_k_pack = false}"
    " : tensor<64x64xbf16> * tensor<64x32xi8>, tensor<64x2xi8> -> tensor<64x64xf32>",
    "%0 = tt.dot_scaled %packed, %a5, %big lhs = e2m1 rhs = e5m2 {fastMath = false, lhs_k_pack = false}"
    " : tensor<32x64xi8> * tensor<64x64xf8E5M2> -> tensor<64x64xf32>",
    "%0 = tt.dot_scaled %a5, %a5, %big lhs = e3m2 rhs = e5m2 {fastMath = false}"
    " : tensor<64x64xf8E5M2> * tensor<64x64xf8E5M2> -> tensor<64x64xf32>",
]

DESCRIPTORS = [
    "%0 = tt.make_tensor_descriptor %hptr, [%i, %i], [%j, %j] : <f16>, <64x32xf16>",
    "%0 = tt.make_tensor_descriptor %hptr, [%i], [%j] {padding = 2 : i32} : <f16>, <64xf16>",
    "%0 = tt.make_tensor_descriptor %iptr, [%i, %i, %i], [%j, %j, %j] : <i32>, <1x8x32xui32>",
    '%0 = tt.make_tensor_descriptor %cptr, [%i], [%j] {note} : <f16, "constant">, <64xf16>',
    "%0 = tt.descriptor_load %desc[%i, %i] : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16>",
    "%0 = tt.descriptor_load %desc[%i, %i]"
    " {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>}"
    " : !tt.tensordesc<64x32xf16> -> tensor<64x32xf16>",
    "%0 = tt.descriptor_load %sdesc[%i, %i] : !tt.tensordesc<64x32xsi32> -> tensor<64x32xi32>",
    "tt.descriptor_store %desc[%i, %i], %x : !tt.tensordesc<64x32xf16>, tensor<64x32xf16>",
    "tt.descriptor_reduce add, %desc[%i, %i], %x : !tt.tensordesc<64x32xf16>, tensor<64x32xf16>",
    *[
        f"tt.descriptor_reduce {kind}, %udesc[%i, %i], %xi : !tt.tensordesc<64x32xui32>, tensor<64x32xi32>"
        for kind in ("min", "max", "inc", "dec", "and", "or", "xor")
    ],
    "%0 = tt.descriptor_gather %rdesc[%rows, %i] : (!tt.tensordesc<1x32xf16>, tensor<8xi32>, i32) -> tensor<8x32xf16>",
    "%0 = tt.descriptor_gather %rdesc[%short, %i] {note} : (!tt.tensordesc<1x32xf16>, tensor<8xi16>, i32) -> "
    "tensor<8x32xf16>",
    "tt.descriptor_scatter %rdesc[%rows, %i], %y : !tt.tensordesc<1x32xf16>, tensor<8xi32>, i32, tensor<8x32xf16>",
]

SHAPES = [
    "%0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>",
    "%0 = tt.make_range {end = 48 : i32, start = 16 : i32} : tensor<32xi32>",
    "%0 = tt.splat %i : i32 -> tensor<i32>",
    "%0 = tt.splat %s : f32 -> tensor<16x8xf32>",
    "%0 = tt.splat %ptr : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>",
    "%0 = tt.unsplat %one : tensor<1x1xf32>",
    "%0 = tt.broadcast %one : tensor<1x1xf32> -> tensor<16x8xf32>",
    "%0 = tt.expand_dims %tp {axis = 0 : i32} : tensor<16x!tt.ptr<f32>> -> tensor<1x16x!tt.ptr<f32>>",
    "%0 = tt.expand_dims %n {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>",
    "%0 = tt.reshape %c : tensor<16x8xf32> -> tensor<128xf32>",
    "%0 = tt.reshape %c allow_reorder : tensor<16x8xf32> -> tensor<128xf32>",
    "%0 = tt.reshape %c allow_reorder efficient_layout : tensor<16x8xf32> -> tensor<4x32xf32>",
    "%0 = tt.reshape %c efficient_layout {note = 1 : i8} : tensor<16x8xf32> -> tensor<4x32xf32>",
    "%0 = tt.trans %c {order = array<i32: 1, 0>} : tensor<16x8xf32> -> tensor<8x16xf32>",
    "%0 = tt.trans %c3 {order = array<i32: 2, 0, 1>} : tensor<4x16x8xf32> -> tensor<8x4x16xf32>",
    "%0 = tt.join %n, %n : tensor<16xi32> -> tensor<16x2xi32>",
    "%0 = tt.cat %t, %t : tensor<16xf32> -> tensor<32xf32>",
]

CASTS = [
    "%0 = tt.bitcast %i : i32 -> f32",
    "%0 = tt.bitcast %ptr : !tt.ptr<f32> -> !tt.ptr<i8>",
    "%0 = tt.bitcast %tp : tensor<16x!tt.ptr<f32>> -> tensor<16x!tt.ptr<i32>>",
    "%0 = tt.ptr_to_int %ptr : !tt.ptr<f32> -> i64",
    "%0 = tt.int_to_ptr %w : tensor<16xi64> -> tensor<16x!tt.ptr<f32>>",
    "%0 = tt.fp_to_fp %t, rounding = rtne : tensor<16xf32> -> tensor<16xf8E5M2>",
    "%0 = tt.fp_to_fp %t, rounding = rtz : tensor<16xf32> -> tensor<16xf16>",
    "%0 = tt.fp_to_fp %e : tensor<16xf8E4M3FN> -> tensor<16xf32>",
    "%0 = tt.fp_to_fp %d, rounding = rtz : f64 -> f32",
]

ELEMENTWISE = [
    "%0 = tt.addptr %ptr, %i : !tt.ptr<f32>, i32",
    "%0 = tt.addptr %tp, %w : tensor<16x!tt.ptr<f32>>, tensor<16xi64>",
    "%0 = tt.clampf %s, %s, %s, propagateNan = all : f32",
    "%0 = tt.clampf %t, %t, %t, propagateNan = none {note} : tensor<16xf32>",
    "%0 = tt.precise_sqrt %s : f32",
    "%0 = tt.precise_divf %t, %t : tensor<16xf32>",
    "%0 = tt.approx_divf %t, %t : tensor<16xf32>",
    "%0 = tt.approx_divf %s, %s : f32",
    "%0 = tt.mulhiui %w, %w : tensor<16xi64>",
    '%0 = tt.extern_elementwise %t, %t {libname = "a", libpath = "b", pure = true, symbol = "__nv_powf"}'
    " : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>",
    '%0 = tt.extern_elementwise %s {libname = "", libpath = "", pure = false, symbol = "f"} : (f32) -> f32',
    '%0 = tt.elementwise_inline_asm "mov.u32 $0, $1;" {constraints = "=r,r", packed_element = 2 : i32, pure = true} %n'
    " : tensor<16xi32> -> tensor<16xi32>",
    '%0 = tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;"'
    ' {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64',
    '%0:2 = tt.elementwise_inline_asm "{ $0; $1; \\"\\0A\\09$$\\" }"'
    ' {constraints = "=r,=r,r", packed_element = 1 : i32, pure = true} %n'
    " : tensor<16xi32> -> tensor<16xi32>, tensor<16xi32>",
    """%0:2 = "tt.map_elementwise"(%t, %t) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32, %a1: f32, %b1: f32):
    tt.map_elementwise.return %a, %b, %a1, %b1 : f32, f32, f32, f32
  }) : (tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)""",
]

COMBINATIONS = [
    """%0 = "tt.reduce"(%c) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %k = arith.addf %a, %b : f32
    tt.reduce.return %k : f32
  }) : (tensor<16x8xf32>) -> tensor<16xf32>""",
    """%0 = "tt.reduce"(%n) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    tt.reduce.return %a : i32
  }) {note = "kept"} : (tensor<16xi32>) -> i32""",
    """%0:3 = "tt.reduce"(%t, %n, %hs) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %i1: i32, %h1: f16, %b: f32, %i2: i32, %h2: f16):
    %less = arith.cmpf olt, %a, %b : f32
    %v:2 = scf.if %less -> (f32, i32) {
      scf.yield %a, %i1 : f32, i32
    } else {
      scf.yield %b, %i2 : f32, i32
    }
    tt.reduce.return %v#0, %v#1, %h1 : f32, i32, f16
  }) : (tensor<16xf32>, tensor<16xi32>, tensor<16xf16>) -> (f32, i32, f16)""",
    """%0 = "tt.scan"(%c) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %k = arith.mulf %a, %b : f32
    tt.scan.return %k : f32
  }) : (tensor<16x8xf32>) -> tensor<16x8xf32>""",
    """%0:2 = "tt.scan"(%t, %n) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: f32, %i1: i32, %b: f32, %i2: i32):
    %k = arith.maxnumf %a, %b : f32
    tt.scan.return %k, %i2 : f32, i32
  }) : (tensor<16xf32>, tensor<16xi32>) -> (tensor<16xf32>, tensor<16xi32>)""",
    "%0 = tt.histogram %n : tensor<16xi32> -> tensor<8xi32>",
    "%0 = tt.histogram %n, %m : tensor<16xi32> -> tensor<8xi32>",
    "%0 = tt.gather %c[%g] {axis = 0 : i32} : (tensor<16x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>",
    "%0 = tt.gather %t[%rows] {axis = 0 : i32, efficient_layout} : (tensor<16xf32>, tensor<8xi32>) -> tensor<8xf32>",
]

THE_REST = [
    "%0 = tt.get_program_id x : i32",
    "%0 = tt.get_program_id y : i32",
    "%0 = tt.get_program_id z {note} : i32",
    "%0 = tt.get_num_programs x : i32",
    "%0 = tt.get_num_programs z : i32",
    "%left, %right = tt.split %pairs : tensor<16x2xf32> -> tensor<16xf32>",
    "%0 = tt.call @callee(%s) : (f32) -> f32",
    "%0:2 = tt.call @two(%s, %n) {note} : (f32, tensor<16xi32>) -> (tensor<16xi32>, f32)",
    "tt.call @empty() : () -> ()",
    'tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %n : tensor<16xi32>',
    'tt.print " \\22q\\22" {hex = true, isSigned = array<i32>}',
    'tt.assert %p, "it does not hold" : i1',
    'tt.assert %m, "" {note} : tensor<16xi1>',
    "llvm.intr.assume %p : i1",
    "tt.grid_dependency_wait",
    "tt.grid_dependency_launch_dependents {note}",
    "ttg.barrier all",
    "ttg.barrier local",
    "ttg.barrier global_read|global_write",
    "ttg.barrier none",
    "%0 = ub.poison : tensor<16xf32>",
    "%0 = arith.select %p, %desc, %desc : !tt.tensordesc<64x32xf16>",
]

ARITHMETIC = [
    *(f"%0 = arith.{name} %i, %i : i32" for name in ("ceildivsi", "ceildivui", "floordivsi")),
    *(f"%0 = arith.{name} %i, %i exact : i32" for name in ("divsi", "divui", "shrsi", "shrui")),
    *(f"%0 = arith.{name} %i, %i overflow<nsw, nuw> : i32" for name in ("addi", "subi", "muli", "shli")),
    *(f"%0, %1 = arith.{name} %i, %i : i32, i1" for name in ("addui_extended", "subui_extended")),
    *(f"%0, %1 = arith.{name} %i, %i : i32" for name in ("mulsi_extended", "mului_extended")),
    "%0 = arith.extui %i nneg : i32 to i64",
    "%0 = arith.uitofp %i nneg : i32 to f32",
    "%0 = arith.trunci %i overflow<nsw> : i32 to i16",
    "%0 = arith.truncf %s fastmath<fast> : f32 to f16",
    "%0 = arith.index_castui %i : i32 to index",
    "%0 = arith.flush_denormals %s : f32",
    *(f"%0 = math.{name} %s : f32" for name in ("erfc", "isfinite", "isinf", "isnan", "isnormal")),
    "%0 = math.clampf %s to [%s, %s] : f32",
    "%0 = math.clampf %s to [%s, %s] fastmath<nnan> : f32",
    "%0, %1 = math.sincos %s : f32",
    "%0, %1 = math.sincos %s fastmath<nnan> : f32",
    "%0 = math.erfc %s fastmath<nnan> : f32",
]
"""Of `arith` and `math`, what neither frontend writes."""

FORMS = [
    *SHAPES,
    *CASTS,
    *ELEMENTWISE,
    *LOADS,
    *STORES,
    *ATOMICS,
    *DOTS,
    *COMBINATIONS,
    *DESCRIPTORS,
    *THE_REST,
    *ARITHMETIC,
]

FUNCTIONS = """
tt.func private @callee(%x: f32) -> f32 attributes {noinline = true} {
  tt.return %x : f32
}
tt.func private @two(%x: f32, %n: tensor<16xi32>) -> (tensor<16xi32>, f32) {
  tt.return %n, %x : tensor<16xi32>, f32
}
tt.func private @empty() {
  tt.return
}
"""


def module_with(form: str) -> str:
    """A module with one operation in a function that has an argument for each operand."""
    arguments = ARGUMENTS + (", %pairs: tensor<16x2xf32>" if "%pairs" in form else "")
    return f"tt.func public @f({arguments}) attributes {{noinline = false}} {{\n  {form}\n  tt.return\n}}{FUNCTIONS}"
