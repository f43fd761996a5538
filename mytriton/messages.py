"""The text of every error about a kernel: what was found, what was expected, and what to do about it.

Each function makes one error. Whoever raises it need not know the place; the frontend adds that.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any

from mytriton.errors import BreakpointError, CompilationError, UnsupportedError

Shape = Sequence[int]


def described(value: Any) -> str:
    """A value as an error names it: its type if it is known only when the kernel runs, else the value."""
    if type(value).__name__ == "tensor" and hasattr(value, "handle"):
        return f"a value of type {value.type}"
    if isinstance(value, str | int | float | tuple | list) or value is None:
        text = repr(value)  # pyright: ignore[reportUnknownArgumentType]
        return text if len(text) <= 60 else f"a {type(value).__name__}"  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(name := getattr(value, "__qualname__", None) or getattr(value, "__name__", None), str):
        return name
    text = str(value)
    # Python's own text of an object is an address.
    return f"a {type(value).__name__}" if f"{type(value).__name__} object at 0x" in text else text


def _typed(value: Any) -> str:
    """The type of an operand: of a tensor its own, of a number Python's."""
    if type(value).__name__ == "tensor" and hasattr(value, "handle"):
        return str(value.type)
    if isinstance(value, bool | int | float | str | tuple) or value is None:
        return type(value).__name__  # pyright: ignore[reportUnknownArgumentType]
    return str(value)


def _shape(shape: Shape) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _choices(choices: Iterable[Any]) -> str:
    return ", ".join(repr(c) if isinstance(c, str) else str(c) for c in choices)


def _did_you_mean(name: str, names: Iterable[str]) -> str | None:
    close = difflib.get_close_matches(name, [n for n in names if not n.startswith("_")], 1)
    return f"did you mean {close[0]!r}?" if close else None


# Where the language may be used


def outside_of_kernel() -> CompilationError:
    return CompilationError(
        "the functions of mytriton.language work inside a kernel only",
        hint="call it from a function decorated with @triton.jit, and launch that",
    )


def range_outside_of_for(name: str) -> CompilationError:
    return CompilationError(f"tl.{name} stands for the bounds of a `for` loop of a kernel and is not iterable itself")


def unsupported_option(function: str, option: str, reason: str) -> UnsupportedError:
    return UnsupportedError(f"{option} of tl.{function} is not supported: {reason}")


def block_pointer_option(function: str, option: str) -> UnsupportedError:
    return UnsupportedError(
        f"{option} of tl.{function} is for block pointers, and this is a pointer to single elements",
        hint="use a mask, or make a block pointer with tl.make_block_ptr",
    )


def mask_of_block_pointer(function: str, option: str) -> CompilationError:
    return CompilationError(
        f"tl.{function} of a block pointer takes no {option}", hint="name the axes to check with boundary_check"
    )


def scalar_pointer_expected(function: str, value: object) -> CompilationError:
    return CompilationError(f"tl.{function} takes a single pointer as its base, found {described(value)}")


def block_pointer_expected(function: str, value: object) -> CompilationError:
    return CompilationError(
        f"tl.{function} takes a block pointer, found {described(value)}", hint="make one with tl.make_block_ptr"
    )


def integers_expected(function: str, what: str, found: object) -> CompilationError:
    return CompilationError(
        f"the {what} of tl.{function} must be integers, one for each axis, in a tuple or a list, found "
        f"{described(found)}"
    )


def different_ranks(function: str, lengths: dict[str, int]) -> CompilationError:
    found = ", ".join(f"{length} of {name}" for name, length in lengths.items())
    return CompilationError(f"tl.{function} takes one value for each axis in all of its arguments, found {found}")


def bad_boundary_check(function: str, axes: Sequence[int], rank: int) -> CompilationError:
    return CompilationError(
        f"boundary_check of tl.{function} names axes from 0 to {rank - 1}, each once, found {_shape(axes)}"
    )


def descriptor_expected(function: str, value: object) -> CompilationError:
    return CompilationError(
        f"tl.{function} takes a tensor descriptor, found {described(value)}",
        hint="make one with tl.make_tensor_descriptor",
    )


def descriptor_rank(rank: int, maximum: int) -> CompilationError:
    return CompilationError(f"a tensor descriptor has from 1 to {maximum} axes, found {rank}")


def descriptor_extent(extent: object) -> CompilationError:
    return CompilationError(
        f"the extents of a tensor descriptor's array are from 0 to 2147483647, found {described(extent)}",
        hint="use pointers for an array of more than 2147483647 elements along an axis",
    )


def descriptor_stride(stride: object) -> CompilationError:
    return CompilationError(
        f"the last stride of a tensor descriptor must be the number 1, found {described(stride)}",
        hint="use a tensor of pointers for an array whose last axis is not contiguous",
    )


def descriptor_of_rows(function: str, block_shape: Shape) -> CompilationError:
    return CompilationError(
        f"{function} needs a tensor descriptor whose tiles have the shape [1, n], found {_shape(block_shape)}"
    )


def rows_expected(function: str, rows: object) -> CompilationError:
    return CompilationError(
        f"the rows that {function} takes are a tensor of integers, of rank 1, found {described(rows)}"
    )


def aggregate_expected(value: object) -> CompilationError:
    return CompilationError(f"aggregate_replace takes a value of an aggregate class, found {described(value)}")


def nan_padding(dtype: object) -> CompilationError:
    return CompilationError(f"padding with NaN needs elements that are floats, found {dtype}")


# Types


def unknown_dtype(name: object, names: Iterable[str]) -> CompilationError:
    return CompilationError(f"there is no dtype {name!r}", hint=f"the dtypes are {', '.join(names)}")


def unknown_signature_type(text: str, names: Iterable[str]) -> CompilationError:
    return CompilationError(
        f"{text!r} is not the type of an argument", hint=f"the types are {', '.join(names)}, and * before one of them"
    )


def not_a_dtype(value: object) -> CompilationError:
    return CompilationError(f"expected a dtype such as tl.float32, found {described(value)}")


def integer_too_large(value: int) -> CompilationError:
    return CompilationError(f"{value} does not fit into 64 bits")


def float_for_integer(value: float, dtype: object) -> CompilationError:
    return CompilationError(
        f"expected an integer for {dtype}, found {value!r}", hint="cast it, or choose a float dtype"
    )


def not_a_constant_of(value: object, dtype: object) -> CompilationError:
    return CompilationError(f"{described(value)} is not a constant of {dtype}")


def number_out_of_range(value: object, dtype: object) -> CompilationError:
    return CompilationError(f"{value} is out of range for {dtype}", hint="cast the tensor to a wider dtype first")


def negative_for_unsigned(value: object, dtype: object) -> CompilationError:
    return CompilationError(
        f"{value} is negative and cannot be combined with {dtype}, which is unsigned",
        hint="cast one of the two to the dtype that is meant",
    )


def bad_operands(symbol: str, lhs: object, rhs: object) -> CompilationError:
    return CompilationError(f"{symbol} does not take operands of types {_typed(lhs)} and {_typed(rhs)}")


def no_arithmetic(symbol: str, dtype: object) -> CompilationError:
    return CompilationError(f"{symbol} is not defined for {dtype}, which is for storage", hint="cast it to float16")


def bad_operand(symbol: str, operand: object) -> CompilationError:
    return CompilationError(f"{symbol} does not take an operand of type {_typed(operand)}")


def operator_unsupported(symbol: str, lhs: object, rhs: object) -> UnsupportedError:
    hints = {
        "@": "use tl.dot",
        "in": "compare with each value, and combine the results with |",
        "not in": "compare with each value, and combine the results with &",
    }
    return UnsupportedError(
        f"{symbol} is not supported on values that are known only when the kernel runs "
        f"({_typed(lhs)} and {_typed(rhs)})",
        hint=hints.get(symbol),
    )


def no_common_dtype(a: object, b: object) -> CompilationError:
    return CompilationError(f"{a} and {b} have no common dtype", hint="cast one of the two")


def division_of_different_signedness(a: object, b: object) -> CompilationError:
    return CompilationError(
        f"cannot divide {a} and {b}, of which one is signed and the other is not",
        hint="cast one of the two to the signedness that is meant",
    )


def float_floor_division(a: object, b: object) -> CompilationError:
    return CompilationError(f"// takes integers, found {a} and {b}", hint="use tl.floor(x / y)")


def sum_of_pointers(a: object, b: object) -> CompilationError:
    return CompilationError(f"cannot add two pointers ({a} and {b})")


def bad_pointer_offset(pointer: object, offset: object) -> CompilationError:
    return CompilationError(f"a {pointer} can be moved by an integer only, found {offset}")


def bad_cast(source: object, target: object) -> CompilationError:
    return CompilationError(f"cannot cast {source} to {target}")


def bitcast_of_other_size(source: object, target: object) -> CompilationError:
    return CompilationError(f"cannot reinterpret the bits of {source} as {target}, which has another size")


def rounding_without_narrowing(source: object, target: object) -> CompilationError:
    return CompilationError(f"fp_downcast_rounding is for floats that get narrower, found {source} to {target}")


def wrong_dtype(function: str, found: object, expected: Iterable[str]) -> CompilationError:
    expected = list(expected)
    narrow = str(found) in ("fp16", "bf16") and "fp32" in expected
    return CompilationError(
        f"tl.{function} takes {', '.join(expected)}, found {found}",
        hint="cast with .to(tl.float32) first" if narrow or str(found).startswith(("int", "uint")) else None,
    )


def no_such_overload(function: str, found: Sequence[str], expected: Iterable[Sequence[str]]) -> CompilationError:
    forms = " or ".join(f"({', '.join(form)})" for form in expected)
    return CompilationError(
        f"libdevice.{function} takes {forms}, found ({', '.join(found)})",
        hint="cast the arguments with .to(...); libdevice's functions promote nothing",
    )


def power_of_integers(lhs: object, rhs: object) -> CompilationError:
    return CompilationError(
        f"** of integers takes an exponent that is a number and not negative, found {lhs} ** {rhs}",
        hint="cast the base with .to(tl.float32) first",
    )


def prefix_not_text(found: object) -> CompilationError:
    return CompilationError(
        f"the first argument of tl.device_print and of print is a text, found {described(found)}",
        hint='write the name of the value first, as in print("x", x)',
    )


def prefix_not_ascii(text: str) -> CompilationError:
    return CompilationError(f"the text of tl.device_print has ASCII characters only, found {text!r}")


def message_not_text(found: object) -> CompilationError:
    return CompilationError(f"the message of an assertion is a text, found {described(found)}")


def not_inline_asm() -> CompilationError:
    return CompilationError(
        "tl.inline_asm_elementwise takes a text, the text of its constraints, and at least one dtype"
    )


def pack_not_positive(function: str, found: int) -> CompilationError:
    return CompilationError(f"pack of tl.{function} must be positive, found {found}")


def not_a_block(function: str) -> CompilationError:
    return CompilationError(f"tl.{function} takes tensors, found none", hint="call the function itself on scalars")


def results_of_map(pack: int) -> CompilationError:
    return CompilationError(
        f"the function of tl.map_elementwise returns {pack} scalars of one dtype for each result"
        if pack > 1
        else "the function of tl.map_elementwise returns scalars"
    )


def not_a_value(value: object) -> CompilationError:
    return CompilationError(f"expected a tensor or a number, found {described(value)}")


# Shapes


def extent_not_constexpr(extent: object) -> CompilationError:
    return not_a_constant_int("an extent of a shape", extent)


def not_a_constant_int(what: str, value: object) -> CompilationError:
    return CompilationError(
        f"{what} must be an integer that is known when the kernel is compiled, found {described(value)}",
        hint=None
        if isinstance(value, int | float)
        else "make it a tl.constexpr parameter, or a variable annotated with tl.constexpr",
    )


def not_a_shape(shape: object) -> CompilationError:
    return CompilationError(f"expected a shape, such as (16, 16), found {described(shape)}")


def extent_not_positive(extent: int, shape: Shape) -> CompilationError:
    return CompilationError(f"an extent of a shape must be positive, found {extent} in {_shape(shape)}")


def tensor_too_large(shape: Shape, numel: int, limit: int) -> CompilationError:
    return CompilationError(f"a tensor may have up to {limit} elements, found {numel} in {_shape(shape)}")


def axis_out_of_range(what: str, axis: int, rank: int) -> CompilationError:
    if rank == 0:
        return CompilationError(f"{what} {axis} is out of range: a scalar has no axis")
    return CompilationError(f"{what} must be from {-rank} to {rank - 1} for rank {rank}, found {axis}")


def new_axis_out_of_range(axis: int, shape: Shape, rank: int) -> CompilationError:
    return CompilationError(
        f"the axis to add to the shape {_shape(shape)} must be from {-rank} to {rank - 1}, found {axis}"
    )


def duplicate_axes(axes: Sequence[int]) -> CompilationError:
    return CompilationError(f"the axes must differ, found {list(axes)}")


def cannot_broadcast(source: Shape, target: Shape) -> CompilationError:
    return CompilationError(f"cannot broadcast {_shape(source)} to {_shape(target)}: only extents of 1 can grow")


def incompatible_shapes(lhs: Shape, rhs: Shape) -> CompilationError:
    return CompilationError(
        f"the shapes {_shape(lhs)} and {_shape(rhs)} do not fit together: "
        "each extent must be equal, or 1 in one of them"
    )


def reshape_changes_size(source: Shape, target: Shape) -> CompilationError:
    return CompilationError(
        f"cannot reshape {_shape(source)} to {_shape(target)}, which has another number of elements"
    )


def squeeze_of_extent(axis: int, shape: Shape) -> CompilationError:
    return CompilationError(f"only an axis of extent 1 can be squeezed, found axis {axis} of {_shape(shape)}")


def scalar_expected(function: str, what: str, type: object) -> CompilationError:
    return CompilationError(f"tl.{function} takes a single value as {what}, found a value of type {type}")


def item_of_many(shape: Shape) -> CompilationError:
    return CompilationError(f"item() takes a tensor of one element, found shape {_shape(shape)}")


def not_a_permutation(order: Sequence[int], shape: Shape) -> CompilationError:
    return CompilationError(f"expected each axis of {_shape(shape)} once, found {list(order)}")


def transpose_of_vector(shape: Shape) -> CompilationError:
    return CompilationError(f"tl.trans swaps the last two axes, found shape {_shape(shape)}")


def block_expected(function: str, value: object) -> CompilationError:
    return CompilationError(f"tl.{function} takes a tensor with at least one axis, found {described(value)}")


def bad_index(type: object, index: object) -> CompilationError:
    return CompilationError(
        f"a value of type {type} can be indexed with integers, slices, `None` and `...`, not with {described(index)}"
    )


def index_is_block(type: object) -> UnsupportedError:
    return UnsupportedError(
        f"a tensor cannot be indexed with a value of type {type}",
        hint="tl.gather takes the elements that a tensor of indices names",
    )


def bad_index_dtype(dtype: object) -> CompilationError:
    return CompilationError(f"an index must be an integer, found {dtype}")


def index_out_of_range(index: int, extent: int) -> CompilationError:
    return CompilationError(f"the index {index} is outside of an axis of extent {extent}")


def two_ellipses() -> CompilationError:
    return CompilationError("`...` may stand once in an index")


def slice_with_step_zero() -> CompilationError:
    return CompilationError("the step of a slice must not be 0")


def empty_slice(extent: int) -> CompilationError:
    return CompilationError(f"the slice of an axis of extent {extent} has no element")


def runtime_slice() -> UnsupportedError:
    return UnsupportedError(
        "the bounds of a slice must be known when the kernel is compiled",
        hint="a single index may be a runtime value; tl.gather takes the elements that a tensor of indices names",
    )


def bad_slice(bound: object) -> CompilationError:
    return CompilationError(f"the bounds of a slice are integers, found {described(bound)}")


def different_dtypes(function: str, a: object, b: object) -> CompilationError:
    return CompilationError(f"tl.{function} takes two tensors of one dtype, found {a} and {b}", hint="cast one of them")


def split_of_extent(shape: Shape) -> CompilationError:
    return CompilationError(f"tl.split takes a tensor whose last axis has the extent 2, found shape {_shape(shape)}")


def cat_of_different_shapes(a: Shape, b: Shape) -> CompilationError:
    return CompilationError(f"tl.cat takes two tensors of one shape, found {_shape(a)} and {_shape(b)}")


def reordering_cat_of_rank(shape: Shape) -> CompilationError:
    return CompilationError(
        f"tl.cat with can_reorder takes tensors with one axis, found shape {_shape(shape)}",
        hint="leave out can_reorder",
    )


def too_many_indices(type: object, rank: int, count: int) -> CompilationError:
    if rank:
        return CompilationError(f"{count} indices for a value of type {type}, which has {rank} axes")
    is_pointer = str(type).startswith("pointer")
    return CompilationError(
        f"a value of type {type} is a single one and has no elements",
        hint="tl.load(p + i) is the element i of the array at p" if is_pointer else None,
    )


def empty_range(start: int, end: int) -> CompilationError:
    return CompilationError(f"the end of tl.arange must be greater than its start, found {start} and {end}")


def range_out_of_int32(start: int, end: int) -> CompilationError:
    return CompilationError(f"tl.arange must fit into int32, found {start} and {end}")


# Functions


def bad_choice(what: str, found: object, choices: Iterable[Any]) -> CompilationError:
    return CompilationError(f"{what} must be one of {_choices(choices)}, found {described(found)}")


def bad_call(function: str, reason: str, parameters: Iterable[str] = ()) -> CompilationError:
    parameters = list(parameters)
    hint = f"its parameters are {', '.join(parameters)}" if parameters else None
    return CompilationError(f"bad call of {function}: {reason}", hint=hint)


def pointer_expected(function: str, value: object) -> CompilationError:
    return CompilationError(f"tl.{function} takes a pointer or a tensor of pointers, found {described(value)}")


def mask_not_bool(function: str, dtype: object) -> CompilationError:
    return CompilationError(f"the mask of tl.{function} must be of int1, found {dtype}", hint="compare it: mask != 0")


def other_without_mask() -> CompilationError:
    return CompilationError("tl.load takes `other` together with `mask` only")


def block_with_scalar_pointer(function: str, what: str, type: object) -> CompilationError:
    return CompilationError(
        f"tl.{function} through a single pointer takes a scalar as {what}, found a value of type {type}",
        hint="add a tensor of offsets to the pointer",
    )


def does_not_fit_pointer(function: str, what: str, shape: Shape, pointer: Shape) -> CompilationError:
    return CompilationError(
        f"the {what} of tl.{function} has shape {_shape(shape)}, which does not fit the pointer's {_shape(pointer)}"
    )


def store_to_const(type: object) -> CompilationError:
    return CompilationError(f"cannot store through a {type}")


def atomic_dtype(function: str, dtype: object, supported: str) -> CompilationError:
    return CompilationError(f"tl.{function} does not support {dtype}", hint=f"it takes pointers to {supported}")


def negative_timeout(value: int) -> CompilationError:
    return CompilationError(f"the timeout_ns of tl.atomic_poll must not be negative, found {value}")


def timeout_not_scalar(value: object) -> CompilationError:
    return CompilationError(f"the timeout_ns of tl.atomic_poll must be a scalar integer, found {described(value)}")


def combine_function_not_jit(name: str, function: object) -> CompilationError:
    return CompilationError(
        f"tl.{name} takes a function decorated with @triton.jit, found {described(function)}",
    )


def combine_function_result(found: Sequence[object], expected: Sequence[object]) -> CompilationError:
    return CompilationError(
        f"the function of a reduction or a scan must return ({', '.join(map(str, expected))}) like its arguments, "
        f"found ({', '.join(map(str, found))})"
    )


def operands_of_different_shapes(name: str, shapes: Sequence[Shape]) -> CompilationError:
    found = ", ".join(map(_shape, shapes)) or "none"
    return CompilationError(f"tl.{name} takes tensors of one shape, found {found}")


def gather_shapes(source: Shape, indices: Shape, axis: int) -> CompilationError:
    return CompilationError(
        f"tl.gather takes indices of the shape of the source but along axis {axis}, found {_shape(indices)} for "
        f"{_shape(source)}"
    )


def histogram_input(type: object) -> CompilationError:
    return CompilationError(
        f"tl.histogram takes a tensor of integers with one axis, found {type}",
        hint="tl.ravel gives the elements of a tensor in one axis",
    )


def histogram_mask(dtype: object) -> CompilationError:
    return CompilationError(f"the mask of tl.histogram must be int1, found {dtype}")


def too_few_bins(count: int) -> CompilationError:
    return CompilationError(f"tl.histogram needs one or more bins, found {count}")


def topk_count(count: int, extent: int) -> CompilationError:
    return CompilationError(f"tl.topk can give 1 to {extent} elements of an axis of extent {extent}, found {count}")


def dot_of_different_dtypes(lhs: object, rhs: object) -> CompilationError:
    return CompilationError(f"tl.dot takes operands of one dtype, found {lhs} and {rhs}", hint="cast one of the two")


def dot_of_wrong_rank(lhs: Shape, rhs: Shape) -> CompilationError:
    return CompilationError(f"tl.dot takes [M, K] and [K, N], found {_shape(lhs)} and {_shape(rhs)}")


def dot_of_different_batches(lhs: Shape, rhs: Shape) -> CompilationError:
    return CompilationError(
        f"tl.dot takes operands with the same batch of matrices, found {_shape(lhs)} and {_shape(rhs)}"
    )


def format_of_other_dtype(name: str, found: object, expected: str) -> CompilationError:
    return CompilationError(f"an operand of tl.dot_scaled of the format {name!r} may be of {expected}, found {found}")


def shape_of_scale(what: str, found: Shape, values: Shape, groups: Iterable[int]) -> CompilationError:
    *rows, depth = values
    expected = " or ".join(_shape([*rows, depth // group]) for group in groups)
    return CompilationError(f"the {what} of tl.dot_scaled has the shape {expected}, found {_shape(found)}")


def dot_of_different_k(lhs: Shape, rhs: Shape) -> CompilationError:
    return CompilationError(
        f"tl.dot takes [M, K] and [K, N], found {_shape(lhs)} and {_shape(rhs)}: K is {lhs[-1]} and {rhs[-2]}"
    )


def dot_result_dtype(operand: object, found: object, allowed: Iterable[object]) -> CompilationError:
    return CompilationError(
        f"tl.dot of {operand} gives {' or '.join(map(str, allowed))}, found {found}", hint="cast the result with .to"
    )


def dot_accumulator_shape(found: Shape, expected: Shape) -> CompilationError:
    return CompilationError(f"the accumulator of tl.dot must have shape {_shape(expected)}, found {_shape(found)}")


def dot_accumulator_dtype(found: object, expected: object) -> CompilationError:
    return CompilationError(f"the accumulator of tl.dot must be of {expected}, found {found}")


def two_precisions() -> CompilationError:
    return CompilationError("tl.dot takes one of input_precision and allow_tf32, found both")


def hint_of_wrong_rank(function: str, values: Sequence[int], shape: Shape) -> CompilationError:
    return CompilationError(
        f"tl.{function} takes one number for each axis of {_shape(shape)}, found {list(values)}",
    )


def hint_not_positive(function: str, values: Sequence[int]) -> CompilationError:
    return CompilationError(f"tl.{function} takes positive 32-bit numbers, found {list(values)}")


# What is known when the kernel is compiled


def static_condition_at_runtime(what: str) -> CompilationError:
    return CompilationError(f"the condition of {what} must be known when the kernel is compiled")


def static_assertion_failed(message: str) -> CompilationError:
    return CompilationError(f"assertion failed{': ' if message else ''}{message}")


def raised(name: str, text: str) -> CompilationError:
    return CompilationError(f"the kernel raises {name}{': ' if text else ''}{text}")


def raise_at_runtime() -> UnsupportedError:
    return UnsupportedError(
        "raise is not supported where it depends on what is known only when the kernel runs",
        hint="tl.device_assert ends the launch where a condition does not hold",
    )


def text_of_runtime_value(type: object) -> CompilationError:
    return CompilationError(
        f"a value of type {type} has no text when the kernel is compiled",
        hint='tl.device_print("x", x) prints it when the kernel runs; {x.type} in a text is its type',
    )


def constant_expression_failed(error: Exception) -> CompilationError:
    return CompilationError(f"this cannot be computed when the kernel is compiled: {type(error).__name__}: {error}")


def constant_division_by_zero() -> CompilationError:
    return CompilationError("division by zero")


def constant_too_large() -> CompilationError:
    return CompilationError("this constant is too large to compute")


def constant_argument(function: str, type: object, hint: str | None = None) -> CompilationError:
    return CompilationError(
        f"{function} takes values that are known when the kernel is compiled, found a value of type {type}", hint=hint
    )


def python_cast(function: str) -> CompilationError:
    dtype = {"int": "tl.int32", "float": "tl.float32", "bool": "tl.int1"}[function]
    return CompilationError(
        f"{function}() takes a value that is known when the kernel is compiled", hint=f"use .to({dtype})"
    )


def length_of_tensor(type: object) -> CompilationError:
    return CompilationError(f"len() does not take a value of type {type}", hint="use .shape[0]")


def runtime_index(owner: object) -> CompilationError:
    return CompilationError(f"the index into {described(owner)} must be known when the kernel is compiled")


# Names


def undefined_name(name: str, names: Iterable[str] = ()) -> CompilationError:
    return CompilationError(f"{name!r} is not defined", hint=_did_you_mean(name, names))


def used_before_assignment(name: str) -> CompilationError:
    return CompilationError(f"{name!r} is read before it is assigned")


def no_such_attribute(owner: str, name: str, names: Iterable[str]) -> CompilationError:
    return CompilationError(f"{owner} has no attribute {name!r}", hint=_did_you_mean(name, names))


def tuples_do_not_change(found: object, name: str) -> CompilationError:
    return CompilationError(
        f"{described(found)} has no {name}: a list is a tuple in a kernel, which never changes",
        hint="make another one, as in x = [*x, y] or x = x[1:]",
    )


def global_not_constexpr(name: str, value: object) -> CompilationError:
    if (dtype := _dtype_of_another_library(value)) is not None:
        return CompilationError(f"{name!r} is no type of the language", hint=f"use {dtype}")
    if callable(value) and getattr(value, "__module__", "").startswith("mytriton."):
        return CompilationError(f"{name!r} works outside of kernels only")
    if callable(value) and not isinstance(value, type):
        return CompilationError(
            f"{name!r} is a Python function, which a kernel cannot call", hint="decorate it with @triton.jit"
        )
    return CompilationError(
        f"{name!r} is a global variable of type {type(value).__name__}, "
        "which could change after the kernel was compiled",
        hint=f"make it a constant, {name} = tl.constexpr(...), or pass it as an argument",
    )


def _dtype_of_another_library(value: object) -> str | None:
    """The `tl` type with the name of a NumPy or torch type, such as `np.float32`."""
    module, _, name = str(value).rpartition(".") if type(value).__name__ == "dtype" else ("", "", "")
    if isinstance(value, type):
        module, name = value.__module__, value.__name__
    name = {"bool_": "int1", "bool": "int1", "half": "float16", "float": "float32"}.get(name, name)
    return f"tl.{name}" if module in ("numpy", "torch") and re.fullmatch(r"(bfloat|float|u?int)\d+", name) else None


def python_function_unsupported(name: str) -> UnsupportedError:
    return UnsupportedError(f"{name!r} of Python is not supported in kernels")


def breakpoint_when_compiled(name: str) -> BreakpointError:
    return BreakpointError(
        f"{name}() stops a kernel only on the interpreter",
        hint="launch the kernel within mytriton.interpret(), and compile it without the call",
    )


def not_callable(value: object) -> CompilationError:
    return CompilationError(f"a kernel cannot call {described(value)}")


def launch_in_kernel(name: str) -> CompilationError:
    return CompilationError("a kernel cannot launch a kernel", hint=f"call the function: {name}(...)")


# Calls


def recursion(name: str) -> UnsupportedError:
    return UnsupportedError(f"{name} calls itself, which is not supported: calls are inlined")


def calls_too_deep(limit: int) -> CompilationError:
    return CompilationError(f"more than {limit} calls inside of each other")


def keyword_expansion() -> UnsupportedError:
    return UnsupportedError("**keywords are not supported in kernels", hint="name each argument")


def kernel_returns_value() -> CompilationError:
    return CompilationError("a kernel cannot return a value", hint="store it through a pointer")


def returns_differ(first: object, second: object) -> CompilationError:
    return CompilationError(
        f"the function returns {described(first)} on one side of this `if` and {described(second)} on the other",
        hint="return values of one type on every path",
    )


# Assignments and iteration


def assignment_target(target: ast.expr) -> UnsupportedError:
    kind = {"Subscript": "an element", "Attribute": "an attribute"}.get(type(target).__name__, "this")
    hint = "tensors have no elements that can be set; use tl.where or tl.store" if kind == "an element" else None
    return UnsupportedError(f"an assignment to {kind} is not supported", hint=hint)


def not_a_tuple(value: object) -> CompilationError:
    return CompilationError(f"only a tuple can be unpacked, found {described(value)}")


def wrong_number_of_values(expected: int, found: int) -> CompilationError:
    return CompilationError(f"expected {expected} values to unpack, found {found}")


def not_iterable(value: object) -> CompilationError:
    return CompilationError(
        f"a loop of a kernel runs over range, tl.range, tl.static_range or a tuple, found {described(value)}"
    )


# Control flow


def truth_of_runtime_value(type: object) -> CompilationError:
    return CompilationError(
        f"whether a value of type {type} is true is known only when the kernel runs",
        hint="combine conditions with & and |, and choose between values with tl.where or `if`",
    )


def block_condition(type: object) -> CompilationError:
    return CompilationError(
        f"a condition must be a single value, found a value of type {type}",
        hint="select elements with tl.where, or reduce the tensor to one value",
    )


def boolean_expected(operator: str, type: object) -> CompilationError:
    return CompilationError(
        f"`{operator}` takes conditions of int1, found a value of type {type}", hint="compare it: x != 0"
    )


def conditional_assignment() -> UnsupportedError:
    return UnsupportedError("an assignment inside of an expression that may be skipped is not supported")


def values_do_not_join(first: object, second: object) -> CompilationError:
    return CompilationError(
        f"the two alternatives must have one type, found {described(first)} and {described(second)}",
        hint="give both one dtype and one shape",
    )


def defined_on_one_side(name: str, side: str, line: int) -> CompilationError:
    other = "`else`" if side == "if" else "`if`"
    return CompilationError(
        f"{name!r} may be undefined here: the `{side}` side of a condition assigns it on line {line}, "
        f"the {other} side does not",
        hint=f"assign {name!r} before the `if`, or on both sides",
    )


def sides_differ(name: str, first: object, second: object, line: int) -> CompilationError:
    return CompilationError(
        f"{name!r} is {described(first)} after one side of the `if` on line {line} and {described(second)} after the "
        "other",
        hint="give it values of one type on both sides",
    )


def defined_in_loop(name: str, line: int) -> CompilationError:
    return CompilationError(
        f"{name!r} may be undefined here: only the loop on line {line} assigns it, which may make no turn",
        hint=f"assign {name!r} before the loop",
    )


def loop_variable_after_loop(name: str) -> CompilationError:
    return CompilationError(
        f"{name!r} may be undefined here: the loop that assigns it may make no turn",
        hint=f"assign an int32 to {name!r} before the loop",
    )


def undefined_at_end_of_turn(name: str, reason: CompilationError) -> CompilationError:
    return CompilationError(f"{name!r} has no value for the next turn of the loop: {reason.message}", hint=reason.hint)


def loop_changes_type(name: str, before: object, after: object) -> CompilationError:
    return CompilationError(
        f"{name!r} is {described(before)} before the loop and {described(after)} after a turn of it",
        hint=f"give {name!r} the type that it has in the loop before the loop, or cast it in the loop",
    )


def constant_changed_in_loop(name: str, before: object, after: object) -> CompilationError:
    return CompilationError(
        f"{name!r} is {described(before)}, known when the kernel is compiled, and a loop that runs with the kernel "
        f"changes it to {described(after)}",
        hint=f"give {name!r} a value of the type of {after} before the loop"
        if before is None
        else "use tl.static_range, which is unrolled",
    )


def endless_loop() -> CompilationError:
    return CompilationError("this condition is always true, so the loop never ends")


def zero_step() -> CompilationError:
    return CompilationError("the step of a range must not be 0")


def bad_loop_bound(value: object) -> CompilationError:
    return CompilationError(f"the bounds and the step of a range must be single integers, found {described(value)}")


def loop_else(kind: str) -> UnsupportedError:
    return UnsupportedError(
        f"the `else` of a `{kind}` loop is not supported",
        hint="set a variable before the `break`, and test it in an `if` after the loop",
    )


def loop_target() -> UnsupportedError:
    return UnsupportedError("a loop over a range needs a single variable")


def too_many_statements(limit: int) -> CompilationError:
    return CompilationError(
        f"the kernel has more than {limit} statements after inlining and unrolling",
        hint="use range instead of tl.static_range, so that the loop stays a loop",
    )


def changed_since_compiled(kernel: str) -> CompilationError:
    return CompilationError(
        f"the kernel {kernel}, or something that it uses, is no longer what was compiled, and its IR was not kept",
        hint="ask for the IR before changing what the kernel uses, or launch or warm it up again for the IR of the new "
        "one",
    )


def nested_too_deeply() -> CompilationError:
    return CompilationError("this is nested too deeply to compile")


# Syntax

_TUPLE_INSTEAD = "use a tuple, or a named tuple"

_EXPRESSIONS = {
    "Lambda": ("a lambda", "define a function outside, and decorate it with @triton.jit"),
    "Dict": ("a dictionary", _TUPLE_INSTEAD),
    "Set": ("a set", _TUPLE_INSTEAD),
    "DictComp": ("a dictionary comprehension", _TUPLE_INSTEAD),
    "SetComp": ("a set comprehension", _TUPLE_INSTEAD),
    "Yield": ("yield", "return a tuple, or store results through pointers"),
    "YieldFrom": ("yield from", "return a tuple, or store results through pointers"),
    "Constant": ("a constant of this type", None),
}

_STATEMENTS = {
    "FunctionDef": ("a function", "define it outside, and decorate it with @triton.jit"),
    "AsyncFunctionDef": ("an async function", None),
    "ClassDef": ("a class", None),
    "Delete": ("del", None),
    "With": ("with", None),
    "Match": ("match", "use if and elif"),
    "Raise": ("raise without an exception", None),
    "Try": ("try", None),
    "TryStar": ("try", None),
    "Import": ("an import", "import at the top of the file"),
    "ImportFrom": ("an import", "import at the top of the file"),
    "Global": ("global", "pass the value as an argument, and store results through pointers"),
    "Nonlocal": ("nonlocal", "pass the value as an argument, and store results through pointers"),
}


def unsupported_expression(node: ast.expr) -> UnsupportedError:
    name = type(node).__name__
    what, hint = _EXPRESSIONS.get(name, (name, None))
    return UnsupportedError(f"{what} inside of a kernel is not supported", hint=hint)


def unsupported_statement(node: ast.stmt) -> UnsupportedError:
    name = type(node).__name__
    what, hint = _STATEMENTS.get(name, (name, None))
    return UnsupportedError(f"{what} inside of a kernel is not supported", hint=hint)
