"""Every public name of Triton is there under `python -m mytriton`, or its absence is explained."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mytriton.drop_in.missing import MISSING
from tests.drop_in.running import output_of

pytestmark = pytest.mark.oracle

PROBE = """
import json, sys

def outcome(statement):
    try:
        exec(statement, {})
    except (ImportError, AttributeError) as error:
        return type(error).__name__ + ": " + str(error)
    return ""

print(json.dumps({statement: outcome(statement) for statement in json.load(sys.stdin)}))
"""


def listed(name: str) -> str | None:
    """The entry of the list that `name` is under."""
    while name:
        if name in MISSING:
            return name
        name = name.rpartition(".")[0]
    return None


def statements_for(names: dict[str, list[str]]) -> dict[str, str]:
    """The ways to reach each name, and the name."""
    result = {f"import {module}": module for module in names}
    for module, found in names.items():
        result |= {f"from {module} import {name}": f"{module}.{name}" for name in found}
        result |= {f"import {module}; {module}.{name}": f"{module}.{name}" for name in found}
    return result


def test_every_name_is_there_or_explained(oracle: Callable[..., str], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    names: dict[str, list[str]] = json.loads(oracle(Path(__file__).parent / "list_names.py"))
    assert len(names) > 100 and "jit" in names["triton"] and "arange" in names["triton.language"]
    statements = statements_for(names)
    (tmp_path / "probe.py").write_text(PROBE)
    printed = output_of("--device", "cpu", "probe.py", cwd=tmp_path, input=json.dumps(list(statements)))
    outcomes: dict[str, str] = json.loads(printed)
    seen: set[str] = set()
    for statement, outcome in outcomes.items():
        entry = listed(statements[statement])
        if entry is None:
            assert outcome == "", statement
            continue
        seen.add(entry)
        # The innermost package that is missing is named, which may be above the one that was asked for.
        kind, _, text = outcome.partition(": ")
        is_import = ";" not in statement or listed(statements[statement].rpartition(".")[0]) is not None
        assert kind == ("ModuleNotFoundError" if is_import else "AttributeError"), statement
        assert text.startswith("mytriton does not have triton.") and text.endswith(MISSING[entry]), statement
    assert seen == MISSING.keys()
