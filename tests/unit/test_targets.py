"""The targets of `mytriton-opt`: CUDA C, PTX and cubins, with their options."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from mytriton.errors import MissingToolError, OptionError
from mytriton.runtime import nvrtc
from mytriton.targets import CubinTarget, PtxTarget
from mytriton.tools import opt
from mytriton.ttir import make_context, parse_module

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "vector_add.ttir"

needs_nvrtc = pytest.mark.skipif(not nvrtc.is_available(), reason="NVRTC was not found")


def test_cuda(capfd: pytest.CaptureFixture[str]) -> None:
    assert opt.main([str(EXAMPLE), "-p", "tt-to-cuda{num-warps=2}", "-t", "cuda"]) == 0
    captured = capfd.readouterr()
    assert captured.out.startswith('extern "C" __global__ void __launch_bounds__(64) vector_add(')
    assert captured.err == ""


@needs_nvrtc
def test_ptx(capfd: pytest.CaptureFixture[str]) -> None:
    assert opt.main([str(EXAMPLE), "-p", "tt-to-cuda", "-t", "ptx{arch=sm_90a}"]) == 0
    text = capfd.readouterr().out
    assert ".target sm_90a" in text and ".entry vector_add(" in text and "\0" not in text


@needs_nvrtc
@pytest.mark.parametrize("arch", ["sm_80", "sm_100"])
def test_cubin_to_a_file(arch: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "out.cubin"
    assert opt.main([str(EXAMPLE), "-p", "tt-to-cuda", "-t", f"cubin{{arch={arch}}}", "-o", str(output)]) == 0
    assert output.read_bytes()[:4] == b"\x7fELF"
    assert capfd.readouterr() == ("", "")


@needs_nvrtc
def test_cubin_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert opt.main([str(EXAMPLE), "-p", "tt-to-cuda", "-t", "cubin"]) == 0
    assert capfdbinary.readouterr().out[:4] == b"\x7fELF"


@pytest.mark.parametrize("target", ["ptx", "cubin"])
def test_without_nvrtc(
    target: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*arguments: object, **options: object) -> None:
        raise MissingToolError("NVRTC was not found")

    monkeypatch.setattr(nvrtc, f"compile_to_{target}", missing)
    output = tmp_path / "out"
    assert opt.main([str(EXAMPLE), "-p", "tt-to-cuda", "-t", target, "-o", str(output)]) == 1
    assert capfd.readouterr() == ("", "mytriton-opt: error: NVRTC was not found\n")
    assert not output.exists()


def test_xdsl_tools_cannot_write_bytes() -> None:
    with pytest.raises(OptionError, match="use mytriton-opt -t cubin -o <file>"):
        CubinTarget().emit(make_context(), parse_module("%0 = arith.constant 1 : i32"), io.StringIO())


@pytest.mark.parametrize("target", [PtxTarget, CubinTarget])
def test_the_architecture_is_checked(target: type[PtxTarget] | type[CubinTarget]) -> None:
    with pytest.raises(OptionError, match=r"arch must be one of sm_75, .* found 'sm_12'"):
        target(arch="sm_12")
