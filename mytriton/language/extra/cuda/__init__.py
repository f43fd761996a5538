"""What only NVIDIA GPUs have: `tl.extra.cuda`."""

from __future__ import annotations

from mytriton.language.extra.cuda import libdevice

__all__ = ["libdevice"]
