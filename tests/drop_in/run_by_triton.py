"""Run by an interpreter that has the real Triton: runs a script on Triton's interpreter, with CUDA mapped to the CPU.

run_by_triton.py SCRIPT ARGUMENTS
"""

import os
import sys
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"
sys.path.append(str(Path(__file__).resolve().parents[2]))

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.testing import do_bench

from mytriton.drop_in import torch_on_cpu
from mytriton.drop_in.programs import run_module, run_script
from mytriton.runtime.driver import CPU_PROPERTIES


class Driver:
    """Answers for the GPU that the CPU stands for."""

    class utils:
        @staticmethod
        def get_device_properties(device):
            return dict(CPU_PROPERTIES)

    def get_current_target(self):
        return GPUTarget("cuda", 80, 32)

    def get_active_torch_device(self):
        return torch.device("cuda", 0)

    def get_current_device(self):
        return 0

    def get_device_interface(self):
        return torch.cuda

    def get_benchmarker(self):
        return do_bench

    def get_empty_cache_for_benchmark(self):
        return torch.empty(1024)

    def clear_cache(self, cache):
        cache.zero_()


sys.path[0] = os.getcwd()
triton.runtime.driver.set_active(Driver())
torch_on_cpu.activate()
command = sys.argv[1:]
sys.exit(run_module(command[1:]) if command[0] == "-m" else run_script(command))
