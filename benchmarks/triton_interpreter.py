"""Runs one kernel with Triton's interpreter: run by a Python that has triton and torch, for `cpu_device.py`.

The argument is a launch as JSON: the file of the example, the kernel, the grid, the constants, and the arguments, of
which arrays are the paths of `.npy` files. The arrays are written back; the seconds that it took are printed.
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


def main() -> None:
    launch = json.loads(sys.argv[1])
    spec = importlib.util.spec_from_file_location("example", launch["path"])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel: Any = getattr(module, launch["kernel"])
    torch_module: Any = torch
    arguments = [
        torch_module.from_numpy(np.load(value)) if isinstance(value, str) else value for value in launch["arguments"]
    ]
    start = time.perf_counter()
    kernel[tuple(launch["grid"])](*arguments, **launch["constants"])
    print(time.perf_counter() - start)
    for value, path in zip(arguments, launch["arguments"], strict=True):
        if isinstance(path, str):
            np.save(path, value.numpy())


if __name__ == "__main__":
    main()
