"""Runs programs of the `tt` level on NumPy, one program of the grid after the other.

It is the meaning of the language: what it computes, the CPU device and the GPU compute too (see docs/semantics.md).

    with mytriton.interpret():
        kernel[grid](x, y, n)

runs the launches inside on the interpreter. `run` takes a module.
"""

from mytriton.interpreter.launch import interpret, interpret_everything, is_interpreting, launch, run

__all__ = ["interpret", "interpret_everything", "is_interpreting", "launch", "run"]
