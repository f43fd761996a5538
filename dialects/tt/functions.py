"""Functions, calls and returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    FunctionType,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    CallableOpInterface,
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    ReturnLike,
    SymbolOpInterface,
    SymbolTable,
    SymbolUserOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.building import initialize, value_of
from mytriton.dialects.tt.checks import type_list


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
        initialize(self, properties=properties, regions=(region,))

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
                f"expected entry block arguments of types ({type_list(inputs)}), found ({type_list(arguments)})"
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


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """The end of a function, with its results."""

    name = "tt.return"

    srcs = var_operand_def()

    traits = traits_def(Pure(), HasParent(FuncOp), IsTerminator(), ReturnLike())

    assembly_format = "attr-dict ($srcs^ `:` type($srcs))?"

    def __init__(self, *srcs: SSAValue | Operation):
        initialize(self, operands=[value_of(src) for src in srcs])

    def verify_(self) -> None:
        func = self.parent_op()
        if not isinstance(func, FuncOp):
            return
        expected, found = func.function_type.outputs.data, tuple(self.operand_types)
        if found != expected:
            raise VerifyException(
                f"expected to return ({type_list(expected)}) as @{func.sym_name.data} does, found ({type_list(found)})"
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
                    f"expected {what} of types ({type_list(expected)}) as @{name} has, found ({type_list(found)})"
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
        initialize(
            self,
            operands=[value_of(argument) for argument in arguments],
            result_types=result_types,
            properties={"callee": SymbolRefAttr(callee) if isinstance(callee, str) else callee},
        )
