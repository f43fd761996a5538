"""Linear maps over F2 from hardware indices to tensor coordinates.

A distributed tensor is described by the coordinates that each (register, lane, warp, block) index holds. For every
layout of the compiler this map is linear over F2: the coordinates of an index are the exclusive or of one basis vector
per set bit of the index. The idea is that of "Linear Layouts: Robust Code Generation of Efficient Tensor Computation
Using F2" (https://arxiv.org/abs/2505.23819).

Output dimensions are sized to powers of two; a tensor whose sizes are no powers of two is padded up to them, and
whoever reads or writes the padding predicates it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import zip_longest
from typing import Any, NamedTuple, TypeVar

from mytriton.dialects.f2 import Span

REGISTER, LANE, WARP, BLOCK = "register", "lane", "warp", "block"
WARP_SIZE = 32
LANE_BITS = 5

Basis = tuple[int, ...]
Answer = TypeVar("Answer")


class Segment(NamedTuple):
    """The contribution `((index >> shift) & (2**width - 1)) * scale` of a run of index bits to one coordinate."""

    shift: int
    width: int
    scale: int


def next_power_of_two(size: int) -> int:
    """The smallest power of two that is at least `size`, for a positive size."""
    return 1 << (size - 1).bit_length()


def is_power_of_two(size: int) -> bool:
    return size > 0 and size & (size - 1) == 0


def padded_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """Each size rounded up to a power of two."""
    return tuple(next_power_of_two(size) for size in shape)


class LinearLayout:
    """An immutable linear map over F2 with named inputs and named outputs, all sized to powers of two.

    `bases` maps each input name to one vector per input bit, lowest bit first; a vector has one integer per output.
    Output names are `dim0`, `dim1`, ... unless given.
    """

    bases: dict[str, tuple[Basis, ...]]
    shape: tuple[int, ...]
    outputs: tuple[str, ...]

    def __init__(
        self,
        bases: Mapping[str, Iterable[Sequence[int]]],
        shape: Sequence[int],
        outputs: Sequence[str] | None = None,
    ):
        self.bases = {name: tuple(tuple(basis) for basis in vectors) for name, vectors in bases.items()}
        self.shape = tuple(shape)
        self.outputs = dimension_names(len(self.shape)) if outputs is None else tuple(outputs)
        if len(self.outputs) != len(self.shape) or len(set(self.outputs)) != len(self.outputs):
            raise ValueError(f"expected {len(self.shape)} different output names, found {self.outputs}")
        for size in self.shape:
            if not is_power_of_two(size):
                raise ValueError(f"output sizes must be powers of two, found {self.shape}")
        for name, vectors in self.bases.items():
            for basis in vectors:
                if len(basis) != len(self.shape):
                    raise ValueError(f"expected {len(self.shape)} coordinates in basis {basis} of {name}")
                if any(not 0 <= value < size for value, size in zip(basis, self.shape, strict=True)):
                    raise ValueError(f"basis {basis} of {name} lies outside the output sizes {self.shape}")

    # Construction

    @staticmethod
    def identity(name: str, sizes: Sequence[int], order: Sequence[int] | None = None) -> LinearLayout:
        """The input `name` enumerates a tile of `sizes`, dimension `order[0]` fastest (the last one unless given)."""
        rank = len(sizes)
        vectors: list[Basis] = []
        for dim in range(rank - 1, -1, -1) if order is None else order:
            for bit in range(sizes[dim].bit_length() - 1):
                vectors.append(unit_basis(rank, dim, 1 << bit))
        return LinearLayout({name: vectors}, sizes)

    # Identity and printing

    @cached_property
    def _key(self) -> tuple[object, ...]:
        return (tuple(sorted(self.bases.items())), self.shape, self.outputs)

    @cached_property
    def _hash(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, LinearLayout) and self._key == other._key)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name}={[list(basis) for basis in vectors]}" for name, vectors in self.bases.items())
        return f"LinearLayout({inputs}, shape={list(self.shape)})"

    # Sizes

    @property
    def rank(self) -> int:
        return len(self.shape)

    def input_bits(self, name: str) -> int:
        return len(self.bases.get(name, ()))

    def input_size(self, name: str) -> int:
        return 1 << self.input_bits(name)

    @cached_property
    def register_count(self) -> int:
        """Registers per thread."""
        return self.input_size(REGISTER)

    @property
    def num_lanes(self) -> int:
        return self.input_size(LANE)

    @property
    def num_warps(self) -> int:
        return self.input_size(WARP)

    # Evaluation

    def apply(self, register: int = 0, lane: int = 0, warp: int = 0, block: int = 0) -> tuple[int, ...]:
        """The coordinates of the element that an index holds."""
        return self.apply_inputs({REGISTER: register, LANE: lane, WARP: warp, BLOCK: block})

    def apply_inputs(self, indices: Mapping[str, int]) -> tuple[int, ...]:
        """The coordinates of an index given by input name; missing inputs are 0."""
        result = [0] * self.rank
        for name, vectors in self.bases.items():
            index = indices.get(name, 0)
            for bit, basis in enumerate(vectors):
                if index >> bit & 1:
                    for dim, value in enumerate(basis):
                        result[dim] ^= value
        return tuple(result)

    # Linear algebra. A coordinate tuple is flattened to one integer, the last output in the lowest bits.

    @cached_property
    def _output_shifts(self) -> tuple[int, ...]:
        shifts: list[int] = []
        shift = 0
        for size in reversed(self.shape):
            shifts.append(shift)
            shift += size.bit_length() - 1
        return tuple(reversed(shifts))

    @property
    def output_bits(self) -> int:
        return sum(size.bit_length() - 1 for size in self.shape)

    def flatten(self, coordinates: Sequence[int]) -> int:
        """The row-major index of coordinates in the padded shape."""
        result = 0
        for value, shift in zip(coordinates, self._output_shifts, strict=True):
            result |= value << shift
        return result

    def unflatten(self, index: int) -> tuple[int, ...]:
        """The coordinates of a row-major index in the padded shape."""
        return tuple(index >> shift & size - 1 for shift, size in zip(self._output_shifts, self.shape, strict=True))

    @cached_property
    def flat_bases(self) -> dict[str, tuple[int, ...]]:
        """The bases as row-major indices of the padded shape."""
        return {name: tuple(self.flatten(basis) for basis in vectors) for name, vectors in self.bases.items()}

    @cached_property
    def _span(self) -> tuple[Span, dict[str, int]]:
        """The span of all flat bases, in the order of the inputs, and the mask of dependent bits of each input.

        Earlier inputs come first, so with the usual order the dependent bits are found in lanes and warps.
        """
        span = Span()
        free = {
            name: sum(1 << bit for bit, vector in enumerate(vectors) if not span.add(vector))
            for name, vectors in self.flat_bases.items()
        }
        return span, free

    @cached_property
    def is_onto(self) -> bool:
        """Whether every coordinate tuple of the padded shape is held by some index."""
        return self._span[0].rank == self.output_bits

    @cached_property
    def is_one_to_one(self) -> bool:
        """Whether no two indices hold the same coordinates."""
        return not any(self._span[1].values())

    def free_mask(self, name: str) -> int:
        """The bits of an input that only repeat elements.

        Among the indices where the free bits of every input are 0, each element is held exactly once.
        """
        return self._span[1].get(name, 0)

    @property
    def thread_free_mask(self) -> int:
        """`free_mask` over the thread index: a thread that has one of them set holds copies."""
        return self.free_mask(LANE) | self.free_mask(WARP) << LANE_BITS

    def zero_mask(self, name: str) -> int:
        """The bits of an input whose basis is zero."""
        return sum(1 << bit for bit, basis in enumerate(self.bases.get(name, ())) if not any(basis))

    def pseudo_inverse(self) -> LinearLayout:
        """A map from coordinates back to indices; where several indices hold an element, the one whose free bits are 0.

        Its inputs are this layout's outputs and its outputs this layout's inputs. Raises ValueError unless the layout
        is onto.
        """
        if not self.is_onto:
            raise ValueError(f"only a layout that holds every element can be inverted, found {self}")
        span, _ = self._span
        names = tuple(self.bases)
        widths = [len(vectors) for vectors in self.bases.values()]
        bases: dict[str, list[Basis]] = {}
        for output, size, shift in zip(self.outputs, self.shape, self._output_shifts, strict=True):
            bases[output] = [
                split_bits(span.combination(1 << shift + bit), widths) for bit in range(size.bit_length() - 1)
            ]
        return LinearLayout(bases, [1 << width for width in widths], names)

    def compose(self, outer: LinearLayout) -> LinearLayout:
        """`outer` after this layout; the inputs of `outer` are this layout's outputs, each at least as large."""
        bases = {
            name: [outer.apply_inputs(dict(zip(self.outputs, basis, strict=True))) for basis in vectors]
            for name, vectors in self.bases.items()
        }
        for output, size in zip(self.outputs, self.shape, strict=True):
            if size > outer.input_size(output):
                raise ValueError(
                    f"cannot compose: output {output} has size {size}, the input {outer.input_size(output)}"
                )
        return LinearLayout(bases, outer.shape, outer.outputs)

    def conversion_to(self, target: LinearLayout) -> LinearLayout:
        """The map from an index of `target` to an index of this layout that holds the same element."""
        return target.compose(self.pseudo_inverse())

    def contains(self, vectors: Iterable[int], names: Sequence[str]) -> bool:
        """Whether all flat `vectors` are in the span of the bases of the inputs `names`."""
        span = Span(vector for name in names for vector in self.flat_bases.get(name, ()))
        return all(vector in span for vector in vectors)

    def conversion_level(self, target: LinearLayout) -> str | None:
        """The widest exchange needed to turn this layout into `target`: None, "register", "lane" or "warp".

        None means that both are equal; "register" that all threads take the same registers of their own; "lane" that
        each warp has what it needs.
        """
        if self.equivalent(target):
            return None
        mine, theirs = self.flat_bases, target.flat_bases
        own_registers = self.contains(theirs.get(REGISTER, ()), (REGISTER,))
        if own_registers and all(mine.get(name, ()) == theirs.get(name, ()) for name in (LANE, WARP, BLOCK)):
            return REGISTER
        needed = [*theirs.get(REGISTER, ()), *theirs.get(LANE, ())]
        for name in (WARP, BLOCK):
            pairs = zip_longest(mine.get(name, ()), theirs.get(name, ()), fillvalue=0)
            needed += [held ^ wanted for held, wanted in pairs]
        return LANE if self.contains(needed, (REGISTER, LANE)) else WARP

    # Canonical form and comparison

    @cached_property
    def canonical(self) -> LinearLayout:
        """The same layout without zero register bases, so that no two registers are copies by construction."""
        registers = self.bases.get(REGISTER, ())
        if all(any(basis) for basis in registers):
            return self
        kept = [basis for basis in registers if any(basis)]
        return LinearLayout({**self.bases, REGISTER: kept}, self.shape, self.outputs)

    def equivalent(self, other: LinearLayout) -> bool:
        """Whether both hold the same elements in the same registers of the same threads, zero register bases aside."""
        mine, theirs = self.canonical, other.canonical
        return mine.shape == theirs.shape and all(
            mine.bases.get(name, ()) == theirs.bases.get(name, ()) for name in {**mine.bases, **theirs.bases}
        )

    # Index emission

    def register_part(self, dim: int) -> list[tuple[int, int]]:
        """`(register bit, value)` for every register bit that moves the coordinate of `dim`."""
        return [(bit, basis[dim]) for bit, basis in enumerate(self.bases.get(REGISTER, ())) if basis[dim]]

    def thread_part(self, dim: int) -> list[tuple[int, int]]:
        """`(thread bit, value)` for every bit of the thread index that moves the coordinate of `dim`."""
        lanes = [(bit, basis[dim]) for bit, basis in enumerate(self.bases.get(LANE, ()))]
        warps = [(LANE_BITS + bit, basis[dim]) for bit, basis in enumerate(self.bases.get(WARP, ()))]
        return [(bit, value) for bit, value in lanes + warps if value]

    def register_segments(self, dim: int) -> list[Segment]:
        """The segments of `register_part`."""
        return self._once("register", dim, lambda: segments(self.register_part(dim)))

    def thread_segments(self, dim: int) -> list[Segment]:
        """The segments of `thread_part`."""
        return self._once("thread", dim, lambda: segments(self.thread_part(dim)))

    def is_separable(self, dim: int) -> bool:
        """Whether no two bases share a bit of `dim`, so that exclusive or is addition there."""
        return self._once("separable", dim, lambda: self._is_separable(dim))

    def _once(self, question: str, dim: int, answer: Callable[[], Answer]) -> Answer:
        """An answer about one dimension, found once."""
        if (question, dim) not in self._answers:
            self._answers[question, dim] = answer()
        return self._answers[question, dim]

    @cached_property
    def _answers(self) -> dict[tuple[str, int], Any]:
        return {}

    def _is_separable(self, dim: int) -> bool:
        seen = 0
        for vectors in self.bases.values():
            for basis in vectors:
                if seen & basis[dim]:
                    return False
                seen |= basis[dim]
        return True

    def contiguous_registers(self, dim: int) -> int:
        """How many registers in a row hold neighbours along `dim`, with the first one at a multiple of that number."""
        return self._once("contiguous", dim, lambda: self._contiguous_registers(dim))

    def _contiguous_registers(self, dim: int) -> int:
        count = 1
        for basis in self.bases.get(REGISTER, ()):
            if basis != unit_basis(self.rank, dim, count):
                break
            count *= 2
        bits = count.bit_length() - 1
        others = [basis for name, vectors in self.bases.items() for basis in vectors[bits if name == REGISTER else 0 :]]
        while any(basis[dim] & count - 1 for basis in others):
            count //= 2
        return count

    # New layouts from old ones

    def __mul__(self, outer: LinearLayout) -> LinearLayout:
        """This layout's tile repeated as `outer` says: the low bits of indices and coordinates are this layout's."""
        if self.outputs != outer.outputs:
            raise ValueError(f"expected the same outputs, found {self.outputs} and {outer.outputs}")
        bases = dict(self.bases)
        for name, vectors in outer.bases.items():
            scaled = tuple(tuple(v * s for v, s in zip(basis, self.shape, strict=True)) for basis in vectors)
            bases[name] = bases.get(name, ()) + scaled
        return LinearLayout(bases, [a * b for a, b in zip(self.shape, outer.shape, strict=True)], self.outputs)

    def divide_left(self, inner: LinearLayout) -> LinearLayout | None:
        """The layout `q` with `inner * q == self`, or None when there is none."""
        if self.outputs != inner.outputs or any(a % b for a, b in zip(self.shape, inner.shape, strict=True)):
            return None
        bases: dict[str, list[Basis]] = {}
        for name in {**self.bases, **inner.bases}:
            vectors, head = self.bases.get(name, ()), inner.bases.get(name, ())
            rest = vectors[len(head) :]
            if vectors[: len(head)] != head:
                return None
            if any(value % size for basis in rest for value, size in zip(basis, inner.shape, strict=True)):
                return None
            bases[name] = [tuple(v // s for v, s in zip(basis, inner.shape, strict=True)) for basis in rest]
        return LinearLayout(bases, [a // b for a, b in zip(self.shape, inner.shape, strict=True)], self.outputs)

    def sub_layout(self, names: Sequence[str], dims: Sequence[int] | None = None) -> LinearLayout:
        """Only the inputs `names` and, if given, only the output dimensions `dims`."""
        kept = tuple(range(self.rank)) if dims is None else tuple(dims)
        bases = {
            name: [tuple(basis[dim] for dim in kept) for basis in vectors]
            for name, vectors in self.bases.items()
            if name in names
        }
        return LinearLayout(bases, [self.shape[dim] for dim in kept])

    def slice(self, dim: int) -> LinearLayout:
        """The layout without output dimension `dim` and without the register bases that become zero."""
        kept = [d for d in range(self.rank) if d != dim]
        return self.sub_layout(tuple(self.bases), kept).canonical

    def permute(self, order: Sequence[int]) -> LinearLayout:
        """Output dimension `i` of the result is dimension `order[i]` of this layout."""
        return self.sub_layout(tuple(self.bases), order)

    def reshape(self, shape: Sequence[int]) -> LinearLayout:
        """The same elements seen with another power-of-two shape of the same size, in row-major order."""
        target = LinearLayout({}, shape)
        if target.output_bits != self.output_bits:
            raise ValueError(f"cannot reshape a layout of sizes {self.shape} to {tuple(shape)}")
        bases = {name: [target.unflatten(vector) for vector in vectors] for name, vectors in self.flat_bases.items()}
        return LinearLayout(bases, shape)

    def resize(self, shape: Sequence[int], order: Sequence[int] | None = None) -> LinearLayout:
        """The layout fitted to a tensor of `shape`.

        Coordinates beyond it wrap around, and registers repeat the tile along the dimensions that are larger,
        `order[0]` first (the last dimension unless given).
        """
        sizes = padded_shape(shape)
        bases = {
            name: [tuple(v & s - 1 for v, s in zip(basis, sizes, strict=True)) for basis in vectors]
            for name, vectors in self.bases.items()
        }
        registers = bases.setdefault(REGISTER, [])
        for dim in range(self.rank - 1, -1, -1) if order is None else order:
            size = self.shape[dim]
            while size < sizes[dim]:
                registers.append(unit_basis(self.rank, dim, size))
                size *= 2
        return LinearLayout(bases, sizes)


@cache
def dimension_names(rank: int) -> tuple[str, ...]:
    return tuple(f"dim{dim}" for dim in range(rank))


def unit_basis(rank: int, dim: int, value: int) -> Basis:
    """The basis vector with `value` at `dim` and 0 elsewhere."""
    return tuple(value if d == dim else 0 for d in range(rank))


def segments(part: Sequence[tuple[int, int]]) -> list[Segment]:
    """Runs of index bits with doubling single-bit values merged, for a result of `register_part` or `thread_part`.

    The coordinate is the exclusive or (the sum, in a separable layout) of the contributions of the segments.
    """
    result: list[Segment] = []
    for bit, value in part:
        if result:
            last = result[-1]
            if is_power_of_two(value) and bit == last.shift + last.width and value == last.scale << last.width:
                result[-1] = Segment(last.shift, last.width + 1, last.scale)
                continue
        result.append(Segment(bit, 1, value))
    return result


def split_bits(value: int, widths: Sequence[int]) -> tuple[int, ...]:
    parts: list[int] = []
    for width in widths:
        parts.append(value & (1 << width) - 1)
        value >>= width
    return tuple(parts)
