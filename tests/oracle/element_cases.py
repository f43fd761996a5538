"""Kernels for the names that work on each element."""

from __future__ import annotations

import itertools

from tests.oracle.cases import FLOATS, INTEGERS, LIBRARY, Case, N, case, elementwise

FUNCTIONS = ("exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "rsqrt", "floor", "ceil", "abs", "erf", "sqrt_rn")


def functions() -> list[Case]:
    cases: list[Case] = []
    for function in FUNCTIONS:
        exact = function in ("floor", "ceil", "abs")
        for form in (f"tl.{function}(x)", f"tl.math.{function}(x)", f"x.{function}()"):
            dtypes = ("float32",) if function in ("erf", "sqrt_rn") else ("float32", "float64")
            cases += elementwise(form, form, dtypes, tolerance=0.0 if exact else LIBRARY)
    cases += elementwise("abs of integers", "tl.abs(x)", INTEGERS)
    cases += elementwise("sigmoid", "tl.sigmoid(x) + x.sigmoid()", ("float32",), tolerance=LIBRARY)
    for form in ("tl.softmax(x)", "x.softmax()"):
        cases.append(case(form, f"result = {form}", "float32[64]", x="float32[64]", tolerance=LIBRARY))
    cases.append(
        case("softmax dim", "result = tl.softmax(x, 1)", "float32[4,16]", x="float32[4,16]", tolerance=LIBRARY)
    )
    for form in ("tl.fma(x, y, z)", "tl.math.fma(x, y, z)"):
        cases += elementwise(form, form, ("float32", "float64"), letters="xyz", kind="plain")
    for form in ("tl.fdiv(x, y)", "tl.math.fdiv(x, y)", "tl.div_rn(x, y)", "tl.math.div_rn(x, y)"):
        cases += elementwise(form, form, ("float32",), letters="xy", kind="positive", tolerance=LIBRARY)
    for form in ("tl.umulhi(x, y)", "tl.math.umulhi(x, y)"):
        cases += elementwise(form, form, ("uint32", "uint64"), letters="xy")
    return cases


def arithmetic() -> list[Case]:
    cases: list[Case] = []
    for name in ("add", "sub", "mul", "minimum", "maximum"):
        cases += elementwise(name, f"tl.{name}(x, y)", INTEGERS, letters="xy")
        cases += elementwise(name, f"tl.{name}(x, y)", FLOATS, letters="xy", kind="plain")
    for operator in ("+", "-", "*", "&", "|", "^", "<", "<=", "==", "!=", ">", ">="):
        out = "int1" if operator in ("<", "<=", "==", "!=", ">", ">=") else ""
        cases += elementwise(operator, f"x {operator} y", INTEGERS, letters="xy", out=out)
        if operator not in "&|^":
            cases += elementwise(operator, f"x {operator} y", ("float32", "float64"), letters="xy", out=out)
    cases += elementwise("/", "x / y", ("float32", "float64"), letters="xy", kind="special", tolerance=LIBRARY)
    cases += elementwise("//", "(x // (y & 15 | 1))", tuple(d for d in INTEGERS if d[0] == "u"), letters="xy")
    cases += elementwise("%", "(x % (y & 15 | 1))", tuple(d for d in INTEGERS if d[0] == "u"), letters="xy")
    cases += elementwise("<<", "x << (y & 7)", INTEGERS, letters="xy")
    cases += elementwise(">>", "x >> (y & 7)", INTEGERS, letters="xy")
    cases += elementwise("negation", "-x", tuple(d for d in INTEGERS if d[0] == "i") + FLOATS)
    cases += elementwise("~", "~x", INTEGERS)
    for form in ("tl.cdiv(x, y)", "x.cdiv(y)"):
        cases += elementwise(form, form, ("int32", "int64", "uint32"), letters="xy", kind="positive")
    nan = "propagate_nan=tl.PropagateNan.ALL"
    cases += elementwise("maximum with NaN", f"tl.maximum(x, y, {nan})", ("float32",), letters="xy")
    cases += elementwise("minimum with NaN", f"tl.minimum(x, y, {nan})", ("float32",), letters="xy")
    cases += elementwise("minimum of NaN", "tl.minimum(x, 1.5)", ("float32",))
    cases += elementwise("clamp", "tl.clamp(x, -2.0, 3.0)", ("float32",), kind="plain")
    cases += elementwise("where", "tl.where(x > y, x, y)", (*INTEGERS, *FLOATS), letters="xy")
    for form in ("x.logical_and(y)", "x.logical_or(y)", "x & y", "x | y", "x ^ y", "~x"):
        cases.append(case(form + " of booleans", f"result = {form}", "int1[64]", x="int1[64]", y="int1[64]"))
    return cases


def casts() -> list[Case]:
    dtypes = ("int1", *INTEGERS, *FLOATS, "bfloat16")
    cases: list[Case] = []
    for source, target in itertools.product(dtypes, dtypes):
        # Triton's interpreter takes the bits of a bfloat16 for an integer.
        if "bfloat16" in (source, target) and not {source, target} <= {"bfloat16", "float32", "float16"}:
            continue
        is_float = source in (*FLOATS, "bfloat16")
        kind = (
            "positive" if is_float and target[0] == "u" else "plain" if is_float or target == "float16" else "special"
        )
        for form in (f"tl.cast(x, tl.{target})", f"x.to(tl.{target})", f"x.cast(tl.{target})"):
            cases.append(case(f"{source}: {form}", f"result = {form}", f"{target}[{N}]", x=f"{source}[{N}] {kind}"))
    for source, target in (("float32", "int32"), ("int16", "float16"), ("uint64", "float64"), ("int8", "uint8")):
        form = f"x.to(tl.{target}, bitcast=True)"
        cases.append(case(f"{source}: {form}", f"result = {form}", f"{target}[{N}]", x=f"{source}[{N}] special"))
    for small in ("float8e4nv", "float8e5"):
        for wide in ("float16", "float32"):
            cases.append(
                case(f"{wide} to {small}", f"result = x.to(tl.{small})", f"{small}[{N}]", x=f"{wide}[{N}] short")
            )
            cases.append(
                case(f"{small} to {wide}", f"result = x.to(tl.{wide})", f"{wide}[{N}]", x=f"{small}[{N}] plain")
            )
    return cases


def cases() -> list[Case]:
    """Every case of this file; their names differ."""
    return [*functions(), *arithmetic(), *casts()]
