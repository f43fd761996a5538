"""`Config`: one choice of meta-parameters and compile options that an autotuner may take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mytriton.errors import OptionError

Hook = Callable[[dict[str, Any]], Any]
"""Is called with the arguments of a launch by name, before the kernel runs."""


class Config:
    """`kwargs` are values of the kernel's own parameters; the rest are options of the compilation.

    `pre_hook` is called with all arguments by name before each launch with this configuration.
    """

    def __init__(
        self,
        kwargs: Mapping[str, Any],
        num_warps: int = 4,
        num_stages: int = 3,
        num_ctas: int = 1,
        maxnreg: int | None = None,
        pre_hook: Hook | None = None,
        ir_override: str | None = None,
    ):
        if ir_override is not None:
            raise OptionError("Config takes no ir_override: mytriton compiles kernels from their Python source")
        self.kwargs = dict(kwargs)
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook

    def all_kwargs(self) -> dict[str, Any]:
        """The keywords of a launch with this configuration."""
        options = {
            "num_warps": self.num_warps,
            "num_stages": self.num_stages,
            "num_ctas": self.num_ctas,
            "maxnreg": self.maxnreg,
        }
        return {**self.kwargs, **{name: value for name, value in options.items() if value is not None}}

    def __str__(self) -> str:
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())

    def __repr__(self) -> str:
        return f"Config({self})"

    def _key(self) -> tuple[Any, ...]:
        return (*self.all_kwargs().items(), self.pre_hook)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())
