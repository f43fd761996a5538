"""Run by an interpreter that has the real Triton: runs scripts on Triton's interpreter, with CUDA mapped to the CPU.

A line of the standard input is a command, a list in JSON: a script, or -m and a module, and arguments. Each is run by a
process that is forked after torch and Triton have been imported, which takes as long as most scripts. A line of the
standard output is the answer: the exit code and what the script printed.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"
sys.path.append(str(Path(__file__).resolve().parents[2]))

import torch
import triton
from triton.backends.compiler import GPUTarget

from mytriton.drop_in import torch_on_cpu
from mytriton.drop_in.programs import run_module, run_script
from mytriton.runtime.driver import CPU_PROPERTIES


def run_once(fn, quantiles=(0.5,), **settings):
    """In the place of a benchmark: on the interpreter a time says nothing."""
    fn()
    return [1.0 for _ in quantiles]


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
        return run_once

    def get_empty_cache_for_benchmark(self):
        return torch.empty(1024)

    def clear_cache(self, cache):
        cache.zero_()


def run(command: list[str], output: int) -> int:
    """Runs a command in this process."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    return run_module(command[1:]) if command[0] == "-m" else run_script(command)


sys.path[0] = os.getcwd()
triton.runtime.driver.set_active(Driver())
torch_on_cpu.activate()
while line := sys.stdin.readline():
    with tempfile.TemporaryFile("w+") as output:
        child = os.fork()
        if child == 0:
            sys.exit(run(json.loads(line), output.fileno()))
        _, status = os.waitpid(child, 0)
        output.seek(0)
        print(json.dumps([os.waitstatus_to_exitcode(status), output.read()]), flush=True)
