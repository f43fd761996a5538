"""What a launch needs to know about a printed kernel."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from xdsl.ir import Attribute

from mytriton.codegen.names import Scope, kernel_identifier
from mytriton.codegen.types import bits_of, bytes_of, declaration, scalar_type
from mytriton.dialects import cuda
from mytriton.dialects.attribute_names import READ_ONLY
from mytriton.dialects.building import of_class, walk
from mytriton.dialects.tt import PointerType


class Parameter(NamedTuple):
    """A kernel's parameter: its C name and type, and the size of the elements where it is a pointer."""

    name: str
    c_type: str
    is_pointer: bool
    bits: int
    """Of the scalar, or of one element behind the pointer."""
    is_constant: bool = False
    """Whether it points to data that the kernel does not write."""

    @property
    def text(self) -> str:
        """The parameter in the kernel's signature."""
        return declaration(self.c_type, self.name)


@dataclass(frozen=True)
class KernelMetadata:
    """A kernel as it is printed: its C name, parameters, threads of a block and shared memory."""

    name: str
    params: tuple[Parameter, ...]
    num_warps: int
    static_shared_bytes: int
    dynamic_shared_bytes: int
    uses_collectives: bool
    """Whether threads wait for each other: barriers, shuffles."""

    @property
    def num_threads(self) -> int:
        return 32 * self.num_warps

    @property
    def shared_bytes(self) -> int:
        return self.static_shared_bytes + self.dynamic_shared_bytes


_COLLECTIVES = frozenset((cuda.BarrierOp, cuda.ShuffleXorOp, cuda.ShuffleOp, cuda.ButterflyOp))


def describe(function: cuda.FuncOp, name: str) -> KernelMetadata:
    """What is known of a kernel that is printed under `name`."""
    static = dynamic = 0
    ops = walk(function)
    for op in of_class(ops, cuda.SharedArrayOp):
        assert isinstance(op.result.type, cuda.SharedType)
        size = prod(op.result.type.get_shape()) * bytes_of(op.result.type.element_type)
        if op.dynamic is not None:
            dynamic += size
        else:
            alignment = op.alignment.value.data
            static = -(-static // alignment) * alignment + size
    collectives = any(op.__class__ in _COLLECTIVES for op in ops)
    return KernelMetadata(name, parameters(function), function.num_warps.value.data, static, dynamic, collectives)


def parameters(function: cuda.FuncOp) -> tuple[Parameter, ...]:
    """The parameters of a kernel, named after its arguments."""
    scope = Scope()
    attributes = function.arg_attrs.data if function.arg_attrs is not None else ()
    result: list[Parameter] = []
    for index, arg in enumerate(function.body.block.args):
        is_constant = index < len(attributes) and READ_ONLY in attributes[index].data
        name = scope.declare(arg.name_hint or "arg")
        result.append(_parameter(name, arg.type, is_constant))
    return tuple(result)


def _parameter(name: str, type: Attribute, is_constant: bool) -> Parameter:
    if not isinstance(type, PointerType):
        return Parameter(name, scalar_type(type), False, bits_of(type))
    const = "const " if is_constant else ""
    return Parameter(name, const + scalar_type(type), True, bits_of(type.pointee), bool(const))


def kernel_names(functions: list[cuda.FuncOp]) -> list[str]:
    """The C names of the kernels of a module, each different."""
    scope = Scope()
    names: list[str] = []
    for function in functions:
        name = kernel_identifier(function.sym_name.data)
        # A second kernel of the same name gets a number.
        names.append(scope.declare(name))
    return names
