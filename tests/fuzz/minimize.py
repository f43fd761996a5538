"""Makes a failing program small: drops and simplifies statements while it still fails in the same way."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.fuzz.program import Line, Program, Statement, Suite

StillFails = Callable[[Program], bool]
Edit = Callable[[Program], None]


def minimized(program: Program, still_fails: StillFails, attempts: int = 400) -> Program:
    """A program, perhaps the same, for which `still_fails` is true and no single step makes it smaller."""
    search = _Search(program, still_fails, attempts)
    while search.improve():
        pass
    return search.program


class _Search:
    def __init__(self, program: Program, still_fails: StillFails, attempts: int):
        self.program = program
        self.still_fails = still_fails
        self.attempts = attempts

    def attempt(self, candidate: Program) -> bool:
        if self.attempts <= 0 or candidate == self.program:
            return False
        self.attempts -= 1
        if not self.still_fails(candidate):
            return False
        self.program = candidate
        return True

    def improve(self) -> bool:
        """One round over everything; whether something became smaller."""
        changed = self._launch()
        size = max(len(statements) for statements in _lists(self.program))
        while size:
            changed |= self._drop(size)
            size //= 2
        changed |= self._simplify()
        return changed and self.attempts > 0

    def _launch(self) -> bool:
        program = self.program
        # First, since the other attempts then take less time.
        changed = self.attempt(replace(program, is_thorough=False))
        program = self.program
        for candidate in (
            replace(program, more_warps=(), arch="sm_80", for_oracle=False),
            replace(program, more_warps=(), arch="sm_80"),
            replace(program, more_warps=()),
        ):
            if self.attempt(candidate):
                changed = True
                break
        for warps in (*self.program.more_warps, 1, 2):
            if warps != self.program.num_warps and self.attempt(replace(self.program, num_warps=warps, more_warps=())):
                changed = True
                break
        one = (1,) * len(self.program.grid)
        return (self.program.grid != one and self.attempt(replace(self.program, grid=one))) or changed

    def _drop(self, size: int) -> bool:
        """Leaves out runs of `size` statements, from the end to the beginning."""
        changed = False
        number = 0
        while number < len(lists := list(_lists(self.program))):
            end = len(lists[number])
            while end > 0:
                start = max(0, end - size)
                candidate = copy.deepcopy(self.program)
                del list(_lists(candidate))[number][start:end]
                changed |= self.attempt(candidate)
                end = start
                if number >= len(list(_lists(self.program))):
                    break
            number += 1
        return changed

    def _simplify(self) -> bool:
        changed = False
        for number in reversed(range(len(list(_lists(self.program))))):
            if number >= len(lists := list(_lists(self.program))):
                continue
            for position in reversed(range(len(lists[number]))):
                changed |= self._simplify_one(number, position)
        return changed

    def _simplify_one(self, number: int, position: int) -> bool:
        lists = list(_lists(self.program))
        if number >= len(lists) or position >= len(lists[number]):
            return False
        for instead in _instead(lists[number][position]):
            candidate = copy.deepcopy(self.program)
            list(_lists(candidate))[number][position : position + 1] = copy.deepcopy(instead)
            if self.attempt(candidate):
                return True
        return False


def _instead(statement: Statement) -> Iterator[list[Statement]]:
    if isinstance(statement, Line):
        for text in statement.simpler:
            if text != statement.text:
                yield [Line(text)]
        return
    yield statement.body
    if statement.orelse:
        yield statement.orelse
        yield [replace(statement, orelse=[])]


def _lists(program: Program) -> Iterator[list[Statement]]:
    """Every list of statements of a program; those of the kernel first."""
    yield from _lists_below(program.body)
    for helper in program.helpers:
        yield from _lists_below(helper.body)


def _lists_below(statements: list[Statement]) -> Iterator[list[Statement]]:
    yield statements
    for statement in statements:
        if isinstance(statement, Suite):
            yield from _lists_below(statement.body)
            yield from _lists_below(statement.orelse)
