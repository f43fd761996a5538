"""Python frames that stand where a kernel is, for debuggers: file, lines and variables are those of the kernel.

The interpreter runs IR, not Python, and runs it in a thread of its own. In the thread of the launch, each call of a
kernel or of a function of it has a frame of Python, whose code only goes from line to line:

    while True:
        match next_line():
            case 12:
                call what the interpreter asks for, until it has done line 12    # line 12
                raise or return, if that is what line 12 does                    # line 12
            ...

What is marked has the line of the kernel. All else has no line, so that no debugger stops there. The code calls nothing
but functions written in C, since a debugger that goes step by step would enter one that is written in Python.
"""

from __future__ import annotations

import ast
import copy
import functools
import itertools
import operator
import types
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from queue import SimpleQueue
from typing import Any, TypeAlias

Event: TypeAlias = tuple[Any, ...] | None
"""A function and its arguments, to be called where the program is; None where a line is done."""

GO, STOP = False, True

_OPTIMIZED_WITH_OWN_LOCALS = 0x3
"""The flags of code that keeps its variables in an array; without them they are in a dictionary that it is given."""

_NO_LINE = 1
"""In the syntax tree, the line of what has none; line 1 of the file is 2, and so on."""

_WITHOUT_COLUMNS, _WITHOUT_LOCATION = 13, 15
"""Kinds of entries of a table of lines."""


class Channel:
    """How the thread of the launch and that of the interpreter take turns: only one of them runs at a time."""

    def __init__(self) -> None:
        self._commands: SimpleQueue[bool] = SimpleQueue()
        self._events: SimpleQueue[Event] = SimpleQueue()
        self.go = functools.partial(self._commands.put, GO)
        """Lets the interpreter run on."""
        self.stop = functools.partial(self._commands.put, STOP)
        """Makes the interpreter end."""
        self.next_event = self._events.get
        self.command = self._commands.get
        self.end = functools.partial(self._events.put, None)
        """Tells the thread of the launch that there is nothing more to call."""

    def tell(self, event: Event) -> bool:
        """Has the thread of the launch do something; gives its answer, `GO` or `STOP`."""
        self._events.put(event)
        return self.command()

    def served(self) -> Iterator[Any]:
        """Iterated to its end, it lets the interpreter run and calls what that asks for, with no frame in between."""
        turns = zip(iter(self.go, STOP), iter(self.next_event, None), strict=False)
        return itertools.starmap(operator.call, map(operator.itemgetter(1), turns))


class StubFrame:
    """One call of a function: where it is, and its variables by name."""

    def __init__(self, code: types.CodeType, namespace: dict[str, Any], variables: dict[str, Any], channel: Channel):
        self.variables = variables
        self.line = 0
        """Where the function is; 0 before its first line."""
        self._lines: list[int] = []
        self._errors: list[BaseException] = []
        self._results: list[Any] = []
        constants: dict[Any, Any] = _FUNCTIONS | {
            "<next line>": self._lines.pop,
            "<go>": channel.go,
            "<next event>": channel.next_event,
            "<has failed>": self._errors.__len__,
            "<error>": self._errors.pop,
            "<has returned>": self._results.__len__,
            "<result>": self._results.pop,
        }
        filled = [constants.get(value, value) if isinstance(value, str) else value for value in code.co_consts]
        self._start: Event = (exec, code.replace(co_consts=tuple(filled)), namespace, variables)

    def move_to(self, line: int) -> Event:
        """Gives what has to be told for the function to be at a line."""
        is_new = self.line == 0
        self.line = line
        self._lines.append(line)
        return self._start if is_new else None

    def fail(self, error: BaseException) -> None:
        """Raises an error once the line is done."""
        self._errors.append(error)

    def give(self, result: Any) -> None:
        """Returns once the line is done."""
        self._results.append(result)


_FUNCTIONS: dict[str, Any] = {
    "<call>": operator.call,
    "<consume>": deque,
    "<iter>": iter,
    "<map>": map,
    "<second>": operator.itemgetter(1),
    "<starmap>": itertools.starmap,
    "<zip>": zip,
}
"""What stands in the code of a stub for the constant of that name."""

_BODY = """
while True:
    match _('<next line>')():
        case 0:
            _('<consume>')(
                _('<starmap>')(_('<call>'), _('<map>')(_('<second>'), _('<zip>')(
                    _('<iter>')(_('<go>'), True), _('<iter>')(_('<next event>'), None)))), 0)
            if _('<has failed>')():
                raise _('<error>')()
            if _('<has returned>')():
                return _('<result>')()
"""


@lru_cache(maxsize=256)
def stub_code(name: str, file: str, first_line: int, line_of_def: int, lines: frozenset[int]) -> types.CodeType:
    """Code that `StubFrame` fills in, of a function with statements on `lines`; the first line may have a decorator."""
    tree = ast.parse(f"def stub():{_BODY}".replace("\n", "\n    "))
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    _set_line([_Constants().visit(function)], _NO_LINE)
    (loop,) = function.body
    assert isinstance(loop, ast.While)
    (dispatch,) = loop.body
    assert isinstance(dispatch, ast.Match)
    (pattern,) = dispatch.cases
    dispatch.cases = [_case(pattern, line) for line in sorted(lines | {line_of_def})]
    with warnings.catch_warnings():
        # It takes the constants that are called for texts.
        warnings.simplefilter("ignore", SyntaxWarning)
        module = compile(tree, file, "exec")
    code = next(found for found in module.co_consts if isinstance(found, types.CodeType))
    places = [None if line in (None, _NO_LINE) else line - 1 for line, *_ in code.co_positions()]
    places[0] = line_of_def
    return code.replace(
        co_name=name,
        co_qualname=name,
        co_firstlineno=first_line,
        co_flags=code.co_flags & ~_OPTIMIZED_WITH_OWN_LOCALS,
        co_linetable=line_table(first_line, places),
    )


class _Constants(ast.NodeTransformer):
    """`_('name')` -> the constant itself, which a call of Python's syntax would not have in that place"""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return node.args[0] if isinstance(node.func, ast.Name) else node


def _case(pattern: ast.match_case, line: int) -> ast.match_case:
    """The case of one line."""
    body = copy.deepcopy(pattern.body)
    number = ast.MatchValue(ast.Constant(line))
    _set_line([number], _NO_LINE)
    _set_line(body, line + 1)
    return ast.match_case(number, None, body)


def _set_line(trees: Sequence[ast.AST], line: int) -> None:
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt | ast.expr | ast.pattern):
                node.lineno = node.end_lineno = line
                node.col_offset = node.end_col_offset = 0


def line_table(first_line: int, lines: Sequence[int | None]) -> bytes:
    """The `co_linetable` of code with a line, or none, for each code unit.

    The format is that of `Objects/locations.md` of CPython 3.11 and later: entries for up to 8 code units.
    """
    table = bytearray()
    previous = first_line
    for line, group in itertools.groupby(lines):
        count = len(list(group))
        while count > 0:
            length = min(count, 8)
            count -= length
            kind = _WITHOUT_LOCATION if line is None else _WITHOUT_COLUMNS
            table.append(0x80 | kind << 3 | length - 1)
            if line is not None:
                table += _signed(line - previous)
                previous = line
    return bytes(table)


def _signed(number: int) -> bytes:
    """A number in groups of 6 bits, the lowest first; the lowest bit of all is the sign."""
    rest = -number << 1 | 1 if number < 0 else number << 1
    groups = bytearray()
    while rest >= 64:
        groups.append(0x40 | rest & 0x3F)
        rest >>= 6
    return bytes([*groups, rest])
