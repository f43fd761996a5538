"""Arguments given by their type, to compile without arrays: `"*fp32"`, `"i32:16"`, `tl.float32`, `torch.float16`."""

from __future__ import annotations

from typing import Any, NoReturn, cast

from mytriton.errors import ArgumentError
from mytriton.runtime.arguments import ALIGNMENT, CONSTANT, Argument, pointer_type_of_dtype
from mytriton.runtime.parameters import SCALAR_TYPES, Parameter, scalar_type_name


def describe_type(value: object, parameter: Parameter, kernel: str) -> Argument | None:
    """The argument that `value` stands for if it is a type, else None.

    A string is a type as in Triton's signatures, with an optional `:16` for a number divisible by 16 and `:1` for the
    number 1; a pointer counts as aligned, as allocators' are, unless a smaller alignment follows it (`"*fp32:4"`).
    A dtype of the language is a scalar, or a pointer where it is a pointer type. A dtype of NumPy or torch is a pointer
    to it, for it stands for an array.
    """
    if isinstance(value, str):
        return _of_text(value, parameter, kernel)
    kind = type(value)
    if kind.__module__.startswith("mytriton.language") and kind.__name__ in ("dtype", "pointer_type"):
        return _of_text(_language_type_name(value), parameter, kernel)
    if kind.__module__.partition(".")[0] in ("torch", "numpy") and "dtype" in kind.__name__.lower():
        return _pointer_to(value, parameter, kernel)
    if isinstance(value, type) and value.__module__ == "numpy":
        import numpy

        return _pointer_to(numpy.dtype(value), parameter, kernel)
    if getattr(value, "is_meta", False) is True:  # a torch tensor without memory
        return _pointer_to(cast(Any, value).dtype, parameter, kernel)
    return None


def _of_text(text: str, parameter: Parameter, kernel: str) -> Argument:
    name, _, suffix = text.replace(" ", "").partition(":")
    is_pointer = name.startswith("*")
    element = scalar_type_name(name.removeprefix("*"))
    if element is None or (suffix and not suffix.isdigit()):
        known = ", ".join(sorted(SCALAR_TYPES))
        _refuse(
            parameter, kernel, f"is the type {text!r}; a type is one of {known}, or * and one of them for a pointer"
        )
    if is_pointer:
        divisible = (int(suffix) if suffix else ALIGNMENT) % ALIGNMENT == 0
        return Argument("*" + element, divisible and _may_align(parameter), 0)
    if suffix == "1" and parameter.specialize:
        return Argument(CONSTANT, False, 1)
    divisible = suffix not in ("", "1") and int(suffix) % ALIGNMENT == 0 and element[0] in "iu"
    return Argument(parameter.scalar_type or element, divisible and _may_align(parameter), 0)


def _pointer_to(dtype: Any, parameter: Parameter, kernel: str) -> Argument:
    name = pointer_type_of_dtype(dtype)
    if name is None:
        _refuse(parameter, kernel, f"is the dtype {dtype}, which no kernel takes")
    return Argument(name, _may_align(parameter), 0)


def _language_type_name(value: Any) -> str:
    return f"*{value.element_ty}" if value.is_ptr() else str(value)


def _may_align(parameter: Parameter) -> bool:
    return parameter.specialize and parameter.specialize_on_alignment


def _refuse(parameter: Parameter, kernel: str, what: str) -> NoReturn:
    raise ArgumentError(f"argument {parameter.name!r} of kernel {kernel} {what}")
