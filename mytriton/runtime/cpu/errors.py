"""What can go wrong between a kernel's CUDA C text and its end on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mytriton.errors import LaunchError, MytritonError, SourceLocation


class CompilerError(MytritonError):
    """The C++ compiler refused a text; shows its messages and the lines that they are about."""


@dataclass(frozen=True)
class ThreadGroup:
    """Threads `first` to `last` of a block that are in the same state when it cannot go on.

    `kind` is what they wait at, such as `__syncthreads`, in `line` of the CUDA C text, which is `source`; None for
    threads that have ended, and empty for threads that could run.
    """

    first: int
    last: int
    kind: str | None
    line: int
    source: str
    location: SourceLocation | None = None
    """The line of the kernel's own source, where it is known."""

    def __str__(self) -> str:
        many = self.first != self.last
        subject = f"threads {self.first}-{self.last}" if many else f"thread {self.first}"
        if self.kind is None:
            return f"{subject} {'have' if many else 'has'} ended"
        if not self.kind:
            return f"{subject} {'do' if many else 'does'} not wait"
        place = f"{subject} {'wait' if many else 'waits'} at {self.kind} in line {self.line}"
        text = f"{place}: {self.source}" if self.source else place
        if self.location is None:
            return text
        return "\n    ".join([text, f"from {self.location}", *self.location.excerpt()])


class DeadlockError(LaunchError):
    """The threads of a block wait for each other, and none can go on.

    `groups` says where each one is, from the first thread on; with `is_cut`, the threads after these are not told.
    """

    def __init__(
        self,
        kernel: str,
        block: tuple[int, int, int],
        reason: str,
        groups: Sequence[ThreadGroup],
        is_cut: bool = False,
    ):
        super().__init__(kernel, block, reason, tuple(groups), is_cut)
        self.kernel = kernel
        self.block = block
        self.reason = reason
        self.groups = tuple(groups)
        self.is_cut = is_cut

    def __str__(self) -> str:
        lines = [f"{self.kernel}: {self.reason} in block {self.block}", *(f"  {group}" for group in self.groups)]
        return "\n".join([*lines, "  ..."] if self.is_cut else lines)
