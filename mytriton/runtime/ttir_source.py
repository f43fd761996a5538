"""A kernel that is compiled from TTIR text: its parameters, and its module as often as it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mytriton.errors import ArgumentError
from mytriton.options import Options

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute

    from mytriton.dialects import tt

ELEMENT_NAMES: dict[str, tuple[str, ...]] = {
    "i1": ("i1",),
    "i8": ("i8", "u8", "fp8e4b15"),
    "i16": ("i16", "u16"),
    "i32": ("i32", "u32"),
    "i64": ("i64", "u64"),
    "f16": ("fp16",),
    "bf16": ("bf16",),
    "f32": ("fp32",),
    "f64": ("fp64",),
    "f8E4M3FN": ("fp8e4nv",),
    "f8E5M2": ("fp8e5",),
    "f8E4M3FNUZ": ("fp8e4b8",),
    "f8E5M2FNUZ": ("fp8e5b16",),
}
"""The types of signatures that a type of the text stands for: the text does not say which integers are signed."""


@dataclass(frozen=True, slots=True)
class TTIRParameter:
    """A parameter of a kernel in TTIR.

    `types` has the types, as in signatures, of the arguments that it takes. `divisibility` is what divides its value:
    an address in bytes, or a number. `tile` is the shape of the tiles where it is a descriptor, which the sizes and
    strides follow as parameters of their own.
    """

    name: str
    types: tuple[str, ...]
    divisibility: int = 1
    tile: tuple[int, ...] = ()

    @property
    def is_pointer(self) -> bool:
        return self.types[0].startswith("*")

    def __str__(self) -> str:
        if self.tile:
            return f"{self.name}: tensordesc<{self.types[0][1:]}[{','.join(map(str, self.tile))}]>"
        return f"{self.name}: {self.types[0]}"


class TTIRSource:
    """TTIR text, of which one kernel is compiled."""

    def __init__(self, text: str, filename: str, options: Options, kernel: str | None = None):
        self.text = text
        self.filename = filename
        self.options = options
        self._kernel = kernel
        function = kernel_of(self._parsed(), kernel, filename)
        self.name = function.sym_name.data
        self.parameters = parameters_of(function)

    def build(self) -> ModuleOp:
        """The module of the `tt` level, with the kernel and what it calls."""
        module = self._parsed()
        keep_only(module, kernel_of(module, self._kernel, self.filename))
        return module

    def _parsed(self) -> ModuleOp:
        from mytriton.ttir import parse_module

        return parse_module(self.text, self.filename)


def functions_of(module: ModuleOp) -> dict[str, tt.FuncOp]:
    """The functions of a module by name."""
    from mytriton.dialects import tt

    return {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, tt.FuncOp)}


def kernel_of(module: ModuleOp, name: str | None, filename: str) -> tt.FuncOp:
    """The function called `name`, or the only one that is not private; raises `ArgumentError` if there is none."""
    functions = functions_of(module)
    public = [
        found
        for found, function in functions.items()
        if function.body.blocks and (function.sym_visibility is None or function.sym_visibility.data != "private")
    ]
    if name is None and len(public) != 1:
        names = f": {', '.join(public)}; say which one with kernel=" if public else ""
        raise ArgumentError(f"expected one public function in {filename}, found {len(public)}{names}")
    chosen = public[0] if name is None else name
    if chosen not in functions or not functions[chosen].body.blocks:
        raise ArgumentError(f"{filename} has no function {chosen!r}; it has {', '.join(functions)}")
    if functions[chosen].function_type.outputs.data:
        raise ArgumentError(f"the function {chosen!r} of {filename} returns values, which a kernel does not")
    return functions[chosen]


def keep_only(module: ModuleOp, kernel: tt.FuncOp) -> None:
    """Removes the functions that a kernel does not call; those that it does are private from then on."""
    from xdsl.dialects.builtin import StringAttr

    from mytriton.dialects import tt
    from mytriton.dialects.building import operations_of

    functions = functions_of(module)
    reached = {kernel.sym_name.data}
    pending = [kernel]
    while pending:
        for call in operations_of(pending.pop(), tt.CallOp):
            name = call.callee.string_value()
            if name in functions and name not in reached:
                reached.add(name)
                pending.append(functions[name])
    for name, function in functions.items():
        if name not in reached:
            function.detach()
            function.erase(safe_erase=False)
        elif function is not kernel:
            function.properties["sym_visibility"] = StringAttr("private")
    kernel.properties["sym_visibility"] = StringAttr("public")


def parameters_of(function: tt.FuncOp) -> Sequence[TTIRParameter]:
    """The parameters of a function, as a launch sees them."""
    attributes = [] if function.arg_attrs is None else list(function.arg_attrs.data)
    found: list[TTIRParameter] = []
    for index, argument in enumerate(function.body.blocks[0].args):
        name = argument.name_hint or f"arg{index}"
        divisibility = _divisibility(attributes[index].data if attributes else {})
        found.append(_parameter(name, argument.type, divisibility))
    return found


def _divisibility(attributes: Mapping[str, Attribute]) -> int:
    from xdsl.dialects.builtin import IntegerAttr

    value = attributes.get("tt.divisibility")
    return value.value.data if isinstance(value, IntegerAttr) else 1


def _parameter(name: str, type: Attribute, divisibility: int) -> TTIRParameter:
    from mytriton.dialects import tt
    from mytriton.passes.lower_descriptors import ALIGNMENT

    if isinstance(type, tt.TensorDescType):
        element, tile = type.element, tuple(type.block.get_shape())
        return TTIRParameter(name, _pointers(name, element), ALIGNMENT, tile)
    if isinstance(type, tt.PointerType):
        return TTIRParameter(name, _pointers(name, type.pointee), divisibility)
    if str(type) not in ELEMENT_NAMES:
        raise ArgumentError(f"the parameter {name!r} is of the type {type}, which no launch can pass")
    return TTIRParameter(name, ELEMENT_NAMES[str(type)], divisibility)


def _pointers(name: str, element: Attribute) -> tuple[str, ...]:
    if str(element) not in ELEMENT_NAMES:
        raise ArgumentError(f"the parameter {name!r} points to {element}, of which there are no arrays")
    return tuple(f"*{kind}" for kind in ELEMENT_NAMES[str(element)])
