"""Which pointer arguments a kernel may write through."""

from __future__ import annotations

import pytest

from mytriton.runtime.written_arguments import written_arguments
from mytriton.ttir import parse_module


def written(
    body: str, arguments: str = "%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %n: i32", more: str = ""
) -> tuple[int, ...]:
    return written_arguments(parse_module(f"tt.func public @k({arguments}) {{\n{body}\n  tt.return\n}}\n{more}"))


def test_a_store_to_an_argument():
    assert written("%x = tt.load %a : !tt.ptr<f32>\n tt.store %b, %x : !tt.ptr<f32>") == (1,)


def test_no_store():
    assert written("%x = tt.load %a : !tt.ptr<f32>") == ()


def test_pointer_arithmetic_on_tensors():
    body = """
      %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
      %splat = tt.splat %a : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
      %pointers = tt.addptr %splat, %range : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
      %wide = tt.expand_dims %pointers {axis = 0 : i32} : tensor<8x!tt.ptr<f32>> -> tensor<1x8x!tt.ptr<f32>>
      %x = arith.constant dense<0.0> : tensor<1x8xf32>
      tt.store %wide, %x : tensor<1x8x!tt.ptr<f32>>
    """
    assert written(body) == (0,)


def test_a_pointer_that_a_loop_carries():
    body = """
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %x = arith.constant 0.0 : f32
      %end = scf.for %i = %zero to %n step %one iter_args(%p = %a) -> (!tt.ptr<f32>) : i32 {
        tt.store %p, %x : !tt.ptr<f32>
        %next = tt.addptr %p, %one : !tt.ptr<f32>, i32
        scf.yield %next : !tt.ptr<f32>
      }
    """
    assert written(body) == (0,)


def test_a_pointer_that_a_loop_exchanges():
    body = """
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %x = arith.constant 0.0 : f32
      %p, %q = scf.for %i = %zero to %n step %one iter_args(%l = %a, %r = %b) -> (!tt.ptr<f32>, !tt.ptr<f32>) : i32 {
        scf.yield %r, %l : !tt.ptr<f32>, !tt.ptr<f32>
      }
      tt.store %p, %x : !tt.ptr<f32>
    """
    assert written(body) == (0, 1)


def test_a_store_within_a_loop_that_exchanges_pointers():
    body = """
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %x = arith.constant 0.0 : f32
      %p, %q = scf.for %i = %zero to %n step %one iter_args(%l = %a, %r = %b) -> (!tt.ptr<f32>, !tt.ptr<f32>) : i32 {
        tt.store %l, %x : !tt.ptr<f32>
        scf.yield %r, %l : !tt.ptr<f32>, !tt.ptr<f32>
      }
    """
    assert written(body) == (0, 1)


def test_a_pointer_from_within_a_loop():
    body = """
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %x = arith.constant 0.0 : f32
      %end = scf.for %i = %zero to %n step %one iter_args(%p = %a) -> (!tt.ptr<f32>) : i32 {
        tt.store %p, %x : !tt.ptr<f32>
        scf.yield %b : !tt.ptr<f32>
      }
    """
    assert written(body) == (0, 1)


def test_a_pointer_that_a_condition_chooses():
    body = """
      %zero = arith.constant 0 : i32
      %x = arith.constant 0.0 : f32
      %positive = arith.cmpi sgt, %n, %zero : i32
      %p = scf.if %positive -> (!tt.ptr<f32>) {
        scf.yield %a : !tt.ptr<f32>
      } else {
        scf.yield %b : !tt.ptr<f32>
      }
      tt.store %p, %x : !tt.ptr<f32>
    """
    assert written(body) == (0, 1)


def test_a_pointer_that_select_chooses():
    body = """
      %zero = arith.constant 0 : i32
      %x = arith.constant 0.0 : f32
      %positive = arith.cmpi sgt, %n, %zero : i32
      %p = arith.select %positive, %b, %a : !tt.ptr<f32>
      tt.store %p, %x : !tt.ptr<f32>
    """
    assert written(body) == (0, 1)


def test_a_pointer_that_was_a_number():
    body = """
      %x = arith.constant 0 : i32
      %eight = arith.constant 8 : i64
      %number = tt.ptr_to_int %b : !tt.ptr<f32> -> i64
      %moved = arith.addi %number, %eight : i64
      %p = tt.int_to_ptr %moved : i64 -> !tt.ptr<i32>
      tt.store %p, %x : !tt.ptr<i32>
    """
    assert written(body) == (1,)


def test_what_is_loaded_is_not_followed():
    body = """
      %x = arith.constant 0.0 : f32
      %number = tt.load %a : !tt.ptr<i64>
      %p = tt.int_to_ptr %number : i64 -> !tt.ptr<f32>
      tt.store %p, %x : !tt.ptr<f32>
    """
    assert written(body, "%a: !tt.ptr<i64>, %b: !tt.ptr<f32>, %n: i32") == ()


CALLEES = """
tt.func private @shift(%p: !tt.ptr<f32>, %n: i32) -> !tt.ptr<f32> {
  %q = tt.addptr %p, %n : !tt.ptr<f32>, i32
  tt.return %q : !tt.ptr<f32>
}
tt.func private @fill(%n: i32, %p: !tt.ptr<f32>) {
  %x = arith.constant 0.0 : f32
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}
"""


@pytest.mark.parametrize(("name", "expected"), [("%a", (0,)), ("%b", (1,))])
def test_through_the_arguments_and_results_of_functions(name: str, expected: tuple[int, ...]):
    body = f"""
      %p = tt.call @shift({name}, %n) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
      tt.call @fill(%n, %p) : (i32, !tt.ptr<f32>) -> ()
    """
    assert written(body, more=CALLEES) == expected


def test_through_the_arguments_of_blocks():
    body = """
      %zero = arith.constant 0 : i32
      %x = arith.constant 0.0 : f32
      %positive = arith.cmpi sgt, %n, %zero : i32
      cf.cond_br %positive, ^end(%a : !tt.ptr<f32>), ^other
    ^other:
      cf.br ^end(%b : !tt.ptr<f32>)
    ^end(%p: !tt.ptr<f32>):
      tt.store %p, %x : !tt.ptr<f32>
    """
    assert written(body) == (0, 1)


def test_descriptors():
    arguments = "%a: !tt.ptr<f32>, %d: !tt.tensordesc<16xf32>, %n: i32, %s: i64, %b: !tt.ptr<f32>, %c: i1"
    made = "%e = tt.make_tensor_descriptor %a, [%n], [%s] : <f32>, <16xf32>\n"
    made += "%f = tt.make_tensor_descriptor %b, [%n], [%s] : <f32>, <16xf32>\n"
    type = "!tt.tensordesc<16xf32>"
    load = f"%x = tt.descriptor_load %f[%n] : {type} -> tensor<16xf32>\n"

    def store(name: str) -> str:
        return f"tt.descriptor_store %{name}[%n], %x : {type}, tensor<16xf32>\n"

    assert written(made + load, arguments) == ()
    assert written(made + load + store("e"), arguments) == (0,)
    assert written(made + load + store("d"), arguments) == (1,)
    chosen = f"%g = scf.if %c -> ({type}) {{\nscf.yield %d : {type}\n}} else {{\nscf.yield %e : {type}\n}}\n"
    assert written(made + chosen + load + store("g"), arguments) == (0, 1)
    reduction = f"tt.descriptor_reduce add, %f[%n], %x : {type}, tensor<16xf32>\n"
    assert written(made + load + reduction, arguments) == (4,)
