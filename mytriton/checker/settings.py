"""Whether launches are checked here, and for what: `sanitize`, and the environment variable of the same meaning."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from contextlib import ContextDecorator
from contextvars import ContextVar
from dataclasses import dataclass, fields
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from typing import Any, TypeVar

from mytriton.errors import OptionError

_Function = TypeVar("_Function", bound=Callable[..., Any])

SANITIZE_VARIABLE = "MYTRITON_SANITIZE"
"""The environment variable that, set to 1 or to options such as `all-faults,schedule=3`, has every launch checked."""


@dataclass(frozen=True, slots=True)
class Checks:
    """What a checked launch looks for, and how it runs; `sanitize` says what the options mean."""

    all_faults: bool = False
    nonfinite: bool = False
    schedule: int | None = None
    steps: int | None = None

    def __post_init__(self) -> None:
        for name in ("all_faults", "nonfinite"):
            if type(getattr(self, name)) is not bool:
                raise OptionError(f"{name} of sanitize must be True or False, found {getattr(self, name)!r}")
        if self.schedule is not None and (type(self.schedule) is not int or not 0 <= self.schedule < 2**64):
            raise OptionError(
                f"schedule of sanitize must be a number from 0 to 2**64 - 1 or None, found {self.schedule!r}"
            )
        if self.steps is not None and (type(self.steps) is not int or not 0 < self.steps < 2**64):
            raise OptionError(f"steps of sanitize must be a number from 1 to 2**64 - 1 or None, found {self.steps!r}")


def _spelt(name: str) -> str:
    return name.replace("_", "-")


_NAMES = tuple(field.name for field in fields(Checks))


@functools.lru_cache(maxsize=16)
def checks_of_text(text: str) -> Checks | None:
    """`"1"` -> the defaults, `"all-faults,steps=1000"` -> those, `""` and `"0"` -> None; raises `OptionError`."""
    if text.strip() in ("", "0"):
        return None
    given: dict[str, Any] = {}
    for word in text.split(","):
        name, has_value, value = (part.strip() for part in word.partition("="))
        if name == "1" and not has_value:
            continue
        option = name.replace("-", "_")
        if option not in _NAMES:
            known = ", ".join(map(_spelt, _NAMES))
            raise OptionError(f"{SANITIZE_VARIABLE} is 0, 1 or a list of {known}, found {name!r} in {text!r}")
        given[option] = _value(option, bool(has_value), value, text)
    return Checks(**given)


def _value(option: str, has_value: bool, value: str, text: str) -> bool | int:
    is_flag = option in ("all_faults", "nonfinite")
    if is_flag and not has_value:
        return True
    if is_flag and value in ("0", "1"):
        return value == "1"
    if not is_flag and value.isdecimal():
        return int(value)
    wanted = "0 or 1" if is_flag else "a number"
    raise OptionError(
        f"{_spelt(option)} of {SANITIZE_VARIABLE} takes {wanted}, as in {_spelt(option)}=1, found {text!r}"
    )


def sanitize_everything() -> None:
    """From now on, launches are checked in every thread and in the processes that this one starts.

    The options are those of the environment variable, where it has any; raises `OptionError` for bad ones.
    """
    text = os.environ.get(SANITIZE_VARIABLE, "")
    if checks_of_text(text) is None:
        os.environ[SANITIZE_VARIABLE] = "1"


class _Active:
    """What an open `sanitize` says, and what the one around it says."""

    __slots__ = ("around", "checks")

    def __init__(self, checks: Checks | None, around: _Active | None):
        self.checks = checks
        self.around = around


_active: ContextVar[_Active | None] = ContextVar("mytriton_checks", default=None)


def current_checks() -> Checks | None:
    """What launches are checked for here, or None where they are not; raises `OptionError` for a bad variable."""
    active = _active.get()
    if active is not None:
        return active.checks
    text = os.environ.get(SANITIZE_VARIABLE)
    return checks_of_text(text) if text else None


class sanitize(ContextDecorator):
    """Launches inside the `with` block, or in the function that this decorates, run on the CPU and are checked.

    A launch that accesses memory outside its arrays, or does anything else of docs/checker.md, raises a `KernelFault`,
    and its arrays hold what they held before. With `enabled=False` launches are not checked, also where those around
    are.

    `all_faults`: a launch goes on after a fault, one program after the other, and raises `KernelFaults`, with all of
    them, when it ends. `nonfinite`: a NaN or an infinity that the kernel makes from finite numbers is a fault.
    `schedule`: a number that chooses an order in which programs and threads run; None is the usual one. `steps`:
    more iterations of loops in one program, all its threads together, are a fault; None is no limit.

    Blocks may be nested; the innermost counts, in its own thread only. Raises `OptionError` for a bad option.
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        all_faults: bool = False,
        nonfinite: bool = False,
        schedule: int | None = None,
        steps: int | None = None,
    ):
        if callable(enabled):
            raise OptionError("sanitize is called before it decorates a function: @mytriton.sanitize()")
        if type(enabled) is not bool:
            raise OptionError(f"enabled of sanitize must be True or False, found {enabled!r}")
        checks = Checks(all_faults, nonfinite, schedule, steps)
        self._checks = checks if enabled else None

    def __call__(self, func: _Function) -> _Function:
        """The function, with its launches checked; raises `OptionError` for one that goes on after its call."""
        if any(is_kind(func) for is_kind in (isgeneratorfunction, iscoroutinefunction, isasyncgenfunction)):
            raise OptionError(
                f"sanitize cannot decorate {func.__name__}, which is a generator or a coroutine: write "
                "`with mytriton.sanitize():` in it, around the launches"
            )
        return super().__call__(func)

    def __enter__(self) -> None:
        _active.set(_Active(self._checks, _active.get()))

    def __exit__(self, *error: object) -> None:
        active = _active.get()
        assert active is not None, "sanitize is left where it was not entered"
        _active.set(active.around)


__all__ = [
    "SANITIZE_VARIABLE",
    "Checks",
    "checks_of_text",
    "current_checks",
    "sanitize",
    "sanitize_everything",
]
