"""`triton.runtime.driver.active` and `triton.knobs`: what a program asks, and what it may set."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

import mytriton as triton
from mytriton import knobs, testing
from mytriton.errors import OptionError
from mytriton.interpreter import is_interpreting
from mytriton.runtime import driver
from mytriton.runtime.devices import DEVICE_VARIABLE

active: Any = driver.active


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DEVICE_VARIABLE, raising=False)


def test_the_cpu_answers_as_what_it_compiles_for() -> None:
    assert active is driver.driver.active is triton.runtime.driver.active
    target = active.get_current_target()
    assert (target.backend, target.arch, target.warp_size) == ("cuda", 80, 32)
    assert active.get_device_capability() == (8, 0)
    assert active.get_current_device() == 0 == active.get_current_stream(0)
    assert active.is_active() and active.get_benchmarker() is testing.do_bench
    # The numbers of an sm_80 in NVIDIA's tables of compute capabilities.
    properties = active.utils.get_device_properties(0)
    assert properties["max_shared_mem"] == 163 * 1024 and properties["max_num_regs"] == 64 * 1024
    assert properties["warpSize"] == 32
    assert testing.get_dram_gbps() == pytest.approx(1555, rel=1e-3)


def test_types_of_parameters() -> None:
    names = ["*fp32", "i1", "i32", "u64", "fp16", "fp64"]
    expected = ["CUdeviceptr", "int8_t", "int32_t", "uint64_t", "double", "double"]
    assert [active.map_python_to_cpp_type(name) for name in names] == expected
    with pytest.raises(OptionError, match="'x'"):
        active.map_python_to_cpp_type("x")


def test_torch_devices() -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("the answers are those of the CPU")
    assert active.get_active_torch_device() == torch.device("cpu")
    assert active.get_device_interface() is torch.cpu
    cache = active.get_empty_cache_for_benchmark()
    assert cache.numel() * cache.element_size() == 2**28


def test_another_driver_may_answer() -> None:
    other = object()
    driver.set_active(other)
    try:
        assert triton.runtime.driver.active is other
    finally:
        driver.reset_active()
    assert triton.runtime.driver.active is active
    with pytest.raises(AttributeError, match="nothing"):
        _ = driver.nothing


def test_knobs_are_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MYTRITON_CACHE_DIR", "MYTRITON_PRINT_AUTOTUNING", "MYTRITON_ALWAYS_COMPILE"):
        monkeypatch.delenv(name, raising=False)
    with knobs.cache.scope(), knobs.autotuning.scope(), knobs.compilation.scope():
        knobs.cache.dir = "/folder"
        knobs.autotuning.print = True
        knobs.compilation.always_compile = True
        assert os.environ["MYTRITON_CACHE_DIR"] == "/folder" and knobs.cache.dir == "/folder"
        assert os.environ["MYTRITON_PRINT_AUTOTUNING"] == os.environ["MYTRITON_ALWAYS_COMPILE"] == "1"
        assert knobs.autotuning.print is True
    assert knobs.cache.dir is None and knobs.autotuning.print is False and knobs.compilation.always_compile is False


def test_knobs_that_are_not_there_are_named() -> None:
    with pytest.raises(AttributeError, match=r"does not have the setting triton\.knobs\.nvidia\.ptxas"):
        _ = knobs.nvidia.ptxas
    with pytest.raises(AttributeError, match=r"triton\.knobs\.runtime\.add_stages_inspection_hook"):
        knobs.runtime.add_stages_inspection_hook = print
    knobs.runtime.debug = False
    with pytest.raises(AttributeError, match=r"cannot set triton\.knobs\.runtime\.debug to True: it is False"):
        knobs.runtime.debug = True
    assert "dir" in dir(knobs.cache) and not hasattr(knobs, "nothing")


def test_the_interpreter_can_be_switched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["mytriton.interpreter.launch"], "_interprets_everything", False)
    assert knobs.runtime.interpret is False
    knobs.runtime.interpret = False
    knobs.runtime.interpret = True
    assert knobs.runtime.interpret is True and is_interpreting()
    with pytest.raises(AttributeError, match="cannot leave the interpreter"):
        knobs.runtime.interpret = False
