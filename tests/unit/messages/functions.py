"""Arguments of the functions of the language: what is refused, and with which words."""

from __future__ import annotations

from tests.unit.messages.case import Case

CASES = {
    "bad_choice": Case(
        'x = «f.to(tl.float16, fp_downcast_rounding="up")»',
        "fp_downcast_rounding must be one of 'rtne', 'rtz', found 'up'",
    ),
    "bad_call": Case(
        "x = «ones(n)»",
        "bad call of ones: missing a required argument: 'SIZE'",
        "its parameters are x, SIZE",
    ),
    "pointer_expected": Case(
        "x = «tl.load(n)»",
        "tl.load takes a pointer or a tensor of pointers, found a value of type int32",
    ),
    "mask_not_bool": Case(
        "x = «tl.load(p, mask=n)»",
        "the mask of tl.load must be of int1, found int32",
        "compare it: mask != 0",
    ),
    "other_without_mask": Case("x = «tl.load(p, other=0)»", "tl.load takes `other` together with `mask` only"),
    "block_with_scalar_pointer": Case(
        "x = «tl.load(p, tl.arange(0, 4) < 3)»",
        "tl.load through a single pointer takes a scalar as mask, found a value of type int1[4]",
        "add a tensor of offsets to the pointer",
    ),
    "does_not_fit_pointer": Case(
        "«tl.store(p + tl.arange(0, 1), tl.arange(0, 4))»",
        "the value of tl.store has shape [4], which does not fit the pointer's [1]",
    ),
    "store_to_const": Case(
        "c = p.to(tl.pointer_type(tl.float32, const=True))\n«tl.store(c, f)»",
        "cannot store through a const_pointer<fp32>",
    ),
    "atomic_dtype": Case(
        "b = p.to(tl.pointer_type(tl.int8))\n«tl.atomic_add(b, 1)»",
        "tl.atomic_add does not support int8",
        "it takes pointers to integers and floats of 32 and 64 bits, float16 and bfloat16",
    ),
    "negative_timeout": Case(
        "x = «tl.atomic_poll(q, 1, timeout_ns=-5)»",
        "the timeout_ns of tl.atomic_poll must not be negative, found -5",
    ),
    "timeout_not_scalar": Case(
        "x = «tl.atomic_poll(q, 1, timeout_ns=f)»",
        "the timeout_ns of tl.atomic_poll must be a scalar integer, found a value of type fp32",
    ),
    "combine_function_not_jit": Case(
        "x = «tl.associative_scan(tl.arange(0, 8), 0, max)»",
        "tl.associative_scan takes a function decorated with @triton.jit, found max",
    ),
    "combine_function_result": Case(
        "x = «tl.reduce(tl.arange(0, 8), 0, returns_other_type)»",
        "the function of a reduction or a scan must return (int32) like its arguments, found (int64)",
    ),
    "operands_of_different_shapes": Case(
        "x = «tl.reduce((tl.arange(0, 4), tl.arange(0, 8)), 0, adds)»",
        "tl.reduce takes tensors of one shape, found [4], [8]",
    ),
    "gather_shapes": Case(
        "x = «tl.gather(tl.zeros((4, 8), tl.int32), tl.zeros((8, 4), tl.int32), 1)»",
        "tl.gather takes indices of the shape of the source but along axis 1, found [8, 4] for [4, 8]",
    ),
    "histogram_input": Case(
        "x = «tl.histogram(tl.zeros((8,), tl.float32), 4)»",
        "tl.histogram takes a tensor of integers with one axis, found fp32[8]",
        "tl.ravel gives the elements of a tensor in one axis",
    ),
    "histogram_mask": Case(
        "x = «tl.histogram(tl.arange(0, 8), 4, mask=tl.arange(0, 8))»",
        "the mask of tl.histogram must be int1, found int32",
    ),
    "too_few_bins": Case("x = «tl.histogram(tl.arange(0, 8), 0)»", "tl.histogram needs one or more bins, found 0"),
    "topk_count": Case(
        "x = «tl.topk(tl.arange(0, 8), 9)»",
        "tl.topk can give 1 to 8 elements of an axis of extent 8, found 9",
    ),
    "dot_of_different_dtypes": Case(
        "x = «tl.dot(tl.zeros((4, 8), tl.float16), tl.zeros((8, 4), tl.float32))»",
        "tl.dot takes operands of one dtype, found fp16 and fp32",
        "cast one of the two",
    ),
    "dot_of_wrong_rank": Case(
        "x = «tl.dot(tl.zeros((4,), tl.float32), tl.zeros((4,), tl.float32))»",
        "tl.dot takes [M, K] and [K, N], found [4] and [4]",
    ),
    "dot_of_different_batches": Case(
        "a = tl.zeros((2, 4, 4), tl.float32)\nb = tl.zeros((3, 4, 4), tl.float32)\nx = «tl.dot(a, b)»",
        "tl.dot takes operands with the same batch of matrices, found [2, 4, 4] and [3, 4, 4]",
    ),
    "format_of_other_dtype": Case(
        'a = tl.zeros((32, 32), tl.float32)\nx = «tl.dot_scaled(a, None, "e4m3", a, None, "e4m3")»',
        "an operand of tl.dot_scaled of the format 'e4m3' may be of uint8, found fp32",
    ),
    "shape_of_scale": Case(
        (
            "a = tl.zeros((32, 64), tl.uint8)\nb = tl.zeros((64, 32), tl.uint8)\nx = «tl.dot_scaled(a, "
            'tl.zeros((32, 3), tl.uint8), "e4m3", b, None, "e4m3")»'
        ),
        "the lhs_scale of tl.dot_scaled has the shape [32, 4] or [32, 2], found [32, 3]",
    ),
    "dot_of_different_k": Case(
        "x = «tl.dot(tl.zeros((4, 8), tl.float32), tl.zeros((4, 8), tl.float32))»",
        "tl.dot takes [M, K] and [K, N], found [4, 8] and [4, 8]: K is 8 and 4",
    ),
    "dot_result_dtype": Case(
        "a = tl.zeros((4, 4), tl.float32)\nx = «tl.dot(a, a, tl.zeros((4, 4), tl.float16))»",
        "tl.dot of fp32 gives fp32, found fp16",
        "cast the result with .to",
    ),
    "dot_accumulator_shape": Case(
        "a = tl.zeros((4, 4), tl.float32)\nx = «tl.dot(a, a, tl.zeros((4, 5), tl.float32))»",
        "the accumulator of tl.dot must have shape [4, 4], found [4, 5]",
    ),
    "dot_accumulator_dtype": Case(
        ("a = tl.zeros((16, 16), tl.int8)\nx = «tl.dot(a, a, tl.zeros((16, 16), tl.float32), out_dtype=tl.int32)»"),
        "the accumulator of tl.dot must be of int32, found fp32",
    ),
    "two_precisions": Case(
        'a = tl.zeros((16, 16), tl.float32)\nx = «tl.dot(a, a, input_precision="ieee", allow_tf32=True)»',
        "tl.dot takes one of input_precision and allow_tf32, found both",
    ),
    "hint_of_wrong_rank": Case(
        "x = «tl.max_contiguous(tl.arange(0, 8)[None, :], 8)»",
        "tl.max_contiguous takes one number for each axis of [1, 8], found [8]",
    ),
    "hint_not_positive": Case(
        "x = «tl.multiple_of(n, 0)»",
        "tl.multiple_of takes positive 32-bit numbers, found [0]",
    ),
}
