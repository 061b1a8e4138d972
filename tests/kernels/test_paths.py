"""Which way a kernel is launched, and how a call becomes words. No GPU is needed."""

import importlib
import re
import struct
import types

import numpy as np
import pytest

from theorylab.kernels import _paths
from theorylab.kernels._paths import Facts, Grid, Schedule, chosen_path, emulated, emulating

SCHEDULE = Schedule("push_weights", ("double",))


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch):
    monkeypatch.delenv("THEORYLAB_CUDA_PATH", raising=False)
    _paths._path.cache_clear()
    _paths._compiled.cache_clear()
    yield
    _paths._path.cache_clear()
    _paths._compiled.cache_clear()


def without(monkeypatch, *missing, **given):
    """Imports as they are, but for modules that are missing or replaced."""
    real = importlib.import_module

    def fake(name, *rest):
        if name in missing:
            raise ImportError(f"No module\n named {name}")
        return given.get(name.rpartition(".")[2]) or real(name, *rest)

    monkeypatch.setattr(_paths.importlib, "import_module", fake)


class FakeCuda:
    """theorylab._cuda without CUDA: keeps what it is asked for."""

    def __init__(self):
        self.calls = []

    def schedules(self):
        return ["push_weights<double>"]

    def Prepared(self, *cut):
        self.prepared = [*getattr(self, "prepared", []), cut]
        return types.SimpleNamespace(launch=lambda *call: self.calls.append(call))

    def facts(self, device):
        names = ("multiprocessors", "l2", "shared", "shared_of_all", "free", "total")
        return {"name": f"fake {device}", "capability": 90, **dict.fromkeys(names, 7)}


def test_ahead_of_time_is_tried_first_and_run_time_next(monkeypatch):
    without(monkeypatch, _cuda=FakeCuda(), cupy=types.SimpleNamespace())
    assert chosen_path().name == "aot"
    monkeypatch.setenv("THEORYLAB_CUDA_PATH", "jit")
    assert chosen_path().name == "jit"
    monkeypatch.setenv("THEORYLAB_CUDA_PATH", "auto")
    _paths._path.cache_clear()
    without(monkeypatch, "theorylab._cuda", cupy=types.SimpleNamespace())
    assert chosen_path().name == "jit"


def test_without_any_path_each_ones_reason_is_in_one_line(monkeypatch):
    without(monkeypatch, "theorylab._cuda", "cupy")
    with pytest.raises(RuntimeError) as error:
        chosen_path()
    assert str(error.value) == (
        "no way to the GPU's kernels (aot: No module named theorylab._cuda; "
        "jit: No module named cupy); see theorylab doctor"
    )


@pytest.mark.parametrize(("asked", "missing"), [("aot", "theorylab._cuda"), ("jit", "cupy")])
def test_a_path_asked_for_by_name_is_the_only_one_tried(asked, missing, monkeypatch):
    monkeypatch.setenv("THEORYLAB_CUDA_PATH", asked)
    other = {"cupy": types.SimpleNamespace()} if asked == "aot" else {"_cuda": FakeCuda()}
    without(monkeypatch, missing, **other)
    with pytest.raises(RuntimeError, match=rf"kernels \({asked}: No module named {missing}\); see"):
        chosen_path()


@pytest.mark.parametrize("asked", ["", "AOT", "emulated", "cuda"])
def test_another_path_is_refused(asked, monkeypatch):
    monkeypatch.setenv("THEORYLAB_CUDA_PATH", asked)
    line = f"THEORYLAB_CUDA_PATH: {asked!r} came; need auto, aot or jit"
    with pytest.raises(ValueError, match=f"^{re.escape(line)}$"):
        chosen_path()


def test_emulation_wins_while_it_lasts_and_nests(monkeypatch):
    monkeypatch.setenv("THEORYLAB_CUDA_PATH", "aot")
    without(monkeypatch, "theorylab._cuda", "cupy")
    assert not emulating()
    facts = Facts("outer", 80, 1, 1, 1, 1, 1, 1)
    with emulated(facts=facts) as outer:
        with emulated(order=2) as inner:
            assert chosen_path() is inner
        assert chosen_path() is outer
        assert outer.facts(3) is facts
        with pytest.raises(ZeroDivisionError), emulated():
            raise ZeroDivisionError
        assert chosen_path() is outer
    assert not emulating()
    with pytest.raises(RuntimeError, match="no way"):
        chosen_path()


@pytest.mark.parametrize("order", [-1, 6, "0"])
def test_an_order_that_is_none_is_refused(order):
    with pytest.raises(ValueError, match=r"^emulated: order .* came; need one of 0 to 5$"):
        emulated(order).__enter__()
    assert not emulating()


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (0, 0),
        (-1, 2**64 - 1),
        (-(2**63), 2**63),
        (2**63 - 1, 2**63 - 1),
        (2**63 + 16, 2**63 + 16),  # an address in the upper half
        (2**64 - 1, 2**64 - 1),  # a seed
        (np.int64(-7), 2**64 - 7),
        (np.uint64(2**64 - 2), 2**64 - 2),
        (np.int32(-3), 2**64 - 3),
        (True, 1),
        (1.0, 0x3FF0000000000000),
        (-0.0, 0x8000000000000000),
        (np.float64(0.1), struct.unpack("<Q", struct.pack("<d", 0.1))[0]),
        (float("inf"), 0x7FF0000000000000),
    ],
)
def test_a_word_keeps_every_bit(value, word, monkeypatch):
    cuda = FakeCuda()
    without(monkeypatch, _cuda=cuda)
    chosen_path().launch(SCHEDULE, Grid(2, 64, 5), [value], 1, 77)
    assert cuda.prepared == [("push_weights<double>", 2, 64, 5, 100, 1)]
    assert cuda.calls == [(word.to_bytes(8, "little"), 77)]


def test_a_kernel_is_prepared_once_for_a_cut_and_a_device(monkeypatch):
    cuda = FakeCuda()
    without(monkeypatch, _cuda=cuda)
    for grid, device in [(Grid(2, 64), 0), (Grid(2, 64), 0), (Grid(3, 64), 0), (Grid(2, 64), 1)]:
        chosen_path().launch(SCHEDULE, grid, [1], device, 5)
    cuts = [(2, 64, 0, 0, 0), (3, 64, 0, 0, 0), (2, 64, 0, 0, 1)]
    assert cuda.prepared == [("push_weights<double>", *cut) for cut in cuts]
    assert cuda.calls == [(b"\1" + bytes(7), 5)] * 4
    monkeypatch.setattr(_paths, "_PREPARED", 3)
    chosen_path().launch(SCHEDULE, Grid(9, 64), [1], 0, 5)
    assert len(chosen_path()._prepared) == 1  # what was kept went first


@pytest.mark.parametrize("value", [np.float32(0.5), "7", None, 1j])
def test_what_is_no_word_is_not_cut_to_one(value, monkeypatch):
    without(monkeypatch, _cuda=FakeCuda())
    with pytest.raises(TypeError):
        chosen_path().launch(SCHEDULE, Grid(1, 32), [value], 0, 0)


def test_what_was_not_compiled_ahead_says_how_to_get_it(monkeypatch):
    without(monkeypatch, _cuda=FakeCuda())
    with pytest.raises(ValueError, match=r"^_cuda: other<float, 4> was not compiled; need .*=jit"):
        chosen_path().launch(Schedule("other", ("float", "4")), Grid(1, 32), [], 0, 0)
    assert chosen_path().facts(3).name == "fake 3"


def fake_cupy(kernel_call, log):
    """What AtRunTime asks of CuPy, on no GPU."""

    class Kernel:
        max_dynamic_shared_size_bytes = 0

        def __setattr__(self, name, value):
            log.append((name, value))
            super().__setattr__(name, value)

        def __call__(self, grid, block, arguments, shared_mem):
            log.append((grid, block, arguments, shared_mem, self.max_dynamic_shared_size_bytes))
            kernel_call()

    class Entered:
        def __init__(self, given):
            self.given = given

        def __enter__(self):
            log.append(self.given)

        def __exit__(self, *_):
            log.append("left")

    def raw_module(code, options, name_expressions):
        log.append((code, options, name_expressions))
        return types.SimpleNamespace(get_function=lambda name: Kernel())

    def from_external(stream):
        return Entered(stream.__cuda_stream__())

    names = ("multiProcessorCount", "l2CacheSize", "sharedMemPerBlockOptin")
    facts = {"name": b"x", "major": 9, "minor": 0, **dict.fromkeys(names, 132)}
    facts |= {"sharedMemPerMultiprocessor": 228 << 10, "maxThreadsPerMultiProcessor": 2048}
    runtime = types.SimpleNamespace(
        getDeviceProperties=lambda device: facts, memGetInfo=lambda: (1, 2)
    )
    stream = types.SimpleNamespace(from_external=from_external)
    cuda = types.SimpleNamespace(Device=Entered, Stream=stream, runtime=runtime)
    return types.SimpleNamespace(
        cuda=cuda, float64=np.float64, uint64=np.uint64, RawModule=raw_module
    )


def test_cupy_gets_the_sources_the_words_and_the_callers_stream(monkeypatch):
    log = []
    without(monkeypatch, "theorylab._cuda", cupy=fake_cupy(lambda: None, log))
    schedule = Schedule("push_mix_tiles", ("float", "4"), (64, 0))
    chosen_path().facts(1)
    log.clear()
    for _ in range(2):
        chosen_path().launch(schedule, Grid(3, 64, 50_000), [-1, 2**63 + 1, 0.5], 1, 2**47)
    source = (_paths.SOURCE, _paths.options(), [schedule.kernel])
    half = np.uint64(0x3FE0000000000000)  # the bits of .5
    arguments = (np.uint64(2**64 - 1), np.uint64(2**63 + 1), half)
    call = ((3,), (64,), arguments, 50_000, 50_000)
    around = [1, (0, 2**47)]
    asked = [("max_dynamic_shared_size_bytes", 50_000), ("preferred_shared_memory_carveout", 22)]
    once, again = [*around, source, *asked, call], [*around, call]
    assert log == [*once, "left", "left", *again, "left", "left"]
    assert [type(word) for word in log[5][2]] == [np.uint64] * 3


def test_a_failed_launch_through_cupy_names_the_kernel(monkeypatch):
    class DriverError(Exception):
        pass

    def refuse():
        raise DriverError("CUDA_ERROR_INVALID_VALUE")

    without(monkeypatch, "theorylab._cuda", cupy=fake_cupy(refuse, []))
    with pytest.raises(RuntimeError, match=r"^push_weights<double> on Grid.*INVALID_VALUE$"):
        chosen_path().launch(SCHEDULE, Grid(1, 32), [], 0, 0)
