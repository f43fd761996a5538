"""An enumeration that is an integer attribute in the IR and a word in the custom assembly form."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
)
from xdsl.parser import Parser
from xdsl.printer import Printer


def parse_enum_word(parser: Parser, words: dict[str, int], what: str) -> int:
    """Parses one of the words and returns its number; any other word is an error that lists them."""
    position = parser.pos
    word = parser.parse_identifier()
    if word not in words:
        parser.raise_error(f"unknown {what} '{word}', expected one of {', '.join(words)}", position, parser.pos)
    return words[word]


class EnumDirective(CustomDirective):
    """
    `custom<Subclass>($attr)`. Each subclass declares the field `attr` again, because the decorator of xDSL only
    looks at a class's own annotations.
    """

    WHAT: ClassVar[str]
    """What the words are, for the message about a wrong one."""
    WORDS: ClassVar[dict[str, int]]
    TYPE: ClassVar[IntegerType] = i32

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.attr.set(state, IntegerAttr(parse_enum_word(parser, self.WORDS, self.WHAT), self.TYPE))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attr = self.attr.get(op)
        assert isinstance(attr, IntegerAttr)
        state.print_whitespace(printer)
        printer.print_string(word_of(self.WORDS, attr.value.data))


def word_of(words: dict[str, int], number: int) -> str:
    """The word of a number. Raises ValueError if there is none: a verified operation always has one."""
    for word, value in words.items():
        if value == number:
            return word
    raise ValueError(f"{number} is none of the values of {', '.join(words)}")
