"""Compiles a kernel to `tt` and runs that on the NumPy interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from mytriton.frontend import build_module
from mytriton.interpreter import run as interpret

_TYPES = {
    "bool": "i1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "fp16",
    "float32": "fp32",
    "float64": "fp64",
}


def type_of(argument: Any) -> str:
    """How the type of an argument is written in a signature."""
    if isinstance(argument, np.ndarray):
        return "*" + _TYPES[argument.dtype.name]
    if isinstance(argument, np.generic):
        return _TYPES[argument.dtype.name]
    return {bool: "i1", int: "i32", float: "fp32"}[type(argument)]


def compile_for(kernel: Any, arguments: Sequence[Any], constants: dict[str, Any]) -> ModuleOp:
    """The verified `tt` module of the kernel for these arguments; `constants` are its compile-time parameters."""
    names = [name for name in kernel.arg_names if name not in constants]
    module = build_module(kernel, dict(zip(names, map(type_of, arguments), strict=True)), constants)
    module.verify()
    return module


def run(kernel: Any, *arguments: Any, grid: Sequence[int] = (1,), **constants: Any) -> None:
    """Runs the kernel on arrays, which it may change, and numbers."""
    interpret(compile_for(kernel, arguments, constants), grid, list(arguments))


def text_of(kernel: Any, signature: dict[str, str], **constants: Any) -> str:
    """The text of the kernel's `tt` module, without its source."""
    module = build_module(kernel, signature, constants)
    module.verify()
    function = module.body.block.first_op
    assert function is not None
    for name in ("tt.source", "tt.source_line", "tt.source_file"):
        del function.attributes[name]
    stream = StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue()
