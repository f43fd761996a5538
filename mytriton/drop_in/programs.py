"""Runs a script or a module as `python` would, in this process."""

from __future__ import annotations

import builtins
import io
import os
import runpy
import sys
import types
from collections.abc import Callable, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path

_HERE = str(Path(__file__).parent)


def run_script(command: Sequence[str]) -> int:
    """Runs the script `command[0]` with the arguments `command`; gives the exit code, and lets `SystemExit` pass.

    An exception of the script is printed as Python does, without our own frames, and the code is 1.
    """
    path = command[0]
    sys.argv = list(command)
    if os.path.isdir(path):
        return _guarded(lambda: runpy.run_path(path, run_name="__main__"))
    absolute = os.path.join(os.getcwd(), path)
    try:
        with io.open_code(absolute) as file:
            source = file.read()
    except OSError as error:
        reason = f"[Errno {error.errno}] {error.strerror}"
        print(f"{sys.executable}: can't open file {absolute!r}: {reason}", file=sys.stderr)
        return 2
    sys.path[0] = os.path.dirname(os.path.realpath(absolute))
    module = types.ModuleType("__main__")
    module.__file__ = absolute
    module.__loader__ = SourceFileLoader("__main__", absolute)
    module.__dict__["__builtins__"] = builtins
    module.__dict__["__cached__"] = None
    sys.modules["__main__"] = module
    return _guarded(lambda: exec(compile(source, absolute, "exec", dont_inherit=True), module.__dict__))


def run_module(command: Sequence[str]) -> int:
    """Runs the module `command[0]`, as `python -m` does; otherwise as `run_script`."""
    sys.argv = list(command)
    return _guarded(lambda: runpy.run_module(command[0], run_name="__main__", alter_sys=True))


def _guarded(run: Callable[[], object]) -> int:
    try:
        run()
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        traceback = _without_our_frames(error.__traceback__)
        if traceback is None and isinstance(error, ImportError):
            print(f"{sys.executable}: {error}", file=sys.stderr)
        else:
            sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        return 1
    return 0


def _without_our_frames(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """The part of a traceback that begins in the program; None where the program was not reached."""
    while traceback is not None and _is_ours(traceback.tb_frame.f_code.co_filename):
        traceback = traceback.tb_next
    return traceback


def _is_ours(file: str) -> bool:
    return file.startswith((_HERE, "<frozen runpy>")) or os.path.basename(file) == "runpy.py"
