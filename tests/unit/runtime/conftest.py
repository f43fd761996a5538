"""Keeps what the tests compile out of the user's cache."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def own_cache(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_CACHE_DIR", str(cache_folder))
    for name in ("MYTRITON_ALWAYS_COMPILE", "MYTRITON_DUMP_DIR", "MYTRITON_DEVICE", "MYTRITON_DOT_PRECISION"):
        monkeypatch.delenv(name, raising=False)
