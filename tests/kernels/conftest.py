import importlib
import math
import os
import sys
import types

import numpy as np
import pytest

from theorylab import _core
from theorylab.kernels import _calls, _device, get_threads, set_threads
from theorylab.kernels._paths import Facts


@pytest.fixture(autouse=True)
def switches_are_restored():
    """Threads, instruction set and schedule, which tests here change, are as before afterwards."""
    threads, isa = get_threads(), _core.isa()
    yield
    _core.tune()
    _core.use_isa(isa)
    set_threads(threads)


@pytest.fixture(scope="session")
def loops():
    """theorylab._emulated, which is built when a test first wants it, not at collection."""
    return importlib.import_module("theorylab._emulated")


@pytest.fixture(scope="session")
def nvrtc():
    """CuPy's interface to NVRTC; THEORYLAB_CUDA=1 (as setup.py reads it): missing is an error."""
    try:
        from cupy.cuda import nvrtc

        nvrtc.getVersion()  # CuPy imports without the library and fails at the first call
    except Exception as error:
        if os.environ.get("THEORYLAB_CUDA") == "1":
            raise
        pytest.skip(f"NVRTC: {error}")
    return nvrtc


H200 = Facts("fake", 90, 132, 50 << 20, 227 << 10, 228 << 10, 1 << 37, 1 << 38)


class Recorder:
    """A path that runs nothing."""

    name = "recorder"

    def __init__(self, refuse=None):
        self.launched, self.refuse = [], refuse

    def facts(self, device):
        return H200

    def launch(self, schedule, grid, words, device, stream):
        if self.refuse is not None:
            raise self.refuse
        self.launched.append((schedule, grid, list(words), device, stream))

    def player(self, phases, device):
        """One launch after the other, in numbers."""

        def play(phase, moments, columns, stream):
            row = np.frombuffer(moments, "<u8", columns).tolist()
            for each in phases[phase]:
                words = list(each.words)
                for word, column in each.moving:
                    words[word] = row[column]
                self.launch(each.schedule, each.grid, words, device, stream)

        return play


class FakeArray:
    """An array of CuPy's without memory; addresses never meet unless asked to."""

    next = 0x7F00_0000_0000

    def __init__(self, shape, dtype=np.float32, device=0, ptr=None, c_contiguous=True):
        self.shape, self.dtype, self.ndim = tuple(shape), np.dtype(dtype), len(shape)
        self.device = types.SimpleNamespace(id=device)
        self.flags = types.SimpleNamespace(c_contiguous=c_contiguous)
        self.data = types.SimpleNamespace(ptr=FakeArray.next if ptr is None else ptr)
        size = self.dtype.itemsize
        for length in shape:
            size *= length
        self.nbytes = size
        FakeArray.next += -(-size // 512) * 512


class Entered:
    def __init__(self, *_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


@pytest.fixture
def cupy(monkeypatch):
    """A CuPy without GPU or memory, as sys.modules["cupy"]; cupy.ndarray makes an array."""
    runtime = types.SimpleNamespace(memGetInfo=lambda: (1 << 36, 1 << 38))

    def empty(shape, dtype):
        fake.room -= math.prod(shape) * dtype.itemsize
        if fake.room < 0:
            raise MemoryError("out of memory,\n as CuPy says it")
        return FakeArray(shape, dtype)

    fake = types.SimpleNamespace(
        ndarray=FakeArray,
        room=1 << 40,  # bytes that ``empty`` gives out
        empty=empty,
        asarray=lambda a: FakeArray(a.shape, a.dtype),
        get_default_memory_pool=lambda: types.SimpleNamespace(free_bytes=lambda: 1000),
        cuda=types.SimpleNamespace(
            Device=Entered,
            runtime=runtime,
            get_current_stream=lambda device: types.SimpleNamespace(ptr=99),
        ),
    )
    monkeypatch.setitem(sys.modules, "cupy", fake)
    return fake


@pytest.fixture
def recorder(monkeypatch):
    """The way that fake arrays go."""
    made = Recorder()
    for module in (_device, _calls):
        monkeypatch.setattr(module, "chosen_path", lambda: made)
    return made


@pytest.fixture
def rooms(monkeypatch):
    """Fresh memory that plays the GPU's, as it was given out, full of NaN."""
    given = []

    def empty(self, shape, dtype, device):
        given.append(np.full(shape, np.nan, dtype))
        return given[-1]

    monkeypatch.setattr(_device.Host, "empty", empty)
    return given
