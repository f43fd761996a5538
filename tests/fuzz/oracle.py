"""Triton's own interpreter as a second opinion: a process of a Python that has triton and torch.

Run as a script, this file is that process; it then imports nothing of mytriton.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import pickle
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

TORCH_NAMES = {"int1": "bool", "float8e4nv": "float8_e4m3fn", "float8e5": "float8_e5m2"}


class Oracle:
    """Runs programs; gives the arrays after the launch, or the text of the error."""

    def __init__(self, python: str):
        environment = {**os.environ, "TRITON_INTERPRET": "1"}
        environment.pop("PYTHONPATH", None)
        self._process = subprocess.Popen(
            [python, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )

    def __call__(self, program: Any) -> dict[str, Any] | str:
        from tests.fuzz.data import make_array

        arrays = {spec.name: (spec.dtype, make_array(spec)) for spec in program.used_arrays()}
        return self.launch(program.module_text("triton"), arrays, program.keywords(), program.grid)

    def launch(
        self, text: str, arrays: dict[str, tuple[str, Any]], keywords: dict[str, Any], grid: tuple[int, ...]
    ) -> dict[str, Any] | str:
        """Launches the function `kernel` of a module's text; `arrays` gives the dtype, and its elements, of each."""
        import numpy as np

        assert self._process.stdin is not None and self._process.stdout is not None
        data = {name: (dtype, array.tobytes()) for name, (dtype, array) in arrays.items()}
        pickle.dump({"text": text, "arrays": data, "keywords": keywords, "grid": grid}, self._process.stdin)
        self._process.stdin.flush()
        answer = pickle.load(self._process.stdout)
        if isinstance(answer, str):
            return answer
        return {name: np.frombuffer(answer[name], array.dtype) for name, (_, array) in arrays.items()}

    def close(self) -> None:
        """Ends the process."""
        # Leaving its context closes the pipes, of which the first tells the process to end, and waits.
        with self._process:
            pass


def _serve() -> None:
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the kernel prints must not mix with the answers
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer: Any = _run(request)
        except Exception:
            answer = traceback.format_exc()
        pickle.dump(answer, output)
        output.flush()


def _run(request: dict[str, Any]) -> dict[str, bytes]:
    torch: Any = importlib.import_module("torch")

    tensors: dict[str, Any] = {}
    for name, (dtype, data) in request["arrays"].items():
        torch_dtype = getattr(torch, TORCH_NAMES.get(dtype, dtype))
        tensors[name] = torch.frombuffer(bytearray(data), dtype=torch_dtype)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel_of_the_fuzzer.py"
        path.write_text(request["text"], encoding="utf-8")
        specification = importlib.util.spec_from_file_location(path.stem, path)
        assert specification is not None and specification.loader is not None
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        module.kernel[request["grid"]](**tensors, **request["keywords"])
    return {name: bytes(tensor.view(torch.uint8).numpy().tobytes()) for name, tensor in tensors.items()}


if __name__ == "__main__":
    _serve()
