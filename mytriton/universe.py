"""What xDSL's own tools see of mytriton, through the `xdsl.universe` entry point.

`xdsl-opt file.ttir -p match-dot-operands` works wherever mytriton is installed. xDSL refuses two dialects of one name,
so our `arith` is not listed here: the `ttir` frontend puts it in the place of xDSL's.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.universe import Universe
from xdsl.utils.frontend import Frontend
from xdsl.utils.target import Target

from mytriton.passes.pipeline import get_all_passes
from mytriton.ttir import OWN_DIALECTS, TTIRFrontend


def _cuda() -> type[Target]:
    from mytriton.targets import CudaTarget

    return CudaTarget


def _ptx() -> type[Target]:
    from mytriton.targets import PtxTarget

    return PtxTarget


def _cubin() -> type[Target]:
    from mytriton.targets import CubinTarget

    return CubinTarget


def _ttir() -> type[Frontend]:
    return TTIRFrontend


TARGETS: dict[str, Callable[[], type[Target]]] = {"cuda": _cuda, "ptx": _ptx, "cubin": _cubin}

MYTRITON_UNIVERSE = Universe(
    all_dialects={name: dialect for name, dialect in OWN_DIALECTS.items() if name != "arith"},
    all_passes=get_all_passes(),
    all_targets=TARGETS,
    all_frontends={"ttir": _ttir},
)
