"""The options of one compilation, and the GPU architectures that code can be made for."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from mytriton.errors import OptionError

ARCHITECTURES = (
    "sm_75",
    "sm_80",
    "sm_86",
    "sm_87",
    "sm_88",
    "sm_89",
    "sm_90",
    "sm_90a",
    "sm_100",
    "sm_100a",
    "sm_100f",
    "sm_103",
    "sm_103a",
    "sm_103f",
    "sm_110",
    "sm_110a",
    "sm_110f",
    "sm_120",
    "sm_120a",
    "sm_120f",
    "sm_121",
    "sm_121a",
    "sm_121f",
)
"""What `arch` may be. NVRTC has the last word: an older one may know fewer."""

DEFAULT_ARCHITECTURE = "sm_80"

DUMP_VARIABLE = "MYTRITON_DUMP_DIR"
"""The environment variable that names the folder where the IR after each pass is saved."""

VERIFY_VARIABLE = "MYTRITON_VERIFY"
"""The environment variable that, set to 1, makes the compiler verify the IR of every kernel, first and last.

Nothing but a mistake in mytriton is found so. Without it, the IR is verified when a later step fails.
"""

INPUT_PRECISIONS = ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")


@dataclass(frozen=True, slots=True)
class Options:
    """How one kernel is compiled. Two equal `Options` give the same text for the same kernel.

    `num_warps`: warps of a block, a power of two from 1 to 32. `num_stages`: depth of the load pipeline.
    `arch`: the GPU architecture, one of `ARCHITECTURES`. `input_precision`: what a float32 `tl.dot` does that does not
    say so itself. `dynamic_shared`: shared memory may exceed 48 KiB, and is then dynamic, up to what `arch` offers.
    `enable_fp_fusion`: a multiplication and an addition may be fused. `maxnreg`: registers a thread may use.
    `debug`: `tl.device_assert` is compiled.
    """

    num_warps: int = 4
    num_stages: int = 3
    arch: str = DEFAULT_ARCHITECTURE
    input_precision: str = "ieee"
    dynamic_shared: bool = True
    enable_fp_fusion: bool = True
    maxnreg: int | None = None
    debug: bool = False

    def __post_init__(self) -> None:
        if type(self.num_warps) is not int or self.num_warps not in (1, 2, 4, 8, 16, 32):
            raise OptionError(f"num_warps must be a power of two from 1 to 32, found {self.num_warps!r}")
        if type(self.num_stages) is not int or self.num_stages < 0:
            raise OptionError(f"num_stages must be an integer that is not negative, found {self.num_stages!r}")
        if self.arch not in ARCHITECTURES:
            raise OptionError(f"arch must be one of {', '.join(ARCHITECTURES)}, found {self.arch!r}")
        if self.input_precision not in INPUT_PRECISIONS:
            raise OptionError(
                f"input_precision must be one of {', '.join(INPUT_PRECISIONS)}, found {self.input_precision!r}"
            )
        if self.maxnreg is not None and (type(self.maxnreg) is not int or not 1 <= self.maxnreg <= 255):
            raise OptionError(f"maxnreg must be an integer from 1 to 255, found {self.maxnreg!r}")

    @property
    def threads(self) -> int:
        """Threads of one block."""
        return 32 * self.num_warps

    def as_dict(self) -> dict[str, Any]:
        """Every option by its name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


OPTION_NAMES = frozenset(field.name for field in fields(Options))
