"""Every GPU schedule compiles for every path that can launch it: nvcc, NVRTC as CuPy calls it."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from theorylab.kernels import _paths
from theorylab.kernels._push_mix_device import tiles_bytes

CSRC = pathlib.Path(__file__).resolve().parents[2] / "csrc"
needs_nvcc = pytest.mark.skipif(
    not shutil.which("nvcc") and os.environ.get("THEORYLAB_CUDA") != "1",
    reason="nvcc is not installed here",
)
# What CuPy 14 adds to the options it is given, the architecture apart.
ADDED = ("--device-as-default-execution-space", "-ftz=true", "-Werror=all-warnings")
KNOWN = {  # sizes that CuPy alone can build in: one general and one special case
    "push_mix_drawn": [(128,)],
    "push_mix_tiles": [(128, 0), (64, 11)],
}


def listed():
    """(name, types) of csrc/cuda/schedules.hpp, as the preprocessor sees them."""
    text = (
        '#include "cuda/schedules.hpp"\n'
        "#define TL_SCHEDULE(name, ...) @@ name @ __VA_ARGS__ @@\nTL_SCHEDULES\n"
    )
    command = ["g++", "-E", "-P", f"-I{CSRC}", "-std=c++17", "-x", "c++", "-"]
    seen = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    parts = (part.split("@") for part in " ".join(seen.split()).split("@@") if part.count("@") == 1)
    return [(name.strip(), tuple(t.strip() for t in types.split(","))) for name, types in parts]


def known(name):
    """The sizes to build in: none, as ahead of time, and those of ``KNOWN``."""
    return [(), *KNOWN.get(name, [])]


SCHEDULES = listed()
NAMES = sorted({name for name, _ in SCHEDULES})


def compiled(nvrtc, kernels, chip, *more, source=_paths.SOURCE):
    """Code of the kernels for a chip, or AssertionError with NVRTC's log.

    chip: "sm_90", as CuPy asks, is machine code; "compute_90" leaves out the assembler, which takes
    most of the time. more: "-G" leaves out the optimizer, likewise.
    """
    program = nvrtc.createProgram(source, "theorylab.cu", (), ())
    try:
        for kernel in kernels:
            nvrtc.addNameExpression(program, kernel)
        try:
            nvrtc.compileProgram(program, (*_paths.options(), f"-arch={chip}", *ADDED, *more))
        except nvrtc.NVRTCError as error:
            raise AssertionError(nvrtc.getProgramLog(program)) from error
        assert not nvrtc.getProgramLog(program).strip()
        image = nvrtc.getCUBIN(program) if chip[0] == "s" else nvrtc.getPTX(program)
        lowered = [nvrtc.getLoweredName(program, kernel) for kernel in kernels]
    finally:
        nvrtc.destroyProgram(program)
    image = image if isinstance(image, bytes) else image.encode()
    assert all(str(name).encode() in image for name in lowered)
    return image


def test_the_table_lists_what_the_emulated_device_was_built_with(loops):
    names = [str(_paths.Schedule(name, types)) for name, types in SCHEDULES]
    assert len(names) == len(set(names)) >= 12
    assert sorted(names) == sorted(loops.schedules())


def test_every_schedule_file_is_in_the_table():
    text = (CSRC / "cuda/schedules.hpp").read_text()
    for path in (CSRC / "cuda").glob("*.cuh"):
        assert f'#include "{path.name}"' in text or any(
            f'#include "{path.name}"' in other.read_text()
            for other in (CSRC / "cuda").glob("*.cuh")
        ), f"{path.name} is in no schedule"


@pytest.mark.parametrize("name", NAMES)
def test_a_schedule_compiles_at_run_time_as_cupy_asks_for_it(name, nvrtc):
    kernels = [_paths.Schedule(own, types).kernel for own, types in SCHEDULES if own == name]
    compiled(nvrtc, kernels, "compute_90", "-G")


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_schedule_compiles_with_sizes_built_in(name, nvrtc):
    kernels = [
        _paths.Schedule(own, types, sizes).kernel
        for own, types in SCHEDULES
        if own == name
        for sizes in KNOWN[name]
    ]
    compiled(nvrtc, kernels, "compute_90", "-G")
    compiled(nvrtc, kernels[:1], "sm_90")  # to machine code, as CuPy asks for it


@pytest.mark.slow
@pytest.mark.parametrize("capability", [80, 90, 100, 120])
@pytest.mark.parametrize("name", NAMES)
def test_a_schedule_compiles_to_machine_code_at_run_time(name, capability, nvrtc):
    each = [(own, types, k) for own, types in SCHEDULES if own == name for k in known(name)]
    compiled(nvrtc, [_paths.Schedule(*one).kernel for one in each], f"sm_{capability}")


def test_what_a_planted_fault_would_do_is_seen(nvrtc):
    with pytest.raises(AssertionError, match="no_such_schedule"):
        compiled(nvrtc, ["tl::no_such_schedule_gpu<float>"], "sm_90")
    source = "__global__ void f(int* p) { int x; *p = 1; }"
    with pytest.raises(AssertionError, match="never referenced"):  # a warning only
        compiled(nvrtc, ["f"], "sm_90", source=source)


def launcher(tmp_path, *flags):
    """csrc/cuda/launch.cu, which instantiates the whole table, through nvcc: its log and output."""
    built = tmp_path / "launch.out"
    command = ["nvcc", "-std=c++17", f"-I{CSRC}", "-fmad=false", "-Werror", "all-warnings", *flags]
    command += [str(CSRC / "cuda/launch.cu"), "-o", str(built)]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert answer.returncode == 0, answer.stderr
    return answer.stderr, built


@needs_nvcc
def test_every_schedule_compiles_ahead_of_time(tmp_path):
    # to PTX without the optimizer, in seconds; setup.py builds it for every chip
    text = launcher(tmp_path, "-arch=sm_80", "-ptx", "-G")[1].read_text()
    entries = [line for line in text.splitlines() if " .entry " in line]
    assert len(entries) == len(SCHEDULES)
    for name in NAMES:
        assert any(f"{name}_gpu" in line for line in entries)


@needs_nvcc
@pytest.mark.slow
@pytest.mark.parametrize("capability", [80, 90, 100, 120])
def test_no_schedule_spills_more_than_a_few_words(capability, tmp_path):
    known = subprocess.run(["nvcc", "--list-gpu-code"], capture_output=True, text=True).stdout
    if f"sm_{capability}" not in known.split():
        pytest.skip(f"this nvcc does not know sm_{capability}")
    log, _ = launcher(tmp_path, "-c", "-O3", f"-arch=sm_{capability}", "-Xptxas", "-v")
    spills = [int(n) for n in re.findall(r"(\d+) bytes spill (?:stores|loads)", log)]
    assert len(spills) >= 2 * len(SCHEDULES)
    assert max(spills) <= 64, log  # an array that went to memory would be more


def test_the_layout_of_shared_memory_is_the_same_in_both_languages(tmp_path):
    cases = [
        (n, tile, staged, itemsize)
        for n in (1, 2, 31, 100, 1000)
        for tile in (1, 2, 16, 128)
        for staged in (0, 1, 1100)
        for itemsize in (4, 8)
    ]
    lines = "".join(
        f"  end<{'float' if size == 4 else 'double'}>({n}, {tile}, {staged});\n"
        for n, tile, staged, size in cases
    )
    (tmp_path / "layout.cpp").write_text(
        '#include "cuda/push_mix.cuh"\n#include <cstdio>\n'
        "template <class T> void end(i64 n, i64 tile, i64 staged) {\n"
        '  std::printf("%lld\\n", (long long)tl::TilesLayout<T>(n, tile, staged).end);\n}\n'
        f"int main() {{\n{lines}}}\n"
    )
    command = ["g++", "-std=c++17", f"-I{CSRC}", "layout.cpp", "-o", "layout"]
    subprocess.run(command, check=True, cwd=tmp_path)
    made = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True).stdout
    assert [int(line) for line in made.split()] == [tiles_bytes(*case) for case in cases]
