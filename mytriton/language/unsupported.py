"""The names of Triton's language that mytriton knows of and does not compile yet, each with the reason."""

from __future__ import annotations

from typing import Any

from mytriton import messages
from mytriton.errors import UnsupportedError


class UnsupportedName:
    """Stands in for a function, or a module of functions, so that using it is an error that says why."""

    def __init__(self, name: str, reason: str):
        self.name = name
        self.reason = reason

    def error(self) -> UnsupportedError:
        return messages.unsupported_name(self.name, self.reason)

    def attribute(self, name: str) -> UnsupportedName:
        return UnsupportedName(f"{self.name}.{name}", self.reason)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise self.error()

    def __getattr__(self, name: str) -> UnsupportedName:
        if name.startswith("_") or name == "is_mytriton_jit":
            raise AttributeError(name)
        return self.attribute(name)

    def __repr__(self) -> str:
        return f"<mytriton.language.{self.name}, not supported>"


_SCANS = "scans are not implemented"
_ORDER = "sorting is not implemented"
_ATOMICS = "atomic operations are not implemented"
_RANDOM = "random numbers are not implemented"
_JOINING = "joining and splitting of tensors is not implemented"
_DESCRIPTORS = "block pointers and tensor descriptors are not implemented; compute the pointers of the elements instead"
_DEVICE = "what a running kernel prints or checks is not implemented"

REASONS: dict[str, str] = {
    "associative_scan": _SCANS,
    "cumsum": _SCANS,
    "cumprod": _SCANS,
    "sort": _ORDER,
    "topk": _ORDER,
    "bitonic_merge": _ORDER,
    "flip": "reversing an axis is not implemented",
    "gather": "gathering along an axis is not implemented; load through computed pointers instead",
    "histogram": "histograms are not implemented",
    "map_elementwise": "map_elementwise is not implemented",
    "join": _JOINING,
    "split": _JOINING,
    "interleave": _JOINING,
    "cat": _JOINING,
    "atomic_add": _ATOMICS,
    "atomic_and": _ATOMICS,
    "atomic_cas": _ATOMICS,
    "atomic_load": _ATOMICS,
    "atomic_max": _ATOMICS,
    "atomic_min": _ATOMICS,
    "atomic_or": _ATOMICS,
    "atomic_poll": _ATOMICS,
    "atomic_store": _ATOMICS,
    "atomic_xchg": _ATOMICS,
    "atomic_xor": _ATOMICS,
    "rand": _RANDOM,
    "rand4x": _RANDOM,
    "randint": _RANDOM,
    "randint4x": _RANDOM,
    "randn": _RANDOM,
    "randn4x": _RANDOM,
    "philox": _RANDOM,
    "philox_impl": _RANDOM,
    "pair_uniform_to_normal": _RANDOM,
    "uint_to_uniform_float": _RANDOM,
    "make_block_ptr": _DESCRIPTORS,
    "advance": _DESCRIPTORS,
    "make_tensor_descriptor": _DESCRIPTORS,
    "load_tensor_descriptor": _DESCRIPTORS,
    "store_tensor_descriptor": _DESCRIPTORS,
    "tensor_descriptor": _DESCRIPTORS,
    "tensor_descriptor_type": _DESCRIPTORS,
    "dot_scaled": "products of scaled operands are not implemented",
    "inline_asm_elementwise": "inline assembly is not implemented",
    "device_print": f"{_DEVICE}; tl.static_print shows what is known when the kernel is compiled",
    "device_assert": f"{_DEVICE}; tl.static_assert checks what is known when the kernel is compiled",
    "debug_barrier": "barriers are placed by the compiler",
    "condition": "hints on `while` loops are not implemented; write the condition alone",
    "expect_zero": "expect_zero is not implemented",
    "aggregate_replace": "aggregates are not implemented",
    "const": "pointers to constant data are not implemented as an annotation",
    "extra": "the functions of tl.extra are not implemented",
    "target_info": "questions about the target are not implemented",
}
"""Of each name, why it is refused."""

MEMBERS = frozenset(
    {"associative_scan", "cumsum", "cumprod", "sort", "flip", "gather", "histogram", "split", "device_assert"}
    | {name for name in REASONS if name.startswith("atomic_")}
)
"""Those that are methods of a tensor too."""
