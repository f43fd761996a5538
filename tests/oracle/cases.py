"""A kernel of a few lines as data, to be run here and by Triton's interpreter."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tests.fuzz.data import NUMPY_DTYPES

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
N = 64

LIBRARY = 4e-6
"""The relative error that two libraries may make in a function of `float32`."""


@dataclass(frozen=True)
class Array:
    """The dtype and shape of an argument; `kind` says which values it has."""

    dtype: str
    shape: tuple[int, ...]
    kind: str = ""

    def index(self) -> str:
        """The row-major number of each element."""
        stride, terms = 1, list[str]()
        for axis in reversed(range(len(self.shape))):
            place = ", ".join(":" if at == axis else "None" for at in range(len(self.shape)))
            terms.append(f"tl.arange(0, {self.shape[axis]})[{place}] * {stride}")
            stride *= self.shape[axis]
        return " + ".join(reversed(terms)) or "0"

    def values(self, seed: int) -> Any:
        size, dtype = int(np.prod(self.shape)), NUMPY_DTYPES[self.dtype]
        random = np.random.default_rng(seed)
        if self.kind == "counter":
            return np.arange(size).astype(dtype)
        if self.dtype == "int1":
            return random.integers(0, 2, size).astype(np.bool_)
        if dtype.kind in "iu":
            return _integers(random, size, dtype, self.kind)
        with np.errstate(all="ignore"):
            return _floats(random, size, self.kind).astype(dtype)


def _integers(random: np.random.Generator, size: int, dtype: Any, kind: str) -> Any:
    limits = np.iinfo(dtype)
    values = random.integers(max(limits.min, -9), 10, size).astype(dtype)
    if kind == "positive":
        return np.abs(values) + np.array(1, dtype)
    if kind == "special":
        wide = random.integers(limits.min, limits.max, size, dtype=dtype, endpoint=True)
        ends = np.array([limits.min, limits.max, 0, 1, limits.max - 1], dtype)
        values[::2] = wide[::2]
        values[: len(ends)] = ends
    return values


def _floats(random: np.random.Generator, size: int, kind: str) -> Any:
    values = random.integers(-32, 33, size) / 8.0
    if kind == "short":
        return random.integers(-8, 9, size) / 2.0
    if kind == "positive":
        return np.abs(values) + 0.125
    if kind == "special":
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-3, -1e-7, 1.0, -1.0, 20.5, -88.0, 100.0]
        values[: len(special)] = special[:size]
    return values


@dataclass(frozen=True)
class Case:
    """A kernel. `inputs` are loaded under their names, and the variables that `outputs` names are stored at the end.

    Arrays in `memory` are given as pointers `<name>_ptr`, to be read and written by the lines. `tolerance`: the
    relative error that two libraries may make.
    """

    name: str
    lines: str
    outputs: dict[str, Array]
    inputs: dict[str, Array] = field(default_factory=dict[str, Array])
    memory: dict[str, Array] = field(default_factory=dict[str, Array])
    functions: str = ""
    tolerance: float = 0.0
    grid: tuple[int, ...] = (1,)
    labels: dict[str, str] = field(default_factory=dict[str, str])
    tolerances: dict[str, float] = field(default_factory=dict[str, float])

    def module_text(self, package: str) -> str:
        arrays = [*self.inputs, *self.memory, *self.outputs]
        body = [f"{name} = tl.load({name}_ptr + {array.index()})" for name, array in self.inputs.items()]
        body += self.lines.strip("\n").splitlines()
        body += [f"tl.store({name}_ptr + {array.index()}, {name})" for name, array in self.outputs.items()]
        return "\n".join(
            [
                f"import {package} as triton\nimport {package}.language as tl\n",
                self.functions,
                f"@triton.jit\ndef kernel({', '.join(f'{name}_ptr' for name in arrays)}):",
                *(f"    {line}" for line in body),
                "",
            ]
        )

    def arrays(self) -> dict[str, tuple[str, Any]]:
        """The dtype and a new array for each parameter."""
        given = {**self.inputs, **self.memory}
        made = {f"{name}_ptr": (array.dtype, array.values(at)) for at, (name, array) in enumerate(given.items())}
        for name, array in self.outputs.items():
            made[f"{name}_ptr"] = (array.dtype, np.zeros(int(np.prod(array.shape)), NUMPY_DTYPES[array.dtype]))
        return made


def array(text: str) -> Array:
    """`"float32[4,8] special"`."""
    dtype, _, rest = text.partition("[")
    shape, _, kind = rest.partition("]")
    return Array(dtype, tuple(map(int, shape.split(","))) if shape else (), kind.strip())


def case(name: str, lines: str, outputs: str | dict[str, str], **options: Any) -> Case:
    """A case; one output may be given by its type, and is then the variable `result`. Other words are inputs."""
    made = {"result": outputs} if isinstance(outputs, str) else outputs
    fields = ("functions", "tolerance", "grid")
    inputs = {key: array(text) for key, text in options.items() if key not in (*fields, "memory")}
    memory = {key: array(text) for key, text in options.get("memory", {}).items()}
    rest = {key: options[key] for key in fields if key in options}
    return Case(name, lines, {key: array(text) for key, text in made.items()}, inputs, memory, **rest)


def elementwise(name: str, expression: str, dtypes: tuple[str, ...], out: str = "", **options: Any) -> list[Case]:
    """The expression of `x`, `y` and `z` for each dtype; the result has the dtype too unless `out` says which."""
    kind = options.pop("kind", "special")
    letters = options.pop("letters", "x")
    return [
        case(
            f"{name}-{dtype}",
            f"result = {expression}",
            f"{out or dtype}[{N}]",
            **dict.fromkeys(letters, f"{dtype}[{N}] {kind}"),
            **options,
        )
        for dtype in dtypes
    ]


MOST_IN_A_KERNEL = 16


def grouped(cases: list[Case]) -> list[Case]:
    """The same cases with fewer kernels: those of one line that have the same inputs are in one."""
    groups: dict[Any, list[Case]] = {}
    for number, one in enumerate(cases):
        is_line = list(one.outputs) == ["result"] and "\n" not in one.lines and not one.memory
        key = (tuple(one.inputs.items()), one.functions, one.grid) if is_line else number
        groups.setdefault(key, []).append(one)
    return [
        _merged(group[start : start + MOST_IN_A_KERNEL])
        for group in groups.values()
        for start in range(0, len(group), MOST_IN_A_KERNEL)
    ]


def _merged(group: list[Case]) -> Case:
    if len(group) == 1:
        return group[0]
    names = [f"result_{at}" for at in range(len(group))]
    return replace(
        group[0],
        name=f"{group[0].name} and {len(group) - 1} more",
        lines="\n".join(one.lines.replace("result", name, 1) for name, one in zip(names, group, strict=True)),
        outputs={name: one.outputs["result"] for name, one in zip(names, group, strict=True)},
        labels={name: one.name for name, one in zip(names, group, strict=True)},
        tolerances={name: one.tolerance for name, one in zip(names, group, strict=True)},
    )
