"""What local_steps on a GPU takes: data that are there, one upload, one line for bad input."""

import numpy as np
import pytest
import torch

from theorylab.kernels import ClientLosses, _device
from theorylab.kernels._paths import Facts, emulated

SIZES = np.array([5, 1, 3])
RUNS = np.array([4, 0])
COUNTS = np.array([[2, 0, 1], [3, 3, 3]])
RNG = np.random.default_rng(3)
LABELS = np.array([0, 1, 1, 0, 1, 1, 0, 1, 1])
H = RNG.standard_normal((3, 5, 5))
H = H + H.transpose(0, 2, 1)
C = RNG.standard_normal((3, 5))


def made(family, dtype=np.float64, p=5, put=np.ascontiguousarray):
    """``put``: what the data are, arrays or tensors."""
    X = put(np.random.default_rng(1).standard_normal((9, p)).astype(dtype))
    h, c, diagonals = (put(a.astype(dtype)) for a in (H, C, H[:, 0]))
    options = {"columns": 3 if family == "softmax" else 1, "batch": 4, "reg": 0.1}
    return {
        "logistic": lambda: ClientLosses.regression(X, LABELS, SIZES, **options),
        "softmax": lambda: ClientLosses.regression(X, LABELS, SIZES, **options),
        "full": lambda: ClientLosses.regression(X, LABELS, SIZES, **options | {"batch": None}),
        "dense": lambda: ClientLosses.quadratic(h, c, 0.3),
        "diagonal": lambda: ClientLosses.quadratic(diagonals, c, 0.3),
        "log-cosh": lambda: ClientLosses.separable(c, scale=1.5, noise=0.3),
        "clipped": lambda: ClientLosses.separable(c, scale=1.5, noise=0.3, clip=0.6),
    }[family]()


FAMILIES = ("logistic", "softmax", "full", "dense", "diagonal", "log-cosh", "clipped")


def start(table):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((2, 3, table.dim)).astype(table.dtype)
    return x, (rng.random((2, 3)) + 0.5).astype(table.dtype)


def go(table, x, w, **options):
    options = {"steps": 3, "eta": 0.1, "alpha": 0.8, "rho": 0.3, "runs": RUNS, **options}
    return table.local_steps(x, w, seed=7, round=3, **options)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("family", FAMILIES)
def test_data_on_the_gpu_give_the_bits_of_data_from_the_host(family, dtype):
    for p in (5, 8):
        table = made(family, dtype, p)
        x, w = start(table)
        want = go(table, x, w, counts=COUNTS)
        with emulated():
            there = made(family, dtype, p, torch.from_numpy)
            assert (there.clients, there.dim, there.dtype) == (3, table.dim, dtype)
            assert there.batch == table.batch
            got = go(there, torch.from_numpy(x), torch.from_numpy(w), counts=COUNTS)
        assert got.numpy().tobytes() == want.tobytes()
        with pytest.raises(TypeError, match="x is ndarray, but the data are on a GPU") as error:
            there.gradients(x)
        assert "\n" not in str(error.value)


def test_labels_of_data_on_the_gpu_may_stay_on_the_host():
    table = made("softmax")
    x, w = start(table)
    want = go(table, x, w)
    X = np.random.default_rng(1).standard_normal((9, 5))
    for labels in (LABELS, torch.from_numpy(LABELS)):
        with emulated():
            there = ClientLosses.regression(
                torch.from_numpy(X), labels, SIZES, columns=3, batch=4, reg=0.1
            )
            got = go(there, torch.from_numpy(x), torch.from_numpy(w))
        assert got.numpy().tobytes() == want.tobytes()


def test_rows_that_start_on_a_packet_are_not_copied():
    with emulated():
        for p, copied in ((8, False), (5, True)):
            X = torch.from_numpy(np.random.default_rng(1).standard_normal((9, p)))
            options = {"columns": 1, "batch": 4, "reg": 0.1}
            rows = ClientLosses.regression(X, LABELS, SIZES, **options)._table.rows
            assert (rows.data_ptr() != X.data_ptr()) == copied
            assert torch.equal(rows[:, :p], X)
            assert not rows[:, p:].any()


def test_what_stays_equal_goes_up_once(monkeypatch):
    sent = []
    upload = _device.Torch.upload

    def counted(self, array, device):
        sent.append(array.nbytes)
        return upload(self, array, device)

    monkeypatch.setattr(_device.Torch, "upload", counted)
    table = made("logistic")
    x, w = map(torch.from_numpy, start(table))
    with emulated():
        go(table, x, w, counts=COUNTS)
        first = len(sent)
        assert first == 6  # rows, labels, starts, sizes; runs, counts
        go(table, x, w, counts=COUNTS.copy(), eta=0.2)
        assert len(sent) == first
        go(table, x, w, counts=COUNTS - 1 + (COUNTS == 0))
        assert len(sent) == first + 1
        go(table, x, w, runs=RUNS + 1)
        assert len(sent) == first + 2


def test_ids_and_counts_may_be_on_the_gpu_and_a_count_past_the_steps_is_the_steps():
    table = made("dense")
    x, w = start(table)
    want = go(table, x, w, counts=COUNTS)
    wild = np.where(COUNTS == 3, 99, np.where(COUNTS == 0, -5, COUNTS))
    with emulated():
        got = go(
            table, *map(torch.from_numpy, (x, w)),
            runs=torch.from_numpy(RUNS), counts=torch.from_numpy(wild),
        )  # fmt: skip
    assert got.numpy().tobytes() == want.tobytes()


def test_a_call_is_one_kernel_on_the_callers_stream(cupy, recorder):
    table = made("logistic")
    x, w = cupy.ndarray((2, 3, 5), np.float64), cupy.ndarray((2, 3), np.float64)
    out = go(table, x, w)
    assert isinstance(out, cupy.ndarray)
    assert (out.shape, out.dtype) == ((2, 3, 5), np.float64)
    ((schedule, grid, words, device, stream),) = recorder.launched
    assert (schedule.name, grid.blocks, device, stream) == ("local_steps_blocks", 6, 0, 99)
    assert {x.data.ptr, w.data.ptr, out.data.ptr} <= set(words)
    assert all(type(word) in (int, float) for word in words)


def test_large_models_get_work_space_for_the_blocks_that_run_together(cupy, recorder):
    rows = np.zeros((2, 100_000), np.float32)
    labels, counts = np.zeros(2, np.int64), np.ones(2, np.int64)
    table = ClientLosses.regression(rows, labels, counts, columns=1, batch=None, reg=0.0)
    sizes = (50_000, 2, 100_000), (50_000, 2)
    x, w = (cupy.ndarray(size, np.float32) for size in sizes)
    go(table, x, w, runs=np.arange(50_000))
    ((_, grid, *_),) = recorder.launched
    assert grid.blocks == 2 * 132
    apart = ClientLosses.separable(rows, scale=1.0, noise=1.0)
    go(apart, x, w, runs=np.arange(50_000), rho=0.0)
    assert recorder.launched[-1][0].name == "local_steps_pairs"


BAD = {
    "dtype": (lambda t, x, w: go(t, x.float(), w), TypeError, "x has dtype float32; need float64"),
    "int": (lambda t, x, w: go(t, x.long(), w), TypeError, "x has dtype int64; need float32 or"),
    "shape": (
        lambda t, x, w: go(t, x[:, 1:].clone(), w),
        ValueError,
        r"x has shape .*need \(R,3,5\)",
    ),
    "flat": (lambda t, x, w: go(t, x[0], w), ValueError, r"x has shape .*need \(R,3,5\)"),
    "strided": (
        lambda t, x, w: go(t, x.mT.contiguous().mT, w),
        ValueError,
        "x is not C-contiguous; copy it first",
    ),
    "w": (lambda t, x, w: go(t, x, w[:, 1:].clone()), ValueError, r"w has shape .*need \(2,3\)"),
    "w host": (lambda t, x, w: go(t, x, w.numpy()), TypeError, "w is numpy.ndarray.*one library"),
    "w kind": (lambda t, x, w: go(t, x, w.float()), TypeError, "w has dtype torch.float32"),
    "runs": (lambda t, x, w: go(t, x, w, runs=RUNS - 1), ValueError, "runs have shape .* R=2 ids"),
    "few runs": (lambda t, x, w: go(t, x, w, runs=torch.tensor([1])), ValueError, r"runs have sh"),
    "real runs": (lambda t, x, w: go(t, x, w, runs=w[:, 0]), TypeError, "runs has dtype .*int64"),
    "counts": (lambda t, x, w: go(t, x, w, counts=COUNTS + 1), ValueError, "each 0 to 3"),
    "steps": (lambda t, x, w: go(t, x, w, steps=-1), ValueError, "steps is -1; need 0 <= steps"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_line_before_any_launch(case):
    function, error, message = BAD[case]
    table = made("logistic")
    x, w = map(torch.from_numpy, start(table))
    with emulated() as path, pytest.raises(error, match=message) as caught:
        function(table, x, w)
    assert str(caught.value).startswith("local_steps: ")
    assert "\n" not in str(caught.value)
    assert not path.launched


BAD_DATA = {
    "sizes": (lambda: regression(sizes=SIZES + 1), ValueError, "sizes sum to 12"),
    "no rows": (lambda: regression(sizes=np.array([9, 0])), ValueError, "the least is 0"),
    "size kind": (lambda: regression(sizes=[9]), TypeError, "sizes are list; need a NumPy"),
    "labels": (lambda: regression(labels=LABELS + 1), ValueError, "label 2 came; need 0 to 1"),
    "below": (lambda: regression(labels=-LABELS), ValueError, "label -1 came; need 0 to 1"),
    "few": (lambda: regression(labels=LABELS[1:]), ValueError, r"labels have shape \(8,\)"),
    "batch": (lambda: regression(batch=0), ValueError, "batch is 0; need 1 to 16777216"),
    "H": (lambda: quadratic(H[:, :2].copy(), C), ValueError, "H has shape"),
    "mixed": (lambda: ClientLosses.quadratic(torch.from_numpy(H), C, 0.0), TypeError, "one libra"),
    "centers": (
        lambda: ClientLosses.separable(torch.from_numpy(C[0]), scale=1, noise=0),
        ValueError,
        "centers have shape",
    ),
    "inputs": (lambda: regression(inputs=5), ValueError, "inputs 5 came"),
}


def regression(**options):
    options = {"labels": LABELS, "sizes": SIZES, "columns": 1, "batch": 4, "reg": 0.1, **options}
    return ClientLosses.regression(torch.ones((9, 5), dtype=torch.float64), **options)


def quadratic(*data):
    return ClientLosses.quadratic(*map(torch.from_numpy, data), 0.0)


def test_arrays_given_where_points_play_a_gpus_are_still_the_hosts():
    with emulated():
        table = made("softmax")
        x, w = start(table)
        assert table.values(x).shape == (2, 3)
        assert isinstance(go(table, torch.from_numpy(x), torch.from_numpy(w)), torch.Tensor)


@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data_on_the_gpu_are_refused_in_one_line(case):
    function, error, message = BAD_DATA[case]
    with emulated(), pytest.raises(error, match=message) as caught:
        function()
    assert str(caught.value).startswith("local_steps: ")
    assert "\n" not in str(caught.value)


def test_too_little_memory_is_one_line_before_any_launch():
    table = made("dense")
    x, w = (np.repeat(a, 10, axis=0) for a in start(table))
    for free, what in ((1079, "the client losses need 1080 b"), (1080, "the results need 2400 b")):
        facts = Facts("small", 90, 1, 1, 1 << 14, 1 << 15, free, 1 << 20)
        with emulated(facts=facts) as path, pytest.raises(MemoryError, match=what):
            go(table, x, w, runs=np.arange(20))
        assert not path.launched
