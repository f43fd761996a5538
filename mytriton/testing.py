"""Times kernels and compares results: what `triton.testing` has."""

from __future__ import annotations

import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mytriton.errors import MissingToolError, OptionError
from mytriton.runtime.peak_rates import get_max_simd_tflops as get_max_simd_tflops
from mytriton.runtime.peak_rates import get_max_tensorcore_tflops as get_max_tensorcore_tflops

RETURN_MODES = ("min", "max", "mean", "median", "all")


def do_bench(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Sequence[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> Any:
    """Milliseconds that `fn()` takes.

    It is called for `warmup` milliseconds, then timed call by call for `rep` milliseconds, once at least. With
    `quantiles`, gives one number for each (a single number for one); else what `return_mode` says, `"all"` being the
    list of times. The gradients of `grad_to_none` are dropped before each call. Work on a GPU is timed with events of
    the device where torch has one, all else with the clock.
    """
    if return_mode not in RETURN_MODES:
        raise OptionError(f"return_mode must be one of {', '.join(RETURN_MODES)}, found {return_mode!r}")
    measure = _timer()
    estimate = measure(fn)
    deadline = time.perf_counter() + warmup / 1e3
    while time.perf_counter() < deadline:
        estimate = min(estimate, measure(fn))
    count = max(1, int(rep / max(estimate, 1e-3)))
    times: list[float] = []
    stop = time.perf_counter() + rep / 1e3
    for _ in range(count):
        for tensor in grad_to_none or ():
            tensor.grad = None
        times.append(measure(fn))
        if time.perf_counter() > stop:
            break
    return _summary(times, quantiles, return_mode)


def do_bench_cudagraph(
    fn: Callable[[], Any],
    rep: float = 20,
    grad_to_none: Sequence[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> Any:
    """As `do_bench`, without a CUDA graph: launches of mytriton are not captured."""
    return do_bench(fn, rep / 4, rep, grad_to_none, quantiles, return_mode)


def _timer() -> Callable[[Callable[[], Any]], float]:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return _time_on_host

    def time_on_device(fn: Callable[[], Any]) -> float:
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        fn()
        end.record()
        torch.cuda.synchronize()
        return float(start.elapsed_time(end))

    return time_on_device


def _time_on_host(fn: Callable[[], Any]) -> float:
    start = time.perf_counter()
    fn()
    return (time.perf_counter() - start) * 1e3


def _summary(times: Sequence[float], quantiles: Sequence[float] | None, return_mode: str) -> Any:
    if quantiles is not None:
        found = [_quantile(times, quantile) for quantile in quantiles]
        return found[0] if len(found) == 1 else found
    if return_mode == "all":
        return list(times)
    return {"min": min, "max": max, "mean": statistics.mean, "median": statistics.median}[return_mode](times)


def _quantile(values: Sequence[float], quantile: float) -> float:
    """Between the two nearest values in proportion, as `numpy.quantile` has it."""
    ordered = sorted(values)
    place = quantile * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def assert_close(x: Any, y: Any, atol: float | None = None, rtol: float | None = None, err_msg: str = "") -> None:
    """Raises `AssertionError` unless two arrays agree: |x - y| <= atol + rtol |y|, by default 1e-2 and 0.

    NaN equals NaN. Takes NumPy arrays, torch tensors, and numbers.
    """
    import numpy as np

    np.testing.assert_allclose(
        _as_numpy(x),
        _as_numpy(y),
        atol=1e-2 if atol is None else atol,
        rtol=0.0 if rtol is None else rtol,
        equal_nan=True,
        err_msg=err_msg,
    )


def _as_numpy(value: Any) -> Any:
    import numpy as np

    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        return np.asarray(value)
    value = value.detach().cpu()
    return value.float().numpy() if value.dtype.is_floating_point and value.dtype.itemsize < 4 else value.numpy()


class Benchmark:
    """What `perf_report` runs: one measurement for each of `x_vals` and each of `line_vals`.

    `x_names` are the parameters that take a value of `x_vals` (all of them the same one, or one each of a tuple);
    `line_arg` is the parameter that takes those of `line_vals`, which `line_names` name; `args` are the others. The
    rest says how the plot looks.
    """

    def __init__(
        self,
        x_names: Sequence[str],
        x_vals: Sequence[Any],
        line_arg: str,
        line_vals: Sequence[Any],
        line_names: Sequence[str],
        plot_name: str,
        args: Mapping[str, Any],
        xlabel: str = "",
        ylabel: str = "",
        x_log: bool = False,
        y_log: bool = False,
        styles: Sequence[tuple[str, str]] | None = None,
    ):
        self.x_names = list(x_names)
        self.x_vals = list(x_vals)
        self.line_arg = line_arg
        self.line_vals = list(line_vals)
        self.line_names = list(line_names)
        self.plot_name = plot_name
        self.args = dict(args)
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.x_log = x_log
        self.y_log = y_log
        self.styles = styles


class Mark:
    """A function with the benchmarks that `perf_report` gave it."""

    def __init__(self, fn: Callable[..., Any], benchmarks: Benchmark | Sequence[Benchmark]):
        self.fn = fn
        self.benchmarks = benchmarks

    def run(
        self,
        show_plots: bool = False,
        print_data: bool = False,
        save_path: str | os.PathLike[str] = "",
        return_df: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Measures. Prints a table for each benchmark, shows a plot, and writes `<plot_name>.csv` and `.png`, if asked.

        With `return_df`, gives the table of the benchmark, or the list of them. Plots need matplotlib, tables pandas.
        """
        one = isinstance(self.benchmarks, Benchmark)
        benchmarks = [self.benchmarks] if isinstance(self.benchmarks, Benchmark) else list(self.benchmarks)
        frames = [self._run(benchmark, show_plots, print_data, save_path, kwargs) for benchmark in benchmarks]
        if not return_df:
            return None
        return frames[0] if one else frames

    def _run(
        self, benchmark: Benchmark, show_plots: bool, print_data: bool, save_path: Any, kwargs: dict[str, Any]
    ) -> Any:
        pandas = _library("pandas", "the tables of triton.testing")
        bounds = [(f"{name}-min", f"{name}-max") for name in benchmark.line_names]
        rows: list[list[Any]] = []
        for x in benchmark.x_vals:
            xs = _values(x) if isinstance(x, tuple | list) else [x] * len(benchmark.x_names)
            if len(xs) != len(benchmark.x_names):
                raise OptionError(f"the benchmark has {len(benchmark.x_names)} x_names, but {len(xs)} values: {x!r}")
            results = [self._measure(benchmark, xs, value, kwargs) for value in benchmark.line_vals]
            middle, low, high = zip(*results, strict=True)
            rows.append([*xs, *middle, *low, *high])
        columns = [
            *benchmark.x_names,
            *benchmark.line_names,
            *(low for low, _ in bounds),
            *(high for _, high in bounds),
        ]
        frame = pandas.DataFrame(rows, columns=columns)
        if benchmark.plot_name and (show_plots or save_path):
            _plot(benchmark, frame, show_plots, save_path)
        frame = frame[[*benchmark.x_names, *benchmark.line_names]]
        if print_data:
            print(f"{benchmark.plot_name}:")
            print(frame.to_string())
        if save_path:
            Path(save_path).mkdir(parents=True, exist_ok=True)
            frame.to_csv(Path(save_path) / f"{benchmark.plot_name}.csv", float_format="%.6f", index=False)
        return frame

    def _measure(
        self, benchmark: Benchmark, xs: Sequence[Any], line: Any, kwargs: dict[str, Any]
    ) -> tuple[Any, Any, Any]:
        """The value, and the ends of its range where the function gives these too."""
        result = self.fn(
            **dict(zip(benchmark.x_names, xs, strict=True)), **{benchmark.line_arg: line}, **benchmark.args, **kwargs
        )
        if not isinstance(result, tuple | list):
            return result, None, None
        middle, low, high = _values(result)
        return middle, low, high


def _values(sequence: Any) -> list[Any]:
    return list(sequence)


def perf_report(benchmarks: Benchmark | Sequence[Benchmark]) -> Callable[[Callable[..., Any]], Mark]:
    """Makes a function something that `run` measures for each point of `benchmarks`."""
    return lambda fn: Mark(fn, benchmarks)


def _plot(benchmark: Benchmark, frame: Any, show: bool, save_path: Any) -> None:
    plots = _library("matplotlib.pyplot", "the plots of triton.testing")
    figure, axes = plots.subplots()
    x = benchmark.x_names[0]
    for index, name in enumerate(benchmark.line_names):
        color, style = benchmark.styles[index] if benchmark.styles else (None, None)
        axes.plot(frame[x], frame[name], label=name, color=color, ls=style)
        low, high = frame[f"{name}-min"], frame[f"{name}-max"]
        if not low.isnull().all() and not high.isnull().all():
            axes.fill_between(frame[x], low.astype(float), high.astype(float), alpha=0.15, color=color)
    axes.legend()
    axes.set_xlabel(benchmark.xlabel or x)
    axes.set_ylabel(benchmark.ylabel)
    axes.set_xscale("log" if benchmark.x_log else "linear")
    axes.set_yscale("log" if benchmark.y_log else "linear")
    if save_path:
        Path(save_path).mkdir(parents=True, exist_ok=True)
        figure.savefig(Path(save_path) / f"{benchmark.plot_name}.png")
    if show:
        plots.show()
    plots.close(figure)


def _library(name: str, what: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise MissingToolError(f"{what} need {package}, which cannot be imported: pip install {package}") from error


def get_dram_gbps(device: int | None = None) -> float:
    """The bandwidth of the device's memory in GB/s, from its clock, two words for each, and its bus."""
    from mytriton.runtime.driver import driver

    number = driver.active.get_current_device() if device is None else device
    properties = driver.active.utils.get_device_properties(number)
    return properties["mem_clock_rate"] * properties["mem_bus_width"] * 2 / 8 / 1e6


def __getattr__(name: str) -> Any:
    raise AttributeError(f"mytriton does not have triton.testing.{name}")
