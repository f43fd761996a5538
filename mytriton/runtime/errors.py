"""The errors of a launch by the names that Triton gives them."""

from __future__ import annotations

from mytriton.errors import LaunchError as InterpreterError
from mytriton.errors import MytritonError as TritonError
from mytriton.errors import NvrtcError as PTXASError
from mytriton.errors import OptionError as AutotunerError
from mytriton.errors import OutOfResourcesError as OutOfResources

__all__ = ["AutotunerError", "InterpreterError", "OutOfResources", "PTXASError", "TritonError"]
