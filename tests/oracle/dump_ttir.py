"""Run by an interpreter that has the real Triton: prints, as JSON, its TTIR of each kernel that it is given.

The input is JSON too: a list of `{"name", "path", "kernel", "types", "constants", "arch"}`, where `types` are those of
the parameters that are no constants, in order. `i32:16` is divisible by 16, as pointers are, and `i32:1` is 1.
"""

import importlib.util
import json
import os
import sys
import warnings
from pathlib import Path

# The cache of Triton does not ask where a kernel stands, and the dump says so.
os.environ["TRITON_ALWAYS_COMPILE"] = "1"
warnings.simplefilter("ignore")

import triton.language as tl  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402
from triton.compiler.compiler import ir, make_backend  # noqa: E402


def source_of(task):
    path = Path(task["path"])
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent))
    specification.loader.exec_module(module)
    kernel = getattr(module, task["kernel"])
    while hasattr(kernel, "fn") and not hasattr(kernel, "arg_names"):
        kernel = kernel.fn
    constants = {
        name: getattr(tl, value) if name == "DTYPE" else value for name, value in task.get("constants", {}).items()
    }
    rest = iter(task["types"])
    signature, attributes = {}, {}
    for index, name in enumerate(kernel.arg_names):
        if name in constants:
            signature[name] = "constexpr"
            continue
        kind, _, fact = next(rest).partition(":")
        if fact == "1" and not kind.startswith("*"):
            constants[name], signature[name] = 1, "constexpr"
            continue
        signature[name] = kind
        if fact == "16" or (kind.startswith("*") and fact != "1"):
            attributes[(index,)] = [["tt.divisibility", 16]]
    return ASTSource(kernel, signature, constants, attributes)


def ttir_of(task):
    """The text after Triton's passes on TTIR, and before any that is for a GPU."""
    target = GPUTarget("cuda", task.get("arch", 80), 32)
    backend = make_backend(target)
    options = backend.parse_options({})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    source = source_of(task)
    functions = backend.get_codegen_implementation(options)
    module = source.make_ir(target, options, functions, backend.get_module_map(), context)
    stages = {}
    backend.add_stages(stages, options, source.language)
    return str(stages["ttir"](module, {}))


def main():
    texts = {}
    for task in json.loads(sys.stdin.read()):
        try:
            texts[task["name"]] = ttir_of(task)
        except Exception as error:
            texts[task["name"]] = f"error: {type(error).__name__}: {error}"
    print(json.dumps(texts))


main()
