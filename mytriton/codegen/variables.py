"""The attributes by which `assign-variables` tells the printer the names and places of all variables.

Every entry is a string; an empty one stands for a value that has no variable.

- `cuda.vars`: the variables of an operation's results. Those of a loop or branch also hold the values that it carries
  from one iteration to the next. A result without a variable is written where it is used.
- `cuda.args`: the variables of a kernel's parameters, of a loop's index, of the values that an `scf.while` carries
  into its condition, or of the arguments of `cuda.map` and `cuda.butterfly`.
- `cuda.declares`: the variables that are declared where the operation stands.
- `cuda.aligned`, `cuda.constant`: those of them that are accessed as vectors, and those that point to constant data.
- `cuda.temps`: for each value that a terminator passes on, or that a loop starts from, the temporary that takes it
  before any variable changes; in `scf.condition` the first one is for the condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Operation

from mytriton.errors import CompilationError

ASSIGNED = "cuda.assigned"
"""Marks a kernel that carries all of these."""

RESULTS = "cuda.vars"
ARGUMENTS = "cuda.args"
DECLARED = "cuda.declares"
ALIGNED = "cuda.aligned"
CONSTANT = "cuda.constant"
TEMPORARIES = "cuda.temps"
ALL = (RESULTS, ARGUMENTS, DECLARED, ALIGNED, CONSTANT, TEMPORARIES)


def set_names(op: Operation, attribute: str, names: Iterable[str]) -> None:
    """Write a list of names onto an operation; an empty one is left out."""
    names = tuple(names)
    if names:
        op.attributes[attribute] = _names_attribute(names)


@lru_cache(maxsize=4096)
def _names_attribute(names: tuple[str, ...]) -> ArrayAttr[StringAttr]:
    return ArrayAttr([StringAttr(name) for name in names])


def get_names(op: Operation, attribute: str) -> Sequence[str]:
    """The names in an attribute of an operation, empty where it has none."""
    attr = op.attributes.get(attribute)
    if attr is None or not isinstance(attr, ArrayAttr):
        return ()
    names = cast("ArrayAttr[Attribute]", attr).data
    return [name.data if isinstance(name, StringAttr) else "" for name in names]


def expect_names(op: Operation, attribute: str, count: int) -> Sequence[str]:
    """`count` names from an attribute of an operation; raises CompilationError where there are more or fewer."""
    names = get_names(op, attribute)
    if len(names) != count:
        raise stale_names(f"{op.name} has {len(names)} names in {attribute} and needs {count}")
    return names


def stale_names(what: str) -> CompilationError:
    """The error for attributes that do not fit the kernel."""
    return CompilationError(
        f"the attributes of assign-variables do not fit: {what}", hint="assign-variables must be the last pass"
    )
