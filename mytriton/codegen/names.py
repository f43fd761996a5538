"""C identifiers for the names of Python and of the IR.

A name that C, CUDA or the printed text itself needs is changed in a fixed way, so that the same kernel always gives the
same text and no character of a name can end an identifier.
"""

from __future__ import annotations

import re
from functools import lru_cache

from mytriton.codegen.functions import MATH, OTHER_FUNCTIONS, VECTORS
from mytriton.codegen.prologue import HELPERS

_KEYWORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
    co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default
    delete do double dynamic_cast else enum explicit export extern false float for friend goto if import inline int long
    module mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename typeof union unsigned using virtual void volatile
    wchar_t while xor xor_eq
"""

# Macros of compilers and of C headers: they would change a name even where it is declared locally.
_MACROS = "linux unix i386 assert errno offsetof va_arg stdin stdout stderr NULL NAN INFINITY EOF I WARP_SZ"

# Macros that NVRTC and the CUDA headers define.
_CUDA_MACROS = """
    CUDARTAPI CUDARTAPI_CDECL CUDART_CB CUDART_DEVICE CUDART_VERSION CUDA_IPC_HANDLE_SIZE CU_UUID_HAS_BEEN_DEFINED
"""

_CUDA = "threadIdx blockIdx blockDim gridDim warpSize dim3 uint3 dynamic_shared half2 size_t uint ushort ulong"

_FUNCTIONS = {name for pair in MATH.values() for name in pair}.union(OTHER_FUNCTIONS)

RESERVED = frozenset(f"{_KEYWORDS} {_MACROS} {_CUDA_MACROS} {_CUDA}".split()).union(
    _FUNCTIONS, HELPERS, VECTORS, (f"make_{name}" for name in VECTORS)
)
"""What no variable may be called."""

# A kernel has C linkage, so it must not be called like a function of the C library or of a device library.
_MATH_LIBRARY = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi erf erfc erfcinv erfcx erfinv exp exp10
    exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb isfinite isinf isnan j0 j1 jn ldexp lgamma llrint
    llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter norm norm3d norm4d normcdf normcdfinv
    pow rcbrt remainder remquo rhypot rint rnorm rnorm3d rnorm4d round rsqrt scalbln scalbn signbit sin sincos sincospi
    sinh sinpi sqrt tan tanh tgamma trunc y0 y1 yn
"""

_C_LIBRARY = """
    abort abs atexit atoi calloc clock div exit fprintf fputs free getenv index labs ldiv llabs lldiv main malloc max
    memchr memcmp memcpy memmove memset min printf putchar puts rand realloc remove rindex signal sprintf sscanf srand
    strcat strcmp strcpy strlen strncpy time vprintf
"""

# What NVRTC declares at the top of every text besides those; it refuses or replaces a kernel of such a name.
_PREDECLARED = """
    CUuuid MAJOR_VERSION MINOR_VERSION NV_IF_ELSE_TARGET NV_IF_TARGET PATCH_LEVEL classValue clock32 clock64
    cooperative_groups cuda cyl_bessel_i0 cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f fdivide fdividef
    libraryPropertyType llmax llmin nv powi powif std structSize surfaceReference textureReference ullmax ullmin umax
    umin unions va_arg va_copy va_end va_list va_start
"""

# What the preprocessor of C does not take for the name of a macro, which a kernel becomes on the CPU.
_NO_MACROS = "defined"

_LIBRARY = frozenset(f"{_C_LIBRARY} {_PREDECLARED} {_NO_MACROS}".split()).union(
    f"{name}{suffix}" for name in _MATH_LIBRARY.split() for suffix in ("", "f", "l")
)

# Families of names: of the CUDA runtime, of the driver, and the types of C and of POSIX.
_RESERVED_FAMILY = re.compile(r"__|_[A-Z]|cu(?:da)?[A-Z]|CU(?:DA)?_|NV_|\w*_t$")

# What the CPU header calls its own.
_CPU_PREFIX = "mytriton"

_FORBIDDEN = re.compile(r"[^A-Za-z0-9_]+")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@lru_cache(maxsize=4096)
def c_identifier(name: str) -> str:
    """A C identifier as near to `name` as can be: never reserved, empty or with two underscores in a row."""
    name = re.sub("_{2,}", "_", _FORBIDDEN.sub("_", name))
    if re.match("_[A-Z]", name):
        name = name[1:]
    if not name.strip("_"):
        return "v"
    if name[0].isdigit() or name.startswith(_CPU_PREFIX):
        name = f"v{name}"
    return f"{name.rstrip('_')}_" if name in RESERVED else name


@lru_cache(maxsize=4096)
def is_variable_name(name: str) -> bool:
    """Whether `name` can stand in the text as a variable as it is."""
    return _IDENTIFIER.fullmatch(name) is not None and c_identifier(name) == name


def kernel_identifier(name: str) -> str:
    """The C name of a kernel: a C identifier that no library and no compiler has a meaning for either."""
    identifier = c_identifier(name) if re.search("[A-Za-z0-9]", name) else "kernel"
    if identifier in _LIBRARY or _RESERVED_FAMILY.match(name) or _RESERVED_FAMILY.match(identifier):
        return f"{identifier.rstrip('_')}_kernel"
    return identifier


class Scope:
    """The names that are visible in a block: its own and those of the blocks around it."""

    def __init__(self, parent: Scope | None = None):
        self.parent = parent
        self.names: set[str] = set()
        self._numbers: dict[str, int] = {}

    def is_taken(self, name: str) -> bool:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return True
            scope = scope.parent
        return False

    def declare(self, hint: str) -> str:
        """A new name after `hint`: `hint`, or with a number where that is visible already."""
        name = stem = c_identifier(hint)
        if self.is_taken(name):
            stem = stem.rstrip("_")
            number = self._numbers.get(stem, 1)
            while self.is_taken(f"{stem}_{number}"):
                number += 1
            self._numbers[stem] = number + 1
            name = f"{stem}_{number}"
        self.names.add(name)
        return name
