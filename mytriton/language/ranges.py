"""What a `for` loop of a kernel can run over, besides Python's `range`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mytriton import messages
from mytriton.language.constexpr import constexpr
from mytriton.language.context import builtin


class LoopRange:
    """Bounds of a loop; only the compiler iterates over them."""

    def __init__(self, name: str, arg1: Any, arg2: Any = None, step: Any = None):
        self.name = name
        self.start = 0 if arg2 is None else arg1
        self.end = arg1 if arg2 is None else arg2
        self.step = 1 if step is None else step
        self.hints: dict[str, Any] = {}

    def __iter__(self) -> Iterator[Any]:
        raise messages.range_outside_of_for(self.name)


@builtin
def condition(arg1: Any, disable_licm: bool = False) -> Any:
    """The condition of a `while` loop, with a hint for the compiler, which is accepted and changes nothing."""
    return arg1


@builtin
class static_range(LoopRange):
    """`range` of compile-time constants; the body of the loop is compiled once for each number."""

    def __init__(self, arg1: Any, arg2: Any = None, step: Any = None):
        super().__init__("static_range", arg1, arg2, step)


@builtin
class range(LoopRange):
    """Python's `range`, with hints for the compiler.

    `num_stages`: iterations of the loop in flight at once. `loop_unroll_factor`, `disallow_acc_multi_buffer`,
    `flatten`, `warp_specialize` and `disable_licm` are accepted and written on the loop.
    """

    def __init__(
        self,
        arg1: Any,
        arg2: Any = None,
        step: Any = None,
        num_stages: int | constexpr | None = None,
        loop_unroll_factor: int | constexpr | None = None,
        disallow_acc_multi_buffer: bool = False,
        flatten: bool = False,
        warp_specialize: bool = False,
        disable_licm: bool = False,
    ):
        super().__init__("range", arg1, arg2, step)
        self.hints = {
            "tt.num_stages": num_stages,
            "tt.loop_unroll_factor": loop_unroll_factor,
            "tt.disallow_acc_multi_buffer": disallow_acc_multi_buffer,
            "tt.flatten": flatten,
            "tt.warp_specialize": warp_specialize,
            "tt.disable_licm": disable_licm,
        }
