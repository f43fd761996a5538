"""`@heuristics`: meta-parameters that are computed from the other arguments of a launch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from mytriton.errors import OptionError
from mytriton.runtime.launchable import Launchable
from mytriton.tracebacks import hide_in_pytest

__tracebackhide__ = hide_in_pytest

Heuristic = Callable[[dict[str, Any]], Any]
"""From the arguments of a launch by name to the value of one parameter."""


class Heuristics(Launchable):
    """A kernel some of whose parameters are computed at each launch. `fn` is the kernel, or what wraps it."""

    def __init__(self, fn: Any, arg_names: list[str], values: Mapping[str, Heuristic]):
        super().__init__(fn, arg_names)
        self.values = dict(values)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Launches `fn` with the computed parameters; takes what `JITFunction.run` takes."""
        for name, heuristic in self.values.items():
            kwargs[name] = heuristic({**dict(zip(self.arg_names, args, strict=False)), **kwargs})
        return self.fn.run(*args, **kwargs)


def heuristics(values: Mapping[str, Heuristic]) -> Callable[[Any], Heuristics]:
    """Computes parameters from the other arguments: `@heuristics({"EVEN": lambda args: args["n"] % 128 == 0})`.

    Each function takes the arguments of the launch by name, with what the functions before it gave.
    """
    if unfit := [name for name, heuristic in values.items() if not callable(heuristic)]:
        raise OptionError(f"heuristics takes a function for each parameter, found {values[unfit[0]]!r} for {unfit[0]}")
    return functools.partial(_heuristics, values)


def _heuristics(values: Mapping[str, Heuristic], fn: Any) -> Heuristics:
    return Heuristics(fn, fn.arg_names, values)
