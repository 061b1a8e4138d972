"""How often a device is asked: once what it is, and what is free where that may be too little."""

import sys
import types

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.kernels import Mixing, _paths, push_mix, push_mix_drawn
from theorylab.kernels._paths import Ahead, AtRunTime, Facts, emulated
from theorylab.kernels._tape import PlainTape


class Driver:
    """theorylab._cuda, and CuPy's runtime, of devices 0 and 1."""

    Tape = PlainTape

    def __init__(self):
        self.asked, self.launched, self.current = [], [], None

    def schedules(self):
        types = ("float", "float, 4, 1", "double", "double, 2, 1")
        names = ("push_mix_tiles", "push_mix_gather", "push_weights", "push_mix_drawn")
        return [f"{name}<{filled}>" for name in names for filled in types]

    def Prepared(self, name, *_):
        return types.SimpleNamespace(launch=lambda *_: self.launched.append(name))

    def facts(self, device):
        self.asked.append(device)
        if device > 1:
            raise RuntimeError(f"no device {device}")
        return {"name": f"chip {device}", "capability": 90, "multiprocessors": 132, "l2": 50 << 20,
                "shared": 227 << 10, "shared_of_all": 228 << 10, "free": 1, "total": 2,
                "threads_of_all": 1536}  # fmt: skip

    def getDeviceProperties(self, device):
        known = self.facts(device)
        return {"name": known["name"].encode(), "major": 9, "minor": 0, "multiProcessorCount": 132,
                "l2CacheSize": 50 << 20, "sharedMemPerBlockOptin": 227 << 10,
                "sharedMemPerMultiprocessor": 228 << 10,
                "maxThreadsPerMultiProcessor": 1536}  # fmt: skip

    def memGetInfo(self):
        return 1, 2


@pytest.fixture
def driver(monkeypatch):
    made = Driver()
    monkeypatch.setitem(sys.modules, "theorylab._cuda", made)
    monkeypatch.setenv("THEORYLAB_CUDA_PATH", "aot")
    _paths._path.cache_clear()
    yield made
    _paths._path.cache_clear()


@pytest.fixture(params=[Ahead, AtRunTime])
def path(request, driver, cupy, monkeypatch):
    monkeypatch.setattr(cupy.cuda, "runtime", driver)
    return request.param()


def test_a_device_is_asked_once_and_gives_its_own_facts(path, driver):
    for device in (1, 0, 1, 0):
        made = path.facts(device)
        assert made == Facts(
            f"chip {device}", 90, 132, 50 << 20, 227 << 10, 228 << 10, free=1, total=2,
            threads_of_all=1536,
        )  # fmt: skip
        assert path.facts(device) is made
    assert driver.asked == [1, 0]


def test_a_device_that_gave_no_answer_is_asked_again(path, driver):
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no device 2"):
            path.facts(2)
    assert driver.asked == [2, 2]


def test_kernels_ask_what_a_device_is_once_for_all_calls(driver, cupy):
    P = csr_array(np.eye(8))
    x, w = cupy.ndarray((8, 64)), cupy.ndarray((8,))
    for _ in range(3):
        push_mix(P, x, w)
        push_mix_drawn(1, 2, 1, 3, x, w)
    assert driver.asked == [0]
    assert len(driver.launched) == 6


def test_free_memory_is_asked_for_large_results_and_where_the_library_has_none(driver, cupy):
    asked, P, w = [], Mixing(csr_array(np.eye(8))), cupy.ndarray((8,))
    cupy.cuda.runtime = types.SimpleNamespace(memGetInfo=lambda: asked.append(0) or (24, 1 << 38))
    small, large = cupy.ndarray((8, 64)), cupy.ndarray((8, 2**24))
    own = cupy.ndarray((8, 64)), cupy.ndarray((8,)), cupy.ndarray((8, 64))
    push_mix(P, small, w, out=own)
    push_mix(P, small, w)
    assert not asked
    cupy.room = 4128 - 1
    with pytest.raises(MemoryError) as error:
        push_mix(P, small, w)
    assert str(error.value) == (
        "push_mix: the results need 4128 bytes, but GPU 0 has 1024 left; need fewer runs, fewer "
        "coordinates or float32"
    )
    cupy.cuda.runtime = types.SimpleNamespace(memGetInfo=lambda: (1 << 20, 1 << 38))
    with pytest.raises(MemoryError, match="no piece of that size among 1049576 left; need fewer"):
        push_mix(P, small, w)
    cupy.asarray = lambda array: cupy.empty((1 << 40,), array.dtype)
    with pytest.raises(MemoryError, match=r"P's edges need .* bytes, but GPU 0 has no piece of th"):
        push_mix(csr_array(np.eye(8)), small, w, out=own)
    cupy.empty = None
    with pytest.raises(MemoryError, match="need 1073741856 bytes, but GPU 0 has 1049576 left"):
        push_mix(P, large, w)


def test_a_played_device_keeps_the_facts_it_was_given(driver):
    given = Facts("small", 90, 1, 1, 1 << 12, 1 << 13, 1 << 20, 1 << 20)
    with emulated(facts=given) as played:
        assert played.facts(0) is played.facts(5) is given
    assert not driver.asked
