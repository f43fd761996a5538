"""Ill-formed TTIR: one located error each, no traceback, no hang, and bounded memory.

`MYTRITON_TTIR_MUTATIONS=<count>` looks at as many texts as it says; a text that fails is named by its seed.
"""

from __future__ import annotations

import os
import re
import resource
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from mytriton.tools import opt
from tests.unit.tt_operations import FORMS, module_with
from tests.unit.ttir_mutations import MUTATIONS, mutated

ROOT = Path(__file__).resolve().parents[2]
COUNT = int(os.environ.get("MYTRITON_TTIR_MUTATIONS", "400"))
PARTS = 4
LONGEST = 60
"""Seconds after which a text counts as one on which mytriton hangs."""
MOST_MEMORY = 512 << 10
"""KiB that reading all of them may add to the process."""

BRANCHES = """
tt.func public @loop(%x: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    cf.br ^h(%c0, %c0 : i32, i32)
  ^h(%i: i32, %s: i32):
    %c = arith.cmpi slt, %i, %n : i32
    cf.cond_br %c, ^body, ^exit
  ^body:
    %p = tt.addptr %x, %i : !tt.ptr<i32>, i32
    %v = tt.load %p : !tt.ptr<i32>
    %neg = arith.cmpi slt, %v, %c0 : i32
    cf.cond_br %neg, ^broken, ^next
  ^next:
    %s2 = tt.call @add(%s, %v) : (i32, i32) -> i32
    %i2 = arith.addi %i, %c1 : i32
    cf.switch %v : i32, [default: ^h(%i2, %s2 : i32, i32), 3: ^broken]
  ^broken:
    tt.store %x, %v : !tt.ptr<i32>
    tt.return
  ^exit:
    tt.store %x, %s : !tt.ptr<i32> loc("s"(#loc))
    tt.return
}
tt.func private @add(%a: i32, %b: i32) -> i32 {
    %c = arith.addi %a, %b : i32
    tt.return %c : i32
}
#loc = loc("kernel.py":3:5)
"""

RARE = """
tt.func public @k(%x: !tt.ptr<i32>, %n: i32, %c: i1) {
    %c1 = arith.constant 1 : i32
    %s = scf.for unsigned %i = %c1 to %n step %c1 iter_args(%a = %n) -> (i32) : i32 {
      %b = arith.addi %a, %i : i32
      scf.yield %b : i32
    }
    %at = arith.index_cast %n : i32 to index
    scf.index_switch %at
    case 2 {
      tt.store %x, %s : !tt.ptr<i32>
      scf.yield
    }
    default {
      scf.yield
    }
    %r = scf.execute_region -> i32 no_inline {
      scf.yield %s : i32
    }
    %f = arith.sitofp %r : i32 to f32
    %h = arith.truncf %f to_nearest_even fastmath<fast> : f32 to f16
    cf.cond_br %c weights([3, 1]), ^a, ^b(%r : i32)
  ^a:
    cf.br ^b(%n : i32)
  ^b(%w: i32):
    tt.store %x, %w : !tt.ptr<i32> loc(#loc)
    tt.return
}
#loc = loc(fused[#loc1, "k.py":2:3])
#loc1 = loc(callsite("a"("k.py":1:1) at "k.py":4:5))
"""


def corpus() -> list[str]:
    """What is mutated: every form of every operation, and as often text with branches, loops and locations."""
    whole = [
        BRANCHES,
        RARE,
        (ROOT / "examples" / "vector_add.ttir").read_text(),
        (ROOT / "tests" / "filecheck" / "ttir" / "matmul.ttir").read_text(),
    ]
    return [text for at, form in enumerate(FORMS) for text in (module_with(form), whole[at % len(whole)])]


@contextmanager
def limited_time() -> Generator[None, None, None]:
    def give_up(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"mytriton-opt hangs: it took more than {LONGEST} seconds")

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


@pytest.mark.parametrize("part", range(PARTS))
def test_ill_formed_text(part: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    texts = corpus()
    source, output = tmp_path / "in.ttir", tmp_path / "out.cu"
    refused = 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for seed in range(part, COUNT, PARTS):
        source.write_text(mutated(texts[seed % len(texts)], seed))
        output.unlink(missing_ok=True)
        with limited_time():
            code = opt.main([str(source), "-p", "tt-to-cuda", "-t", "cuda", "-o", str(output)])
        out, error = capfd.readouterr()
        about = f"seed {seed}: {error}"
        assert out == "" and "Traceback" not in error and "internal error" not in error, about
        assert (code, output.exists()) in ((0, True), (1, False)), about
        if code:
            refused += 1
            assert error.count("error: ") == 1, about
            assert re.match(r"\S*(in|kernel|vector_add|matmul|a|k)\.(ttir|py):\d+:\d+: error: |mytriton-opt: error: ", error), about  # fmt: skip  # noqa: E501
    assert refused > COUNT // PARTS // 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY


def test_mutations_are_the_same_each_time_and_differ() -> None:
    text = BRANCHES
    assert mutated(text, 5) == mutated(text, 5)
    assert len({mutated(text, seed) for seed in range(100)}) > 80
    assert len(MUTATIONS) == len(set(MUTATIONS)) >= 15


def test_the_corpus_is_right(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What is not mutated is compiled, or refused by a pass: never by the parser."""
    source = tmp_path / "in.ttir"
    for text in corpus():
        source.write_text(text)
        assert opt.main([str(source), "-o", "/dev/null"]) == 0, capfd.readouterr().err
