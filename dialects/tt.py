"""
The `tt` dialect: what a program means, in the text form of Triton 3.9.

Values are scalars, pointers and tensors of them; an operation is done once by a whole program instance. The same
operations serve on tensors that carry a layout as encoding: the verifiers look at shapes and element types only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import TypeVar
from xdsl.dialects.builtin import (
    I1,
    I32,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    FunctionType,
    IntAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import (
    Attribute,
    Block,
    Dialect,
    Operation,
    ParametrizedAttribute,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import (
    AttrConstraint,
    AttrSizedOperandSegments,
    InferenceContext,
    IntConstraint,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    VerificationContext,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import AttrParser, Parser
from xdsl.pattern_rewriter import RewritePattern
from xdsl.printer import Printer
from xdsl.traits import (
    CallableOpInterface,
    ConditionallySpeculatable,
    EffectInstance,
    HasCanonicalizationPatternsTrait,
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
    RecursivelySpeculatable,
    RecursiveMemoryEffect,
    ReturnLike,
    SymbolOpInterface,
    SymbolTable,
    SymbolUserOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects import constants
from mytriton.dialects.arith import ArithConstantMaterialization, FoldResult, constant_value, integer_constant
from mytriton.dialects.constants import constant_attr
from mytriton.dialects.enum_directive import EnumDirective, parse_enum_word, word_of
from mytriton.dialects.float8 import float8_format
from mytriton.dialects.tensor_types import (
    FixedWidthIntegerLike,
    FloatLike,
    I1LikeVariable,
    bit_width,
    element_type,
    encoding_of,
    is_fixed_width_integer,
    is_float,
    is_tensor,
    shape_of,
    with_element_type,
)

# Types and attributes

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


@dataclass(frozen=True)
class PointerLike(AttrConstraint):
    """A pointer or a tensor of pointers."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not is_pointer(attr):
            raise VerifyException(f"expected a pointer or a tensor of pointers, found {attr}")

    def mapping_type_vars(self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]) -> AttrConstraint:
        return self


@dataclass(frozen=True)
class TensorOfScalars(AttrConstraint):
    """A tensor of integers, floats or pointers, with or without an encoding."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not is_tensor(attr) or not is_scalar(attr.element_type):
            raise VerifyException(f"expected a tensor of integers, floats or pointers, found {attr}")

    def mapping_type_vars(self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]) -> AttrConstraint:
        return self


@dataclass(frozen=True)
class ScalarOrTensor(AttrConstraint):
    """An integer, a float, a pointer, or a tensor of them."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not is_scalar(element_type(attr)):
            raise VerifyException(f"expected an integer, a float, a pointer or a tensor of them, found {attr}")

    def mapping_type_vars(self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]) -> AttrConstraint:
        return self


@dataclass(frozen=True)
class PointeeLikeVariable(AttrConstraint):
    """What a load from the pointer type that a constraint variable holds gives."""

    variable: str

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        pointer = constraint_context.get_variable(self.variable)
        if pointer is not None and attr != (expected := pointee_like(pointer)):
            raise VerifyException(f"expected {expected}, found {attr}")

    def can_infer(self, var_constraint_names: Set[str]) -> bool:
        return self.variable in var_constraint_names

    def infer(self, context: InferenceContext) -> Attribute:
        pointer = context.get_variable(self.variable)
        assert pointer is not None
        return pointee_like(pointer)

    def mapping_type_vars(self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]) -> AttrConstraint:
        return self


@dataclass(frozen=True)
class ElementOfVariable(AttrConstraint):
    """The element type of the tensor type that a constraint variable holds."""

    variable: str

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        type = constraint_context.get_variable(self.variable)
        if type is not None and attr != (expected := element_type(type)):
            raise VerifyException(f"expected {expected}, found {attr}")

    def can_infer(self, var_constraint_names: Set[str]) -> bool:
        return self.variable in var_constraint_names

    def infer(self, context: InferenceContext) -> Attribute:
        type = context.get_variable(self.variable)
        assert type is not None
        return element_type(type)

    def mapping_type_vars(self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]) -> AttrConstraint:
        return self


ANY_TENSOR = TensorOfScalars()
FALSE = IntegerAttr(0, i1)
TRUE = IntegerAttr(1, i1)


def _tensor(value: SSAValue) -> TensorType:
    """The type of an operand or result that the constraints have already checked to be a tensor."""
    type = value.type
    assert is_tensor(type)
    return type


def _verify_shape(what: str, found: Attribute, expected: Sequence[int] | None) -> None:
    shape = shape_of(found)
    if shape != (None if expected is None else tuple(expected)):
        raise VerifyException(f"expected {what} of {_shape_words(expected)}, found {found}")


def _shape_words(shape: Sequence[int] | None) -> str:
    return "scalar type" if shape is None else f"shape {'x'.join(map(str, shape)) or '()'}"


def _verify_elements(what: str, found: Attribute, expected: Attribute) -> None:
    if element_type(found) != element_type(expected):
        raise VerifyException(f"expected {what} with elements of type {element_type(expected)}, found {found}")


class TTCanonicalization(HasCanonicalizationPatternsTrait):
    """The rewrites of `tt_canonicalization.py`, imported when a canonicalization first asks for them."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        raise NotImplementedError("the patterns depend on the operation")

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        from mytriton.dialects.tt_canonicalization import PATTERNS

        return PATTERNS.get(op, ())


def _fold_to_constant(source: SSAValue, type: Attribute) -> FoldResult:
    """The constant of a type with the elements of a source whose elements are all one known number."""
    value = constant_value(source)
    if value is None or (isinstance(value, float) and math.isinf(value) and float8_format(element_type(source.type))):
        return None
    return (constant_attr(type, value),)


# Functions


class FuncOpCallableInterface(CallableOpInterface):
    @classmethod
    def get_callable_region(cls, op: Operation) -> Region:
        assert isinstance(op, FuncOp)
        return op.body

    @classmethod
    def get_argument_types(cls, op: Operation) -> tuple[Attribute, ...]:
        assert isinstance(op, FuncOp)
        return op.function_type.inputs.data

    @classmethod
    def get_result_types(cls, op: Operation) -> tuple[Attribute, ...]:
        assert isinstance(op, FuncOp)
        return op.function_type.outputs.data


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A kernel (public) or a function that kernels call (private)."""

    name = "tt.func"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    sym_visibility = opt_prop_def(StringAttr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), FuncOpCallableInterface(), HasParent(ModuleOp))

    _RESERVED: ClassVar = ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs")

    def __init__(
        self,
        name: str,
        function_type: FunctionType | tuple[Sequence[Attribute], Sequence[Attribute]],
        region: Region | None = None,
        visibility: str | None = "public",
        arg_attrs: ArrayAttr[DictionaryAttr] | None = None,
        res_attrs: ArrayAttr[DictionaryAttr] | None = None,
    ):
        """Without a region the function gets one block with an argument for each input."""
        if not isinstance(function_type, FunctionType):
            function_type = FunctionType.from_lists(*function_type)
        if region is None:
            region = Region(Block(arg_types=function_type.inputs))
        properties: dict[str, Attribute] = {"sym_name": StringAttr(name), "function_type": function_type}
        if visibility is not None:
            properties["sym_visibility"] = StringAttr(visibility)
        if arg_attrs is not None:
            properties["arg_attrs"] = arg_attrs
        if res_attrs is not None:
            properties["res_attrs"] = res_attrs
        Operation.__init__(self, properties=properties, regions=(region,))

    @property
    def is_declaration(self) -> bool:
        return not self.body.blocks

    def verify_(self) -> None:
        self._verify_argument_attributes()
        if self.is_declaration:
            if self.sym_visibility != StringAttr("private"):
                raise VerifyException(f"expected a body, or @{self.sym_name.data} to be private, found neither")
            return
        inputs, arguments = self.function_type.inputs.data, self.body.blocks[0].arg_types
        if inputs != tuple(arguments):
            raise VerifyException(
                f"expected entry block arguments of types ({_type_list(inputs)}), found ({_type_list(arguments)})"
            )
        if any(block.last_op is None for block in self.body.blocks):
            raise VerifyException("expected a terminator at the end of each block, found an empty block")

    def _verify_argument_attributes(self) -> None:
        for what, attrs, types in (
            ("argument", self.arg_attrs, self.function_type.inputs),
            ("result", self.res_attrs, self.function_type.outputs),
        ):
            if attrs is not None and len(attrs) != len(types):
                raise VerifyException(f"expected {len(types)} {what} attribute dictionaries, found {len(attrs)}")

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        visibility = parser.parse_optional_visibility_keyword()
        name, inputs, outputs, region, attributes, arg_attrs, res_attrs = parse_func_op_like(
            parser, reserved_attr_names=cls._RESERVED
        )
        visibility_word = visibility.data if visibility is not None else None
        func = cls(name, (inputs, outputs), region, visibility_word, arg_attrs, res_attrs)
        if attributes is not None:
            func.attributes |= attributes.data
        return func

    def print(self, printer: Printer) -> None:
        if self.sym_visibility is not None:
            printer.print_string(f" {self.sym_visibility.data}")
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            self.attributes,
            arg_attrs=self.arg_attrs,
            res_attrs=self.res_attrs,
            reserved_attr_names=self._RESERVED,
        )


def _type_list(types: Sequence[Attribute]) -> str:
    return ", ".join(map(str, types))


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """The end of a function, with its results."""

    name = "tt.return"

    srcs = var_operand_def()

    traits = traits_def(Pure(), HasParent(FuncOp), IsTerminator(), ReturnLike())

    assembly_format = "attr-dict ($srcs^ `:` type($srcs))?"

    def __init__(self, *srcs: SSAValue | Operation):
        Operation.__init__(self, operands=[SSAValue.get(src) for src in srcs])

    def verify_(self) -> None:
        func = self.parent_op()
        if not isinstance(func, FuncOp):
            return
        expected, found = func.function_type.outputs.data, tuple(self.operand_types)
        if found != expected:
            raise VerifyException(
                f"expected to return ({_type_list(expected)}) as @{func.sym_name.data} does, "
                f"found ({_type_list(found)})"
            )


class CallOpSymbolUser(SymbolUserOpInterface):
    """A call names a function of the module and fits its type."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, CallOp)
        callee = SymbolTable.lookup_symbol(op, op.callee)
        name = op.callee.string_value()
        if not isinstance(callee, FuncOp):
            raise VerifyException(f"expected a function @{name} in the module, found none")
        for what, expected, found in (
            ("operands", callee.function_type.inputs.data, tuple(op.operand_types)),
            ("results", callee.function_type.outputs.data, tuple(op.result_types)),
        ):
            if found != expected:
                raise VerifyException(
                    f"expected {what} of types ({_type_list(expected)}) as @{name} has, found ({_type_list(found)})"
                )


@irdl_op_definition
class CallOp(IRDLOperation):
    """A call of a function of the same module."""

    name = "tt.call"

    callee = prop_def(FlatSymbolRefAttrConstr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    arguments = var_operand_def()
    res = var_result_def()

    traits = traits_def(CallOpSymbolUser())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $res)"

    def __init__(
        self,
        callee: str | SymbolRefAttr,
        arguments: Sequence[SSAValue | Operation],
        result_types: Sequence[Attribute],
    ):
        Operation.__init__(
            self,
            operands=[SSAValue.get(argument) for argument in arguments],
            result_types=result_types,
            properties={"callee": SymbolRefAttr(callee) if isinstance(callee, str) else callee},
        )


# The grid

PROGRAM_DIMENSIONS = {"x": 0, "y": 1, "z": 2}


@irdl_custom_directive
class ProgramDimension(EnumDirective):
    WHAT: ClassVar[str] = "axis"
    WORDS: ClassVar[dict[str, int]] = PROGRAM_DIMENSIONS

    attr: AttributeVariable


class GridOp(IRDLOperation):
    """A number of the grid along one axis."""

    axis = prop_def(IntegerAttr[I32])
    result = result_def(i32)

    traits = traits_def(Pure())

    custom_directives = (ProgramDimension,)
    assembly_format = "custom<ProgramDimension>($axis) attr-dict `:` type($result)"

    def __init__(self, axis: int):
        Operation.__init__(self, result_types=(i32,), properties={"axis": IntegerAttr(axis, i32)})

    def verify_(self) -> None:
        if not 0 <= self.axis.value.data <= 2:
            raise VerifyException(f"expected an axis from 0 to 2, found {self.axis.value.data}")


@irdl_op_definition
class GetProgramIdOp(GridOp):
    """The index of this program instance along an axis of the grid."""

    name = "tt.get_program_id"


@irdl_op_definition
class GetNumProgramsOp(GridOp):
    """The number of program instances along an axis of the grid."""

    name = "tt.get_num_programs"


# Making and reshaping tensors


@irdl_op_definition
class MakeRangeOp(IRDLOperation):
    """The integers from `start` up to, but not including, `end`."""

    name = "tt.make_range"

    end = prop_def(IntegerAttr[I32])
    start = prop_def(IntegerAttr[I32])
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, start: int, end: int, result_type: Attribute | None = None):
        Operation.__init__(
            self,
            result_types=(result_type or TensorType(i32, (end - start,)),),
            properties={"end": IntegerAttr(end, i32), "start": IntegerAttr(start, i32)},
        )

    def verify_(self) -> None:
        start, end = self.start.value.data, self.end.value.data
        if start >= end:
            raise VerifyException(f"expected start < end, found start = {start} and end = {end}")
        _verify_elements("a result", self.result.type, i32)
        _verify_shape("a result", self.result.type, (end - start,))


@irdl_op_definition
class SplatOp(IRDLOperation, HasFolderInterface):
    """A tensor of which every element is the scalar."""

    name = "tt.splat"

    src = operand_def()
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure())

    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute):
        Operation.__init__(self, operands=(SSAValue.get(src),), result_types=(result_type,))

    def verify_(self) -> None:
        expected = element_type(self.result.type)
        if self.src.type != expected:
            raise VerifyException(f"expected a scalar of type {expected}, found {self.src.type}")

    def fold(self) -> FoldResult:
        return _fold_to_constant(self.src, self.result.type)


@irdl_op_definition
class UnsplatOp(IRDLOperation, HasFolderInterface):
    """The one element of a tensor of one element."""

    name = "tt.unsplat"

    T: ClassVar = VarConstraint("T", ANY_TENSOR)

    src = operand_def(T)
    result = result_def(ElementOfVariable("T"))

    traits = traits_def(Pure())

    assembly_format = "$src attr-dict `:` type($src)"

    def __init__(self, src: SSAValue | Operation):
        src = SSAValue.get(src)
        Operation.__init__(self, operands=(src,), result_types=(element_type(src.type),))

    def verify_(self) -> None:
        if math.prod(_tensor(self.src).get_shape()) != 1:
            raise VerifyException(f"expected a tensor of one element, found {self.src.type}")

    def fold(self) -> FoldResult:
        if isinstance(splat := self.src.owner, SplatOp):
            return (splat.src,)
        return _fold_to_constant(self.src, self.result.type)


@irdl_op_definition
class BroadcastOp(IRDLOperation, HasFolderInterface):
    """A tensor with dimensions of size 1 repeated to the size of the result."""

    name = "tt.broadcast"

    src = operand_def(ANY_TENSOR)
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure(), TTCanonicalization())

    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute):
        Operation.__init__(self, operands=(SSAValue.get(src),), result_types=(result_type,))

    def verify_(self) -> None:
        source, result = _tensor(self.src), _tensor(self.result)
        _verify_elements("a result", result, source)
        before, after = source.get_shape(), result.get_shape()
        if len(before) != len(after):
            raise VerifyException(f"expected a result of rank {len(before)}, found {result}")
        for axis, (old, new) in enumerate(zip(before, after, strict=True)):
            if old not in (1, new):
                raise VerifyException(
                    f"expected dimension {axis} to be 1 or to keep its size, found {old} to {new} "
                    f"({source} to {result})"
                )

    def fold(self) -> FoldResult:
        if self.src.type == self.result.type:
            return (self.src,)
        return _fold_to_constant(self.src, self.result.type)


@irdl_op_definition
class ExpandDimsOp(IRDLOperation, HasFolderInterface):
    """A tensor with a new dimension of size 1 before dimension `axis`."""

    name = "tt.expand_dims"

    src = operand_def(ANY_TENSOR)
    axis = prop_def(IntegerAttr[I32])
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure(), TTCanonicalization())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, axis: int, result_type: Attribute | None = None):
        src = SSAValue.get(src)
        if result_type is None:
            type = _tensor(src)
            shape = type.shape.data
            result_type = TensorType(type.element_type, (*shape[:axis], IntAttr(1), *shape[axis:]))
        Operation.__init__(
            self,
            operands=(src,),
            result_types=(result_type,),
            properties={"axis": IntegerAttr(axis, i32)},
        )

    def verify_(self) -> None:
        shape = list(_tensor(self.src).get_shape())
        axis = self.axis.value.data
        if not 0 <= axis <= len(shape):
            raise VerifyException(f"expected an axis from 0 to {len(shape)} for {self.src.type}, found {axis}")
        shape.insert(axis, 1)
        _verify_elements("a result", self.result.type, self.src.type)
        _verify_shape("a result", self.result.type, shape)

    def fold(self) -> FoldResult:
        return _fold_to_constant(self.src, self.result.type)


@irdl_op_definition
class ReshapeOp(IRDLOperation, HasFolderInterface):
    """The elements of a tensor, in row-major order (in any order with `allow_reorder`), in another shape."""

    name = "tt.reshape"

    src = operand_def(ANY_TENSOR)
    allow_reorder = opt_prop_def(UnitAttr)
    efficient_layout = opt_prop_def(UnitAttr)
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure(), TTCanonicalization())

    assembly_format = (
        "$src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? "
        "attr-dict `:` type($src) `->` type($result)"
    )

    def __init__(self, src: SSAValue | Operation, result_type: Attribute, allow_reorder: bool = False):
        Operation.__init__(
            self,
            operands=(SSAValue.get(src),),
            result_types=(result_type,),
            properties={"allow_reorder": UnitAttr()} if allow_reorder else {},
        )

    def verify_(self) -> None:
        source, result = _tensor(self.src), _tensor(self.result)
        _verify_elements("a result", result, source)
        expected, found = math.prod(source.get_shape()), math.prod(result.get_shape())
        if found != expected:
            raise VerifyException(f"expected a result of {expected} elements like {source}, found {result}")

    def fold(self) -> FoldResult:
        if self.src.type == self.result.type and self.allow_reorder is None:
            return (self.src,)
        return _fold_to_constant(self.src, self.result.type)


@irdl_op_definition
class TransOp(IRDLOperation, HasFolderInterface):
    """A tensor with its dimensions permuted: dimension `i` of the result is dimension `order[i]` of the source."""

    name = "tt.trans"

    src = operand_def(ANY_TENSOR)
    order = prop_def(DenseArrayBase[I32])
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure(), TTCanonicalization())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, order: Sequence[int], result_type: Attribute | None = None):
        src = SSAValue.get(src)
        if result_type is None:
            type = _tensor(src)
            result_type = TensorType(type.element_type, [type.shape.data[axis] for axis in order])
        Operation.__init__(
            self,
            operands=(src,),
            result_types=(result_type,),
            properties={"order": DenseArrayBase.from_list(i32, order)},
        )

    @property
    def permutation(self) -> tuple[int, ...]:
        return tuple(self.order.get_values())

    def verify_(self) -> None:
        shape = _tensor(self.src).get_shape()
        order = self.permutation
        if sorted(order) != list(range(len(shape))):
            raise VerifyException(
                f"expected an order that permutes the {len(shape)} dimensions of {self.src.type}, "
                f"found [{', '.join(map(str, order))}]"
            )
        _verify_elements("a result", self.result.type, self.src.type)
        _verify_shape("a result", self.result.type, [shape[axis] for axis in order])

    def fold(self) -> FoldResult:
        order = self.permutation
        if order == tuple(range(len(order))) and self.src.type == self.result.type:
            return (self.src,)
        return _fold_to_constant(self.src, self.result.type)


@irdl_op_definition
class JoinOp(IRDLOperation):
    """Two tensors of one type in a tensor with a last dimension of size 2, where the first comes first."""

    name = "tt.join"

    T: ClassVar = VarConstraint("T", ANY_TENSOR)

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure(), TTCanonicalization())

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, result_type: Attribute | None = None):
        lhs = SSAValue.get(lhs)
        if result_type is None:
            type = _tensor(lhs)
            result_type = TensorType(type.element_type, (*type.shape.data, IntAttr(2)))
        Operation.__init__(self, operands=(lhs, SSAValue.get(rhs)), result_types=(result_type,))

    def verify_(self) -> None:
        _verify_elements("a result", self.result.type, self.lhs.type)
        _verify_shape("a result", self.result.type, (*_tensor(self.lhs).get_shape(), 2))


@irdl_op_definition
class SplitOp(IRDLOperation):
    """The two halves of a tensor along its last dimension, which has size 2: what `tt.join` put together."""

    name = "tt.split"

    T: ClassVar = VarConstraint("T", ANY_TENSOR)

    src = operand_def(ANY_TENSOR)
    lhs = result_def(T)
    rhs = result_def(T)

    traits = traits_def(Pure(), TTCanonicalization())

    assembly_format = "$src attr-dict `:` type($src) `->` type($lhs)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute | None = None):
        src = SSAValue.get(src)
        if result_type is None:
            type = _tensor(src)
            result_type = TensorType(type.element_type, type.shape.data[:-1])
        Operation.__init__(self, operands=(src,), result_types=(result_type, result_type))

    def verify_(self) -> None:
        shape = _tensor(self.src).get_shape()
        if len(shape) < 2 or shape[-1] != 2:
            raise VerifyException(
                f"expected a tensor of rank 2 or more with a last dimension of size 2, found {self.src.type}"
            )
        _verify_elements("results", self.lhs.type, self.src.type)
        _verify_shape("results", self.lhs.type, shape[:-1])


@irdl_op_definition
class CatOp(IRDLOperation):
    """The elements of the first tensor and then those of the second, along the only dimension."""

    name = "tt.cat"

    T: ClassVar = VarConstraint("T", ANY_TENSOR)

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure(), TTCanonicalization())

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        lhs = SSAValue.get(lhs)
        type = _tensor(lhs)
        result_type = TensorType(type.element_type, (2 * type.get_shape()[0],))
        Operation.__init__(self, operands=(lhs, SSAValue.get(rhs)), result_types=(result_type,))

    def verify_(self) -> None:
        shape = _tensor(self.lhs).get_shape()
        if len(shape) != 1:
            raise VerifyException(f"expected tensors of rank 1, found {self.lhs.type}")
        _verify_elements("a result", self.result.type, self.lhs.type)
        _verify_shape("a result", self.result.type, (2 * shape[0],))


@irdl_op_definition
class ExtractSliceOp(IRDLOperation, HasFolderInterface):
    """
    A part of a tensor: element `i` along a dimension of the result is element `offset + stride * i` of the source.
    The strides are 1 where none are given. An offset that would lead outside of the source is moved to the nearest one
    that does not.
    """

    name = "tt.extract_slice"

    src = operand_def(ANY_TENSOR)
    offsets = var_operand_def(i32)
    strides = opt_prop_def(DenseArrayBase[I32])
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure(), TTCanonicalization())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src `[` $offsets `]` attr-dict `:` type($src) `->` type($result)"

    def __init__(
        self,
        src: SSAValue | Operation,
        offsets: Sequence[SSAValue | Operation],
        sizes: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
        result_type: Attribute | None = None,
    ):
        src = SSAValue.get(src)
        if result_type is None:
            assert sizes is not None
            result_type = TensorType(_tensor(src).element_type, sizes)
        properties: dict[str, Attribute] = {}
        if strides is not None and any(stride != 1 for stride in strides):
            properties["strides"] = DenseArrayBase.from_list(i32, strides)
        Operation.__init__(
            self,
            operands=(src, *(SSAValue.get(offset) for offset in offsets)),
            result_types=(result_type,),
            properties=properties,
        )

    @property
    def steps(self) -> tuple[int, ...]:
        """The stride along each dimension."""
        return (1,) * len(self.offsets) if self.strides is None else tuple(self.strides.get_values())

    @property
    def offset_ranges(self) -> list[tuple[int, int]]:
        """For each dimension the first and the last offset with which the slice is inside the source."""
        source, result = _tensor(self.src).get_shape(), _tensor(self.result).get_shape()
        reaches = (step * (size - 1) for step, size in zip(self.steps, result, strict=True))
        return [(max(0, -reach), size - 1 - max(0, reach)) for reach, size in zip(reaches, source, strict=True)]

    @property
    def constant_offsets(self) -> tuple[int, ...] | None:
        """The offsets, limited to their ranges, if all of them are known."""
        known = [integer_constant(offset) for offset in self.offsets]
        found: list[int] = []
        for offset, (first, last) in zip(known, self.offset_ranges, strict=True):
            if first == last:
                offset = first
            if offset is None:
                return None
            found.append(min(max(offset, first), last))
        return tuple(found)

    def verify_(self) -> None:
        source, result = _tensor(self.src), _tensor(self.result)
        _verify_elements("a result", result, source)
        before, after = source.get_shape(), result.get_shape()
        if len(after) != len(before):
            raise VerifyException(f"expected a result of rank {len(before)}, found {result}")
        if len(self.offsets) != len(before) or len(self.steps) != len(before):
            raise VerifyException(f"expected {len(before)} offsets and strides, one for each dimension of {source}")
        for axis, (first, last) in enumerate(self.offset_ranges):
            if self.steps[axis] == 0 or first > last:
                raise VerifyException(
                    f"expected a slice inside of dimension {axis} of {source}, found {after[axis]} elements with a "
                    f"stride of {self.steps[axis]}"
                )

    def fold(self) -> FoldResult:
        if self.src.type == self.result.type and all(step == 1 for step in self.steps):
            return (self.src,)
        return _fold_to_constant(self.src, self.result.type)


# Memory


@irdl_op_definition
class AddPtrOp(IRDLOperation, HasFolderInterface):
    """A pointer moved by a number of elements."""

    name = "tt.addptr"

    T: ClassVar = VarConstraint("T", PointerLike())

    ptr = operand_def(T)
    offset = operand_def(FixedWidthIntegerLike())
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)"

    def __init__(self, ptr: SSAValue | Operation, offset: SSAValue | Operation):
        ptr = SSAValue.get(ptr)
        Operation.__init__(self, operands=(ptr, SSAValue.get(offset)), result_types=(ptr.type,))

    def verify_(self) -> None:
        _verify_shape("an offset", self.offset.type, shape_of(self.ptr.type))

    def fold(self) -> FoldResult:
        return (self.ptr,) if integer_constant(self.offset) == 0 else None


class LoadEffects(MemoryEffect):
    """A load reads; a volatile one counts as a write too, so that none is removed, merged or moved."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        assert isinstance(op, LoadOp)
        return _VOLATILE_EFFECTS if op.is_volatile else _READ_EFFECTS


_READ_EFFECTS = frozenset((EffectInstance(MemoryEffectKind.READ),))
_VOLATILE_EFFECTS = _READ_EFFECTS | {EffectInstance(MemoryEffectKind.WRITE)}


class MemoryAccessOp(IRDLOperation):
    """What loads and stores have in common."""

    cache_policy = opt_prop_def(prop_name="cachePolicy")

    @property
    def cache_modifier(self) -> str:
        """One of `CACHE_MODIFIERS`."""
        policy = self.cache_policy
        return policy.cache_modifier.data if isinstance(policy, CachePolicyAttr) else "none"

    @property
    def eviction_policy(self) -> str:
        """One of `EVICTION_POLICIES`."""
        policy = self.cache_policy
        return policy.eviction_policy.data if isinstance(policy, CachePolicyAttr) else "evict_normal"


def _cache_properties(cache: str, evict: str) -> dict[str, Attribute]:
    if cache == "none" and evict == "evict_normal":
        return {}
    return {"cachePolicy": CachePolicyAttr(cache, evict)}


_LOAD_SEGMENTS = tuple(DenseArrayBase.from_list(i32, sizes) for sizes in ((1, 0, 0), (1, 1, 0), (1, 1, 1)))


@irdl_op_definition
class LoadOp(MemoryAccessOp):
    """
    The values at the pointers. Where the mask is false nothing is read and the value is that of `other`, or 0 where
    there is no `other`.
    """

    name = "tt.load"

    P: ClassVar = VarConstraint("P", PointerLike())

    ptr = operand_def(P)
    mask = opt_operand_def(I1LikeVariable("P"))
    other = opt_operand_def(PointeeLikeVariable("P"))
    volatile = prop_def(IntegerAttr, default_value=FALSE, prop_name="isVolatile")
    result = result_def(PointeeLikeVariable("P"))

    traits = traits_def(LoadEffects(), TTCanonicalization())

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = "$ptr (`,` $mask^)? (`,` $other^)? attr-dict `:` type($ptr)"

    def __init__(
        self,
        ptr: SSAValue | Operation,
        mask: SSAValue | Operation | None = None,
        other: SSAValue | Operation | None = None,
        cache: str = "none",
        evict: str = "evict_normal",
        is_volatile: bool = False,
    ):
        ptr = SSAValue.get(ptr)
        operands = [ptr, *(SSAValue.get(value) for value in (mask, other) if value is not None)]
        properties = _cache_properties(cache, evict)
        properties["isVolatile"] = TRUE if is_volatile else FALSE
        if mask is None and other is not None:
            raise ValueError("a load with `other` needs a mask")
        properties["operandSegmentSizes"] = _LOAD_SEGMENTS[len(operands) - 1]
        Operation.__init__(self, operands=operands, result_types=(pointee_like(ptr.type),), properties=properties)

    @property
    def is_volatile(self) -> bool:
        return self.volatile.value.data != 0

    def verify_(self) -> None:
        if self.other is not None and self.mask is None:
            raise VerifyException("expected a mask with `other`, found none")


@irdl_op_definition
class StoreOp(MemoryAccessOp):
    """Writes the values to the pointers, where the mask is true."""

    name = "tt.store"

    P: ClassVar = VarConstraint("P", PointerLike())

    ptr = operand_def(P)
    value = operand_def(PointeeLikeVariable("P"))
    mask = opt_operand_def(I1LikeVariable("P"))
    ignore_cta = opt_prop_def(UnitAttr)

    traits = traits_def(MemoryWriteEffect(), TTCanonicalization())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$ptr `,` $value (`,` $mask^)? attr-dict `:` type($ptr)"

    def __init__(
        self,
        ptr: SSAValue | Operation,
        value: SSAValue | Operation,
        mask: SSAValue | Operation | None = None,
        cache: str = "none",
        evict: str = "evict_normal",
    ):
        operands = [SSAValue.get(operand) for operand in (ptr, value, mask) if operand is not None]
        Operation.__init__(self, operands=operands, properties=_cache_properties(cache, evict))


# Atomic operations

ATOMIC_OPERATIONS = {
    "and": 1,
    "or": 2,
    "xor": 3,
    "add": 4,
    "fadd": 5,
    "max": 6,
    "min": 7,
    "umax": 8,
    "umin": 9,
    "exch": 10,
}
MEMORY_SEMANTICS = {"relaxed": 1, "acquire": 2, "release": 3, "acq_rel": 4}
MEMORY_SCOPES = {"gpu": 1, "cta": 2, "sys": 3}
BITWISE_ATOMICS = ("and", "or", "xor", "exch")


@irdl_custom_directive
class AtomicOperation(EnumDirective):
    WHAT: ClassVar[str] = "atomic operation"
    WORDS: ClassVar[dict[str, int]] = ATOMIC_OPERATIONS

    attr: AttributeVariable


@irdl_custom_directive
class MemorySemantics(EnumDirective):
    WHAT: ClassVar[str] = "memory semantics"
    WORDS: ClassVar[dict[str, int]] = MEMORY_SEMANTICS

    attr: AttributeVariable


@irdl_custom_directive
class MemoryScope(EnumDirective):
    WHAT: ClassVar[str] = "memory scope"
    WORDS: ClassVar[dict[str, int]] = MEMORY_SCOPES

    attr: AttributeVariable


class AtomicOp(IRDLOperation):
    """What atomic operations have in common: which accesses they order, as seen by which threads."""

    sem = prop_def(IntegerAttr[I32])
    scope = prop_def(IntegerAttr[I32])

    @property
    def semantics(self) -> str:
        """One of `MEMORY_SEMANTICS`."""
        return word_of(MEMORY_SEMANTICS, self.sem.value.data)

    @property
    def memory_scope(self) -> str:
        """One of `MEMORY_SCOPES`."""
        return word_of(MEMORY_SCOPES, self.scope.value.data)

    @property
    def releases(self) -> bool:
        """Whether the accesses before it are seen by whoever acquires what it writes."""
        return self.semantics in ("release", "acq_rel")

    @property
    def acquires(self) -> bool:
        """Whether the accesses after it see what was released with the value that it reads."""
        return self.semantics in ("acquire", "acq_rel")

    def verify_order(self) -> None:
        _verify_word("semantics", self.sem, MEMORY_SEMANTICS)
        _verify_word("a scope", self.scope, MEMORY_SCOPES)


def _verify_word(what: str, number: IntegerAttr[I32], words: dict[str, int]) -> None:
    if number.value.data not in words.values():
        raise VerifyException(f"expected {what} of 1 to {len(words)}, found {number.value.data}")


def _order_properties(sem: str, scope: str) -> dict[str, Attribute]:
    return {
        "sem": IntegerAttr(MEMORY_SEMANTICS[sem], i32),
        "scope": IntegerAttr(MEMORY_SCOPES[scope], i32),
    }


@irdl_op_definition
class AtomicRMWOp(AtomicOp):
    """
    Replaces each value in memory by its combination with an operand, in one step, and gives what was there before.
    Where the mask is false memory is not touched and the result is 0.
    """

    name = "tt.atomic_rmw"

    P: ClassVar = VarConstraint("P", PointerLike())

    atomic_rmw_op = prop_def(IntegerAttr[I32])
    ptr = operand_def(P)
    val = operand_def(PointeeLikeVariable("P"))
    mask = opt_operand_def(I1LikeVariable("P"))
    result = result_def(PointeeLikeVariable("P"))

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), TTCanonicalization())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (AtomicOperation, MemorySemantics, MemoryScope)
    assembly_format = (
        "custom<AtomicOperation>($atomic_rmw_op) `,` custom<MemorySemantics>($sem) `,` custom<MemoryScope>($scope) `,`"
        " $ptr `,` $val (`,` $mask^)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        operation: str,
        ptr: SSAValue | Operation,
        val: SSAValue | Operation,
        mask: SSAValue | Operation | None = None,
        sem: str = "acq_rel",
        scope: str = "gpu",
    ):
        ptr = SSAValue.get(ptr)
        Operation.__init__(
            self,
            operands=[ptr, *(SSAValue.get(operand) for operand in (val, mask) if operand is not None)],
            result_types=(pointee_like(ptr.type),),
            properties={
                "atomic_rmw_op": IntegerAttr(ATOMIC_OPERATIONS[operation], i32),
                **_order_properties(sem, scope),
            },
        )

    @property
    def operation(self) -> str:
        """One of `ATOMIC_OPERATIONS`."""
        return word_of(ATOMIC_OPERATIONS, self.atomic_rmw_op.value.data)

    def verify_(self) -> None:
        _verify_word("an atomic operation", self.atomic_rmw_op, ATOMIC_OPERATIONS)
        self.verify_order()
        element = element_type(self.val.type)
        if self.operation not in BITWISE_ATOMICS and is_float(element) != (self.operation == "fadd"):
            kind = "floats" if self.operation == "fadd" else "integers"
            raise VerifyException(f"expected {kind} for '{self.operation}', found {element}")
        narrowest = 16 if self.operation == "fadd" else 32
        if bit_width(element) < narrowest:
            raise VerifyException(f"expected elements of {narrowest} or more bits, found {element}")


@irdl_op_definition
class AtomicCASOp(AtomicOp):
    """Where memory holds the bits of `cmp` it gets those of `val`, in one step; gives what was there before."""

    name = "tt.atomic_cas"

    P: ClassVar = VarConstraint("P", PointerLike())

    ptr = operand_def(P)
    cmp = operand_def(PointeeLikeVariable("P"))
    val = operand_def(PointeeLikeVariable("P"))
    result = result_def(PointeeLikeVariable("P"))

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (MemorySemantics, MemoryScope)
    assembly_format = (
        "custom<MemorySemantics>($sem) `,` custom<MemoryScope>($scope) `,` $ptr `,` $cmp `,` $val attr-dict"
        " `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        ptr: SSAValue | Operation,
        cmp: SSAValue | Operation,
        val: SSAValue | Operation,
        sem: str = "acq_rel",
        scope: str = "gpu",
    ):
        ptr = SSAValue.get(ptr)
        Operation.__init__(
            self,
            operands=[ptr, SSAValue.get(cmp), SSAValue.get(val)],
            result_types=(pointee_like(ptr.type),),
            properties=_order_properties(sem, scope),
        )

    def verify_(self) -> None:
        self.verify_order()
        element = element_type(self.val.type)
        if bit_width(element) < 16:
            raise VerifyException(f"expected elements of 16 or more bits, found {element}")


@irdl_op_definition
class AtomicLoadOp(AtomicOp):
    """The values at the pointers, each read in one step. Where the mask is false nothing is read and the value is 0."""

    name = "tt.atomic_load"

    P: ClassVar = VarConstraint("P", PointerLike())

    ptr = operand_def(P)
    mask = opt_operand_def(I1LikeVariable("P"))
    result = result_def(PointeeLikeVariable("P"))

    # It counts as a write too, so that none is removed, merged or moved.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (MemorySemantics, MemoryScope)
    assembly_format = (
        "custom<MemorySemantics>($sem) `,` custom<MemoryScope>($scope) `,` $ptr (`,` $mask^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        ptr: SSAValue | Operation,
        mask: SSAValue | Operation | None = None,
        sem: str = "acquire",
        scope: str = "gpu",
    ):
        ptr = SSAValue.get(ptr)
        Operation.__init__(
            self,
            operands=[ptr] if mask is None else [ptr, SSAValue.get(mask)],
            result_types=(pointee_like(ptr.type),),
            properties=_order_properties(sem, scope),
        )

    def verify_(self) -> None:
        self.verify_order()
        if self.releases:
            raise VerifyException(f"expected acquire or relaxed semantics, found {self.semantics}")


@irdl_op_definition
class AtomicStoreOp(AtomicOp):
    """Writes the values to the pointers, each in one step, where the mask is true."""

    name = "tt.atomic_store"

    P: ClassVar = VarConstraint("P", PointerLike())

    ptr = operand_def(P)
    val = operand_def(PointeeLikeVariable("P"))
    mask = opt_operand_def(I1LikeVariable("P"))

    traits = traits_def(MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (MemorySemantics, MemoryScope)
    assembly_format = (
        "custom<MemorySemantics>($sem) `,` custom<MemoryScope>($scope) `,` $ptr `,` $val (`,` $mask^)? attr-dict"
        " `:` type($ptr)"
    )

    def __init__(
        self,
        ptr: SSAValue | Operation,
        val: SSAValue | Operation,
        mask: SSAValue | Operation | None = None,
        sem: str = "release",
        scope: str = "gpu",
    ):
        Operation.__init__(
            self,
            operands=[SSAValue.get(operand) for operand in (ptr, val, mask) if operand is not None],
            properties=_order_properties(sem, scope),
        )

    def verify_(self) -> None:
        self.verify_order()
        if self.acquires:
            raise VerifyException(f"expected release or relaxed semantics, found {self.semantics}")


@irdl_op_definition
class AtomicPollOp(AtomicOp):
    """
    Reads each value again and again until it is the expected one, and gives whether it was; it is not where the time in
    nanoseconds is over before.
    """

    name = "tt.atomic_poll"

    P: ClassVar = VarConstraint("P", PointerLike())

    ptr = operand_def(P)
    expected = operand_def(PointeeLikeVariable("P"))
    timeout_ns = opt_operand_def(i64)
    result = result_def(I1LikeVariable("P"))

    # It counts as a write too, so that none is removed, merged or moved.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (MemorySemantics, MemoryScope)
    assembly_format = (
        "custom<MemorySemantics>($sem) `,` custom<MemoryScope>($scope) `,` $ptr `,` $expected"
        " (`timeout` $timeout_ns^)? attr-dict `:` type($ptr) `,` type($expected) `->` type($result)"
    )

    def __init__(
        self,
        ptr: SSAValue | Operation,
        expected: SSAValue | Operation,
        timeout_ns: SSAValue | Operation | None = None,
        sem: str = "acquire",
        scope: str = "gpu",
    ):
        ptr = SSAValue.get(ptr)
        Operation.__init__(
            self,
            operands=[ptr, *(SSAValue.get(operand) for operand in (expected, timeout_ns) if operand is not None)],
            result_types=(with_element_type(ptr.type, i1),),
            properties=_order_properties(sem, scope),
        )

    def verify_(self) -> None:
        self.verify_order()
        if self.releases:
            raise VerifyException(f"expected acquire or relaxed semantics, found {self.semantics}")
        element = element_type(self.expected.type)
        if not is_fixed_width_integer(element) or bit_width(element) < 16:
            raise VerifyException(f"expected integers of 16 or more bits, found {element}")


# Dot and reduce

INPUT_PRECISIONS = {"tf32": 0, "tf32x3": 1, "ieee": 2, "bf16x3": 3, "bf16x6": 4}
IEEE = IntegerAttr(INPUT_PRECISIONS["ieee"], i32)
NO_IMPRECISE_ACC = IntegerAttr(0, i32)


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


@irdl_custom_directive
class InputPrecision(KeywordEnumDirective):
    KEYWORD: ClassVar[str] = "inputPrecision"
    WORDS: ClassVar[dict[str, int]] = INPUT_PRECISIONS

    attr: AttributeVariable


@irdl_op_definition
class DotOp(IRDLOperation):
    """The matrix product of `a` [M, K] and `b` [K, N] plus `c` [M, N]; at rank 3 there is a leading batch dimension."""

    name = "tt.dot"

    T: ClassVar = VarConstraint("T", ANY_TENSOR)

    a = operand_def(ANY_TENSOR)
    b = operand_def(ANY_TENSOR)
    c = operand_def(T)
    input_precision = prop_def(IntegerAttr[I32], default_value=IEEE, prop_name="inputPrecision")
    max_num_imprecise_acc = prop_def(IntegerAttr[I32], default_value=NO_IMPRECISE_ACC, prop_name="maxNumImpreciseAcc")
    d = result_def(T)

    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (InputPrecision,)
    assembly_format = (
        "$a `,` $b `,` $c custom<InputPrecision>($inputPrecision) attr-dict `:` type($a) `*` type($b) `->` type($d)"
    )

    def __init__(
        self,
        a: SSAValue | Operation,
        b: SSAValue | Operation,
        c: SSAValue | Operation,
        input_precision: str = "ieee",
        max_num_imprecise_acc: int = 0,
    ):
        c = SSAValue.get(c)
        Operation.__init__(
            self,
            operands=(SSAValue.get(a), SSAValue.get(b), c),
            result_types=(c.type,),
            properties={
                "inputPrecision": IntegerAttr(INPUT_PRECISIONS[input_precision], i32),
                "maxNumImpreciseAcc": IntegerAttr(max_num_imprecise_acc, i32),
            },
        )

    @property
    def precision(self) -> str:
        """One of `INPUT_PRECISIONS`."""
        return word_of(INPUT_PRECISIONS, self.input_precision.value.data)

    def verify_(self) -> None:
        if self.input_precision.value.data not in INPUT_PRECISIONS.values():
            raise VerifyException(f"expected an inputPrecision from 0 to 4, found {self.input_precision.value.data}")
        a, b, c = _tensor(self.a), _tensor(self.b), _tensor(self.c)
        verify_dot_shapes(a, b, c)
        verify_dot_elements(a.element_type, b.element_type, c.element_type)


def verify_dot_shapes(a: TensorType, b: TensorType, c: TensorType) -> None:
    """Checks [M, K] x [K, N] -> [M, N], with one batch size before each where the rank is 3."""
    ranks = len(a.shape), len(b.shape), len(c.shape)
    if ranks not in ((2, 2, 2), (3, 3, 3)):
        raise VerifyException(f"expected operands and accumulator all of rank 2 or all of rank 3, found {a}, {b}, {c}")
    *batch_a, m, k = a.get_shape()
    *batch_b, k_b, n = b.get_shape()
    if batch_a != batch_b:
        raise VerifyException(f"expected operands of one batch size, found {a} and {b}")
    if k != k_b:
        raise VerifyException(
            f"expected as many columns in the first operand as rows in the second, found {k} and {k_b} ({a} * {b})"
        )
    _verify_shape(f"an accumulator for {a} * {b}", c, (*batch_a, m, n))


def verify_dot_elements(a: Attribute, b: Attribute, c: Attribute) -> None:
    """Checks the element types of the operands of a dot against each other and the accumulator's against them."""
    for element in (a, b, c):
        if not is_float(element) and not is_fixed_width_integer(element):
            raise VerifyException(f"expected elements that are integers or floats, found {element}")
    if is_float(a) != is_float(b) or bit_width(a) != bit_width(b):
        raise VerifyException(f"expected operands with elements of one type, found {a} and {b}")
    if a != b and bit_width(a) != 8:
        raise VerifyException(f"expected operands with elements of one type, found {a} and {b}")
    if is_float(a) != is_float(c) or bit_width(c) < bit_width(a):
        raise VerifyException(f"expected an accumulator of a {_kind(a)} at least as wide as {a}, found {c}")


def _kind(element: Attribute) -> str:
    return "float" if is_float(element) else "signless integer"


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """
    The tensors with one dimension reduced to nothing by the region, which combines two sets of elements into one. It
    must be associative; the order in which elements are combined is not defined.
    """

    name = "tt.reduce"

    srcs = var_operand_def(ANY_TENSOR)
    axis = prop_def(IntegerAttr[I32])
    result = var_result_def()
    combine_op = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), RecursivelySpeculatable())

    def __init__(
        self,
        srcs: Sequence[SSAValue | Operation],
        axis: int,
        region: Region,
        result_types: Sequence[Attribute] | None = None,
    ):
        operands = [SSAValue.get(src) for src in srcs]
        if result_types is None:
            result_types = [_without_axis(_tensor(operand), axis) for operand in operands]
        Operation.__init__(
            self,
            operands=operands,
            result_types=result_types,
            properties={"axis": IntegerAttr(axis, i32)},
            regions=(region,),
        )

    def verify_(self) -> None:
        if not self.srcs:
            raise VerifyException("expected at least one operand, found none")
        types = [_tensor(src) for src in self.srcs]
        shape = types[0].get_shape()
        for type in types:
            _verify_shape("operands", type, shape)
        axis = self.axis.value.data
        _verify_axis(self.axis, types[0])
        if len(self.result) != len(types):
            raise VerifyException(f"expected {len(types)} results, one for each operand, found {len(self.result)}")
        for type, result in zip(types, self.result, strict=True):
            expected = _without_axis(type, axis)
            _verify_elements("a result", result.type, expected)
            _verify_shape("a result", result.type, shape_of(expected))

        self._verify_region([type.element_type for type in types])

    def _verify_region(self, elements: list[Attribute]) -> None:
        _verify_combination(self.combine_op.block, elements)
        if not isinstance(self.combine_op.block.last_op, ReduceReturnOp):
            raise VerifyException("expected a region that ends with tt.reduce.return")


def _verify_combination(block: Block, elements: Sequence[Attribute]) -> None:
    """Checks that a block takes two sets of elements of these types."""
    expected, found = (*elements, *elements), tuple(block.arg_types)
    if found != expected:
        raise VerifyException(
            f"expected a region with arguments of types ({_type_list(expected)}), found ({_type_list(found)})"
        )


def _without_axis(type: TensorType, axis: int) -> Attribute:
    shape = type.shape.data
    if len(shape) == 1:
        return type.element_type
    return TensorType(type.element_type, (*shape[:axis], *shape[axis + 1 :]))


@irdl_op_definition
class ReduceReturnOp(IRDLOperation):
    """The combined elements."""

    name = "tt.reduce.return"

    result = var_operand_def()

    traits = traits_def(Pure(), IsTerminator(), ReturnLike())

    assembly_format = "$result attr-dict `:` type($result)"

    def __init__(self, *values: SSAValue | Operation):
        Operation.__init__(self, operands=[SSAValue.get(value) for value in values])

    def verify_(self) -> None:
        reduce = self.parent_op()
        if not isinstance(reduce, ReduceOp):
            # The ttg level has the same region in an operation of its own.
            if reduce is None or reduce.name != "ttg.warp_reduce":
                raise VerifyException("'tt.reduce.return' expects parent op 'tt.reduce'")
            return
        _verify_combined(self.operand_types, reduce.srcs)


def _verify_combined(found: Sequence[Attribute], srcs: Sequence[SSAValue]) -> None:
    expected = tuple(element_type(src.type) for src in srcs)
    if tuple(found) != expected:
        raise VerifyException(f"expected values of types ({_type_list(expected)}), found ({_type_list(found)})")


@irdl_op_definition
class ScanOp(IRDLOperation):
    """
    Each element becomes the combination of all elements up to it along one dimension, itself the last; with `reverse`
    of all from the end down to it. The region combines two sets of elements into one, the earlier ones first; it must
    be associative, and need not commute.
    """

    name = "tt.scan"

    srcs = var_operand_def(ANY_TENSOR)
    axis = prop_def(IntegerAttr[I32])
    reverse = prop_def(IntegerAttr[I1])
    result = var_result_def()
    combine_op = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), RecursivelySpeculatable())

    def __init__(self, srcs: Sequence[SSAValue | Operation], axis: int, reverse: bool, region: Region):
        operands = [SSAValue.get(src) for src in srcs]
        Operation.__init__(
            self,
            operands=operands,
            result_types=[operand.type for operand in operands],
            properties={"axis": IntegerAttr(axis, i32), "reverse": TRUE if reverse else FALSE},
            regions=(region,),
        )

    @property
    def is_reverse(self) -> bool:
        return self.reverse.value.data != 0

    def verify_(self) -> None:
        if not self.srcs:
            raise VerifyException("expected at least one operand, found none")
        types = [_tensor(src) for src in self.srcs]
        shape = types[0].get_shape()
        for type in types:
            _verify_shape("operands", type, shape)
        _verify_axis(self.axis, types[0])
        if len(self.result) != len(types):
            raise VerifyException(f"expected {len(types)} results, one for each operand, found {len(self.result)}")
        for type, result in zip(types, self.result, strict=True):
            _verify_elements("a result", result.type, type)
            _verify_shape("a result", result.type, shape)
        _verify_combination(self.combine_op.block, [type.element_type for type in types])
        if not isinstance(self.combine_op.block.last_op, ScanReturnOp):
            raise VerifyException("expected a region that ends with tt.scan.return")


def _verify_axis(axis: IntegerAttr[I32], type: TensorType) -> None:
    rank = len(type.get_shape())
    if not 0 <= axis.value.data < rank:
        raise VerifyException(f"expected an axis from 0 to {rank - 1} for {type}, found {axis.value.data}")


@irdl_op_definition
class ScanReturnOp(IRDLOperation):
    """The combined elements."""

    name = "tt.scan.return"

    result = var_operand_def()

    traits = traits_def(Pure(), IsTerminator(), ReturnLike())

    assembly_format = "$result attr-dict `:` type($result)"

    def __init__(self, *values: SSAValue | Operation):
        Operation.__init__(self, operands=[SSAValue.get(value) for value in values])

    def verify_(self) -> None:
        scan = self.parent_op()
        if isinstance(scan, ScanOp):
            _verify_combined(self.operand_types, scan.srcs)
        elif scan is None or scan.name not in ("ttg.warp_scan", "ttg.warp_prefix"):
            # The ttg level has the same region in operations of its own.
            raise VerifyException("'tt.scan.return' expects parent op 'tt.scan'")


# Elements that are picked by number


@irdl_op_definition
class GatherOp(IRDLOperation):
    """
    Along one dimension, the elements of `src` that `indices` names: result[i, j] = src[indices[i, j], j] for dimension
    0. An index that is out of range gives 0.
    """

    name = "tt.gather"

    src = operand_def(ANY_TENSOR)
    indices = operand_def(ANY_TENSOR)
    axis = prop_def(IntegerAttr[I32])
    efficient_layout = opt_prop_def(UnitAttr)
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src `[` $indices `]` attr-dict `:` `(` type($src) `,` type($indices) `)` `->` type($result)"

    def __init__(self, src: SSAValue | Operation, indices: SSAValue | Operation, axis: int):
        src, indices = SSAValue.get(src), SSAValue.get(indices)
        Operation.__init__(
            self,
            operands=(src, indices),
            result_types=(with_element_type(indices.type, element_type(src.type)),),
            properties={"axis": IntegerAttr(axis, i32)},
        )

    def verify_(self) -> None:
        source, indices = _tensor(self.src), _tensor(self.indices)
        if not is_fixed_width_integer(indices.element_type):
            raise VerifyException(f"expected indices that are integers, found {indices}")
        _verify_axis(self.axis, source)
        axis = self.axis.value.data
        kept = [size for dim, size in enumerate(source.get_shape()) if dim != axis]
        found = [size for dim, size in enumerate(indices.get_shape()) if dim != axis]
        if len(source.get_shape()) != len(indices.get_shape()) or kept != found:
            raise VerifyException(f"expected indices of the shape of {source} but along axis {axis}, found {indices}")
        _verify_shape("a result", self.result.type, indices.get_shape())
        _verify_elements("a result", self.result.type, source)


@irdl_op_definition
class HistogramOp(IRDLOperation):
    """
    How many elements of `src` are 0, 1, and so on up to the number of bins minus 1, of those where `mask` is true or
    missing. Other elements are not counted.
    """

    name = "tt.histogram"

    S: ClassVar = VarConstraint("S", ANY_TENSOR)

    src = operand_def(S)
    mask = opt_operand_def(I1LikeVariable("S"))
    result = result_def(ANY_TENSOR)

    traits = traits_def(Pure())

    assembly_format = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute, mask: SSAValue | Operation | None = None):
        Operation.__init__(
            self,
            operands=[SSAValue.get(src), *([] if mask is None else [SSAValue.get(mask)])],
            result_types=(result_type,),
        )

    def verify_(self) -> None:
        source, result = _tensor(self.src), _tensor(self.result)
        for type in (source, result):
            if len(type.get_shape()) != 1 or not is_fixed_width_integer(type.element_type):
                raise VerifyException(f"expected a tensor of rank 1 with integers, found {type}")


@irdl_op_definition
class SortOp(IRDLOperation):
    """The signed integers of a tensor in ascending order along one dimension, or in descending order."""

    name = "tt.sort"

    T: ClassVar = VarConstraint("T", ANY_TENSOR)

    src = operand_def(T)
    axis = prop_def(IntegerAttr[I32])
    descending = opt_prop_def(UnitAttr)
    result = result_def(T)

    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$src attr-dict `:` type($src)"

    def __init__(self, src: SSAValue | Operation, axis: int, descending: bool = False):
        src = SSAValue.get(src)
        Operation.__init__(
            self,
            operands=(src,),
            result_types=(src.type,),
            properties={"axis": IntegerAttr(axis, i32)} | ({"descending": UnitAttr()} if descending else {}),
        )

    def verify_(self) -> None:
        type = _tensor(self.src)
        if not is_fixed_width_integer(type.element_type) or bit_width(type.element_type) == 1:
            raise VerifyException(f"expected integers of 8 bits or more, found {type}")
        _verify_axis(self.axis, type)


# Casts


class ElementwiseCastOp(IRDLOperation, HasFolderInterface):
    """A conversion of a scalar, or of each element of a tensor, to another element type."""

    src = operand_def(ScalarOrTensor())
    result = result_def(ScalarOrTensor())

    traits = traits_def(Pure(), TTCanonicalization())

    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute):
        Operation.__init__(self, operands=(SSAValue.get(src),), result_types=(result_type,))

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        """Checks the two element types against each other."""

    def verify_(self) -> None:
        _verify_shape("a result", self.result.type, shape_of(self.src.type))
        self.verify_elements(element_type(self.src.type), element_type(self.result.type))

    def fold(self) -> FoldResult:
        return None


@irdl_op_definition
class BitcastOp(ElementwiseCastOp):
    """The same bits as another type of the same width; a pointer as a pointer to another type."""

    name = "tt.bitcast"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        if isinstance(source, PointerType) and isinstance(target, PointerType):
            if source.address_space != target.address_space:
                raise VerifyException(f"expected pointers into one address space, found {source} and {target}")
            return
        if isinstance(source, PointerType) or isinstance(target, PointerType):
            raise VerifyException(
                f"expected two pointers or no pointer, found {source} and {target}; tt.ptr_to_int and tt.int_to_ptr "
                "convert between pointers and integers"
            )
        if bit_width(source) != bit_width(target):
            raise VerifyException(f"expected types of one width, found {source} and {target}")

    def fold(self) -> FoldResult:
        if self.src.type == self.result.type:
            return (self.src,)
        value = constant_value(self.src)
        if value is None:
            return None
        number = constants.bitcast(value, element_type(self.src.type), element_type(self.result.type))
        return None if number is None else (constant_attr(self.result.type, number),)


@irdl_op_definition
class IntToPtrOp(ElementwiseCastOp):
    """A 64-bit address as a pointer."""

    name = "tt.int_to_ptr"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        if source != i64 or not isinstance(target, PointerType):
            raise VerifyException(f"expected i64 to a pointer, found {source} to {target}")

    def fold(self) -> FoldResult:
        address = self.src.owner
        if isinstance(address, PtrToIntOp) and address.src.type == self.result.type:
            return (address.src,)
        return None


@irdl_op_definition
class PtrToIntOp(ElementwiseCastOp):
    """The address in a pointer, as a 64-bit integer."""

    name = "tt.ptr_to_int"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        if not isinstance(source, PointerType) or target != i64:
            raise VerifyException(f"expected a pointer to i64, found {source} to {target}")

    def fold(self) -> FoldResult:
        return (pointer.src,) if isinstance(pointer := self.src.owner, IntToPtrOp) else None


ROUNDING_MODES = {"rtz": 0, "rtne": 1}


@irdl_custom_directive
class Rounding(KeywordEnumDirective):
    KEYWORD: ClassVar[str] = "rounding"
    WORDS: ClassVar[dict[str, int]] = ROUNDING_MODES

    attr: AttributeVariable


@irdl_op_definition
class FpToFpOp(IRDLOperation, HasFolderInterface):
    """A float in another float type, with a rounding mode where it becomes narrower."""

    name = "tt.fp_to_fp"

    src = operand_def(FloatLike())
    rounding = opt_prop_def(IntegerAttr[I32])
    result = result_def(FloatLike())

    traits = traits_def(Pure())

    custom_directives = (Rounding,)
    assembly_format = "$src attr-dict custom<Rounding>($rounding) `:` type($src) `->` type($result)"

    def __init__(self, src: SSAValue | Operation, result_type: Attribute, rounding: str | None = None):
        Operation.__init__(
            self,
            operands=(SSAValue.get(src),),
            result_types=(result_type,),
            properties={} if rounding is None else {"rounding": IntegerAttr(ROUNDING_MODES[rounding], i32)},
        )

    @property
    def rounding_mode(self) -> str | None:
        """One of `ROUNDING_MODES`, None where nothing is rounded."""
        return None if self.rounding is None else word_of(ROUNDING_MODES, self.rounding.value.data)

    def verify_(self) -> None:
        _verify_shape("a result", self.result.type, shape_of(self.src.type))
        if self.rounding is not None and self.rounding.value.data not in ROUNDING_MODES.values():
            raise VerifyException(f"expected a rounding of 0 or 1, found {self.rounding.value.data}")
        source, target = element_type(self.src.type), element_type(self.result.type)
        if self.rounding is None and bit_width(target) < bit_width(source):
            raise VerifyException(f"expected a rounding mode for {source} to {target}, found none")

    def fold(self) -> FoldResult:
        if self.src.type == self.result.type:
            return (self.src,)
        return None if self.rounding_mode == "rtz" else _fold_to_constant(self.src, self.result.type)


# Arithmetic that `arith` and `math` lack

PROPAGATE_NAN = {"none": 0, "all": 0xFFFF}


@irdl_custom_directive
class PropagateNan(EnumDirective):
    WHAT: ClassVar[str] = "propagateNan"
    WORDS: ClassVar[dict[str, int]] = PROPAGATE_NAN

    attr: AttributeVariable


@irdl_op_definition
class ClampFOp(IRDLOperation):
    """`x` limited to [min, max]. With `propagateNan = all` a NaN in `x` stays, else it becomes `min`."""

    name = "tt.clampf"

    T: ClassVar = VarConstraint("T", FloatLike())

    x = operand_def(T)
    min = operand_def(T)
    max = operand_def(T)
    propagate_nan = prop_def(IntegerAttr[I32], prop_name="propagateNan")
    result = result_def(T)

    traits = traits_def(Pure())

    custom_directives = (PropagateNan,)
    assembly_format = (
        "$x `,` $min `,` $max `,` `propagateNan` `=` custom<PropagateNan>($propagateNan) attr-dict `:` type($result)"
    )

    def __init__(
        self,
        x: SSAValue | Operation,
        min: SSAValue | Operation,
        max: SSAValue | Operation,
        propagate_nan: bool = False,
    ):
        x = SSAValue.get(x)
        number = PROPAGATE_NAN["all" if propagate_nan else "none"]
        Operation.__init__(
            self,
            operands=(x, SSAValue.get(min), SSAValue.get(max)),
            result_types=(x.type,),
            properties={"propagateNan": IntegerAttr(number, i32)},
        )

    @property
    def propagates_nan(self) -> bool:
        return self.propagate_nan.value.data != 0

    def verify_(self) -> None:
        if self.propagate_nan.value.data not in PROPAGATE_NAN.values():
            raise VerifyException(f"expected a propagateNan of 0 or 65535, found {self.propagate_nan.value.data}")


@irdl_op_definition
class PreciseSqrtOp(IRDLOperation):
    """The square root, rounded to nearest even."""

    name = "tt.precise_sqrt"

    T: ClassVar = VarConstraint("T", FloatLike())

    x = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$x attr-dict `:` type($x)"

    def __init__(self, x: SSAValue | Operation):
        x = SSAValue.get(x)
        Operation.__init__(self, operands=(x,), result_types=(x.type,))


@irdl_op_definition
class PreciseDivFOp(IRDLOperation):
    """The quotient, rounded to nearest even."""

    name = "tt.precise_divf"

    T: ClassVar = VarConstraint("T", FloatLike())

    x = operand_def(T)
    y = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$x `,` $y attr-dict `:` type($x)"

    def __init__(self, x: SSAValue | Operation, y: SSAValue | Operation):
        x = SSAValue.get(x)
        Operation.__init__(self, operands=(x, SSAValue.get(y)), result_types=(x.type,))


@irdl_op_definition
class MulhiUIOp(IRDLOperation):
    """The high half of the product of two unsigned integers."""

    name = "tt.mulhiui"

    T: ClassVar = VarConstraint("T", FixedWidthIntegerLike())

    x = operand_def(T)
    y = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$x `,` $y attr-dict `:` type($x)"

    def __init__(self, x: SSAValue | Operation, y: SSAValue | Operation):
        x = SSAValue.get(x)
        Operation.__init__(self, operands=(x, SSAValue.get(y)), result_types=(x.type,))


class PureWherePromised(MemoryEffect, ConditionallySpeculatable):
    """An operation whose property `pure` says whether it does nothing but compute its results."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance] | None:
        return frozenset() if _is_pure(op) else None

    @classmethod
    def is_speculatable(cls, op: Operation) -> bool:
        return _is_pure(op)


def _is_pure(op: Operation) -> bool:
    assert isinstance(op, ExternElementwiseOp | ElementwiseInlineAsmOp)
    return op.pure.value.data != 0


def _verify_same_shapes(values: Sequence[SSAValue]) -> None:
    """The values are scalars, or tensors of one shape and layout."""
    first = values[0].type
    for value in values[1:]:
        _verify_shape("operands and results", value.type, shape_of(first))
        if encoding_of(value.type) != encoding_of(first):
            raise VerifyException(f"expected operands and results of one layout, found {first} and {value.type}")


@irdl_op_definition
class ExternElementwiseOp(IRDLOperation):
    """A function of NVIDIA's libdevice, by its symbol, on scalars or on each element of tensors."""

    name = "tt.extern_elementwise"

    srcs = var_operand_def(ScalarOrTensor())
    libname = prop_def(StringAttr)
    libpath = prop_def(StringAttr)
    pure = prop_def(IntegerAttr[I1])
    symbol = prop_def(StringAttr)
    result = result_def(ScalarOrTensor())

    traits = traits_def(PureWherePromised())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$srcs attr-dict `:` functional-type($srcs, $result)"

    def __init__(self, srcs: Sequence[SSAValue | Operation], symbol: str, result_type: Attribute, pure: bool = True):
        super().__init__(
            operands=[srcs],
            properties={
                "libname": StringAttr(""),
                "libpath": StringAttr(""),
                "pure": TRUE if pure else FALSE,
                "symbol": StringAttr(symbol),
            },
            result_types=[result_type],
        )

    def verify_(self) -> None:
        if not self.symbol.data:
            raise VerifyException("expected the symbol of a function, found none")
        _verify_same_shapes([*self.operands, self.result])


@irdl_op_definition
class ElementwiseInlineAsmOp(IRDLOperation):
    """
    PTX on each element of tensors, or on `packed_element` elements at a time. Elements of less than 32 bits are packed
    into registers of 32 bits.
    """

    name = "tt.elementwise_inline_asm"

    asm_string = prop_def(StringAttr)
    constraints = prop_def(StringAttr)
    packed_element = prop_def(IntegerAttr[I32])
    pure = prop_def(IntegerAttr[I1])
    args = var_operand_def(ScalarOrTensor())
    result = var_result_def(ScalarOrTensor())

    traits = traits_def(PureWherePromised())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)"

    def __init__(
        self,
        asm: str,
        constraints: str,
        args: Sequence[SSAValue | Operation],
        result_types: Sequence[Attribute],
        pure: bool,
        pack: int,
    ):
        super().__init__(
            operands=[args],
            properties={
                "asm_string": StringAttr(asm),
                "constraints": StringAttr(constraints),
                "packed_element": IntegerAttr(pack, i32),
                "pure": TRUE if pure else FALSE,
            },
            result_types=[result_types],
        )

    def verify_(self) -> None:
        if self.packed_element.value.data < 1:
            raise VerifyException(f"expected a packed_element of 1 or more, found {self.packed_element.value.data}")
        if not self.results:
            raise VerifyException("expected a result, found none")
        _verify_same_shapes([*self.operands, *self.results])


@irdl_op_definition
class MapElementwiseOp(IRDLOperation):
    """
    A region with control flow of its own on each element of tensors, or on `pack` elements at a time. Its arguments are
    `pack` elements of the first operand, then of the second, and so on; its results are in the same order.
    """

    name = "tt.map_elementwise"

    srcs = var_operand_def(ANY_TENSOR)
    pack = prop_def(IntegerAttr[I32])
    result = var_result_def(ANY_TENSOR)
    scalar_op = region_def()

    traits = traits_def(RecursiveMemoryEffect(), RecursivelySpeculatable())

    def __init__(
        self, srcs: Sequence[SSAValue | Operation], region: Region, result_types: Sequence[Attribute], pack: int = 1
    ):
        super().__init__(
            operands=[srcs],
            properties={"pack": IntegerAttr(pack, i32)},
            result_types=[result_types],
            regions=[region],
        )

    def verify_(self) -> None:
        pack = self.pack.value.data
        if pack < 1:
            raise VerifyException(f"expected a pack of 1 or more, found {pack}")
        if not self.srcs:
            raise VerifyException("expected an operand, found none")
        _verify_same_shapes([*self.operands, *self.results])
        expected = tuple(element_type(src.type) for src in self.srcs for _ in range(pack))
        found = tuple(arg.type for arg in self.scalar_op.blocks[0].args) if self.scalar_op.blocks else ()
        if found != expected:
            raise VerifyException(
                f"expected a region with arguments ({_type_list(expected)}), found ({_type_list(found)})"
            )


@irdl_op_definition
class MapElementwiseReturnOp(IRDLOperation):
    """The results for the elements of one turn."""

    name = "tt.map_elementwise.return"

    result = var_operand_def()

    traits = traits_def(Pure(), IsTerminator(), ReturnLike())

    assembly_format = "attr-dict ($result^ `:` type($result))?"

    def __init__(self, *values: SSAValue | Operation):
        Operation.__init__(self, operands=[SSAValue.get(value) for value in values])

    def verify_(self) -> None:
        parent = self.parent_op()
        if not isinstance(parent, MapElementwiseOp):
            raise VerifyException("'tt.map_elementwise.return' expects parent op 'tt.map_elementwise'")
        expected = tuple(element_type(value.type) for value in parent.result for _ in range(parent.pack.value.data))
        if tuple(self.operand_types) != expected:
            raise VerifyException(
                f"expected values of types ({_type_list(expected)}), found ({_type_list(self.operand_types)})"
            )


# What a running program tells


@irdl_op_definition
class PrintOp(IRDLOperation):
    """Prints values, each element with the text in front of it."""

    name = "tt.print"

    prefix = prop_def(StringAttr)
    hex = prop_def(IntegerAttr[I1])
    is_signed = prop_def(DenseArrayBase.constr(i32), prop_name="isSigned")
    args = var_operand_def(ScalarOrTensor())

    traits = traits_def(MemoryWriteEffect())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$prefix attr-dict (`:` $args^ `:` type($args))?"

    def __init__(self, prefix: str, hex: bool, args: Sequence[SSAValue | Operation], is_signed: Sequence[bool]):
        super().__init__(
            operands=[args],
            properties={
                "prefix": StringAttr(prefix),
                "hex": TRUE if hex else FALSE,
                "isSigned": DenseArrayBase.from_list(i32, [int(signed) for signed in is_signed]),
            },
        )

    def verify_(self) -> None:
        count = len(self.is_signed.get_values())
        if count != len(self.args):
            raise VerifyException(f"expected isSigned for {len(self.args)} values, found {count}")


@irdl_op_definition
class AssertOp(IRDLOperation):
    """Ends the launch with an error where an element of the condition is false."""

    name = "tt.assert"

    condition = operand_def(ScalarOrTensor())
    message = prop_def(StringAttr)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$condition `,` $message attr-dict `:` type($condition)"

    def __init__(self, condition: SSAValue | Operation, message: str):
        Operation.__init__(self, operands=(SSAValue.get(condition),), properties={"message": StringAttr(message)})

    def verify_(self) -> None:
        if element_type(self.condition.type) != i1:
            raise VerifyException(f"expected an i1 or a tensor of i1, found {self.condition.type}")


# Kernels that overlap


@irdl_op_definition
class GridDependencyWaitOp(IRDLOperation):
    """Waits until the kernel that was launched before has finished, where this one was started early."""

    name = "tt.grid_dependency_wait"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "attr-dict"


@irdl_op_definition
class GridDependencyLaunchDependentsOp(IRDLOperation):
    """Lets the next kernel start early, once all programs are here or have ended."""

    name = "tt.grid_dependency_launch_dependents"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "attr-dict"


TT = Dialect(
    "tt",
    [
        FuncOp,
        ReturnOp,
        CallOp,
        GetProgramIdOp,
        GetNumProgramsOp,
        MakeRangeOp,
        SplatOp,
        UnsplatOp,
        BroadcastOp,
        ExpandDimsOp,
        ReshapeOp,
        TransOp,
        JoinOp,
        SplitOp,
        CatOp,
        ExtractSliceOp,
        AddPtrOp,
        LoadOp,
        StoreOp,
        AtomicRMWOp,
        AtomicCASOp,
        AtomicLoadOp,
        AtomicStoreOp,
        AtomicPollOp,
        DotOp,
        ReduceOp,
        ReduceReturnOp,
        ScanOp,
        ScanReturnOp,
        GatherOp,
        HistogramOp,
        SortOp,
        BitcastOp,
        IntToPtrOp,
        PtrToIntOp,
        FpToFpOp,
        ClampFOp,
        PreciseSqrtOp,
        PreciseDivFOp,
        MulhiUIOp,
        ExternElementwiseOp,
        ElementwiseInlineAsmOp,
        MapElementwiseOp,
        MapElementwiseReturnOp,
        PrintOp,
        AssertOp,
        GridDependencyWaitOp,
        GridDependencyLaunchDependentsOp,
    ],
    [PointerType, CachePolicyAttr],
    [ArithConstantMaterialization()],
)
