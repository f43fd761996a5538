"""A change of layout within warps: selections in registers, and shuffles."""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Operation, SSAValue

from mytriton.dialects import arith, cuda, tt, ttg
from mytriton.dialects.linear_layout import LANE_BITS, REGISTER, segments, unit_basis
from mytriton.errors import CompilationError
from mytriton.passes.lane_exchange import LaneExchange, Stage, distance_in_warp
from mytriton.passes.locations import location_of
from mytriton.passes.to_cuda.converter import Converter, layout, tensor_type
from mytriton.passes.to_cuda.emitter import Emitter, element_type_of
from mytriton.passes.to_cuda.register_map import RegisterMap


def exchange_lanes(emitter: Emitter, exchange: LaneExchange, array: SSAValue, hint: str | None) -> SSAValue:
    """The registers of `array` as the exchange arranges them; one map for each stage and one for the shuffles."""
    for stage in exchange.before:
        array = _select(emitter, stage, array, hint)
    array = _shuffle(emitter, exchange, array, hint)
    for stage in exchange.after:
        array = _select(emitter, stage, array, hint)
    return array


def convert_flip(converter: Converter, op: Operation) -> None:
    """flip -> a map that reads the register, and the lane, with the opposite bits along the axis"""
    assert isinstance(op, ttg.FlipOp)
    emitter, axis, type = converter.emitter, op.axis.value.data, tensor_type(op.src)
    tensor_layout, hint = layout(op.src), op.result.name_hint
    distance = distance_in_warp(tensor_layout, unit_basis(tensor_layout.rank, axis, type.get_shape()[axis] - 1))
    if distance is None:
        raise CompilationError("convert-to-cuda: a flip along an axis that is spread over warps", location_of(op))
    register_bits, lane_bits = distance
    array, bits = converter.array(op.src), tensor_layout.input_bits(REGISTER)
    other = RegisterMap(tuple(1 << bit for bit in range(bits)), bits, register_bits)

    def body(register: SSAValue | None) -> list[SSAValue]:
        value = emitter.get(array, other.emit(emitter, register))
        if lane_bits:
            value = _through_lanes(emitter, value, emitter.constant(lane_bits), cuda.ShuffleXorOp, hint)
        return [value]

    (result,) = emitter.map(tensor_layout.register_count, [type.element_type], body, hints=[hint])
    converter.set(op.result, result)


def _select(emitter: Emitter, stage: Stage, array: SSAValue, hint: str | None) -> SSAValue:
    own = RegisterMap(stage.masks, stage.old_bits)
    other = RegisterMap(stage.masks, stage.old_bits, stage.offset)
    takes_other = _has_odd_bits(emitter, stage.threads)

    def body(register: SSAValue | None) -> list[SSAValue]:
        value = emitter.get(array, own.emit(emitter, register))
        if takes_other is not None:
            moved = emitter.get(array, other.emit(emitter, register))
            value = emitter.add(arith.SelectOp(takes_other, moved, value), hint)
        return [value]

    return emitter.map(1 << len(stage.masks), [element_type_of(array)], body, hints=[hint])[0]


def _shuffle(emitter: Emitter, exchange: LaneExchange, array: SSAValue, hint: str | None) -> SSAValue:
    bits = len(exchange.sent)
    sent = RegisterMap(exchange.sent, exchange.sent_bits)
    if not exchange.shuffles and sent.is_identity:
        return array
    step_lanes = segments([(bit, mask) for bit, mask in enumerate(exchange.step_lanes) if mask])
    thread_lane = None if exchange.keeps_own_lane else _thread_lane(emitter, exchange)

    def distance(step: SSAValue | None) -> SSAValue | None:
        return None if step is None else emitter.bits(step, bits, step_lanes, exclusive_or=True)

    def body(step: SSAValue | None) -> list[SSAValue]:
        value = emitter.get(array, sent.emit(emitter, step))
        if not exchange.shuffles:
            return [value]
        lanes = distance(step)
        if thread_lane is None:
            return [_through_lanes(emitter, value, lanes or emitter.constant(0), cuda.ShuffleXorOp, hint)]
        lane = thread_lane if lanes is None else emitter.add(arith.XOrIOp(thread_lane, lanes))
        return [_through_lanes(emitter, value, lane, cuda.ShuffleOp, hint)]

    return emitter.map(1 << bits, [element_type_of(array)], body, hints=[hint])[0]


def _through_lanes(
    emitter: Emitter,
    value: SSAValue,
    lane: SSAValue,
    shuffle: type[cuda.ShuffleXorOp] | type[cuda.ShuffleOp],
    hint: str | None,
) -> SSAValue:
    """One shuffle; a pointer is passed as the integer that it is."""
    pointer: Attribute = value.type
    if not isinstance(pointer, tt.PointerType):
        return emitter.add(shuffle(value, lane), hint)
    address = emitter.add(shuffle(emitter.add(cuda.PtrToIntOp(value, i64)), lane))
    return emitter.add(cuda.IntToPtrOp(address, pointer), hint)


def _thread_lane(emitter: Emitter, exchange: LaneExchange) -> SSAValue:
    """The lane from which a thread reads at step 0."""
    part = segments([(bit, mask) for bit, mask in enumerate(exchange.thread_lanes) if mask])
    total = LANE_BITS + emitter.num_warps.bit_length() - 1
    lane = emitter.bits(emitter.thread_id(), total, part, exclusive_or=True)
    if lane is None:
        return emitter.constant(0)
    if lane is not emitter.thread_id():
        lane.name_hint = "source_lane"
    return lane


def _has_odd_bits(emitter: Emitter, mask: int) -> SSAValue | None:
    """Whether an odd number of the bits of a mask are set in the thread's index; None for an empty mask."""
    result: SSAValue | None = None
    for bit in range(mask.bit_length()):
        if not mask >> bit & 1:
            continue
        masked = emitter.add(arith.AndIOp(emitter.thread_id(), emitter.constant(1 << bit)))
        is_set = emitter.add(arith.CmpiOp(masked, emitter.constant(0), "ne"))
        result = is_set if result is None else emitter.add(arith.XOrIOp(result, is_set))
    if result is not None:
        result.name_hint = "swaps"
    return result
