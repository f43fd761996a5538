"""`triton.compile(ASTSource(...))`: a kernel compiled from types and constants, without a launch."""

from __future__ import annotations

import os
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from mytriton.errors import ArgumentError, OptionError
from mytriton.language.target_info import GPUTarget
from mytriton.runtime.arguments import ALIGNMENT
from mytriton.runtime.cuda_device import architecture_for
from mytriton.runtime.jit import JITFunction
from mytriton.runtime.launchable import Launchable
from mytriton.runtime.ttir_kernel import compile_ttir

if TYPE_CHECKING:
    from mytriton.runtime.compiled import CompiledKernel

UNALIGNED = ":1"


class ASTSource:
    """A kernel with the types of its parameters (`"*fp32"`, `"i32"`, `"constexpr"`) and the values of its constants.

    `signature` and `constexprs` go by the name, the index, or the path `(index,)` of a parameter. `attrs` has what is
    known of a parameter, as `{(0,): [["tt.divisibility", 16]]}`.
    """

    def __init__(
        self,
        fn: Any,
        signature: Mapping[Any, str],
        constexprs: Mapping[Any, Any] | None = None,
        attrs: Mapping[Any, Any] | None = None,
    ):
        kernel = fn.base_fn if isinstance(fn, Launchable) else fn
        if not isinstance(kernel, JITFunction):
            raise ArgumentError(f"ASTSource takes a kernel, found {fn!r}")
        self.fn = kernel
        self.name = kernel.__name__
        self.signature = {self._name(key): kind for key, kind in signature.items()}
        self.constants = {self._name(key): value for key, value in (constexprs or {}).items()}
        self.attrs = {self._name(key): value for key, value in (attrs or {}).items()}

    def _name(self, key: Any) -> str:
        """The name of the parameter that `key` stands for."""
        names = self.fn.arg_names
        paths = {(index,): name for index, name in enumerate(names)}
        key = paths.get(key, key)
        if isinstance(key, int) and 0 <= key < len(names):
            return names[key]
        if key not in names:
            raise ArgumentError(f"kernel {self.name} has no parameter {key!r}; it has {', '.join(names)}")
        return key

    def arguments(self) -> dict[str, Any]:
        """What `warmup` takes for each parameter: the value of a constant, or a type."""
        return {
            parameter.name: self._argument(parameter.name)
            for parameter in self.fn.params
            if parameter.name in self.constants or parameter.name in self.signature or not parameter.has_default
        }

    def _argument(self, name: str) -> Any:
        if name in self.constants:
            return self.constants[name]
        kind = self.signature.get(name)
        if kind is None or kind == "constexpr":
            what = "type" if kind is None else "value in constexprs"
            raise ArgumentError(f"parameter {name!r} of kernel {self.name} has no {what}")
        if ["tt.divisibility", ALIGNMENT] in [list(attribute) for attribute in self.attrs.get(name, ())]:
            return f"{kind}:{ALIGNMENT}"
        return kind + UNALIGNED if kind.startswith("*") else kind


def compile(
    src: ASTSource | str | PathLike[str] | Any,
    target: GPUTarget | None = None,
    options: Mapping[str, Any] | None = None,
) -> CompiledKernel:
    """Compiles a kernel, or a .ttir file, for `target`, the current device where it is None.

    Raises what `JITFunction.warmup` and `compile_ttir` raise.
    """
    if not isinstance(src, ASTSource | str | PathLike):
        raise ArgumentError(f"mytriton compiles an ASTSource or a .ttir file, found {type(src).__name__}")
    given = dict(options or {})
    if target is not None:
        if target.backend != "cuda":
            raise OptionError(f"mytriton compiles for cuda, found the target {target.backend!r}")
        given["arch"] = architecture_for(*divmod(int(target.arch), 10))
    if not isinstance(src, ASTSource):
        return compile_ttir(Path(os.fspath(cast("str | PathLike[str]", src))), **given)
    return src.fn.warmup(**src.arguments(), **given)
