"""Layout attributes: which thread and register hold an element of a tensor, and where a shared buffer keeps it.

Names, fields and text are those of Triton's `ttg` dialect. Every distributed layout converts to a `LinearLayout`, on
which all generic code works.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from typing_extensions import override
from xdsl.dialects.builtin import IntAttr, TensorType
from xdsl.ir import Attribute, Data, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mytriton.dialects.linear_layout import (
    BLOCK,
    LANE,
    LANE_BITS,
    REGISTER,
    WARP,
    WARP_SIZE,
    Basis,
    LinearLayout,
    is_power_of_two,
    padded_shape,
    unit_basis,
)


@irdl_attr_definition
class IntegersAttr(Data[tuple[int, ...]]):
    """A list of integers."""

    name = "ttg.integers"

    @override
    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, ...]:
        with parser.in_angle_brackets():
            return parse_integers(parser)

    @override
    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(integers_text(self.data))


@irdl_attr_definition
class BasesAttr(Data[tuple[Basis, ...]]):
    """The basis vectors of one input of a linear layout, lowest bit first."""

    name = "ttg.bases"

    @override
    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[Basis, ...]:
        with parser.in_angle_brackets():
            return parse_bases(parser)

    @override
    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(bases_text(self.data))


def integers(value: Sequence[int] | IntegersAttr) -> IntegersAttr:
    return value if isinstance(value, IntegersAttr) else IntegersAttr(tuple(value))


def bases(value: Sequence[Sequence[int]] | BasesAttr) -> BasesAttr:
    return value if isinstance(value, BasesAttr) else BasesAttr(tuple(tuple(basis) for basis in value))


def integer(value: int | IntAttr) -> IntAttr:
    return value if isinstance(value, IntAttr) else IntAttr(value)


class DistributedEncodingAttr(ParametrizedAttribute):
    """The base of the layouts that spread a tensor over the registers of threads."""

    @property
    @abstractmethod
    def rank(self) -> int:
        """The rank of the tensors that the layout describes."""

    @property
    @abstractmethod
    def num_warps(self) -> int:
        """Warps of the block."""

    @abstractmethod
    def linear_layout(self, shape: tuple[int, ...]) -> LinearLayout:
        """The layout of a tensor of `shape`; `to_linear` caches it."""

    def to_linear(self, shape: Sequence[int]) -> LinearLayout:
        """The map from (register, lane, warp) to coordinates of a tensor of `shape`, sizes padded to powers of two.

        No register basis is zero, so the number of registers of a thread is 2 to the number of register bases.
        """
        return cached_linear_layout(self, tuple(shape))


@lru_cache(maxsize=4096)
def cached_linear_layout(encoding: DistributedEncodingAttr, shape: tuple[int, ...]) -> LinearLayout:
    if len(shape) != encoding.rank:
        raise ValueError(f"a layout of rank {encoding.rank} cannot describe a tensor of shape {list(shape)}")
    return encoding.linear_layout(shape).canonical


@irdl_attr_definition
class BlockedEncodingAttr(DistributedEncodingAttr):
    """A thread owns a tile of size_per_thread, a warp threads_per_warp such tiles, the block warps_per_cta of those.

    `order` lists the dimensions, fastest first. The whole is repeated in registers where the tensor is larger.
    """

    name = "ttg.blocked"

    size_per_thread: IntegersAttr = param_def(converter=integers)
    threads_per_warp: IntegersAttr = param_def(converter=integers)
    warps_per_cta: IntegersAttr = param_def(converter=integers)
    order: IntegersAttr = param_def(converter=integers)

    @override
    def verify(self) -> None:
        rank = len(self.order.data)
        if rank == 0:
            raise VerifyException("expected a rank of at least 1")
        for name, sizes in (
            ("sizePerThread", self.size_per_thread.data),
            ("threadsPerWarp", self.threads_per_warp.data),
            ("warpsPerCTA", self.warps_per_cta.data),
        ):
            if len(sizes) != rank:
                raise VerifyException(f"expected {rank} values in {name} as in order, found {len(sizes)}")
            if not all(is_power_of_two(size) for size in sizes):
                raise VerifyException(f"expected powers of two in {name}, found {list(sizes)}")
        verify_order(self.order.data)
        threads = math.prod(self.threads_per_warp.data)
        if threads != WARP_SIZE:
            raise VerifyException(f"expected {WARP_SIZE} threads in threadsPerWarp, found {threads}")

    @property
    @override
    def rank(self) -> int:
        return len(self.order.data)

    @property
    @override
    def num_warps(self) -> int:
        return math.prod(self.warps_per_cta.data)

    @override
    def linear_layout(self, shape: tuple[int, ...]) -> LinearLayout:
        order = self.order.data
        tile = (
            LinearLayout.identity(REGISTER, self.size_per_thread.data, order)
            * LinearLayout.identity(LANE, self.threads_per_warp.data, order)
            * LinearLayout.identity(WARP, self.warps_per_cta.data, order)
        )
        return tile.resize(shape, order)

    @override
    def print_parameters(self, printer: Printer) -> None:
        print_struct(
            printer,
            sizePerThread=self.size_per_thread,
            threadsPerWarp=self.threads_per_warp,
            warpsPerCTA=self.warps_per_cta,
            order=self.order,
        )

    @override
    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return parse_struct(
            parser,
            sizePerThread=parse_integers_attr,
            threadsPerWarp=parse_integers_attr,
            warpsPerCTA=parse_integers_attr,
            order=parse_integers_attr,
        )


@irdl_attr_definition
class SliceEncodingAttr(DistributedEncodingAttr):
    """The layout of a tensor of the parent layout from which dimension `dim` was removed."""

    name = "ttg.slice"

    dim: IntAttr = param_def(converter=integer)
    parent: Attribute

    @override
    def verify(self) -> None:
        if not isinstance(self.parent, DistributedEncodingAttr):
            raise VerifyException(f"expected a distributed layout as parent, found {self.parent}")
        if not 0 <= self.dim.data < self.parent.rank:
            raise VerifyException(f"expected dim below the parent's rank {self.parent.rank}, found {self.dim.data}")
        if self.parent.rank < 2:
            raise VerifyException("expected a parent of rank 2 or more")

    @property
    def parent_layout(self) -> DistributedEncodingAttr:
        assert isinstance(self.parent, DistributedEncodingAttr)
        return self.parent

    @property
    @override
    def rank(self) -> int:
        return self.parent_layout.rank - 1

    @property
    @override
    def num_warps(self) -> int:
        return self.parent_layout.num_warps

    @override
    def linear_layout(self, shape: tuple[int, ...]) -> LinearLayout:
        dim = self.dim.data
        return self.parent_layout.to_linear((*shape[:dim], 1, *shape[dim:])).slice(dim)

    @override
    def print_parameters(self, printer: Printer) -> None:
        print_struct(printer, dim=self.dim, parent=self.parent)

    @override
    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return parse_struct(parser, dim=parse_integer_attr, parent=AttrParser.parse_attribute)


@irdl_attr_definition
class LinearEncodingAttr(DistributedEncodingAttr):
    """A layout given by the basis vectors of its linear map."""

    name = "ttg.linear"

    register: BasesAttr = param_def(converter=bases)
    lane: BasesAttr = param_def(converter=bases)
    warp: BasesAttr = param_def(converter=bases)
    block: BasesAttr = param_def(converter=bases)

    @staticmethod
    @lru_cache(maxsize=4096)
    def of(layout: LinearLayout) -> LinearEncodingAttr:
        """The attribute for a layout of register, lane, warp (and block)."""
        return LinearEncodingAttr(*(layout.bases.get(name, ()) for name in (REGISTER, LANE, WARP, BLOCK)))

    @property
    def vectors(self) -> tuple[Basis, ...]:
        return (*self.register.data, *self.lane.data, *self.warp.data, *self.block.data)

    @override
    def verify(self) -> None:
        if len(self.lane.data) != LANE_BITS:
            raise VerifyException(f"expected {LANE_BITS} lane bases, found {len(self.lane.data)}")
        if self.block.data:
            raise VerifyException("expected no block bases: clusters of blocks are not supported")
        if {len(basis) for basis in self.vectors} != {self.rank} or self.rank == 0:
            raise VerifyException("expected basis vectors of one length of at least 1")
        if any(value < 0 for basis in self.vectors for value in basis):
            raise VerifyException("expected no negative value in a basis vector")
        if not LinearLayout({"all": self.vectors}, self.tile_shape).is_onto:
            raise VerifyException(f"expected the bases to reach every element of the tile {list(self.tile_shape)}")

    @property
    @override
    def rank(self) -> int:
        return len(self.lane.data[0])

    @property
    @override
    def num_warps(self) -> int:
        return 1 << len(self.warp.data)

    @property
    def tile_shape(self) -> tuple[int, ...]:
        """The sizes that the bases span; a larger tensor repeats the tile in registers."""
        return tuple(1 << max(basis[dim].bit_length() for basis in self.vectors) for dim in range(self.rank))

    @override
    def linear_layout(self, shape: tuple[int, ...]) -> LinearLayout:
        layout = LinearLayout(
            {REGISTER: self.register.data, LANE: self.lane.data, WARP: self.warp.data}, self.tile_shape
        )
        return layout.resize(shape, linear_order(layout))

    @override
    def print_parameters(self, printer: Printer) -> None:
        print_struct(printer, register=self.register, lane=self.lane, warp=self.warp, block=self.block)

    @override
    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return parse_struct(
            parser, register=parse_bases_attr, lane=parse_bases_attr, warp=parse_bases_attr, block=parse_bases_attr
        )


@irdl_attr_definition
class NvidiaMmaEncodingAttr(DistributedEncodingAttr):
    """The accumulator of a tensor core instruction: mma.sync (version 2, m16n8) or wgmma (version 3, m64nN)."""

    name = "ttg.nvidia_mma"

    version_major: IntAttr = param_def(converter=integer)
    version_minor: IntAttr = param_def(converter=integer)
    warps_per_cta: IntegersAttr = param_def(converter=integers)
    instr_shape: IntegersAttr = param_def(converter=integers)

    @override
    def verify(self) -> None:
        version, shape, warps = self.version_major.data, self.instr_shape.data, self.warps_per_cta.data
        if len(warps) < 2 or not all(is_power_of_two(size) for size in warps):
            raise VerifyException(f"expected two or more powers of two in warpsPerCTA, found {list(warps)}")
        if version == 2:
            if shape[-2:] != (16, 8) or len(shape) != len(warps):
                raise VerifyException(f"expected the instrShape [16, 8] in version 2, found {list(shape)}")
        elif version == 3:
            if len(shape) != 3 or shape[0] != 16 or not is_power_of_two(shape[1]) or shape[1] < 8:
                raise VerifyException(f"expected the instrShape [16, N, K] in version 3, found {list(shape)}")
            if len(warps) != 2 or warps[0] % 4:
                raise VerifyException(f"expected groups of 4 warps along the rows in version 3, found {list(warps)}")
        else:
            raise VerifyException(f"expected version 2 or 3, found {version}")

    @property
    @override
    def rank(self) -> int:
        return len(self.warps_per_cta.data)

    @property
    @override
    def num_warps(self) -> int:
        return math.prod(self.warps_per_cta.data)

    @override
    def linear_layout(self, shape: tuple[int, ...]) -> LinearLayout:
        # "Matrix fragments for mma.m16n8k16" and the accumulator fragment of wgmma in the PTX manual: c0 and c1 are
        # neighbours in a row, c2 and c3 lie 8 rows below; lane / 4 is the row, lane % 4 the pair of columns.
        rank = self.rank
        columns = 8 if self.version_major.data == 2 else self.instr_shape.data[1]
        registers = [(0, 1), (8, 0)] + [(0, 8 << bit) for bit in range((columns // 8).bit_length() - 1)]
        lanes = [(0, 2), (0, 4), (1, 0), (2, 0), (4, 0)]
        tile = LinearLayout(
            {REGISTER: leading_zeros(registers, rank), LANE: leading_zeros(lanes, rank)},
            (*(1 for _ in range(rank - 2)), 16, columns),
        )
        return (tile * LinearLayout.identity(WARP, self.warps_per_cta.data, self.warp_order)).resize(shape)

    @property
    def warp_order(self) -> tuple[int, ...]:
        """The dimensions along which warps are counted, fastest first."""
        last = tuple(range(self.rank - 1, -1, -1))
        return last if self.version_major.data == 2 else last[::-1]

    @override
    def print_parameters(self, printer: Printer) -> None:
        print_struct(
            printer,
            versionMajor=self.version_major,
            versionMinor=self.version_minor,
            warpsPerCTA=self.warps_per_cta,
            instrShape=self.instr_shape,
        )

    @override
    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return parse_struct(
            parser,
            versionMajor=parse_integer_attr,
            versionMinor=parse_integer_attr,
            warpsPerCTA=parse_integers_attr,
            instrShape=parse_integers_attr,
        )


@irdl_attr_definition
class DotOperandEncodingAttr(DistributedEncodingAttr):
    """Operand `op_idx` (0 is A, 1 is B) of a dot whose accumulator has the parent layout.

    `k_width` is the number of neighbours along K that a thread holds: elements of one 32-bit register for tensor cores,
    0 for a blocked parent, where a thread holds the whole of K.
    """

    name = "ttg.dot_op"

    op_idx: IntAttr = param_def(converter=integer)
    parent: Attribute
    k_width: IntAttr = param_def(converter=integer)

    @override
    def verify(self) -> None:
        if self.op_idx.data not in (0, 1):
            raise VerifyException(f"expected opIdx 0 or 1, found {self.op_idx.data}")
        if isinstance(self.parent, NvidiaMmaEncodingAttr):
            if not is_power_of_two(self.k_width.data):
                raise VerifyException(f"expected a power of two as kWidth, found {self.k_width.data}")
            if self.parent.version_major.data == 3 and self.op_idx.data == 1:
                raise VerifyException("expected opIdx 0: wgmma reads B from shared memory")
        elif not isinstance(self.parent, BlockedEncodingAttr):
            raise VerifyException(f"expected a ttg.nvidia_mma or ttg.blocked parent, found {self.parent}")
        elif self.k_width.data != 0:
            raise VerifyException("expected no kWidth with a ttg.blocked parent")
        elif self.parent.rank < 2:
            raise VerifyException("expected a parent of rank 2 or more")

    @property
    def parent_layout(self) -> DistributedEncodingAttr:
        assert isinstance(self.parent, DistributedEncodingAttr)
        return self.parent

    @property
    @override
    def rank(self) -> int:
        return self.parent_layout.rank

    @property
    @override
    def num_warps(self) -> int:
        return self.parent_layout.num_warps

    @property
    def k_dim(self) -> int:
        return self.rank - 1 if self.op_idx.data == 0 else self.rank - 2

    @override
    def linear_layout(self, shape: tuple[int, ...]) -> LinearLayout:
        if isinstance(self.parent, BlockedEncodingAttr):
            return self.fma_layout(self.parent, shape)
        assert isinstance(self.parent, NvidiaMmaEncodingAttr)
        return self.mma_layout(self.parent, shape)

    def fma_layout(self, parent: BlockedEncodingAttr, shape: tuple[int, ...]) -> LinearLayout:
        """Each thread holds the rows (or columns) of its accumulator and all of K."""
        order, k_dim = parent.order.data, self.k_dim
        sizes = list(parent.size_per_thread.data)
        sizes[k_dim] = padded_shape(shape)[k_dim]
        return (
            LinearLayout.identity(REGISTER, sizes, order)
            * broadcast_along(k_dim, LANE, parent.threads_per_warp.data, order)
            * broadcast_along(k_dim, WARP, parent.warps_per_cta.data, order)
        ).resize(shape, order)

    def mma_layout(self, parent: NvidiaMmaEncodingAttr, shape: tuple[int, ...]) -> LinearLayout:
        """The operand fragments of mma.m16n8k16 in the PTX manual, generalised to k_width.

        Lane % 4 picks k_width neighbours along K, lane / 4 the row of A or the column of B; one register bit picks the
        second half of K, and for A another one the row 8 below.
        """
        rank, k_dim = self.rank, self.k_dim
        outer_dim = 2 * rank - 3 - k_dim
        width = self.k_width.data
        registers = [unit_basis(rank, k_dim, 1 << bit) for bit in range(width.bit_length() - 1)]
        lanes = [unit_basis(rank, k_dim, width), unit_basis(rank, k_dim, 2 * width)]
        lanes += [unit_basis(rank, outer_dim, 1 << bit) for bit in range(3)]
        outer_size = 8
        if self.op_idx.data == 0:
            registers.append(unit_basis(rank, outer_dim, 8))
            outer_size = 16
        registers.append(unit_basis(rank, k_dim, 4 * width))
        sizes = [1] * rank
        sizes[k_dim], sizes[outer_dim] = 8 * width, outer_size
        tile = LinearLayout({REGISTER: registers, LANE: lanes}, sizes)
        order = (k_dim, outer_dim, *range(rank - 3, -1, -1))
        return (tile * broadcast_along(k_dim, WARP, parent.warps_per_cta.data, parent.warp_order)).resize(shape, order)

    @override
    def print_parameters(self, printer: Printer) -> None:
        if self.k_width.data:
            print_struct(printer, opIdx=self.op_idx, parent=self.parent, kWidth=self.k_width)
        else:
            print_struct(printer, opIdx=self.op_idx, parent=self.parent)

    @override
    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return parse_struct(
            parser,
            {"kWidth": IntAttr(0)},
            opIdx=parse_integer_attr,
            parent=AttrParser.parse_attribute,
            kWidth=parse_integer_attr,
        )


class SharedEncodingAttr(ParametrizedAttribute):
    """The base of the layouts of shared buffers."""

    @abstractmethod
    def element_offset(self, shape: Sequence[int], coordinates: Sequence[int]) -> int:
        """Where the element at `coordinates` of a buffer of `shape` lies, counted in elements."""

    @abstractmethod
    def element_count(self, shape: Sequence[int]) -> int:
        """The elements to reserve for a buffer of `shape`, padding included."""


@irdl_attr_definition
class SwizzledSharedEncodingAttr(SharedEncodingAttr):
    """Elements in `order` (fastest dimension first), with the groups of `vec` elements of each row permuted.

    In row r the index of a group is combined by exclusive or with (r / per_phase) % max_phase, so with max_phase 1 the
    buffer is plainly strided.
    """

    name = "ttg.swizzled_shared"

    vec: IntAttr = param_def(converter=integer)
    per_phase: IntAttr = param_def(converter=integer)
    max_phase: IntAttr = param_def(converter=integer)
    order: IntegersAttr = param_def(converter=integers)

    @staticmethod
    def row_major(rank: int) -> SwizzledSharedEncodingAttr:
        """The unswizzled row-major layout."""
        return SwizzledSharedEncodingAttr(1, 1, 1, range(rank - 1, -1, -1))

    @override
    def verify(self) -> None:
        for name, value in (("vec", self.vec), ("perPhase", self.per_phase), ("maxPhase", self.max_phase)):
            if not is_power_of_two(value.data):
                raise VerifyException(f"expected a power of two as {name}, found {value.data}")
        verify_order(self.order.data)

    @override
    def element_offset(self, shape: Sequence[int], coordinates: Sequence[int]) -> int:
        order = self.order.data
        swizzled = list(coordinates)
        if self.max_phase.data > 1 and len(order) > 1:
            phase = coordinates[order[1]] // self.per_phase.data % self.max_phase.data
            swizzled[order[0]] ^= phase * self.vec.data
        return ordered_offset(order, shape, swizzled)

    @override
    def element_count(self, shape: Sequence[int]) -> int:
        return math.prod(shape)

    @override
    def print_parameters(self, printer: Printer) -> None:
        print_struct(printer, vec=self.vec, perPhase=self.per_phase, maxPhase=self.max_phase, order=self.order)

    @override
    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return parse_struct(
            parser,
            vec=parse_integer_attr,
            perPhase=parse_integer_attr,
            maxPhase=parse_integer_attr,
            order=parse_integers_attr,
        )


@irdl_attr_definition
class PaddedSharedEncodingAttr(SharedEncodingAttr):
    """Elements in `order` (fastest dimension first), with `paddings[i]` unused ones after every `intervals[i]`."""

    name = "ttg.padded_shared"

    intervals: IntegersAttr = param_def(converter=integers)
    paddings: IntegersAttr = param_def(converter=integers)
    order: IntegersAttr = param_def(converter=integers)
    shape: IntegersAttr = param_def(converter=integers)

    @override
    def verify(self) -> None:
        if not self.intervals.data or len(self.intervals.data) != len(self.paddings.data):
            raise VerifyException("expected one padding for each of one or more intervals")
        for name, values in (("interval", self.intervals.data), ("padding", self.paddings.data)):
            if any(value < 1 for value in values):
                raise VerifyException(f"expected every {name} to be positive, found {list(values)}")
        verify_order(self.order.data)
        if len(self.shape.data) != len(self.order.data) or any(size < 1 for size in self.shape.data):
            raise VerifyException(f"expected {len(self.order.data)} sizes in shape, found {list(self.shape.data)}")

    @override
    def element_offset(self, shape: Sequence[int], coordinates: Sequence[int]) -> int:
        return self.padded(ordered_offset(self.order.data, shape, coordinates))

    @override
    def element_count(self, shape: Sequence[int]) -> int:
        return self.padded(math.prod(shape) - 1) + 1

    def padded(self, offset: int) -> int:
        gaps = zip(self.intervals.data, self.paddings.data, strict=True)
        return offset + sum(offset // interval * padding for interval, padding in gaps)

    @override
    def print_parameters(self, printer: Printer) -> None:
        gaps = zip(self.intervals.data, self.paddings.data, strict=True)
        with printer.in_angle_brackets():
            printer.print_string(
                "[" + ", ".join(f"{interval}:+{padding}" for interval, padding in gaps) + "] {order = "
            )
            printer.print_string(integers_text(self.order.data) + ", shape = " + integers_text(self.shape.data) + "}")

    @override
    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def parse_gap() -> tuple[int, int]:
            interval = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(":")
            parser.parse_optional_punctuation("+")
            return interval, parser.parse_integer(allow_boolean=False)

        with parser.in_angle_brackets():
            gaps = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_gap)
            fields = parse_fields(parser, {}, {"order": parse_integers_attr, "shape": parse_integers_attr})
        return [integers([interval for interval, _ in gaps]), integers([padding for _, padding in gaps]), *fields]


LAYOUT_ATTRIBUTES: list[type[Attribute]] = [
    IntegersAttr,
    BasesAttr,
    BlockedEncodingAttr,
    SliceEncodingAttr,
    LinearEncodingAttr,
    NvidiaMmaEncodingAttr,
    DotOperandEncodingAttr,
    SwizzledSharedEncodingAttr,
    PaddedSharedEncodingAttr,
]


def layout_of(tensor_type: TensorType[Any]) -> LinearLayout:
    """The linear layout of a tensor type with a distributed encoding."""
    # Kept with the type, which never changes: the hash of an encoding takes longer than most passes have for a type.
    kept: dict[str, Any] = vars(tensor_type)
    if (found := kept.get(_LAYOUT)) is None:
        encoding = tensor_type.encoding
        if not isinstance(encoding, DistributedEncodingAttr):
            raise ValueError(f"expected a tensor with a distributed layout, found {tensor_type}")
        found = kept[_LAYOUT] = cached_linear_layout(encoding, tensor_type.get_shape())
    return found


_LAYOUT = "_linear_layout"


def registers_per_thread(tensor_type: TensorType[Any]) -> int:
    """How many elements of the tensor (padded to powers of two) each thread holds."""
    return layout_of(tensor_type).register_count


def linear_order(layout: LinearLayout) -> tuple[int, ...]:
    """The dimensions by the first input bit that moves along them, then the others from the last backwards."""
    found: list[int] = []
    for vectors in layout.bases.values():
        for basis in vectors:
            found += [dim for dim, value in enumerate(basis) if value and dim not in found]
    return (*found, *(dim for dim in range(layout.rank - 1, -1, -1) if dim not in found))


def leading_zeros(vectors: Sequence[Basis], rank: int) -> list[Basis]:
    """Rank-2 vectors as vectors of the last two dimensions of `rank`."""
    return [(*(0 for _ in range(rank - 2)), *vector) for vector in vectors]


def broadcast_along(dim: int, name: str, sizes: Sequence[int], order: Sequence[int]) -> LinearLayout:
    """The identity of `name` over `sizes` where the bits that would move along `dim` do nothing."""
    layout = LinearLayout.identity(name, sizes, order)
    vectors = [tuple(0 if d == dim else value for d, value in enumerate(basis)) for basis in layout.bases[name]]
    return LinearLayout({name: vectors}, [1 if d == dim else size for d, size in enumerate(sizes)])


def ordered_offset(order: Sequence[int], shape: Sequence[int], coordinates: Sequence[int]) -> int:
    """The index of coordinates when dimension `order[0]` is contiguous, then `order[1]`, and so on."""
    offset = 0
    for dim in reversed(order):
        offset = offset * shape[dim] + coordinates[dim]
    return offset


def verify_order(order: Sequence[int]) -> None:
    if sorted(order) != list(range(len(order))):
        raise VerifyException(f"expected order to be a permutation of the dimensions, found {list(order)}")


# Text


def integers_text(values: Sequence[int]) -> str:
    return "[" + ", ".join(map(str, values)) + "]"


def bases_text(vectors: Sequence[Basis]) -> str:
    return "[" + ", ".join(map(integers_text, vectors)) + "]"


def parse_integers(parser: AttrParser) -> tuple[int, ...]:
    return tuple(
        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False))
    )


def parse_bases(parser: AttrParser) -> tuple[Basis, ...]:
    return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_integers(parser)))


def parse_integer_attr(parser: AttrParser) -> Attribute:
    return IntAttr(parser.parse_integer(allow_boolean=False))


def parse_integers_attr(parser: AttrParser) -> Attribute:
    return IntegersAttr(parse_integers(parser))


def parse_bases_attr(parser: AttrParser) -> Attribute:
    return BasesAttr(parse_bases(parser))


def print_struct(printer: Printer, **fields: Attribute) -> None:
    """Prints `<{name = value, ...}>`."""
    printer.print_string("<{")
    for index, (name, value) in enumerate(fields.items()):
        printer.print_string(f", {name} = " if index else f"{name} = ")
        match value:
            case IntAttr():
                printer.print_string(str(value.data))
            case IntegersAttr():
                printer.print_string(integers_text(value.data))
            case BasesAttr():
                printer.print_string(bases_text(value.data))
            case _:
                printer.print_attribute(value)
    printer.print_string("}>")


FieldParser = Callable[[AttrParser], Attribute]


def parse_struct(
    parser: AttrParser, defaults: dict[str, Attribute] | None = None, **fields: FieldParser
) -> list[Attribute]:
    """Parses `<{name = value, ...}>` with the fields in any order; returns the values in the order of `fields`."""
    with parser.in_angle_brackets():
        return parse_fields(parser, defaults or {}, fields)


def parse_fields(parser: AttrParser, defaults: dict[str, Attribute], fields: dict[str, FieldParser]) -> list[Attribute]:
    found: dict[str, Attribute] = {}

    def parse_field() -> None:
        position = parser.pos
        name = parser.parse_identifier()
        if name not in fields:
            parser.raise_error(f"unknown field {name}, expected one of {', '.join(fields)}", position)
        if name in found:
            parser.raise_error(f"field {name} is given twice", position)
        parser.parse_punctuation("=")
        found[name] = fields[name](parser)

    parser.parse_comma_separated_list(parser.Delimiter.BRACES, parse_field)
    found = {**defaults, **found}
    missing = [name for name in fields if name not in found]
    if missing:
        parser.raise_error(f"expected the field {missing[0]}")
    return [found[name] for name in fields]
