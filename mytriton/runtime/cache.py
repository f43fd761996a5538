"""What was compiled before, on disk: one JSON file for each kernel, options and kind of arguments.

`MYTRITON_CACHE_DIR` moves the folder; with `MYTRITON_ALWAYS_COMPILE=1` it is neither read nor written. A change of any
source file of the compiler makes all earlier entries stale.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from mytriton.tools.output_file import write_whole


def cache_directory() -> Path:
    """The folder of everything that mytriton keeps between runs; it may not exist yet."""
    if chosen := os.environ.get("MYTRITON_CACHE_DIR"):
        return Path(chosen).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("mytriton", appauthor=False))


def is_enabled() -> bool:
    """Whether the cache is read and written."""
    return os.environ.get("MYTRITON_ALWAYS_COMPILE", "0") in ("", "0")


def entry_key(*parts: str) -> str:
    """The name of an entry: a hash of `parts` and of the compiler."""
    return hashlib.sha256("\0".join((compiler_fingerprint(), *parts)).encode()).hexdigest()


@functools.cache
def compiler_fingerprint() -> str:
    """What changes when any file of the compiler, or the version of xDSL, does."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        parts = [f"xdsl {version('xdsl')}"]
    except PackageNotFoundError:
        parts = ["xdsl unknown"]
    for path, status in sorted(_source_files(Path(__file__).parent.parent)):
        parts.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _source_files(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    """The Python files below `root`, also behind links to folders, with their status."""
    for folder, folders, files in os.walk(root, followlinks=True):
        folders[:] = [name for name in folders if not name.startswith(("__", "."))]
        for name in files:
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                yield path, os.stat(path)


def load(key: str) -> dict[str, Any] | None:
    """The entry of that name, or None where there is none that can be read."""
    if not is_enabled():
        return None
    try:
        text = _path(key).read_text(encoding="utf-8")
    except OSError:
        return None
    checksum, _, body = text.partition("\n")
    if checksum != hashlib.sha256(body.encode()).hexdigest():
        return None
    with suppress(ValueError):
        entry = json.loads(body)
        if isinstance(entry, dict):
            return cast(dict[str, Any], entry)
    return None


def store(key: str, entry: dict[str, Any]) -> None:
    """Writes an entry; other processes see all of it or nothing. A folder that cannot be written is no error."""
    if not is_enabled():
        return
    body = json.dumps(entry)
    path = _path(key)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, f"{hashlib.sha256(body.encode()).hexdigest()}\n{body}".encode())


def _path(key: str) -> Path:
    return cache_directory() / "kernels" / key[:2] / f"{key}.json"
