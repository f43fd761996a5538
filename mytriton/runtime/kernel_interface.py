"""What every object that is launched as `kernel[grid](...)` has in common."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class KernelInterface(Generic[T]):
    """`kernel[grid](*args, **kwargs)` calls `run(*args, grid=grid, warmup=False, **kwargs)`, a subclass's own."""

    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        """Launches the kernel on `grid`, or with `warmup` only compiles it."""
        raise NotImplementedError(f"{type(self).__name__} has no run()")

    def warmup(self, *args: Any, grid: Any = None, **kwargs: Any) -> Any:
        """Compiles for these arguments without running."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return functools.partial(self.run, grid=grid, warmup=False)
