"""
Prints the public names of the real Triton's language, and of what belongs to it.

    python tests/oracle/record_names.py > tests/unit/data/triton_names.txt
"""

import types
from typing import Any, TypeVar

import triton.language as tl  # pyright: ignore[reportMissingImports]
import triton.language.extra.cuda as cuda  # pyright: ignore[reportMissingImports]

# Modules that only say where Triton defines names, all of which are in the language too.
INTERNAL = ("core", "random", "standard")


def names_of(owner: Any, prefix: str = "") -> list[str]:
    """The names that belong to a module or a class, without those that a submodule imports from elsewhere."""
    names = [name for name in dir(owner) if not name.startswith("_") and name not in INTERNAL]
    if prefix and isinstance(owner, types.ModuleType):
        names = [name for name in names if is_from(owner, getattr(owner, name))]
    return [prefix + name for name in names]


def is_from(owner: types.ModuleType, value: Any) -> bool:
    if isinstance(value, TypeVar | types.ModuleType):
        return False
    return str(getattr(value, "__module__", "")).startswith(owner.__name__)


def main() -> None:
    lines = [*names_of(tl), *names_of(tl.tensor, "tensor."), *names_of(tl.math, "math.")]
    lines += [*names_of(tl.target_info, "target_info."), *names_of(cuda, "extra.cuda.")]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
