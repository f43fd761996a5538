"""Prints small kernels and runs them on the CPU device."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import pytest
from xdsl.dialects.builtin import FunctionType, IntegerType, ModuleOp, bf16, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mytriton.codegen import kernel_metadata, print_cuda
from mytriton.dialects import cuda, tt
from mytriton.runtime import cpu

Array = np.ndarray[Any, Any]
Made: TypeAlias = Operation | Sequence[Operation]
Build: TypeAlias = (
    Callable[[SSAValue], Made] | Callable[[SSAValue, SSAValue], Made] | Callable[[SSAValue, SSAValue, SSAValue], Made]
)

needs_compiler = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("c++", "g++", "clang++")), reason="there is no C++ compiler"
)

DTYPES: dict[Attribute, Any] = {
    i1: np.bool_,
    i8: np.int8,
    i16: np.int16,
    i32: np.int32,
    i64: np.int64,
    f16: np.float16,
    bf16: np.uint16,  # its bits, since NumPy has no such type
    f32: np.float32,
    f64: np.float64,
}


def elementwise_kernel(operand_types: Sequence[Attribute], builds: Sequence[Build]) -> cuda.FuncOp:
    """out_j[i] = build_j(in_0[i], in_1[i], ...), one element for each thread of blocks of 32.

    A build returns the operations to insert; the last one's result is stored.
    """
    block = Block(arg_types=[tt.PointerType(type) for type in operand_types])
    tid, block_id = cuda.ThreadIdOp(), cuda.BlockIdOp(0)
    block.add_ops([tid, block_id])
    index = _global_index(block, tid.result, block_id.result)
    loads = [cuda.LoadOp(arg, [index]) for arg in block.args]
    block.add_ops(loads)
    for build in builds:
        made = cast("Callable[..., Made]", build)(*(load.result for load in loads))
        ops = [made] if isinstance(made, Operation) else list(made)
        block.add_ops(ops)
        result = ops[-1].results[0]
        out = block.insert_arg(tt.PointerType(result.type), len(block.args))
        out.name_hint = "out"
        block.add_op(cuda.StoreOp(result, out, [index]))
    block.add_op(cuda.ReturnOp())
    types = [arg.type for arg in block.args]
    return cuda.FuncOp("kernel", FunctionType.from_lists(types, []), 1, Region(block))


def _global_index(block: Block, tid: SSAValue, block_id: SSAValue) -> SSAValue:
    from mytriton.dialects import arith

    size = arith.ConstantOp.of(IntegerType(32), 32)
    start = arith.MuliOp(block_id, size.result)
    index = arith.AddiOp(start.result, tid)
    block.add_ops([size, start, index])
    return index.result


def launch(module: ModuleOp, grid: int, *arguments: Array | int | float) -> str:
    """Print the one kernel of a module, run it, and return its text."""
    module.verify()
    text = print_cuda(module)
    (kernel,) = kernel_metadata(module)
    given = [argument.ctypes.data if isinstance(argument, np.ndarray) else argument for argument in arguments]
    params = [(parameter.name, parameter.c_type) for parameter in kernel.params]
    description = cpu.KernelMetadata(kernel.name, params, kernel.num_warps, kernel.dynamic_shared_bytes)
    cpu.compile(text, description).launch((grid, 1, 1), given)
    return text


def compute(operands: Sequence[Array], operand_types: Sequence[Attribute], builds: Sequence[Build]) -> list[Array]:
    """What the builds make of the operands, arrays of one length, element by element."""
    count = len(operands[0])
    padded = -(-count // 32) * 32
    inputs = [np.resize(operand, padded).copy() for operand in operands]
    function = elementwise_kernel(operand_types, builds)
    outputs: list[Array] = []
    for arg in function.body.block.args[len(operands) :]:
        assert isinstance(arg.type, tt.PointerType)
        outputs.append(np.zeros(padded, DTYPES[arg.type.pointee]))
    launch(ModuleOp([function]), padded // 32, *inputs, *outputs)
    return [output[:count] for output in outputs]
