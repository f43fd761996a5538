"""What xDSL's own tools see of mytriton, through the `xdsl.universe` entry point.

`xdsl-opt file.ttir -p match-dot-operands` works wherever mytriton is installed. xDSL refuses two things of one name, so
what we have in the place of something of xDSL's is not listed here: `arith`, which the `ttir` frontend puts in its
place, and `canonicalize` and `cse`, which `mytriton-opt` and `tt-to-cuda` run.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.transforms import get_all_passes as get_xdsl_passes
from xdsl.universe import Universe
from xdsl.utils.frontend import Frontend
from xdsl.utils.target import Target

from mytriton.passes.pipeline import get_all_passes
from mytriton.ttir import OWN_DIALECTS, REPLACED_DIALECTS, TTIRFrontend


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
    all_dialects={name: dialect for name, dialect in OWN_DIALECTS.items() if name not in REPLACED_DIALECTS},
    all_passes={name: get for name, get in get_all_passes().items() if name not in get_xdsl_passes()},
    all_targets=TARGETS,
    all_frontends={"ttir": _ttir},
)
