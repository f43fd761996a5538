"""Every public name of Triton's language is here, or is refused with a reason."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import mytriton as triton
import mytriton.language as tl
from mytriton.language.unsupported import UnsupportedName

HERE = Path(__file__).parent
NAMES = (HERE / "data" / "triton_names.txt").read_text().split()
"""The names that Triton 3.9 has, which tests/oracle/record_names.py prints."""

REFUSED: frozenset[str] = frozenset()
"""Those that the compiler knows of and does not compile. Never add one: this list only becomes shorter."""


def found(name: str) -> Any:
    return reduce(getattr, name.split("."), tl)


@pytest.mark.parametrize("name", NAMES)
def test_name(name: str) -> None:
    assert isinstance(found(name), UnsupportedName) == (name in REFUSED)


def test_the_refused_names_are_names() -> None:
    assert set(NAMES) >= REFUSED


def test_a_refused_name_says_why() -> None:
    for name in REFUSED:
        with pytest.raises(triton.UnsupportedError, match=name.rpartition(".")[2]):
            found(name)()


@pytest.mark.oracle
def test_the_names_are_those_of_triton(oracle: Callable[..., str]) -> None:
    assert oracle(HERE.parent / "oracle" / "record_names.py").split() == NAMES
