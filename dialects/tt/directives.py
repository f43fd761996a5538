"""Directives in the assembly formats of `tt` operations."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import AttributeVariable, CustomDirective, ParsingState, PrintingState
from xdsl.parser import Parser
from xdsl.printer import Printer

from mytriton.dialects.enum_directive import parse_enum_word, word_of


class KeywordEnumDirective(CustomDirective):
    """`, keyword = word`, absent for the default value of the attribute."""

    KEYWORD: ClassVar[str]
    WORDS: ClassVar[dict[str, int]]

    attr: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_punctuation(",") is None:
            return
        parser.parse_keyword(self.KEYWORD)
        parser.parse_punctuation("=")
        self.attr.set(state, IntegerAttr(parse_enum_word(parser, self.WORDS, self.KEYWORD), i32))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attr = self.attr.get(op)
        if attr is None or attr == self.attr.default_value:
            return
        assert isinstance(attr, IntegerAttr)
        printer.print_string(f", {self.KEYWORD} = {word_of(self.WORDS, attr.value.data)}")
        state.should_emit_space = True
        state.last_was_punctuation = False
