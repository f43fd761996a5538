"""`@aggregate`: classes whose values hold tensors, constants and other values, with methods that are jit functions."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from mytriton import messages
from mytriton.language.constexpr import constexpr, unwrap
from mytriton.language.context import builtin
from mytriton.language.values import composite, is_number, is_tuple, tensor

_NOT_METHODS = frozenset({"__init__", "__dict__", "__weakref__", "__module__", "__doc__", "__annotations__"})


class aggregate_value(composite):
    """A value of a class that `@aggregate` made; its fields are set by the constructor and never again."""

    is_mytriton_aggregate = True
    field_types: ClassVar[Mapping[str, Any]] = {}
    field_defaults: ClassVar[Mapping[str, Any]] = {}
    initializer: ClassVar[Any] = None
    _is_complete: bool

    def __init__(self, *args: Any, **kwargs: Any):
        object.__setattr__(self, "_is_complete", False)
        kind = type(self)
        if kind.initializer is None:
            self._fill(args, kwargs)
        else:
            _call_initializer(kind.initializer, self, args, kwargs)
        for name in kind.field_types:
            if name not in self.__dict__:
                raise TypeError(f"the constructor of {kind.__name__} sets no value for {name!r}")
        object.__setattr__(self, "_is_complete", True)

    def _fill(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """The constructor of a class without one: the fields, in their order."""
        parameters = [
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=self.field_defaults.get(name, inspect.Parameter.empty),
            )
            for name in self.field_types
        ]
        bound = inspect.Signature(parameters).bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.field_types:
            raise TypeError(f"{type(self).__name__} has no field {name!r}")
        if self._is_complete:
            raise TypeError(f"the fields of {type(self).__name__} are set once; make another with aggregate_replace")
        object.__setattr__(self, name, self._checked(name, value))

    def _checked(self, name: str, value: Any) -> Any:
        """The value of a field, of the type that its annotation names."""
        expected = self.field_types[name]
        value = unwrap(value)
        if expected is constexpr:
            if isinstance(value, tensor):
                if value.constant is None:
                    raise TypeError(f"the field {name!r} is a constexpr, found a value of type {value.type}")
                value = value.constant
            return value
        if expected is tensor and is_number(value):
            from mytriton.language.operators import to_tensor

            return to_tensor(value)
        if isinstance(expected, type) and not isinstance(value, expected):
            raise TypeError(f"the field {name!r} is a {expected.__name__}, found {messages.described(value)}")
        return value

    @property
    def parts(self) -> tuple[Any, ...]:
        return tuple(self.__dict__[name] for name in self.field_types)

    @property
    def part_names(self) -> Sequence[str]:
        return list(self.field_types)

    @property
    def form(self) -> Any:
        return type(self)

    def with_parts(self, parts: Sequence[Any]) -> aggregate_value:
        copy = object.__new__(type(self))
        copy.__dict__.update(zip(self.field_types, parts, strict=True), _is_complete=True)
        return copy

    def __repr__(self) -> str:
        return type(self).__name__


def _call_initializer(initializer: Any, value: aggregate_value, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    if getattr(initializer, "is_mytriton_jit", False):
        raise TypeError("a constructor cannot be a jit function; make it a plain one, or a constexpr_function")
    if not getattr(initializer, "is_mytriton_constexpr_function", False):
        # As in Triton, a plain constructor sees constants as `constexpr`.
        args = [_as_constexpr(argument) for argument in args]
        kwargs = {name: _as_constexpr(argument) for name, argument in kwargs.items()}
    initializer(value, *args, **kwargs)


def _as_constexpr(value: Any) -> Any:
    return value if isinstance(value, tensor | composite) or is_tuple(value) else constexpr(value)


def aggregate(cls: type) -> type:
    """Makes a class one whose values kernels can make, pass, return and carry through loops.

    Each field has an annotation: `tl.tensor`, `tl.constexpr`, `tl.tuple`, or another aggregate. Methods are decorated
    with `@triton.jit` or `@triton.constexpr_function`.
    """
    types: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for base in reversed(cls.__mro__[1:]):
        if issubclass(base, aggregate_value):
            types.update(base.field_types)
            defaults.update(base.field_defaults)
    hints = typing.get_type_hints(cls)
    for name in inspect.get_annotations(cls):
        types[name] = hints[name]
        if name in cls.__dict__ and not callable(cls.__dict__[name]):
            defaults[name] = cls.__dict__[name]
    members = {name: member for name, member in cls.__dict__.items() if name not in _NOT_METHODS and name not in types}
    bases = tuple(base for base in cls.__bases__ if issubclass(base, aggregate_value)) or (aggregate_value,)
    initializer = cls.__dict__.get("__init__", getattr(bases[0], "initializer", None))
    names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    facts = {"field_types": types, "field_defaults": defaults, "initializer": initializer}
    return type(cls.__name__, bases, {**members, **names, **facts})


def methods_of(kind: type[aggregate_value]) -> dict[str, Callable[..., Any]]:
    """The constructor and all methods of an aggregate class."""
    names = [name for name in dir(kind) if name not in dir(aggregate_value) and name not in kind.field_types]
    members = {name: inspect.getattr_static(kind, name) for name in names}
    methods = {name: getattr(member, "__func__", member) for name, member in members.items()}
    return {"__init__": kind.initializer, **methods} if kind.initializer is not None else methods


@builtin
def aggregate_replace(instance: aggregate_value, **changes: Any) -> aggregate_value:
    """A copy of an aggregate with other values for some of its fields."""
    if not isinstance(instance, aggregate_value):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise messages.aggregate_expected(instance)
    for name in changes:
        if name not in instance.field_types:
            raise messages.no_such_attribute(repr(instance), name, instance.field_types)
    fields = {name: getattr(instance, name) for name in instance.field_types}
    copy = instance.with_parts(list(fields.values()))
    for name, value in changes.items():
        copy.__dict__[name] = copy._checked(name, value)  # pyright: ignore[reportPrivateUsage]
    return copy
