"""Every header compiles alone for the host and at run time, and for the device: no warnings."""

import os
import pathlib
import shutil
import subprocess

import pytest

from theorylab.kernels import _paths

CSRC = pathlib.Path(__file__).resolve().parents[2] / "csrc"
HEADERS = sorted(str(path.relative_to(CSRC)) for path in CSRC.rglob("*.cuh"))
needs_nvcc = pytest.mark.skipif(  # THEORYLAB_CUDA=1, as setup.py reads it: no skip
    not shutil.which("nvcc") and os.environ.get("THEORYLAB_CUDA") != "1",
    reason="nvcc is not installed here",
)


def compile_text(text, command, folder, suffix):
    source = folder / f"source{suffix}"
    source.write_text(text)
    command = [*command, f"-I{CSRC}", "-std=c++17", "-c", str(source), "-o", str(folder / "out.o")]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert answer.returncode == 0, answer.stderr
    return folder / "out.o"


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_compiles_alone_on_the_host(header, tmp_path):
    flags = ["g++", "-O1", "-Wall", "-Wextra", "-Werror"]
    compile_text(f'#include "{header}"\n', flags, tmp_path, ".cpp")


@needs_nvcc
def test_all_headers_compile_for_the_device(tmp_path):
    # one after another: that each has what it needs is asked of g++ and of NVRTC, in less time
    flags = ["nvcc", "-arch=sm_80", "-fmad=false", "-Werror", "all-warnings"]
    text = "".join(f'#include "{header}"\n' for header in HEADERS)
    compile_text(text, flags, tmp_path, ".cu")


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_compiles_alone_at_run_time(header, nvrtc):
    program = nvrtc.createProgram(f'#include "{header}"\n', "theorylab.cu", (), ())
    options = ("-arch=sm_80", "--device-as-default-execution-space", "-ftz=true")
    try:
        nvrtc.compileProgram(program, (*_paths.options(), *options))
    except nvrtc.NVRTCError:
        pytest.fail(nvrtc.getProgramLog(program))
    assert not nvrtc.getProgramLog(program).strip()  # no warning
    nvrtc.destroyProgram(program)
