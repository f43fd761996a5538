"""What a kernel of the fuzzer is launched with, and how the results of two runs are compared.

A reproducing file contains this text, so it needs nothing but NumPy and ml_dtypes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

GUARD = 0x5A
"""The byte that outputs are filled with before a launch."""

NUMPY_DTYPES: dict[str, Any] = {
    "int1": np.dtype(np.bool_),
    **{f"{sign}int{bits}": np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
    "float8e4nv": np.dtype(ml_dtypes.float8_e4m3fn),
    "float8e5": np.dtype(ml_dtypes.float8_e5m2),
    "float8e4b8": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "float8e5b16": np.dtype(ml_dtypes.float8_e5m2fnuz),
}


@dataclass
class ArraySpec:
    """An array argument.

    `tolerance`: the largest absolute error of an element of an output. `start`: so many elements into an allocation,
    which may make the address less aligned.
    """

    name: str
    dtype: str
    size: int
    seed: int = 0
    kind: str = "plain"
    is_output: bool = False
    tolerance: float = 0.0
    start: int = 0


def make_array(spec: ArraySpec) -> Any:
    """Outputs are guard bytes; inputs are random: small numbers where the kind is "plain", else also extreme ones."""
    dtype = NUMPY_DTYPES[spec.dtype]
    bytes_before = spec.start * dtype.itemsize
    # Allocated by hand, so that the alignment is the same in every run.
    memory = np.empty(spec.size * dtype.itemsize + bytes_before + 64, np.uint8)
    first = -memory.ctypes.data % 64 + bytes_before
    array = memory[first : first + spec.size * dtype.itemsize].view(dtype)
    array[:] = _elements(spec)
    return array


def _elements(spec: ArraySpec) -> Any:
    dtype = NUMPY_DTYPES[spec.dtype]
    if spec.is_output:
        fill = np.ones if spec.dtype == "int1" else np.empty
        array = fill(spec.size, dtype)
        if spec.dtype != "int1":
            array.view(np.uint8)[:] = GUARD
        return array
    random = np.random.default_rng(spec.seed)
    if spec.dtype == "int1":
        return random.integers(0, 2, spec.size).astype(np.bool_)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        small = random.integers(max(limits.min, -9), 10, spec.size).astype(dtype)
        if spec.kind == "plain":
            return small
        wide = random.integers(limits.min, limits.max, spec.size, dtype=dtype, endpoint=True)
        extreme = random.choice(np.array([limits.min, limits.max, 0, 1, limits.max - 1], dtype), spec.size)
        which = random.integers(0, 5, spec.size)
        return np.where(which == 0, extreme, np.where(which < 3, small, wide)).astype(dtype)
    values = random.integers(-32, 33, spec.size) / 8.0
    if spec.kind == "plain":
        return values.astype(dtype)
    special = random.choice(np.array([np.inf, -np.inf, np.nan, -0.0, 1e-3, 6e4, -1e9, 0.3, 1e-7]), spec.size)
    with np.errstate(all="ignore"):
        return np.where(random.integers(0, 4, spec.size) == 0, special, values).astype(dtype)


def difference(found: Any, wanted: Any, tolerance: float) -> str | None:
    """What is wrong with a result; None where it is as wanted. NaN equals NaN; zeros of either sign are equal."""
    if found.dtype.kind in "iub":
        wrong = found != wanted
    else:
        a, b = found.astype(np.float64), wanted.astype(np.float64)
        with np.errstate(all="ignore"):
            equal = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= tolerance)
        wrong = ~equal
    if not wrong.any():
        return None
    places = np.flatnonzero(wrong)
    shown = ", ".join(f"[{at}] is {found[at]}, not {wanted[at]}" for at in places[:4])
    return f"{len(places)} of {len(found)} elements differ (tolerance {tolerance:g}): {shown}"
