"""pytest's option `--mytriton-sanitize`, and the marker `mytriton_sanitize` for single tests."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import nullcontext

import pytest

from mytriton.checker.settings import SANITIZE_VARIABLE, sanitize, sanitize_everything
from mytriton.errors import OptionError

MARKER = "mytriton_sanitize"

_before: pytest.StashKey[str | None] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("mytriton").addoption(
        "--mytriton-sanitize",
        action="store_true",
        help=f"run mytriton's kernels on the CPU with checks, with the options of {SANITIZE_VARIABLE} if it is set",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{MARKER}(enabled=True, **options): launches of this test are checked, with the options of mytriton.sanitize; "
        "with False they are not",
    )
    if not config.getoption("--mytriton-sanitize"):
        return
    # Threads and processes that a test starts read the variable.
    config.stash[_before] = os.environ.get(SANITIZE_VARIABLE)
    try:
        sanitize_everything()
    except OptionError as error:
        raise pytest.UsageError(str(error)) from None


def pytest_unconfigure(config: pytest.Config) -> None:
    if _before not in config.stash:
        return
    before = config.stash[_before]
    if before is None:
        os.environ.pop(SANITIZE_VARIABLE, None)
    else:
        os.environ[SANITIZE_VARIABLE] = before


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuses options that `sanitize` does not have before any test is run."""
    for item in items:
        marker = item.get_closest_marker(MARKER)
        try:
            if marker is not None:
                sanitize(*marker.args, **marker.kwargs)
        except (OptionError, TypeError) as error:
            reason = str(error).removeprefix("sanitize.__init__() ")
            raise pytest.UsageError(f"{item.nodeid}: the marker {MARKER} {reason}") from None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    marker = item.get_closest_marker(MARKER)
    with nullcontext() if marker is None else sanitize(*marker.args, **marker.kwargs):
        return (yield)
