"""Python's debugger in a kernel: where it stops, what it sees there, and that a kernel computes the same without it."""

from __future__ import annotations

import inspect
import io
import linecache
import pdb
import signal
import sys
import threading
import types
from bdb import Breakpoint
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.errors import BreakpointError
from mytriton.runtime.jit import JITFunction
from tests.kernels.harness import traced

SEEN: list[Any] = []
"""What the commands of a session put aside."""


@pytest.fixture(autouse=True)
def nothing_seen() -> None:
    SEEN.clear()


def line_of(kernel: Any, text: str) -> int:
    """The number of the line of a kernel that contains a text."""
    lines = kernel.src.splitlines()
    (index,) = (index for index, line in enumerate(lines) if text in line)
    return kernel.source_line + index


class Session:
    """A session of pdb: `replies` has what it says at its start, and after each command."""

    def __init__(self, run: Callable[[], Any], breaks: Sequence[tuple[Any, ...]], commands: Sequence[str]):
        stdin, self._stdout = io.StringIO("\n".join([*commands, "disable 1 2 3 4", "continue", ""])), io.StringIO()
        # The numbers of breakpoints begin at 1.
        Breakpoint.clearBreakpoints()
        debugger = pdb.Pdb(stdin=stdin, stdout=self._stdout, nosigint=True, readrc=False)
        debugger.use_rawinput = False
        for kernel, text, *condition in breaks:
            assert debugger.set_break(kernel.source_file, line_of(kernel, text), False, *condition) is None
        try:
            debugger.runcall(run)
        finally:
            debugger.clear_all_breaks()
        self.replies = self._stdout.getvalue().split("(Pdb) ")

    def places(self) -> list[str]:
        """Where it stopped: `kernel 12`, and before that what happens, such as `Call`, if it is no line."""
        found: list[str] = []
        for reply in self.replies:
            lines = reply.splitlines()
            for before, line in zip(["", *lines], lines, strict=False):
                if line.startswith("> "):
                    place = line.split("->")[0].removesuffix("()")
                    file, _, rest = place[2:].partition("(")
                    number, _, name = rest.partition(")")
                    event = before.strip("-") if before.startswith("--") else ""
                    found.append(f"{event} {name} {linecache.getline(file, int(number)).strip()}".strip())
        return found


def interpreted(kernel: Any, grid: tuple[int, ...], *args: Any, **options: Any) -> Callable[[], Any]:
    def run() -> None:
        with triton.interpret():
            kernel[grid](*args, **options)
        SEEN.append("the end")

    return run


# What is seen


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, scale, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    pointers = y_ptr + offsets
    y = tl.load(pointers, mask=mask)
    pair = (x, n)
    total = pair[0] + y * scale
    tl.store(out_ptr + offsets, total, mask=mask)


DTYPES = [np.float16, np.float32, np.float64, np.int8, np.uint8, np.int32, np.uint64, np.bool_]


@pytest.mark.parametrize("dtype", DTYPES)
def test_tiles_are_arrays_and_all_else_is_what_it_is(dtype: Any):
    x, y = (np.arange(10) % 5).astype(dtype), np.arange(10)[::-1].astype(dtype)
    out = np.zeros(10, dtype)
    commands = [
        "p (x.shape, x.dtype.name, n, BLOCK, pid, program_id)",
        "!SEEN.append((x, mask, y, pair, x[1], x.sum(), x + x))",
        "p pointers",
        "p out_ptr",
        "p pointers.name, int(pointers.offsets[2]), pointers.shape, pointers[3]",
    ]
    run = interpreted(add_kernel, (3,), x, y, out, 10, 1, BLOCK=4)
    session = Session(run, [(add_kernel, "total ="), (add_kernel, "tl.store")], ["c", *commands, "c", "c", *commands])
    assert f"((4,), '{np.dtype(dtype).name}', 10, 4, 0, (0, 0, 0))" in session.replies[2]
    assert f"((4,), '{np.dtype(dtype).name}', 10, 4, 1, (1, 0, 0))" in session.replies[9]
    for program, seen in enumerate(SEEN[:2]):
        tile, mask, other, pair, element, total, double = seen
        wanted = x[4 * program : 4 * program + 4]
        assert type(tile) is np.ndarray and tile.dtype == dtype
        np.testing.assert_array_equal(tile, wanted)
        np.testing.assert_array_equal(other, y[4 * program : 4 * program + 4])
        np.testing.assert_array_equal(mask, np.ones(4, np.bool_))
        assert type(pair) is tuple and pair[0].tolist() == wanted.tolist() and pair[1] == 10
        assert element == wanted[1] and total == wanted.sum()
        np.testing.assert_array_equal(double, wanted + wanted)
    assert "y_ptr + [0 1 2 3]" in session.replies[4] and "y_ptr + [4 5 6 7]" in session.replies[11]
    assert "out_ptr + 0" in session.replies[5]
    assert "('y_ptr', 2, (4,), y_ptr + 3)" in session.replies[6]
    np.testing.assert_array_equal(out, x + y)


@triton.jit
def small_floats_kernel(x_ptr, SMALL: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 4)).to(SMALL)
    single = tl.load(x_ptr).to(SMALL)
    tl.store(x_ptr, tl.sum(x.to(tl.float32)) + single.to(tl.float32))


SMALL_FLOATS = [
    (tl.bfloat16, [0.30078125, -1.5, 3.0, 1000.0]),
    (tl.float16, [0.300048828125, -1.5, 3.0, 1000.0]),
    (tl.float8e5, [0.3125, -1.5, 3.0, 1024.0]),
    (tl.float8e4nv, [0.3125, -1.5, 3.0, 448.0]),
    (tl.float8e4b15, [0.3125, -1.5, 1.75, 1.75]),
]


@pytest.mark.parametrize(("small", "expected"), SMALL_FLOATS, ids=lambda value: str(value)[:24])
def test_floats_that_numpy_does_not_have(small: Any, expected: list[float]):
    x = np.array([0.3, -1.5, 3.0, 1000.0], np.float32)
    run = interpreted(small_floats_kernel, (1,), x, SMALL=small)
    Session(run, [(small_floats_kernel, "tl.store")], ["c", "!SEEN.append((x, single, SMALL))"])
    tile, single, constant = SEEN[0]
    assert tile.tolist() == expected and float(single) == expected[0] and constant is small


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK_K)
    acc = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + m[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + (start + k[:, None]) * N + n[None, :])
        acc += tl.dot(a, b)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


def test_a_product_step_by_step():
    a = (np.arange(4 * 12) % 7).reshape(4, 12).astype(np.float16)
    b = (np.arange(12 * 5) % 5).reshape(12, 5).astype(np.float16)
    c = np.zeros((4, 5), np.float32)
    run = interpreted(matmul_kernel, (1,), a, b, c, 12, M=4, N=5, BLOCK_K=4)
    look = "!SEEN.append((start, a, b, acc))"
    session = Session(run, [(matmul_kernel, "acc +=")], ["c", look, "c", look, "c", look])
    assert session.places()[1:] == ["matmul_kernel acc += tl.dot(a, b)"] * 3
    for step, (start, a_tile, b_tile, acc) in enumerate(SEEN[:3]):
        assert start == 4 * step
        np.testing.assert_array_equal(a_tile, a[:, start : start + 4])
        np.testing.assert_array_equal(b_tile, b[start : start + 4])
        np.testing.assert_array_equal(acc, a[:, :start].astype(np.float32) @ b[:start].astype(np.float32))
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


# Where it stops


@triton.jit
def doubled(value, OFFSET: tl.constexpr):
    """Twice the value, and something."""
    twice = value * 2
    return twice + OFFSET


@triton.jit
def outer_kernel(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 2))
    y = doubled(x, 3)
    tl.store(x_ptr + tl.arange(0, 2), y)


def test_step_enters_a_function_and_up_finds_the_caller():
    x = np.array([1, 2], np.int32)
    commands = ["c", "s", "s", "p value, OFFSET", "n", "p twice", "up", "p x", "p y", "down", "r", "n", "p y", "n", "n"]
    session = Session(interpreted(outer_kernel, (1,), x), [(outer_kernel, "y = doubled")], commands)
    assert session.places()[1:] == [
        "outer_kernel y = doubled(x, 3)",
        "Call doubled def doubled(value, OFFSET: tl.constexpr):",
        "doubled twice = value * 2",
        "doubled return twice + OFFSET",
        "outer_kernel y = doubled(x, 3)",
        "doubled return twice + OFFSET",
        "Return doubled return twice + OFFSET",
        "outer_kernel tl.store(x_ptr + tl.arange(0, 2), y)",
        "Return outer_kernel tl.store(x_ptr + tl.arange(0, 2), y)",
        "run with triton.interpret():",
    ]
    assert "(array([1, 2], dtype=int32), 3)" in session.replies[4]
    assert "array([2, 4], dtype=int32)" in session.replies[6]
    assert "array([1, 2], dtype=int32)" in session.replies[8] and "NameError" in session.replies[9]
    assert "array([5, 7], dtype=int32)" in session.replies[13]
    assert x.tolist() == [5, 7]


def test_next_does_not_enter_and_break_takes_the_name_of_a_kernel():
    x = np.array([1, 2], np.int32)
    session = Session(interpreted(outer_kernel, (1,), x), [], ["b outer_kernel", "c", "n", "n", "p y"])
    assert session.places()[1:] == [
        "outer_kernel x = tl.load(x_ptr + tl.arange(0, 2))",
        "outer_kernel y = doubled(x, 3)",
        "outer_kernel tl.store(x_ptr + tl.arange(0, 2), y)",
    ]
    assert "array([5, 7], dtype=int32)" in session.replies[5]


@triton.jit
def grid_kernel(out_ptr):
    row, column = tl.program_id(0), tl.program_id(1)
    at = row * tl.num_programs(1) + column
    tl.store(out_ptr + at, at)


CONDITIONS = [
    "row == 1 and column == 2",
    "program_id == (1, 2, 0)",
    "tl.program_id(0) * tl.num_programs(1) == 3 and column == 2",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_it_stops_in_the_program_that_a_condition_names(condition: str):
    out = np.full(6, -1, np.int32)
    run = interpreted(grid_kernel, (2, 3), out)
    session = Session(
        run, [(grid_kernel, "tl.store", condition)], ["c", "!SEEN.append((at, program_id))", "p tl.program_id(1)"]
    )
    assert SEEN[0] == (5, (1, 2, 0)) and session.replies[3].strip() == "2"
    assert session.places()[1:] == ["grid_kernel tl.store(out_ptr + at, at)"]
    assert out.tolist() == list(range(6))


def test_programs_run_one_after_another_in_order():
    out = np.full(6, -1, np.int32)
    look = "!SEEN.append((program_id, at))"
    Session(interpreted(grid_kernel, (2, 3), out), [(grid_kernel, "tl.store")], ["c", *[look, "c"] * 6])
    positions = [(row, column, 0) for column in range(3) for row in range(2)]
    expected = [(position, 3 * position[0] + position[1]) for position in positions]
    assert [*expected, "the end"] == SEEN


def test_stepping_out_of_the_last_program_leads_to_the_launch():
    out = np.full(2, -1, np.int32)
    run = interpreted(grid_kernel, (1, 2), out)
    session = Session(run, [(grid_kernel, "tl.store")], ["c", "s", "s", "s", "c", "s", "s", "n", "n"])
    assert session.places()[1:] == [
        "grid_kernel tl.store(out_ptr + at, at)",
        "Return grid_kernel tl.store(out_ptr + at, at)",
        "Call grid_kernel def grid_kernel(out_ptr):",
        "grid_kernel row, column = tl.program_id(0), tl.program_id(1)",
        "grid_kernel tl.store(out_ptr + at, at)",
        "Return grid_kernel tl.store(out_ptr + at, at)",
        "run with triton.interpret():",
        'run SEEN.append("the end")',
        'Return run SEEN.append("the end")',
    ]


LAUNCHER = """
def launch(kernel, out):
    kernel[(1, 1)](out)
    launched = True
"""


def test_stepping_out_leads_to_a_file_in_which_nobody_debugs(tmp_path: Path):
    file = tmp_path / "launcher.py"
    file.write_text(LAUNCHER)
    namespace: dict[str, Any] = {}
    exec(compile(LAUNCHER, str(file), "exec"), namespace)
    out = np.full(1, -1, np.int32)

    def run() -> None:
        with triton.interpret():
            namespace["launch"](grid_kernel, out)

    session = Session(run, [(grid_kernel, "tl.store")], ["c", "s", "s"])
    assert session.places()[1:] == [
        "grid_kernel tl.store(out_ptr + at, at)",
        "Return grid_kernel tl.store(out_ptr + at, at)",
        "launch launched = True",
    ]


# The same lines as Python


@triton.jit
def odd_part(number):
    while number % 2 == 0:
        number = number // 2
    return number


@triton.jit
def walk_kernel(out_ptr, n, LIMIT: tl.constexpr):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        elif i % 3 == 1:
            total += i
        else:
            total -= odd_part(i)
    for j in tl.static_range(2):
        total += j
    if LIMIT > 5:
        total += 100
    while total > 0:
        total -= 37
        if total == 26:
            break
    for k in range(0):
        total = k
    first, (second, third) = 1, (2, 3)
    pass  # noqa: PIE790
    tl.store(out_ptr, total + first + second + third)


class _Language(types.SimpleNamespace):
    """What the kernel above uses of the language, for Python."""

    constexpr = int

    def static_range(self, end: int) -> range:
        return range(end)

    def store(self, out: np.ndarray, value: int) -> None:
        out[0] = value


Step = tuple[str, str, int]


@contextmanager
def steps(functions: Sequence[Any]) -> Generator[list[Step]]:
    """The calls, lines and returns of functions; of what is called, the line is not told."""
    names, found = {function.__name__ for function in functions}, list[Step]()

    def trace(frame: types.FrameType, event: str, argument: object) -> Any:
        if frame.f_code.co_filename != __file__ or frame.f_code.co_name not in names:
            return None
        found.append((event, frame.f_code.co_name, 0 if event == "call" else frame.f_lineno))
        return trace

    outer = sys.gettrace()
    sys.settrace(trace)
    try:
        yield found
    finally:
        sys.settrace(outer)


def as_python(function: Any, **names: Any) -> Callable[..., Any]:
    return types.FunctionType(function.fn.__code__, {"range": range, "tl": _Language(), **names})


@pytest.mark.parametrize("n", [0, 1, 2, 7, 20])
@pytest.mark.parametrize("limit", [5, 6])
def test_a_kernel_goes_through_the_lines_that_python_goes_through(n: int, limit: int):
    kernel_out, python_out = np.zeros(1, np.int32), np.zeros(1, np.int32)
    with triton.interpret(), steps([walk_kernel, odd_part]) as found:
        walk_kernel[(1,)](kernel_out, n, LIMIT=limit)
    with steps([walk_kernel, odd_part]) as expected:
        as_python(walk_kernel, odd_part=as_python(odd_part))(python_out, n, limit)
    assert found == expected
    assert kernel_out[0] == python_out[0]


# breakpoint()


@triton.jit
def stopping_kernel(x_ptr, n):
    i = tl.program_id(0)
    if i == n:
        breakpoint()
    tl.store(x_ptr + i, i)


@triton.jit
def pdb_kernel(x_ptr, n):
    i = tl.program_id(0)
    if i == n:
        pdb.set_trace()
    tl.store(x_ptr + i, i)


def test_breakpoint_stops_a_kernel_without_a_debugger(monkeypatch: pytest.MonkeyPatch):
    frames: list[tuple[str, int, Any]] = []

    def hook() -> None:
        own = inspect.currentframe()
        assert own is not None
        frame = own.f_back
        assert frame is not None
        frames.append((frame.f_code.co_name, frame.f_lineno, frame.f_locals["i"]))

    monkeypatch.setattr(sys, "breakpointhook", hook)
    x = np.zeros(4, np.int32)
    for _ in range(2):
        with triton.interpret():
            stopping_kernel[(4,)](x, 2)
    assert frames == [("stopping_kernel", line_of(stopping_kernel, "breakpoint()"), 2)] * 2
    assert x.tolist() == [0, 1, 2, 3]


def test_set_trace_of_pdb_stops_a_kernel(monkeypatch: pytest.MonkeyPatch):
    stdin, stdout = io.StringIO("p i\ncontinue\n"), io.StringIO()

    def set_trace() -> None:
        debugger = pdb.Pdb(stdin=stdin, stdout=stdout, nosigint=True, readrc=False)
        debugger.use_rawinput = False
        frame = inspect.currentframe()
        assert frame is not None
        debugger.set_trace(frame.f_back)

    # pytest has put another one in its place.
    monkeypatch.setattr(pdb, "set_trace", set_trace)
    x = np.zeros(4, np.int32)
    outer = sys.gettrace()
    try:
        interpreted(pdb_kernel, (4,), x, 2)()
    finally:
        sys.settrace(outer)
    # From Python 3.13 on it stops at the line itself, before at the next one.
    start, *replies = stdout.getvalue().split("(Pdb) ")
    assert "pdb_kernel()\n-> " in start and replies[0] == "2\n"
    assert x.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(("kernel", "name"), [(stopping_kernel, "breakpoint"), (pdb_kernel, "set_trace")])
def test_breakpoint_is_refused_where_the_kernel_is_compiled(kernel: Any, name: str):
    x = np.zeros(4, np.int32)
    for launch in (lambda: kernel[(4,)](x, 2), lambda: kernel.warmup(x, 2, grid=(4,))):
        with pytest.raises(BreakpointError) as error:
            launch()
        assert f"test_debugger.py:{line_of(kernel, f'{name}()')}" in str(error.value)
        assert f"{name}() stops a kernel only on the interpreter" in str(error.value)
        assert "mytriton.interpret()" in str(error.value)


@triton.jit
def breakpoint_with_a_value_kernel(x_ptr):
    breakpoint(x_ptr)


def test_breakpoint_takes_no_arguments():
    with triton.interpret(), pytest.raises(triton.CompilationError, match="takes no arguments"):
        breakpoint_with_a_value_kernel[(1,)](np.zeros(1, np.int32))


# Errors and endings


@triton.jit
def out_of_bounds(x_ptr, at):
    inside = at * 2
    return tl.load(x_ptr + inside)


@triton.jit
def failing_kernel(x_ptr):
    i = tl.arange(0, 4)
    tl.store(x_ptr + i, out_of_bounds(x_ptr, i))


def test_an_error_is_raised_in_the_frame_where_it_happens():
    x = np.zeros(4, np.int32)
    with pytest.raises(triton.LaunchError, match="byte 16 of argument 'x_ptr'") as error, traced():
        interpreted(failing_kernel, (1,), x)()
    last = error.traceback[-1]
    assert last.frame.code.name == "out_of_bounds"
    assert last.lineno + 1 == line_of(out_of_bounds, "tl.load")
    assert last.frame.f_locals["inside"].tolist() == [0, 2, 4, 6]
    assert error.traceback[-2].frame.code.name == "failing_kernel"


def test_who_quits_the_debugger_leaves_nothing_behind():
    out = np.full(6, -1, np.int32)
    before = threading.active_count()
    for _ in range(3):
        Session(interpreted(grid_kernel, (6, 1), out), [(grid_kernel, "tl.store")], ["c", "c", "q"])
    assert SEEN == []
    # The program at whose store it quit has not stored.
    assert out.tolist() == [0, -1, -1, -1, -1, -1]
    interpreted(grid_kernel, (6, 1), out)()
    assert out.tolist() == list(range(6))
    assert threading.active_count() <= before


def test_a_launch_without_programs_stops_nowhere():
    out = np.full(1, -1, np.int32)
    with traced():
        interpreted(grid_kernel, (0, 1), out)()
    assert SEEN == ["the end"] and out[0] == -1


def test_without_a_debugger_kernels_are_interpreted_as_ever(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(JITFunction, "_debugged_kernel", lambda *args, **kwargs: pytest.fail("it was debugged"))
    out = np.full(6, -1, np.int32)
    monkeypatch.setattr(sys, "gettrace", lambda: None)
    interpreted(grid_kernel, (2, 3), out)()
    assert out.tolist() == list(range(6))


def test_read_only_arrays_are_not_written_to():
    out = np.full(6, -1, np.int32)
    out.flags.writeable = False
    with pytest.raises(triton.ArgumentError, match="read-only"), traced():
        interpreted(grid_kernel, (2, 3), out)()


@triton.jit
def told_kernel(x_ptr, N: tl.constexpr):
    tl.static_print("N is", N)
    tl.store(x_ptr, N)


def test_what_is_printed_while_a_kernel_is_compiled_is_printed_once(capsys: pytest.CaptureFixture[str]):
    x = np.zeros(1, np.int32)
    for context in (nullcontext(), traced(), traced(), nullcontext()):
        with context:
            interpreted(told_kernel, (1,), x, N=3)()
    assert capsys.readouterr().out == "N is 3\n"


# Less usual kernels


@triton.jit
def larger(a, b):
    is_larger = a > b
    return tl.where(is_larger, a, b)


@triton.jit
def first_large(a, b):
    if a > 2:
        chosen = a
    else:
        chosen = b
    return chosen


class Point(NamedTuple):
    x: int
    y: int


@triton.aggregate
class Range:
    low: tl.tensor
    high: tl.tensor

    @triton.jit
    def width(self):
        width = self.high - self.low
        return width


@triton.jit
def rare_kernel(x_ptr, out_ptr, pair, flag, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    most = tl.reduce(x, 0, larger)
    chosen = tl.reduce(x, 0, first_large)
    sums = tl.associative_scan(x, 0, larger)
    bounds = Range(tl.min(x), most)
    squares = [i * i for i in (1, 2, 3)]
    side = doubled(chosen, 1) if flag > 0 else odd_part(chosen)
    named = 0
    is_good = flag > 0 and (named := flag * 2) > 1
    total = most + chosen + bounds.width() + pair[0] + pair[1].y + squares[2] + side + is_good.to(tl.int32) + named
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1 + tl.arange(0, N), sums)


def test_combinations_aggregates_tuples_and_values_under_conditions():
    x = np.array([1, 4, 2, 3, 0, 5], np.int32)
    plain, debugged = np.zeros(7, np.int32), np.zeros(7, np.int32)
    arguments = ((10, Point(7, 20)), 1)
    with triton.interpret():
        rare_kernel[(1,)](x, plain, *arguments, N=6)
    look = "!SEEN.append((most, chosen, bounds, pair, squares, side, named, sums))"
    run = interpreted(rare_kernel, (1,), x, debugged, *arguments, N=6)
    breaks = [(rare_kernel, "tl.store(out_ptr, total)"), (larger, "is_larger = "), (odd_part, "number % 2")]
    session = Session(run, breaks, ["c", "!SEEN.append((a, b))", "disable 2", "c", look])
    assert session.places()[1:] == [
        "larger is_larger = a > b",
        "rare_kernel " + rare_kernel.src.splitlines()[-2].strip(),
    ]
    # A function that combines elements has all pairs of a step at once.
    assert [values.tolist() for values in SEEN[0]] == [[1, 2, 0], [4, 3, 5]]
    most, chosen, bounds, pair, squares, side, named, sums = SEEN[1]
    assert (most, bounds.low, bounds.high) == (5, 0, 5) and repr(bounds) == "Range(low=0, high=5)"
    assert pair == (10, (7, 20)) and type(pair[1]).__name__ == "Point"
    assert squares == (1, 4, 9) and side == 2 * chosen + 1 and named == 2
    assert sums.tolist() == [1, 4, 4, 4, 4, 5]
    np.testing.assert_array_equal(debugged, plain)


# Other debuggers than pdb


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring is of Python 3.12")
def test_a_debugger_that_monitors():
    monitoring: Any = getattr(sys, "monitoring")  # noqa: B009
    lines: list[int] = []

    def on_line(code: types.CodeType, line: int) -> None:
        if code.co_name == "grid_kernel":
            lines.append(line)

    monitoring.use_tool_id(monitoring.DEBUGGER_ID, "test")
    try:
        monitoring.register_callback(monitoring.DEBUGGER_ID, monitoring.events.LINE, on_line)
        monitoring.set_events(monitoring.DEBUGGER_ID, monitoring.events.LINE)
        interpreted(grid_kernel, (1, 2), np.zeros(2, np.int32))()
    finally:
        monitoring.set_events(monitoring.DEBUGGER_ID, 0)
        monitoring.free_tool_id(monitoring.DEBUGGER_ID)
    first = line_of(grid_kernel, "row, column =")
    assert lines == [first, first + 1, first + 2] * 2


@triton.jit
def slow_kernel(x_ptr, n):
    total = tl.zeros((64,), tl.float32)
    for i in range(n):
        total += tl.load(x_ptr + i % 4)
    tl.store(x_ptr, tl.sum(total))


def test_control_c_ends_a_launch():
    before = threading.active_count()
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    x = np.ones(4, np.float32)
    with pytest.raises(KeyboardInterrupt), traced():
        timer.start()
        interpreted(slow_kernel, (1,), x, 10**7)()
    timer.join()
    assert threading.active_count() <= before and x[0] == 1
