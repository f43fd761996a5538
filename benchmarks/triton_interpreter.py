"""Runs one kernel with Triton's interpreter: run by a Python that has triton and torch, for `cpu_device.py`.

The argument is a launch as JSON: the file of the example, the kernel, the grid, the constants, and the arguments, of
which arrays are the paths of `.npy` files, and lists of them arrays of addresses. The arrays are written back; the
seconds that it took are printed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
from typing import Any

os.environ["TRITON_INTERPRET"] = "1"

import numpy as np
import torch  # pyright: ignore[reportMissingImports]
import triton.language  # pyright: ignore[reportMissingImports]


def main() -> None:
    launch = json.loads(sys.argv[1])
    spec = importlib.util.spec_from_file_location("example", launch["path"])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel: Any = getattr(module, launch["kernel"])
    torch_module: Any = torch
    tensors: dict[str, Any] = {}

    def tensor(path: str) -> Any:
        tensors[path] = torch_module.from_numpy(np.load(path))
        return tensors[path]

    def argument(value: Any) -> Any:
        if isinstance(value, list):
            return torch_module.tensor([tensor(path).data_ptr() for path in value])
        return tensor(value) if isinstance(value, str) else value

    arguments = [argument(value) for value in launch["arguments"]]
    language: Any = triton.language
    constants = {
        name: getattr(language, value) if name == "DTYPE" else value for name, value in launch["constants"].items()
    }
    start = time.perf_counter()
    kernel[tuple(launch["grid"])](*arguments, **constants)
    print(time.perf_counter() - start)
    for path, value in tensors.items():
        np.save(path, value.numpy())


if __name__ == "__main__":
    main()
