"""From a jit function and the types of its arguments to a module with one `tt.func`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i32,
)
from xdsl.ir import Attribute, Block, Region

from mytriton import messages
from mytriton.dialects import tt
from mytriton.errors import ArgumentError
from mytriton.frontend.frame import Frame
from mytriton.frontend.source import FunctionSource, JitFunction, arguments_of, source_of
from mytriton.frontend.statements import KernelCompiler
from mytriton.frontend.visitor import hint_name
from mytriton.language.constexpr import unwrap
from mytriton.language.context import building
from mytriton.language.descriptors import make_tensor_descriptor
from mytriton.language.dtypes import dtype, int32, pointer_type, type_from_signature
from mytriton.language.values import tensor
from mytriton.structures import DESCRIPTOR, Structure


def build_module(
    fn: JitFunction,
    signature: Mapping[str, str | dtype],
    constexprs: Mapping[str, Any],
    attrs: Mapping[str, Mapping[str, int]] | None = None,
    options: Any = None,
    compiler_class: Callable[[str], KernelCompiler] = KernelCompiler,
) -> ModuleOp:
    """The `tt` module of a kernel.

    `signature` gives the type of each parameter that is passed when the kernel runs ("*fp32", "i32", ...), `constexprs`
    the value of each of the others, and `attrs` what is known of the former, such as {"divisibility": 16}. Raises
    `CompilationError` for what the kernel may not do and `ArgumentError` for parameters that have neither type nor
    value.
    """
    source = source_of(fn)
    compiler = compiler_class(getattr(options, "input_precision", "ieee"))
    runtime = {name: _type_of(source, name, text) for name, text in signature.items() if name not in constexprs}
    _check_parameters(source, runtime, constexprs)
    builder = compiler.builder
    builder.debug, builder.num_warps = getattr(options, "debug", False), getattr(options, "num_warps", 4)
    builder.arch = getattr(options, "arch", builder.arch)
    entry = Block(arg_types=[builder.type(type) for type in runtime.values()])
    variables: dict[str, Any] = {}
    for argument, (name, type) in zip(entry.args, runtime.items(), strict=True):
        hint_name(argument, name)
        variables[name] = tensor(argument, type)
    for name, value in constexprs.items():
        variables[name] = _constant_argument(value)
    builder.argument_attributes = [_argument_attributes((attrs or {}).get(name, {})) for name in runtime]
    builder.begin_function(entry)
    compiler.frames.append(Frame(fn, source, variables=variables))
    compiler.call_node = source.tree
    with building(builder):
        compiler.at(source.tree)
        compiler.guarded(source.tree, lambda: _put_together(constexprs, compiler))
        compiler.guarded(source.tree, lambda: compiler.run(source.tree.body))
        compiler.at(source.tree)
        builder.insert(tt.ReturnOp())
    builder.end_function()
    return ModuleOp([_function(source, entry, compiler)])


def _type_of(source: FunctionSource, name: str, text: str | dtype) -> dtype:
    if isinstance(text, dtype):
        return text
    try:
        found = type_from_signature(text)
        if isinstance(found, pointer_type) and name in source.const_parameters:
            return pointer_type(found.element_ty, const=True)
        return found
    except Exception as error:
        raise ArgumentError(f"parameter {name!r} of kernel {source.name}: {error}") from None


def _check_parameters(source: FunctionSource, runtime: Mapping[str, dtype], constexprs: Mapping[str, Any]) -> None:
    names = [argument.arg for argument in arguments_of(source.tree)]
    for name in names:
        if name not in runtime and name not in constexprs:
            raise ArgumentError(f"parameter {name!r} of kernel {source.name} has neither a type nor a value")
        if name in runtime and name in source.constexpr_parameters:
            raise ArgumentError(
                f"parameter {name!r} of kernel {source.name} is a constexpr and needs a value, not a type"
            )
    parts = _parts_of_arguments(constexprs)
    for name in (*runtime, *constexprs):
        if name not in names and name not in parts:
            raise ArgumentError(f"kernel {source.name} has no parameter {name!r}")


def _parts_of_arguments(constexprs: Mapping[str, Any]) -> set[str]:
    """The parameters of the compiled code that are parts of an argument."""
    return {name for value in constexprs.values() if isinstance(value, Structure) for name in value.names()}


def _put_together(constexprs: Mapping[str, Any], compiler: KernelCompiler) -> None:
    """Makes the arguments that are made of others, in place of their parts."""
    variables = compiler.variables
    for name, value in constexprs.items():
        if isinstance(value, Structure):
            variables[name] = _value_of(value, variables)
            compiler.name_value(name, variables[name])
    for part in _parts_of_arguments(constexprs):
        del variables[part]


def _value_of(structure: Structure, parts: Mapping[str, Any]) -> Any:
    """An argument that is made of parts."""
    values = [parts[part] if isinstance(part, str) else _value_of(part, parts) for part in structure.parts]
    if structure.kind == DESCRIPTOR:
        base, *rest = values
        block_shape, padding = structure.details
        shape, strides = rest[: len(block_shape)], rest[len(block_shape) :]
        for extent in shape:
            if isinstance(extent, tensor) and extent.dtype != int32:
                raise messages.descriptor_extent(extent)
        return make_tensor_descriptor(base, shape, strides, block_shape, padding)
    kind: Any = structure.kind
    return kind._make(values) if hasattr(kind, "_make") else tuple(values)


def _constant_argument(value: Any) -> Any:
    """Lists become tuples, so that nothing in the kernel changes the caller's."""
    value = unwrap(value)
    if isinstance(value, list):
        return tuple(_constant_argument(element) for element in value)  # pyright: ignore[reportUnknownVariableType]
    return value


def _argument_attributes(facts: Mapping[str, int]) -> dict[str, Attribute]:
    return {f"tt.{name}": IntegerAttr(value, i32) for name, value in facts.items()}


def _function(source: FunctionSource, entry: Block, compiler: KernelCompiler) -> tt.FuncOp:
    attributes = ArrayAttr([DictionaryAttr(found) for found in compiler.builder.argument_attributes])
    function = tt.FuncOp(
        source.name,
        FunctionType.from_lists(entry.arg_types, []),
        Region(entry),
        arg_attrs=attributes if any(attribute.data for attribute in attributes) else None,
    )
    function.attributes["tt.source"] = StringAttr(source.text)
    function.attributes["tt.source_line"] = IntegerAttr(source.first_line, i32)
    function.attributes["tt.source_file"] = StringAttr(source.file)
    line, column = source.line_and_column(source.tree)
    function.location = compiler.builder.location_of(source.file, line, column)
    return function
