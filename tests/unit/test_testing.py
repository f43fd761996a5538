"""`triton.testing`: timing, comparing, and tables of measurements."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mytriton import testing
from mytriton.errors import MissingToolError, OptionError


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The times, in milliseconds, that calls take one after the other; the last one goes on for ever."""
    remaining = [9.0, 9.0]

    def measure(fn: Any) -> float:
        fn()
        return remaining.pop(0) if len(remaining) > 1 else remaining[0]

    monkeypatch.setattr(testing, "_timer", lambda: measure)
    return remaining


def test_summaries(times: list[float]) -> None:
    expected = {"min": 1.0, "max": 4.0, "mean": 2.5, "median": 2.5, "all": [1.0, 2.0, 3.0, 4.0]}
    for mode, value in expected.items():
        times[:] = [1000.0 / 4, 1.0, 2.0, 3.0, 4.0]  # four calls of the estimated time fill the second
        assert testing.do_bench(lambda: None, warmup=0, rep=1000, return_mode=mode) == value
    for quantiles in ([0.5], [0.5, 0.2, 0.8], [0.0, 1.0]):
        times[:] = [1000.0 / 4, 1.0, 2.0, 3.0, 4.0]
        found = testing.do_bench(lambda: None, warmup=0, rep=1000, quantiles=quantiles)
        np.testing.assert_allclose(found, np.quantile([1.0, 2.0, 3.0, 4.0], quantiles).squeeze())


def test_calls_are_counted_and_gradients_dropped(times: list[float]) -> None:
    times[:] = [200.0, 200.0]
    tensor: Any = SimpleNamespace(grad=1)
    seen: list[Any] = []

    def call() -> None:
        seen.append(tensor.grad)
        tensor.grad = 1

    testing.do_bench(call, warmup=0, rep=1000, grad_to_none=[tensor])
    assert seen == [1] + [None] * 5  # once to estimate, then as often as the time allows


def test_real_times() -> None:
    assert testing.do_bench(lambda: time.sleep(0.002), warmup=1, rep=5, return_mode="min") >= 2
    assert testing.do_bench_cudagraph(lambda: time.sleep(0.002), rep=5) >= 2
    with pytest.raises(OptionError, match="'average'"):
        testing.do_bench(lambda: None, return_mode="average")


def test_results_agree_within_tolerances() -> None:
    testing.assert_close(np.array([1.0, np.nan]), np.array([1.009, np.nan]))
    testing.assert_close(100.0, 101.0, atol=0, rtol=0.01)
    testing.assert_close(np.float16(2), 2.0, atol=0)
    for x, y, tolerances in [(1.0, 1.02, {}), (1.0, 1.009, {"atol": 1e-3}), (np.nan, 1.0, {}), (np.inf, 1.0, {})]:
        with pytest.raises(AssertionError, match="message"):
            testing.assert_close(np.array([x]), np.array([y]), err_msg="message", **tolerances)


def test_tensors_agree() -> None:
    torch = pytest.importorskip("torch")
    x = torch.ones(3, dtype=torch.bfloat16, requires_grad=True)
    testing.assert_close(x, torch.ones(3))
    with pytest.raises(AssertionError):
        testing.assert_close(x, torch.zeros(3))


def benchmark(**changes: Any) -> testing.Benchmark:
    settings: dict[str, Any] = {
        "x_names": ["m", "n"],
        "x_vals": [1, (2, 3)],
        "line_arg": "provider",
        "line_vals": ["a", "b"],
        "line_names": ["A", "B"],
        "plot_name": "plot",
        "args": {"scale": 10},
    }
    return testing.Benchmark(**(settings | changes))


def around_m(m: int, n: int, provider: str, scale: int) -> tuple[int, int, int]:
    return m, m - 1, m + 1


def test_every_point_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pandas")

    @testing.perf_report([benchmark()])
    def measure(m: int, n: int, provider: str, scale: int, extra: int = 0) -> Any:
        value = scale * m + n + (100 if provider == "b" else 0) + extra
        return (value, value - 1, value + 1) if provider == "a" else value

    (frame,) = measure.run(return_df=True, print_data=True, extra=1000)
    assert list(frame.columns) == ["m", "n", "A", "B"]
    assert frame.values.tolist() == [[1, 1, 1011, 1111], [2, 3, 1023, 1123]]
    assert "plot:" in capsys.readouterr().out
    assert measure.run() is None
    single = testing.perf_report(benchmark(plot_name=""))(measure.fn)
    single.run(save_path=tmp_path / "new")
    assert (tmp_path / "new" / ".csv").read_text().splitlines()[0] == "m,n,A,B"
    with pytest.raises(OptionError, match="2 x_names, but 3 values"):
        testing.perf_report(benchmark(x_vals=[(1, 2, 3)]))(measure.fn).run()


def test_plots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.setenv("MPLBACKEND", "agg")
    pytest.importorskip("matplotlib")
    chosen = benchmark(x_vals=[1, 2, 4], x_log=True, styles=[("red", "-"), ("blue", "--")])
    testing.perf_report(chosen)(around_m).run(save_path=tmp_path)
    assert (tmp_path / "plot.png").read_bytes()[:4] == b"\x89PNG"
    assert len((tmp_path / "plot.csv").read_text().splitlines()) == 4


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingToolError, match="pip install pandas"):
        testing.perf_report(benchmark())(around_m).run()
