"""Structured control flow does what the branches did: random graphs of blocks, walked here block by block."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import mytriton as triton
from mytriton.errors import PassError
from mytriton.passes.structure_branches import StructureBranches
from mytriton.ttir import make_context, parse_module, print_module

STEPS = 60
"""After so many blocks the walk leaves every loop."""


class Graph:
    """A function of some blocks; each notes that it was reached, and goes on by a number that it loads.

    Block `k` stores `100 * k + a`, for its argument `a`, at the place that the counter says. Then it goes to one of its
    targets by a digit of `choices`, with another argument.
    """

    def __init__(self, seed: int):
        random = Random(seed)
        self.count = random.randint(2, 9)
        self.targets: list[list[int]] = []
        self.kinds: list[str] = []
        for block in range(self.count):
            kind = random.choice(["br", "cond", "cond", "cond", "switch"]) if block < self.count - 1 else "return"
            if kind == "cond" and random.random() < 0.2:
                kind = "return"
            number = {"return": 0, "br": 1, "cond": 2, "switch": 3}[kind]
            self.kinds.append(kind)
            # Back to where it came from through one block alone: such graphs have one way into each loop, mostly.
            self.targets.append(
                [
                    random.randint(max(1, block - 2), block)
                    if block and random.random() < 0.25
                    else random.randint(block + 1, self.count - 1)
                    for _ in range(number)
                ]
            )

    def walk(self, choices: np.ndarray) -> np.ndarray:
        """What the function leaves in memory."""
        memory = np.zeros(STEPS + 4, np.int32)
        block, argument, counter = 0, 7, 0
        while True:
            memory[counter] = 100 * block + argument
            choice = choices[counter]
            counter += 1
            if self.kinds[block] == "return":
                memory[counter] = -1
                return memory
            if counter >= STEPS:
                memory[counter] = -2
                return memory
            targets = self.targets[block]
            match self.kinds[block]:
                case "br":
                    at = 0
                case "cond":
                    at = 0 if choice > 4 else 1
                case _:
                    at = {3: 1, 8: 2}.get(int(choice), 0)
            argument += at + 1
            block = targets[at]

    def text(self) -> str:
        """Each block but the first has the argument and the counter; what it computes is read further on, too."""
        lines = [
            "tt.func public @walk(%out: !tt.ptr<i32>, %choices: !tt.ptr<i32>) {",
            *(f"  %n{k} = arith.constant {k} : i32" for k in range(4)),
            f"  %limit = arith.constant {STEPS} : i32",
            "  %four = arith.constant 4 : i32",
            "  %a0 = arith.constant 7 : i32",
            "  %c0 = arith.constant 0 : i32",
        ]
        for block, (kind, targets) in enumerate(zip(self.kinds, self.targets, strict=True)):
            if block:
                lines.append(f"^b{block}(%a{block}: i32, %c{block}: i32):")
            a, c = f"%a{block}", f"%c{block}"
            lines += [
                f"  %base{block} = arith.constant {100 * block} : i32",
                f"  %value{block} = arith.addi %base{block}, {a} : i32",
                f"  %place{block} = tt.addptr %out, {c} : !tt.ptr<i32>, i32",
                f"  tt.store %place{block}, %value{block} : !tt.ptr<i32>",
                f"  %from{block} = tt.addptr %choices, {c} : !tt.ptr<i32>, i32",
                f"  %choice{block} = tt.load %from{block} : !tt.ptr<i32>",
                f"  %next{block} = arith.addi {c}, %n1 : i32",
                f"  %end{block} = tt.addptr %out, %next{block} : !tt.ptr<i32>, i32",
            ]
            if kind == "return":
                lines += [f"  cf.br ^return(%end{block} : !tt.ptr<i32>)"]
                continue
            lines += [
                f"  %over{block} = arith.cmpi sge, %next{block}, %limit : i32",
                f"  cf.cond_br %over{block}, ^stop{block}, ^go{block}",
                f"^stop{block}:",
                # A value of a block further up is read here: it must be carried out of loops.
                f"  %left{block} = arith.constant -2 : i32",
                f"  tt.store %end{block}, %left{block} : !tt.ptr<i32>",
                "  tt.return",
                f"^go{block}:",
                *(f"  %to{block}_{at} = arith.addi {a}, %n{at + 1} : i32" for at in range(len(targets))),
            ]
            passed = [f"^b{target}(%to{block}_{at}, %next{block} : i32, i32)" for at, target in enumerate(targets)]
            match kind:
                case "br":
                    lines.append(f"  cf.br {passed[0]}")
                case "cond":
                    lines.append(f"  %is{block} = arith.cmpi sgt, %choice{block}, %four : i32")
                    lines.append(f"  cf.cond_br %is{block}, {passed[0]}, {passed[1]}")
                case _:
                    lines.append(
                        f"  cf.switch %choice{block} : i32, [default: {passed[0]}, 3: {passed[1]}, 8: {passed[2]}]"
                    )
        lines += [
            "^return(%end: !tt.ptr<i32>):",
            "  %done = arith.constant -1 : i32",
            "  tt.store %end, %done : !tt.ptr<i32>",
            "  tt.return",
            "}",
        ]
        return "\n".join(lines) + "\n"


def is_reducible(text: str) -> bool:
    module = parse_module(text)
    try:
        StructureBranches().apply(make_context(), module)
    except PassError as error:
        assert error.message in ("this branch leads into the middle of a loop", "this loop never ends")
        return False
    parse_module(print_module(module))
    return True


def test_random_graphs() -> None:
    structured = loops = 0
    for seed in range(50):
        graph = Graph(seed)
        text = graph.text()
        if not is_reducible(text):
            continue
        structured += 1
        loops += any(target <= block for block, targets in enumerate(graph.targets) for target in targets)
        kernel = triton.compile_ttir(text, num_warps=1)
        for start in range(4):
            choices = np.random.default_rng(start).integers(0, 10, STEPS + 4).astype(np.int32)
            expected = graph.walk(choices)
            found = np.zeros_like(expected)
            with triton.interpret():
                kernel[(1,)](found, choices)
            np.testing.assert_array_equal(found, expected, err_msg=f"seed {seed}\n{text}")
    assert structured > 25 and loops > 8


@pytest.mark.parametrize("seed", range(0, 40, 8))
def test_random_graphs_on_the_cpu(seed: int) -> None:
    graph = next(g for g in map(Graph, range(seed, seed + 100)) if is_reducible(g.text()) and g.count > 4)
    kernel = triton.compile_ttir(graph.text(), num_warps=2)
    for start in range(3):
        choices = np.random.default_rng(start).integers(0, 10, STEPS + 4).astype(np.int32)
        expected = graph.walk(choices)
        found = np.zeros_like(expected)
        kernel[(1,)](found, choices)
        np.testing.assert_array_equal(found, expected)


def test_many_early_returns() -> None:
    """A hundred conditions, each of which may leave: as deep as they nest, they are compiled."""
    lines = ["tt.func public @early(%p: !tt.ptr<i32>, %n: i32) {"]
    for k in range(100):
        lines += [
            f"  %k{k} = arith.constant {k} : i32",
            f"  %c{k} = arith.cmpi eq, %n, %k{k} : i32",
            f"  cf.cond_br %c{k}, ^out{k}, ^on{k}",
            f"^out{k}:",
            f"  tt.store %p, %k{k} : !tt.ptr<i32>",
            "  tt.return",
            f"^on{k}:",
        ]
    kernel = triton.compile_ttir("\n".join([*lines, "  tt.return", "}"]), num_warps=1)
    out = np.zeros(1, np.int32)
    for n in (0, 57, 99, 100):
        out[:] = -5
        kernel[(1,)](out, n)
        assert out[0] == (n if n < 100 else -5)
