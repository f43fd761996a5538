"""The cache on disk: what is written whole, what is ignored, and what makes an entry stale."""

from __future__ import annotations

from pathlib import Path

import pytest

from mytriton.runtime import cache


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MYTRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("MYTRITON_ALWAYS_COMPILE", raising=False)
    return tmp_path / "cache"


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_an_entry_is_read_back(folder: Path):
    key = cache.entry_key("a", "b")
    assert cache.load(key) is None
    cache.store(key, {"cuda": "text ü", "numbers": [1, 2]})
    assert cache.load(key) == {"cuda": "text ü", "numbers": [1, 2]}
    assert [path.name for path in files_in(folder)] == [f"{key}.json"]


def test_the_key_tells_the_parts_apart():
    assert len({cache.entry_key("ab", "c"), cache.entry_key("a", "bc"), cache.entry_key("abc")}) == 3


def test_the_key_changes_with_the_compiler(monkeypatch: pytest.MonkeyPatch):
    before = cache.entry_key("a")
    monkeypatch.setattr(cache, "compiler_fingerprint", lambda: "another compiler")
    assert cache.entry_key("a") != before


@pytest.mark.parametrize("damage", ["", "half", "{}", "\n{}"])
def test_a_damaged_entry_is_as_good_as_none(folder: Path, damage: str):
    key = cache.entry_key("a")
    cache.store(key, {"cuda": "text"})
    (path,) = files_in(folder)
    path.write_text(path.read_text()[:-3] if damage == "half" else damage)
    assert cache.load(key) is None
    cache.store(key, {"cuda": "text"})
    assert cache.load(key) == {"cuda": "text"}


def test_it_can_be_turned_off(folder: Path, monkeypatch: pytest.MonkeyPatch):
    key = cache.entry_key("a")
    cache.store(key, {"cuda": "text"})
    monkeypatch.setenv("MYTRITON_ALWAYS_COMPILE", "1")
    assert cache.load(key) is None
    cache.store(cache.entry_key("b"), {})
    assert len(files_in(folder)) == 1


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MYTRITON_CACHE_DIR", str(tmp_path / "file" / "cache"))
    cache.store(cache.entry_key("a"), {"cuda": "text"})
    assert cache.load(cache.entry_key("a")) is None


def test_a_failed_write_leaves_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*arguments: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    cache.store(cache.entry_key("a"), {"cuda": "text"})
    assert files_in(folder) == []


def test_the_users_cache_folder_is_the_default(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("MYTRITON_CACHE_DIR")
    assert cache.cache_directory().name == "mytriton"


def test_every_source_file_of_the_compiler_counts():
    found = {Path(path).name for path, _ in cache._source_files(Path(cache.__file__).parent.parent)}  # pyright: ignore[reportPrivateUsage]
    assert {"cache.py", "options.py", "ttg.py", "atomics.py", "convert_to_cuda.py"} <= found
