"""The kernels of `examples/`, each with the types and the constants that it is compiled for."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@dataclass(frozen=True)
class Tutorial:
    """A kernel of an example.

    `types`: those of the arguments that are no constants, in order. `i32:16` is divisible by 16, which pointers always
    are, and `i32:1` is 1.
    """

    example: str
    kernel: str
    types: tuple[str, ...]
    constants: dict[str, Any]
    num_warps: int = 4
    label: str = ""

    @property
    def name(self) -> str:
        kernel = self.kernel.removesuffix("_kernel")
        return f"{kernel} {self.label}".strip()

    def constants_for(self, language: Any) -> dict[str, Any]:
        """The constants, with the dtypes of a `language` where they are named."""
        return {name: getattr(language, value) if name == "DTYPE" else value for name, value in self.constants.items()}


MATMUL_TYPES = ("*fp16",) * 3 + ("i32",) * 3 + ("i32:16", "i32:1") * 3
ATTENTION = {"HEAD": 64, "BLOCK_M": 64, "BLOCK_N": 64}
TILE = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}

TUTORIALS = (
    Tutorial("vector_add", "add_kernel", ("*fp32",) * 3 + ("i32",), {"BLOCK_SIZE": 1024}),
    Tutorial(
        "fused_softmax",
        "softmax_kernel",
        ("*fp32", "*fp32", "i32:16", "i32:16", "i32", "i32"),
        {"BLOCK_SIZE": 1024, "num_stages": 2},
    ),
    Tutorial(
        "grouped_matmul",
        "matmul_kernel",
        MATMUL_TYPES,
        {**TILE, "GROUP_M": 8, "ACTIVATION": "leaky_relu"},
    ),
    Tutorial(
        "low_memory_dropout",
        "seeded_dropout_kernel",
        ("*fp32", "*fp32", "i32", "fp32", "i32"),
        {"BLOCK_SIZE": 1024},
    ),
    Tutorial(
        "layer_norm",
        "layer_norm_forward_kernel",
        ("*fp16",) * 4 + ("*fp32",) * 2 + ("i32", "i32", "fp32"),
        {"BLOCK_SIZE": 1024},
    ),
    Tutorial(
        "layer_norm",
        "layer_norm_backward_dx_kernel",
        ("*fp16",) * 6 + ("*fp32",) * 2 + ("*i32", "i32", "i32"),
        {"GROUPS": 64, "BLOCK_SIZE": 1024},
    ),
    Tutorial(
        "layer_norm",
        "layer_norm_backward_sums_kernel",
        ("*fp16",) * 4 + ("i32", "i32"),
        {"BLOCK_M": 32, "BLOCK_N": 128},
    ),
    *(
        Tutorial(
            "fused_attention",
            "attention_forward_kernel",
            ("*fp16",) * 4 + ("*fp32", "i32", "fp32"),
            {**ATTENTION, "CAUSAL": causal},
            label="causal" if causal else "",
        )
        for causal in (False, True)
    ),
    Tutorial(
        "fused_attention",
        "attention_backward_delta_kernel",
        ("*fp16", "*fp16", "*fp32", "i32"),
        {"HEAD": 64, "BLOCK_M": 64},
    ),
    Tutorial(
        "fused_attention",
        "attention_backward_kv_kernel",
        ("*fp16",) * 4 + ("*fp32",) * 2 + ("*fp16",) * 2 + ("i32", "fp32"),
        {**ATTENTION, "CAUSAL": True},
    ),
    Tutorial(
        "fused_attention",
        "attention_backward_q_kernel",
        ("*fp16",) * 4 + ("*fp32",) * 2 + ("*fp16",) + ("i32", "fp32"),
        {**ATTENTION, "CAUSAL": True},
    ),
    Tutorial("libdevice", "asin_kernel", ("*fp32", "*fp32", "i32"), {"BLOCK_SIZE": 1024}),
    Tutorial(
        "grouped_gemm",
        "grouped_gemm_kernel",
        ("*i64",) * 3 + ("*i32",) * 2 + ("i32",),
        {"DTYPE": "float16", "PROGRAMS": 132, **TILE},
    ),
    Tutorial(
        "persistent_matmul",
        "persistent_matmul_kernel",
        MATMUL_TYPES,
        {**TILE, "GROUP_M": 8, "PROGRAMS": 132},
    ),
    Tutorial(
        "persistent_matmul",
        "descriptor_matmul_kernel",
        ("*fp16",) * 3 + ("i32", "i32:16", "i32:16"),
        {**TILE, "GROUP_M": 8, "PROGRAMS": 132},
    ),
)


def load_example(name: str) -> ModuleType:
    """The module of an example."""
    return load_file(name, EXAMPLES / f"{name}.py")


def load_file(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"mytriton_example_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
