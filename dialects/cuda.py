"""The `cuda` dialect: what one thread of a kernel does.

Values are C scalars, pointers, arrays in registers (`!cuda.regs<16xf32>`, SSA values like any other) and arrays in
shared memory (`!cuda.shared<64x16xf32>`). Work on registers is structured: `cuda.map` runs its region once for each
register, so the size of the IR does not grow with the size of a tile. `arith`, `math` and `scf` operations on scalars
are used as they are; a constant trip count loop with the attribute `cuda.unroll` is printed with `#pragma unroll`.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import lru_cache
from math import prod
from typing import ClassVar, TypeAlias

from xdsl.dialects.builtin import (
    I1,
    I32,
    AnyFloatConstr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    VectorType,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
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
    AnyAttr,
    AnyOf,
    AttrSizedOperandSegments,
    BaseAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    param_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import (
    EffectInstance,
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from mytriton.dialects.building import (
    SEGMENT_SIZES,
    i32_array,
    i32_attribute,
    initialize,
    string_attribute,
    value_of,
    vector_type,
)
from mytriton.dialects.enum_directive import word_of
from mytriton.dialects.quick_access import quicken
from mytriton.dialects.tensor_types import is_vector_type
from mytriton.dialects.tt import ATOMIC_OPERATIONS, MEMORY_SCOPES, AtomicOperation, MemoryScope, PointerType
from mytriton.dialects.tt.memory import load_effects
from mytriton.dialects.ttg import MemDescType, element_bytes

Value: TypeAlias = SSAValue | Operation

AXES = ("x", "y", "z")


@irdl_attr_definition
class RegsType(ParametrizedAttribute, TypeAttribute):
    """An array of `size` elements in the registers of each thread: `!cuda.regs<8xf32>`."""

    name = "cuda.regs"

    size: IntAttr = param_def()
    element_type: Attribute = param_def()

    def __init__(self, size: int | IntAttr, element_type: Attribute):
        super().__init__(size if isinstance(size, IntAttr) else IntAttr(size), element_type)

    @staticmethod
    @lru_cache(maxsize=4096)
    def of(size: int, element_type: Attribute) -> RegsType:
        """The type of an array of `size` elements, the same object for the same ones."""
        return RegsType(size, element_type)

    def verify(self) -> None:
        if self.size.data < 2:
            raise VerifyException(
                f"!cuda.regs holds at least 2 elements, got {self.size.data}; one element is a scalar"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            shape, element_type = parser.parse_ranked_shape()
            if len(shape) != 1:
                parser.raise_error("expected !cuda.regs<SIZExTYPE>")
        return (IntAttr(shape[0]), element_type)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.size.data}x")
            printer.print_attribute(self.element_type)


@irdl_attr_definition
class SharedType(ParametrizedAttribute, TypeAttribute):
    """A row-major array in the shared memory of the block: `!cuda.shared<64x16xf32>`, `__shared__ float a[64][16]`."""

    name = "cuda.shared"

    shape: ArrayAttr[IntAttr] = param_def()
    element_type: Attribute = param_def()

    def __init__(self, shape: Sequence[int] | ArrayAttr[IntAttr], element_type: Attribute):
        if not isinstance(shape, ArrayAttr):
            shape = ArrayAttr([IntAttr(extent) for extent in shape])
        super().__init__(shape, element_type)

    def verify(self) -> None:
        if not self.shape.data or any(extent.data <= 0 for extent in self.shape):
            raise VerifyException(f"a shared array has one or more positive extents, got {self.get_shape()}")

    def get_shape(self) -> tuple[int, ...]:
        return tuple(extent.data for extent in self.shape)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            shape, element_type = parser.parse_ranked_shape()
        return (ArrayAttr([IntAttr(extent) for extent in shape]), element_type)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("".join(f"{extent}x" for extent in self.get_shape()))
            printer.print_attribute(self.element_type)


memory = AnyOf.get(PointerType, SharedType, MemDescType)


def memory_element_type(memory_type: Attribute) -> Attribute:
    """The type of one element behind a global pointer or in a shared array."""
    if isinstance(memory_type, PointerType):
        return memory_type.pointee
    if isinstance(memory_type, SharedType | MemDescType):
        return memory_type.element_type
    raise VerifyException(f"expected a pointer or a shared array, got {memory_type}")


def memory_rank(memory_type: Attribute) -> int:
    """How many indices select one element: 1 behind a pointer, the rank of a shared array."""
    if isinstance(memory_type, SharedType | MemDescType):
        return len(memory_type.get_shape())
    return 1


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A kernel: `cuda.func @name(%x: !tt.ptr<f32>, %n: i32) attributes {num_warps = 4 : i32} { ... }`.

    It is launched with 32 * num_warps threads a block, in one dimension. Argument attributes: `cuda.const` on a pointer
    that is never stored to.
    """

    name = "cuda.func"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    num_warps = prop_def(IntegerAttr[I32])
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        function_type: FunctionType,
        num_warps: int,
        body: Region,
        arg_attrs: ArrayAttr[DictionaryAttr] | None = None,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "function_type": function_type,
                "num_warps": IntegerAttr(num_warps, 32),
                "arg_attrs": arg_attrs,
            },
            regions=[body],
        )

    @property
    def num_threads(self) -> int:
        return 32 * self.num_warps.value.data

    def verify_(self) -> None:
        if not 1 <= self.num_warps.value.data <= 32:
            raise VerifyException(f"a block has 1 to 32 warps, got {self.num_warps.value.data}")
        if tuple(self.function_type.inputs) != tuple(arg.type for arg in self.body.block.args):
            raise VerifyException("the types of the entry block's arguments differ from the function type")
        if self.function_type.outputs.data:
            raise VerifyException("a kernel returns nothing")
        if not isinstance(self.body.block.last_op, ReturnOp):
            raise VerifyException("the body of cuda.func ends with cuda.return")

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        start = parser.pos
        name, inputs, outputs, region, extra, arg_attrs, _ = parse_func_op_like(
            parser, reserved_attr_names=("sym_name", "function_type", "arg_attrs")
        )
        extra_dict = dict(extra.data) if extra is not None else {}
        num_warps = extra_dict.pop("num_warps", None)
        if not isa(num_warps, IntegerAttr[IntegerType]):
            parser.raise_error("cuda.func needs `attributes {num_warps = N : i32}`", start, start)
        op = FuncOp(name, FunctionType.from_lists(inputs, outputs), num_warps.value.data, region, arg_attrs)
        op.attributes.update(extra_dict)
        return op

    def print(self, printer: Printer) -> None:
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            {"num_warps": self.num_warps, **self.attributes},
            arg_attrs=self.arg_attrs,
            reserved_attr_names=("sym_name", "function_type", "arg_attrs"),
        )


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """The end of a kernel."""

    name = "cuda.return"
    traits = traits_def(IsTerminator(), HasParent(FuncOp))
    assembly_format = "attr-dict"

    def __init__(self):
        initialize(self)


@irdl_op_definition
class ThreadIdOp(IRDLOperation):
    """The thread's index in its block, from 0 to 32 * num_warps - 1: `threadIdx.x`."""

    name = "cuda.thread_id"
    result = result_def(i32)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self):
        initialize(self, (), (i32,))


class GridPositionOp(IRDLOperation):
    """A built-in vector's component; `axis` is 0, 1 or 2 for x, y or z."""

    axis = prop_def(IntegerAttr[I32])
    result = result_def(i32)

    def __init__(self, axis: int):
        initialize(self, (), (i32,), {"axis": i32_attribute(axis)})

    def verify_(self) -> None:
        if not 0 <= self.axis.value.data < 3:
            raise VerifyException(f"axis is 0, 1 or 2, got {self.axis.value.data}")

    @classmethod
    def parse(cls, parser: Parser) -> GridPositionOp:
        axis = AXES.index(parser.expect(lambda: parser.parse_optional_keyword_in(AXES), "expected x, y or z"))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        parser.parse_type()
        op = cls(axis)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {AXES[self.axis.value.data]}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : i32")


@irdl_op_definition
class BlockIdOp(GridPositionOp):
    """The block's position in the grid along an axis: `cuda.block_id x : i32`, `blockIdx.x`."""

    name = "cuda.block_id"
    traits = traits_def(Pure())


@irdl_op_definition
class GridDimOp(GridPositionOp):
    """The extent of the grid along an axis: `cuda.grid_dim x : i32`, `gridDim.x`."""

    name = "cuda.grid_dim"
    traits = traits_def(Pure())


@irdl_op_definition
class YieldOp(IRDLOperation):
    """What the region of `cuda.map` or `cuda.butterfly` computes."""

    name = "cuda.yield"
    values = var_operand_def()
    traits = lazy_traits_def(lambda: (IsTerminator(), Pure(), HasParent(MapOp, ButterflyOp)))
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, *values: Value):
        initialize(self, [value_of(value) for value in values])


@irdl_op_definition
class MapOp(IRDLOperation):
    """Runs its region for each register r = 0, step, 2 * step, ... below `size`.

    The region's argument is r (i32). With step 1 it yields one element for each result; with a larger step it yields a
    `vector` of `step` elements, which become the registers r .. r + step - 1. A region that yields nothing is run for
    its effects (stores). Other register arrays are read in the region with `cuda.get`.

        %y = cuda.map 8 -> !cuda.regs<8xf32> {
        ^bb0(%r: i32):
          %e = cuda.get %x[%r] : !cuda.regs<8xf32> -> f32
          %s = arith.addf %e, %e : f32
          cuda.yield %s : f32
        }
    """

    name = "cuda.map"

    size = prop_def(IntegerAttr[I32])
    step = prop_def(IntegerAttr[I32], default_value=IntegerAttr(1, 32))
    outputs = var_result_def(RegsType)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())

    def __init__(self, size: int, result_types: Sequence[Attribute], body: Region, step: int = 1):
        properties: dict[str, Attribute] = {"size": i32_attribute(size), "step": i32_attribute(step)}
        initialize(self, (), result_types, properties, (body,))

    @property
    def index(self) -> SSAValue:
        """The region's argument: the number of the register."""
        return self.body.block.args[0]

    @property
    def yielded(self) -> YieldOp:
        last = self.body.block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException("the region of cuda.map ends with cuda.yield")
        return last

    def verify_(self) -> None:
        size, step = self.size.value.data, self.step.value.data
        if size < 1 or step < 1 or size % step:
            raise VerifyException(f"cuda.map: the step {step} does not divide the size {size}")
        if [arg.type for arg in self.body.block.args] != [i32]:
            raise VerifyException("the region of cuda.map has one argument, the register's number, of type i32")
        values = self.yielded.values
        if len(values) != len(self.outputs):
            raise VerifyException(f"cuda.map has {len(self.outputs)} results but yields {len(values)} values")
        for value, result in zip(values, self.outputs, strict=True):
            assert isinstance(result.type, RegsType)
            element = result.type.element_type
            expected = element if step == 1 else VectorType(element, [step])
            if result.type.size.data != size or value.type != expected:
                raise VerifyException(
                    f"cuda.map of {size} registers, step {step}: {result.type} cannot be made of {value.type}"
                )

    @classmethod
    def parse(cls, parser: Parser) -> MapOp:
        size = parser.parse_integer(allow_boolean=False, allow_negative=False)
        step = 1
        if parser.parse_optional_keyword("step"):
            step = parser.parse_integer(allow_boolean=False, allow_negative=False)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        result_types: list[Attribute] = []
        if parser.parse_optional_punctuation("->"):
            result_types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        op = cls(size, result_types, parser.parse_region(), step)
        op.attributes.update(attributes.data if attributes else {})
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.size.value.data}")
        if self.step.value.data != 1:
            printer.print_string(f" step {self.step.value.data}")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        if self.outputs:
            printer.print_string(" -> ")
            printer.print_list(self.outputs.types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(self.body)


@irdl_op_definition
class GetOp(IRDLOperation):
    """One element of a register array, or, with a vector result, as many neighbours from `index` on.

    The index must be a compile-time constant once the loops over registers are unrolled.
    """

    name = "cuda.get"
    regs = operand_def(RegsType)
    index = operand_def(i32)
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$regs `[` $index `]` attr-dict `:` type($regs) `->` type($result)"

    def __init__(self, regs: Value, index: Value, width: int = 1):
        regs = value_of(regs)
        assert isinstance(regs.type, RegsType)
        element = regs.type.element_type
        result_type = element if width == 1 else vector_type(element, width)
        initialize(self, (regs, value_of(index)), (result_type,))

    def verify_(self) -> None:
        assert isinstance(self.regs.type, RegsType)
        if (
            _element_of(self.result.type) != self.regs.type.element_type
            or _width_of(self.result.type) > self.regs.type.size.data
        ):
            raise VerifyException(f"cuda.get cannot read {self.result.type} from {self.regs.type}")


@irdl_op_definition
class SplatOp(IRDLOperation):
    """A register array with the same scalar in every element."""

    name = "cuda.splat"
    value = operand_def()
    result = result_def(RegsType)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: Value, size: int):
        value = value_of(value)
        initialize(self, (value,), (RegsType.of(size, value.type),))

    def verify_(self) -> None:
        assert isinstance(self.result.type, RegsType)
        if self.result.type.element_type != self.value.type:
            raise VerifyException(f"cuda.splat of {self.value.type} cannot make {self.result.type}")


def _element_of(value_type: Attribute) -> Attribute:
    """The type itself, or the element type of a vector."""
    if is_vector_type(value_type):
        return value_type.element_type
    return value_type


def _width_of(value_type: Attribute) -> int:
    """How many elements a value has: those of a vector, else 1."""
    return prod(value_type.get_shape()) if is_vector_type(value_type) else 1


class LoadEffects(MemoryReadEffect):
    """Those of `tt.load`."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        assert isinstance(op, LoadOp)
        return load_effects(op.is_volatile is not None)


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Reads one element, or a vector of neighbours, from global or shared memory.

    `cuda.load %p[%i] : !tt.ptr<f32>, i32 -> f32`; a shared array takes one index for each dimension. With `if %mask`
    nothing is read where the mask is false and the result is `else %other` there (zero if there is none). A vector's
    address is a multiple of its size in bytes.
    """

    name = "cuda.load"

    base = operand_def(memory)
    indices = var_operand_def(IntegerType)
    mask = opt_operand_def(i1)
    other = opt_operand_def()
    cache = opt_prop_def(StringAttr)
    is_volatile = opt_prop_def(IntegerAttr[I1])
    result = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(LoadEffects())
    assembly_format = (
        "$base `[` $indices `]` (`if` $mask^)? (`else` $other^ `:` type($other))? attr-dict"
        " `:` type($base) `,` type($indices) `->` type($result)"
    )

    def __init__(
        self,
        base: Value,
        indices: Sequence[Value],
        mask: Value | None = None,
        other: Value | None = None,
        width: int = 1,
        cache: str | None = None,
        is_volatile: bool = False,
    ):
        base = value_of(base)
        element = memory_element_type(base.type)
        properties: dict[str, Attribute] = {}
        if cache:
            properties["cache"] = string_attribute(cache)
        if is_volatile:
            properties["is_volatile"] = IntegerAttr(1, 1)
        properties[SEGMENT_SIZES] = i32_array(1, len(indices), int(mask is not None), int(other is not None))
        operands = [value_of(value) for value in (base, *indices, mask, other) if value is not None]
        initialize(self, operands, (element if width == 1 else vector_type(element, width),), properties)

    def verify_(self) -> None:
        _verify_access("cuda.load", self.base.type, len(self.indices), self.result.type)
        if self.other is not None and (self.mask is None or self.other.type != self.result.type):
            raise VerifyException(
                f"cuda.load: `else` needs a mask and the result's type {self.result.type}, got {self.other.type}"
            )


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Writes one element, or a vector of neighbours, to global or shared memory, where the mask is true or missing."""

    name = "cuda.store"

    value = operand_def()
    base = operand_def(memory)
    indices = var_operand_def(IntegerType)
    mask = opt_operand_def(i1)
    cache = opt_prop_def(StringAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$value `,` $base `[` $indices `]` (`if` $mask^)? attr-dict `:` type($value) `,` type($base) `,` type($indices)"
    )

    def __init__(
        self,
        value: Value,
        base: Value,
        indices: Sequence[Value],
        mask: Value | None = None,
        cache: str | None = None,
    ):
        properties: dict[str, Attribute] = {"cache": string_attribute(cache)} if cache else {}
        properties[SEGMENT_SIZES] = i32_array(1, 1, len(indices), int(mask is not None))
        initialize(self, [value_of(v) for v in (value, base, *indices, mask) if v is not None], (), properties)

    def verify_(self) -> None:
        _verify_access("cuda.store", self.base.type, len(self.indices), self.value.type)


class AtomicOp(IRDLOperation):
    """What atomic operations have in common: one element, which is accessed in one step as seen by a scope of threads.

    They order no other accesses; `cuda.fence` does. With `if %mask` nothing is done where the mask is false and the
    result is 0. Without a result, what memory held before is not asked for.
    """

    scope = prop_def(IntegerAttr[I32])

    @property
    def memory_scope(self) -> str:
        """One of `tt.MEMORY_SCOPES`."""
        return word_of(MEMORY_SCOPES, self.scope.value.data)

    def verify_element(self, memory_type: Attribute, indices: int, values: Sequence[SSAValue]) -> None:
        if self.scope.value.data not in MEMORY_SCOPES.values():
            raise VerifyException(f"{self.name}: the scope is 1 to 3, got {self.scope.value.data}")
        for value in values:
            if is_vector_type(value.type):
                raise VerifyException(f"{self.name}: one element is accessed in one step, got {value.type}")
            _verify_access(self.name, memory_type, indices, value.type)


@irdl_op_definition
class AtomicRMWOp(AtomicOp):
    """Combines an element of memory with a value, by an operation of `tt.atomic_rmw`.

    `cuda.atomic_rmw add, gpu, %x, %p[%i] : i32, !tt.ptr<i32>, i32 -> i32`
    """

    name = "cuda.atomic_rmw"

    operation = prop_def(IntegerAttr[I32])
    value = operand_def()
    base = operand_def(memory)
    indices = var_operand_def(IntegerType)
    mask = opt_operand_def(i1)
    result = opt_result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    custom_directives = (AtomicOperation, MemoryScope)
    assembly_format = (
        "custom<AtomicOperation>($operation) `,` custom<MemoryScope>($scope) `,` $value `,` $base `[` $indices `]`"
        " (`if` $mask^)? attr-dict `:` type($value) `,` type($base) `,` type($indices) (`->` type($result)^)?"
    )

    def __init__(
        self,
        operation: str,
        value: Value,
        base: Value,
        indices: Sequence[Value],
        mask: Value | None = None,
        scope: str = "gpu",
        has_result: bool = True,
    ):
        value = SSAValue.get(value)
        super().__init__(
            operands=[value, base, indices, mask],
            properties={
                "operation": IntegerAttr(ATOMIC_OPERATIONS[operation], 32),
                "scope": IntegerAttr(MEMORY_SCOPES[scope], 32),
            },
            result_types=[value.type if has_result else None],
        )

    @property
    def kind(self) -> str:
        """One of `tt.ATOMIC_OPERATIONS`."""
        return word_of(ATOMIC_OPERATIONS, self.operation.value.data)

    def verify_(self) -> None:
        results = [] if self.result is None else [self.result]
        self.verify_element(self.base.type, len(self.indices), [self.value, *results])
        if self.operation.value.data not in ATOMIC_OPERATIONS.values():
            raise VerifyException(f"{self.name}: the operation is 1 to 10, got {self.operation.value.data}")


@irdl_op_definition
class AtomicCASOp(AtomicOp):
    """Puts `value` into an element of memory that has the bits of `expected`: `cuda.atomic_cas gpu, %c, %x, %p[%i]`."""

    name = "cuda.atomic_cas"

    expected = operand_def()
    value = operand_def()
    base = operand_def(memory)
    indices = var_operand_def(IntegerType)
    mask = opt_operand_def(i1)
    result = opt_result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    custom_directives = (MemoryScope,)
    assembly_format = (
        "custom<MemoryScope>($scope) `,` $expected `,` $value `,` $base `[` $indices `]` (`if` $mask^)? attr-dict"
        " `:` type($expected) `,` type($value) `,` type($base) `,` type($indices) (`->` type($result)^)?"
    )

    def __init__(
        self,
        expected: Value,
        value: Value,
        base: Value,
        indices: Sequence[Value],
        mask: Value | None = None,
        scope: str = "gpu",
        has_result: bool = True,
    ):
        value = SSAValue.get(value)
        super().__init__(
            operands=[expected, value, base, indices, mask],
            properties={"scope": IntegerAttr(MEMORY_SCOPES[scope], 32)},
            result_types=[value.type if has_result else None],
        )

    def verify_(self) -> None:
        results = [] if self.result is None else [self.result]
        self.verify_element(self.base.type, len(self.indices), [self.expected, self.value, *results])


@irdl_op_definition
class AtomicLoadOp(AtomicOp):
    """Reads an element that other threads may write: `cuda.atomic_load gpu, %p[%i] : !tt.ptr<i32>, i32 -> i32`."""

    name = "cuda.atomic_load"

    base = operand_def(memory)
    indices = var_operand_def(IntegerType)
    mask = opt_operand_def(i1)
    result = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    # It counts as a write too, so that none is removed, merged or moved.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    custom_directives = (MemoryScope,)
    assembly_format = (
        "custom<MemoryScope>($scope) `,` $base `[` $indices `]` (`if` $mask^)? attr-dict"
        " `:` type($base) `,` type($indices) `->` type($result)"
    )

    def __init__(self, base: Value, indices: Sequence[Value], mask: Value | None = None, scope: str = "gpu"):
        base = SSAValue.get(base)
        super().__init__(
            operands=[base, indices, mask],
            properties={"scope": IntegerAttr(MEMORY_SCOPES[scope], 32)},
            result_types=[memory_element_type(base.type)],
        )

    def verify_(self) -> None:
        self.verify_element(self.base.type, len(self.indices), [self.result])


@irdl_op_definition
class AtomicStoreOp(AtomicOp):
    """Writes an element of memory that other threads may read: `cuda.atomic_store gpu, %x, %p[%i]`."""

    name = "cuda.atomic_store"

    value = operand_def()
    base = operand_def(memory)
    indices = var_operand_def(IntegerType)
    mask = opt_operand_def(i1)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(MemoryWriteEffect())
    custom_directives = (MemoryScope,)
    assembly_format = (
        "custom<MemoryScope>($scope) `,` $value `,` $base `[` $indices `]` (`if` $mask^)? attr-dict"
        " `:` type($value) `,` type($base) `,` type($indices)"
    )

    def __init__(
        self, value: Value, base: Value, indices: Sequence[Value], mask: Value | None = None, scope: str = "gpu"
    ):
        super().__init__(
            operands=[value, base, indices, mask],
            properties={"scope": IntegerAttr(MEMORY_SCOPES[scope], 32)},
        )

    def verify_(self) -> None:
        self.verify_element(self.base.type, len(self.indices), [self.value])


@irdl_op_definition
class AtomicPollOp(AtomicOp):
    """Reads an element of memory until it is the expected one, or until `cuda.global_timer` shows the deadline.

    Gives whether it was the expected one; false where the mask is false.
    """

    name = "cuda.atomic_poll"

    expected = operand_def()
    base = operand_def(memory)
    indices = var_operand_def(IntegerType)
    mask = opt_operand_def(i1)
    deadline = opt_operand_def(i64)
    result = result_def(i1)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    custom_directives = (MemoryScope,)
    assembly_format = (
        "custom<MemoryScope>($scope) `,` $expected `,` $base `[` $indices `]` (`if` $mask^)? (`until` $deadline^)?"
        " attr-dict `:` type($expected) `,` type($base) `,` type($indices)"
    )

    def __init__(
        self,
        expected: Value,
        base: Value,
        indices: Sequence[Value],
        mask: Value | None = None,
        deadline: Value | None = None,
        scope: str = "gpu",
    ):
        super().__init__(
            operands=[expected, base, indices, mask, deadline],
            properties={"scope": IntegerAttr(MEMORY_SCOPES[scope], 32)},
            result_types=[i1],
        )

    def verify_(self) -> None:
        self.verify_element(self.base.type, len(self.indices), [self.expected])


@irdl_op_definition
class GlobalTimerOp(IRDLOperation):
    """A clock in nanoseconds that all threads share, as an unsigned number."""

    name = "cuda.global_timer"
    result = result_def(i64)
    # Two readings are not the same.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self):
        super().__init__(result_types=[i64])


@irdl_op_definition
class FenceOp(IRDLOperation):
    """Whoever sees a later write of this thread sees its earlier ones too, and what it has seen itself: an acquire and
    release fence, for the threads of a scope."""

    name = "cuda.fence"
    scope = prop_def(IntegerAttr[I32])
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    custom_directives = (MemoryScope,)
    assembly_format = "custom<MemoryScope>($scope) attr-dict"

    def __init__(self, scope: str = "gpu"):
        super().__init__(properties={"scope": IntegerAttr(MEMORY_SCOPES[scope], 32)})

    @property
    def memory_scope(self) -> str:
        """One of `tt.MEMORY_SCOPES`."""
        return word_of(MEMORY_SCOPES, self.scope.value.data)


def _verify_access(name: str, memory_type: Attribute, num_indices: int, value_type: Attribute) -> None:
    if num_indices != memory_rank(memory_type):
        raise VerifyException(f"{name}: {memory_type} takes {memory_rank(memory_type)} indices, got {num_indices}")
    if _element_of(value_type) != memory_element_type(memory_type):
        raise VerifyException(f"{name}: {value_type} does not fit {memory_type}")
    if is_vector_type(value_type) and len(value_type.get_shape()) != 1:
        raise VerifyException(f"{name}: a vector has one dimension, got {value_type}")


@irdl_op_definition
class SharedArrayOp(IRDLOperation):
    """Declares an array in shared memory: `__shared__ __align__(16) float name[64][16];`.

    It stands at the top of the kernel. With `dynamic` it is the block's dynamic shared memory
    (`extern __shared__`), and its size is given at launch; there is at most one.
    """

    name = "cuda.shared_array"
    array_name = prop_def(StringAttr)
    alignment = prop_def(IntegerAttr[I32], default_value=IntegerAttr(16, 32))
    dynamic = opt_prop_def(IntegerAttr[I1])
    result = result_def(SharedType)
    # Not Pure: two arrays of one type are not the same array.
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$array_name attr-dict `:` type($result)"

    def __init__(self, array_name: str, shared_type: SharedType, alignment: int = 16, dynamic: bool = False):
        super().__init__(
            properties={
                "array_name": StringAttr(array_name),
                "alignment": IntegerAttr(alignment, 32),
                "dynamic": IntegerAttr(1, 1) if dynamic else None,
            },
            result_types=[shared_type],
        )

    def verify_(self) -> None:
        alignment = self.alignment.value.data
        if alignment < 1 or alignment & (alignment - 1):
            raise VerifyException(f"cuda.shared_array: the alignment is a power of two, got {alignment}")
        if self.dynamic is not None and not _is_bytes(self.result.type):
            raise VerifyException(f"cuda.shared_array: dynamic memory is an array of bytes, got {self.result.type}")


def _is_bytes(shared_type: Attribute) -> bool:
    """Whether an array is one row of bytes, of which views can be made."""
    return isinstance(shared_type, SharedType) and len(shared_type.shape) == 1 and shared_type.element_type == i8


@irdl_op_definition
class SharedViewOp(IRDLOperation):
    """A typed array inside a shared array of bytes, from a byte offset on (buffers that share bytes are views)."""

    name = "cuda.shared_view"
    pool = operand_def(SharedType)
    view_name = prop_def(StringAttr)
    offset = prop_def(IntegerAttr[I32])
    result = result_def(SharedType)
    traits = traits_def(Pure())
    assembly_format = "$pool $view_name $offset attr-dict `:` type($pool) `->` type($result)"

    def __init__(self, pool: Value, view_name: str, offset: int, shared_type: SharedType):
        super().__init__(
            operands=[pool],
            properties={"view_name": StringAttr(view_name), "offset": IntegerAttr(offset, 32)},
            result_types=[shared_type],
        )

    def verify_(self) -> None:
        offset = self.offset.value.data
        if offset < 0 or offset % 16:
            raise VerifyException(f"the offset is a multiple of 16 bytes, got {offset}")
        if not _is_bytes(self.pool.type):
            raise VerifyException(f"cuda.shared_view: a view is of an array of bytes, got {self.pool.type}")
        assert isinstance(self.pool.type, SharedType) and isinstance(self.result.type, SharedType)
        size = prod(self.result.type.get_shape()) * element_bytes(self.result.type.element_type)
        if offset + size > self.pool.type.get_shape()[0]:
            raise VerifyException(
                f"cuda.shared_view: {size} bytes from byte {offset} on do not fit into {self.pool.type}"
            )


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """All threads of the block wait here for each other, and see what the others wrote before: `__syncthreads()`."""

    name = "cuda.barrier"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    def __init__(self):
        initialize(self)


@irdl_op_definition
class ShuffleXorOp(IRDLOperation):
    """The value that the lane `own lane ^ lane_mask` has: `__shfl_xor_sync`. All lanes of the warp take part."""

    name = "cuda.shuffle_xor"
    T: ClassVar = VarConstraint("T", AnyAttr())
    value = operand_def(T)
    lane_mask = operand_def(i32)
    result = result_def(T)
    traits = traits_def(NoMemoryEffect())
    assembly_format = "$value `,` $lane_mask attr-dict `:` type($value)"

    def __init__(self, value: Value, lane_mask: Value):
        value = value_of(value)
        initialize(self, (value, value_of(lane_mask)), (value.type,))


@irdl_op_definition
class ShuffleOp(IRDLOperation):
    """The value that a lane of the own warp, from 0 to 31, has: `__shfl_sync`. All lanes of the warp take part."""

    name = "cuda.shuffle"
    T: ClassVar = VarConstraint("T", AnyAttr())
    value = operand_def(T)
    lane = operand_def(i32)
    result = result_def(T)
    traits = traits_def(NoMemoryEffect())
    assembly_format = "$value `,` $lane attr-dict `:` type($value)"

    def __init__(self, value: Value, lane: Value):
        value = value_of(value)
        initialize(self, (value, value_of(lane)), (value.type,))


@irdl_op_definition
class ButterflyOp(IRDLOperation):
    """Combines scalars over lanes of a warp: for each mask in turn, v = combine(v, the v of lane ^ mask).

    The region has the own values, then the partner's, as arguments and yields the combined ones. A lane whose index
    has the mask's bit set passes the partner's values first, so that a combination that does not commute goes in the
    order of the lanes if the masks ascend. After it all lanes of a group hold the result.
    """

    name = "cuda.butterfly"
    values = var_operand_def()
    masks = prop_def(DenseArrayBase.constr(i32))
    outputs = var_result_def()
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())
    assembly_format = "$values `masks` $masks attr-dict `:` type($values) `->` type($outputs) $body"

    def __init__(self, values: Sequence[Value], masks: Sequence[int], body: Region):
        values = [value_of(value) for value in values]
        properties: dict[str, Attribute] = {"masks": i32_array(*masks)}
        initialize(self, values, [value.type for value in values], properties, (body,))

    def verify_(self) -> None:
        types = [value.type for value in self.values]
        if [arg.type for arg in self.body.block.args] != types * 2 or list(self.outputs.types) != types:
            raise VerifyException("cuda.butterfly: the region has each value's type twice, the results once")
        for mask in self.masks.get_values():
            if mask not in (1, 2, 4, 8, 16):
                raise VerifyException(f"cuda.butterfly: a mask is a power of two below 32, got {mask}")


@irdl_op_definition
class PtrAddOp(IRDLOperation):
    """The pointer `offset` elements further: `p + offset`."""

    name = "cuda.ptr_add"
    T: ClassVar = VarConstraint("T", BaseAttr(PointerType))
    ptr = operand_def(T)
    offset = operand_def(IntegerType)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)"

    def __init__(self, ptr: Value, offset: Value):
        ptr = value_of(ptr)
        initialize(self, (ptr, value_of(offset)), (ptr.type,))


class CastOp(IRDLOperation):
    """One operand, one result of another type."""

    value = operand_def()
    result = result_def()
    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: Value, result_type: Attribute):
        initialize(self, (value_of(value),), (result_type,))


@irdl_op_definition
class PtrCastOp(CastOp):
    """The same address as a pointer to another type."""

    name = "cuda.ptr_cast"
    value = operand_def(PointerType)
    result = result_def(PointerType)
    traits = traits_def(Pure())


@irdl_op_definition
class PtrToIntOp(CastOp):
    """The address as an integer."""

    name = "cuda.ptr_to_int"
    value = operand_def(PointerType)
    result = result_def(IntegerType)
    traits = traits_def(Pure())


@irdl_op_definition
class IntToPtrOp(CastOp):
    """The integer as an address."""

    name = "cuda.int_to_ptr"
    value = operand_def(IntegerType)
    result = result_def(PointerType)
    traits = traits_def(Pure())


@irdl_op_definition
class PreciseDivOp(IRDLOperation):
    """f32 division rounded to nearest (IEEE), where `arith.divf` on f32 is Triton's approximate `div.full.f32`."""

    name = "cuda.precise_div"
    T: ClassVar = VarConstraint("T", AnyFloatConstr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: Value, rhs: Value):
        lhs = value_of(lhs)
        initialize(self, (lhs, value_of(rhs)), (lhs.type,))


@irdl_op_definition
class PreciseSqrtOp(IRDLOperation):
    """f32 square root rounded to nearest (IEEE), where `math.sqrt` on f32 is Triton's approximate `sqrt.approx.f32`."""

    name = "cuda.precise_sqrt"
    T: ClassVar = VarConstraint("T", AnyFloatConstr)
    value = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($result)"

    def __init__(self, value: Value):
        value = value_of(value)
        initialize(self, (value,), (value.type,))


@irdl_op_definition
class MulhiUIOp(IRDLOperation):
    """The high half of the unsigned product of two 32- or 64-bit integers: `__umulhi`, `__umul64hi`."""

    name = "cuda.mulhiui"
    T: ClassVar = VarConstraint("T", BaseAttr(IntegerType))
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: Value, rhs: Value):
        lhs = value_of(lhs)
        initialize(self, (lhs, value_of(rhs)), (lhs.type,))


@irdl_op_definition
class CallOp(IRDLOperation):
    """A function of CUDA C, or one of our own prologue, that does nothing but compute: `cuda.call "tanhf"(%x)`."""

    name = "cuda.call"
    function = prop_def(StringAttr)
    args = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$function `(` $args `)` attr-dict `:` functional-type($args, $result)"

    def __init__(self, function: str, args: Sequence[Value], result_type: Attribute):
        properties: dict[str, Attribute] = {"function": string_attribute(function)}
        initialize(self, [value_of(arg) for arg in args], (result_type,), properties)

    def verify_(self) -> None:
        if not self.function.data.isidentifier():
            raise VerifyException(f"cuda.call: {self.function.data!r} is not the name of a function")


@irdl_op_definition
class InlineAsmOp(IRDLOperation):
    """PTX on `pack` elements of each operand at a time; its operands are `%0`, `%1` and so on, the results first.

    Operands and results are arrays of one size, or scalars. `outputs` and `inputs` are the constraints of the
    registers; several elements of less than 32 bits share one.
    """

    name = "cuda.inline_asm"
    text = prop_def(StringAttr)
    outputs = prop_def(ArrayAttr[StringAttr])
    inputs = prop_def(ArrayAttr[StringAttr])
    clobbers = prop_def(ArrayAttr[StringAttr])
    pack = prop_def(IntegerAttr[I32])
    is_volatile = opt_prop_def(IntegerAttr[I1])
    args = var_operand_def()
    results_ = var_result_def()
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$text `(` $args `)` attr-dict `:` functional-type($args, $results_)"

    def __init__(
        self,
        text: str,
        constraints: tuple[Sequence[str], Sequence[str], Sequence[str]],
        pack: int,
        is_volatile: bool,
        args: Sequence[Value],
        result_types: Sequence[Attribute],
    ):
        outputs, inputs, clobbers = (ArrayAttr([StringAttr(word) for word in words]) for words in constraints)
        super().__init__(
            operands=[args],
            properties={
                "text": StringAttr(text),
                "outputs": outputs,
                "inputs": inputs,
                "clobbers": clobbers,
                "pack": IntegerAttr(pack, 32),
                "is_volatile": IntegerAttr(1, 1) if is_volatile else None,
            },
            result_types=[result_types],
        )


@irdl_op_definition
class PrintOp(IRDLOperation):
    """Prints scalars with C's `printf`, where the mask is true or missing.

    `description` says what is printed, such as `u8[4x16]`: the last of the `args` is an element of a tensor of that
    type, the ones before it are its coordinates.
    """

    name = "cuda.print"
    description = prop_def(StringAttr)
    format = prop_def(StringAttr)
    args = var_operand_def()
    mask = opt_operand_def(i1)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$description `,` $format (`(` $args^ `:` type($args) `)`)? (`if` $mask^)? attr-dict"

    def __init__(self, description: str, format: str, args: Sequence[Value], mask: Value | None = None):
        super().__init__(
            operands=[args, mask],
            properties={"description": StringAttr(description), "format": StringAttr(format)},
        )


@irdl_op_definition
class AssertOp(IRDLOperation):
    """Ends the launch with an error where the condition is false.

    `description` says what the `args` are, such as `[4x16] i32 slt i32`: the coordinates of the element, and what was
    compared.
    """

    name = "cuda.assert"
    condition = operand_def(i1)
    message = prop_def(StringAttr)
    file = prop_def(StringAttr)
    line = prop_def(IntegerAttr[I32])
    description = prop_def(StringAttr)
    args = var_operand_def()
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$condition `,` $message `at` $file `:` $line `,` $description (`(` $args^ `:` type($args) `)`)? attr-dict"
    )

    def __init__(self, condition: Value, message: str, file: str, line: int, description: str, args: Sequence[Value]):
        super().__init__(
            operands=[condition, args],
            properties={
                "message": StringAttr(message),
                "file": StringAttr(file),
                "line": IntegerAttr(line, 32),
                "description": StringAttr(description),
            },
        )


@irdl_op_definition
class ReportOp(IRDLOperation):
    """Reports a faulty value where the mask is true; only kernels for the CPU device have it.

    `origin` counts the operations in `tt.check_origins` of the kernel from 1, and `sink` the uses in `tt.check_sinks`
    from 0. The pointer is that of the access, to be shown.
    """

    name = "cuda.report"
    origin = operand_def(i32)
    mask = operand_def(i1)
    pointer = opt_operand_def(PointerType)
    sink = prop_def(IntegerAttr[I32])
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$origin `if` $mask (`at` $pointer^ `:` type($pointer))? attr-dict"

    def __init__(self, origin: Value, sink: int, mask: Value, pointer: Value | None = None):
        operands = [value_of(value) for value in (origin, mask, pointer) if value is not None]
        initialize(self, operands, properties={"sink": i32_attribute(sink)})


@irdl_op_definition
class GridDependencyOp(IRDLOperation):
    """Waits for the kernel before this one, or lets the next one start; from sm_90 on."""

    name = "cuda.grid_dependency"
    action = prop_def(StringAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$action attr-dict"

    def __init__(self, action: str):
        super().__init__(properties={"action": StringAttr(action)})

    def verify_(self) -> None:
        if self.action.data not in GRID_DEPENDENCY_ACTIONS:
            raise VerifyException(f"expected one of {GRID_DEPENDENCY_ACTIONS}, found {self.action.data!r}")


GRID_DEPENDENCY_ACTIONS = ("wait", "launch_dependents")


def register_block() -> Block:
    """A block for the region of `cuda.map`: its argument is the register's number."""
    return Block(arg_types=[i32])


CUDA = Dialect(
    "cuda",
    [
        FuncOp,
        ReturnOp,
        ThreadIdOp,
        BlockIdOp,
        GridDimOp,
        YieldOp,
        MapOp,
        GetOp,
        SplatOp,
        LoadOp,
        StoreOp,
        AtomicRMWOp,
        AtomicCASOp,
        AtomicLoadOp,
        AtomicStoreOp,
        AtomicPollOp,
        GlobalTimerOp,
        FenceOp,
        SharedArrayOp,
        SharedViewOp,
        BarrierOp,
        ShuffleXorOp,
        ShuffleOp,
        ButterflyOp,
        PtrAddOp,
        PtrCastOp,
        PtrToIntOp,
        IntToPtrOp,
        PreciseDivOp,
        PreciseSqrtOp,
        MulhiUIOp,
        CallOp,
        InlineAsmOp,
        PrintOp,
        AssertOp,
        ReportOp,
        GridDependencyOp,
    ],
    [RegsType, SharedType],
)

quicken(CUDA.operations)
