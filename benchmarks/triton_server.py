"""Compiles kernels with the real Triton: run by a Python that has it, for `compile_time.py`.

Each line of standard input is a request as JSON; the answer is a line with the milliseconds from Python to a cubin.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from typing import Any

import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]
from triton.backends.compiler import GPUTarget  # pyright: ignore[reportMissingImports]
from triton.compiler import ASTSource  # pyright: ignore[reportMissingImports]


def load(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("example", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_time(request: dict[str, Any]) -> float:
    kernel: Any = getattr(load(request["path"]), request["kernel"])
    constants: dict[str, Any] = {
        name: getattr(tl, value) if name == "DTYPE" else value for name, value in request["constants"].items()
    }
    signature: dict[str, str] = {}
    divisible: dict[Any, Any] = {}
    for index, (name, text) in enumerate(zip(kernel.arg_names, request["types"], strict=False)):
        kind, _, fact = text.partition(":")
        signature[name] = "constexpr" if fact == "1" else kind
        if fact == "1":
            constants[name] = 1
        elif fact == "16" or kind.startswith("*"):
            divisible[(index,)] = [["tt.divisibility", 16]]
    signature = {name: signature.get(name, "constexpr") for name in kernel.arg_names}
    places = {(kernel.arg_names.index(name),): value for name, value in constants.items()}
    target = GPUTarget("cuda", request["arch"], 32)
    start = time.perf_counter()
    source = ASTSource(kernel, signature, places, divisible)
    triton.compile(source, target=target, options={"num_warps": request["num_warps"]})
    return (time.perf_counter() - start) * 1e3


def main() -> None:
    for line in sys.stdin:
        try:
            answer = {"milliseconds": compile_time(json.loads(line))}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}".partition("\n")[0]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
