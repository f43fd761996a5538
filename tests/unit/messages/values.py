"""Values and their types: what is refused, and with which words."""

from __future__ import annotations

from tests.unit.messages.case import Case

CASES = {
    "unsupported_option": Case(
        "x = «tl.fdiv(f, f, approx=True)»",
        "approx=True of tl.fdiv is not supported: division is always correctly rounded",
    ),
    "block_pointer_option": Case(
        "x = «tl.load(p, boundary_check=(0,))»",
        "boundary_check of tl.load is for block pointers, and this is a pointer to single elements",
        "use a mask, or make a block pointer with tl.make_block_ptr",
    ),
    "mask_of_block_pointer": Case(
        "b = tl.make_block_ptr(p, (16,), (1,), (0,), (8,), (0,))\nx = «tl.load(b, mask=tl.arange(0, 8) < 4)»",
        "tl.load of a block pointer takes no mask",
        "name the axes to check with boundary_check",
    ),
    "scalar_pointer_expected": Case(
        "b = «tl.make_block_ptr(n, (16,), (1,), (0,), (8,), (0,))»",
        "tl.make_block_ptr takes a single pointer as its base, found a value of type int32",
    ),
    "block_pointer_expected": Case(
        "b = «tl.advance(p, (8,))»",
        "tl.advance takes a block pointer, found a value of type pointer<fp32>",
        "make one with tl.make_block_ptr",
    ),
    "integers_expected": Case(
        "b = «tl.make_block_ptr(p, (f,), (1,), (0,), (8,), (0,))»",
        (
            "the shape of tl.make_block_ptr must be integers, one for each axis, in a tuple or a list, found a "
            "value of type fp32"
        ),
    ),
    "different_ranks": Case(
        "b = «tl.make_block_ptr(p, (16, 16), (1,), (0,), (8,), (0,))»",
        (
            "tl.make_block_ptr takes one value for each axis in all of its arguments, found 2 of shape, 1 of "
            "strides, 1 of offsets, 1 of block_shape, 1 of order"
        ),
    ),
    "bad_boundary_check": Case(
        "b = tl.make_block_ptr(p, (16,), (1,), (0,), (8,), (0,))\nx = «tl.load(b, boundary_check=(1,))»",
        "boundary_check of tl.load names axes from 0 to 0, each once, found [1]",
    ),
    "descriptor_expected": Case(
        "x = «tl.load_tensor_descriptor(p, [0])»",
        "tl.load_tensor_descriptor takes a tensor descriptor, found a value of type pointer<fp32>",
        "make one with tl.make_tensor_descriptor",
    ),
    "descriptor_rank": Case(
        "d = «tl.make_tensor_descriptor(p, [2] * 6, [1] * 6, [2] * 6)»",
        "a tensor descriptor has from 1 to 5 axes, found 6",
    ),
    "descriptor_extent": Case(
        "d = «tl.make_tensor_descriptor(p, [2147483648], [1], [16])»",
        "the extents of a tensor descriptor's array are from 0 to 2147483647, found 2147483648",
        "use pointers for an array of more than 2147483647 elements along an axis",
    ),
    "descriptor_stride": Case(
        "d = «tl.make_tensor_descriptor(p, [16], [2], [16])»",
        "the last stride of a tensor descriptor must be the number 1, found 2",
        "use a tensor of pointers for an array whose last axis is not contiguous",
    ),
    "descriptor_of_rows": Case(
        "d = tl.make_tensor_descriptor(p, [16, 16], [16, 1], [4, 16])\nx = «d.gather(tl.arange(0, 4), 0)»",
        "gather needs a tensor descriptor whose tiles have the shape [1, n], found [4, 16]",
    ),
    "rows_expected": Case(
        "d = tl.make_tensor_descriptor(p, [16, 16], [16, 1], [1, 16])\nx = «d.gather(n, 0)»",
        "the rows that gather takes are a tensor of integers, of rank 1, found a value of type int32",
    ),
    "aggregate_expected": Case(
        "x = «tl.aggregate_replace(n, first=1)»",
        "aggregate_replace takes a value of an aggregate class, found a value of type int32",
    ),
    "nan_padding": Case(
        (
            "b = tl.make_block_ptr(q, (16,), (1,), (0,), (8,), (0,))\nx = «tl.load(b, boundary_check=(0,), "
            'padding_option="nan")»'
        ),
        "padding with NaN needs elements that are floats, found int32",
    ),
    "unknown_dtype": Case(
        'x = «tl.dtype("fp33")»',
        "there is no dtype 'fp33'",
        (
            "the dtypes are void, int1, int8, int16, int32, int64, uint8, uint16, uint32, uint64, fp8e4b15, "
            "fp8e4nv, fp8e4b8, fp8e5, fp8e5b16, fp16, bf16, fp32, fp64"
        ),
    ),
    "not_a_dtype": Case("x = «n.to(3)»", "expected a dtype such as tl.float32, found 3"),
    "integer_too_large": Case("«x = 2 ** 70»", "1180591620717411303424 does not fit into 64 bits"),
    "float_for_integer": Case(
        "x = «tl.full((4,), 1.5, tl.int32)»",
        "expected an integer for int32, found 1.5",
        "cast it, or choose a float dtype",
    ),
    "not_a_constant_of": Case('x = «tl.full((4,), "a", tl.float32)»', "'a' is not a constant of fp32"),
    "number_out_of_range": Case(
        "x = «n.to(tl.int8) + 300»",
        "300 is out of range for int8",
        "cast the tensor to a wider dtype first",
    ),
    "negative_for_unsigned": Case(
        "x = «n.to(tl.uint8) + -1»",
        "-1 is negative and cannot be combined with uint8, which is unsigned",
        "cast one of the two to the dtype that is meant",
    ),
    "bad_operands": Case("x = «f & 1»", "& does not take operands of types fp32 and fp32"),
    "no_arithmetic": Case(
        "x = f.to(tl.float8e4b15)\ny = «x + x»",
        "+ is not defined for fp8e4b15, which is for storage",
        "cast it to float16",
    ),
    "bad_operand": Case("x = «~f»", "~ does not take an operand of type fp32"),
    "operator_unsupported": Case(
        "x = «tl.arange(0, 8) @ tl.arange(0, 8)»",
        "@ is not supported on values that are known only when the kernel runs (int32[8] and int32[8])",
        "use tl.dot",
    ),
    "no_common_dtype": Case(
        "x = f.to(tl.float8e5)\ny = «x + n»",
        "fp8e5 and int32 have no common dtype",
        "cast one of the two",
    ),
    "division_of_different_signedness": Case(
        "x = «n.to(tl.uint32) / n»",
        "cannot divide uint32 and int32, of which one is signed and the other is not",
        "cast one of the two to the signedness that is meant",
    ),
    "float_floor_division": Case("x = «f // 2»", "// takes integers, found fp32 and int32", "use tl.floor(x / y)"),
    "sum_of_pointers": Case("x = «q + p»", "cannot add two pointers (pointer<int32> and pointer<fp32>)"),
    "bad_pointer_offset": Case("x = «p + f»", "a pointer<fp32> can be moved by an integer only, found fp32"),
    "bad_cast": Case("x = «p.to(tl.int32)»", "cannot cast pointer<fp32> to int32"),
    "bitcast_of_other_size": Case(
        "x = «n.to(tl.float64, bitcast=True)»",
        "cannot reinterpret the bits of int32 as fp64, which has another size",
    ),
    "rounding_without_narrowing": Case(
        'x = «f.to(tl.float64, fp_downcast_rounding="rtz")»',
        "fp_downcast_rounding is for floats that get narrower, found fp32 to fp64",
    ),
    "wrong_dtype": Case("x = «tl.exp(n)»", "tl.exp takes fp32, fp64, found int32", "cast with .to(tl.float32) first"),
    "no_such_overload": Case(
        "x = «tl.extra.cuda.libdevice.tanh(n)»",
        "libdevice.tanh takes (fp32) or (fp64), found (int32)",
        "cast the arguments with .to(...); libdevice's functions promote nothing",
    ),
    "power_of_integers": Case(
        "x = «n ** n»",
        "** of integers takes an exponent that is a number and not negative, found int32 ** int32",
        "cast the base with .to(tl.float32) first",
    ),
    "prefix_not_text": Case(
        "«tl.device_print(n)»",
        "the first argument of tl.device_print and of print is a text, found a value of type int32",
        'write the name of the value first, as in print("x", x)',
    ),
    "prefix_not_ascii": Case(
        '«print("größe", n)»',
        "the text of tl.device_print has ASCII characters only, found 'größe'",
    ),
    "message_not_text": Case(
        "«tl.device_assert(n > 3, n)»",
        "the message of an assertion is a text, found a value of type int32",
    ),
    "not_inline_asm": Case(
        'x = «tl.inline_asm_elementwise(3, "=r,r", [n], tl.int32, True, 1)»',
        "tl.inline_asm_elementwise takes a text, the text of its constraints, and at least one dtype",
    ),
    "pack_not_positive": Case(
        'x = «tl.inline_asm_elementwise("mov", "=r,r", [n], tl.int32, True, 0)»',
        "pack of tl.inline_asm_elementwise must be positive, found 0",
    ),
    "not_a_block": Case(
        "x = «tl.map_elementwise(adds, n, n)»",
        "tl.map_elementwise takes tensors, found none",
        "call the function itself on scalars",
    ),
    "results_of_map": Case(
        "x = «tl.map_elementwise(whole, tl.arange(0, 4))»",
        "the function of tl.map_elementwise returns scalars",
    ),
    "not_a_value": Case("«tl.store(p, None)»", "expected a tensor or a number, found None"),
}
