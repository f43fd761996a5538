"""The text of `tt` and `arith` against the real Triton: it reads and prints what we print, refuses what we refuse."""

from __future__ import annotations

import functools
import itertools
import json
import re
import textwrap
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from mytriton.errors import CompilationError
from mytriton.ttir import parse_module, print_module

pytestmark = pytest.mark.oracle

Oracle = Callable[..., str]

PARSE_WITH_TRITON = """
import json, sys
from triton._C.libtriton import ir
texts = []
for path in sys.argv[1:]:
    context = ir.context()
    ir.load_dialects(context)
    try:
        module = ir.parse_mlir_module(path, context)
        module.context = context
        texts.append(module.str_nodebug())
    except RuntimeError:
        texts.append(None)
print(json.dumps(texts))
"""

COMPILE_WITH_TRITON = """
import importlib.util, sys
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compile
spec = importlib.util.spec_from_file_location("kernels", sys.argv[1])
kernels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernels)
source = ASTSource(kernels.kernel, kernels.SIGNATURE, constexprs=kernels.CONSTANTS, attrs=kernels.ATTRIBUTES)
print(compile(source, target=GPUTarget("cuda", 80, 32)).asm["ttir"])
"""

OPERATIONS = """
tt.func public @ops(%i: i32, %j: i64, %s: f32, %d: f64, %p: i1, %ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32},
    %cptr: !tt.ptr<f16, "constant">, %mask: tensor<16xi1>, %other: tensor<16xf32>,
    %a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>, %one: tensor<1x1xf32>, %h: tensor<16xf16>)
    attributes {noinline = false, tt.source = "def f(x):\\n\\t\\"y\\" # \\\\", tt.source_line = 3 : i32} {
  %0 = tt.get_program_id x : i32
  %1 = tt.get_num_programs z : i32
  %2 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %3 = tt.splat %i : i32 -> tensor<16x1xi32>
  %4 = tt.broadcast %3 : tensor<16x1xi32> -> tensor<16x8xi32>
  %5 = tt.expand_dims %2 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %6 = tt.reshape %4 : tensor<16x8xi32> -> tensor<128xi32>
  %7 = tt.reshape %4 allow_reorder efficient_layout : tensor<16x8xi32> -> tensor<4x32xi32>
  %8 = tt.trans %4 {order = array<i32: 1, 0>} : tensor<16x8xi32> -> tensor<8x16xi32>
  %joined = tt.join %2, %2 : tensor<16xi32> -> tensor<16x2xi32>
  %left, %right = tt.split %joined : tensor<16x2xi32> -> tensor<16xi32>
  %cat = tt.cat %2, %2 : tensor<16xi32> -> tensor<32xi32>
  %small = tt.fp_to_fp %s, rounding = rtne : f32 -> f8E4M3FN
  %smaller = tt.fp_to_fp %small : f8E4M3FN -> f8E5M2
  %9 = tt.unsplat %one : tensor<1x1xf32>
  %10 = tt.addptr %ptr, %i : !tt.ptr<f32>, i32
  %11 = tt.splat %ptr : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %12 = tt.addptr %11, %2 : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %13 = tt.load %ptr : !tt.ptr<f32>
  %14 = tt.load %12, %mask : tensor<16x!tt.ptr<f32>>
  %15 = tt.load %12, %mask, %other : tensor<16x!tt.ptr<f32>>
  %16 = tt.load %ptr {isVolatile = true} : !tt.ptr<f32>
  %17 = tt.load %ptr {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : !tt.ptr<f32>
  %19 = tt.load %cptr : !tt.ptr<f16, "constant">
  tt.store %ptr, %13 : !tt.ptr<f32>
  tt.store %12, %14, %mask : tensor<16x!tt.ptr<f32>>
  tt.store %ptr, %13 {cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_normal>}
    : !tt.ptr<f32>
  tt.store %ptr, %13 {ignore_cta} : !tt.ptr<f32>
  %160 = tt.atomic_rmw fadd, acq_rel, gpu, %ptr, %s, %p : (!tt.ptr<f32>, f32, i1) -> f32
  %161 = tt.atomic_rmw exch, release, sys, %12, %other : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>) -> tensor<16xf32>
  %162 = tt.atomic_cas acquire, cta, %ptr, %s, %s : (!tt.ptr<f32>, f32, f32) -> f32
  %163 = tt.atomic_load relaxed, gpu, %12, %mask : (tensor<16x!tt.ptr<f32>>, tensor<16xi1>) -> tensor<16xf32>
  tt.atomic_store release, gpu, %12, %163, %mask : tensor<16x!tt.ptr<f32>>
  %164 = tt.bitcast %ptr : !tt.ptr<f32> -> !tt.ptr<i32>
  %165 = tt.atomic_rmw umax, relaxed, gpu, %164, %i : (!tt.ptr<i32>, i32) -> i32
  %166 = tt.atomic_poll acquire, gpu, %164, %i : !tt.ptr<i32>, i32 -> i1
  %167 = tt.atomic_poll relaxed, sys, %164, %i timeout %j : !tt.ptr<i32>, i32 -> i1
  %20 = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  %21 = tt.dot %a, %b, %c, inputPrecision = tf32 {maxNumImpreciseAcc = 3 : i32}
    : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  %22 = "tt.reduce"(%c) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %90 = arith.addf %l, %r : f32
    tt.reduce.return %90 : f32
  }) : (tensor<16x8xf32>) -> tensor<16xf32>
  %23 = tt.bitcast %i : i32 -> f32
  %24 = tt.ptr_to_int %ptr : !tt.ptr<f32> -> i64
  %25 = tt.int_to_ptr %24 : i64 -> !tt.ptr<f32>
  %26 = tt.fp_to_fp %other, rounding = rtne : tensor<16xf32> -> tensor<16xf8E5M2>
  %27 = tt.fp_to_fp %26 : tensor<16xf8E5M2> -> tensor<16xf32>
  %28 = tt.clampf %s, %s, %s, propagateNan = all : f32
  %29 = tt.precise_sqrt %other : tensor<16xf32>
  %30 = tt.precise_divf %other, %other : tensor<16xf32>
  %31 = tt.mulhiui %2, %2 : tensor<16xi32>
  %32 = tt.call @callee(%s) : (f32) -> f32
  tt.call @empty() : () -> ()
  %33 = arith.constant dense<0xFF800000> : tensor<16xf32>
  %34 = arith.constant dense<[true, false]> : tensor<2xi1>
  %35 = arith.constant -1.500000e+00 : f16
  %36 = arith.constant true
  %37 = arith.addi %i, %i overflow<nsw> : i32
  %38 = arith.remsi %2, %2 : tensor<16xi32>
  %39 = arith.shrui %j, %j : i64
  %40 = arith.minsi %2, %2 : tensor<16xi32>
  %41 = arith.remf %s, %s : f32
  %42 = arith.negf %other : tensor<16xf32>
  %43 = arith.maxnumf %s, %s fastmath<nnan> : f32
  %44 = arith.minimumf %s, %s : f32
  %45 = arith.cmpi ult, %2, %2 : tensor<16xi32>
  %46 = arith.cmpf une, %s, %s : f32
  %47 = arith.select %p, %i, %i : i32
  %48 = arith.select %p, %other, %other : tensor<16xf32>
  %49 = arith.select %mask, %other, %other : tensor<16xi1>, tensor<16xf32>
  %50 = arith.extsi %2 : tensor<16xi32> to tensor<16xi64>
  %51 = arith.extui %p : i1 to i32
  %52 = arith.trunci %j : i64 to i8
  %53 = arith.extf %h : tensor<16xf16> to tensor<16xf32>
  %54 = arith.truncf %d : f64 to bf16
  %55 = arith.sitofp %2 : tensor<16xi32> to tensor<16xf32>
  %56 = arith.uitofp %i : i32 to f32
  %57 = arith.fptosi %other : tensor<16xf32> to tensor<16xi32>
  %58 = arith.fptoui %s : f32 to i8
  %59 = arith.bitcast %s : f32 to i32
  %60 = arith.index_cast %i : i32 to index
  tt.return
}
tt.func private @callee(%x: f32) -> f32 {
  tt.return %x : f32
}
tt.func private @empty() {
  tt.return
}
"""

MATMUL = """
import triton
import triton.language as tl


@triton.jit
def kernel(A, B, C, M, N, K, stride_am, stride_bk, stride_cm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k_base in range(0, K, BK):
        ks = k_base + tl.arange(0, BK)
        a_mask = (rows[:, None] < M) & (ks[None, :] < K)
        a = tl.load(A + rows[:, None] * stride_am + ks[None, :], mask=a_mask, other=0.0)
        b_mask = (ks[:, None] < K) & (columns[None, :] < N)
        b = tl.load(B + ks[:, None] * stride_bk + columns[None, :], mask=b_mask, other=0.0)
        acc = acc + tl.dot(a, b)
    tl.store(C + rows[:, None] * stride_cm + columns[None, :], acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


SIGNATURE = {"A": "*fp32", "B": "*fp32", "C": "*fp32", "M": "i32", "N": "i32", "K": "i32", "stride_am": "i32",
             "stride_bk": "i32", "stride_cm": "i32", "BM": "constexpr", "BN": "constexpr", "BK": "constexpr"}
CONSTANTS = {"BM": 64, "BN": 64, "BK": 16}
ATTRIBUTES = {(i,): [["tt.divisibility", 16]] for i in range(3)}
"""

ELEMENTWISE = """
import triton
import triton.language as tl


@triton.jit
def largest(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def kernel(X, Y, I, n, flag, B: tl.constexpr):
    pid = tl.program_id(0) % tl.num_programs(0)
    offsets = pid * B + tl.arange(0, B)
    x = tl.load(X + offsets, mask=offsets < n, other=-float("inf"), eviction_policy="evict_last")
    z = tl.exp(x - tl.max(x, 0)) + tl.sigmoid(x) + tl.sqrt(tl.abs(x)) + tl.maximum(x, 0.5) + tl.math.fma(x, x, x)
    z = z / tl.sum(z, 0) + tl.reduce(x, 0, largest) + tl.sqrt_rn(x) + tl.div_rn(x, x) + tl.clamp(x, 0.0, 1.0)
    if flag > 0:
        z = z * 2
    k = flag
    while k > 1:
        k = k // 2
        z += k
    i = tl.load(I + offsets, mask=offsets < n)
    i = (i // 3) % 7 + (i >> 2) + tl.umulhi(i.to(tl.uint32), 5).to(tl.int32)
    i += z.to(tl.int32) + z.to(tl.int32, bitcast=True)
    h = z.to(tl.float16).to(tl.bfloat16).to(tl.float64)
    h += tl.trans(tl.reshape(x, (2, B // 2))).reshape((B,)).to(tl.float64)
    tl.store(Y + offsets, h.to(tl.float32).to(tl.float8e5).to(tl.float32), mask=offsets < n)
    tl.store((I.to(tl.int64) + 4).to(tl.pointer_type(tl.int32)) + offsets, i)
    tl.store(Y, tl.load(X, volatile=True))


SIGNATURE = {"X": "*fp32", "Y": "*fp32", "I": "*i32", "n": "i32", "flag": "i32", "B": "constexpr"}
CONSTANTS = {"B": 128}
ATTRIBUTES = {}
"""


def read_by_triton(oracle: Oracle, folder: Path, texts: list[str]) -> list[str | None]:
    """What Triton prints of each text, None for one that it refuses."""
    paths = [folder / f"{number}.mlir" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    printed: list[str | None] = json.loads(oracle(PARSE_WITH_TRITON, *map(str, paths)).splitlines()[-1])
    return printed


def print_generic(module: ModuleOp) -> str:
    stream = StringIO()
    Printer(stream=stream, print_generic_format=True).print_op(module)
    return stream.getvalue()


def each_result(match: re.Match[str]) -> str:
    """`%x:2` as `%x#0, %x#1`, the names by which MLIR uses the results of one operation."""
    return ", ".join(f"{match[1]}#{index}" for index in range(int(match[2])))


def lines(text: str) -> list[str]:
    """The lines of a module with its values numbered in the order in which they appear, and without spaces."""
    scopes: list[dict[str, str]] = [{}]
    count = itertools.count()
    found: list[str] = []
    for line in text.replace("builtin.module", "module").splitlines():
        if line.lstrip().startswith("}"):
            scopes.pop()
        line = re.sub(r"(%[\w.$-]+):(\d+)(?= = )", each_result, line)
        results, equals, rest = line.partition(" = ")
        inner: dict[str, str] = {}

        def number(match: re.Match[str], new: dict[str, str]) -> str:
            for scope in (*scopes, new):
                if match[0] in scope:
                    return scope[match[0]]
            return new.setdefault(match[0], f"%{next(count)}")

        # What a line that opens a region names first, other than its results, are values of the region.
        is_result = bool(equals) and "(" not in results
        opens = line.endswith("{")
        head = re.sub(r"%[\w.$#-]+", functools.partial(number, new=scopes[-1] if is_result else inner), results)
        tail = re.sub(r"%[\w.$#-]+", functools.partial(number, new=inner if opens else scopes[-1]), rest)
        if opens:
            scopes.append(inner)
        else:
            scopes[-1] |= inner
        found.append(re.sub(r"\s+", "", head + equals + tail))
    return [line for line in found if line]


def test_triton_prints_what_we_print(oracle: Oracle, tmp_path: Path) -> None:
    ours = parse_module(OPERATIONS)
    pretty, generic = read_by_triton(oracle, tmp_path, [print_module(ours), print_generic(ours)])
    assert pretty is not None, "Triton refuses our text"
    assert generic is not None, "Triton refuses our generic text"
    assert lines(print_module(ours)) == lines(pretty)
    assert lines(pretty) == lines(generic)


@pytest.mark.parametrize("source", [MATMUL, ELEMENTWISE], ids=["matmul", "elementwise"])
def test_dump_of_triton_round_trips(oracle: Oracle, tmp_path: Path, source: str) -> None:
    kernels = tmp_path / "kernels.py"
    kernels.write_text(source)
    dump = oracle(COMPILE_WITH_TRITON, str(kernels))
    ours = print_module(parse_module(dump))
    dumped, read_back = read_by_triton(oracle, tmp_path, [dump, ours])
    assert dumped is not None
    assert read_back is not None, "Triton refuses our text"
    assert lines(ours) == lines(read_back) == lines(dumped)


INVALID = {
    "pointer to pointer": "%0 = tt.int_to_ptr %j : i64 -> !tt.ptr<!tt.ptr<f32>>",
    "range size": "%0 = tt.make_range {end = 16 : i32, start = 8 : i32} : tensor<16xi32>",
    "splat type": "%0 = tt.splat %i : i32 -> tensor<16xf32>",
    "broadcast size": "%0 = tt.broadcast %t : tensor<16x1xf32> -> tensor<32x8xf32>",
    "broadcast rank": "%0 = tt.broadcast %t : tensor<16x1xf32> -> tensor<16x1x8xf32>",
    "expand_dims shape": "%0 = tt.expand_dims %v {axis = 0 : i32} : tensor<16xf32> -> tensor<16x1xf32>",
    "reshape size": "%0 = tt.reshape %t : tensor<16x1xf32> -> tensor<32xf32>",
    "trans shape": "%0 = tt.trans %t {order = array<i32: 1, 0>} : tensor<16x1xf32> -> tensor<16x1xf32>",
    "trans order": "%0 = tt.trans %t {order = array<i32: 1, 1>} : tensor<16x1xf32> -> tensor<1x1xf32>",
    "unsplat": "%0 = tt.unsplat %v : tensor<16xf32>",
    "addptr shape": "%0 = tt.addptr %p, %n : !tt.ptr<f32>, tensor<16xi32>",
    "load other without mask": """%0 = "tt.load"(%p, %s) <{operandSegmentSizes = array<i32: 1, 0, 1>}>
        : (!tt.ptr<f32>, f32) -> f32""",
    "load result": '%0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f16',
    "store value": '"tt.store"(%p, %i) : (!tt.ptr<f32>, i32) -> ()',
    "atomic value": "%0 = tt.atomic_rmw add, relaxed, gpu, %p, %i : (!tt.ptr<f32>, i32) -> f32",
    "atomic operation": "%0 = tt.atomic_rmw sub, relaxed, gpu, %p, %s : (!tt.ptr<f32>, f32) -> f32",
    "dot inner size": "%0 = tt.dot %m, %m, %m : tensor<16x32xf32> * tensor<16x32xf32> -> tensor<16x32xf32>",
    "dot accumulator": "%0 = tt.dot %q, %m, %q : tensor<16x16xf32> * tensor<16x32xf32> -> tensor<16x16xf32>",
    "bitcast width": "%0 = tt.bitcast %s : f32 -> i64",
    "bitcast pointer": "%0 = tt.bitcast %p : !tt.ptr<f32> -> i64",
    "fp_to_fp rounding": "%0 = tt.fp_to_fp %s : f32 -> f16",
    "call": "tt.call @missing() : () -> ()",
    "cast shape": "%0 = arith.extf %v : tensor<16xf32> to tensor<8xf64>",
    "cast width": "%0 = arith.extf %s : f32 to f16",
    "select condition": "%0 = arith.select %k, %v, %v : tensor<8xi1>, tensor<16xf32>",
    "reduce axis": """%0 = "tt.reduce"(%v) <{axis = 1 : i32}> ({
        ^bb0(%l: f32, %r: f32):
          tt.reduce.return %l : f32
        }) : (tensor<16xf32>) -> f32""",
    "reduce region": """%0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
        ^bb0(%l: f32, %r: i32):
          tt.reduce.return %l : f32
        }) : (tensor<16xf32>) -> f32""",
    "return": "tt.return %i : i32",
}


def in_function(operation: str) -> str:
    end = "" if operation.startswith("tt.return") else "tt.return"
    arguments = (
        "%i: i32, %j: i64, %s: f32, %p: !tt.ptr<f32>, %v: tensor<16xf32>, %t: tensor<16x1xf32>, %n: tensor<16xi32>, "
        "%m: tensor<16x32xf32>, %q: tensor<16x16xf32>, %k: tensor<8xi1>"
    )
    return f"tt.func @f({arguments}) {{\n{textwrap.dedent(operation)}\n{end}\n}}\n"


def test_triton_refuses_what_we_refuse(oracle: Oracle, tmp_path: Path) -> None:
    texts = [in_function(operation) for operation in INVALID.values()]
    for name, text, read in zip(INVALID, texts, read_by_triton(oracle, tmp_path, texts), strict=True):
        assert read is None, f"Triton accepts: {name}"
        with pytest.raises(CompilationError):
            parse_module(text)
