"""Every public name of Triton's language is here."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import mytriton.language as tl

HERE = Path(__file__).parent
NAMES = (HERE / "data" / "triton_names.txt").read_text().split()
"""The names that Triton 3.9 has, which tests/oracle/record_names.py prints."""


def found(name: str) -> Any:
    return reduce(getattr, name.split("."), tl)


@pytest.mark.parametrize("name", NAMES)
def test_name(name: str) -> None:
    assert found(name) is not None


@pytest.mark.oracle
def test_the_names_are_those_of_triton(oracle: Callable[..., str]) -> None:
    assert oracle(HERE.parent / "oracle" / "record_names.py").split() == NAMES
