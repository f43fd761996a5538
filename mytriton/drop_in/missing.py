"""The public names of Triton that mytriton does not have, and what to do without each.

All errors about them are made by `message`. tests/oracle/test_public_names.py compares the list with Triton: each
of its names is there, or is listed here, by itself or with the module that it is in.
"""

from __future__ import annotations

VERSION = "3.9.0"
"""The version of Triton whose language this is."""

_AMD = "mytriton compiles for NVIDIA's GPUs and for the CPU"
_COMPILER = "it belongs to Triton's own compiler; mytriton-opt --help lists the passes of this one"
_SOURCES = "triton.compile takes an ASTSource or the path of a .ttir file"
_GLUON = "write the kernel with triton.language; mytriton chooses the layouts"
_INTERNAL = "it belongs to the inside of Triton; copy it, or do without"
_KEY = "compiled.hash tells a kernel from others"
_PROFILER = "python -m mytriton --report counts and times kernels"
_REEXPORTED = "that module of Triton only uses it; import it from where it is defined"
_REMOTE = "files are kept on this machine, in the folder that MYTRITON_CACHE_DIR names"
_SANITIZER = "mytriton.sanitize() checks kernels on the CPU"
_SETTINGS = "docs/scripts.md says which settings and variables there are"
_TYPE = "import it for type checkers alone, under `if TYPE_CHECKING:`"
_WAITING = "kernels are compiled when they are launched, one after the other; kernel.warmup(...) compiles one before"

_TABLE = (
    ("triton", "AsyncCompileMode FutureKernel", _WAITING),
    ("triton", "profiler", _PROFILER),
    ("triton.backends", "BaseBackend DriverBase amd driver nvidia", _COMPILER),
    ("triton.backends.compiler", "BaseBackend Language", _COMPILER),
    ("triton.compiler", "code_generator make_backend make_launcher", _COMPILER),
    ("triton.compiler", "IRSource", _SOURCES),
    ("triton.compiler", "get_cache_key", _KEY),
    ("triton.compiler.compiler", "AsmDict BaseBackend CompileTimer Language backends ir make_backend parse", _COMPILER),
    ("triton.compiler.compiler", "arg_type_pattern prototype_pattern ptx_arg_type_pattern", _COMPILER),
    ("triton.compiler.compiler", "convert_type_repr ptx_prototype_pattern", _COMPILER),
    ("triton.compiler.compiler", "IRSource", _SOURCES),
    ("triton.compiler.compiler", "filter_traceback", "MYTRITON_DEBUG=1 shows every frame"),
    ("triton.compiler.compiler", "get_cache_invalidating_env_vars get_cache_key", _KEY),
    ("triton.compiler.compiler", "get_dump_manager get_override_manager", "MYTRITON_DUMP_DIR has the IR saved"),
    ("triton.compiler.compiler", "get_sass", "write compiled.asm['cubin'] to a file and run nvdisasm on it"),
    ("triton.experimental", "gluon", _GLUON),
    ("triton.experimental", "gsan", _SANITIZER),
    ("triton.knobs", "AutotuneListener BuildImpl CompilationListener CompileTimes InitHandleHook", _TYPE),
    ("triton.knobs", "JITHook JITHookCompileInfo LaunchHook NvidiaTool PipelineStagesHook", _TYPE),
    ("triton.knobs", "Env env env_base env_bool env_class env_int env_nvidia_tool env_opt_bool env_opt_str", _SETTINGS),
    ("triton.knobs", "env_str env_str_callable_default getenv getenv_bool propagate_env setenv toenv", _SETTINGS),
    ("triton.knobs", "amd build proton redis refresh_knobs FP_FUSION_DEFAULT_WARNING warn_once", _SETTINGS),
    ("triton.knobs", "amd_knobs autotuning_knobs base_knobs build_knobs cache_knobs compilation_knobs", _SETTINGS),
    ("triton.knobs", "language_knobs nvidia_knobs proton_knobs redis_knobs runtime_knobs", _SETTINGS),
    ("triton.language", "semantic", "call the functions of triton.language, which do the same in a kernel"),
    ("triton.language.core", "CAT_CAN_REORDER_WARNING RESHAPE_CAN_REORDER_WARNING TRITON_BUILTIN ir", _INTERNAL),
    ("triton.language.core", "binary_op_type_legalization builtin_max builtin_min check_bit_width item", _INTERNAL),
    ("triton.language.core", "get_primitive_bitwidth is_builtin is_enabled is_negative_zero warn_once", _INTERNAL),
    ("triton.language.core", "base_type base_value slice_type tensor_descriptor_base", _INTERNAL),
    ("triton.language.core", "tensor_descriptor_base_type validate_block_shape", _INTERNAL),
    (
        "triton.language.core",
        "dataclass_transform dispatch extern extern_elementwise",
        "triton.language.extra.libdevice has functions",
    ),
    ("triton.language.core", "JITCallable knobs", _REEXPORTED),
    ("triton.language.extra", "hip", _AMD),
    ("triton.language.extra", "is_pkg module module_finder module_name modules spec", _INTERNAL),
    ("triton.language.extra.cuda.gdc", "core", _REEXPORTED),
    ("triton.language.extra.cuda.libdevice", "core", _REEXPORTED),
    ("triton.language.extra.cuda.utils", "core", _REEXPORTED),
    (
        "triton.language.extra.cuda.utils",
        "convert_custom_float8 convert_float16_to_fp8e4b15 convert_fp8e4b15_to_float16",
        "x.to(tl.float8e4b15) and x.to(tl.float16) convert",
    ),
    ("triton.language.extra.libdevice", "fast_tanhf", "libdevice.tanh computes it on every device"),
    ("triton.language.math", "core", _REEXPORTED),
    ("triton.language.random", "jit math tl", _REEXPORTED),
    ("triton.language.standard", "jit", _REEXPORTED),
    ("triton.language.standard", "sort_impl", "tl.sort and tl.topk sort"),
    ("triton.language.target_info", "constexpr_function driver", _REEXPORTED),
    ("triton.runtime", "RedisRemoteCacheBackend RemoteCacheBackend", _REMOTE),
    ("triton.runtime", "build", "kernels are launched without a launcher to be built"),
    ("triton.runtime", "interpreter", "mytriton.interpret() and TRITON_INTERPRET=1 run kernels on the interpreter"),
    ("triton.runtime.autotuner", "get_cache_invalidating_env_vars", _KEY),
    ("triton.runtime.cache", "RedisRemoteCacheBackend RemoteCacheBackend RemoteCacheManager", _REMOTE),
    ("triton.runtime.cache", "get_cache_key make_so_cache_key", _KEY),
    ("triton.runtime.cache", "get_dump_manager get_override_manager", "MYTRITON_DUMP_DIR has the IR saved"),
    ("triton.runtime.driver", "DriverBase backends", _REEXPORTED),
    ("triton.runtime.jit", "BaseBackend ir native_specialize_impl", _COMPILER),
    ("triton.runtime.jit", "BoundConstexprFunction DependenciesFinder GLUON_MODULE INDENT_PATTERN", _INTERNAL),
    ("triton.runtime.jit", "JitFunctionInfo KernelParam TRITON_MODULE convert_to_tuple_if_list", _INTERNAL),
    ("triton.runtime.jit", "create_function_from_signature find_paths_if get_def_col_number", _INTERNAL),
    ("triton.runtime.jit", "get_def_line_number get_full_name get_iterable_path is_namedtuple", _INTERNAL),
    ("triton.runtime.jit", "mangle_type serialize_specialization_data type_canonicalisation_dict", _INTERNAL),
    ("triton.runtime.jit", "compute_cache_key get_cache_invalidating_env_vars get_cache_key", _KEY),
    ("triton.testing", "cublas", "torch.matmul multiplies with cuBLAS"),
    ("triton.testing", "cuda_graph_without_gc", "launches are not captured in CUDA graphs"),
    ("triton.testing", "cuda_memcheck", _SANITIZER),
    ("triton.testing", "do_bench_cudagraph_proton do_bench_proton", "triton.testing.do_bench measures times"),
    ("triton.testing", "nvsmi set_gpu_clock", "run nvidia-smi, before the program for clocks"),
    ("triton.testing", "runtime tl", _REEXPORTED),
    ("triton.tools", "LinearLayout", "mytriton.dialects.linear_layout has the layouts of this compiler"),
    ("triton.tools", "build_extern compile link", "kernel.warmup(...).asm['cubin'] is a kernel compiled ahead of time"),
    ("triton.tools", "disasm", "write compiled.asm['cubin'] to a file and run nvdisasm on it"),
    ("triton.tools", "gsan", _SANITIZER),
    ("triton.tools", "ragged_tma", "make a descriptor for each part of the array, in the kernel, or load with a mask"),
    ("triton.tools", "triton_to_gluon_translator", _GLUON),
    ("triton.tools.tensor_descriptor", "canonicalize_dtype validate_block_shape", _INTERNAL),
)

MISSING = {f"{module}.{name}": advice for module, names, advice in _TABLE for name in names.split()}
"""Each name, or module with all that is in it, and what to do."""


def message(name: str) -> str:
    """What an error says about the name `name` of Triton, such as `triton.tools.disasm`, that is not there."""
    return f"mytriton does not have {name}: {_advice(name)}"


def _advice(name: str) -> str:
    outer = name
    while outer:
        if outer in MISSING:
            return MISSING[outer]
        outer = outer.rpartition(".")[0]
    if any(part.startswith("_") for part in name.split(".")):
        return "it is not a public name of Triton"
    return f"nor does Triton {VERSION}, as a public name; is it misspelt, or from another version?"
