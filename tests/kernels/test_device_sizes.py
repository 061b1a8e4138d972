"""Memory, sizes past 2^31 and failed launches, on a fake CuPy whose arrays have no memory."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from theorylab.kernels import push_mix
from theorylab.kernels._device import DeviceArrays
from theorylab.kernels._paths import Facts, Grid, Schedule, emulated
from theorylab.kernels._push_mix_device import push_mix_on_device

P = csr_array(np.eye(3))


def call(x, w, out=None):
    return push_mix(P, x, w, out=out)


def test_too_little_memory_is_one_line_before_anything_is_allocated(cupy, recorder, monkeypatch):
    monkeypatch.setattr(cupy, "empty", None)
    with pytest.raises(MemoryError) as error:
        call(cupy.ndarray((3, 2**32)), cupy.ndarray((3,)))
    need = 4 * (2 * 3 * 2**32 + 3)
    assert str(error.value) == (
        f"push_mix: the results need {need} bytes, but GPU 0 has {2**36 + 1000} left; need fewer "
        "runs, fewer coordinates or float32"
    )


def small(free):
    return Facts("small", 90, 1, 1, 1 << 12, 1 << 13, free, 1 << 20)


def test_results_that_just_fit_run():
    x, w = np.ones((3, 8), np.float32), np.ones(3, np.float32)
    with emulated(facts=small(204)):
        call(x, w)  # 96 + 12 + 96 bytes
    with emulated(facts=small(203)), pytest.raises(MemoryError, match=r"need 204 bytes.* 203 left"):
        call(x, w)


def test_edges_that_do_not_fit_are_refused_in_one_line():
    x, w = np.ones((3, 1), np.float32), np.ones(3, np.float32)  # results of 3 * 12 bytes
    with emulated(facts=small(55)) as path, pytest.raises(MemoryError) as error:
        push_mix(csr_array(np.eye(3)), x, w)  # a matrix that no call kept
    assert str(error.value).startswith("push_mix: P's edges need 56 bytes, but GPU 0 has 55 left;")
    assert not path.launched


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("runs", "n", "d"),
    [(3, 3, 2**30), (1, 3, 2**33 + 1), (2**31 + 5, 3, 1), (7, 3, 3 * 2**28), (2**32, 3, 0)],
)
def test_sizes_past_2_to_31_run_and_no_word_is_cut(runs, n, d, dtype, cupy, recorder):
    big = (runs, n, d), dtype
    x, w = cupy.ndarray(*big), cupy.ndarray((runs, n), dtype)
    out = cupy.ndarray(*big), cupy.ndarray((runs, n), dtype), cupy.ndarray(*big)
    assert push_mix(P, x, w, out=out) == out
    for schedule, grid, words, device, stream in recorder.launched:
        assert words[:2] == [runs, n]
        assert all(type(word) is int and 0 <= word < 2**63 for word in words)
        assert 1 <= grid.blocks < 2**31
        assert grid.threads <= 1024
        assert grid.shared <= recorder.facts(0).shared
        assert (device, stream) == (0, 99)
        if schedule.name != "push_weights":
            assert words[2] == d
            assert {x.data.ptr, out[0].data.ptr, out[2].data.ptr} <= set(words)
    assert {s.name for s, *_ in recorder.launched} & {"push_mix_tiles", "push_mix_gather"} or not d


def test_a_client_number_past_2_to_31_is_refused(cupy, recorder, monkeypatch):
    with pytest.raises(ValueError, match=f"n={2**31}.*need at most {2**31 - 1} clients on a GPU"):
        push_mix_on_device(
            [(np.zeros(0), np.zeros(0), np.zeros(0))],
            False,
            cupy.ndarray((2**31, 1)),
            cupy.ndarray((2**31,)),
            None,
            {},
        )
    assert not recorder.launched


@pytest.mark.parametrize("error", [RuntimeError, ValueError])
def test_a_failed_launch_names_the_kernel(error, cupy, recorder):
    recorder.refuse = error("push_mix_tiles<float, 4> on 3 blocks: out of resources")
    text = "push_mix: the launch failed: push_mix_tiles<float, 4> on 3 blocks: out of resources"
    with pytest.raises(RuntimeError) as caught:
        call(cupy.ndarray((3, 8)), cupy.ndarray((3,)))
    assert str(caught.value) == text


def test_an_emulated_fault_names_the_schedule_and_the_kernel():
    with emulated():
        x = np.ones((3, 8))
        arrays = DeviceArrays("push_mix", "x", x)
        with pytest.raises(
            RuntimeError, match=r"push_mix: the launch failed.*_weights<float>.*got 0"
        ):
            arrays.launch(Schedule("push_weights", ("float",)), Grid(1, 32))


def test_what_a_gpu_would_do_wrong_without_a_word_names_the_schedule():
    x = np.ones((1, 2))
    indptr, room = np.zeros(2, np.int64), np.zeros(6)
    with emulated():
        call = DeviceArrays("push_mix", "x", x)
        words = (1, 1, 2, 2, 0, indptr.ctypes.data, 0, x.ctypes.data, x.ctypes.data)
        odd = room.ctypes.data + (8 if room.ctypes.data % 16 == 0 else 0)  # 8 of 16 bytes
        schedule = Schedule("push_mix_gather", ("double", "2"))
        with pytest.raises(RuntimeError, match=r"push_mix_gather<double, 2>.*not aligned.*block 0"):
            call.launch(schedule, Grid(1, 32), *words, odd, odd)


def test_a_driver_that_is_older_than_the_build_is_told_in_one_line(cupy, recorder, monkeypatch):
    def facts(device):
        raise RuntimeError("cuda: CUDA driver version is insufficient for CUDA runtime version")

    monkeypatch.setattr(recorder, "facts", facts)
    with pytest.raises(RuntimeError) as error:
        call(cupy.ndarray((3, 8)), cupy.ndarray((3,)))
    assert str(error.value) == (
        "push_mix: GPU 0 cannot be used: cuda: CUDA driver version is insufficient for CUDA "
        "runtime version"
    )
    assert not recorder.launched


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize(
    ("name", "shared", "line"),
    [
        ("push_weights", (99 << 10) + 1, r"push_weights<float> on .*a block has at most 101376 b"),
        ("no_such_name", 0, r"_emulated: no schedule is named no_such_name<float>$"),
    ],
)
def test_what_cannot_be_launched_names_the_kernel(name, shared, line, listed):
    w = np.ones(3, np.float32)

    def run():
        arrays.launch(Schedule(name, ("float",)), Grid(1, 32, shared))
        arrays.run(None, None, [], [], False)

    with emulated(facts=Facts("ada", 89, 4, 1 << 20, 99 << 10, 100 << 10, 1 << 40, 1 << 40)):
        arrays = DeviceArrays("push_mix", "w", w, listed)
        with pytest.raises(RuntimeError, match=rf"^push_mix: the launch failed: {line}"):
            run()


def test_results_come_from_the_library_that_gave_x(cupy, recorder):
    x1, w1, z1 = call(cupy.ndarray((3, 8)), cupy.ndarray((3,)))
    assert (x1.shape, w1.shape, z1.shape) == ((3, 8), (3,), (3, 8))
    assert {type(a) for a in (x1, w1, z1)} == {cupy.ndarray}
    with emulated():
        made = call(torch.ones(3, 8), torch.ones(3))
    assert all(isinstance(a, torch.Tensor) and a.dtype == torch.float32 for a in made)
