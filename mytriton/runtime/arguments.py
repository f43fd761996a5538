"""What a value that is passed to a kernel is: an array somewhere in memory, a number, or a constant."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from mytriton.errors import ArgumentError
from mytriton.runtime.devices import actual_device
from mytriton.runtime.parameters import NUMBER_TYPES, Parameter

ALIGNMENT = 16
"""Bytes that a pointer, and the number that an integer, is checked to be divisible by."""

CONSTANT = "constexpr"
"""The type of an argument whose value goes into the compiled code."""

ELEMENT_TYPES = {
    "bool": "i1",
    **NUMBER_TYPES,
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
    "float8_e4m3fnuz": "fp8e4b8",
    "float8_e5m2fnuz": "fp8e5b16",
    "float8e4b15": "fp8e4b15",
}
"""The dtypes of arrays, by the names that NumPy, ml_dtypes and torch give them, and Triton's names in signatures."""


class Argument(NamedTuple):
    """One argument of a launch.

    `type` is as in Triton's signatures (`"*fp32"`, `"i32"`), or `CONSTANT`. `value` is the address of an array, the
    number, or the constant. `device` is where an array lives: `"cpu"`, `"cuda"`, `"cuda:1"`; it is empty for all else.
    """

    type: str
    divisible: bool
    value: Any
    device: str = ""
    writable: bool = True


Describe = Callable[[Any, Parameter, str], Argument]
"""From a value, the parameter it is passed to and the kernel's name to an `Argument`."""


def describe(value: object, parameter: Parameter, kernel: str) -> Argument:
    """What `value` is when it is passed to `parameter`; raises `ArgumentError` for what no kernel takes."""
    kind = type(value)
    return (_DESCRIBERS.get(kind) or _find_describer(kind, value))(value, parameter, kernel)


def _find_describer(kind: type[Any], value: Any) -> Describe:
    """Finds how to describe values of a type, once for each type."""
    describer = _describer_of(kind, value)
    _DESCRIBERS[kind] = describer
    return describer


def _describer_of(kind: type[Any], value: Any) -> Describe:
    if issubclass(kind, type):  # a class has the attributes of its instances
        return _refuse_value
    numpy = sys.modules.get("numpy")
    if numpy is not None and issubclass(kind, numpy.ndarray):
        return _describe_numpy_array
    if numpy is not None and issubclass(kind, numpy.generic):
        if issubclass(kind, (numpy.integer, numpy.floating, numpy.bool_)):
            return _describe_numpy_scalar
        return _refuse_value
    for base, describer in _PYTHON_NUMBERS:
        if issubclass(kind, base):
            return describer
    torch = sys.modules.get("torch")
    if torch is not None and issubclass(kind, torch.Tensor):
        return _torch_describer[0]
    if hasattr(value, "data_ptr"):
        return _describe_data_pointer
    if hasattr(value, "__cuda_array_interface__"):
        return _describe_cuda_array
    if hasattr(value, "__array_interface__"):
        return _describe_host_array
    if getattr(value, "is_mytriton_jit", False) or kind.__module__.startswith("mytriton.language"):
        return _describe_constant
    return _refuse_value


# Numbers.


def _describe_bool(value: bool, parameter: Parameter, kernel: str) -> Argument:
    return Argument(parameter.scalar_type or "i1", False, value)


def _describe_int(value: int, parameter: Parameter, kernel: str) -> Argument:
    if parameter.scalar_type is not None:
        return _describe_typed_int(value, parameter, kernel)
    if value == 1 and parameter.specialize:
        return Argument(CONSTANT, False, 1)
    divisible = value % ALIGNMENT == 0 and parameter.specialize and parameter.specialize_on_alignment
    if -(2**31) <= value < 2**31:
        return Argument("i32", divisible, value)
    if -(2**63) <= value < 2**63:
        return Argument("i64", divisible, value)
    if 0 <= value < 2**64:
        return Argument("u64", divisible, value)
    _refuse(parameter, kernel, f"is {value}, which no 64-bit integer holds")


def _describe_typed_int(value: int, parameter: Parameter, kernel: str) -> Argument:
    name = parameter.scalar_type or ""
    if name.startswith(("fp", "bf")):
        return Argument(name, False, float(value))
    width = int(name[1:])
    low, high = (0, 2**width) if name[0] == "u" or width == 1 else (-(2 ** (width - 1)), 2 ** (width - 1))
    if not low <= value < high:
        _refuse(parameter, kernel, f"is {value}, which the annotated type {name} does not hold")
    return Argument(name, value % ALIGNMENT == 0 and parameter.specialize_on_alignment and parameter.specialize, value)


def _describe_float(value: float, parameter: Parameter, kernel: str) -> Argument:
    name = parameter.scalar_type
    if name is not None and not name.startswith(("fp", "bf")):
        _refuse(parameter, kernel, f"is the float {value!r}, but its annotated type is {name}")
    return Argument(name or "fp32", False, float(value))


def _describe_numpy_scalar(value: Any, parameter: Parameter, kernel: str) -> Argument:
    """A NumPy scalar means the Python number that it equals."""
    return describe(value.item(), parameter, kernel)


def _describe_constant(value: Any, parameter: Parameter, kernel: str) -> Argument:
    return Argument(CONSTANT, False, value)


# Arrays.


def _describe_numpy_array(value: Any, parameter: Parameter, kernel: str) -> Argument:
    name = _element_type(value.dtype, parameter, kernel)
    address, read_only = value.__array_interface__["data"]
    return _pointer(name, address, "cpu", not read_only, parameter)


def _describe_torch_tensor(value: Any, parameter: Parameter, kernel: str) -> Argument:
    name = _element_type(value.dtype, parameter, kernel)
    device = "cpu" if value.is_cpu else actual_device(str(value.device))
    if not device.startswith(("cpu", "cuda")):
        _refuse(parameter, kernel, f"is a torch tensor on the device {device!r}; kernels run on cpu and cuda")
    if value.is_neg():
        _refuse(parameter, kernel, "is a torch tensor whose negation is pending; call .resolve_neg() on it")
    try:
        return _pointer(name, value.data_ptr(), device, True, parameter)
    except RuntimeError as error:
        _refuse(parameter, kernel, f"is a torch tensor without an address: {error}")


_torch_describer: list[Describe] = [_describe_torch_tensor]


def describe_torch_tensors_by(change: Callable[[Describe], Describe]) -> None:
    """Replaces the function that describes torch tensors by what `change` makes of it."""
    old = _torch_describer[0]
    _torch_describer[0] = change(old)
    for kind in [kind for kind, describer in _DESCRIBERS.items() if describer is old]:
        del _DESCRIBERS[kind]


def _describe_data_pointer(value: Any, parameter: Parameter, kernel: str) -> Argument:
    name = _element_type(value.dtype, parameter, kernel)
    return _pointer(name, value.data_ptr(), actual_device(str(getattr(value, "device", "cpu"))), True, parameter)


def _describe_cuda_array(value: Any, parameter: Parameter, kernel: str) -> Argument:
    interface = value.__cuda_array_interface__
    address, read_only = interface["data"]
    name = _element_type_of_typestr(value, interface["typestr"], parameter, kernel)
    number = getattr(getattr(value, "device", None), "id", None)
    return _pointer(name, address, "cuda" if number is None else f"cuda:{number}", not read_only, parameter)


def _describe_host_array(value: Any, parameter: Parameter, kernel: str) -> Argument:
    interface = value.__array_interface__
    if type(interface.get("data")) is not tuple:
        _refuse(parameter, kernel, "gives no address in its __array_interface__; pass numpy.asarray of it")
    address, read_only = interface["data"]
    name = _element_type_of_typestr(value, interface["typestr"], parameter, kernel)
    return _pointer(name, address, "cpu", not read_only, parameter)


def _pointer(name: str, address: int, device: str, writable: bool, parameter: Parameter) -> Argument:
    divisible = address % ALIGNMENT == 0 and parameter.specialize and parameter.specialize_on_alignment
    return Argument(name, divisible, address, device, writable)


_POINTER_TYPES: dict[Any, str] = {}
"""The pointer type of each dtype object met so far."""


def pointer_type_of_dtype(dtype: Any) -> str | None:
    """`"*fp32"` for the float32 dtype of NumPy, ml_dtypes, torch or mytriton; None for a dtype that no kernel takes."""
    if not getattr(dtype, "isnative", True) or getattr(dtype, "names", None) is not None:
        return None
    name = getattr(dtype, "name", None)
    if not isinstance(name, str):
        name = str(dtype)
    name = name.removeprefix("torch.")
    if name in ELEMENT_TYPES:
        return "*" + ELEMENT_TYPES[name]
    return "*" + name if name in ELEMENT_TYPES.values() else None


def _element_type(dtype: Any, parameter: Parameter, kernel: str) -> str:
    name = _POINTER_TYPES.get(dtype)
    if name is not None:
        return name
    name = pointer_type_of_dtype(dtype)
    if name is None:
        big_endian = "" if getattr(dtype, "isnative", True) else " in foreign byte order"
        _refuse(
            parameter,
            kernel,
            f"is an array of dtype {dtype}{big_endian}, which no kernel takes; "
            f"arrays may be of {', '.join(ELEMENT_TYPES)}",
        )
    _POINTER_TYPES[dtype] = name
    return name


def _element_type_of_typestr(value: Any, typestr: str, parameter: Parameter, kernel: str) -> str:
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        import numpy

        dtype = numpy.dtype(typestr)
    return _element_type(dtype, parameter, kernel)


# Refusals.


def _refuse_value(value: Any, parameter: Parameter, kernel: str) -> NoReturn:
    _refuse(
        parameter,
        kernel,
        f"is of type {type(value).__name__}; a kernel takes arrays (NumPy, torch, or with a CUDA or array interface), "
        "numbers and None, and anything else only as a tl.constexpr parameter",
    )


def _refuse(parameter: Parameter, kernel: str, what: str) -> NoReturn:
    raise ArgumentError(f"argument {parameter.name!r} of kernel {kernel} {what}")


_PYTHON_NUMBERS: tuple[tuple[type[Any], Describe], ...] = (
    (bool, _describe_bool),
    (int, _describe_int),
    (float, _describe_float),
)

_DESCRIBERS: dict[type[Any], Describe] = {
    bool: _describe_bool,
    int: _describe_int,
    float: _describe_float,
    type(None): _describe_constant,
}
