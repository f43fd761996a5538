# pyright: reportMissingParameterType=false, reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportArgumentType=false
"""Parameters: annotations, and how a call's values are bound to them."""

from __future__ import annotations

from typing import Any

import pytest

from mytriton.errors import ArgumentError
from mytriton.language.constexpr import constexpr
from mytriton.language.constexpr import constexpr as compile_time
from mytriton.language.dtypes import float64, int64
from mytriton.runtime import parameters
from mytriton.runtime.parameters import bind, parameters_of, scalar_type_name


class tl:
    """Stands for the language module, as annotations name it."""

    constexpr = constexpr


def add(x_ptr, y_ptr, n, scale=2.0, BLOCK: tl.constexpr = 64):
    pass


PARAMETERS = parameters_of(add)


def names_of_constants(function: Any) -> list[str]:
    return [parameter.name for parameter in parameters_of(function) if parameter.is_constexpr]


def test_every_spelling_of_constexpr_under_postponed_annotations():
    def kernel(a, b: tl.constexpr, c: constexpr, d: tl.constexpr | None, e: compile_time, f: int):
        pass

    assert names_of_constants(kernel) == ["b", "c", "d", "e"]
    kernel.__annotations__ = {"b": "'tl.constexpr'", "c": '"constexpr"', "d": "'int'"}
    assert names_of_constants(kernel) == ["b", "c"]


def test_every_spelling_of_constexpr_under_evaluated_annotations():
    def kernel(a, b, c, d, e):
        pass

    kernel.__annotations__ = {"b": constexpr, "c": "tl.constexpr", "d": "constexpr", "e": int}
    assert names_of_constants(kernel) == ["b", "c", "d"]


def test_annotations_give_scalar_types():
    def kernel(a, b, c, d, e, f):
        pass

    kernel.__annotations__ = {"a": int64, "b": "tl.int64", "c": "i64", "d": float64, "e": int, "f": "some words"}
    assert [parameter.scalar_type for parameter in parameters_of(kernel)] == ["i64", "i64", "i64", "fp64", None, None]


def test_parameters_that_are_not_specialized():
    by_name = parameters_of(add, do_not_specialize=["n"], do_not_specialize_on_alignment=["x_ptr"])
    by_index = parameters_of(add, do_not_specialize=[2], do_not_specialize_on_alignment=[0])
    for found in (by_name, by_index):
        assert [parameter.name for parameter in found if parameter.do_not_specialize] == ["n"]
        assert [parameter.name for parameter in found if parameter.do_not_specialize_on_alignment] == ["x_ptr"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("i32", "i32"), ("int32", "i32"), ("tl.int32", "i32"), ("bool", "i1"), ("u1", "i1"), ("bfloat16", "bf16")],
)
def test_names_of_scalar_types(text: str, expected: str):
    assert scalar_type_name(text) == expected


def test_a_word_that_names_no_type():
    assert scalar_type_name("complex64") is None


@pytest.mark.parametrize(
    ("positional", "keywords", "expected"),
    [
        ([1, 2, 3], {}, [1, 2, 3, 2.0, 64]),
        ([1, 2, 3, 4, 5], {}, [1, 2, 3, 4, 5]),
        ([1], {"n": 3, "y_ptr": 2, "BLOCK": 8}, [1, 2, 3, 2.0, 8]),
        ([], {"BLOCK": 8, "n": 3, "y_ptr": 2, "x_ptr": 1, "scale": 0}, [1, 2, 3, 0, 8]),
    ],
)
def test_bind(positional: list[int], keywords: dict[str, int], expected: list[float]):
    assert bind("add", PARAMETERS, positional, keywords) == expected


@pytest.mark.parametrize(
    ("positional", "keywords", "message"),
    [
        ([1, 2], {}, "kernel add is missing the argument 'n'"),
        ([1], {}, "kernel add is missing the arguments 'y_ptr', 'n'"),
        ([1, 2, 3, 4, 5, 6], {}, "kernel add takes 5 arguments, but 6 were given"),
        ([1, 2, 3], {"BLOKC": 4}, "kernel add has no parameter and no option 'BLOKC'; did you mean 'BLOCK'?"),
        ([1, 2], {"m": 4}, "kernel add has no parameter and no option 'm'"),
        ([1, 2, 3], {"y_ptr": 4}, "kernel add got two values for the argument 'y_ptr'"),
    ],
)
def test_what_does_not_fit(positional: list[int], keywords: dict[str, int], message: str):
    with pytest.raises(ArgumentError) as caught:
        bind("add", PARAMETERS, positional, keywords)
    first, second = str(caught.value).splitlines()
    assert first == message
    assert second == "its signature is add(x_ptr, y_ptr, n, scale=2.0, BLOCK: constexpr=64)"


def test_wrong_arguments_are_type_errors_as_for_any_function():
    with pytest.raises(TypeError):
        bind("add", PARAMETERS, [], {})


def test_parameters_that_take_any_number_of_keywords_are_refused():
    def kernel(**pointers):
        pass

    with pytest.raises(ArgumentError, match=r"kernel k cannot be launched: its parameter '\*\*pointers'"):
        parameters.refuse_variadic("k", kernel)
