"""MLIR text to IR and back, for Triton's own dumps and for every level of mytriton.

xDSL's parser and printer do most of it. What is added here is what Triton's text needs: location aliases that are used
before they are defined, floats as bit patterns inside `dense<...>`, and errors that always have a line and a column.
"""

from __future__ import annotations

import difflib
import math
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import IO, NoReturn, TypeVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    Builtin,
    CallSiteLoc,
    ComplexType,
    FileLineColLoc,
    FusedLoc,
    IndexType,
    IntAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    TensorType,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, BlockArgument, Dialect, Operation, OpResult, Region, SSAValue, TypeAttribute
from xdsl.parser import Parser, ParserState, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.frontend import Frontend
from xdsl.utils.hints import isa
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from mytriton.deep_nesting import deep_nesting
from mytriton.errors import CompilationError, SourceLocation
from mytriton.rare_text import UNSUPPORTED, reader_of
from mytriton.text_places import TextPlaces, add_text_location, remember_places
from mytriton.verify import one_line, verify_module

_AttributeT = TypeVar("_AttributeT", bound=Attribute)
_ElementT = TypeVar("_ElementT")

MAXIMUM_ELEMENTS = 1 << 20
"""The largest tensor that Triton allows."""

MAXIMUM_INTEGER_BITS = 64
"""The widest integer type that anything is compiled for."""

MAXIMUM_LOCATION_PARTS = 1 << 16
"""How many locations one may be made of, each counted as often as it is written without aliases."""


# Contexts ------------------------------------------------------------------------------------------------------------


def _arith() -> Dialect:
    from mytriton.dialects.rare_arith import WHOLE_ARITH

    return WHOLE_ARITH


def _tt() -> Dialect:
    from mytriton.dialects.tt import TT

    return TT


def _ttg() -> Dialect:
    from mytriton.dialects.ttg import TTG

    return TTG


def _cuda() -> Dialect:
    from mytriton.dialects.cuda import CUDA

    return CUDA


def _cf() -> Dialect:
    from xdsl.dialects.cf import Cf

    return Cf


def _func() -> Dialect:
    from xdsl.dialects.func import Func

    return Func


def _math() -> Dialect:
    from mytriton.dialects.rare_math import WHOLE_MATH

    return WHOLE_MATH


def _scf() -> Dialect:
    from xdsl.dialects.scf import Scf

    return Scf


def _ub() -> Dialect:
    from xdsl.dialects.ub import UB

    return UB


OWN_DIALECTS: dict[str, Callable[[], Dialect]] = {
    "arith": _arith,
    "math": _math,
    "tt": _tt,
    "ttg": _ttg,
    "cuda": _cuda,
}
"""The dialects of mytriton. `arith` is xDSL's, widened to tensors, and `math` has more operations; both take the place
of xDSL's."""

REPLACED_DIALECTS = ("arith", "math")
"""Those of them that xDSL has, too."""

_SHARED_DIALECTS: dict[str, Callable[[], Dialect]] = {
    "builtin": lambda: Builtin,
    "cf": _cf,
    "func": _func,
    "scf": _scf,
    "ub": _ub,
}


def make_context() -> Context:
    """A context with every dialect that a module may use at any level; each is imported when it is first met."""
    context = Context()
    for name, dialect in (_SHARED_DIALECTS | OWN_DIALECTS).items():
        context.register_dialect(name, dialect)
    return context


def use_own_dialects(context: Context) -> None:
    """Register our dialects in `context`, in the place of those that have the same names.

    A context that xDSL made knows xDSL's `arith`, which can hold no tensor arithmetic of Triton's.
    """
    registered = context._registered_dialects  # pyright: ignore[reportPrivateUsage]
    for name, dialect in OWN_DIALECTS.items():
        if name not in {loaded.name for loaded in context.loaded_dialects}:
            registered[name] = dialect


# Reading -------------------------------------------------------------------------------------------------------------


class TTIRLexer(MLIRLexer):
    """xDSL's lexer, without the backtracking that makes it run for ever on a string that is not closed."""

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')


class TTIRParser(Parser):
    """xDSL's parser, with what Triton's text needs besides.

    An operation that has no location in the text gets its place in the text as location.
    """

    _location_alias = re.compile(r"^[ \t]*(#[\w$.-]+)[ \t]*=[ \t]*(?=loc\b)", re.MULTILINE)

    def __init__(self, ctx: Context, input: str | bytes, name: str = "<unknown>") -> None:
        super().__init__(ctx, "", name)
        text = _decode(input, name)
        self._parser_state = ParserState(TTIRLexer(Input(text, name)))
        self._name = name
        self._file_name = StringAttr(name)
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._location_aliases: dict[str, tuple[int, int]] = {}
        for match in self._location_alias.finditer(text):
            self._location_aliases.setdefault(match[1], (match.start(1), match.end()))
        self._aliases_in_progress: set[str] = set()
        # By identity, with the location itself so that it lives as long as this.
        self._location_parts: dict[int, tuple[Attribute, int]] = {}
        self._has_location = False
        self._places = TextPlaces(text)
        self._first_use: dict[str, Span] = {}
        self._used_early: dict[SSAValue, UnresolvedOperand] = {}
        self._block_starts: dict[Block, Span] = {}

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        """The whole text as one module. Raises `ParseError`, and nothing else, where the text is wrong."""
        self._refuse_nothing()
        try:
            module = super().parse_module(allow_implicit_module)
            self._check_blocks(module)
            self._check_definitions(module)
            remember_places(module, self._places)
            return module
        except ParseError:
            if self.forward_ssa_references and self._current_token.kind == MLIRTokenKind.EOF:
                name = next(iter(self.forward_ssa_references))
                self.raise_error(f"%{name} is used but not defined", self._first_use.get(name))
            raise
        except RecursionError:
            self.raise_error("the text nests too deeply")
        except Exception as error:
            self.raise_error(_reason(error))

    def _refuse_nothing(self) -> None:
        if self._current_token.kind == MLIRTokenKind.EOF:
            self.raise_error("expected a module, found nothing")

    def parse_operation(self) -> Operation:
        first_token = self._current_token.span
        try:
            operation = super().parse_operation()
        except (ParseError, RecursionError):
            raise
        except Exception as error:
            self.raise_error(_reason(error), first_token)
        if self._has_location:
            place = self._location_at(first_token.start)
            self._places.add(operation.location, SourceLocation(self._name, place.line.data, place.column.data))
        elif isinstance(operation.location, UnknownLoc):
            operation.location = self._location_at(first_token.start)
        return operation

    def _parse_block(self) -> Block:
        token = self._current_token
        name = token.text.removeprefix("^")
        # xDSL takes a block that was branched to before its definition for one that is not defined yet.
        if token.kind == MLIRTokenKind.CARET_IDENT and name in self.blocks:
            if name not in self.forward_block_references:
                self.raise_error(f"block '{token.text}' is defined twice", token.span)
        block = super()._parse_block()
        self._block_starts[block] = token.span
        return block

    def _check_blocks(self, module: ModuleOp) -> None:
        """A module is one block, which xDSL does not say."""
        if len(module.body.blocks) != 1:
            spans = [self._block_starts.get(block) for block in module.body.blocks]
            self.raise_error(f"a module has one block, and this one has {len(spans)}", next(iter(spans[1:]), None))
        for inner in module.body.block.ops:
            if isinstance(inner, ModuleOp):
                self._check_blocks(inner)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        if name in UNSUPPORTED:
            self._refuse(name, f"{name} is not supported; {UNSUPPORTED[name]}")
        if operation := self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack):
            token = self._current_token
            reader = reader_of(operation, token.text, self.lexer.input.content, token.span.start)
            return cast(type[Operation], reader or operation)
        dialect = self.ctx.get_optional_dialect(name.split(".")[0])
        close = difflib.get_close_matches(name, [known.name for known in dialect.operations] if dialect else [], n=1)
        advice = f"; did you mean '{close[0]}'?" if close else ""
        self._refuse(name, f"unknown operation '{name}'{advice}")

    def _refuse(self, name: str, reason: str) -> NoReturn:
        """An error at the name of an operation that has just been read."""
        start = max(self.lexer.input.content.rfind(name, 0, self.pos), 0)
        self.raise_error(reason, start, start + len(name))

    def resolve_operand(self, operand: UnresolvedOperand, type: _AttributeT) -> SSAValue[_AttributeT]:
        if operand.operand_name in self.ssa_values:
            return super().resolve_operand(operand, type)
        self._first_use.setdefault(operand.operand_name, operand.span)
        value = super().resolve_operand(operand, type)
        self._used_early[value] = operand
        return value

    def _check_definitions(self, module: ModuleOp) -> None:
        """A value that is used in a region and defined in another one, further down, is none for xDSL."""
        if not self._used_early:
            return
        for operation in module.walk():
            for value in operation.operands:
                if not isinstance(value, OpResult | BlockArgument) and (use := self._used_early.get(value)):
                    self.raise_error(f"%{use.operand_name} is used but not defined", use.span)

    def parse_optional_location(self) -> LocationAttr | None:
        location = super().parse_optional_location()
        self._has_location = location is not None
        return location

    def parse_comma_separated_list(
        self, delimiter: Parser.Delimiter, parse: Callable[[], _ElementT], context_msg: str = ""
    ) -> list[_ElementT]:
        """A list. That of the values which `scf.while` starts with is absent where there are none."""
        if delimiter is Parser.Delimiter.PAREN and self._current_token.kind == MLIRTokenKind.COLON:
            if self.lexer.input.content[: self.pos].endswith("scf.while "):
                return []
        return super().parse_comma_separated_list(delimiter, parse, context_msg)

    def _location_at(self, position: int) -> FileLineColLoc:
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return FileLineColLoc(self._file_name, IntAttr(line), IntAttr(column))

    def _parse_alias_def(self) -> None:
        name = self._current_token.text
        if name in self.attribute_aliases and name in self._location_aliases:
            definition, _ = self._location_aliases[name]
            if definition == self.pos:  # an earlier use has read this very line; it is read once more
                del self.attribute_aliases[name]
        self._aliases_in_progress.add(name)
        super()._parse_alias_def()
        self._aliases_in_progress.discard(name)

    def _parse_location(self) -> LocationAttr:
        token = self._current_token
        location = self._parse_location_of_any_size()
        if id(location) not in self._location_parts:
            parts = 1 + sum(self._location_parts.get(id(part), (part, 1))[1] for part in _parts(location))
            if parts > MAXIMUM_LOCATION_PARTS:
                self.raise_error(f"this location is made of more than {MAXIMUM_LOCATION_PARTS} others", token.span)
            self._location_parts[id(location)] = (location, parts)
        return location

    def _parse_location_of_any_size(self) -> LocationAttr:
        token = self._current_token
        if token.kind == MLIRTokenKind.HASH_IDENT and token.text not in self.attribute_aliases:
            if token.text in self._location_aliases:
                self._define_location_alias(token.text)
        if self.parse_optional_keyword("fused"):
            return self._parse_fused_location()
        location = super()._parse_location()
        if isinstance(location, FileLineColLoc) and self.parse_optional_keyword("to"):
            # Where a piece of a file ends has no place in xDSL's locations.
            self.parse_optional_integer(allow_boolean=False, allow_negative=False)
            self.parse_punctuation(":")
            self.parse_integer(allow_boolean=False, allow_negative=False)
        return location

    def _parse_fused_location(self) -> LocationAttr:
        """`fused<metadata>[a, b]`, of which xDSL reads no metadata.

        As MLIR does it, a location that says nothing goes away, one that is there twice is there once, and those of a
        fused location with the same metadata are taken in its place.
        """
        metadata: Attribute = NoneAttr()
        if self.parse_optional_punctuation("<"):
            metadata = self.parse_attribute()
            self.parse_punctuation(">")
        locations = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
        known: dict[Attribute, None] = {}
        for location in locations:
            is_flat = not isinstance(location, FusedLoc) or location.metadata != metadata
            inner = (location,) if is_flat else _parts(location)
            known |= dict.fromkeys(part for part in inner if not isinstance(part, UnknownLoc))
        if len(known) > 1 or metadata != NoneAttr():
            return FusedLoc(tuple(known or (UnknownLoc(),)), metadata)
        return cast(LocationAttr, next(iter(known), UnknownLoc()))

    def _define_location_alias(self, name: str) -> None:
        """Read the definition of `name`, wherever in the text it stands, then go back to where the parser was."""
        if name in self._aliases_in_progress:
            self.raise_error(f"location alias '{name}' is defined by itself")
        use = self._current_token.span.start
        self._aliases_in_progress.add(name)
        self._resume_from(self._location_aliases[name][1])
        self.attribute_aliases[name] = self.expect(self.parse_optional_location, "location expected")
        self._aliases_in_progress.remove(name)
        self._resume_from(use)

    def _parse_tensor_attrs(self):  # pyright: ignore[reportUnknownParameterType,reportMissingParameterType]
        start = self.pos
        type = super()._parse_tensor_attrs()
        shape = type.get_shape() if isinstance(type, TensorType) else ()
        if min(shape, default=0) < 0:
            self.raise_error("the extents of a tensor are numbers", start, self.pos)
        elements = math.prod(shape)
        if not 0 < elements <= MAXIMUM_ELEMENTS:
            at_most = f"from 1 to {MAXIMUM_ELEMENTS} are allowed"
            self.raise_error(f"this tensor has {elements} elements; {at_most}", start, self.pos)
        return type

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        token = self._current_token
        if (width := self._integer_type.fullmatch(token.text)) is not None:
            if len(width[1]) > 8 or not 0 < int(width[1]) <= MAXIMUM_INTEGER_BITS:
                self.raise_error(f"integers have from 1 to {MAXIMUM_INTEGER_BITS} bits", token.span)
        return super()._parse_optional_integer_or_float_type()

    _integer_type = re.compile(r"[su]?i(\d+)", re.ASCII)

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        super()._register_ssa_definition(name, values, span)
        # Nothing is left of such a name where the value is copied, and an empty name is none to xDSL.
        if self._only_numbers.fullmatch(name):
            for value in values:
                value.name_hint = None

    _only_numbers = re.compile(r"(?:_\d+)+", re.ASCII)

    @dataclass
    class _TensorLiteralElement(Parser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]
        """An element of a tensor literal; one that is written in hexadecimal is the bit pattern of a float."""

        def to_type(
            self, parser: object, type: AnyFloat | IntegerType | IndexType | ComplexType
        ) -> float | int | tuple[float, float] | tuple[int, int]:
            owner = cast(TTIRParser, parser)
            text = self.span.text.lower()
            if isinstance(type, AnyFloat) and text.lstrip("-").startswith("0x"):
                bits = self.value
                if not isinstance(bits, int) or text.startswith("-") or bits.bit_length() > type.bitwidth:
                    message = f"expected the bit pattern of a {type}: at most {type.bitwidth} bits and no sign"
                    owner.raise_error(message, self.span)
                return next(iter(type.iter_unpack(bits.to_bytes(type.compile_time_size, "little"))))
            return super().to_type(owner, type)


def _parts(location: Attribute) -> Sequence[Attribute]:
    """The locations that a location is made of."""
    match location:
        case CallSiteLoc():
            return location.callee, location.caller
        case FusedLoc(locations=parts) if isa(parts, ArrayAttr[Attribute]):
            return parts.data
        case NameLoc():
            return (location.location,)
        case _:
            return ()


def _decode(text: str | bytes, name: str) -> str:
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        column = error.start - text.rfind(b"\n", 0, error.start)
        raise CompilationError("the text is not UTF-8", SourceLocation(name, line, column)) from None


def _reason(error: Exception) -> str:
    if isinstance(error, VerifyException | ValueError | OverflowError):
        return one_line(str(error))
    if isinstance(error, AssertionError) and not error.args:
        return "the operation has operands of types that it does not take"  # xDSL's parsers of operations assert that
    return f"internal error: {type(error).__name__}: {one_line(str(error))}"


def parse_module(text: str | bytes, filename: str = "<string>", *, context: Context | None = None) -> ModuleOp:
    """The module that `text` describes, verified. Raises `CompilationError`, with line and column, if it is wrong."""
    with deep_nesting():
        try:
            module = TTIRParser(context or make_context(), text, filename).parse_module()
        except ParseError as error:
            raise located_parse_error(error) from None
        try:
            verify_module(module, text if isinstance(text, str) else text.decode())
        except CompilationError as error:
            add_text_location(error, module)
            raise
    return module


def located_parse_error(error: ParseError) -> CompilationError:
    """xDSL's `ParseError` as an error of mytriton: file, line, column, source line and caret."""
    place = error.span.get_location()
    text = error.span.input.content
    line_text = text[error.span.input.get_start_of_line(error.span.start) :].splitlines()[:1] or [""]
    source_line = line_text[0] if isinstance(line_text[0], str) else line_text[0].decode("utf-8", "replace")
    end_column = place.col + max(1, error.span.end - error.span.start)
    return CompilationError(_message(error), SourceLocation(place.file, place.line, place.col, end_column, source_line))


def _message(error: ParseError) -> str:
    """What xDSL says, where it says it."""
    found = str(error.span.text)
    if "{first_char}" in error.msg:
        return f"expected a name of ASCII letters, digits and _$.- after {found[:1]}"
    if error.msg.startswith(" in "):
        return f"unexpected {found!r}{error.msg}" if found else f"the text ends{error.msg}"
    return error.msg


@dataclass(frozen=True)
class TTIRFrontend(Frontend):
    """What makes `xdsl-opt file.ttir` read Triton's text, with our dialects in the place of xDSL's."""

    name = "ttir"

    no_implicit_module: bool = False

    def parse(self, ctx: Context, input: IO[bytes], input_name: str) -> ModuleOp:
        use_own_dialects(ctx)
        return TTIRParser(ctx, input.read(), input_name).parse_module(not self.no_implicit_module)


# Printing ------------------------------------------------------------------------------------------------------------


class TTIRPrinter(Printer):
    """xDSL's printer, with text that always reads back as the same values."""

    def print_ssa_value(self, value: SSAValue) -> str:
        """Print the name of `value`. A name made from a hint never meets another hint that looks like it."""
        hint = value.name_hint
        if value in self._ssa_values or not hint:
            return super().print_ssa_value(value)
        names = self.ssa_names
        count = names.get(hint, 0)
        name = f"{hint}_{count}" if count else hint
        while count and name in names:
            count += 1
            name = f"{hint}_{count}"
        names[hint] = count + 1
        names.setdefault(name, 1)
        self._ssa_values[value] = name
        self.print_string(f"%{name}")
        return name

    def print_region(
        self,
        region: Region,
        print_entry_block_args: bool = True,
        print_empty_block: bool = True,
        print_block_terminators: bool = True,
    ) -> None:
        """Print a region. That of `scf.execute_region` has its `scf.yield` also where this yields nothing."""
        parent = region.parent
        print_block_terminators |= parent is not None and parent.name == "scf.execute_region"
        super().print_region(region, print_entry_block_args, print_empty_block, print_block_terminators)

    def print_operation_type(self, op: Operation) -> None:
        """Print the operand and result types alone: scf.while has them in its middle, and the location at its end."""
        self.print_function_type(op.operand_types, op.result_types)

    def print_op_with_default_format(self, op: Operation) -> None:
        super().print_op_with_default_format(op)
        if self.print_debuginfo:
            self.print_string(" ")
            self.print_attribute(op.location)

    def print_float(self, value: float, type: AnyFloat) -> None:
        """Print `value`; infinities and NaN as their bit pattern, as MLIR does."""
        if math.isfinite(value):
            return super().print_float(value, type)
        self.print_string(f"0x{int.from_bytes(type.pack((value,)), 'little'):X}")


def print_module(module: ModuleOp, locations: bool = False) -> str:
    """The text of `module`, ending in a newline; with `locations`, each operation's location stands after it."""
    stream = StringIO()
    TTIRPrinter(stream=stream, print_debuginfo=locations).print_op(module)
    return stream.getvalue() + "\n"
