"""A piece of C text with what its surroundings need to know: how tightly it binds, and whether it is unsigned."""

from __future__ import annotations

from typing import NamedTuple

# C's levels, the tightest highest.
PRIMARY = 16
UNARY = 15
MULTIPLY = 13
ADD = 12
SHIFT = 11
RELATION = 10
EQUALITY = 9
BIT_AND = 8
BIT_XOR = 7
BIT_OR = 6
AND = 5
OR = 4
CONDITIONAL = 3

_PRECEDENCE = {
    "*": MULTIPLY,
    "/": MULTIPLY,
    "%": MULTIPLY,
    "+": ADD,
    "-": ADD,
    "<<": SHIFT,
    ">>": SHIFT,
    "<": RELATION,
    "<=": RELATION,
    ">": RELATION,
    ">=": RELATION,
    "==": EQUALITY,
    "!=": EQUALITY,
    "&": BIT_AND,
    "^": BIT_XOR,
    "|": BIT_OR,
    "&&": AND,
    "||": OR,
}
_ASSOCIATIVE = frozenset({"&", "^", "|", "&&", "||"})
_COMPARISONS = (RELATION, EQUALITY)
# Where few readers know what binds tighter, parentheses say it.
_OBSCURE = frozenset({SHIFT, BIT_AND, BIT_XOR, BIT_OR, OR})


class Expression(NamedTuple):
    """`text` binds as tightly as `precedence`; with `unsigned` its C type is unsigned (of 32 or 64 bits).

    An integer narrower than 32 bits may have the C type int, but its value is in its own range.
    """

    text: str
    precedence: int = PRIMARY
    unsigned: bool = False
    parts: tuple[str, str, str] | None = None
    """Of a binary operation the left operand, the operator and the right operand."""

    def at_least(self, precedence: int) -> str:
        """The text, in parentheses if it binds less tightly than `precedence`."""
        return self.text if self.precedence >= precedence else f"({self.text})"


def _operand(operand: Expression, operator: str, precedence: int, is_left: bool) -> str:
    inner = operand.precedence
    if inner == precedence and precedence not in (SHIFT, *_COMPARISONS):
        needs_none = is_left or operator in _ASSOCIATIVE
    elif precedence in _COMPARISONS:
        needs_none = inner > RELATION
    elif precedence in _OBSCURE:
        needs_none = inner >= UNARY or (precedence == OR and inner in _COMPARISONS)
    else:
        needs_none = inner > precedence
    return operand.text if needs_none else f"({operand.text})"


def binary(left: Expression, operator: str, right: Expression) -> Expression:
    """`left operator right`, unsigned if either side is and it is no comparison."""
    precedence = _PRECEDENCE[operator]
    parts = (
        _operand(left, operator, precedence, True),
        operator,
        _operand(right, operator, precedence, False),
    )
    is_arithmetic = precedence >= SHIFT or BIT_OR <= precedence <= BIT_AND
    unsigned = left.unsigned or (right.unsigned and precedence != SHIFT)
    return Expression(" ".join(parts), precedence, unsigned and is_arithmetic, parts)


def negation(operand: Expression) -> Expression:
    """`-operand`."""
    text = operand.at_least(UNARY)
    return Expression(f"-({text})" if text.startswith("-") else f"-{text}", UNARY, operand.unsigned)


def complement(operand: Expression) -> Expression:
    """`~operand`."""
    return Expression(f"~{operand.at_least(UNARY)}", UNARY, operand.unsigned)


def logical_not(operand: Expression) -> Expression:
    """`!operand`."""
    return Expression(f"!{operand.at_least(UNARY)}", UNARY)


def cast(c_type: str, operand: Expression) -> Expression:
    """`(c_type)operand`."""
    unsigned = c_type in ("unsigned", "unsigned long long")
    return Expression(f"({c_type}){operand.at_least(UNARY)}", UNARY, unsigned)


def call(function: str, *operands: Expression | str) -> Expression:
    """`function(operands)`."""
    return Expression(f"{function}({', '.join(o if isinstance(o, str) else o.text for o in operands)})")


def conditional(condition: Expression, chosen: Expression, other: Expression) -> Expression:
    """`condition ? chosen : other`."""
    text = f"{condition.at_least(CONDITIONAL + 1)} ? {chosen.at_least(CONDITIONAL + 1)} : {other.at_least(CONDITIONAL)}"
    return Expression(text, CONDITIONAL, chosen.unsigned or other.unsigned)


_COMPOUND = frozenset({"*", "/", "%", "+", "-", "<<", ">>", "&", "^", "|"})


def assignment(target: str, value: Expression) -> str:
    """`target = value;`, or `target += x;` where the value is `target + x`."""
    if value.parts is not None and value.parts[0] == target and value.parts[1] in _COMPOUND:
        _, operator, right = value.parts
        return f"{target} {operator}= {_without_parentheses(right)};"
    return f"{target} = {value.text};"


def _without_parentheses(text: str) -> str:
    """The text without the pair of parentheses that is around all of it, if there is one."""
    if not text.startswith("("):
        return text
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return text[1:-1] if position == len(text) - 1 else text
    return text


def element(array: Expression, *indices: Expression) -> Expression:
    """`array[index]...`."""
    return Expression(array.at_least(PRIMARY) + "".join(f"[{index.text}]" for index in indices))
