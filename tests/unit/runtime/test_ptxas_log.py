"""What is read from ptxas's own log, in the forms that different versions of it write."""

from __future__ import annotations

from mytriton.runtime.ptxas_log import Resources, parse_ptxas_log

TWO_KERNELS = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90a'
ptxas info    : Function properties for first
ptxas         .     48 bytes stack frame, 12 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 48 bytes cumulative stack size, 49152 bytes smem
ptxas info    : Compile time = 27.565 ms
ptxas info    : Compiling entry function 'second' for 'sm_90a'
ptxas info    : Function properties for second
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, 360 bytes cmem[0]
"""


def test_each_kernel_has_its_own_figures():
    assert parse_ptxas_log(TWO_KERNELS) == {
        "first": Resources(registers=255, shared=49152, local=48, spill_stores=12, spill_loads=24),
        "second": Resources(registers=8, shared=0, local=0, spill_stores=0, spill_loads=0),
    }


def test_functions_that_were_not_inlined_count_towards_their_kernel():
    log = """\
ptxas info    : Compiling entry function 'k' for 'sm_80'
ptxas info    : Function properties for k
    16 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 40 registers, 100+0 bytes smem, 360 bytes cmem[0]
ptxas info    : Function properties for helper
    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
"""
    assert parse_ptxas_log(log)["k"].shared == 100


def test_a_log_without_kernels():
    assert parse_ptxas_log("ptxas info    : 0 bytes gmem\n") == {}
