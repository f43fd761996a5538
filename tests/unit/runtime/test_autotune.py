"""`autotune` and `heuristics`: which configuration a launch takes, and what happens to the arrays meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.runtime.autotuner import AUTOTUNE_VARIABLE
from tests.unit.runtime.kernels import accumulate_block, copy_block

Arrays = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


def arrays(n: int = 100) -> Arrays:
    return np.arange(n, dtype=np.float32), np.zeros(n, np.float32)


def configs(*blocks: int) -> list[triton.Config]:
    return [triton.Config({"BLOCK": block}, num_warps=1) for block in blocks]


def slowest_first(seen: list[int]) -> Callable[..., list[float]]:
    """A `do_bench` that calls a launch twice, and says that each configuration is faster than the one before."""

    def bench(fn: Callable[[], None], quantiles: Any) -> list[float]:
        fn()
        fn()
        seen.append(len(seen))
        return [10.0 - len(seen)] * 3

    return bench


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(AUTOTUNE_VARIABLE, "1")
    yield


def grid(meta: dict[str, Any]) -> tuple[int]:
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


def test_on_the_cpu_the_first_configuration_is_taken_without_timing():
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("timed")

    x, out = arrays()
    kernel = triton.autotune(configs(32, 64), key=["n"], do_bench=never)(copy_block)
    compiled = kernel[grid](x, out, x.size)
    np.testing.assert_array_equal(out, x)
    assert kernel.best_config is not None and kernel.best_config.kwargs == {"BLOCK": 32}
    assert compiled.num_warps == 1


def test_the_fastest_is_kept_for_each_key(timed: None):
    seen: list[int] = []
    kernel = triton.autotune(configs(32, 64, 128), key=["n"], do_bench=slowest_first(seen))(copy_block)
    for n in (100, 100, 200, 100):
        x, out = arrays(n)
        kernel[grid](x, out, n)
        np.testing.assert_array_equal(out, x)
        assert kernel.best_config is not None and kernel.best_config.kwargs == {"BLOCK": 128}
    assert len(seen) == 6  # three configurations for each of two values of n
    kernel[grid](x.astype(np.float16), out, 100)
    assert len(seen) == 9  # another dtype is another key
    assert [timing[0] for timing in kernel.configs_timings.values()] == [3.0, 2.0, 1.0]


def test_real_timing_gives_right_results(timed: None):
    x, out = arrays()
    kernel = triton.autotune(configs(32, 64), key=["n"], warmup=1, rep=2)(copy_block)
    kernel[grid](x, out, x.size)
    np.testing.assert_array_equal(out, x)
    assert all(0 < time < float("inf") for timing in kernel.configs_timings.values() for time in timing)


@pytest.mark.parametrize("option", ["restore_value", "reset_to_zero"])
def test_arrays_that_a_launch_changes(timed: None, option: str):
    x, out = arrays()
    out += 1 if option == "restore_value" else 0
    before = out.copy()
    settings: dict[str, Any] = {option: ["out_ptr"]}
    kernel = triton.autotune(configs(32, 64), key=["n"], do_bench=slowest_first([]), **settings)(accumulate_block)
    kernel[grid](x, out, x.size)
    np.testing.assert_array_equal(out, before + x)


@pytest.mark.parametrize("option", ["restore_value", "reset_to_zero"])
def test_every_timed_launch_finds_the_same_arrays(timed: None, option: str):
    x, out = arrays()
    found: list[float] = []

    def before(args: dict[str, Any], reset_only: bool = False) -> None:
        found.append(float(out[1]))

    settings: dict[str, Any] = {option: ["out_ptr"]}
    bench = slowest_first([])
    kernel = triton.autotune(configs(32, 64), key=["n"], do_bench=bench, pre_hook=before, **settings)(accumulate_block)
    kernel[grid](x, out, x.size)
    assert found == [0.0] * 6  # two launches and a reset for each configuration


def test_without_them_every_timed_launch_is_seen(timed: None):
    x, out = arrays()
    kernel = triton.autotune(configs(32, 64), key=["n"], do_bench=slowest_first([]))(accumulate_block)
    kernel[grid](x, out, x.size)
    np.testing.assert_array_equal(out, 5 * x)


def test_hooks(timed: None):
    calls: list[str] = []
    x, out = arrays()
    choice = triton.Config({"BLOCK": 32}, num_warps=1, pre_hook=lambda args: calls.append(f"config {args['BLOCK']}"))

    def before(args: dict[str, Any], reset_only: bool = False) -> None:
        calls.append(f"before {args['n']}{' reset' if reset_only else ''}")

    def after(args: dict[str, Any], exception: Exception | None) -> None:
        calls.append(f"after {exception}")

    bench = slowest_first([])
    kernel = triton.autotune([choice, *configs(64)], key=[], pre_hook=before, post_hook=after, do_bench=bench)
    kernel(copy_block)[grid](x, out, x.size)
    one_launch = ["before 100", "after None"]
    assert calls == [
        *(["config 32", *one_launch] * 2),
        "before 100 reset",
        *(one_launch * 2),
        "before 100 reset",
    ]


def test_a_configuration_that_does_not_compile_is_left_out(timed: None):
    x, out = arrays()
    too_large = triton.Config({"BLOCK": 1 << 30}, num_warps=1)
    kernel = triton.autotune([too_large, *configs(64)], key=["n"], do_bench=slowest_first([]))(copy_block)
    kernel[grid](x, out, x.size)
    np.testing.assert_array_equal(out, x)
    assert kernel.best_config is not None and kernel.best_config.kwargs == {"BLOCK": 64}
    with pytest.raises(triton.CompilationError, match="BLOCK"):
        triton.autotune([too_large, too_large], key=["n"], do_bench=slowest_first([]))(copy_block)[grid](x, out, x.size)


def test_the_first_that_compiles_is_taken_on_the_cpu():
    x, out = arrays()
    too_large = triton.Config({"BLOCK": 1 << 30}, num_warps=1)
    kernel = triton.autotune([too_large, *configs(64)], key=["n"])(copy_block)
    kernel[grid](x, out, x.size)
    assert kernel.best_config is not None and kernel.best_config.kwargs == {"BLOCK": 64}


def test_pruning(timed: None):
    seen: list[int] = []
    x, out = arrays()

    def early(configs: list[triton.Config], named: dict[str, Any], **kwargs: Any) -> list[triton.Config]:
        assert named["n"] == 100
        return [config for config in configs if config.kwargs["BLOCK"] > 32]

    def model(BLOCK: int, n: int, **_: Any) -> float:
        return abs(BLOCK - n)

    kernel = triton.autotune(
        configs(32, 64, 128, 256),
        key=["n"],
        prune_configs_by={"early_config_prune": early, "perf_model": model, "top_k": 2},
        do_bench=slowest_first(seen),
    )(copy_block)
    kernel[grid](x, out, x.size)
    assert [config.kwargs["BLOCK"] for config in kernel.configs_timings] == [128, 64]


def test_heuristics_see_arguments_and_earlier_values():
    x, out = arrays()
    kernel = triton.heuristics(
        {"BLOCK": lambda args: triton.next_power_of_2(args["n"]), "num_warps": lambda args: args["BLOCK"] // 32}
    )(copy_block)
    compiled = kernel[grid](x, out, x.size)
    np.testing.assert_array_equal(out, x)
    assert compiled.num_warps == 4


def test_heuristics_below_autotune_see_its_choice():
    x, out = arrays()
    inner = triton.heuristics({"BLOCK": lambda args: 16 * args["num_warps"]})(copy_block)
    kernel = triton.autotune([triton.Config({}, num_warps=2), triton.Config({}, num_warps=4)], key=["n"])(inner)
    compiled = kernel[(4,)](x, out, x.size)
    assert compiled.num_warps == 2
    np.testing.assert_array_equal(out, x)


def test_what_is_refused():
    x, out = arrays()
    kernel = triton.autotune(configs(32, 64), key=["n"])(copy_block)
    with pytest.raises(triton.OptionError, match="gives BLOCK, which autotune chooses"):
        kernel[(1,)](x, out, x.size, BLOCK=32)
    with pytest.raises(triton.OptionError, match="'nothing', which is no parameter of kernel copy_block"):
        triton.autotune(configs(32), key=["n"], restore_value=["nothing"])(copy_block)
    with pytest.raises(triton.OptionError, match="prune_configs_by takes"):
        triton.autotune(configs(32), key=["n"], prune_configs_by={"early": None})(copy_block)
    with pytest.raises(triton.OptionError, match=r"put @triton\.jit below it"):
        triton.autotune(configs(32), key=["n"])(len)
    with pytest.raises(triton.LaunchError, match=r"launch it as copy_block\[grid\]"):
        kernel(x, out, x.size)


def test_a_configuration_compares_and_prints():
    assert triton.Config({"A": 1}) == triton.Config({"A": 1}) != triton.Config({"A": 2})
    assert len({triton.Config({"A": 1}), triton.Config({"A": 1})}) == 1
    assert str(triton.Config({"A": 1}, num_warps=8)) == "A: 1, num_warps: 8, num_stages: 3, num_ctas: 1"


@triton.jit
def calls_it(x_ptr: Any, out_ptr: Any, n: Any, BLOCK: tl.constexpr):
    tuned_copy(x_ptr, out_ptr, n, BLOCK)


tuned_copy = triton.autotune(configs(32), key=["n"])(copy_block)


def test_a_kernel_may_call_one_that_is_wrapped():
    x, out = arrays(64)
    calls_it[(2,)](x, out, 64, BLOCK=32)
    np.testing.assert_array_equal(out, x)


def test_a_subclass_may_replace_the_hooks_and_prune(timed: None):
    """As libraries do that keep the results of tuning in files of their own."""
    seen: list[Any] = []

    def before(arguments: dict[str, Any], reset_only: bool = False) -> None:
        seen.append(reset_only)

    def after(arguments: dict[str, Any], exception: Exception | None) -> None:
        seen.append(exception)

    def all_but_the_first(configs: list[triton.Config], named: dict[str, Any], **kwargs: Any) -> list[triton.Config]:
        return configs[1:]

    class Logged(triton.Autotuner):
        def __init__(self, *args: Any, **kwargs: Any):
            super().__init__(*args, **kwargs)
            assert not self.user_defined_pre_hook and not self.user_defined_post_hook
            self.pre_hook = before
            self.post_hook = after
            self.early_config_prune = all_but_the_first

    def once(fn: Callable[[], None], quantiles: Any) -> list[float]:
        fn()
        return [1.0] * 3

    x, out = arrays()
    kernel = Logged(copy_block, copy_block.arg_names, configs(16, 32, 64), ["n"], None, None, do_bench=once)
    kernel[grid](x, out, x.size)
    np.testing.assert_array_equal(out, x)
    assert seen == [False, None, True] * 2
    assert [config.kwargs["BLOCK"] for config in kernel.configs_timings] == [32, 64]
