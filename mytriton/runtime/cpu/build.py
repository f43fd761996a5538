"""Shared objects made from C and C++, kept in the cache folder under the hash of all that they depend on."""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from mytriton.runtime.cache import cache_directory, is_enabled
from mytriton.runtime.cpu.toolchain import LINK_FLAGS, Compiler, processor_identity

HERE = Path(__file__).parent

# The size of a function's stack frame, in the words of GCC and of clang.
_FRAME = re.compile(r"the frame size of (\d+) bytes|stack frame size \((\d+)\)")


@dataclass(frozen=True)
class Refusal:
    """A compiler did not accept a source; `messages` are its words."""

    messages: str


def build_object(compiler: Compiler, flags: Sequence[str], source: str) -> Path | Refusal:
    """The shared object for a source text; from the cache where it was built before.

    A file of that name is never written twice: other processes see it complete or not at all. Where the compiler warns
    of large stack frames (`-Wframe-larger-than`), the macro MYTRITON_LARGE_FRAMES is the sum of their bytes.
    """
    words = [*flags, *compiler.target_flags]
    key = hashlib.sha256(
        "\0".join([compiler.identity, processor_identity(), own_files(), *words, *LINK_FLAGS, source]).encode()
    ).hexdigest()
    folder = _folder(key[:2])
    path = folder / f"{key}.so"
    if is_enabled() and path.exists():
        return path
    with FileLock(folder / ".lock"):
        if is_enabled() and path.exists():
            return path
        return _compile(compiler, words, source, path)


def forget(path: Path) -> None:
    """Removes a file that turned out to be no shared object that can be loaded."""
    with suppress(OSError):
        path.unlink()


@functools.cache
def own_files() -> str:
    """All that a kernel's source or the runtime's may include of ours."""
    files = sorted([*HERE.glob("include/*.h"), *HERE.glob("native/*.[ch]")])
    return "\0".join(f"{file.name}\n{file.read_text(encoding='utf-8')}" for file in files)


def _compile(compiler: Compiler, words: Sequence[str], source: str, path: Path) -> Path | Refusal:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".so")
    os.close(descriptor)
    try:
        messages = _run(compiler, words, source, temporary)
        if isinstance(messages, str) and (
            frames := sum(int(match[1] or match[2]) for match in _FRAME.finditer(messages))
        ):
            messages = _run(compiler, [*words, f"-DMYTRITON_LARGE_FRAMES={frames}"], source, temporary)
        if isinstance(messages, Refusal):
            return messages
        if not is_enabled():
            # Without a cache each object is new: a loaded one must not be written over.
            path = path.with_name(f"{path.stem}{Path(temporary).name}")
            atexit.register(forget, path)
        os.replace(temporary, path)
    finally:
        with suppress(OSError):
            os.unlink(temporary)
    return path


def _run(compiler: Compiler, words: Sequence[str], source: str, output: str) -> str | Refusal:
    """Runs the compiler; what it said."""
    result = subprocess.run(
        [*compiler.command, *words, f"-I{HERE / 'include'}", f"-I{HERE / 'native'}", "-", "-o", output, *LINK_FLAGS],
        input=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    )
    if result.returncode:
        return Refusal(result.stdout.strip() or f"it ended with status {result.returncode}")
    return result.stdout


def _folder(name: str) -> Path:
    """A folder below the cache; a temporary one where the cache cannot be written."""
    folder = cache_directory() / "cpu" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    return _temporary_folder()


@functools.cache
def _temporary_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="mytriton-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
