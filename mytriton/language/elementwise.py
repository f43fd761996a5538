"""Functions of each element that a kernel brings itself: PTX, and jit functions on scalars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mytriton import messages
from mytriton.language.casting import checked_dtype
from mytriton.language.constexpr import unwrap
from mytriton.language.context import builtin, current_builder
from mytriton.language.operators import to_tensor
from mytriton.language.reductions import checked_function
from mytriton.language.shapes import broadcast_all, constant_int
from mytriton.language.values import Argument, block_like, is_sequence, tensor


@builtin
def inline_asm_elementwise(
    asm: str, constraints: str, args: Sequence[Argument], dtype: Any, is_pure: bool, pack: int
) -> Any:
    """PTX on `pack` elements of the arguments at a time; it runs on GPUs only.

    In the text, `$0` is the first register of the results, and so on; those of the arguments follow. Elements of less
    than 32 bits share registers of 32 bits, as many as fit. `constraints`: for each register "=" for a result, and "r"
    (32 bits), "l" (64 bits), "h" (16 bits), "f" or "d" (floats of 32 or 64 bits). `dtype`: of the result, or of each
    result. `is_pure`: it does nothing but compute its results.
    """
    kinds = unwrap(dtype)
    dtypes = [checked_dtype(kind) for kind in (kinds if is_sequence(kinds) else [kinds])]
    words = unwrap(asm), unwrap(constraints)
    if not all(isinstance(word, str) for word in words) or not dtypes:
        raise messages.not_inline_asm()
    operands = [to_tensor(unwrap(arg)) for arg in unwrap(args)]
    shape: tuple[int, ...] = ()
    if operands:
        operands = broadcast_all(operands)
        shape = operands[0].shape
    types = [block_like(kind, shape) for kind in dtypes]
    handles = [operand.handle for operand in operands]
    count = constant_int(pack, "pack")
    if count < 1:
        raise messages.pack_not_positive("inline_asm_elementwise", count)
    results = current_builder().inline_asm(*words, handles, types, bool(unwrap(is_pure)), count)
    values = tuple(tensor(result, type) for result, type in zip(results, types, strict=True))
    return values if is_sequence(kinds) else values[0]


@builtin
def map_elementwise(scalar_fn: Any, *args: Argument, pack: int = 1) -> Any:
    """A jit function of scalars on each element of the arguments; it may branch, and only what an element needs is run.

    `pack`: the function takes so many elements of each argument at a time, and returns as many of each result: first
    those of the first argument or result. Which elements are taken together is not defined.
    """
    function, count = checked_function("map_elementwise", scalar_fn), constant_int(pack, "pack")
    if count < 1:
        raise messages.pack_not_positive("map_elementwise", count)
    operands = broadcast_all([to_tensor(unwrap(arg)) for arg in args])
    if not operands or not operands[0].is_block:
        raise messages.not_a_block("map_elementwise")
    scalars = [operand.dtype for operand in operands]
    shape = operands[0].shape
    builder = current_builder()
    is_single = False
    found: list[Any] = []

    def body(elements: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        nonlocal is_single
        kinds = [scalar for scalar in scalars for _ in range(count)]
        values = builder.call(function, [tensor(e, kind) for e, kind in zip(elements, kinds, strict=True)])
        is_single = not isinstance(values, tuple)
        results = [to_tensor(value) for value in ((values,) if is_single else values)]
        if len(results) % count or any(result.is_block for result in results):
            raise messages.results_of_map(count)
        for start in range(0, len(results), count):
            if len({result.dtype for result in results[start : start + count]}) > 1:
                raise messages.results_of_map(count)
        found.extend(block_like(result.dtype, shape) for result in results[::count])
        return [result.handle for result in results], found

    handles = builder.map_elementwise([operand.handle for operand in operands], scalars, count, body)
    outputs = tuple(tensor(handle, type) for handle, type in zip(handles, found, strict=True))
    return outputs[0] if is_single else outputs
