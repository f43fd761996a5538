"""Types, attributes and constants of the `tt` dialect."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, IntegerAttr, StringAttr, i1
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.enum_directive import word_of
from mytriton.dialects.tensor_types import element_type, is_fixed_width_integer, is_float, with_element_type

GLOBAL = 1
ADDRESS_SPACES = {"descriptor": 0, "global": 1, "constant": 4}


@irdl_attr_definition
class PointerType(ParametrizedAttribute, TypeAttribute):
    """The address of an integer or a float. `!tt.ptr<f32>` is an address in global memory."""

    name = "tt.ptr"

    pointee: Attribute
    address_space: IntAttr

    def __init__(self, pointee: Attribute, address_space: int = GLOBAL):
        super().__init__(pointee, IntAttr(address_space))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            pointee = parser.parse_type()
            address_space = GLOBAL
            if parser.parse_optional_punctuation(","):
                position = parser.pos
                word = parser.parse_str_literal()
                if word not in ADDRESS_SPACES:
                    expected = ", ".join(ADDRESS_SPACES)
                    parser.raise_error(f"unknown address space '{word}', expected one of {expected}", position)
                address_space = ADDRESS_SPACES[word]
        return pointee, IntAttr(address_space)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.pointee)
            if self.address_space.data != GLOBAL:
                printer.print_string(f', "{word_of(ADDRESS_SPACES, self.address_space.data)}"')

    def verify(self) -> None:
        if not is_fixed_width_integer(self.pointee) and not is_float(self.pointee):
            raise VerifyException(f"expected a pointer to an integer or a float, found {self.pointee}")
        if self.address_space.data not in ADDRESS_SPACES.values():
            raise VerifyException(f"expected an address space of 0, 1 or 4, found {self.address_space.data}")


CACHE_MODIFIERS = {"none": 1, "ca": 2, "cg": 3, "wb": 4, "cs": 5, "wt": 6, "cv": 7}
EVICTION_POLICIES = {"evict_normal": 1, "evict_first": 2, "evict_last": 3}


@irdl_attr_definition
class CachePolicyAttr(ParametrizedAttribute):
    """Hints to the caches about one load or store."""

    name = "tt.cache_policy"

    cache_modifier: StringAttr
    eviction_policy: StringAttr

    def __init__(self, cache_modifier: str = "none", eviction_policy: str = "evict_normal"):
        super().__init__(StringAttr(cache_modifier), StringAttr(eviction_policy))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        found: dict[str, str] = {}
        fields = {"cache_modifier": CACHE_MODIFIERS, "eviction_policy": EVICTION_POLICIES}

        def parse_field() -> None:
            position = parser.pos
            field = parser.parse_identifier()
            if field not in fields or field in found:
                parser.raise_error(f"unexpected field '{field}'", position)
            parser.parse_punctuation("=")
            position = parser.pos
            word = parser.parse_identifier()
            if word not in fields[field]:
                parser.raise_error(f"unknown {field} '{word}', expected one of {', '.join(fields[field])}", position)
            found[field] = word

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_field)
        if len(found) != len(fields):
            parser.raise_error(f"expected the fields {' and '.join(fields)}")
        return tuple(StringAttr(found[field]) for field in fields)

    def print_parameters(self, printer: Printer) -> None:
        modifier, eviction = self.cache_modifier.data, self.eviction_policy.data
        printer.print_string(f"<cache_modifier = {modifier}, eviction_policy = {eviction}>")

    def verify(self) -> None:
        if self.cache_modifier.data not in CACHE_MODIFIERS:
            raise VerifyException(f"unknown cache modifier '{self.cache_modifier.data}'")
        if self.eviction_policy.data not in EVICTION_POLICIES:
            raise VerifyException(f"unknown eviction policy '{self.eviction_policy.data}'")


def is_scalar(type: Attribute) -> bool:
    """Whether this is a type that a tensor may have as element type: an integer, a float or a pointer."""
    return is_fixed_width_integer(type) or is_float(type) or isinstance(type, PointerType)


def is_pointer(type: Attribute) -> bool:
    """Whether this is a pointer or a tensor of pointers."""
    return isinstance(element_type(type), PointerType)


def pointee_like(type: Attribute) -> Attribute:
    """What a load from a pointer, or a tensor of pointers, of this type gives."""
    pointer = element_type(type)
    if not isinstance(pointer, PointerType):
        raise VerifyException(f"expected a pointer or a tensor of pointers, found {type}")
    return with_element_type(type, pointer.pointee)


FALSE = IntegerAttr(0, i1)
TRUE = IntegerAttr(1, i1)
