"""Kernels for the names that combine or move the elements of a tensor."""

from __future__ import annotations

from tests.oracle.cases import LIBRARY, Case, case

REDUCE_FUNCTIONS = """
@triton.jit
def product(a, b):
    return a * b


@triton.jit
def larger(a, i, b, j):
    return tl.where(a > b, a, b), tl.where(a > b, i, j)


@triton.jit
def compose(a, b, c, d):
    return a * c, b * c + d


"""


def reductions() -> list[Case]:
    cases: list[Case] = []
    for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint32", "float32", "float64"):
        wide = {"int8": "int32", "int16": "int32", "uint8": "uint32"}.get(dtype, dtype)
        widest = "int32" if dtype == "uint8" else wide
        for form in ("tl.sum(x, 1)", "x.sum(1)"):
            cases.append(case(f"{form}-{dtype}", f"result = {form}", f"{wide}[8]", x=f"{dtype}[8,16]"))
        for form in ("tl.max(x, 1)", "x.max(1)", "tl.min(x, 1)", "x.min(1)"):
            cases.append(case(f"{form}-{dtype}", f"result = {form}", f"{widest}[8]", x=f"{dtype}[8,16]"))
        for form in ("tl.argmax(x, 1)", "x.argmax(1)", "tl.argmin(x, 1)", "x.argmin(1)"):
            cases.append(case(f"{form}-{dtype}", f"result = {form}", "int32[8]", x=f"{dtype}[8,16]"))
        for form in (
            "tl.cumsum(x, 1)",
            "x.cumsum(1)",
            "tl.cumprod(x, 1)",
            "x.cumprod(1)",
            "tl.cumsum(x, 0, reverse=True)",
        ):
            kind = "" if "prod" not in form else "positive" if wide == dtype and dtype[0] != "f" else ""
            options = {"tolerance": LIBRARY} if dtype[0] == "f" else {}
            cases.append(
                case(f"{form}-{dtype}", f"result = {form}", f"{wide}[8,16]", x=f"{dtype}[8,16] {kind}", **options)
            )
        for form in ("tl.sort(x)", "tl.sort(x, descending=True)"):
            cases.append(case(f"{form}-{dtype}", f"result = {form}", f"{dtype}[8,16]", x=f"{dtype}[8,16]"))
        cases.append(case(f"topk-{dtype}", "result = tl.topk(x, 4)", f"{dtype}[8,4]", x=f"{dtype}[8,16]"))
        for form in ("tl.flip(x, 1)", "x.flip(0)"):
            cases.append(case(f"{form}-{dtype}", f"result = {form}", f"{dtype}[8,16]", x=f"{dtype}[8,16]"))
    for dtype in ("int8", "int32", "uint64"):
        for form in ("tl.xor_sum(x, 0)", "x.xor_sum(0)", "tl.reduce_or(x, 0)", "x.reduce_or(0)"):
            cases.append(case(f"{form}-{dtype}", f"result = {form}", f"{dtype}[16]", x=f"{dtype}[8,16]"))
    cases += [
        *(
            case(f"{form} of special values", f"result = {form}", out, x="float32[8,16] special")
            for form, out in (
                ("tl.sum(x, 1)", "float32[8]"),
                ("tl.max(x, 0)", "float32[16]"),
                ("tl.min(x, 1)", "float32[8]"),
                ("tl.cumsum(x, 1)", "float32[8,16]"),
                ("tl.flip(x, 1)", "float32[8,16]"),
                ("tl.argmax(x, 0, tie_break_left=True)", "int32[16]"),
            )
        ),
        case("bitonic_merge", "result = tl.bitonic_merge(x)", "int32[16]", x="int32[16] counter"),
        case("sum of all", "result = tl.sum(x)", "int32[]", x="int32[8,16]"),
        case("sum dtype", "result = tl.sum(x, 0, dtype=tl.int64)", "int64[16]", x="int8[8,16]"),
        case("keep_dims", "result = tl.max(x, 1, keep_dims=True)", "int32[8,1]", x="int32[8,16]"),
        case(
            "max and index",
            "result, at = tl.max(x, 1, return_indices=True)",
            {"result": "float32[8]", "at": "int32[8]"},
            x="float32[8,16]",
        ),
        case("reduce", "result = tl.reduce(x, 0, product)", "int32[16]", x="int32[8,16]", functions=REDUCE_FUNCTIONS),
        case("tensor.reduce", "result = x.reduce(1, product)", "int32[8]", x="int32[8,16]", functions=REDUCE_FUNCTIONS),
        case(
            "reduce of two",
            "result, at = tl.reduce((x, y), 1, larger)",
            {"result": "int32[8]", "at": "int32[8]"},
            x="int32[8,16] counter",
            y="int32[8,16]",
            functions=REDUCE_FUNCTIONS,
        ),
        case(
            "associative_scan",
            "result, other = tl.associative_scan((x, y), 1, compose)",
            {"result": "int32[8,16]", "other": "int32[8,16]"},
            x="int32[8,16]",
            y="int32[8,16]",
            functions=REDUCE_FUNCTIONS,
        ),
        case(
            "tensor.associative_scan",
            "result = x.associative_scan(0, product)",
            "int64[8,16]",
            x="int64[8,16]",
            functions=REDUCE_FUNCTIONS,
        ),
        case("histogram", "result = tl.histogram(x, 16)", "int32[16]", x="int32[64] positive"),
        case("tensor.histogram", "result = x.histogram(16, mask=x > 3)", "int32[16]", x="int32[64] positive"),
        case("gather", "result = tl.gather(x, y & 7, 0)", "float32[8,16]", x="float32[8,16]", y="int32[8,16]"),
        case("tensor.gather", "result = x.gather(y & 15, 1)", "int8[8,16]", x="int8[8,16]", y="int32[8,16]"),
    ]
    return cases


def shapes() -> list[Case]:
    lines = {
        "reshape": ("tl.reshape(x, 4, 32)", "4,32"),
        "tensor.reshape": ("x.reshape((2, 64))", "2,64"),
        "view": ("tl.view(x, 16, 8)", "16,8"),
        "tensor.view": ("x.view(128)", "128"),
        "ravel": ("tl.ravel(x)", "128"),
        "tensor.ravel": ("x.ravel()", "128"),
        "trans": ("tl.trans(x)", "16,8"),
        "tensor.trans": ("x.trans(1, 0)", "16,8"),
        "tensor.T": ("x.T", "16,8"),
        "permute": ("tl.permute(x, 1, 0)", "16,8"),
        "tensor.permute": ("x.permute((1, 0))", "16,8"),
        "expand_dims": ("tl.expand_dims(x, 1)", "8,1,16"),
        "tensor.expand_dims": ("x.expand_dims(0)", "1,8,16"),
        "unsqueeze": ("tl.unsqueeze(x, 2)", "8,16,1"),
        "squeeze": ("tl.squeeze(tl.expand_dims(x, 0), 0)", "8,16"),
        "broadcast_to": ("tl.broadcast_to(x[None, :, :], 2, 8, 16)", "2,8,16"),
        "tensor.broadcast_to": ("x[:, None, :].broadcast_to(8, 2, 16)", "8,2,16"),
        "broadcast": ("tl.broadcast(x, y)[0] + tl.broadcast(x, y)[1]", "8,16"),
        "join": ("tl.join(x, x + 1)", "8,16,2"),
        "interleave": ("tl.interleave(x, -x)", "8,32"),
        "cat": ("tl.cat(tl.ravel(x), tl.ravel(x * 2), can_reorder=True)", "256"),
        "split": ("tl.split(tl.reshape(x, 8, 8, 2))[1]", "8,8"),
        "tensor.split": ("tl.reshape(x, 8, 8, 2).split()[0]", "8,8"),
        "zeros_like": ("tl.zeros_like(x) + x", "8,16"),
        "zeros": ("tl.zeros((8, 16), tl.int32)", "8,16"),
        "full": ("tl.full((8, 16), 7, tl.int32) + x", "8,16"),
        "arange": ("tl.arange(3, 11)", "8"),
        "tensor.item": ("tl.sum(x, keep_dims=True).item()", ""),
    }
    return [
        case(name, f"result = {expression}", f"int32[{shape}]", x="int32[8,16]", y="int32[1,16]")
        for name, (expression, shape) in lines.items()
    ]


def cases() -> list[Case]:
    """Every case of this file; their names differ."""
    return [*reductions(), *shapes()]
