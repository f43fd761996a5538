"""Writes a file whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Put `data` in the file at `path`; if that fails, what was there is still there and no other file is left.

    A device or a pipe is written to directly. Raises `OSError`.
    """
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        path.write_bytes(data)
        return
    path = path.resolve()
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.chmod(temporary, path.stat().st_mode if path.exists() else 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
