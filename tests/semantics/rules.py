"""The rules of `docs/semantics.md`, and the tests that name them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
DOCUMENT = HERE.parent.parent / "docs" / "semantics.md"

_RULE = re.compile(r'^- <a id="([a-z0-9-]+)"></a>\*\*([a-z0-9-]+)\*\*', re.MULTILINE)
_ANCHOR = re.compile(r'<a id="([a-z0-9-]+)">')


def documented_rules() -> list[str]:
    """The ids of the rules, in their order."""
    text = DOCUMENT.read_text(encoding="utf-8")
    rules: list[str] = []
    for anchor, name in _RULE.findall(text):
        assert anchor == name, f"the rule {name} has the anchor {anchor}"
        rules.append(name)
    assert rules == _ANCHOR.findall(text), "an anchor does not stand in front of a rule"
    return rules


def linked_rules() -> set[str]:
    """The ids that the document links to."""
    return set(re.findall(r"\]\(#([^)]+)\)", DOCUMENT.read_text(encoding="utf-8")))


def rules_with_tests() -> dict[str, list[str]]:
    """For each id that `@pytest.mark.rule` names, the tests that it marks."""
    found: dict[str, list[str]] = {}
    for path in sorted(HERE.glob("test_*.py")):
        for function in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(function, ast.FunctionDef):
                for rule in _marks(function):
                    found.setdefault(rule, []).append(f"{path.name}::{function.name}")
    return found


def _marks(function: ast.FunctionDef) -> Iterator[str]:
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.rule":
            yield from (ast.literal_eval(argument) for argument in decorator.args)


def promotion_table() -> dict[tuple[str, str], str]:
    """The dtype of the sum of two tensors, by their dtypes, as the table of the document has it."""
    rows = [
        [cell.strip().strip("`*") for cell in line.strip("|").split("|")]
        for line in DOCUMENT.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ]
    start = next(number for number, row in enumerate(rows) if row[0] == "+")
    columns = rows[start][1:]
    table: dict[tuple[str, str], str] = {}
    for row in rows[start + 2 : start + 2 + len(columns)]:
        table |= {(row[0], column): result for column, result in zip(columns, row[1:], strict=True)}
    return table
