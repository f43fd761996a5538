"""How a launch looks at tensors while every torch function goes through a mode."""

from __future__ import annotations

from typing import Any

import torch

from mytriton.runtime.arguments import Argument, Describe, describe_torch_tensors_by
from mytriton.runtime.parameters import Parameter


def describe_tensors_quickly() -> None:
    """Has a launch ask tensors themselves, with the mode off: they are on the CPU, and say so then."""
    describe_torch_tensors_by(_without_mode)


def _without_mode(describe: Describe) -> Describe:
    def described(value: Any, parameter: Parameter, kernel: str) -> Argument:
        with torch._C.DisableTorchFunction():
            return describe(value, parameter, kernel)

    return described
