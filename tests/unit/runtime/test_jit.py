# pyright: reportMissingParameterType=false, reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownLambdaType=false
# pyright: reportArgumentType=false
"""Launching: what is compiled and when, and with which options; the compiler and the devices are stand-ins here."""

from __future__ import annotations

import copy
import pickle
import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mytriton.compiler import Compilation, Kernel
from mytriton.errors import ArgumentError, CompilationError, LaunchError, MytritonError, OptionError
from mytriton.language.constexpr import constexpr
from mytriton.options import Options
from mytriton.runtime import jit as jit_module
from mytriton.runtime.compiled import CompiledKernel
from mytriton.runtime.jit import JITFunction, jit
from mytriton.runtime.specialize import Specialization, specialize

WIDTH = constexpr(4)


@jit
def add(x_ptr, y_ptr, n, BLOCK: constexpr = 64):
    """Adds."""
    return x_ptr + y_ptr + WIDTH


class Recorder:
    """Stands for the compiler and for the devices, and writes down what they are asked."""

    def __init__(self) -> None:
        self.compilations: list[tuple[str, Specialization, Options]] = []
        self.launches: list[tuple[tuple[int, int, int], list[Any], str]] = []
        self.written: tuple[int, ...] = ()
        self.seconds = 0.0
        self.error: Exception | None = None

    def compile(self, function: JITFunction, specialization: Specialization, options: Options) -> Compilation:
        self.compilations.append((function.__name__, specialization, options))
        if self.error is not None:
            raise self.error
        time.sleep(self.seconds)
        kernel = Kernel(function.__name__, tuple((name, "int") for name in specialization.signature()), 4, 0, 0)
        return Compilation("cuda", kernel, self.written, options, {})

    def launch(self, kernel: CompiledKernel, grid: tuple[int, int, int], values: list[Any], device: str) -> None:
        self.launches.append((grid, list(values), device))


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder()
    monkeypatch.setattr(jit_module, "compile_or_load", recorder.compile)
    monkeypatch.setattr(CompiledKernel, "launch", lambda *arguments: recorder.launch(*arguments))
    monkeypatch.setattr(add, "_kernels", {})
    for name in ("MYTRITON_DEVICE", "MYTRITON_DOT_PRECISION"):
        monkeypatch.delenv(name, raising=False)
    return recorder


X = np.zeros(64, np.float32)


def test_a_launch(recorder: Recorder):
    kernel = add[(2, 3)](X, X, 100, BLOCK=32, num_warps=8)
    ((name, specialization, options),) = recorder.compilations
    assert name == "add"
    assert specialization.signature() == {"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32"}
    assert specialization.constants() == {"BLOCK": 32}
    assert options == Options(num_warps=8)
    assert recorder.launches == [((2, 3, 1), [X.ctypes.data, X.ctypes.data, 100], "cpu")]
    assert isinstance(kernel, CompiledKernel)
    assert (kernel.name, kernel.num_warps, kernel.arch) == ("add", 8, "sm_80")


def test_calls_of_one_kind_are_compiled_once(recorder: Recorder):
    first = add[(1,)](X, X, 100)
    assert add[(2,)](X, X, 101 + 3, BLOCK=64) is first
    assert add[(2,)](x_ptr=X, y_ptr=X, n=100, num_warps=4, num_stages=3) is first
    assert len(recorder.compilations) == 1
    assert add[(1,)](X, X, 16) is not first
    assert add[(1,)](X, X, 100, num_warps=2) is not first
    assert add[(1,)](X, X, 100, arch="sm_90a") is not first
    assert len(recorder.compilations) == 4


def test_a_changed_global_is_compiled_anew_and_its_old_value_is_remembered(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
):
    first = add[(1,)](X, X, 100)
    monkeypatch.setitem(globals(), "WIDTH", constexpr(8))
    second = add[(1,)](X, X, 100)
    assert second is not first
    monkeypatch.setitem(globals(), "WIDTH", constexpr(4))
    assert add[(1,)](X, X, 100) is first
    assert len(recorder.compilations) == 2


def test_an_integer_of_one_is_no_argument_of_the_compiled_kernel(recorder: Recorder):
    add[(1,)](X, X, 1)
    assert recorder.launches[0][1] == [X.ctypes.data, X.ctypes.data]


def test_a_grid_may_be_a_function_of_the_arguments(recorder: Recorder):
    seen: dict[str, Any] = {}

    def grid(meta: dict[str, Any]) -> tuple[int, int]:
        seen.update(meta)
        return -(-meta["n"] // meta["BLOCK"]), meta["num_warps"]

    add[grid](X, X, 100, BLOCK=32, num_warps=2)
    assert recorder.launches[0][0] == (4, 2, 1)
    assert seen["x_ptr"] is X


@pytest.mark.parametrize("grid", [(-2,), (-1,), (1.5,), (), None, lambda meta: (-1,)])
def test_a_bad_grid_is_found_before_anything_is_compiled(recorder: Recorder, grid: Any):
    with pytest.raises(LaunchError, match="the grid of kernel add"):
        add[grid](X, X, 100)
    assert recorder.compilations == []


def test_warmup_compiles_and_does_not_run(recorder: Recorder):
    kernel = add.warmup("*fp16", "*fp16", "i32", grid=(1,), arch="sm_90a", BLOCK=128, num_warps=2)
    assert recorder.compilations[0][1].signature() == {"x_ptr": "*fp16", "y_ptr": "*fp16", "n": "i32"}
    assert kernel.options == Options(num_warps=2, arch="sm_90a")
    assert recorder.launches == []
    assert add.warmup(X, X, 100).options == Options()


def test_warmup_from_types_and_a_launch_share_code(recorder: Recorder):
    aligned = np.zeros(80, np.uint8)
    start = -aligned.ctypes.data % 16
    array = aligned[start : start + 64].view(np.float32)
    kernel = add.warmup("*fp32", "*fp32", "i32")
    assert add[(1,)](array, array, 100) is kernel


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_warps": 3}, "num_warps must be a power of two from 1 to 32, found 3"),
        ({"num_warps": 64}, "num_warps must be a power of two from 1 to 32, found 64"),
        ({"num_warps": True}, "num_warps must be a power of two from 1 to 32, found True"),
        ({"num_warps": 4.0}, "num_warps must be a power of two from 1 to 32, found 4.0"),
        ({"num_warps": [4]}, "an option of kernel add has a value of the wrong type"),
        ({"num_stages": -1}, "num_stages must be an integer that is not negative, found -1"),
        ({"arch": "sm_42"}, "arch must be one of sm_75, sm_80"),
        ({"maxnreg": 0}, "maxnreg must be an integer from 1 to 255, found 0"),
        ({"input_precision": "fp8"}, "input_precision must be one of ieee, tf32, tf32x3, bf16x3, bf16x6, found 'fp8'"),
        ({"num_ctas": 2}, "num_ctas must be 1, found 2"),
    ],
)
def test_bad_options(recorder: Recorder, options: dict[str, Any], message: str):
    with pytest.raises(OptionError) as caught:
        add[(1,)](X, X, 100, **options)
    assert str(caught.value).startswith(message)
    assert recorder.compilations == []


def test_options_may_be_numpy_integers_and_constants(recorder: Recorder):
    add[(1,)](X, X, 100, num_warps=np.int64(8), num_stages=constexpr(2))
    assert recorder.compilations[0][2] == Options(num_warps=8, num_stages=2)


def test_options_that_change_nothing_are_accepted(recorder: Recorder):
    add[(1,)](X, X, 100, num_ctas=1)
    assert recorder.compilations[0][2] == Options()


def test_the_environment_chooses_the_precision_of_dots(recorder: Recorder, monkeypatch: pytest.MonkeyPatch):
    add[(1,)](X, X, 100)
    monkeypatch.setenv("MYTRITON_DOT_PRECISION", "tf32")
    add[(1,)](X, X, 100)
    add[(1,)](X, X, 100, input_precision="ieee")
    assert [options.input_precision for _, _, options in recorder.compilations] == ["ieee", "tf32"]


def test_a_parameter_with_the_name_of_an_option_gets_the_value_too(recorder: Recorder):
    @jit
    def kernel(x_ptr, num_warps: constexpr):
        return x_ptr

    kernel[(1,)](X, num_warps=8)
    _, specialization, options = recorder.compilations[0]
    assert specialization.constants() == {"num_warps": 8}
    assert options.num_warps == 8


@pytest.mark.parametrize(
    ("positional", "keywords", "message"),
    [
        ((X, X), {}, "kernel add is missing the argument 'n'"),
        ((X, X, 1, 2, 3), {}, "kernel add takes 4 arguments, but 5 were given"),
        ((X, X, 1), {"num_wraps": 4}, "kernel add has no parameter and no option 'num_wraps'"),
        ((X, X, 1), {"n": 4}, "kernel add got two values for the argument 'n'"),
        ((X, "*fp32", 1), {}, "argument 'y_ptr' of kernel add is of type str"),
        ((X, X.astype(complex), 1), {}, "argument 'y_ptr' of kernel add is an array of dtype complex128"),
    ],
)
def test_bad_arguments(recorder: Recorder, positional: Any, keywords: Any, message: str):
    with pytest.raises(ArgumentError) as caught:
        add[(1,)](*positional, **keywords)
    assert str(caught.value).startswith(message)
    assert recorder.compilations == []


def test_a_read_only_array_is_refused_only_where_it_is_written(recorder: Recorder):
    read_only = X.copy()
    read_only.flags.writeable = False
    add[(1,)](read_only, X, 100)
    recorder.written = (1,)
    add[(1,)](read_only, X, 100, num_warps=2)
    with pytest.raises(ArgumentError) as caught:
        add[(1,)](X, read_only, 100, num_warps=2)
    assert str(caught.value) == ("argument 'y_ptr' of kernel add is a read-only array, but the kernel stores to it")


def test_arguments_that_became_constants_do_not_shift_the_written_ones(recorder: Recorder):
    read_only = X.copy()
    read_only.flags.writeable = False
    recorder.written = (0,)
    with pytest.raises(ArgumentError, match="'y_ptr' of kernel add is a read-only array"):
        add[(1,)](None, read_only, 100)


def test_half_scalars_are_launched_as_their_bits(monkeypatch: pytest.MonkeyPatch):
    kernel = Kernel("k", (("x", "float*"), ("scale", "half"), ("shift", "bfloat16")), 4, 0, 0)
    call = specialize("k", add.params, [X, X, 100, 64])
    compiled = CompiledKernel(Compilation("cuda", kernel, (), Options(), {}), call)
    launched: list[Any] = []
    monkeypatch.setattr(compiled, "_cpu", SimpleNamespace(launch=lambda grid, values: launched.append(values)))
    compiled.launch((1, 1, 1), [64, 1.0, 1.0], "cpu")
    assert launched == [[64, 0x3C00, 0x3F80]]


def test_a_failed_compilation_is_tried_again(recorder: Recorder):
    recorder.error = CompilationError("no")
    for _ in range(2):
        with pytest.raises(CompilationError):
            add[(1,)](X, X, 100)
    assert len(recorder.compilations) == 2
    recorder.error = None
    add[(1,)](X, X, 100)
    assert len(recorder.launches) == 1


def test_a_launch_without_arrays_runs_where_the_environment_says(recorder: Recorder, monkeypatch: pytest.MonkeyPatch):
    @jit
    def kernel(n):
        return n

    kernel[(1,)](5)
    assert recorder.launches[-1][2] == "cpu"
    monkeypatch.setenv("MYTRITON_DEVICE", "cuda:1")
    kernel[(1,)](5, arch="sm_90a")
    assert recorder.launches[-1][2] == "cuda:1"
    monkeypatch.setenv("MYTRITON_DEVICE", "tpu")
    with pytest.raises(OptionError, match="MYTRITON_DEVICE must be cpu, cuda or cuda:<number>, found 'tpu'"):
        kernel[(1,)](5)


def test_threads_share_one_compilation(recorder: Recorder):
    recorder.seconds = 0.05
    found: list[CompiledKernel] = []
    threads = [threading.Thread(target=lambda: found.append(add[(1,)](X, X, 100))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(recorder.compilations) == 1
    assert len(found) == 8 and len(set(map(id, found))) == 1


def test_a_kernel_is_not_called_as_a_function():
    with pytest.raises(LaunchError, match=r"launch it as add\[grid\]\(\.\.\.\)"):
        add(X, X, 100)


def test_a_kernel_pickles_by_its_name_and_copies_to_itself():
    assert copy.deepcopy(add) is add
    assert copy.copy(add) is add

    @jit
    def inner(x):
        return x

    with pytest.raises(pickle.PicklingError, match="cannot be pickled"):
        pickle.dumps(inner)


def test_what_a_kernel_says_about_itself():
    assert add.__name__ == "add"
    assert add.__doc__ == "Adds."
    assert add.is_mytriton_jit
    assert add.arg_names == ["x_ptr", "y_ptr", "n", "BLOCK"]
    assert repr(add).endswith("test_jit:add)")
    assert add.src.startswith("def add(x_ptr, y_ptr, n, BLOCK: constexpr = 64):\n")
    assert (add.source_file, add.source_indent) == (__file__, 0)
    with open(__file__, encoding="utf-8") as file:
        assert file.read().splitlines()[add.source_line - 1] == add.src.splitlines()[0]


def test_the_source_of_a_function_within_another_with_a_decorator_of_many_lines():
    # fmt: off
    @jit(
        do_not_specialize=["n"],
        debug=True,
    )
    def inner(x, n,
  k=1):
        """Text
that stands further to the left."""
        return x
    # fmt: on

    assert inner.src.startswith('def inner(x, n,\n  k=1):\n    """Text\nthat stands')
    assert inner.source_indent == 4
    assert inner.params[1].do_not_specialize
    assert inner.parse().body[0].lineno == 1


def test_settings_are_accepted():
    @jit(noinline=True, repr=lambda specialization: "name", launch_metadata=lambda *arguments: {}, version=1)
    def inner(x):
        return x

    assert inner.noinline
    assert jit(inner) is inner


def test_what_cannot_be_a_kernel():
    with pytest.raises(MytritonError, match="jit takes a Python function, found <class 'int'>"):
        jit(int)
    with pytest.raises(MytritonError, match="made by a def statement"):
        jit(lambda x: x)
    namespace: dict[str, Any] = {}
    exec("def made(x): return x", namespace)
    with pytest.raises(MytritonError, match="jit needs the source text of made"):
        jit(namespace["made"])

    async def waits(x):
        return x

    with pytest.raises(MytritonError, match="made by a def statement"):
        jit(waits)


def test_any_number_of_keywords_is_refused_at_the_launch(recorder: Recorder):
    @jit
    def kernel(x, **pointers):
        return pointers

    with pytest.raises(ArgumentError, match=r"its parameter '\*\*pointers' takes any number"):
        kernel[(1,)](X, 0)


def test_a_tuple_is_one_argument_for_each_element(recorder: Recorder):
    @jit
    def kernel(pair, *rest, n=3):
        return pair, rest

    kernel[(1,)]((X, 1), 5, (6, X))
    ((_, call, _),) = recorder.compilations
    assert list(call.signature()) == ["pair_0", "rest_0", "rest_1_0", "rest_1_1", "n"]
    kernel[(1,)]((X, 1), 7, (8, X))
    assert len(recorder.compilations) == 1
    kernel[(1,)]((X, 1), (5, 6), X)
    assert len(recorder.compilations) == 2


@pytest.mark.parametrize("grid", [(0,), (4, 0), lambda meta: (0, 3, 2)])
def test_a_grid_of_no_programs_launches_nothing(recorder: Recorder, grid: Any):
    add[grid](X, X, 100)
    assert len(recorder.compilations) == 1 and recorder.launches == []


def test_an_unknown_option_of_jit():
    with pytest.raises(OptionError, match=r"jit has no option 'foo'; its options are version, do_not_specialize, "):
        jit(foo=3)  # pyright: ignore[reportCallIssue, reportUnknownMemberType]


@jit
def takes_any_keywords(x, o, n, **a):
    pass


def test_a_kernel_that_takes_any_keywords_cannot_be_launched():
    with pytest.raises(ArgumentError, match=r"takes_any_keywords cannot be launched: its parameter '\*\*a'"):
        takes_any_keywords[(1,)](1, 2, 3)
