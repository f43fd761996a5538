"""The settings of Triton that mean something here, under the names that Triton has them: `triton.knobs`.

A setting that mytriton does not have is an `AttributeError` that names it, also when it is set: nothing is ignored.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from mytriton.interpreter.launch import interpret_everything, is_interpreting
from mytriton.runtime import launch_hooks
from mytriton.runtime.launch_hooks import HookChain


class Setting:
    """One setting: how it is read and how it is set. Without `write` it may only be set to what it is."""

    def __init__(self, read: Callable[[], Any], write: Callable[[Any], None] | None = None):
        self.read = read
        self.write = write


class Knobs:
    """A group of settings, read and set as attributes."""

    def __init__(self, name: str, settings: dict[str, Setting]):
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_settings", settings)

    def _setting(self, name: str) -> Setting:
        if name not in self._settings:
            raise AttributeError(f"mytriton does not have the setting triton.knobs.{self._name}.{name}")
        return self._settings[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._setting(name).read()

    def __setattr__(self, name: str, value: Any) -> None:
        setting = self._setting(name)
        if setting.write is not None:
            setting.write(value)
        elif value != setting.read():
            raise AttributeError(
                f"mytriton cannot set triton.knobs.{self._name}.{name} to {value!r}: it is {setting.read()!r}"
            )

    @contextmanager
    def scope(self) -> Generator[Knobs]:
        """Gives every setting its value back at the end of the `with` block."""
        before = {name: setting.read() for name, setting in self._settings.items() if setting.write is not None}
        try:
            yield self
        finally:
            for name, value in before.items():
                if self._settings[name].read() != value:
                    setattr(self, name, value)

    def __dir__(self) -> list[str]:
        return sorted(self._settings)


def _variable(name: str, default: str | None = None) -> Setting:
    """An environment variable of mytriton, which is read whenever it matters."""

    def write(value: Any) -> None:
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = str(value)

    return Setting(lambda: os.environ.get(name, default), write)


def _flag(name: str) -> Setting:
    """The same, for a variable that is 1 or not set."""

    def write(value: Any) -> None:
        if value:
            os.environ[name] = "1"
        else:
            os.environ.pop(name, None)

    return Setting(lambda: os.environ.get(name, "0") not in ("", "0"), write)


def _fixed(value: Any) -> Setting:
    return Setting(lambda: value)


def _set_interpret(value: Any) -> None:
    if not value and is_interpreting():
        raise AttributeError("mytriton cannot leave the interpreter by triton.knobs.runtime.interpret")
    if value:
        interpret_everything()


def _hooks(chain: HookChain) -> Setting:
    """A chain of hooks; the chain stays, and what it calls is set."""
    return Setting(lambda: chain, lambda value: launch_hooks.set_hooks(chain, value))


runtime = Knobs(
    "runtime",
    {
        "interpret": Setting(is_interpreting, _set_interpret),
        "debug": _fixed(False),
        "launch_enter_hook": _hooks(launch_hooks.ENTER),
        "launch_exit_hook": _hooks(launch_hooks.EXIT),
    },
)
autotuning = Knobs(
    "autotuning",
    {"print": _flag("MYTRITON_PRINT_AUTOTUNING"), "cache": _fixed(False), "warn_without_key": _fixed(False)},
)
cache = Knobs("cache", {"dir": _variable("MYTRITON_CACHE_DIR")})
compilation = Knobs("compilation", {"always_compile": _flag("MYTRITON_ALWAYS_COMPILE"), "dump_ir": _fixed(False)})
language = Knobs("language", {"strict_reduction_ordering": _fixed(False)})
nvidia = Knobs("nvidia", {})

__all__ = ["HookChain", "Knobs", "Setting", "autotuning", "cache", "compilation", "language", "nvidia", "runtime"]


def __getattr__(name: str) -> Any:
    raise AttributeError(f"mytriton does not have triton.knobs.{name}")
