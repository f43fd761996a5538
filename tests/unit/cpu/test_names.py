"""Every type and function that a printed kernel may use is in the header."""

from __future__ import annotations

import re
import subprocess

from mytriton.codegen.functions import MATH, OTHER_FUNCTIONS, VECTORS
from mytriton.codegen.prologue import HELPERS
from mytriton.libdevice import SYMBOLS, cuda_name
from mytriton.runtime import cpu
from mytriton.runtime.cpu.build import HERE


def test_every_name_is_declared() -> None:
    compiler = cpu.find_compiler()
    command = [*compiler.command, "-std=c++17", "-E", "-dD", f"-I{HERE / 'include'}", "-x", "c++", "-"]
    options = "#define MYTRITON_FIBERS 1\n#define MYTRITON_USES_LIBDEVICE\n#define MYTRITON_USES_MESSAGES\n"
    source = f'{options}#include "mytriton_cpu.h"\n'
    expanded = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    names = {name for pair in MATH.values() for name in pair}
    names.update(map(cuda_name, SYMBOLS))
    names.update(HELPERS, OTHER_FUNCTIONS, VECTORS, (f"make_{name}" for name in VECTORS))
    assert names - set(re.findall(r"\w+", expanded)) == set()
