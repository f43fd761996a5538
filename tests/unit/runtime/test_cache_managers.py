"""Triton's cache managers, which keep files by a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from mytriton.errors import OptionError
from mytriton.runtime.cache_managers import CacheManager, FileCacheManager, get_cache_manager


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MYTRITON_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_files_are_kept_by_key(folder: Path) -> None:
    manager = get_cache_manager("a/../key of any kind")
    assert isinstance(manager, FileCacheManager | CacheManager) and not folder.exists()
    assert manager.get_file("launcher.so") is None and not manager.has_file("launcher.so")
    path = manager.put(b"\x00\x01", "launcher.so")
    assert Path(path).read_bytes() == b"\x00\x01" and Path(path).is_relative_to(folder / "files")
    assert manager.put("text, ä", "launcher.c", binary=False) == manager.get_file("launcher.c")
    assert Path(manager.cache_dir, "launcher.c").read_text(encoding="utf-8") == "text, ä"
    assert get_cache_manager("a/../key of any kind").get_file("launcher.so") == path
    assert get_cache_manager("another key").get_file("launcher.so") is None
    assert manager.put(b"new", "launcher.so") == path and Path(path).read_bytes() == b"new"


def test_groups_have_the_files_that_are_there() -> None:
    manager = get_cache_manager("key")
    assert manager.get_group("kernel.json") is None
    group = {name: manager.put(name, name) for name in ("kernel.ttir", "kernel.json")}
    manager.put_group("kernel.json", group)
    assert get_cache_manager("key").get_group("kernel.json") == group
    Path(group["kernel.ttir"]).unlink()
    assert manager.get_group("kernel.json") == {"kernel.json": group["kernel.json"]}
    # The list is no file of that name.
    assert Path(group["kernel.json"]).read_text() == "kernel.json"


def test_what_it_does_not_do_is_refused() -> None:
    for manager in (lambda: FileCacheManager("key", override=True), lambda: FileCacheManager("key", dump=True)):
        with pytest.raises(OptionError, match="neither overrides nor dumps"):
            manager()
    with pytest.raises(NotImplementedError, match="CacheManager has no put"):
        CacheManager("key").put(b"", "file")
