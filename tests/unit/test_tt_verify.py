"""The operations of `tt` as Python builds them: result types, what the verifiers accept, effects and accessors."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import (
    HasCanonicalizationPatternsTrait,
    MemoryEffectKind,
    get_effects,
    is_side_effect_free,
    is_speculatable,
)
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects import arith, arith_canonicalization, tt
from mytriton.dialects.tt import canonicalization as tt_canonicalization

PTR = tt.PointerType(f32)
# Any attribute may be an encoding: the verifiers of `tt` do not look at it.
LAYOUT = StringAttr("layout")


def values(*types: Attribute) -> tuple[SSAValue, ...]:
    return tuple(Block(arg_types=types).args)


def tensor(element: Attribute, *shape: int, encoding: Attribute | None = None) -> Attribute:
    return TensorType(element, shape) if encoding is None else TensorType(element, shape, encoding)


def type_of(op: Operation) -> Attribute:
    """The type of an operation's only result, after its verifier has passed."""
    op.verify()
    return op.results[0].type


def sum_region(element: Attribute) -> Region:
    block = Block(arg_types=(element, element))
    lhs, rhs = block.args
    sum = arith.AddfOp(lhs, rhs)
    block.add_ops([sum, tt.ReduceReturnOp(sum)])
    return Region(block)


# Result types


def test_types_that_constructors_infer() -> None:
    vector, matrix, pointers, offsets = values(tensor(i32, 12), tensor(f32, 4, 6), tensor(PTR, 4, 6), tensor(i64, 4, 6))
    scalar, pointer = values(i32, PTR)
    assert type_of(tt.GetProgramIdOp(1)) == i32
    assert type_of(tt.GetNumProgramsOp(2)) == i32
    assert type_of(tt.MakeRangeOp(3, 10)) == tensor(i32, 7)
    assert type_of(tt.SplatOp(scalar, tensor(i32, 5))) == tensor(i32, 5)
    assert type_of(tt.ExpandDimsOp(vector, 0)) == tensor(i32, 1, 12)
    assert type_of(tt.ExpandDimsOp(vector, 1)) == tensor(i32, 12, 1)
    assert type_of(tt.ExpandDimsOp(matrix, 1)) == tensor(f32, 4, 1, 6)
    assert type_of(tt.ReshapeOp(matrix, tensor(f32, 24))) == tensor(f32, 24)
    assert type_of(tt.TransOp(matrix, (1, 0))) == tensor(f32, 6, 4)
    assert type_of(tt.AddPtrOp(pointer, scalar)) == PTR
    assert type_of(tt.AddPtrOp(pointers, offsets)) == tensor(PTR, 4, 6)
    assert type_of(tt.LoadOp(pointer)) == f32
    assert type_of(tt.LoadOp(pointers)) == tensor(f32, 4, 6)
    assert type_of(tt.UnsplatOp(values(tensor(f16, 1, 1))[0])) == f16
    assert type_of(tt.PreciseSqrtOp(matrix)) == tensor(f32, 4, 6)
    assert type_of(tt.PreciseDivFOp(matrix, matrix)) == tensor(f32, 4, 6)
    assert type_of(tt.MulhiUIOp(vector, vector)) == tensor(i32, 12)
    assert type_of(tt.ClampFOp(matrix, matrix, matrix, propagate_nan=True)) == tensor(f32, 4, 6)


def test_dot_and_reduce_types() -> None:
    a, b, c = values(tensor(f16, 4, 6), tensor(f16, 6, 10), tensor(f32, 4, 10))
    assert type_of(tt.DotOp(a, b, c)) == tensor(f32, 4, 10)
    assert type_of(tt.ReduceOp([c], 1, sum_region(f32))) == tensor(f32, 4)
    assert type_of(tt.ReduceOp([c], 0, sum_region(f32))) == tensor(f32, 10)
    assert type_of(tt.ReduceOp(values(tensor(f32, 7)), 0, sum_region(f32))) == f32


def test_encodings_are_kept_and_not_checked() -> None:
    vector, pointers, mask, other = values(*(tensor(element, 8, encoding=LAYOUT) for element in (i32, PTR, i1, f32)))
    assert type_of(tt.LoadOp(pointers, mask, other)) == other.type
    assert type_of(tt.AddPtrOp(pointers, vector)) == pointers.type
    tt.StoreOp(pointers, other, mask).verify()
    matrix = tensor(i32, 8, 1, encoding=StringAttr("another layout"))
    assert type_of(tt.ExpandDimsOp(vector, 1, matrix)) == matrix
    assert type_of(tt.MakeRangeOp(0, 8, vector.type)) == vector.type
    (x,) = values(tensor(f32, 8, 4, encoding=LAYOUT))
    row = tensor(f32, 8, encoding=StringAttr("slice"))
    assert type_of(tt.ReduceOp([x], 1, sum_region(f32), [row])) == row


@settings(max_examples=50, deadline=None)
@given(m=st.integers(1, 200), n=st.integers(1, 200), k=st.integers(1, 200), wrong=st.integers(1, 200))
def test_dot_of_any_size(m: int, n: int, k: int, wrong: int) -> None:
    a, b, c = values(tensor(f32, m, k), tensor(f32, k, n), tensor(f32, m, n))
    tt.DotOp(a, b, c).verify()
    if wrong != k:
        with pytest.raises(VerifyException, match=f"found {k} and {wrong}"):
            tt.DotOp(a, values(tensor(f32, wrong, n))[0], c).verify()
    if wrong != n:
        with pytest.raises(VerifyException, match=f"of shape {m}x{n}, found tensor<{m}x{wrong}xf32>"):
            tt.DotOp(a, b, values(tensor(f32, m, wrong))[0]).verify()


@pytest.mark.parametrize(
    ("a", "b", "c", "valid"),
    [
        (f32, f32, f32, True),
        (f16, f16, f32, True),
        (f16, f16, f16, True),
        (f64, f64, f64, True),
        (i8, i8, i32, True),
        (f32, f32, f64, True),
        (f32, f16, f32, False),
        (f32, f32, f16, False),
        (i8, i8, f32, False),
        (f16, f16, i32, False),
        (i8, i32, i32, False),
    ],
)
def test_element_types_of_dot(a: Attribute, b: Attribute, c: Attribute, valid: bool) -> None:
    lhs, rhs, accumulator = values(tensor(a, 4, 4), tensor(b, 4, 4), tensor(c, 4, 4))
    dot = tt.DotOp(lhs, rhs, accumulator)
    if valid:
        dot.verify()
        return
    with pytest.raises(VerifyException, match="expected"):
        dot.verify()


# Effects


def test_pure_operations_have_no_effect() -> None:
    vector, scalar, pointer = values(tensor(f32, 4), i32, PTR)
    pure = [
        tt.GetProgramIdOp(0),
        tt.GetNumProgramsOp(0),
        tt.MakeRangeOp(0, 4),
        tt.SplatOp(scalar, tensor(i32, 4)),
        tt.ExpandDimsOp(vector, 0),
        tt.AddPtrOp(pointer, scalar),
        tt.BitcastOp(scalar, f32),
        tt.PreciseSqrtOp(vector),
        tt.ReduceOp([vector], 0, sum_region(f32)),
        arith.ExtSIOp(scalar, i64),
        arith.RemUIOp(scalar, scalar),
        arith.DivSIOp(scalar, scalar),
    ]
    for op in pure:
        assert is_side_effect_free(op), op.name
        assert is_speculatable(op), op.name


def test_reduce_has_the_effects_of_its_region() -> None:
    block = Block(arg_types=(f32, f32))
    store = tt.StoreOp(values(PTR)[0], block.args[0])
    block.add_ops([store, tt.ReduceReturnOp(block.args[0])])
    reduce = tt.ReduceOp(values(tensor(f32, 4)), 0, Region(block))
    assert {effect.kind for effect in get_effects(reduce) or ()} == {MemoryEffectKind.WRITE}
    assert not is_trivially_dead(reduce)


def test_effects_of_memory_operations() -> None:
    pointer, value = values(PTR, f32)

    def kinds(op: Operation) -> set[MemoryEffectKind]:
        effects = get_effects(op)
        assert effects is not None
        return {effect.kind for effect in effects}

    assert kinds(tt.LoadOp(pointer)) == {MemoryEffectKind.READ}
    assert kinds(tt.StoreOp(pointer, value)) == {MemoryEffectKind.WRITE}
    assert is_trivially_dead(tt.LoadOp(pointer))
    assert not is_trivially_dead(tt.LoadOp(pointer, is_volatile=True))
    assert not is_speculatable(tt.LoadOp(pointer))
    assert get_effects(tt.CallOp("f", [], [])) is None


# Accessors and constructors


def test_cache_policy() -> None:
    pointer, value = values(PTR, f32)
    plain = tt.LoadOp(pointer)
    assert (plain.cache_modifier, plain.eviction_policy, plain.cache_policy) == ("none", "evict_normal", None)
    cached = tt.StoreOp(pointer, value, cache="wt", evict="evict_first")
    cached.verify()
    assert (cached.cache_modifier, cached.eviction_policy) == ("wt", "evict_first")
    with pytest.raises(VerifyException, match="unknown cache modifier 'l1'"):
        tt.LoadOp(pointer, cache="l1")


def test_words_of_enumerations() -> None:
    a, x, i = values(tensor(f32, 4, 4), f32, i32)
    assert tt.DotOp(a, a, a).precision == "ieee"
    assert tt.DotOp(a, a, a, "tf32x3").precision == "tf32x3"
    assert tt.FpToFpOp(x, f16, "rtz").rounding_mode == "rtz"
    assert tt.FpToFpOp(x, f64).rounding_mode is None
    assert tt.ClampFOp(x, x, x).propagates_nan is False
    assert arith.CmpiOp(i, i, "ult").predicate_name == "ult"
    assert arith.CmpfOp(x, x, 13).predicate_name == "une"
    with pytest.raises(ValueError, match="unknown predicate 'lt', expected one of eq, ne"):
        arith.CmpiOp(i, i, "lt")


def test_load_with_other_needs_a_mask() -> None:
    pointer, value = values(PTR, f32)
    with pytest.raises(ValueError, match="needs a mask"):
        tt.LoadOp(pointer, other=value)


def test_load_from_a_value_is_refused() -> None:
    with pytest.raises(VerifyException, match="expected a pointer or a tensor of pointers, found f32"):
        tt.LoadOp(values(f32)[0])


def test_function() -> None:
    attributes = ArrayAttr([DictionaryAttr({"tt.divisibility": IntegerAttr(16, i32)})])
    func = tt.FuncOp("kernel", ([PTR], []), arg_attrs=attributes)
    func.body.block.add_op(tt.ReturnOp())
    callee = tt.FuncOp("callee", ([f32], [f32]), visibility="private")
    callee.body.block.add_op(tt.ReturnOp(callee.body.block.args[0]))
    ModuleOp([func, callee]).verify()
    assert not func.is_declaration
    assert func.sym_visibility == StringAttr("public")
    assert tt.FuncOp("outside", ([], []), Region(), "private").is_declaration


def test_operations_accept_operations_as_operands() -> None:
    pid = tt.GetProgramIdOp(0)
    size = arith.ConstantOp.of(i32, 64)
    start = arith.MuliOp(pid, size)
    offsets = arith.AddiOp(tt.SplatOp(start, tensor(i32, 64)), tt.MakeRangeOp(0, 64))
    assert type_of(offsets) == tensor(i32, 64)
    assert type_of(arith.CmpiOp(offsets, tt.SplatOp(size, tensor(i32, 64)), "slt")) == tensor(i1, 64)


def test_constant_with_the_wrong_number_of_elements() -> None:
    four = arith.ConstantOp.of(tensor(i32, 4), 1)
    with pytest.raises(VerifyException):
        arith.ConstantOp(four.value, tensor(i32, 5)).verify()


@pytest.mark.parametrize(
    "op", [*arith_canonicalization.PATTERNS, *tt_canonicalization.PATTERNS], ids=lambda op: op.name
)
def test_canonicalization_finds_the_rewrites(op: type[Operation]) -> None:
    patterns = [
        pattern
        for trait in op.get_traits_of_type(HasCanonicalizationPatternsTrait)
        for pattern in trait.get_patterns(op)
    ]
    assert patterns


def test_names_and_locations_survive_canonicalization_patterns() -> None:
    from xdsl.context import Context
    from xdsl.dialects.builtin import Builtin, FileLineColLoc, IntAttr

    from mytriton.passes.canonicalize import Canonicalize

    context = Context()
    for dialect in (Builtin, arith.Arith, tt.TT):
        context.load_dialect(dialect)
    location = FileLineColLoc(StringAttr("kernel.py"), IntAttr(3), IntAttr(5))
    func = tt.FuncOp("kernel", ([f32], [tensor(f32, 4, 8)]))
    splat = tt.SplatOp(func.body.block.args[0], tensor(f32, 4, 1))
    wide = tt.BroadcastOp(splat, tensor(f32, 4, 8))
    wide.location, wide.result.name_hint = location, "wide"
    func.body.block.add_ops([splat, wide, tt.ReturnOp(wide)])
    Canonicalize().apply(context, ModuleOp([func]))
    new = func.body.block.first_op
    assert isinstance(new, tt.SplatOp)
    assert (new.result.name_hint, new.location) == ("wide", location)
