"""Runs many random kernels: `python -m tests.fuzz.run --count 10000 --seed 0`.

Failures are minimised and written to the folder that `--output` names. MYTRITON_ORACLE_PYTHON, or `--oracle`, names a
Python that has triton; its interpreter then runs a part of the kernels too. With `--sanitize` each kernel runs with
checks, which must find nothing in it but its undefined values, and these where something depends on them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.checked import with_defined_loads
from tests.fuzz.execute import FAILED, REFUSED, Outcome
from tests.fuzz.generator import generate
from tests.fuzz.minimize import minimized
from tests.fuzz.program import Program
from tests.fuzz.reproduce import reproducing_text
from tests.fuzz.worker import Worker

MAX_MINIMIZED_OF_A_KIND = 2
SECONDS_OF_AN_ATTEMPT = 20.0


@dataclass
class Report:
    """What became of the programs of a run."""

    passed: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])
    failed: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    details: dict[str, str] = field(default_factory=dict[str, str])
    notes: Counter[str] = field(default_factory=Counter[str])

    def add(self, program: Program, outcome: Outcome) -> None:
        if outcome.status == FAILED:
            self.failed.setdefault(outcome.key, []).append(program.name)
            self.details.setdefault(outcome.key, outcome.detail)
        elif outcome.status == REFUSED:
            self.refused[outcome.key] += 1
        else:
            self.passed += 1
            self.notes.update([outcome.key] if outcome.key else [])

    def __str__(self) -> str:
        failures = sum(map(len, self.failed.values()))
        lines = [f"{self.passed} passed, {self.refused.total()} refused, {failures} failed"]
        lines += [f"refused {count:6}: {key}" for key, count in self.refused.most_common()]
        lines += [f"failed  {len(names):6}: {key} ({', '.join(names[:4])})" for key, names in self.failed.items()]
        lines += [f"passed  {count:6}: {key}" for key, count in self.notes.most_common()]
        return "\n".join(lines)


def fuzz(
    seed: int,
    indices: Sequence[int],
    oracle: str | None = None,
    output: Path | None = None,
    progress: bool = False,
    known: Sequence[str] = (),
    only_for_oracle: bool = False,
    is_sanitized: bool = False,
) -> Report:
    """Runs the programs of a seed; failures whose key starts with one of `known` are counted, not minimised.

    With `only_for_oracle` those are left out that Triton's interpreter is not asked about. Where `is_sanitized`, each
    program also runs with checks, every other one after its masked loads got a value for what they leave out.
    """
    report = Report()
    start = time.perf_counter()
    with Worker(oracle, is_sanitized=is_sanitized) as worker:
        for count, index in enumerate(indices, 1):
            program = generate(seed, index)
            if is_sanitized and index % 2:
                program = with_defined_loads(program)
            if only_for_oracle and not program.for_oracle:
                continue
            outcome = worker.run(program)
            report.add(program, outcome)
            if outcome.status == FAILED:
                if progress:
                    print(f"{program.name}: {outcome.key}\n    {outcome.detail[-700:]}", flush=True)
                of_a_kind = len(report.failed[outcome.key])
                if (
                    output is not None
                    and of_a_kind <= MAX_MINIMIZED_OF_A_KIND
                    and not outcome.key.startswith(tuple(known))
                ):
                    _minimize(worker, program, outcome, output)
            if progress and count % 50 == 0:
                seconds = time.perf_counter() - start
                print(f"{count} kernels, {seconds:.0f} s: {str(report).splitlines()[0]}", flush=True)
    return report


def _minimize(worker: Worker, program: Program, outcome: Outcome, output: Path) -> None:
    # A loop without what ends it is no smaller program, and is not to be waited for.
    timeout = None if outcome.key == "hang" else SECONDS_OF_AN_ATTEMPT
    small = minimized(program, lambda candidate: worker.run(candidate, timeout).key == outcome.key)
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"{program.name}.py"
    path.write_text(reproducing_text(small, worker.run(small)), encoding="utf-8")
    print(f"    minimised into {path}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Random kernels on every device that needs no GPU.")
    parser.add_argument("--count", type=int, default=1000, help="how many kernels (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="which kernels (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one (default: %(default)s)")
    parser.add_argument("--oracle", default=os.environ.get("MYTRITON_ORACLE_PYTHON"), help="a Python that has triton")
    parser.add_argument("--only-for-oracle", action="store_true", help="leave out what Triton is not asked about")
    parser.add_argument("--sanitize", action="store_true", help="run each kernel with checks too")
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"), help="folder for what fails")
    parser.add_argument("--known", action="append", default=[], help="start of failures that are not to be minimised")
    parser.add_argument("--show", action="store_true", help="print the first kernel instead of running it")
    options = parser.parse_args()
    if options.show:
        program = generate(options.seed, options.first)
        print(program.module_text(), program.launch_text(), sep="\n")
        return 0
    with tempfile.TemporaryDirectory(prefix="mytriton-fuzz-cache-") as folder:
        os.environ["MYTRITON_CACHE_DIR"] = folder
        indices = range(options.first, options.first + options.count)
        report = fuzz(
            options.seed,
            indices,
            options.oracle,
            options.output,
            progress=True,
            known=options.known,
            only_for_oracle=options.only_for_oracle,
            is_sanitized=options.sanitize,
        )
    print(report)
    times = os.times()
    seconds = times.user + times.system + times.children_user + times.children_system
    print(f"{seconds / options.count:.2f} s of processor time for each kernel")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
