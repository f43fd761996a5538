"""The file that reproduces a failure, for people: it needs mytriton and nothing of the fuzzer."""

from __future__ import annotations

import inspect

from tests.fuzz import data
from tests.fuzz.checked import schedule_of
from tests.fuzz.execute import Outcome
from tests.fuzz.program import Program

_MAIN = """
def launch(warps):
    arrays = {spec.name: make_array(spec) for spec in ARRAYS}
    kernel[GRID](**arrays, **KEYWORDS, num_warps=warps, arch=ARCH)
    return arrays


if __name__ == "__main__":
    with triton.interpret():
        wanted = launch(WARPS[0])
    for warps in WARPS:
        found = launch(warps)
        for spec in ARRAYS:
            print(spec.name, "with", warps, "warps:", difference(found[spec.name], wanted[spec.name], spec.tolerance))
    for warps, schedule in zip(WARPS, SCHEDULES, strict=False):
        try:
            with triton.sanitize(schedule=schedule):
                launch(warps)
        except triton.KernelFault as fault:
            print("with", warps, "warps:", fault)
    compiled = kernel.warmup(
        *map(make_array, ARRAYS), **KEYWORDS, grid=GRID, num_warps=WARPS[0], arch=ARCH
    )
    print(len(compiled.asm["cubin"]), "bytes of cubin")
"""


def reproducing_text(program: Program, outcome: Outcome) -> str:
    """A Python file with the kernel, its arguments, and what was seen; it runs with checks where these failed."""
    warps = (program.num_warps, *program.more_warps) if outcome.key.startswith("checked: ") else ()
    schedules = tuple(schedule_of(program, count) for count in warps)
    seen = f"{outcome.key}\n\n{outcome.detail}".replace("\\", "\\\\").replace('"""', "'''")
    helpers = inspect.getsource(data).split('"""', 2)[2].replace("from __future__ import annotations\n", "")
    return (
        f'"""{program.name} failed: {seen}\n"""\n\n'
        f"import mytriton as triton\nimport mytriton.language as tl\n\n\n{program.kernel_text()}\n"
        f"{helpers}\n\n{program.launch_text()}\nSCHEDULES = {schedules}\n\n{_MAIN}"
    )
