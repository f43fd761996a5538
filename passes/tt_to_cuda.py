"""`tt-to-cuda`: the whole way from `tt` to printable `cuda` under one name."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mytriton.options import DEFAULT_ARCHITECTURE, Options
from mytriton.passes.pipeline import run_standard_pipeline


@dataclass(frozen=True)
class TtToCuda(ModulePass):
    """Runs the standard list of passes: `tt-to-cuda{arch=sm_90a num-warps=4 num-stages=3}`.

    With `checks=true` the kernel reports faulty values, with `nonfinite=true` also NaN and infinities; such text is for
    the CPU device.
    """

    name = "tt-to-cuda"

    arch: str = DEFAULT_ARCHITECTURE
    num_warps: int = 4
    num_stages: int = 3
    dynamic_shared: bool = False
    checks: bool = False
    nonfinite: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        options = Options(
            arch=self.arch,
            num_warps=self.num_warps,
            num_stages=self.num_stages,
            dynamic_shared=self.dynamic_shared,
        )
        checks = "nonfinite" if self.nonfinite else "default" if self.checks else None
        run_standard_pipeline(op, options, checks=checks)
