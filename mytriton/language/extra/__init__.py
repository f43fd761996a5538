"""Functions beyond the common ones: `tl.extra.libdevice`, `tl.extra.cuda`."""

from __future__ import annotations

from mytriton.language.extra import cuda, libdevice

__all__ = ["cuda", "libdevice"]
