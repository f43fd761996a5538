"""
Prints the public names of each public module of the real Triton, as JSON.

    python tests/oracle/list_names.py

A name counts that does not begin with an underscore and that is Triton's: not a module, class or function of others.
"""

import importlib
import json
import pkgutil
import types
import typing

import triton


def modules() -> list[str]:
    found = pkgutil.walk_packages(triton.__path__, "triton.", onerror=lambda name: None)
    names = ["triton", *(info.name for info in found)]
    return [name for name in names if not any(part.startswith("_") for part in name.split("."))]


def is_triton_s(value: object) -> bool:
    if isinstance(value, types.ModuleType):
        return value.__name__.startswith("triton")
    if isinstance(value, typing.TypeVar):
        return False
    if isinstance(value, type | types.FunctionType | types.BuiltinFunctionType):
        return str(value.__module__).startswith("triton")
    # What is left are values, and the forms of `typing`.
    return not {type(value).__module__, getattr(value, "__module__", "")} & {"typing", "types", "__future__"}


def names_of(module: str) -> list[str]:
    try:
        found = importlib.import_module(module)
    except ImportError:  # such as a viewer whose own libraries are not installed
        return []
    names = [name for name in dir(found) if not name.startswith("_") and name != "TYPE_CHECKING"]
    return [name for name in names if is_triton_s(getattr(found, name))]


if __name__ == "__main__":
    print(json.dumps({module: names_of(module) for module in modules()}))
