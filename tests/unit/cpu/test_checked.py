"""The checker on CUDA C texts: each fault that is planted is found, where it is, and what is right is let pass."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mytriton.runtime import cpu
from mytriton.runtime.cpu.faults import ATOMIC, READ, SHARED_MEMORY, WRITE, RawFault, RawKind
from tests.unit.cpu.running import kernel_text, metadata

FIRST_LINE = 4  # of a body in `kernel_text`


def checked(params: str, body: str, num_warps: int = 1) -> cpu.CheckedKernel:
    return cpu.compile_checked(kernel_text(params, body, num_warps), metadata("kernel", params, num_warps))


def extents(params: str, args: tuple[Any, ...]) -> list[cpu.ArrayExtent]:
    names = params.split(",")
    return [
        cpu.ArrayExtent(i, arg.ctypes.data, arg.nbytes, element_bytes=arg.itemsize, written="const" not in names[i])
        for i, arg in enumerate(args)
        if isinstance(arg, np.ndarray)
    ]


def check(
    params: str, body: str, *args: Any, num_warps: int = 1, grid: tuple[int, ...] = (1,), **options: Any
) -> list[RawFault]:
    """The faults of an exact launch."""
    kernel = checked(params, body, num_warps)
    values = [arg.ctypes.data if isinstance(arg, np.ndarray) else arg for arg in args]
    chosen: dict[str, Any] = {"exact": True, "workers": 1, **options}
    return kernel.launch_checked(grid, values, extents(params, args), **chosen)


def find(params: str, body: str, *args: Any, **options: Any) -> RawFault:
    """The only fault, which a launch that is not exact is suspicious of as well."""
    before: list[Any] = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    (fault,) = check(params, body, *args, **options)
    quick: dict[str, Any] = {**options, "exact": False, "workers": 2}
    (first, *_) = check(params, body, *before, **quick)
    in_shared_memory = (RawKind.SHARED_RACE, RawKind.SHARED_UNINITIALISED, RawKind.ASYNCHRONOUS_COPY)
    assert first.kind == (RawKind.SUSPICION if fault.kind in in_shared_memory else fault.kind)
    return fault


def ints(n: int = 64) -> npt.NDArray[np.int32]:
    return np.arange(n, dtype=np.int32)


EXCHANGE = """\
int tid = threadIdx.x;
__shared__ __align__(16) int s[64];
s[tid] = x[tid];
__syncthreads();
out[tid] = s[63 - tid];"""


def test_clean() -> None:
    x, out = ints(), ints()
    assert not check("const int *x, int *out", EXCHANGE, x, out, num_warps=2)
    assert (out == 63 - x).all()


@pytest.mark.parametrize("seed", [None, *range(20)])
def test_a_missing_barrier_is_a_race(seed: int | None) -> None:
    body = EXCHANGE.replace("__syncthreads();", "")
    kinds = {RawKind.SHARED_RACE, RawKind.SHARED_UNINITIALISED}
    faults = check("const int *x, int *out", body, ints(), ints(), num_warps=2, seed=seed)
    assert len(faults) == 1 and faults[0].kind in kinds
    assert faults[0].own.line in (FIRST_LINE + 2, FIRST_LINE + 4)


def test_write_after_read() -> None:
    body = EXCHANGE + "\ns[tid] = 0;"
    fault = find("const int *x, int *out", body, ints(), ints(), num_warps=2)
    assert (fault.kind, fault.array, fault.array_line) == (RawKind.SHARED_RACE, SHARED_MEMORY, FIRST_LINE + 1)
    assert {fault.own.access, fault.other.access} == {READ, WRITE}
    assert {fault.own.line, fault.other.line} == {FIRST_LINE + 4, FIRST_LINE + 5}
    assert fault.own.thread + fault.other.thread == 63 and fault.offset % 4 == 0


def test_two_writes() -> None:
    body = "__shared__ __align__(16) int s[2];\ns[0] = threadIdx.x;\n__syncthreads();\nout[threadIdx.x] = s[0];"
    fault = find("int *out", body, ints())
    assert (fault.kind, fault.own.access, fault.other.access) == (RawKind.SHARED_RACE, WRITE, WRITE)
    assert (fault.own.line, fault.other.line, fault.own.thread, fault.other.thread) == (5, 5, 1, 0)
    # What is equal does no harm.
    assert not check("int *out", body.replace("= threadIdx.x", "= 7"), ints())


def test_uninitialised() -> None:
    body = """\
__shared__ __align__(16) int s[64];
s[threadIdx.x] = 1;
__syncthreads();
out[threadIdx.x] = s[threadIdx.x + 1];"""
    fault = find("int *out", body, ints())
    assert (fault.kind, fault.offset, fault.own.thread) == (RawKind.SHARED_UNINITIALISED, 32 * 4, 31)
    # What an earlier program left there does not count.
    assert find("int *out", body, ints(), grid=(3,)).kind == RawKind.SHARED_UNINITIALISED


def test_outside_of_a_shared_array() -> None:
    body = """\
__shared__ __align__(16) int s[32];
__shared__ __align__(16) int t[32];
s[threadIdx.x + 1] = 1;
t[threadIdx.x] = 1;"""
    fault = find("int *out", body, ints())
    assert (fault.kind, fault.array, fault.offset, fault.own.thread) == (RawKind.OUT_OF_BOUNDS, SHARED_MEMORY, 128, 31)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("access", ["read", "write"])
def test_outside_of_an_array(dtype: Any, access: str) -> None:
    c_type = {"int8": "signed char", "int16": "short", "int32": "int", "int64": "long long", "float32": "float"}
    name = c_type.get(np.dtype(dtype).name, "double")
    statement = "out[tid] = x[tid + by];" if access == "read" else "out[tid + by] = x[0];"
    statement = "int tid = threadIdx.x;\n" + statement
    both: npt.NDArray[Any] = np.zeros(96, dtype)
    x, out = both[:32], both[32:64]  # neighbours: what is beyond one is in the other
    params = f"const {name} *x, {name} *out, int by"
    assert not check(params, statement, x, out, 0)
    for by, thread in ((1, 31), (-1, 0), (32, 0), (-32, 0)):
        fault = find(params, statement, x, out, by)
        assert (fault.kind, fault.array) == (RawKind.OUT_OF_BOUNDS, 0 if access == "read" else 1)
        assert fault.own.thread == thread and fault.offset == (thread + by) * x.itemsize
        assert fault.own.access == (READ if access == "read" else WRITE) and fault.own.line == FIRST_LINE + 1
    assert (both == 0).all()


def test_gaps_between_rows() -> None:
    base = np.zeros((4, 16), np.float32)
    view = base[:, :10]
    body = "out[0] = x[row * 16 + column];"
    params = "const float *x, float *out, int row, int column"
    kernel, out = checked(params, body), np.zeros(1, np.float32)
    span = (3 * 16 + 10) * 4
    arrays = [
        cpu.ArrayExtent(0, view.ctypes.data, span, 64, 40, 4),
        cpu.ArrayExtent(1, out.ctypes.data, 4, written=True),
    ]
    for row, column in itertools.product(range(4), range(16)):
        faults = kernel.launch_checked((1,), [view.ctypes.data, out.ctypes.data, row, column], arrays, workers=1)
        assert [fault.kind for fault in faults] == ([] if column < 10 else [RawKind.OUT_OF_BOUNDS]), (row, column)


def test_misaligned() -> None:
    body = "*(int2 *)&out[2 * threadIdx.x + by] = make_int2(1, 2);"
    assert not check("int *out, int by", body, np.zeros(80, np.int32), 0)
    fault = find("int *out, int by", body, np.zeros(80, np.int32), 1)
    assert (fault.kind, fault.size, fault.own.access) == (RawKind.MISALIGNED, 8, WRITE)
    shared = """\
__shared__ __align__(16) int s[80];
*(int4 *)&s[4 * threadIdx.x % 64 + by] = make_int4(1, 2, 3, 4);
out[0] = 0;"""
    assert find("int *out, int by", shared, np.zeros(80, np.int32), 2).kind == RawKind.MISALIGNED


def test_programs_that_write_one_element() -> None:
    body = """\
out[threadIdx.x / 2] = 1;
if (blockIdx.x == by) out[threadIdx.x + 32] = 2;
out[96 + blockIdx.x * 32 + threadIdx.x] = 1;"""
    fault = find("int *out, int by", body, np.zeros(256, np.int32), 0, grid=(2,))
    assert (fault.kind, fault.own.line, fault.other.line, fault.offset) == (RawKind.PROGRAM_RACE, 4, 4, 0)
    assert (tuple(fault.own.program), tuple(fault.other.program)) == ((1, 0, 0), (0, 0, 0))


@pytest.mark.parametrize("reader", [0, 1])
def test_a_program_reads_what_another_writes(reader: int) -> None:
    body = "if (blockIdx.y == reader) sink[threadIdx.x] = data[threadIdx.x];\nelse data[threadIdx.x] = 1;"
    fault = find("int *data, int *sink, int reader", body, ints(), ints(), reader, grid=(1, 2))
    assert (fault.kind, fault.array, fault.own.thread, fault.other.thread) == (RawKind.PROGRAM_RACE, 0, 0, 0)
    assert (fault.own.access, fault.other.access) == ((READ, WRITE) if reader else (WRITE, READ))
    assert (fault.own.line, fault.other.line) == ((4, 5) if reader else (5, 4))
    assert tuple(fault.own.program) == (0, 1, 0) and tuple(fault.other.program) == (0, 0, 0)


def test_a_program_writes_what_it_and_another_have_read() -> None:
    body = """\
sink[blockIdx.x * 32 + threadIdx.x] = data[threadIdx.x];
if (blockIdx.x == writer) data[threadIdx.x] = 1;"""
    for writer in range(3):
        fault = find("int *data, int *sink, int writer", body, ints(), ints(96), writer, grid=(3,))
        assert fault.kind == RawKind.PROGRAM_RACE and fault.array == 0


def test_atomic_operations_are_no_race() -> None:
    body = """\
atomicAdd(&out[threadIdx.x % 4], 1);
__shared__ __align__(16) int s[4];
if (threadIdx.x < 4) s[threadIdx.x] = 0;
__syncthreads();
atomicAdd(&s[threadIdx.x % 4], 1);
__syncthreads();
out[64 + blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x % 4];"""
    out = np.zeros(128, np.int32)
    assert not check("int *out", body, out, grid=(2,))
    assert (out[:4] == 16).all() and (out[64:] == 8).all()
    assert not check("int *out", body, out, grid=(2,), exact=False)
    # Without the second barrier some thread reads what others still add to.
    late = "__syncthreads();".join(body.split("__syncthreads();")[:2]) + body.split("__syncthreads();")[2]
    fault = find("int *out", late, out)
    assert fault.kind == RawKind.SHARED_RACE and ATOMIC in (fault.own.access, fault.other.access)


def test_a_plain_access_beside_an_atomic_one() -> None:
    body = "if (blockIdx.x == 0) atomicAdd(&out[0], 1);\nelse out[0] = 5;"
    fault = find("int *out", body, np.zeros(4, np.int32), grid=(2,))
    assert (fault.kind, fault.own.access, fault.other.access) == (RawKind.PROGRAM_RACE, WRITE, ATOMIC)


HANDOVER = """\
if (blockIdx.x == 0) {
    data[threadIdx.x] = 7;
    __syncthreads();
    if (threadIdx.x == 0) {
        RELEASE
        atomicExch(&flag[0], 1);
    }
} else {
    if (threadIdx.x == 0) {
        while (atomicAdd(&flag[0], 0) != 1) {
        }
        ACQUIRE
    }
    __syncthreads();
    sink[threadIdx.x] = data[threadIdx.x];
}"""
FENCES = """
#ifdef __CUDACC__
static __device__ void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
#endif
"""


@pytest.mark.parametrize(("release", "acquire"), list(itertools.product(("fence();", ""), repeat=2)))
def test_what_is_published_by_a_fence(release: str, acquire: str) -> None:
    body = HANDOVER.replace("RELEASE", release).replace("ACQUIRE", acquire)
    data, flag, sink = ints(), np.zeros(1, np.int32), np.zeros(32, np.int32)
    faults = check("int *data, int *flag, int *sink", body, data, flag, sink, grid=(2,))
    if release and acquire:
        assert not faults and (sink == 7).all()
    else:
        (fault,) = faults
        assert (fault.kind, fault.array, fault.own.access) == (RawKind.PROGRAM_RACE, 0, READ)


def test_a_chain_of_locks() -> None:
    """Each program adds to what those before it have left, one after the other."""
    body = """\
if (threadIdx.x == 0) {
    while (atomicCAS(&lock[0], 0, 1) != 0) {
    }
    fence();
}
__syncthreads();
data[threadIdx.x] = data[threadIdx.x] + 1;
__syncthreads();
if (threadIdx.x == 0) {
    fence();
    atomicExch(&lock[0], 0);
}"""
    params = "int *data, int *lock"
    for workers in (1, 2, 4):
        data = np.zeros(32, np.int32)
        assert not check(params, body, data, np.zeros(1, np.int32), grid=(40,), workers=workers)
        assert (data == 40).all()
    without = body.replace("    fence();\n", "", 1)
    assert find(params, without, np.zeros(32, np.int32), np.zeros(1, np.int32), grid=(40,)).kind == RawKind.PROGRAM_RACE


def test_threads_of_a_program() -> None:
    body = "data[threadIdx.x] = 1;\nBARRIER\nsink[threadIdx.x] = data[63 - threadIdx.x];"
    params, arrays = "int *data, int *sink", (ints(), ints())
    assert not check(params, body.replace("BARRIER", "__syncthreads();"), *arrays, num_warps=2)
    fault = find(params, body.replace("BARRIER", ""), *arrays, num_warps=2)
    assert (fault.kind, fault.array) == (RawKind.THREAD_RACE, 0)
    assert {fault.own.access, fault.other.access} == {READ, WRITE}
    assert {fault.own.line, fault.other.line} == {4, 6} and fault.own.thread + fault.other.thread == 63
    # Two values for one element; one value is no fault.
    both = "data[threadIdx.x / 2] = VALUE;"
    assert find("int *data", both.replace("VALUE", "threadIdx.x"), ints()).kind == RawKind.THREAD_RACE
    assert not check("int *data", both.replace("VALUE", "5"), ints())


def test_lanes_that_meet() -> None:
    body = """\
__shared__ __align__(16) int s[64];
s[threadIdx.x] = threadIdx.x;
__syncwarp(MASK);
out[threadIdx.x] = s[threadIdx.x ^ BY];"""
    for warps in (1, 2):
        full = body.replace("MASK", "0xffffffff")
        assert not check("int *out", full.replace("BY", "31"), ints(), num_warps=warps)
    assert find("int *out", full.replace("BY", "32"), ints(), num_warps=2).kind in (
        RawKind.SHARED_RACE,
        RawKind.SHARED_UNINITIALISED,
    )
    # Halves of a warp meet by themselves.
    halves = body.replace("MASK", "threadIdx.x % 32 < 16 ? 0xffff : 0xffff0000")
    assert not check("int *out", halves.replace("BY", "15"), ints(), num_warps=2)
    (fault,) = check("int *out", halves.replace("BY", "16"), ints(), num_warps=2, seed=1)
    assert fault.kind in (RawKind.SHARED_RACE, RawKind.SHARED_UNINITIALISED)
    # Reads of several lanes, after which they meet, before one of them writes.
    reads = body.replace("MASK", "0xffffffff").replace("BY", "1") + "\n__syncwarp();\ns[threadIdx.x ^ 2] = 3;"
    assert not check("int *out", reads, ints(), num_warps=2)
    assert find("int *out", reads.replace("__syncwarp();\ns", "s"), ints(), num_warps=2).kind == RawKind.SHARED_RACE


def test_a_bound_on_steps() -> None:
    body = "int i = 0;\nwhile (true) {\n    i = i + 1;\n    if (i == stop) break;\n}\nout[threadIdx.x] = i;"
    out = ints()
    assert not check("int *out, int stop", body, out, 20, step_limit=32 * 20)
    fault = find("int *out, int stop", body, out, -1, step_limit=10_000)
    assert (fault.kind, fault.own.line) == (RawKind.STEPS, FIRST_LINE + 1)


def test_all_faults_that_differ() -> None:
    body = """\
out[threadIdx.x + 40] = 1;
out[x[threadIdx.x + 100]] = 1;
out[threadIdx.x] = 3;
out[threadIdx.x / 2] = threadIdx.x;"""
    faults = check("const int *x, int *out", body, ints(), ints(), find_all=True, grid=(2,))
    found = {(fault.kind, fault.own.line) for fault in faults}
    assert {
        (RawKind.OUT_OF_BOUNDS, 4),
        (RawKind.OUT_OF_BOUNDS, 5),
        (RawKind.THREAD_RACE, 7),
        (RawKind.PROGRAM_RACE, 6),
    } <= found
    assert [fault.count for fault in faults if (fault.kind, fault.own.line) == (RawKind.OUT_OF_BOUNDS, 4)] == [16]


COPY = """\
int tid = threadIdx.x;
__shared__ __align__(16) int s[2][32];
copy_async_4(&s[0][tid], &x[tid]);
copy_async_commit();
copy_async_4(&s[1][tid], &x[tid + 32]);
copy_async_commit();
copy_async_wait(1);
__syncthreads();
out[tid] = s[0][31 - tid];
copy_async_wait(0);
__syncthreads();
out[tid + 32] = s[1][31 - tid];"""


def test_asynchronous_copies() -> None:
    x, out = ints(), ints()
    assert not check("const int *x, int *out", COPY, x, out)
    assert not check("const int *x, int *out", COPY, x, out, exact=False)
    assert (out == x.reshape(2, 32)[:, ::-1].ravel()).all()
    plain = cpu.compile(kernel_text("const int *x, int *out", COPY), metadata("kernel", "const int *x, int *out"))
    out[:] = 0
    plain.launch((1,), [x.ctypes.data, out.ctypes.data])
    assert (out == x.reshape(2, 32)[:, ::-1].ravel()).all()


@pytest.mark.parametrize("line", [6, 7, 9, 10])
def test_a_wait_or_barrier_less(line: int) -> None:
    lines = COPY.split("\n")
    lines[line] = "copy_async_wait(2);" if "wait" in lines[line] else ""
    fault = find("const int *x, int *out", "\n".join(lines), ints(), ints())
    expected = RawKind.ASYNCHRONOUS_COPY if "wait" in COPY.split("\n")[line] else RawKind.SHARED_RACE
    # Without a barrier, what another thread copies may not have been begun, or not be there yet.
    early = (RawKind.ASYNCHRONOUS_COPY, RawKind.SHARED_UNINITIALISED, RawKind.SHARED_RACE)
    assert fault.kind in ((expected,) if expected == RawKind.ASYNCHRONOUS_COPY else early)
    assert fault.own.line == FIRST_LINE + (8 if line < 8 else 11)


@pytest.mark.parametrize("seed", range(6))
def test_an_order_is_the_same_each_time(seed: int) -> None:
    body = "int at = atomicAdd(&out[0], 1);\n__syncthreads();\nout[1 + blockIdx.x * 64 + threadIdx.x] = at;"
    orders: list[np.ndarray] = []
    for _ in range(2):
        out = np.zeros(1 + 64 * 5, np.int32)
        assert not check("int *out", body, out, num_warps=2, grid=(5,), seed=seed)
        assert (np.sort(out[1:]) == np.arange(320)).all()
        orders.append(out)
    assert (orders[0] == orders[1]).all() and not (orders[0][1:] == np.arange(320)).all()


def test_launches_in_threads_do_not_disturb_each_other() -> None:
    from concurrent.futures import ThreadPoolExecutor

    kernel = checked("const int *x, int *out", EXCHANGE, 2)

    def run(_: int) -> bool:
        x, out = ints(), np.zeros(64, np.int32)
        faults = kernel.launch_checked(
            (1,), [x.ctypes.data, out.ctypes.data], extents("const int *x, int *out", (x, out))
        )
        return not faults and bool((out == 63 - x).all())

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(run, range(50)))
