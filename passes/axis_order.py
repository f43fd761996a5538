"""How the coordinates along one dimension are spread over registers, lanes and warps."""

from __future__ import annotations

from dataclasses import dataclass

from mytriton.dialects.linear_layout import LANE, REGISTER, WARP, LinearLayout


@dataclass(frozen=True)
class AxisOrder:
    """The bits of the register's, the lane's and the warp's number that move along a dimension, lowest value first.

    Together they have the values 1, 2, 4, ... in that order: neighbours are in one thread as far as it reaches, then in
    one warp.
    """

    registers: tuple[int, ...]
    lanes: tuple[int, ...]
    warps: tuple[int, ...]

    @staticmethod
    def of(layout: LinearLayout, axis: int) -> AxisOrder | None:
        """None where the dimension is in another order, or mixed with others."""
        value = 1
        found: list[tuple[int, ...]] = []
        for name in (REGISTER, LANE, WARP):
            bits: list[int] = []
            moving = [(basis[axis], bit) for bit, basis in enumerate(layout.bases.get(name, ())) if basis[axis]]
            for moved, bit in sorted(moving):
                if moved != value or sum(map(bool, layout.bases[name][bit])) != 1:
                    return None
                value *= 2
                bits.append(bit)
            found.append(tuple(bits))
        return AxisOrder(*found)

    @property
    def register_mask(self) -> int:
        return sum(1 << bit for bit in self.registers)

    @property
    def lane_masks(self) -> tuple[int, ...]:
        return tuple(1 << bit for bit in self.lanes)

    def others(self, layout: LinearLayout) -> list[int]:
        """The bits of the register's number that do not move along the dimension."""
        return [bit for bit in range(layout.input_bits(REGISTER)) if bit not in self.registers]
