"""How the operations that may make faulty values are written in a kernel."""

from __future__ import annotations

from xdsl.ir import Operation

from mytriton.dialects.attribute_names import EMPTY

_WRITTEN = {
    "tt.load": "tl.load",
    "ub.poison": "a value that is not set",
    "arith.addi": "+",
    "arith.subi": "-",
    "arith.muli": "*",
    "arith.divsi": "//",
    "arith.divui": "//",
    "arith.remsi": "%",
    "arith.remui": "%",
    "arith.shli": "<<",
    "arith.shrsi": ">>",
    "arith.shrui": ">>",
    "arith.addf": "+",
    "arith.subf": "-",
    "arith.mulf": "*",
    "arith.divf": "/",
    "arith.remf": "%",
    "arith.truncf": "a cast",
    "arith.sitofp": "a cast",
    "arith.uitofp": "a cast",
    "tt.fp_to_fp": "a cast",
    "tt.precise_divf": "/",
    "tt.approx_divf": "/",
    "tt.precise_sqrt": "sqrt",
    "tt.dot": "tl.dot",
    "tt.reduce": "a reduction",
    "tt.scan": "a scan",
    "tt.clampf": "tl.clamp",
    "tt.elementwise_inline_asm": "inline assembly",
}


def described(op: Operation) -> str:
    """The operator or the function of Python that an operation is."""
    if op.name.startswith("math."):
        return f"tl.{op.name.removeprefix('math.')}"
    if op.name == "tt.extern_elementwise":
        from mytriton.dialects import tt

        assert isinstance(op, tt.ExternElementwiseOp)
        return op.symbol.data
    if EMPTY in op.attributes:
        return "tl.empty"
    return _WRITTEN.get(op.name, op.name)
