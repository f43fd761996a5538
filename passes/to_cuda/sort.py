"""One step of a bitonic sort."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from mytriton.dialects import arith, cuda, ttg
from mytriton.dialects.linear_layout import LANE, LANE_BITS, REGISTER, WARP, LinearLayout, unit_basis
from mytriton.dialects.tensor_types import is_float
from mytriton.errors import CompilationError
from mytriton.passes.locations import location_of
from mytriton.passes.to_cuda.converter import Converter, layout, tensor_type
from mytriton.passes.to_cuda.emitter import Emitter


def convert_compare_exchange(converter: Converter, op: Operation) -> None:
    """compare_exchange -> a map: the smaller or the larger of an element and its partner's in a register or a lane."""
    assert isinstance(op, ttg.CompareExchangeOp)
    emitter, axis = converter.emitter, op.axis.value.data
    tensor_layout, array = layout(op.src), converter.array(op.src)
    distance, block = op.distance.value.data, op.block.value.data
    block_axis = axis if op.block_axis is None else op.block_axis.value.data
    place = place_of(tensor_layout, axis, distance)
    if place is None or place[0] == WARP:
        raise CompilationError(
            f"convert-to-cuda: elements that are {distance} apart along axis {axis} are not in one warp",
            location_of(op),
            hint="decompose-sorts converts the layout first",
        )
    name, bit = place

    def body(register: SSAValue | None) -> list[SSAValue]:
        own = emitter.get(array, register)
        if name == LANE:
            partner = emitter.add(cuda.ShuffleXorOp(own, emitter.constant(1 << bit)))
        else:
            assert register is not None
            partner = emitter.get(array, emitter.add(arith.XOrIOp(register, emitter.constant(1 << bit))))
        is_larger = has_one(emitter, tensor_layout, axis, distance, register)
        assert is_larger is not None
        falls = has_one(emitter, tensor_layout, block_axis, block, register)
        if falls is not None:
            is_larger = emitter.add(arith.XOrIOp(is_larger, falls))
        if is_float(own.type):
            is_greater = emitter.add(arith.CmpfOp(own, partner, "ogt"))
            moves = emitter.add(arith.XOrIOp(is_greater, is_larger))
            choice = (own, partner) if op.descending is not None else (partner, own)
            return [emitter.add(arith.SelectOp(moves, *choice), op.result.name_hint)]
        smaller, larger = (arith.MinSIOp, arith.MaxSIOp) if op.unsigned is None else (arith.MinUIOp, arith.MaxUIOp)
        small, large = emitter.add(smaller(own, partner)), emitter.add(larger(own, partner))
        if op.descending is not None:
            small, large = large, small
        return [emitter.add(arith.SelectOp(is_larger, large, small), op.result.name_hint)]

    hints = [op.result.name_hint]
    (result,) = emitter.map(tensor_layout.register_count, [tensor_type(op.src).element_type], body, hints=hints)
    converter.set(op.result, result)


def convert_repad(converter: Converter, op: Operation) -> None:
    """repad -> the same registers"""
    assert isinstance(op, ttg.RepadOp)
    converter.set(op.result, converter.array(op.src))


def place_of(tensor_layout: LinearLayout, axis: int, value: int) -> tuple[str, int] | None:
    """Which bit of which number moves by `value` along an axis and not otherwise; None if none does."""
    basis = unit_basis(tensor_layout.rank, axis, value)
    for name in (REGISTER, LANE, WARP):
        vectors = tensor_layout.bases.get(name, ())
        if basis in vectors:
            return name, vectors.index(basis)
    return None


def has_one(
    emitter: Emitter, tensor_layout: LinearLayout, axis: int, value: int, register: SSAValue | None
) -> SSAValue | None:
    """Whether the position along an axis has a 1 in the bit of `value`; None if it never has."""
    place = place_of(tensor_layout, axis, value)
    if place is None:
        return None
    name, bit = place
    number = register if name == REGISTER else emitter.thread_id()
    assert number is not None
    mask = 1 << bit + (LANE_BITS if name == WARP else 0)
    bits = emitter.add(arith.AndIOp(number, emitter.constant(mask)))
    return emitter.add(arith.CmpiOp(bits, emitter.constant(0), "ne"))
