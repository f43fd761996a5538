"""The scripts are run by the tests beside them, as programs of their own."""

from __future__ import annotations

collect_ignore = ["scripts"]
