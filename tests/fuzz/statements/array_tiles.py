"""Tiles of arrays by block pointers and tensor descriptors, and arrays that are stored to and read again."""

from __future__ import annotations

import math

from tests.fuzz.data import ArraySpec
from tests.fuzz.program import Line, Suite
from tests.fuzz.statements.atomics import Atomics
from tests.fuzz.values import FLOAT8, FLOATS, Shape, Value, bits


class ArrayTiles(Atomics):
    """Loads and stores whose bounds are checked along axes, and those that must stay in their order."""

    # Tiles

    def load_tile(self) -> Value:
        shape, dtype = self.shape(), self.any_dtype()
        if self.for_oracle and not self._takes(shape, dtype):
            return self.load(shape)
        extents = self._extents(shape, dtype)
        spec = self.array(dtype, math.prod(extents), self.random.choice(("plain", "special")))
        if self.for_oracle:
            spec.start = 0
        # Triton has no block pointers any more.
        if self.for_oracle or self.chance(0.5):
            return self._load_by_descriptor(spec, shape, extents)
        return self._load_by_block_pointer(spec, shape, extents)

    def _load_by_block_pointer(self, spec: ArraySpec, shape: Shape, extents: Shape) -> Value:
        strides = self._strides(extents)
        offsets = [self.random.choice(("0", "0", "1", "-2", "linear", str(size // 2))) for size in shape]
        # Along an axis that is not checked the tile must be in the array.
        inside = [at for at, size in enumerate(shape) if size <= extents[at]]
        unchecked = [at for at in inside if self.chance(0.3)]
        for at in unchecked:
            offsets[at] = "0"
        checked = tuple(at for at in range(len(shape)) if at not in unchecked)
        padding = self.random.choice(("", "zero", "nan")) if spec.dtype in FLOATS and checked else ""
        name = self.fresh("block")
        order = tuple(reversed(range(len(shape))))
        moved = [self.random.choice((0, 0, 1, 3)) if at in checked else 0 for at in range(len(shape))]
        text = f"tl.make_block_ptr({spec.name}, {_list(extents)}, {_list(strides)}, {_list(offsets)}, {shape}, {order})"
        self.emit(f"{name} = {text}")
        if any(moved):
            self.emit(f"{name} = tl.advance({name}, {_list(moved)})")
        option = f", padding_option='{padding}'" if padding else ""
        load = f"tl.load({name}, boundary_check={checked}{option})" if checked else f"tl.load({name})"
        return self._loaded(load, shape, spec, padding == "nan")

    def _load_by_descriptor(self, spec: ArraySpec, shape: Shape, extents: Shape) -> Value:
        offsets = [self.random.choice(("0", "1", "-1", "linear", "linear * 2")) for _ in shape]
        if self.for_oracle:
            offsets[-1] = self.random.choice(("0", str(128 // bits(spec.dtype))))
        padding = "nan" if spec.dtype in FLOATS and self.chance(0.4) else "zero"
        name = self.fresh("desc")
        option = ", padding_option='nan'" if padding == "nan" else ""
        rows = self.pick(lambda v: v.dtype == "int32" and len(v.shape) == 1 and 8 <= v.size <= 64)
        if len(shape) == 2 and rows is not None and self.chance(0.5):
            self._describe(name, spec, extents, (1, shape[1]), option)
            text = f"{name}.gather(({rows.name}.to(tl.uint32) % {extents[0] + 2}).to(tl.int32), {offsets[1]})"
            return self._loaded(text, (rows.size, shape[1]), spec, padding == "nan")
        self._describe(name, spec, extents, shape, option)
        return self._loaded(f"{name}.load({_list(offsets)})", shape, spec, padding == "nan")

    def _describe(self, name: str, spec: ArraySpec, extents: Shape, shape: Shape, option: str) -> None:
        strides = self._strides(extents, is_row_major=True)
        arguments = f"{_list(extents)}, {_list(strides)}, {list(shape)}{option}"
        self.emit(f"{name} = tl.make_tensor_descriptor({spec.name}, {arguments})")

    def _loaded(self, text: str, shape: Shape, spec: ArraySpec, has_nan: bool) -> Value:
        bound = 4.0 if spec.dtype in FLOATS or spec.dtype in FLOAT8 else 9.0
        if spec.kind == "special" or has_nan:
            bound = math.inf
        return self.define(text, shape, spec.dtype, bound, pure=not has_nan)

    def _strides(self, extents: Shape, is_row_major: bool = False) -> list[int]:
        axes = list(range(len(extents)))
        if not is_row_major:
            axes = self.order(len(extents))
        strides, stride = [1] * len(extents), 1
        for axis in reversed(axes):
            strides[axis] = stride
            stride *= extents[axis]
        return strides

    def store_tile(self) -> None:
        """A store of a part of a tile; each program has an array of its own."""
        value = self.pick(lambda v: v.is_exact and bool(v.shape))
        if value is None:
            return
        if self.for_oracle and not self._takes(value.shape, value.dtype):
            return
        extents = self._extents(value.shape, value.dtype)
        size = math.prod(extents)
        spec = ArraySpec(self.fresh("out"), value.dtype, size * self.programs, is_output=True)
        self.arrays.append(spec)
        offsets = [self.random.choice(("0", "0", "1", "-1")) for _ in extents]
        if self.for_oracle:
            offsets[-1] = "0"
        base, tile = f"{spec.name} + linear * {size}", self.fresh("tile")
        strides = self._strides(extents, is_row_major=True)
        if self.for_oracle or self.chance(0.5):
            arguments = f"{base}, {_list(extents)}, {_list(strides)}, {list(value.shape)}"
            self.emit(f"{tile} = tl.make_tensor_descriptor({arguments})")
            self.emit(f"{tile}.store({_list(offsets)}, {value.name})")
            return
        order = tuple(reversed(range(len(extents))))
        arguments = f"{base}, {_list(extents)}, {_list(strides)}, {_list(offsets)}, {value.shape}, {order}"
        self.emit(f"{tile} = tl.make_block_ptr({arguments})")
        self.emit(f"tl.store({tile}, {value.name}, boundary_check={tuple(range(len(extents)))})")

    @staticmethod
    def _takes(shape: Shape, dtype: str) -> bool:
        """Whether Triton has descriptors of such tiles."""
        return dtype != "int1" and shape[-1] * bits(dtype) >= 128

    def _extents(self, shape: Shape, dtype: str) -> Shape:
        """How large an array is that has nearly the shape of a tile; Triton wants rows of a multiple of 16 bytes."""
        extents = [max(1, size + self.random.choice((0, 0, 1, -1, -3, 5))) for size in shape]
        if self.for_oracle:
            extents[-1] = shape[-1] + self.random.choice((0, 128 // bits(dtype)))
        return tuple(extents)

    # Order in memory

    def read_again(self) -> Value | None:
        """A store, perhaps another one to the same places, and a load of what they have stored, by other threads."""
        value = self.pick(lambda v: v.is_exact and bool(v.shape))
        if value is None:
            return None
        spec, offsets, first = self._own_part(value)
        mask = f", mask={self.mask(value.shape, offsets, spec.size)}" if self.chance(0.3) else ""
        self.emit(f"tl.store({spec.name} + {first} + {offsets}, {value.name}{mask})")
        later = self.pick(lambda v: v.is_exact and (v.shape, v.dtype) == (value.shape, value.dtype) and v != value)
        if later is not None and self.chance(0.6):
            mask = f", mask={self.mask(value.shape, offsets, spec.size)}" if self.chance(0.6) else ""
            self.emit(f"tl.store({spec.name} + {first} + {offsets}, {later.name}{mask})")
        is_pure = value.is_pure and (later is None or later.is_pure)
        source = self._elsewhere(offsets, value.size, "1")
        text = f"tl.load({spec.name} + {first} + {source})"
        return self.define(text, value.shape, value.dtype, pure=is_pure)

    def shifting_loop(self) -> None:
        """A loop that stores what it has loaded from other places of the same array."""
        value = self.pick(lambda v: v.is_integer and bool(v.shape) and v.size <= 1024)
        if value is None:
            return
        spec, offsets, first = self._own_part(value)
        turn, moved = self.fresh("i"), self.fresh("v")
        if self.chance(0.7):
            self.emit(f"tl.store({spec.name} + {first} + {offsets}, {value.name})")
        source = self._elsewhere(offsets, value.size, turn)
        body = [
            Line(f"{moved} = tl.load({spec.name} + {first} + {source})"),
            Line(f"tl.store({spec.name} + {first} + {offsets}, ({moved} + {value.name}).to(tl.{value.dtype}))"),
        ]
        if self.chance(0.2):
            body.insert(1, Line("tl.debug_barrier()"))
        self.lines.append(Suite(f"for {turn} in range({self.random.randint(1, 4)}):", list(body)))

    def _own_part(self, value: Value) -> tuple[ArraySpec, str, str]:
        """An array with a part for each program, the places in it, and where the part begins."""
        spec = ArraySpec(self.fresh("out"), value.dtype, value.size * self.programs, is_output=True)
        self.arrays.append(spec)
        offsets = self.fresh("offs")
        text = self.index(value.shape, self.order(len(value.shape)))
        self.emit(f"{offsets} = {text}")
        return spec, offsets, f"linear * {value.size}"

    def _elsewhere(self, offsets: str, size: int, shift: str) -> str:
        return self.random.choice(
            (f"({size - 1} - {offsets})", f"(({offsets} + {shift}) % {size})", f"({offsets} * 3 + {shift}) % {size}")
        )


def _list(entries: object) -> str:
    assert isinstance(entries, list | tuple)
    return f"[{', '.join(map(str, entries))}]"
