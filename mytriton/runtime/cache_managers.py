"""Triton's cache managers: files that a program keeps between runs, by a key, in mytriton's folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from mytriton.errors import OptionError
from mytriton.runtime.cache import cache_directory
from mytriton.tools.output_file import write_whole


class CacheManager:
    """What keeps the files of one key; a subclass says where."""

    def __init__(self, key: str, override: bool = False, dump: bool = False):
        self.key = key

    def get_file(self, filename: str) -> str | None:
        """The path of a file; None where there is none."""
        raise NotImplementedError(f"{type(self).__name__} has no get_file()")

    def put(self, data: bytes | str, filename: str, binary: bool = True) -> str:
        """Writes a file whole and gives its path; raises `OSError`."""
        raise NotImplementedError(f"{type(self).__name__} has no put()")

    def get_group(self, filename: str) -> dict[str, str] | None:
        """The names and paths of the files of a group, as far as they are there; None where there is no group."""
        raise NotImplementedError(f"{type(self).__name__} has no get_group()")

    def put_group(self, filename: str, group: Mapping[str, str]) -> str:
        """Keeps which files belong together, and gives the path of that list; raises `OSError`."""
        raise NotImplementedError(f"{type(self).__name__} has no put_group()")


class FileCacheManager(CacheManager):
    """Keeps the files in `cache_dir`, a folder of the key's own below `cache_directory()`.

    Raises `OptionError` where it is to override or dump what is compiled.
    """

    def __init__(self, key: str, override: bool = False, dump: bool = False):
        super().__init__(key, override, dump)
        if override or dump:
            raise OptionError("mytriton neither overrides nor dumps what it compiles through a cache manager")
        self.cache_dir = str(cache_directory() / "files" / hashlib.sha256(key.encode()).hexdigest())

    def _path(self, filename: str) -> Path:
        return Path(self.cache_dir) / filename

    def has_file(self, filename: str) -> bool:
        """Whether there is a file of that name."""
        return self._path(filename).exists()

    def get_file(self, filename: str) -> str | None:
        return str(self._path(filename)) if self.has_file(filename) else None

    def put(self, data: bytes | str, filename: str, binary: bool = True) -> str:
        path = self._path(filename)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data.encode() if isinstance(data, str) else data)
        return str(path)

    def get_group(self, filename: str) -> dict[str, str] | None:
        path = self._path(_group_file(filename))
        if not path.exists():
            return None
        members: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        return {name: member for name, member in members.items() if Path(member).exists()}

    def put_group(self, filename: str, group: Mapping[str, str]) -> str:
        return self.put(json.dumps({name: str(path) for name, path in group.items()}), _group_file(filename))


def _group_file(filename: str) -> str:
    return f"group-{filename}"


def get_cache_manager(key: str) -> FileCacheManager:
    """The manager of the files of `key`."""
    return FileCacheManager(key)
