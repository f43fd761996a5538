"""Runs a script, a text or a module as `python` would, in this process.

Each function gives the exit code, and lets `SystemExit` and `KeyboardInterrupt` pass. An exception of the program is
printed as Python does, without our own frames, and the code is 1.
"""

from __future__ import annotations

import builtins
import io
import linecache
import os
import pkgutil
import runpy
import sys
import threading
import types
from collections.abc import Callable, Sequence
from importlib.machinery import BuiltinImporter, SourceFileLoader
from pathlib import Path
from typing import Any

from mytriton.tracebacks import shorten

_HERE = (str(Path(__file__).parent), str(Path(__file__).parents[1] / "__main__.py"))


def run_script(command: Sequence[str]) -> int:
    """Runs the script `command[0]` with the arguments `command`.

    `-` is the standard input; a folder or a zip file is run by the `__main__.py` in it.
    """
    path = command[0]
    sys.argv = list(command)
    if path == "-":
        return _run_text(sys.stdin.read(), "<stdin>", __file__="<stdin>", __cached__=None)
    if pkgutil.get_importer(path) is not None:
        sys.path[: 0 if sys.flags.safe_path else 1] = [os.path.abspath(path)]
        return _run_main_of("__main__", False)
    absolute = os.path.join(os.getcwd(), path)
    try:
        with io.open_code(absolute) as file:
            source = file.read()
    except OSError as error:
        reason = f"[Errno {error.errno}] {error.strerror}"
        print(f"{sys.executable}: can't open file {absolute!r}: {reason}", file=sys.stderr)
        return 2
    _set_path(os.path.dirname(os.path.realpath(absolute)))
    module = _new_main()
    module.__file__ = absolute
    module.__loader__ = SourceFileLoader("__main__", absolute)
    module.__dict__["__cached__"] = None
    return _guarded(lambda: exec(compile(source, absolute, "exec", dont_inherit=True), module.__dict__))


def run_text(command: Sequence[str]) -> int:
    """Runs the program text `command[0]`, as `python -c` does; the rest are its arguments."""
    sys.argv = ["-c", *command[1:]]
    return _run_text(command[0], "<string>")


def run_module(command: Sequence[str]) -> int:
    """Runs the module `command[0]`, as `python -m` does; the rest are its arguments."""
    sys.argv = ["-m", *command[1:]]
    return _run_main_of(command[0], True)


def show_errors_shortly() -> None:
    """From now on, errors that end the program or a thread show no frames of mytriton."""
    show, show_in_thread = sys.excepthook, threading.excepthook

    def hook(kind: type[BaseException], error: BaseException, traceback: types.TracebackType | None) -> None:
        shorten(error)
        show(kind, error, error.__traceback__)

    def thread_hook(arguments: threading.ExceptHookArgs) -> None:
        error = arguments.exc_value
        if error is not None:
            shorten(error)
            arguments = threading.ExceptHookArgs((arguments.exc_type, error, error.__traceback__, arguments.thread))
        show_in_thread(arguments)

    sys.excepthook, threading.excepthook = hook, thread_hook


def _run_text(text: str, name: str, **names: Any) -> int:
    _set_path("")
    module = _new_main()
    module.__dict__.update(names)
    module.__loader__ = BuiltinImporter  # as Python has it
    # Kernels are compiled from their text, which is in no file.
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    return _guarded(lambda: exec(compile(text, name, "exec", dont_inherit=True), module.__dict__))


def _run_main_of(name: str, is_module: bool) -> int:
    """Runs what Python itself runs for `-m`, or for a folder on the path."""
    run: Callable[[str, bool], Any] = getattr(runpy, "_run_module_as_main")  # noqa: B009
    _new_main()
    return _guarded(lambda: run(name, is_module))


def _set_path(folder: str) -> None:
    """Puts the folder of the script where Python puts it, if it does."""
    if not sys.flags.safe_path:
        sys.path[0] = folder


def _new_main() -> types.ModuleType:
    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = builtins
    if sys.version_info < (3, 14):
        module.__annotations__ = {}
    sys.modules["__main__"] = module
    return module


def _guarded(run: Callable[[], object]) -> int:
    try:
        run()
    except SystemExit:
        raise
    except BaseException as error:
        traceback = _without_our_frames(error.__traceback__)
        error.__traceback__ = traceback
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, traceback
        sys.excepthook(type(error), error, traceback)
        if isinstance(error, KeyboardInterrupt):
            # It has been shown; Python ends as one that was interrupted.
            sys.excepthook = _show_nothing
            raise
        return 1
    return 0


def _show_nothing(*_: object) -> None:
    """In the place of `sys.excepthook` for what has been shown."""


def _without_our_frames(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """The part of a traceback that begins in the program; None where the program was not reached."""
    while traceback is not None and _is_ours(traceback.tb_frame.f_code.co_filename):
        traceback = traceback.tb_next
    return traceback


def _is_ours(file: str) -> bool:
    return file.startswith((*_HERE, "<frozen runpy>")) or os.path.basename(file) == "runpy.py"
