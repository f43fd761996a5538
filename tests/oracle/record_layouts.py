"""Prints Triton's linear layouts as the table of tests/unit/data/triton_layouts.json.

Reads a list of {"kind", "fields", "shape"} from standard input, runs where triton is installed, and prints it with
the "bases" that Triton gives each. It wrote the table that the tests of the layouts compare with, and checks it.
"""

import importlib
import json
import sys
from typing import Any

gluon: Any = importlib.import_module("triton.experimental.gluon.language._layouts")
compiler: Any = importlib.import_module("triton._C.libtriton")


def layout(kind: str, fields: list[Any]) -> Any:
    match kind:
        case "blocked":
            return gluon.BlockedLayout(*fields)
        case "slice":
            return gluon.SliceLayout(fields[0], layout("blocked", fields[1]))
        case "mma":
            return gluon.NVMMADistributedLayout(fields[:2], fields[2], fields[3])
        case "dot_blocked":
            return gluon.DotOperandLayout(fields[0], layout("blocked", fields[1]), 0)
        case _:
            return gluon.DotOperandLayout(fields[0], layout("mma", fields[1]), fields[2])


def main() -> None:
    context = compiler.ir.context()
    compiler.ir.load_dialects(context)
    builder = compiler.gluon_ir.GluonOpBuilder(context)
    module = builder.create_module()
    cases: list[dict[str, Any]] = json.load(sys.stdin)
    lines: list[str] = []
    for case in cases:
        found = builder.to_linear_layout(layout(case["kind"], case["fields"])._to_ir(builder), case["shape"])
        bases = {"register": found.reg_bases, "lane": found.lane_bases, "warp": found.warp_bases}
        lines.append(
            json.dumps({"kind": case["kind"], "fields": case["fields"], "shape": case["shape"], "bases": bases})
        )
    print("[\n" + ",\n".join(lines) + "\n]")
    del module


if __name__ == "__main__":
    main()
