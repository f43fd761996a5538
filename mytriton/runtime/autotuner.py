"""`@autotune`: a kernel that tries several configurations and keeps the fastest, once for each key."""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mytriton.errors import (
    CompilationError,
    LaunchError,
    NvrtcError,
    OptionError,
    OutOfResourcesError,
    PassError,
)
from mytriton.interpreter.launch import is_interpreting
from mytriton.runtime.array_contents import ArrayContents, set_to_zero
from mytriton.runtime.configs import Config, Hook
from mytriton.runtime.devices import actual_device, default_device
from mytriton.runtime.launchable import Launchable
from mytriton.tracebacks import hide_in_pytest

__tracebackhide__ = hide_in_pytest

AUTOTUNE_VARIABLE = "MYTRITON_AUTOTUNE"
"""The environment variable that, set to 1, has configurations timed on the CPU too; 0 has none timed anywhere."""

PRINT_VARIABLES = ("MYTRITON_PRINT_AUTOTUNING", "TRITON_PRINT_AUTOTUNING")
"""Environment variables that, set to 1, have the result of each tuning printed."""

PRUNE_OPTIONS = ("early_config_prune", "perf_model", "top_k")

Bench = Callable[..., Any]
"""`do_bench(fn, quantiles=(0.5, 0.2, 0.8))` gives milliseconds."""

Timing = list[float]
"""Milliseconds: the median, and the 20% and 80% quantiles."""

_REFUSED = (CompilationError, PassError, NvrtcError, OutOfResourcesError)
"""What makes one configuration unfit while others may do."""


class Autotuner(Launchable):
    """A kernel with several configurations.

    A launch uses the best one for its key: the values of the arguments named by `key`, and the dtypes of all arrays.
    `cache` has the best one for each key so far; `best_config` is that of the last launch; `configs_timings` has the
    milliseconds of the last tuning.

    On a GPU the configurations are timed. On the CPU, whose times say nothing of a GPU's, and on the interpreter, the
    first one that compiles is taken; `MYTRITON_AUTOTUNE=1` has them timed there too.
    """

    def __init__(
        self,
        fn: Any,
        arg_names: list[str],
        configs: Iterable[Config],
        key: Sequence[str],
        reset_to_zero: Sequence[str] | None,
        restore_value: Sequence[str] | None,
        pre_hook: Callable[..., Any] | None = None,
        post_hook: Callable[..., Any] | None = None,
        prune_configs_by: Mapping[str, Any] | None = None,
        warmup: float | None = None,
        rep: float | None = None,
        use_cuda_graph: bool = False,
        do_bench: Bench | None = None,
        cache_results: bool = False,
    ):
        super().__init__(fn, arg_names)
        self.configs = list(configs) or [Config({})]
        self.keys = list(key)
        self.reset_to_zero = list(reset_to_zero or ())
        self.restore_value = list(restore_value or ())
        self.pre_hook = pre_hook
        self.post_hook = post_hook
        self.use_cuda_graph = use_cuda_graph
        self.cache_results = cache_results
        self.cache: dict[tuple[Any, ...], Config] = {}
        self.configs_timings: dict[Config, Timing] = {}
        self.best_config: Config | None = None
        self.nargs: dict[str, Any] = {}
        self.bench_time = 0.0
        # The names below are those that subclasses of Triton's class read.
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None
        pruning = _pruning_options(prune_configs_by)
        self.early_config_prune: Callable[..., Any] | None = pruning["early_config_prune"]
        self.perf_model: Callable[..., Any] | None = pruning["perf_model"]
        self.configs_top_k: float = pruning["top_k"]
        self._bench_times = {name: value for name, value in (("warmup", warmup), ("rep", rep)) if value is not None}
        self._do_bench = do_bench
        self._check_names()

    def _check_names(self) -> None:
        kernel = self.base_fn
        for option in ("reset_to_zero", "restore_value"):
            for name in getattr(self, option):
                if name not in kernel.arg_names:
                    raise OptionError(f"{option} names {name!r}, which is no parameter of kernel {kernel.__name__}")

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Launches the kernel with the best configuration, which is looked for first where the key is new."""
        self.nargs = dict(zip(self.arg_names, args, strict=False))
        try:
            config = self.best_config = self._chosen(args, kwargs)
            if config.pre_hook is not None and not kwargs.get("warmup"):
                config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
            return self.fn.run(*args, **{**kwargs, **config.all_kwargs()})
        finally:
            self.nargs = {}

    def warmup(self, *args: Any, grid: Any = None, **kwargs: Any) -> list[Any]:
        """Compiles every configuration that is not pruned, without running; gives a list of `CompiledKernel`."""
        self.nargs = dict(zip(self.arg_names, args, strict=False))
        try:
            return [
                self.fn.run(*args, grid=grid, warmup=True, **{**kwargs, **config.all_kwargs()})
                for config in self._pruned(kwargs)
            ]
        finally:
            self.nargs = {}

    def _chosen(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Config:
        if len(self.configs) == 1:
            return self.configs[0]
        key = self._key(kwargs)
        if key not in self.cache:
            configs = self._pruned(kwargs)
            if kwargs.get("warmup"):
                return configs[0]
            timed = len(configs) > 1 and self._is_timed(kwargs)
            self.cache[key] = (self._fastest if timed else self._first_fit)(configs, args, kwargs)
        return self.cache[key]

    def _key(self, kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        known = {name: value for name, value in {**self.nargs, **kwargs}.items() if name in self.arg_names}
        values = [known[name] for name in self.keys if name in known]
        dtypes = [str(value.dtype) for value in known.values() if hasattr(value, "dtype")]
        return (*(value if _is_hashable(value) else repr(value) for value in values), *dtypes)

    # Which configurations

    def _pruned(self, kwargs: Mapping[str, Any]) -> list[Config]:
        configs = self.configs
        if self.early_config_prune is not None:
            configs = list(self.early_config_prune(configs, self.nargs, **kwargs))
            if not configs:
                raise LaunchError(f"early_config_prune of kernel {self.__name__} leaves no configuration")
        model, most = self.perf_model, self.configs_top_k
        if model is None:
            return configs
        most = max(1, int(len(self.configs) * most)) if isinstance(most, float) and most <= 1.0 else int(most)
        if len(configs) <= most:
            return configs
        return sorted(configs, key=lambda config: model(**self.nargs, **{**kwargs, **config.all_kwargs()}))[:most]

    def _is_timed(self, kwargs: Mapping[str, Any]) -> bool:
        chosen = os.environ.get(AUTOTUNE_VARIABLE, "")
        if chosen in ("0", "1"):
            return chosen == "1"
        if is_interpreting():
            return False
        devices = {_device_of(value) for value in (*self.nargs.values(), *kwargs.values())} - {""}
        return any(device.startswith("cuda") for device in devices or {default_device()})

    def _first_fit(self, configs: Sequence[Config], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Config:
        refusal: Exception | None = None
        for config in configs:
            self._check_conflicts(config, kwargs)
            if config.pre_hook is not None:  # it may give descriptors the tile of this configuration
                config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
            try:
                self.fn.run(*args, **{**kwargs, **config.all_kwargs(), "warmup": True})
            except _REFUSED as error:
                refusal = refusal or error
            else:
                return config
        assert refusal is not None
        raise refusal

    # Timing

    def _fastest(self, configs: Sequence[Config], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Config:
        start = time.perf_counter()
        refusals: list[Exception] = []
        self.configs_timings = {config: self._time(config, args, kwargs, refusals) for config in configs}
        self.bench_time = time.perf_counter() - start
        best = min(self.configs_timings, key=lambda config: self.configs_timings[config])
        if len(refusals) == len(configs):
            raise refusals[0]
        if any(os.environ.get(name, "0") not in ("", "0") for name in PRINT_VARIABLES):
            print(f"autotuning of {self.__name__} took {self.bench_time:.2f} s; the best configuration: {best}")
        return best

    def _time(self, config: Config, args: tuple[Any, ...], kwargs: dict[str, Any], refusals: list[Exception]) -> Timing:
        self._check_conflicts(config, kwargs)
        arguments = {**self.nargs, **kwargs, **config.all_kwargs()}
        contents = ArrayContents({name: arguments[name] for name in self.restore_value if name in arguments})
        zeroed = {name: arguments[name] for name in self.reset_to_zero if name in arguments}

        def launch() -> None:
            if config.pre_hook is not None:
                config.pre_hook(arguments)
            set_to_zero(zeroed)
            if self.pre_hook is not None:
                self.pre_hook(arguments)
            failure: Exception | None = None
            try:
                self.fn.run(*args, **{**kwargs, **config.all_kwargs()})
            except Exception as error:
                failure = error
                raise
            finally:
                if self.post_hook is not None:
                    self.post_hook(arguments, exception=failure)
                contents.restore()

        try:
            return list(self.do_bench(launch, quantiles=(0.5, 0.2, 0.8)))
        except _REFUSED as error:
            refusals.append(error)
            return [float("inf")] * 3
        finally:
            contents.restore()
            set_to_zero(zeroed)
            if self.pre_hook is not None:
                self.pre_hook(arguments, reset_only=True)

    @property
    def do_bench(self) -> Bench:
        """The function that times a launch."""
        if self._do_bench is not None:
            return self._do_bench
        from mytriton import testing

        return functools.partial(testing.do_bench, **self._bench_times)

    def _check_conflicts(self, config: Config, kwargs: Mapping[str, Any]) -> None:
        if conflicts := sorted(kwargs.keys() & config.kwargs.keys()):
            raise OptionError(
                f"the launch of kernel {self.__name__} gives {', '.join(conflicts)}, which autotune chooses; "
                "leave it out of the launch"
            )


def _pruning_options(given: Mapping[str, Any] | None) -> dict[str, Any]:
    given = given or {}
    if unknown := given.keys() - set(PRUNE_OPTIONS):
        raise OptionError(f"prune_configs_by takes {', '.join(PRUNE_OPTIONS)}, found {min(unknown)!r}")
    return {"early_config_prune": None, "perf_model": None, "top_k": 1.0, **given}


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _device_of(value: Any) -> str:
    """Where an array is, by the names of `devices.py`; empty for what is no array."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return actual_device(str(value.device))
    return "cuda" if hasattr(value, "__cuda_array_interface__") else ""


def autotune(
    configs: Iterable[Config],
    key: Sequence[str],
    prune_configs_by: Mapping[str, Any] | None = None,
    reset_to_zero: Sequence[str] | None = None,
    restore_value: Sequence[str] | None = None,
    pre_hook: Callable[..., Any] | None = None,
    post_hook: Callable[..., Any] | None = None,
    warmup: float | None = None,
    rep: float | None = None,
    use_cuda_graph: bool = False,
    do_bench: Bench | None = None,
    cache_results: bool = False,
) -> Callable[[Any], Autotuner]:
    """Makes a kernel try `configs` whenever the values of the arguments named by `key` are new.

    `prune_configs_by` may have `early_config_prune(configs, named_args, **kwargs)`, which gives those to consider, and
    `perf_model(**kwargs)`, which estimates the time of one, with `top_k`, how many (or which share) of the best to
    time. Arrays named by `reset_to_zero` are zero before each timed launch; those named by `restore_value` get their
    values back after it. `pre_hook(kwargs, reset_only=False)` and `post_hook(kwargs, exception)` run around each timed
    launch. `warmup` and `rep` are milliseconds; `do_bench(fn, quantiles)` does the timing instead. `use_cuda_graph` and
    `cache_results` are taken for Triton's sake and change nothing: launches are timed one by one, in each process.
    """

    def decorate(fn: Any) -> Autotuner:
        return Autotuner(
            fn,
            getattr(fn, "arg_names", []),
            configs,
            key,
            reset_to_zero,
            restore_value,
            pre_hook,
            post_hook,
            prune_configs_by,
            warmup,
            rep,
            use_cuda_graph,
            do_bench,
            cache_results,
        )

    return decorate


__all__ = ["AUTOTUNE_VARIABLE", "Autotuner", "Config", "Hook", "autotune"]
