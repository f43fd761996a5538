"""The rewrites of `tt` that make new operations; what folds to an existing value or a constant is in `tt`."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from mytriton.dialects import arith, tt
from mytriton.dialects.arith_canonicalization import replace
from mytriton.dialects.tensor_types import element_type, is_float, is_integer


class ReshapedSplat(RewritePattern):
    """`broadcast (splat x) -> splat x`, and the same for expand_dims, reshape, trans and extract_slice"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        splat = op.operands[0].owner
        if isinstance(splat, tt.SplatOp):
            replace(op, tt.SplatOp(splat.src, op.results[0].type), rewriter)


class BroadcastTwice(RewritePattern):
    """`broadcast (broadcast x) -> broadcast x`"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tt.BroadcastOp)
        if isinstance(inner := op.src.owner, tt.BroadcastOp):
            replace(op, tt.BroadcastOp(inner.src, op.result.type), rewriter)


class ReshapeTwice(RewritePattern):
    """`reshape (reshape x) -> reshape x` where both keep the order of the elements"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tt.ReshapeOp)
        inner = op.src.owner
        if isinstance(inner, tt.ReshapeOp) and inner.allow_reorder is None and op.allow_reorder is None:
            replace(op, tt.ReshapeOp(inner.src, op.result.type), rewriter)


class TransTwice(RewritePattern):
    """`trans (trans x, order1), order2 -> trans x, order1 after order2`"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tt.TransOp)
        if not isinstance(inner := op.src.owner, tt.TransOp):
            return
        order = [inner.permutation[axis] for axis in op.permutation]
        replace(op, tt.TransOp(inner.src, order, op.result.type), rewriter)


class JoinOfSplit(RewritePattern):
    """`join (split x) -> x`"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tt.JoinOp)
        split = op.lhs.owner
        if isinstance(split, tt.SplitOp) and (split.lhs, split.rhs) == (op.lhs, op.rhs):
            rewriter.replace(op, (), (split.src,))


class SplitOfJoin(RewritePattern):
    """`split (join x, y) -> x, y`"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tt.SplitOp)
        if isinstance(join := op.src.owner, tt.JoinOp):
            rewriter.replace(op, (), (join.lhs, join.rhs))


class CatAsJoin(RewritePattern):
    """`cat x, y -> reshape (trans (join x, y))`"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tt.CatOp)
        join = tt.JoinOp(op.lhs, op.rhs)
        rows = tt.TransOp(join, (1, 0))
        for new in (join, rows):
            new.location = op.location
            new.results[0].name_hint = op.result.name_hint
            rewriter.insert(new)
        replace(op, tt.ReshapeOp(rows, op.result.type), rewriter)


class BitcastTwice(RewritePattern):
    """`bitcast (bitcast x) -> bitcast x`"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tt.BitcastOp)
        if isinstance(inner := op.src.owner, tt.BitcastOp):
            replace(op, tt.BitcastOp(inner.src, op.result.type), rewriter)


class IntToPtrOfPtrToInt(RewritePattern):
    """`int_to_ptr (ptr_to_int p) -> bitcast p` into the same address space"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tt.IntToPtrOp)
        if not isinstance(address := op.src.owner, tt.PtrToIntOp):
            return
        source, target = element_type(address.src.type), element_type(op.result.type)
        assert isinstance(source, tt.PointerType) and isinstance(target, tt.PointerType)
        if source.address_space == target.address_space:
            replace(op, tt.BitcastOp(address.src, op.result.type), rewriter)


class LoadWithConstantMask(RewritePattern):
    """
    `load p, true, other -> load p`
    `load p, false, other -> other`, or 0 where there is no other
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tt.LoadOp)
        mask = _constant_mask(op.mask)
        if mask is True:
            load = tt.LoadOp(op.ptr, None, None, is_volatile=op.is_volatile)
            _keep_cache_policy(op, load)
            replace(op, load, rewriter)
        elif mask is False and op.other is not None:
            rewriter.replace(op, (), (op.other,))
        elif mask is False and _has_constants(op.result):
            replace(op, arith.ConstantOp.of(op.result.type, 0), rewriter)


class StoreWithConstantMask(RewritePattern):
    """
    `store p, value, true -> store p, value`
    `store p, value, false -> nothing`
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tt.StoreOp)
        mask = _constant_mask(op.mask)
        if mask is True:
            store = tt.StoreOp(op.ptr, op.value)
            _keep_cache_policy(op, store)
            if op.ignore_cta is not None:
                store.properties["ignore_cta"] = op.ignore_cta
            replace(op, store, rewriter)
        elif mask is False:
            rewriter.erase(op)


class AtomicWithConstantMask(RewritePattern):
    """
    `atomic_rmw p, value, true -> atomic_rmw p, value`
    `atomic_rmw p, value, false -> 0`
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tt.AtomicRMWOp)
        mask = _constant_mask(op.mask)
        if mask is True:
            atomic = tt.AtomicRMWOp(op.operation, op.ptr, op.val, None, op.semantics, op.memory_scope)
            atomic.attributes |= op.attributes
            replace(op, atomic, rewriter)
        elif mask is False:
            replace(op, arith.ConstantOp.of(op.result.type, 0), rewriter)


def _constant_mask(mask: SSAValue | None) -> bool | None:
    """What a mask is for all elements, None if that is not known or differs."""
    value = None if mask is None else arith.integer_constant(mask)
    return None if value is None else value != 0


def _has_constants(value: SSAValue) -> bool:
    element = element_type(value.type)
    return is_integer(element) or is_float(element)


def _keep_cache_policy(old: tt.MemoryAccessOp, new: tt.MemoryAccessOp) -> None:
    if old.cache_policy is not None:
        new.properties["cachePolicy"] = old.cache_policy
    new.attributes |= old.attributes


PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    tt.BroadcastOp: (ReshapedSplat(), BroadcastTwice()),
    tt.ExpandDimsOp: (ReshapedSplat(),),
    tt.ReshapeOp: (ReshapedSplat(), ReshapeTwice()),
    tt.TransOp: (ReshapedSplat(), TransTwice()),
    tt.JoinOp: (JoinOfSplit(),),
    tt.SplitOp: (SplitOfJoin(),),
    tt.CatOp: (CatAsJoin(),),
    tt.ExtractSliceOp: (ReshapedSplat(),),
    tt.BitcastOp: (BitcastTwice(),),
    tt.IntToPtrOp: (IntToPtrOfPtrToInt(),),
    tt.LoadOp: (LoadWithConstantMask(),),
    tt.StoreOp: (StoreWithConstantMask(),),
    tt.AtomicRMWOp: (AtomicWithConstantMask(),),
}
