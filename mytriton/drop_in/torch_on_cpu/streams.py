"""Streams and events of a device on which each launch has run when it returns."""

from __future__ import annotations

import time
from typing import Any

from mytriton.drop_in.torch_on_cpu.residence import CUDA


class Event:
    """A point in time: what was launched before it has run when it is recorded."""

    def __init__(self, *_: Any, **__: Any):
        self.device = CUDA
        self.seconds: float | None = None

    def record(self, stream: Any = None) -> None:
        self.seconds = time.perf_counter()

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this event to the other; a `RuntimeError` where one was not recorded."""
        if self.seconds is None or end_event.seconds is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end_event.seconds - self.seconds) * 1e3

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        """Returns at once."""

    def wait(self, stream: Any = None) -> None:
        """Returns at once."""


class Stream:
    """An order of launches; there is but one, as each launch has run when it returns."""

    cuda_stream = 0
    stream_id = 0
    device_index = 0
    device_type = 1
    priority = 0

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any):
        self.device = CUDA

    def record_event(self, event: Event | None = None) -> Event:
        """Records `event`, or a new one, and gives it back."""
        event = Event() if event is None else event
        event.record()
        return event

    @staticmethod
    def priority_range() -> tuple[int, int]:
        return 0, -1

    def query(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False

    def synchronize(self) -> None:
        """Returns at once."""

    def wait_event(self, event: Any) -> None:
        """Returns at once."""

    def wait_stream(self, stream: Any) -> None:
        """Returns at once."""

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream)

    def __hash__(self) -> int:
        return 0


THE_STREAM = Stream()
