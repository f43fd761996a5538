"""The helpers of the prologue: known to the CPU header, accepted by NVRTC, and printed only where they are used."""

from __future__ import annotations

import re

import pytest

from mytriton.codegen.functions import MATH, OTHER_FUNCTIONS, VECTORS
from mytriton.codegen.prologue import HELPERS, prologue
from mytriton.runtime import cpu, nvrtc
from tests.unit.codegen.running import needs_compiler

needs_nvrtc = pytest.mark.skipif(not nvrtc.is_available(), reason="NVRTC is not installed")

ARCHITECTURES = ("sm_75", "sm_80", "sm_90a", "sm_100")


def parameters_of(name: str) -> tuple[str, list[str]]:
    """The result's type and the parameters' types of a helper, from its text."""
    match = re.search(rf"__forceinline__ ([\w ]+) {name}\(([^)]*)\)", HELPERS[name].text)
    assert match is not None
    signature = [match[1], *filter(None, match[2].split(", "))]
    # The parameters of a template may be any type.
    result, *parameters = (re.sub(r"\b[TV]\b", "int", part) for part in signature)
    return result, [re.sub(r"\w+$", "", parameter).rstrip() for parameter in parameters]


def kernel_calling(name: str) -> str:
    """A kernel that calls one helper, on operands and with a result behind pointers."""
    result, operands = parameters_of(name)
    params = [f"{type} const *x{index}" for index, type in enumerate(operands)]
    params += [f"{result} *y"] if result != "void" else []
    arguments = ", ".join(f"x{index}[0]" for index in range(len(operands)))
    target = "y[0] = " if result != "void" else ""
    signature = ", ".join(params)
    return f'extern "C" __global__ void call_{name}({signature}) {{\n    {target}{name}({arguments});\n}}\n'


FUNCTIONS = [name for name, helper in HELPERS.items() if not helper.text.startswith(("struct ", "#define "))]


@needs_compiler
def test_the_cpu_header_has_every_helper_with_the_same_types():
    body = "".join(kernel_calling(name) for name in FUNCTIONS).replace('extern "C" __global__', "static __device__")
    body += 'extern "C" __global__ void kernel() {\n}\n'
    # The prologue is hidden from the CPU's compiler, so every name comes from the header.
    cpu.compile(prologue(HELPERS) + body, cpu.KernelMetadata("kernel", [], 1))


@needs_compiler
def test_the_cpu_header_has_every_function_of_cuda_that_is_printed():
    lines: list[str] = []
    for single, double in MATH.values():
        count = {"fmaf": 3}.get(single, 2 if single in TWO_OPERANDS else 1)
        lines += [
            f"f[0] = {single}({', '.join(['f[1]'] * count)});",
            f"d[0] = {double}({', '.join(['d[1]'] * count)});",
        ]
    lines += [f"{vector} v_{vector} = make_{vector}({', '.join('0' * int(vector[-1]))});" for vector in VECTORS]
    lines += [OTHER_CALLS[name] for name in OTHER_FUNCTIONS]
    body = "\n".join(f"    {line}" for line in lines)
    params = [("f", "float *"), ("d", "double *"), ("i", "int *"), ("l", "long long *")]
    text = f'extern "C" __global__ void kernel(float *f, double *d, int *i, long long *l) {{\n{body}\n}}\n'
    cpu.compile(text, cpu.KernelMetadata("kernel", params, 1))
    if nvrtc.is_available():
        nvrtc.compile_to_ptx(prologue(HELPERS) + text, "sm_75")


TWO_OPERANDS = ("atan2f", "copysignf", "powf", "maximum_f32", "fmaxf", "minimum_f32", "fminf", "fmodf")

OTHER_CALLS = {
    "min": "i[0] = min(i[0], 1); l[0] = min(l[0], 1LL); i[0] = min((unsigned)i[0], 1u);",
    "max": "i[0] = max(i[0], 1); l[0] = max(l[0], 1LL); i[0] = max((unsigned)i[0], 1u);",
    "abs": "i[0] = abs(i[0]);",
    "llabs": "l[0] = llabs(l[0]);",
    "__popc": "i[0] = __popc(i[0]);",
    "__popcll": "i[0] = __popcll(l[0]);",
    "__clz": "i[0] = __clz(i[0]);",
    "__clzll": "i[0] = __clzll(l[0]);",
    "__umulhi": "i[0] = __umulhi((unsigned)i[0], (unsigned)i[1]);",
    "__umul64hi": "l[0] = __umul64hi((unsigned long long)l[0], (unsigned long long)l[1]);",
    "__float_as_int": "i[0] = __float_as_int(f[0]);",
    "__int_as_float": "f[0] = __int_as_float(0xff800000);",
    "__double_as_longlong": "l[0] = __double_as_longlong(d[0]);",
    "__longlong_as_double": "d[0] = __longlong_as_double(0xfff0000000000000);",
    "__syncthreads": "__syncthreads();",
    "__shfl_xor_sync": (
        "i[0] = __shfl_xor_sync(0xffffffff, i[0], 1); f[0] = __shfl_xor_sync(0xffffffff, f[0], i[0]);"
        "l[0] = __shfl_xor_sync(0xffffffff, l[0], 1); d[0] = __shfl_xor_sync(0xffffffff, d[0], 1);"
    ),
    "__ldca": "f[0] = __ldca(&f[1]); i[0] = __ldca((const unsigned char *)&i[1]) != 0;",
    "__ldcg": "f[0] = __ldcg(&f[1]); float4 v = __ldcg((const float4 *)&f[4]);",
    "__ldcs": "d[0] = __ldcs(&d[1]); unsigned short u = __ldcs((const unsigned short *)&i[1]);",
    "__ldcv": "l[0] = __ldcv(&l[1]); signed char c = __ldcv((const signed char *)&i[1]);",
    "__stwb": "__stwb(&f[1], 1.0f); __stwb((unsigned char *)&i[1], true);",
    "__stcg": "__stcg((float4 *)&f[4], v);",
    "__stcs": "__stcs((unsigned short *)&i[1], u);",
    "__stwt": "__stwt(&l[1], l[2]); __stwt((signed char *)&i[1], c);",
    **{
        f"atomic{name}{suffix}": f"i[0] = atomic{name}{suffix}({operands});"
        for name, operands in (
            ("Add", "&i[1], 1); f[0] = atomicAdd(&f[1], 1.0f); d[0] = atomicAdd(&d[1], 1.0"),
            ("Exch", "(unsigned *)&i[1], 1u); f[0] = atomicExch(&f[1], 1.0f"),
            *((name, "(unsigned long long *)&l[1], 1ULL") for name in ("And", "Or", "Xor")),
            *((name, "&l[1], l[2]") for name in ("Min", "Max")),
            ("CAS", "(unsigned long long *)&l[1], 1ULL, 2ULL"),
        )
        for suffix in ("", "_block", "_system")
    },
}


@needs_nvrtc
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_every_helper_compiles_to_machine_code(arch: str):
    kernels = "".join(kernel_calling(name) for name in FUNCTIONS)
    cubin = nvrtc.compile_to_cubin(prologue(HELPERS) + kernels, arch)
    assert set(cubin.resources) == {f"call_{name}" for name in FUNCTIONS}


@needs_nvrtc
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_helper_brings_what_it_needs(name: str):
    nvrtc.compile_to_ptx(prologue([name]) + kernel_calling(name), "sm_80")


def test_nothing_is_printed_where_nothing_is_used():
    assert prologue([]) == ""


def test_a_helper_is_printed_once_and_after_what_it_needs():
    text = prologue(["double_to_bfloat16", "float_to_bfloat16", "bfloat16"])
    positions = [
        text.index(part) for part in ("struct bfloat16", "float_to_bfloat16(float", "double_to_bfloat16(double")
    ]
    assert positions == sorted(positions)
    assert text.count("struct bfloat16 {") == text.count("float_to_bfloat16(float x)") == 1
    assert prologue(["bfloat16", "float_to_bfloat16", "double_to_bfloat16"]) == text
