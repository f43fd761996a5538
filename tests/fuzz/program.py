"""A random kernel as a tree of statements, from which its Python text is made."""

from __future__ import annotations

import pprint
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.fuzz.data import ArraySpec

_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Line:
    """One statement on a line. `simpler` are texts that define the same variables in simpler ways."""

    text: str
    simpler: tuple[str, ...] = ()


@dataclass
class Suite:
    """A compound statement: a header such as `for i in range(3):`, and the two lists of statements below it."""

    header: str
    body: list[Statement]
    orelse: list[Statement] = field(default_factory=list["Statement"])


Statement = Line | Suite


@dataclass
class Helper:
    """A function that the kernel calls."""

    name: str
    parameters: str
    body: list[Statement]


@dataclass
class Program:
    """A kernel, its helpers, and how it is launched; `is_thorough` says whether it is compiled without short cuts."""

    name: str
    helpers: list[Helper]
    body: list[Statement]
    arrays: list[ArraySpec]
    scalars: dict[str, int | float | bool]
    constants: dict[str, int | bool]
    grid: tuple[int, ...]
    num_warps: int
    more_warps: tuple[int, ...] = ()
    arch: str = "sm_80"
    for_oracle: bool = False
    is_thorough: bool = False

    def kernel_text(self) -> str:
        """The functions, without imports and without parameters that nothing reads."""
        body = list(_lines(self.body, "    ")) or ["    pass"]
        helpers: list[str] = []
        used = _names(body)
        for helper in reversed(self.helpers):
            if helper.name in used:
                text = list(_lines(helper.body, "    ")) or ["    pass"]
                used |= _names(text)
                helpers.insert(0, "\n".join(["@triton.jit", f"def {helper.name}({helper.parameters}):", *text]))
        parameters = [
            *(spec.name for spec in self.arrays if spec.name in used),
            *(name for name in self.scalars if name in used),
            *(f"{name}: tl.constexpr" for name in self.constants if name in used),
        ]
        kernel = "\n".join(["@triton.jit", f"def kernel({', '.join(parameters)}):", *body])
        return "\n\n\n".join([*helpers, kernel]) + "\n"

    def module_text(self, package: str = "mytriton") -> str:
        return f"import {package} as triton\nimport {package}.language as tl\n\n\n{self.kernel_text()}"

    def used_arrays(self) -> list[ArraySpec]:
        used = _names(_lines(self.body, ""))
        return [spec for spec in self.arrays if spec.name in used]

    def keywords(self) -> dict[str, int | float | bool]:
        """The scalars and constants that the kernel takes."""
        used = _names(_lines(self.body, ""))
        return {name: value for name, value in {**self.scalars, **self.constants}.items() if name in used}

    def launch_text(self) -> str:
        """The facts of the launch as Python assignments."""
        facts: Mapping[str, object] = {
            "ARRAYS": self.used_arrays(),
            "KEYWORDS": self.keywords(),
            "GRID": self.grid,
            "WARPS": (self.num_warps, *self.more_warps),
            "ARCH": self.arch,
        }
        return "\n".join(f"{name} = {pprint.pformat(value, width=110)}" for name, value in facts.items())


def _lines(statements: Sequence[Statement], indent: str) -> Iterator[str]:
    for statement in statements:
        if isinstance(statement, Line):
            yield from (indent + line for line in statement.text.splitlines())
            continue
        yield indent + statement.header
        yield from list(_lines(statement.body, indent + "    ")) or [f"{indent}    pass"]
        if statement.orelse:
            yield f"{indent}else:"
            yield from _lines(statement.orelse, indent + "    ")


def _names(lines: Iterator[str] | Sequence[str]) -> set[str]:
    return {name for line in lines for name in _NAME.findall(line)}
