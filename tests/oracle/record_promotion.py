"""
Prints, as the real Triton computes it, the dtype and the operation of every operator on every pair of dtypes.

    python tests/oracle/record_promotion.py > tests/unit/data/promotion.txt

A line has an operator and its left operand, then for each right operand the dtype of the result and the operation that
computes it, or `x` where Triton refuses the pair. Operands are tensors of the dtypes, or numbers.
"""

import re
from types import SimpleNamespace
from typing import Any

import triton.language as tl  # pyright: ignore[reportMissingImports]
from triton._C.libtriton import ir  # pyright: ignore[reportMissingImports]
from triton.language.semantic import TritonSemantic  # pyright: ignore[reportMissingImports]

DTYPES = [
    "int1",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "fp16",
    "bf16",
    "fp32",
    "fp64",
]
NUMBERS = ["True", "3", "-1", "300", "2**31", "2**40", "2.5", "1e300"]
BINARY = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
    "lt",
    "eq",
    "maximum",
]
UNARY = ["neg", "invert", "abs", "exp", "floor", "sqrt"]


class Scratch:
    """A function under construction, with one argument of each dtype, a tensor of 4 elements."""

    def __init__(self) -> None:
        self.context = ir.context()
        ir.load_dialects(self.context)
        builder = ir.builder(self.context)
        builder.options = SimpleNamespace(sanitize_overflow=False, debug=False)
        self.module = builder.create_module()
        types = [tl.block_type(tl.dtype(name), [4]) for name in DTYPES]
        signature = builder.get_function_ty([type.to_ir(builder) for type in types], [])
        function = builder.get_or_insert_function(self.module, "f", signature, "public", False)
        self.module.push_back(function)
        builder.set_insertion_point_to_start(function.add_entry_block())
        self.semantic = TritonSemantic(builder)
        self.values: dict[str, Any] = {number: eval(number) for number in NUMBERS}
        for index, (name, type) in enumerate(zip(DTYPES, types, strict=True)):
            self.values[name] = tl.tensor(function.args(index), type)

    def last_operation(self) -> str:
        """The name of the last operation without its dialect, and the number of the predicate of a comparison."""
        lines = [line for line in self.module.str_nodebug().splitlines() if line.strip().startswith("%")]
        if not lines:
            return ""
        name = lines[-1].split('"')[1].split(".")[1]
        predicate = re.search(r"predicate = (\d+)", lines[-1])
        return name + predicate[1] if predicate else "" if name == "bitcast" else name


def binary(scratch: Scratch, operator: str, lhs: str, rhs: str) -> Any:
    a, b = scratch.values[lhs], scratch.values[rhs]
    if operator == "maximum":
        return tl.maximum(a, b, _semantic=scratch.semantic)
    if lhs in NUMBERS:
        swapped = {"lt": "__gt__", "eq": "__eq__"}.get(operator, f"__r{operator}__")
        return getattr(tl.tensor, swapped)(b, a, _semantic=scratch.semantic)
    return getattr(tl.tensor, f"__{operator}__")(a, b, _semantic=scratch.semantic)


def unary(scratch: Scratch, operator: str, operand: str) -> Any:
    function = getattr(tl.tensor, f"__{operator}__") if operator in ("neg", "invert") else getattr(tl, operator)
    return function(scratch.values[operand], _semantic=scratch.semantic)


def cast(scratch: Scratch, operator: str, source: str, target: str) -> Any:
    return scratch.semantic.cast(scratch.values[source], tl.dtype(target))


def fact(compute: Any, *arguments: str) -> str:
    scratch = Scratch()
    try:
        result = compute(scratch, *arguments)
    except Exception:
        return "x"
    return f"{result.dtype}:{scratch.last_operation()}"


def main() -> None:
    for operator in BINARY:
        for lhs in DTYPES + NUMBERS:
            others = DTYPES if lhs in NUMBERS else DTYPES + NUMBERS
            print(operator, lhs, *(fact(binary, operator, lhs, rhs) for rhs in others))
    for operator in UNARY:
        print(operator, "-", *(fact(unary, operator, operand) for operand in DTYPES))
    for source in DTYPES:
        print("cast", source, *(fact(cast, "cast", source, target) for target in DTYPES))


if __name__ == "__main__":
    main()
