"""Vectors over the two-element field as integers: spans, and which of the vectors they are made of give another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class Span:
    """The span of the vectors that were added, in order."""

    def __init__(self, vectors: Iterable[int] = ()):
        self.count = 0
        self._rows: list[tuple[int, int]] = []
        for vector in vectors:
            self.add(vector)

    @property
    def rank(self) -> int:
        return len(self._rows)

    def add(self, vector: int) -> bool:
        """Adds a vector; whether it was not in the span before."""
        rest, mask = self._reduce(vector)
        if rest:
            self._rows.append((rest, mask ^ 1 << self.count))
            self._rows.sort(reverse=True)
        self.count += 1
        return rest != 0

    def __contains__(self, vector: int) -> bool:
        return self._reduce(vector)[0] == 0

    def solve(self, vector: int) -> int | None:
        """Which of the added vectors, as a mask, have `vector` as their exclusive or; None if none do.

        Vectors that were in the span when they were added are never among them, so the answer is unique.
        """
        rest, mask = self._reduce(vector)
        return None if rest else mask

    def combination(self, vector: int) -> int:
        """`solve` of a vector that is known to be in the span."""
        mask = self.solve(vector)
        assert mask is not None, "the vector is not in the span"
        return mask

    def _reduce(self, vector: int) -> tuple[int, int]:
        mask = 0
        for row, row_mask in self._rows:
            if vector ^ row < vector:
                vector, mask = vector ^ row, mask ^ row_mask
        return vector, mask


def combine(vectors: Sequence[int], mask: int) -> int:
    """The exclusive or of the vectors whose bits are set in a mask: the linear map with these columns."""
    result = 0
    for bit, vector in enumerate(vectors):
        if mask >> bit & 1:
            result ^= vector
    return result


def parity(value: int) -> int:
    return value.bit_count() & 1
