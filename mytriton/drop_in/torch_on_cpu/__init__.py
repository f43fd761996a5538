"""torch's CUDA device mapped to the CPU, so that a program that asks for `device="cuda"` runs without a GPU.

Every tensor is on the CPU. Each one says of itself that it is on `cuda:0`, unless it was made on the CPU as the program
sees it: `residence.py` keeps track of those. Moving a tensor from one to the other copies it, as with a GPU.
"""

from __future__ import annotations

from mytriton.runtime.devices import map_cuda_to_cpu


def activate() -> None:
    """Maps CUDA to the CPU in this process, in all threads; torch must have been imported."""
    from mytriton.drop_in.torch_on_cpu import arguments, cuda_functions, mode, operators, outside_the_mode, pickles

    map_cuda_to_cpu()
    arguments.describe_tensors_quickly()
    cuda_functions.replace()
    outside_the_mode.replace()
    operators.replace()
    pickles.replace()
    mode.enter()
    mode.enter_in_threads()
    mode.enter_in_backward_passes()
