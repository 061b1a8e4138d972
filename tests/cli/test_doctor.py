"""What doctor says of the GPU: which ways exist, which one a call takes, and why not the others."""

import importlib.util
import json
import sys
import types

import pytest

from theorylab import doctor
from theorylab.kernels import _paths


def cuda_module(count):
    def facts(index):
        return {"name": f"Chip {index}", "capability": 90, "total": 141 * 2**30}

    return types.SimpleNamespace(
        __spec__=importlib.util.spec_from_loader("theorylab._cuda", None),
        architectures=lambda: [80, 90],
        schedules=lambda: ["a<float>", "a<double>", "b<float>"],
        device_count=count,
        facts=facts,
    )


def no_driver():
    raise RuntimeError("cuda: CUDA driver version is\n insufficient")


def cupy_module(nvrtc):
    def properties(index):
        return {"name": b"Chip C", "major": 12, "minor": 0, "totalGlobalMem": 8 * 2**30}

    runtime = types.SimpleNamespace(getDeviceCount=lambda: 1, getDeviceProperties=properties)
    cuda = types.SimpleNamespace(nvrtc=types.SimpleNamespace(getVersion=nvrtc), runtime=runtime)
    return types.SimpleNamespace(__version__="14.2.0", cuda=cuda)


@pytest.fixture
def modules(monkeypatch):
    """Put modules (None: missing) in the place of _cuda, cupy and _emulated."""
    monkeypatch.delenv("THEORYLAB_CUDA_PATH", raising=False)
    names = {"cuda": "theorylab._cuda", "cupy": "cupy", "emulated": "theorylab._emulated"}

    def put(**given):
        for short, module in given.items():
            monkeypatch.setitem(sys.modules, names[short], module)
        _paths._path.cache_clear()
        return doctor.examined()["cuda"]

    yield put
    _paths._path.cache_clear()


def test_all_ways_and_a_gpu(modules):
    facts = modules(cuda=cuda_module(lambda: 2), cupy=cupy_module(lambda: (13, 5)))
    assert facts["why"] == []
    assert (facts["built"], facts["architectures"], facts["schedules"]) == (True, [80, 90], 3)
    assert (facts["cupy"], facts["nvrtc"], facts["path"]) == ("14.2.0", "13.5", "aot")
    assert facts["emulated"] >= 12
    assert facts["devices"] == ["Chip 0 (sm_90, 141 GiB)", "Chip 1 (sm_90, 141 GiB)"]


def test_run_time_compilation_alone(modules, monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        doctor.importlib.util,
        "find_spec",
        lambda name: None if name == "theorylab._cuda" else real(name),
    )
    facts = modules(cuda=None, cupy=cupy_module(lambda: (13, 5)))
    assert (facts["built"], facts["path"]) == (False, "jit")
    assert facts["devices"] == ["Chip C (sm_120, 8 GiB)"]
    assert facts["why"] == ["theorylab._cuda: not built; need nvcc and THEORYLAB_CUDA=1"]


def test_nothing_at_all_is_said_line_by_line_and_is_no_error(modules, run):
    facts = modules(cuda=None, cupy=None, emulated=None)
    starts = [line.split(":")[0] for line in facts["why"]]
    assert starts == ["theorylab._cuda", "cupy", "NVRTC", "theorylab._emulated", "path", "GPU"]
    assert (facts["built"], facts["nvrtc"], facts["emulated"], facts["path"]) == (
        *(False, None, None, None),
    )
    assert all("\n" not in line for line in facts["why"])
    assert facts["why"][3].endswith(
        "need python setup.py build_emulated in a clone of theorylab, on Linux"
    )
    done = run("doctor", "--json", "-")
    assert done.code == 0
    assert json.loads(done.out)["cuda"] == facts
    shown = " ".join(run("doctor").out.split())
    for part in ("CUDA ahead of time (aot) missing", "path of a call none", "GPU none visible"):
        assert part in shown


def test_a_missing_driver_and_a_missing_compiler_have_their_own_lines(modules, run):
    def no_library():
        raise RuntimeError("Could not find libnvrtc.so")

    facts = modules(cuda=cuda_module(no_driver), cupy=cupy_module(no_library))
    assert facts["path"] == "aot"  # it can be called; that there is no GPU is another matter
    assert facts["nvrtc"] is None
    assert facts["why"][0] == (
        "NVRTC: Could not find libnvrtc.so; need pip install nvidia-cuda-nvrtc"
    )
    assert facts["devices"] == ["Chip C (sm_120, 8 GiB)"]  # CuPy still sees it
    shown = " ".join(run("doctor").out.split())
    assert "3 schedules for sm_80, sm_90 and newer" in shown
    assert "CUDA at run time (jit) missing Could not find libnvrtc.so" in shown


def test_a_path_that_is_none_is_named(modules, monkeypatch):
    monkeypatch.setenv("THEORYLAB_CUDA_PATH", "warp")
    facts = doctor.examined()["cuda"]
    assert facts["path"] is None
    assert "path: THEORYLAB_CUDA_PATH: 'warp' came; need auto, aot or jit" in facts["why"]
