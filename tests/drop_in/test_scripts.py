"""Scripts as people write them run unmodified, and print what they print under Triton's own interpreter."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import find_oracle
from tests.drop_in.running import SCRIPTS, output_of, run_mytriton

pytest.importorskip("torch")

BY_TRITON = Path(__file__).parent / "run_by_triton.py"

WITH_TRITON = (
    "asks_about_the_device.py",
    "attention.py",
    "attention_with_descriptors.py",
    "autograd_function.py",
    "autotuned.py",
    "chunked_sums.py",
    "custom_operator.py",
    "descriptors.py",
    "dropout.py",
    "functions_as_arguments.py",
    "kernels_in_classes.py",
    "layer_norm.py",
    "persistent_matmul.py",
    "quantization.py",
    "registered_operators.py",
    "sampling_and_scans.py",
    "serving_kernels.py",
    "specialization.py",
    "training.py",
    "uses_a_package.py",
    "uses_a_package.py --rows 3 --dtype float16",
    "vector_add.py",
    "-m ops one -two",
    "-m pytest -q -p no:cacheprovider test_pytest_file.py",
)
"""What Triton's interpreter can run too."""

ALONE = {
    # Functions of the language by name, closures, aggregates and libdevice are beyond Triton's interpreter, block
    # pointers are gone from it, and `warmup` does nothing there. These compare with torch themselves.
    "aggregates.py": "-1.0, 0.0, 1.0",
    "block_pointers.py": r"\d+\.\d+",
    "closures.py": r"cube .*\nnegate ",
    "compiles_ahead.py": r"kernel 2 0\nTrue 2\n",
    "fused_softmax.py": r"cuda 0\.\d+",
    "libdevice_fallbacks.py": "None True",
    "losses_and_norms.py": "rms torch.float32",
    # Sums that can be done by hand; `square` and `relu` of the numbers from -30 to 33 are 21984 and 561.
    "many_spellings.py": r"45450.0 89700.0 inf\n21984.0\n561.0\n(.*\n)+160.0\n$",
    "other_names.py": "134550 ",
    "rotary_embedding.py": "rope .*\ngeglu",
    "tensors_in_processes.py": r"^(\('cuda:0', 'cpu', 3.0\)\n){2}(cpu cuda:0\n){5}",
    "written_by_inductor.py": "ok",
    # The sums of the squares below 10, 17, ..., from several threads, which Triton's interpreter cannot run.
    "threads.py": re.escape(str([sum(i * i for i in range(n)) for n in range(10, 60, 7)])),
}
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[-+]?\d+)?")


def assert_same_output(mytriton: str, triton: str) -> None:
    """Equal texts, but for the times that pytest prints and the last digits of floats."""
    mytriton, triton = (re.sub(r" in [\d.]+s", "", text) for text in (mytriton, triton))
    assert NUMBER.sub("#", mytriton) == NUMBER.sub("#", triton)
    for mine, other in zip(NUMBER.findall(mytriton), NUMBER.findall(triton), strict=True):
        is_exact = "." not in mine and "." not in other
        assert mine == other if is_exact else math.isclose(float(mine), float(other), rel_tol=1e-4, abs_tol=1e-5)


@pytest.fixture(scope="module")
def run_by_triton() -> Iterator[Callable[[str], str] | None]:
    """What a command prints on Triton's interpreter; all are run by one process. None where there is no Triton."""
    python = find_oracle()
    if python is None:
        yield None
        return
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with subprocess.Popen(
        [python, str(BY_TRITON)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=SCRIPTS, env=environment
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        commands, answers = process.stdin, process.stdout

        def run(command: str) -> str:
            commands.write(json.dumps(command.split()) + "\n")
            commands.flush()
            code, printed = json.loads(answers.readline())
            assert code == 0, printed
            return printed

        yield run
        commands.close()


@pytest.mark.parametrize("command", WITH_TRITON)
def test_same_output_as_under_triton(command: str, run_by_triton: Callable[[str], str] | None) -> None:
    """Without Triton, the script still runs; all of them compare with torch or numbers of their own."""
    # What `tl.static_print` prints is printed where a kernel is compiled, and not where an earlier run has done that.
    printed = output_of("--device", "cpu", *command.split(), MYTRITON_ALWAYS_COMPILE="1")
    assert printed.strip()
    if run_by_triton is not None:
        assert_same_output(printed, run_by_triton(command))


@pytest.mark.parametrize("script", ALONE)
def test_script(script: str) -> None:
    assert re.search(ALONE[script], output_of("--device", "cpu", script))


def test_plots_and_tables(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    printed = output_of("--device", "cpu", "benchmark_with_plots.py", str(tmp_path), MPLBACKEND="agg")
    assert printed.splitlines() == [
        "['size', 'Triton', 'Torch'] [256, 512, 1024] True",
        "['copy-performance.csv', 'copy-performance.png']",
    ]


def test_the_interpreter_takes_the_place_of_triton_s() -> None:
    result = run_mytriton("--device", "cpu", "--report", "vector_add.py", TRITON_INTERPRET="1")
    assert result.returncode == 0, result.stderr
    assert result.stdout == output_of("--device", "cpu", "vector_add.py")


def test_errors_show_the_line_and_the_exit_code_is_the_script_s() -> None:
    result = run_mytriton("--device", "cpu", "errors.py")
    assert result.returncode == 3 and result.stdout == "refused True\n"
    result = run_mytriton("--device", "cpu", "errors.py", "--fail")
    assert result.returncode == 1
    assert "tl.store(x_ptr + a, a + b)" in result.stderr and "errors.py:14:" in result.stderr
    frames = re.findall(r'File "(.*?)"', result.stderr)
    assert frames[0].endswith("errors.py")
