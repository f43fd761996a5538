"""What a kernel may not do: each is refused with the line, a caret under the culprit, the reason and what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mytriton.errors import CompilationError, UnsupportedError
from tests.unit.frontend.kernel_text import compile_body, kernel_text, load, without_marks

# The body of a kernel with the culprit marked, and the error.
WRONG = {
    "x = «tl.arange(0, 8)[8]»": "the index 8 is outside of an axis of extent 8",
    # names and attributes
    "x = «undefined» + 1": "'undefined' is not defined",
    "x = «nn» + 1": "'nn' is not defined",
    "y = «x» + 1\nx = 3": "'x' is read before it is assigned",
    "x = «LIMIT» + 1": "'LIMIT' is a global variable of type int, which could change after the kernel was compiled",
    "x = «np.float32»(1)": "'numpy.float32' is no type of the language",
    "x = tl.zeros([4], «np.int8»)": "'numpy.int8' is no type of the language",
    "x = «plain»(n)": "'plain' is a Python function, which a kernel cannot call",
    "x = «np.zeros»(3)": "'numpy.zeros' is a Python function, which a kernel cannot call",
    "x = «tl.some_name»(p)": "module mytriton.language has no attribute 'some_name'",
    "x = «tl.math.tanh»(f)": "module mytriton.language.math has no attribute 'tanh'",
    "x = «n.foo»": "a value of type int32 has no attribute 'foo'",
    "x = «tl.load(p).summ»()": "a value of type fp32 has no attribute 'summ'",
    "x = «n(3)»": "a kernel cannot call a value of type int32",
    "x = «BLOCK(3)»": "a kernel cannot call 16",
    'é = "ü"; x = «tl.foo»(n)': "module mytriton.language has no attribute 'foo'",
    # calls
    "x = «ones(n)»": "bad call of ones: missing a required argument: 'SIZE'",
    "x = «ones(n, 3, 4)»": "bad call of ones: too many positional arguments",
    "x = «tl.zeros((4, 4))»": "bad call of tl.zeros: missing a required argument: 'dtype'",
    "x = «tl.load(p, 1, 2, 3, 4, 5, 6, 7, 8, 9)»": "bad call of tl.load: too many positional arguments",
    "x = «tl.load(p, maks=n)»": "bad call of tl.load: got an unexpected keyword argument 'maks'",
    "x = «int(n)»": "int() takes a value that is known when the kernel is compiled",
    "x = «float(n)»": "float() takes a value that is known when the kernel is compiled",
    "x = «len(tl.arange(0, 8))»": "len() does not take a value of type int32[8]",
    'x = «int("a")»': "this cannot be computed when the kernel is compiled: ValueError: invalid literal for int()",
    "x = «range(1, 2, 3, 4)»": "bad call of range: it takes 1 to 3 arguments, found 4",
    'tl.static_assert(BLOCK == 16)\n«tl.static_assert(BLOCK == 3, "BLOCK must be 3")»': "assertion failed: BLOCK must",
    "«tl.static_assert(n == 3)»": "the condition of static_assert must be known when the kernel is compiled",
    '«assert BLOCK == 3, f"BLOCK is {BLOCK}"»': "assertion failed: BLOCK is 16",
    "x = «n ** n»": "** of integers takes an exponent that is a number and not negative, found int32 ** int32",
    "«tl.device_print(n)»": "the first argument of tl.device_print and of print is a text, found a value of type int32",
    "x = «tl.extra.cuda.libdevice.tanh(n)»": "libdevice.tanh takes (fp32) or (fp64), found (int32)",
    "«print(n)»": "the first argument of tl.device_print and of print is a text, found a value of type int32",
    # compile-time constants
    "x = «tl.arange(0, n)»": "end must be an integer that is known when the kernel is compiled, found a value of type",
    "x = «tl.arange(4, 4)»": "the end of tl.arange must be greater than its start, found 4 and 4",
    "x = «tl.arange(2**31, 2**31 + 1)»": "tl.arange must fit into int32",
    "x: tl.constexpr = n\ny = «tl.arange(0, x)»": "end must be an integer that is known when the kernel is compiled",
    "x = «1 // 0»": "this cannot be computed when the kernel is compiled: ZeroDivisionError",
    "x = «tl.cdiv(1, 0)»": "division by zero",
    "x = «10 ** 100000000»": "this constant is too large to compute",
    "x = «(1,) * 100000000»": "this constant is too large to compute",
    "x = «1 << 100000000»": "this constant is too large to compute",
    "«x = 2 ** 70»": "1180591620717411303424 does not fit into 64 bits",
    "x = tl.zeros((4,), tl.float32) + «(1, 2)[n]»": "the index into (1, 2) must be known when the kernel is compiled",
    "x = «(1, 2)[3]»": "this cannot be computed when the kernel is compiled: IndexError: tuple index out of range",
    'x = «"a" + 1»': "this cannot be computed when the kernel is compiled: TypeError",
    # types
    "x = «f // 2»": "// takes integers, found fp32 and int32",
    "x = «f & 1»": "& does not take operands of types fp32 and fp32",
    "x = «~f»": "~ does not take an operand of type fp32",
    "x = «-p»": "- does not take an operand of type pointer<fp32>",
    "x = «p * 2»": "* does not take operands of types pointer<fp32> and int32",
    "x = «p < q»": "< does not take operands of types pointer<fp32> and pointer<int32>",
    "x = «q + p»": "cannot add two pointers (pointer<int32> and pointer<fp32>)",
    "x = «p + f»": "a pointer<fp32> can be moved by an integer only, found fp32",
    "x = «p - q»": "- does not take operands of types pointer<fp32> and pointer<int32>",
    'x = «n + "a"»': "+ does not take operands of types int32 and str",
    "x = «n == None»": "== does not take operands of types int32 and NoneType",
    "x = «n.to(tl.uint32) / n»": "cannot divide uint32 and int32, of which one is signed and the other is not",
    "x = «n.to(tl.uint8) + -1»": "-1 is negative and cannot be combined with uint8, which is unsigned",
    "x = «n.to(tl.int8) + 300»": "300 is out of range for int8",
    "x = «n.to(3)»": "expected a dtype such as tl.float32, found 3",
    "x = «p.to(tl.int32)»": "cannot cast pointer<fp32> to int32",
    "x = «n.to(tl.float64, bitcast=True)»": "cannot reinterpret the bits of int32 as fp64, which has another size",
    'x = «f.to(tl.float64, fp_downcast_rounding="rtz")»': "fp_downcast_rounding is for floats that get narrower",
    'x = «f.to(tl.float16, fp_downcast_rounding="up")»': "fp_downcast_rounding must be one of 'rtne', 'rtz', found 'up",
    "x = «tl.exp(n)»": "tl.exp takes fp32, fp64, found int32",
    "x = «tl.exp(f.to(tl.float16))»": "tl.exp takes fp32, fp64, found fp16",
    "x = «tl.fma(n, n, n)»": "tl.fma takes fp16, bf16, fp32, fp64, found int32",
    "x = «tl.program_id(3)»": "axis must be one of 0, 1, 2, found 3",
    "x = «tl.full((4,), 1.5, tl.int32)»": "expected an integer for int32, found 1.5",
    # shapes
    "x = «tl.zeros((0, 4), tl.float32)»": "an extent of a shape must be positive, found 0 in [0, 4]",
    "x = «tl.zeros((2048, 2048), tl.float32)»": "a tensor may have up to 1048576 elements, found 4194304",
    "x = «tl.zeros(4, tl.float32)»": "expected a shape, such as (16, 16), found 4",
    "x = «tl.zeros((n,), tl.float32)»": "an extent of a shape must be an integer that is known when the kernel is comp",
    "x = «tl.arange(0, 8) + tl.arange(0, 4)»": "the shapes [8] and [4] do not fit together",
    "x = «tl.broadcast_to(tl.arange(0, 8), (4, 4))»": "cannot broadcast [8] to [4, 4]",
    "x = «tl.reshape(tl.arange(0, 8), (3, 3))»": "cannot reshape [8] to [3, 3], which has another number of elements",
    "x = «tl.trans(tl.arange(0, 8))»": "tl.trans swaps the last two axes, found shape [8]",
    "x = «tl.permute(tl.arange(0, 8)[None, :], 0, 0)»": "expected each axis of [1, 8] once, found [0, 0]",
    "x = «tl.expand_dims(tl.arange(0, 8), 2)»": "the axis to add to the shape [8] must be from -2 to 1, found 2",
    "x = «tl.sum(tl.arange(0, 8), axis=1)»": "axis must be from -1 to 0 for rank 1, found 1",
    "x = «n[None, :]»": "a value of type int32 is a single one and has no elements",
    "x = «tl.arange(0, 8)[1, 2]»": "2 indices for a value of type int32[8], which has 1 axes",
    # memory
    "x = «tl.load(n)»": "tl.load takes a pointer or a tensor of pointers, found a value of type int32",
    "x = «tl.load(p, mask=n)»": "the mask of tl.load must be of int1, found int32",
    "x = «tl.load(p, other=0)»": "tl.load takes `other` together with `mask` only",
    "x = «tl.load(p, tl.arange(0, 4) < 3)»": "tl.load through a single pointer takes a scalar as mask",
    "x = «tl.load(p + tl.arange(0, 8), tl.arange(0, 4) < 3)»": "the shapes [8] and [4] do not fit together",
    "«tl.atomic_add(p, 1.0, sem='seq_cst')»": "sem must be one of 'acq_rel', 'acquire', 'release', 'relaxed'",
    'x = «tl.load(p, cache_modifier=".xy")»': "cache_modifier must be one of '', '.ca', '.cg', '.cs', '.cv', found '.x",
    'x = «tl.load(p, eviction_policy="never")»': "eviction_policy must be one of",
    "«tl.store(p, tl.arange(0, 4))»": "tl.store through a single pointer takes a scalar as value",
    "«tl.store(p + tl.arange(0, 1), tl.arange(0, 4))»": "the value of tl.store has shape [4], which does not fit",
    "«tl.store(p, None)»": "expected a tensor or a number, found None",
    # dot and reduce
    "x = «tl.dot(tl.zeros((4, 8), tl.float32), tl.zeros((4, 8), tl.float32))»": "found [4, 8] and [4, 8]: K is 8 and 4",
    "x = «tl.dot(tl.zeros((4, 8), tl.float16), tl.zeros((8, 4), tl.float32))»": "tl.dot takes operands of one dtype",
    "x = «tl.dot(tl.zeros((4,), tl.float32), tl.zeros((4,), tl.float32))»": "tl.dot takes [M, K] and [K, N], found [4]",
    "a = tl.zeros((2, 4, 4), tl.float32)\nb = tl.zeros((3, 4, 4), tl.float32)\nx = «tl.dot(a, b)»": (
        "tl.dot takes operands with the same batch of matrices, found [2, 4, 4] and [3, 4, 4]"
    ),
    "x = «tl.dot(tl.zeros((4, 4), tl.int32), tl.zeros((4, 4), tl.int32))»": "tl.dot takes int8, uint8, fp8e4nv, fp8e5",
    "x = «tl.dot(f, tl.zeros((4, 4), tl.float32))»": "tl.dot takes a tensor with at least one axis, found a value of t",
    "a = tl.zeros((4, 4), tl.float32)\nx = «tl.dot(a, a, tl.zeros((4, 5), tl.float32))»": (
        "the accumulator of tl.dot must have shape [4, 4], found [4, 5]"
    ),
    "a = tl.zeros((4, 4), tl.float32)\nx = «tl.dot(a, a, tl.zeros((4, 4), tl.float16))»": "tl.dot of fp32 gives fp32,",
    "a = tl.zeros((4, 4), tl.bfloat16)\nx = «tl.dot(a, a, out_dtype=tl.bfloat16)»": "tl.dot of bf16 gives fp32, found",
    'a = tl.zeros((4, 4), tl.float32)\nx = «tl.dot(a, a, input_precision="fast")»': "input_precision must be one of",
    "x = tl.reduce(tl.arange(0, 8), 0, «plain»)": "'plain' is a Python function",
    "x = «tl.cumsum(1)»": "axis 0 is out of range: a scalar has no axis",
    "x = «tl.associative_scan(tl.arange(0, 8), 0, max)»": (
        "tl.associative_scan takes a function decorated with @triton.jit, found max"
    ),
    "x = «tl.sort(1)»": "tl.sort takes a tensor with at least one axis, found a value of type int32",
    "x = «tl.topk(tl.arange(0, 8), 9)»": "tl.topk can give 1 to 8 elements of an axis of extent 8, found 9",
    "x = «tl.histogram(tl.arange(0, 8), 0)»": "tl.histogram needs one or more bins, found 0",
    "x = «tl.histogram(tl.zeros((8,), tl.float32), 4)»": (
        "tl.histogram takes a tensor of integers with one axis, found fp32[8]"
    ),
    "x = «tl.histogram(tl.arange(0, 8), 4, mask=tl.arange(0, 8))»": (
        "the mask of tl.histogram must be int1, found int32"
    ),
    "x = «tl.gather(tl.zeros((4, 8), tl.int32), tl.zeros((8, 4), tl.int32), 1)»": (
        "tl.gather takes indices of the shape of the source but along axis 1, found [8, 4] for [4, 8]"
    ),
    "x = «tl.reduce(tl.arange(0, 8), 0, tl.sum)»": "tl.reduce takes a function decorated with @triton.jit, found sum",
    "x = «tl.reduce(tl.arange(0, 8), 0, returns_other_type)»": "must return (int32) like its arguments, found (int64)",
    # control flow
    "if n > 3:\n    x = 1\ntl.store(q, «x»)": "'x' may be undefined here: the `if` side of a condition assigns it on l",
    "if n > 3:\n    pass\nelse:\n    x = 1\ntl.store(q, «x»)": "'x' may be undefined here: the `else` side of a condit",
    "if n > 3:\n    x = 1\nelse:\n    x = 2.0\ntl.store(q, «x»)": (
        "'x' is a value of type int32 after one side of the `if` on line @1 and a value of type fp32 after the other"
    ),
    "for i in range(n):\n    x = i\ntl.store(q, «x»)": "'x' may be undefined here: only the loop on line @1 assigns it",
    "for i in range(n):\n    pass\ntl.store(q, «i»)": "'i' may be undefined here: the loop that assigns it may make no",
    "x = 0\nfor i in range(n):\n    «x» = x + 1.5\ntl.store(p, x)": (
        "'x' is a value of type int32 before the loop and a value of type fp32 after a turn of it"
    ),
    "x = 0\nwhile x < n:\n    «x» = x + m": "'x' is a value of type int32 before the loop and a value of type int64 af",
    "d = tl.int8\nfor i in range(n):\n    x = n.to(d)\n    «d» = tl.int16": "'d' is int8, known when the kernel is com",
    "for i in «range(0, n, 0)»:\n    pass": "the step of a range must not be 0",
    "for i in «range(f)»:\n    pass": "the bounds and the step of a range must be single integers, found a value of ty",
    "for i in «range(2.5)»:\n    pass": "the bounds and the step of a range must be single integers, found 2.5",
    "for i in «tl.static_range(n)»:\n    pass": "the end of tl.static_range must be an integer that is known when",
    "for i in «tl.static_range(0, 4, 0)»:\n    pass": "the step of a range must not be 0",
    "for i in «n»:\n    pass": "a loop of a kernel runs over range, tl.range, tl.static_range or a tuple, found",
    "for i in «tl.static_range(10**18)»:\n    x = i": "the kernel has more than 25000 statements",
    "for i in tl.static_range(200):\n    for j in «tl.static_range(200)»:\n        x = j": "more than 25000 statements",
    "while «True»:\n    x = n": "this condition is always true, so the loop never ends",
    "if «tl.arange(0, 8) > 3»:\n    x = 1": "a condition must be a single value, found a value of type int1[8]",
    "x = 1 if «tl.arange(0, 8) > 3» else 2": "a condition must be a single value, found a value of type int1[8]",
    "x = «5 if n > 3 else 2.5»": "the two alternatives must have one type, found a value of type int32 and a value of",
    "x = «n and m > 3»": "`and` takes conditions of int1, found a value of type int32",
    "x = «m > 3 or n»": "`or` takes conditions of int1, found a value of type int32",
    "«return n»": "a kernel cannot return a value",
    "x = «n > 3 and 5»": "`and` takes conditions of int1, found a value of type int",
    # assignments
    "«x, y» = 1, 2, 3": "expected 2 values to unpack, found 3",
    "x = tl.load(«*p»)": "only a tuple can be unpacked, found a value of type pointer<fp32>",
    "«x, y» = n": "only a tuple can be unpacked, found a value of type int32",
    # hints
    "x = «tl.multiple_of(n, 0)»": "tl.multiple_of takes positive 32-bit numbers, found [0]",
    "x = «tl.max_contiguous(tl.arange(0, 8)[None, :], 8)»": "tl.max_contiguous takes one number for each axis of [1, 8",
}

UNSUPPORTED = {
    "x = «lambda y: y»": "a lambda inside of a kernel is not supported",
    "x = «{1: 2}»": "a dictionary inside of a kernel is not supported",
    "x = «{1, 2}»": "a set inside of a kernel is not supported",
    "x = «{i: i for i in range(3)}»": "a dictionary comprehension inside of a kernel is not supported",
    "«import os»": "an import inside of a kernel is not supported",
    "«from os import path»": "an import inside of a kernel is not supported",
    "«try:»\n    x = 1\nexcept ValueError:\n    pass": "try inside of a kernel is not supported",
    "«with n:»\n    pass": "with inside of a kernel is not supported",
    "«def inner(x):»\n    return x": "a function inside of a kernel is not supported",
    "«class Inner:»\n    pass": "a class inside of a kernel is not supported",
    "«raise»": "raise without an exception inside of a kernel is not supported",
    'for i in range(n):\n    «raise ValueError("x")»': "raise is not supported where it depends on what is known only",
    "«del n»": "del inside of a kernel is not supported",
    "«global LIMIT»": "global inside of a kernel is not supported",
    "«match n:»\n    case 1:\n        pass": "match inside of a kernel is not supported",
    "«p[3]» = 4": "an assignment to an element is not supported",
    "«p.x» = 4": "an assignment to an attribute is not supported",
    "for i in range(n):\n    pass\nelse:\n    «x = 1»": "the `else` of a `for` loop is not supported",
    "while n > 3:\n    pass\nelse:\n    «x = 1»": "the `else` of a `while` loop is not supported",
    "for «i, j» in range(n):\n    pass": "a loop over a range needs a single variable",
    "x = «tl.arange(0, 8) @ tl.arange(0, 8)»": "@ is not supported on values that are known only when the kernel runs",
    "x = «n in (1, 2)»": "in is not supported on values that are known only when the kernel runs",
    "x = «tl.arange(0, 8)[0:n]»": "the bounds of a slice must be known when the kernel is compiled",
    "x = «ones(**n)»": "**keywords are not supported in kernels",
    "x = «open»(3)": "'open' of Python is not supported in kernels",
    "x = «tl.load(p, boundary_check=(0,))»": "boundary_check of tl.load is for block pointers, and this is a",
    "x = «tl.fdiv(f, f, approx=True)»": "approx=True of tl.fdiv is not supported",
}


FIRST_LINE = kernel_text("").count("\n") + 1


def in_file(message: str) -> str:
    """The message with the lines of the file in place of those of the body, as in "line @2"."""
    return re.sub(r"@(\d+)", lambda match: str(FIRST_LINE + int(match[1]) - 1), message)


def line_of(text: str) -> int:
    """The line of the header in which the text stands."""
    return kernel_text("").partition(text)[0].count("\n") + 1


def compile_error(body: str, folder: Path) -> CompilationError:
    with pytest.raises(CompilationError) as caught:
        compile_body(without_marks(body).text, folder)
    return caught.value


def check_place(error: CompilationError, text: str) -> None:
    """The error stands where the text is marked, and shows that line with a caret under the mark."""
    marked = without_marks(text)
    assert error.location is not None
    assert (error.location.line, error.location.column) == (marked.line, marked.column)
    _, line, caret = str(error).splitlines()[:3]
    assert line == marked.text.splitlines()[marked.line - 1].rstrip()
    assert caret == " " * (marked.column - 1) + "^" + "~" * (marked.width - 1)


@pytest.mark.parametrize("body", [*WRONG, *UNSUPPORTED])
def test_refused_with_place_and_reason(body: str, tmp_path: Path):
    error = compile_error(body, tmp_path)
    expected = in_file(WRONG.get(body) or UNSUPPORTED[body])
    assert type(error) is (CompilationError if body in WRONG else UnsupportedError), str(error)
    assert expected in error.message
    check_place(error, kernel_text(body))


def test_error_begins_with_file_line_and_column(tmp_path: Path):
    error = compile_error("x = tl.load(n)", tmp_path)
    assert error.location is not None
    assert str(error).startswith(f"{error.location.file}:{FIRST_LINE}:9: error: tl.load takes a pointer")
    assert Path(error.location.file).parent == tmp_path


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("x = tl.aranje(0, 4)", "did you mean 'arange'?"),
        ("x = tl.load(p).summ()", "did you mean 'sum'?"),
        ("bl = BLOKC", "did you mean 'BLOCK'?"),
        ("x = n.to(np.float32)", "use tl.float32"),
        ("x = tl.zeros([4], np.bool_)", "use tl.int1"),
        ("x = LIMIT", "make it a constant, LIMIT = tl.constexpr(...), or pass it as an argument"),
        ("x = plain(n)", "decorate it with @triton.jit"),
        ("x = n ** n", "cast the base with .to(tl.float32) first"),
        ("x = f // 2", "use tl.floor(x / y)"),
        ("x = int(n)", "use .to(tl.int32)"),
        ("x = tl.exp(n)", "cast with .to(tl.float32) first"),
        ("x = ones(n)", "its parameters are x, SIZE"),
        ("if n > 3:\n    x = 1\ntl.store(q, x)", "assign 'x' before the `if`, or on both sides"),
    ],
)
def test_hint(body: str, hint: str, tmp_path: Path):
    error = compile_error(body, tmp_path)
    assert error.hint == hint
    assert f"hint: {hint}" in str(error).splitlines()


def test_chain_of_calls(tmp_path: Path):
    error = compile_error("x = fails_inside(n)", tmp_path)
    text = str(error).splitlines()
    file = error.file
    assert text[:3] == [
        f"{file}:{line_of('return tl.nothing')}:12: error: module mytriton.language has no attribute 'nothing'",
        "    return tl.nothing(y)",
        "           ^~~~~~~~~~",
    ]
    assert text[-3:] == [
        f"{file}:{FIRST_LINE}:9: note: in fails_inside called from here",
        "    x = fails_inside(n)",
        "        ^~~~~~~~~~~~~~~",
    ]


TOO_DEEP = {
    "operators": f"x = {'-' * 900}n",
    "more operators": f"x = {'-' * 1200}n",
    "returns": "\n".join(f"if n == {i}:\n    tl.store(q, {i})\n    return" for i in range(400)),
    "assignments": "\n".join(f"{'elif' if i else 'if'} (x := n + {i}) == {i}:\n    tl.store(q, x)" for i in range(400)),
}


@pytest.mark.parametrize("kind", TOO_DEEP)
def test_what_is_nested_too_deeply(kind: str, tmp_path: Path):
    """Whatever part of the compiler runs out of stack first, the error is one, with the line."""
    kernel = load(kernel_text(TOO_DEEP[kind]), tmp_path).kernel
    with pytest.raises(CompilationError) as caught:
        kernel.warmup("*fp32", "*i32", "i32", "i64", "fp32", 16)
    assert type(caught.value) is CompilationError
    assert caught.value.message == "this is nested too deeply to compile"
    place, line, caret = str(caught.value).splitlines()
    assert place.startswith(f"{caught.value.file}:{caught.value.line}:")
    assert line.strip() and caret.strip().startswith("^")


def test_recursion_is_refused(tmp_path: Path):
    error = compile_error("x = recursive(n)", tmp_path)
    assert isinstance(error, UnsupportedError)
    assert error.message == "recursive calls itself, which is not supported: calls are inlined"
    assert (error.line, error.column) == (line_of("return recursive"), 12)


def test_paths_that_return_different_types(tmp_path: Path):
    error = compile_error("x = keeps_half(n)", tmp_path)
    assert "the function returns a value of type int32 on one side of this `if` and None on the other" in error.message
    assert error.line == line_of("if x > 0")


def test_no_error_leaves_the_language_usable_outside_of_kernels(tmp_path: Path):
    import mytriton.language as tl

    compile_error("x = tl.load(n)", tmp_path)
    with pytest.raises(CompilationError, match="work inside a kernel only"):
        tl.program_id(0)
