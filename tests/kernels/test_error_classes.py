"""Every class of `mytriton.errors`: what its user did, and what the error says about it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton import errors
from mytriton.frontend.builder import Builder
from mytriton.runtime import cuda_device, nvrtc
from mytriton.runtime.cpu import toolchain

covered: set[type[errors.MytritonError]] = set()
"""The classes that a test below raises."""


def raises(*classes: type[errors.MytritonError]) -> Callable[[Any], Any]:
    """Says that a test meets errors of these classes."""
    covered.update(classes)
    return lambda test: test


def error_of(action: Callable[[], Any], kind: type[errors.MytritonError]) -> Any:
    """The error that the action raises, which is of that class and no other."""
    with pytest.raises(kind) as caught:
        action()
    assert type(caught.value) is kind
    return caught.value


def test_every_class_has_a_test() -> None:
    found = {
        value
        for _, value in inspect.getmembers(errors, inspect.isclass)
        if issubclass(value, Exception) and value.__module__ == errors.__name__
    }
    assert found == covered


@triton.jit
def scaled(x, by):
    return x * by


@triton.jit
def wrong_kernel(out, n):
    i = tl.arange(0, 8)
    tl.store(out + i, scaled(i, "two") + n)


@triton.jit
def lambda_kernel(out, n):
    tl.store(out, (lambda x: x)(n))


@triton.jit
def good_kernel(out, n):
    i = tl.program_id(0)
    tl.device_assert(n > i, "n is too small")
    tl.store(out + i, n)


@triton.jit
def big_kernel(a, out, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(a + at)
    tl.store(out + at, tl.dot(x, x))


@triton.jit
def assembly_kernel(out):
    i = tl.arange(0, 32)
    tl.store(out + i, tl.inline_asm_elementwise("bogus $0, $1;", "=r,r", [i], tl.int32, True, 1))


def line_of(kernel: Any, number: int) -> int:
    """The line of the file for a line of the kernel, which `def` begins."""
    return kernel.fn.__code__.co_firstlineno + number


OUT = np.zeros(8, np.int32)


@raises(errors.MytritonError)
def test_what_jit_takes() -> None:
    error = error_of(lambda: triton.jit(len), errors.MytritonError)  # pyright: ignore[reportArgumentType]
    assert str(error) == "jit takes a Python function, found <built-in function len>"


@raises(errors.CompilationError)
def test_a_wrong_kernel() -> None:
    error = error_of(lambda: wrong_kernel[(1,)](OUT, 3), errors.CompilationError)
    assert str(error).splitlines() == [
        f"{__file__}:{line_of(scaled, 2)}:12: error: * does not take operands of types int32[8] and str",
        "    return x * by",
        "           ^~~~~~",
        f"{__file__}:{line_of(wrong_kernel, 3)}:23: note: in scaled called from here",
        '    tl.store(out + i, scaled(i, "two") + n)',
        "                      ^~~~~~~~~~~~~~~~",
    ]
    assert error.__cause__ is None and error.__suppress_context__


@raises(errors.UnsupportedError)
def test_a_kernel_that_is_not_supported() -> None:
    error = error_of(lambda: lambda_kernel[(1,)](OUT, 3), errors.UnsupportedError)
    assert str(error).splitlines() == [
        f"{__file__}:{line_of(lambda_kernel, 2)}:20: error: a lambda inside of a kernel is not supported",
        "    tl.store(out, (lambda x: x)(n))",
        "                   ^~~~~~~~~~~",
        "hint: define a function outside, and decorate it with @triton.jit",
    ]


@raises(errors.InternalError)
def test_a_fault_of_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise KeyError("x")

    monkeypatch.setattr(Builder, "program_id", fail)
    error = error_of(lambda: good_kernel.warmup("*i32", "i64", grid=(1,)), errors.InternalError)
    assert str(error).splitlines() == [
        f"{__file__}:{line_of(good_kernel, 2)}:5: error: internal error: KeyError: 'x'",
        "    i = tl.program_id(0)",
        "    ^~~~~~~~~~~~~~~~~~~~",
        "hint: this is a bug in mytriton, not in your program: please report it together with the text above",
    ]
    assert isinstance(error.__cause__, KeyError)


@raises(errors.PassError)
def test_a_module_that_a_pass_refuses() -> None:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from mytriton.passes.assign_layouts import AssignLayouts

    error = error_of(lambda: AssignLayouts(num_warps=3).apply(Context(), ModuleOp([])), errors.PassError)
    assert str(error) == "error: num-warps must be a power of two from 1 to 32, found 3"


@raises(errors.SharedMemoryError, errors.OutOfResourcesError)
def test_tiles_that_do_not_fit_into_shared_memory() -> None:
    def compile() -> Any:
        big_kernel.warmup("*fp32", "*fp32", N=512, grid=(1,), arch="sm_80")

    error = error_of(compile, errors.SharedMemoryError)
    assert isinstance(error, errors.OutOfResourcesError) and isinstance(error, errors.PassError)
    lines = str(error).splitlines()
    place = f"{__file__}:{line_of(big_kernel, 4)}:24: error: the kernel needs 1048576 bytes of shared memory"
    assert lines[0].startswith(place) and "512x512" in str(error)
    assert lines[-2:] == ["    tl.store(out + at, tl.dot(x, x))", " " * 23 + "^"]
    assert "use smaller tiles" in str(error)


@raises(errors.ArgumentError)
def test_an_argument_that_no_kernel_takes() -> None:
    error = error_of(lambda: good_kernel[(1,)](OUT, {}), errors.ArgumentError)
    assert isinstance(error, TypeError)
    assert str(error).startswith("argument 'n' of kernel good_kernel is of type dict; a kernel takes arrays (")


@raises(errors.OptionError)
def test_an_option_with_a_wrong_value() -> None:
    error = error_of(lambda: good_kernel[(1,)](OUT, 3, num_warps=3), errors.OptionError)
    assert isinstance(error, ValueError)
    assert str(error) == "num_warps must be a power of two from 1 to 32, found 3"


@raises(errors.MissingToolError)
def test_no_compiler_for_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_CXX", "no-such-compiler")
    error = error_of(toolchain.find_compiler, errors.MissingToolError)
    assert str(error) == "MYTRITON_CXX is 'no-such-compiler', but there is no program 'no-such-compiler'"


@raises(errors.NvrtcMissingError)
def test_no_nvrtc(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise RuntimeError("libnvrtc.so was not found")

    compiled = good_kernel.warmup("*i32", "i32", grid=(1,))
    nvrtc.supported_architectures.cache_clear()
    monkeypatch.setattr(nvrtc, "_bindings", lambda: SimpleNamespace(nvrtcVersion=fail, nvrtcGetSupportedArchs=fail))
    error = error_of(lambda: nvrtc.compile_to_ptx(compiled.asm["cuda"], "sm_80"), errors.NvrtcMissingError)
    assert str(error).endswith("Install it with: pip install nvidia-cuda-nvrtc")


@raises(errors.NvrtcError)
def test_assembly_that_does_not_exist() -> None:
    compiled = assembly_kernel.warmup("*i32", grid=(1,), arch="sm_80")
    try:
        error = error_of(lambda: compiled.asm["cubin"], errors.NvrtcError)
    except errors.NvrtcMissingError as missing:
        pytest.skip(f"NVRTC is not installed: {missing}")
    assert "bogus" in str(error)


@raises(errors.LaunchError)
def test_a_grid_that_is_none() -> None:
    error = error_of(lambda: good_kernel[(1, 2, 3, 4)](OUT, 3), errors.LaunchError)
    assert str(error) == "the grid of kernel good_kernel must have one, two or three numbers, found (1, 2, 3, 4)"


@raises(errors.DeviceResourcesError)
def test_a_device_that_has_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = SimpleNamespace(
        cuLaunchKernel=lambda: (cuda_device.LAUNCH_OUT_OF_RESOURCES,),
        cuGetErrorString=lambda status: (0, b"too many resources requested for launch"),
    )
    monkeypatch.setattr(cuda_device, "_driver", lambda: driver)
    error = error_of(lambda: cuda_device.call("cuLaunchKernel"), errors.DeviceResourcesError)
    assert isinstance(error, errors.OutOfResourcesError)
    assert "too many resources requested for launch" in str(error)


@triton.jit
def stopping_kernel(out, n):
    breakpoint()
    tl.store(out, n)


@raises(errors.BreakpointError)
def test_a_kernel_that_stops_for_a_debugger_is_compiled() -> None:
    error = error_of(lambda: stopping_kernel[(1,)](OUT, 2), errors.BreakpointError)
    assert isinstance(error, errors.UnsupportedError)
    assert f"test_error_classes.py:{line_of(stopping_kernel, 2)}" in str(error)
    assert "interpret()" in str(error)


@raises(errors.DeviceAssertionError)
@pytest.mark.parametrize("interprets", [False, True])
def test_an_assertion_that_does_not_hold(interprets: bool) -> None:
    def launch() -> None:
        good_kernel[(4,)](OUT, 2, debug=True)

    def interpret() -> None:
        with triton.interpret():
            launch()

    error = error_of(interpret if interprets else launch, errors.DeviceAssertionError)
    assert isinstance(error, AssertionError) and isinstance(error, errors.LaunchError)
    assert f"test_error_classes.py:{line_of(good_kernel, 3)}" in str(error)
    assert "n is too small [program (2, 0, 0): 2 > 2 is false]" in str(error)
