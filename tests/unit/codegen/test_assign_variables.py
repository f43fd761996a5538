"""Storage of values that loops and branches carry: printed kernels run on the CPU, against the reference evaluator."""

from __future__ import annotations

import re

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from mytriton.codegen import print_cuda
from mytriton.dialects import cuda
from mytriton.passes.assign_variables import AssignVariables
from mytriton.ttir import parse_module
from tests.unit.codegen.random_kernels import INPUTS, OUTPUTS, Generator
from tests.unit.codegen.reference import Evaluator
from tests.unit.codegen.running import launch, needs_compiler

START = """\
cuda.func @kernel(%in: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) attributes {num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %a = cuda.map 4 -> !cuda.regs<4xi32> {
  ^bb0(%r: i32):
    %x = cuda.load %in[%r] : !tt.ptr<i32>, i32 -> i32
    cuda.yield %x : i32
  }
  %b = cuda.map 4 -> !cuda.regs<4xi32> {
  ^bb0(%r: i32):
    %at = arith.addi %r, %c3 : i32
    %x = cuda.load %in[%at] : !tt.ptr<i32>, i32 -> i32
    cuda.yield %x : i32
  }
"""


def store(array: str, position: int) -> str:
    return f"""\
  %at{position} = arith.constant {position} : i32
  cuda.map 4 {{
  ^bb0(%r: i32):
    %at = arith.addi %r, %at{position} : i32
    %x = cuda.get %{array}[%r] : !cuda.regs<4xi32> -> i32
    cuda.store %x, %out[%at] : i32, !tt.ptr<i32>, i32
    cuda.yield
  }}
"""


def add(result: str, left: str, right: str) -> str:
    """The element-wise sum of two arrays, each read at the register that is written."""
    return f"""\
    %{result} = cuda.map 4 -> !cuda.regs<4xi32> {{
    ^bb0(%r: i32):
      %left = cuda.get %{left}[%r] : !cuda.regs<4xi32> -> i32
      %right = cuda.get %{right}[%r] : !cuda.regs<4xi32> -> i32
      %sum = arith.addi %left, %right : i32
      cuda.yield %sum : i32
    }}
"""


def module_of(body: str, *stored: str) -> ModuleOp:
    stores = "".join(store(array, 4 * position) for position, array in enumerate(stored))
    return parse_module(START + body + stores + "  cuda.return\n}\n")


def check(module: ModuleOp) -> str:
    """The printed text, after it gave the results of the evaluator for no, one and several iterations."""
    (function,) = module.body.block.ops
    assert isinstance(function, cuda.FuncOp)
    text = ""
    for n in (0, 1, 3):
        inputs = [(7 * i * i - 30 * i + 11) % 97 for i in range(INPUTS)]
        expected = [0] * OUTPUTS
        Evaluator(function, [list(inputs), expected, n])
        output = np.zeros(OUTPUTS, np.int32)
        text = launch(module, 1, np.array(inputs, np.int32), output, n)
        assert output.tolist() == expected, (n, text)
    return text


def arrays(text: str) -> int:
    """How many register arrays the text declares."""
    return len(re.findall(r"^ *(?:__align__\(16\) )?int \w+\[4\]", text, re.MULTILINE))


FOR = "scf.for %i = %c0 to %n step %c1"
ARRAY = "!cuda.regs<4xi32>"

pytestmark = needs_compiler


def loop(body: str, yielded: str, result: str = "y", start: str = "a") -> str:
    """A loop that carries one array, `acc` in its body."""
    head = f"  %{result} = {FOR} iter_args(%acc = %{start}) -> ({ARRAY}) : i32 {{\n"
    return f"{head}{body}    scf.yield %{yielded} : {ARRAY}\n  }}\n"


def test_accumulation_is_in_place():
    body = loop(add("s", "acc", "b"), "s")
    text = check(module_of(body, "y"))
    assert arrays(text) == 2
    assert "y[r] += (unsigned)b[r];" in text


def test_the_start_is_copied_where_it_is_needed_again():
    body = loop(add("s", "acc", "b"), "s")
    assert arrays(check(module_of(body, "y", "a"))) == 3


def test_the_old_value_is_used_after_the_update():
    body = loop(add("s", "acc", "b") + add("t", "s", "acc"), "t")
    assert arrays(check(module_of(body, "y"))) == 3


def test_two_arrays_change_places():
    body = (
        f"  %y, %z = {FOR} iter_args(%p = %a, %q = %b) -> ({ARRAY}, {ARRAY}) : i32 {{\n"
        f"    scf.yield %q, %p : {ARRAY}, {ARRAY}\n  }}\n"
    )
    text = check(module_of(body, "y", "z"))
    assert "_next" in text


def test_three_arrays_rotate_and_one_is_updated():
    body = (
        f"  %y, %z, %w = {FOR} iter_args(%p = %a, %q = %b, %o = %a) -> ({ARRAY}, {ARRAY}, {ARRAY}) : i32 {{\n"
        f"{add('s', 'p', 'q')}    scf.yield %q, %o, %s : {ARRAY}, {ARRAY}, {ARRAY}\n  }}\n"
    )
    check(module_of(body, "y", "z", "w", "a", "b"))


def test_one_start_for_two_loops():
    loops = "".join(loop(add("s", "acc", "b"), "s", result) for result in ("y", "z"))
    text = check(module_of(loops, "y", "z"))
    # The second loop is the last to need the start, so only the first one copies it.
    assert arrays(text) == 3


def test_one_splat_for_two_loops_is_made_twice():
    loops = f"  %zeros = cuda.splat %c0 : i32 -> {ARRAY}\n" + "".join(
        loop(add("s", "acc", "b"), "s", result, start="zeros") for result in ("y", "z")
    )
    text = check(module_of(loops, "y", "z"))
    assert text.count("[4] = {};") == 2
    assert arrays(text) == 3


def test_one_start_for_two_values_of_one_loop():
    body = (
        f"  %y, %z = {FOR} iter_args(%p = %a, %q = %a) -> ({ARRAY}, {ARRAY}) : i32 {{\n"
        f"{add('s', 'p', 'b')}{add('t', 'q', 's')}    scf.yield %s, %t : {ARRAY}, {ARRAY}\n  }}\n"
    )
    assert arrays(check(module_of(body, "y", "z"))) == 3


def test_nested_loops_share_one_array():
    inner = (
        f"    %inner = scf.for %j = %c0 to %c2 step %c1 iter_args(%acc2 = %acc) -> ({ARRAY}) : i32 {{\n"
        f"{add('s', 'acc2', 'b')}      scf.yield %s : {ARRAY}\n    }}\n"
    )
    body = loop(inner, "inner")
    assert arrays(check(module_of(body, "y"))) == 2


def test_an_outer_value_is_used_after_an_inner_loop():
    inner = (
        f"    %inner = scf.for %j = %c0 to %c2 step %c1 iter_args(%acc2 = %acc) -> ({ARRAY}) : i32 {{\n"
        f"{add('s', 'acc2', 'b')}      scf.yield %s : {ARRAY}\n    }}\n"
    )
    inner += add("t", "inner", "acc")
    body = loop(inner, "t")
    assert arrays(check(module_of(body, "y"))) == 3


def test_a_branch_in_a_loop_updates_in_place():
    branch = (
        "    %odd = arith.andi %i, %c1 : i32\n    %is_odd = arith.cmpi ne, %odd, %c0 : i32\n"
        f"    %new = scf.if %is_odd -> ({ARRAY}) {{\n{add('s', 'acc', 'b')}      scf.yield %s : {ARRAY}\n"
        f"    }} else {{\n      scf.yield %acc : {ARRAY}\n    }}\n"
    )
    body = loop(branch, "new")
    text = check(module_of(body, "y"))
    assert arrays(text) == 2
    assert "else" not in text


def test_a_branch_changes_the_places_of_two_arrays():
    branch = (
        "    %odd = arith.andi %i, %c1 : i32\n    %is_odd = arith.cmpi ne, %odd, %c0 : i32\n"
        f"    %u, %v = scf.if %is_odd -> ({ARRAY}, {ARRAY}) {{\n      scf.yield %q, %p : {ARRAY}, {ARRAY}\n"
        f"    }} else {{\n{add('s', 'p', 'q')}      scf.yield %p, %s : {ARRAY}, {ARRAY}\n    }}\n"
    )
    body = (
        f"  %y, %z = {FOR} iter_args(%p = %a, %q = %b) -> ({ARRAY}, {ARRAY}) : i32 {{\n"
        f"{branch}    scf.yield %u, %v : {ARRAY}, {ARRAY}\n  }}\n"
    )
    check(module_of(body, "y", "z"))


def test_a_map_that_reads_in_another_order_is_not_in_place():
    reverse = f"""\
    %s = cuda.map 4 -> {ARRAY} {{
    ^bb0(%r: i32):
      %other = arith.subi %c3, %r : i32
      %x = cuda.get %acc[%other] : {ARRAY} -> i32
      cuda.yield %x : i32
    }}
"""
    body = loop(reverse, "s")
    assert arrays(check(module_of(body, "y"))) == 2


def test_a_map_that_reads_beyond_its_step_is_not_in_place():
    """A step of 2 that reads at the register of the step above it would see what was just written."""
    rotate = f"""\
    %s = cuda.map 4 step 2 -> {ARRAY} {{
    ^bb0(%r: i32):
      %other = arith.subi %c2, %r : i32
      %x = cuda.get %acc[%other] : {ARRAY} -> vector<2xi32>
      cuda.yield %x : vector<2xi32>
    }}
"""
    body = loop(rotate, "s")
    text = check(module_of(body, "y"))
    assert "__align__(16) int y[4]" in text


def test_results_of_one_map_that_read_each_other():
    both = f"""\
    %s, %t = cuda.map 4 -> {ARRAY}, {ARRAY} {{
    ^bb0(%r: i32):
      %x = cuda.get %p[%r] : {ARRAY} -> i32
      %y = cuda.get %q[%r] : {ARRAY} -> i32
      %sum = arith.addi %x, %y : i32
      %difference = arith.subi %x, %y : i32
      cuda.yield %sum, %difference : i32, i32
    }}
"""
    body = (
        f"  %y, %z = {FOR} iter_args(%p = %a, %q = %b) -> ({ARRAY}, {ARRAY}) : i32 {{\n"
        f"{both}    scf.yield %s, %t : {ARRAY}, {ARRAY}\n  }}\n"
    )
    assert arrays(check(module_of(body, "y", "z"))) == 2


def test_an_expression_is_not_moved_over_the_update_of_what_it_reads():
    body = f"""\
  %y, %last = {FOR} iter_args(%k = %c1, %seen = %c2) -> (i32, i32) : i32 {{
    %double = arith.muli %k, %c2 : i32
    %next = arith.addi %k, %c3 : i32
    %spent = arith.addi %double, %next : i32
    cuda.store %spent, %out[%i] : i32, !tt.ptr<i32>, i32
    scf.yield %next, %spent : i32, i32
  }}
  %sum = arith.subi %y, %last : i32
  %zeros = cuda.splat %sum : i32 -> {ARRAY}
"""
    check(module_of(body, "a", "zeros"))


def test_a_start_from_outside_is_needed_in_every_iteration():
    inner = (
        f"    %inner = scf.for %j = %c0 to %c2 step %c1 iter_args(%acc2 = %b) -> ({ARRAY}) : i32 {{\n"
        f"{add('s', 'acc2', 'acc')}      scf.yield %s : {ARRAY}\n    }}\n"
    )
    assert arrays(check(module_of(loop(inner, "inner"), "y"))) == 3


def test_a_condition_reads_the_value_before_it_is_passed_on():
    body = f"""\
  %y = scf.while (%k = %c0) : (i32) -> i32 {{
    %next = arith.addi %k, %c3 : i32
    %goes_on = arith.cmpi slt, %k, %n : i32
    scf.condition(%goes_on) %next : i32
  }} do {{
  ^bb0(%body: i32):
    cuda.store %body, %out[%c0] : i32, !tt.ptr<i32>, i32
    scf.yield %body : i32
  }}
  %filled = cuda.splat %y : i32 -> {ARRAY}
"""
    text = check(module_of(body, "a", "filled"))
    assert "bool goes_on = y < n;" in text


def test_the_index_of_a_loop_is_carried():
    body = f"""\
  %y = {FOR} iter_args(%last = %c3) -> (i32) : i32 {{
    cuda.store %last, %out[%i] : i32, !tt.ptr<i32>, i32
    scf.yield %i : i32
  }}
  %filled = cuda.splat %y : i32 -> {ARRAY}
"""
    check(module_of(body, "a", "filled"))


def test_a_loop_reads_its_bound_although_the_bound_is_carried():
    body = f"""\
  %y = {FOR} iter_args(%limit = %n) -> (i32) : i32 {{
    %inner = scf.for %j = %c0 to %limit step %c1 iter_args(%k = %limit) -> (i32) : i32 {{
      %next = arith.addi %k, %c1 : i32
      scf.yield %next : i32
    }}
    scf.yield %inner : i32
  }}
  %filled = cuda.splat %y : i32 -> {ARRAY}
"""
    check(module_of(body, "filled"))


def test_while_loops_carry_arrays():
    body = f"""\
  %count, %y = scf.while (%k = %c0, %acc = %a) : (i32, {ARRAY}) -> (i32, {ARRAY}) {{
    %goes_on = arith.cmpi slt, %k, %n : i32
    scf.condition(%goes_on) %k, %acc : i32, {ARRAY}
  }} do {{
  ^bb0(%k_body: i32, %acc_body: {ARRAY}):
{add("s", "acc_body", "b")}    %next = arith.addi %k_body, %c1 : i32
    scf.yield %next, %s : i32, {ARRAY}
  }}
"""
    text = check(module_of(body, "y"))
    assert arrays(text) == 2
    assert "while (count < n) {" in text


def test_parameters_are_not_assigned():
    body = f"""\
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%k = %n) -> (i32) : i32 {{
    %next = arith.addi %k, %c1 : i32
    scf.yield %next : i32
  }}
  %filled = cuda.splat %y : i32 -> {ARRAY}
"""
    assert not re.search(r"^ *n \+?=", check(module_of(body, "filled")), re.MULTILINE)


@pytest.mark.parametrize("seed", range(24))
def test_random_kernels(seed: int):
    function = Generator(seed).function
    function.verify()
    check(ModuleOp([function]))


def test_text_and_attributes_are_the_same_every_time():
    module = ModuleOp([Generator(5).function])
    text = print_cuda(module)
    assert print_cuda(module) == text
    AssignVariables().apply(Context(), module)
    once = str(module)
    assert print_cuda(module) == text
    AssignVariables().apply(Context(), module)
    assert str(module) == once
