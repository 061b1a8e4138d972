"""Every header compiles alone, for the host and for the device, without a warning."""

import os
import pathlib
import shutil
import subprocess

import pytest

from theorylab.kernels import _paths

CSRC = pathlib.Path(__file__).resolve().parents[2] / "csrc"
HEADERS = sorted(str(path.relative_to(CSRC)) for path in CSRC.rglob("*.cuh"))
KERNELS = {
    "draws": [],
    "glm_hvp": [],
    "local_steps": [],
    "mix_jvp": [],
    "push_mix": [],
    "random_edges": [],
}
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
@pytest.mark.parametrize("header", HEADERS)
def test_a_header_and_its_kernels_compile_for_the_device(header, tmp_path):
    kernels = KERNELS.get(pathlib.Path(header).stem, [])
    uses = "".join(f"template __global__ decltype({kernel}) {kernel};\n" for kernel in kernels)
    flags = ["nvcc", "-arch=sm_80", "-fmad=false", "-Werror", "all-warnings"]
    text = f'#include "{header}"\n{uses}'
    built = compile_text(text, flags, tmp_path, ".cu")
    listed = subprocess.run(
        ["nm", "-C", str(built)], capture_output=True, text=True, check=True
    ).stdout
    for kernel in kernels:  # instantiated, not only parsed
        assert kernel.split("::")[1].split("<")[0] in listed


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


def test_every_kernel_header_names_its_device_kernels_here():
    assert {path.stem for path in (CSRC / "kernels").glob("*.cuh")} == set(KERNELS)
