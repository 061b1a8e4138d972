"""The bench on torch's and CuPy's GPU arrays, with fakes of both whose GPU is the host's memory."""

import contextlib
import dataclasses
import itertools
import json
import os
import sys
import time
import types

import numpy as np
import pytest
import torch

from theorylab.bench import _gpu_board as module
from theorylab.bench import _gpu_checks as checks
from theorylab.bench import gpu
from theorylab.bench._gpu_measured import via
from theorylab.kernels._paths import Facts, emulated

FACTS = Facts("fake", 90, 2, 1 << 12, 32 << 10, 80 << 10, 1 << 33, 1 << 34)


class Event:
    def __init__(self, **options):
        self.at = None

    def record(self):
        self.at = time.perf_counter()

    def query(self):
        return False

    done = False

    def elapsed_time(self, other):
        return (other.at - self.at) * 1e3 + 1e-6


class FakeTorch:
    """torch, but "cuda" is the CPU."""

    __version__ = "2.x"
    version = types.SimpleNamespace(cuda="13.0")

    def __init__(self):
        self.cuda = types.SimpleNamespace(
            is_available=lambda: True,
            get_device_name=lambda index: "Fake",
            synchronize=lambda: None,
            empty_cache=lambda: None,
            mem_get_info=lambda *_: (1 << 33, 1 << 34),
            Event=Event,
            _sleep=lambda cycles: None,
        )

    def __getattr__(self, name):
        return getattr(torch, name)

    def Generator(self, device):
        assert device == "cuda"
        return torch.Generator()

    def full(self, shape, value, dtype, device):
        assert device == "cuda"
        return torch.full(shape, value, dtype=dtype)

    def rand(self, shape, dtype, device, generator):
        assert device == "cuda"
        return torch.rand(shape, dtype=dtype, generator=generator)


class GpuArray(np.ndarray):
    """NumPy's array under CuPy's attributes."""

    device = types.SimpleNamespace(id=0)

    @property
    def data(self):
        return types.SimpleNamespace(ptr=self.ctypes.data)


def fake_cupy():
    def placed(make):
        return lambda *given, **options: make(*given, **options).view(GpuArray)

    runtime = types.SimpleNamespace(
        getDeviceCount=lambda: 1,
        deviceSynchronize=lambda: None,
        memGetInfo=lambda: (1 << 33, 1 << 34),
    )
    pool = types.SimpleNamespace(free_all_blocks=lambda: None, free_bytes=lambda: 0)
    cuda = types.SimpleNamespace(
        runtime=runtime,
        Event=Event,
        get_elapsed_time=lambda first, last: first.elapsed_time(last),
        Device=lambda index: contextlib.nullcontext(),
        get_current_stream=lambda *_: types.SimpleNamespace(ptr=0),
    )
    return types.SimpleNamespace(
        __version__="14",
        ndarray=GpuArray,
        asarray=placed(np.array),
        asnumpy=lambda array: np.array(array),
        full=placed(np.full),
        empty=placed(np.empty),
        copyto=np.copyto,
        divide=np.divide,
        RawKernel=lambda source, name: lambda blocks, threads, given: None,
        get_default_memory_pool=lambda: pool,
        cuda=cuda,
    )


@pytest.fixture
def fake_gpu(monkeypatch):
    """Both libraries with a GPU; kernels are emulated; real sizes are the dry ones."""
    cupyx = types.SimpleNamespace(csr_matrix=lambda P: P)
    monkeypatch.setitem(sys.modules, "torch", FakeTorch())
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy())
    monkeypatch.setitem(sys.modules, "cupyx", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "cupyx.scipy", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "cupyx.scipy.sparse", cupyx)
    monkeypatch.setattr(torch.Tensor, "cuda", lambda self: self)
    monkeypatch.setattr(checks.shutil, "which", lambda name: None)
    monkeypatch.setattr(gpu, "ROUNDS", 3)
    kernel = gpu.KERNELS["push_mix"]
    cases = tuple(dataclasses.replace(case, sizes=case.dry) for case in kernel.cases[:2])
    small = dataclasses.replace(
        kernel,
        cases=cases,
        trials=lambda rng, dtype, _: itertools.islice(kernel.trials(rng, dtype, True), 4),
    )
    monkeypatch.setattr(gpu, "KERNELS", {"push_mix": small})
    with emulated(facts=FACTS):
        yield


@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_a_whole_call_runs_on_either_library(library, fake_gpu, monkeypatch):
    if library == "cupy":
        monkeypatch.setattr(sys.modules["torch"].cuda, "is_available", lambda: False)
    record = gpu.run(seed=3, only="push_mix", budget=1e9)
    assert json.loads(json.dumps(record)) == record
    assert record["failed"] == []
    assert gpu.all_is_well(record)
    assert (record["emulated"], record["board"].split()[0]) == (False, library)
    assert record["paths"] == ["aot", "jit"]
    assert {check["path"] for check in record["checks"]} == {"aot", "jit"}
    assert all(check["trials"] == 4 for check in record["checks"])
    assert record["sanitizer"][0]["why"] == "not found on PATH"
    headline, double = record["cases"]
    own = {"copy", "theorylab aot", "theorylab jit"}
    peers = {"torch csr out=", "torch dense out=", "torch dense tf32 out="}
    assert own <= set(headline["seconds"])
    if library == "torch":
        assert set(headline["seconds"]) - own == peers
        assert "torch dense tf32 out=" not in double["seconds"]
        assert "cupy" in headline["lacking"]  # the fake one takes no tensor
        assert len(headline["goals"]) == 4
    else:
        assert set(headline["seconds"]) - own == {"cupy csr"}
        assert headline["lacking"]["torch"] == "LookupError: torch sees no GPU"
        assert len(headline["goals"]) == 2
    gpu.render(record)


def test_a_gpu_that_no_path_reaches_is_none(fake_gpu, monkeypatch):
    def nothing():
        raise RuntimeError(f"no way\n ({os.environ['THEORYLAB_CUDA_PATH']})")

    monkeypatch.setattr(module, "chosen_path", nothing)
    with pytest.raises(gpu.NoGpuError) as error:
        module.board(False)
    ways = "aot: no way (aot); jit: no way (jit)"
    assert str(error.value) == f"{ways}; {ways}"


def test_without_driver_and_cupy_both_reasons_are_given(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(gpu.NoGpuError, match=r"^torch sees no GPU; cupy: import of cupy halted"):
        module.board(False)


def test_a_call_goes_the_way_that_its_label_says(fake_gpu, monkeypatch):
    asked = {}
    for way in ("aot", "jit"):
        asked[way] = via(module.board(False), way, lambda: os.environ["THEORYLAB_CUDA_PATH"])
    assert asked == {"aot": "aot", "jit": "jit"}


@pytest.mark.parametrize("before", [None, "jit"])
def test_a_forced_path_is_given_back(before, monkeypatch):
    monkeypatch.delenv("THEORYLAB_CUDA_PATH", raising=False)
    if before is not None:
        monkeypatch.setenv("THEORYLAB_CUDA_PATH", before)
    seen = []
    with contextlib.suppress(ZeroDivisionError), module._forced("aot"):
        seen.append(os.environ["THEORYLAB_CUDA_PATH"])
        raise ZeroDivisionError
    assert seen == ["aot"]
    assert os.environ.get("THEORYLAB_CUDA_PATH") == before


def test_random_numbers_fill_the_array_and_do_not_repeat_rows(fake_gpu, monkeypatch):
    monkeypatch.setattr(sys.modules["torch"].cuda, "is_available", lambda: False)
    board = module.board(False)
    made = np.asarray(board.random((3, 1 << 21), "float32", 1))
    assert 0 <= made.min() < 1e-5 < 1 - 1e-5 < made.max() < 1
    assert made.dtype == np.float32
    assert not np.array_equal(made[0], made[2])
