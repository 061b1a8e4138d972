"""local_steps' GPU schedules, run as loops: the host's bits, whatever the cut and the order."""

import functools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.kernels import ClientLosses, _device
from theorylab.kernels import _local_steps_device as module
from theorylab.kernels._local_steps_plan import ROWS, plan
from theorylab.kernels._paths import ORDERS, Facts, emulated

FAMILIES = ("logistic", "softmax", "dense", "diagonal", "log-cosh", "clipped")
DTYPES = (np.float32, np.float64)
SIZES = np.array([13, 1, 17, 9])
RUNS = np.array([5, 0, 2**32 - 1])
COUNTS = np.array([[3, 0, 1, 2], [3, 3, 3, 3], [0, 1, 2, 3]])


def tables(family, size, dtype, batch=7, columns=3, exact=False, reg=0.125):
    """Client losses of 4 clients, one of them with one sample; ``exact``: data are float32's."""
    rng = np.random.default_rng(size)
    c = rng.standard_normal((4, size)).astype(dtype)
    if family in ("logistic", "softmax"):
        C = 1 if family == "logistic" else columns
        X = rng.standard_normal((40, size)).astype(np.float32 if exact else dtype).astype(dtype)
        labels = rng.integers(0, max(C, 2), 40)
        return ClientLosses.regression(X, labels, SIZES, columns=C, batch=batch, reg=reg)
    if family == "dense":
        half = rng.standard_normal((4, size, size)).astype(dtype)
        return ClientLosses.quadratic(half + half.transpose(0, 2, 1), c, 0.5)
    if family == "diagonal":
        return ClientLosses.quadratic(c * c, c, 0.5)
    clip = 0.5 if family == "clipped" else None
    return ClientLosses.separable(c, scale=1.5, noise=0.5, clip=clip)


def state(table, runs=3):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((runs, 4, table.dim)).astype(table.dtype)
    w = (rng.random((runs, 4)) + 0.5).astype(table.dtype)
    w[0, 1] = 1  # where x / w is skipped
    return x, w


def go(table, x, w, runs=RUNS, counts=None, **options):
    options = {"steps": 3, "eta": 0.01, "alpha": 0.9, "rho": 0.1, **options}
    return table.local_steps(x, w, seed=2**63 + 9, runs=runs, round=4, counts=counts, **options)


def facts(shared, processors=2):
    return Facts("small", 90, processors, 1 << 12, shared, 2 * shared + 2048, 1 << 40, 1 << 40)


def kind(made, model):
    """What a cut is: what stays in shared memory, and how rows travel."""
    if made.pairs or made.passes:
        return "pairs" if made.pairs else "passes"
    cut = made.cut
    rows = "whole" if cut.group >= model.rows and cut.chunk >= model.width else "groups"
    rows = rows if cut.chunk >= model.width else "pieces"
    where = "near" if cut.kept else "halved" if cut.near else "far"
    return f"{where} {rows if model.family in ROWS else 'slopes'}"


@functools.cache
def cuts(family, size, dtype, rho, batch=7):
    """One device for every kind of cut that some size of shared memory leads to."""
    model = module.model_of(tables(family, size, dtype, batch)._table, rho != 0)
    found = {}
    for shared in range(60_000, 500, -500):
        try:
            made = plan(4, model, facts(shared, 1))
        except ValueError:
            break
        found.setdefault(kind(made, model), facts(shared, 1))
    return found


@pytest.fixture
def guarded(monkeypatch):
    """Fresh memory that plays the GPU's has 64 guard bytes on each side, checked at the end."""
    rooms = []

    def empty(self, shape, dtype, device):
        size = int(np.prod(shape)) * dtype.itemsize
        room = np.full(size + 128 + 64, 0xFF, np.uint8)
        start = -room.ctypes.data % 64 + 64
        rooms.append((room, start, size))
        return room[start : start + size].view(dtype).reshape(shape)

    monkeypatch.setattr(_device.Host, "empty", empty)
    yield
    for room, start, size in rooms:
        assert np.all(room[:start] == 0xFF)
        assert np.all(room[start + size :] == 0xFF)


EXPECTED = {  # by whether the family adds rows
    True: {"near whole", "near groups", "halved groups", "far pieces"},
    False: {"pairs", "near slopes", "passes"},
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("family", FAMILIES)
def test_bits_are_the_hosts_for_every_cut_in_every_order(family, dtype, guarded):
    rows = family in ("logistic", "softmax", "dense")
    size = 70 if rows else 301
    table = tables(family, size, dtype, 19)
    x, w = state(table, 1)
    before = x.tobytes(), w.tobytes()
    seen = set()
    for rho in (0.0, 0.1):
        want = go(table, x, w, RUNS[:1], COUNTS[:1], rho=rho)
        for number, (name, device) in enumerate(cuts(family, size, dtype, rho, 19).items()):
            seen.add(name)
            for order in ORDERS if rho else ORDERS[number % 3 :][:1]:
                with emulated(order, device) as path:
                    got = go(table, x, w, RUNS[:1], COUNTS[:1], rho=rho)
                assert got.tobytes() == want.tobytes(), (name, order)
                first = path.launched[0][0].name.removeprefix("local_steps_")
                assert first == {"pairs": "pairs", "passes": "pass"}.get(name, "blocks")
    assert seen >= EXPECTED[rows]
    assert (x.tobytes(), w.tobytes()) == before


@settings(max_examples=50)
@given(
    family=st.sampled_from(FAMILIES),
    size=st.integers(1, 70),
    dtype=st.sampled_from(DTYPES),
    batch=st.sampled_from([None, 1, 2, 5, 33]),
    columns=st.integers(2, 6),
    exact=st.booleans(),
    reg=st.sampled_from([0.0, 0.5]),
    alpha=st.sampled_from([0.0, 0.7]),
    rho=st.sampled_from([0.0, 0.2]),
    steps=st.integers(0, 4),
    shared=st.integers(5_000, 30_000),
    processors=st.integers(1, 7),
    order=st.sampled_from(ORDERS),
    fewer=st.booleans(),
)
def test_bits_hold_for_any_size_and_device(
    family, size, dtype, batch, columns, exact, reg, alpha, rho, steps, shared, processors, order,
    fewer,
):  # fmt: skip
    table = tables(family, size, dtype, batch, columns, exact, reg)
    x, w = state(table)
    options = {"alpha": alpha, "rho": rho, "steps": steps}
    options["counts"] = np.minimum(COUNTS, steps) if fewer else None
    want = go(table, x, w, **options)
    with emulated(order, facts(shared, processors)):
        assert go(table, x, w, **options).tobytes() == want.tobytes()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_batch_is_its_runs_and_a_longer_list_of_clients_changes_nothing(family):
    table = tables(family, 20, np.float64)
    x, w = state(table)
    with emulated(0, facts(4_000)):
        whole = go(table, x, w, counts=COUNTS)
        for r in range(3):
            own = slice(r, r + 1)
            one = go(table, x[own], w[own], RUNS[own], COUNTS[own])
            assert one.tobytes() == whole[own].tobytes()


def test_data_that_float32_holds_exactly_are_read_as_such():
    for exact in (True, False):
        table = tables("logistic", 33, np.float64, exact=exact)
        x, w = state(table)
        want = go(table, x, w)
        with emulated() as path:
            assert go(table, x, w).tobytes() == want.tobytes()
        assert path.launched[0][0].types[:2] == ("double", "float" if exact else "double")


def same(got, want):
    """The same bits, or NaN in both: IEEE 754 leaves a NaN's sign and payload open."""
    return (got.view(np.uint8) == want.view(np.uint8)).reshape(*got.shape, -1).all(axis=-1) | (
        np.isnan(got) & np.isnan(want)
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_nan_and_inf_stay_with_their_client_and_a_weight_of_zero_passes_through(family):
    table = tables(family, 20, np.float64)
    x, w = state(table)
    x[0, 0, 3], x[1, 2, 5], w[2, 3] = np.nan, np.inf, 0
    rows = family in ("logistic", "softmax", "dense")
    for rho, shared in ((0.1, 5_000), (0.0, 5_000), (0.1, 5_000 if rows else 900)):
        with np.errstate(all="ignore"):
            want = go(table, x, w, rho=rho)
        with emulated(0, facts(shared)):
            got = go(table, x, w, rho=rho)
        assert same(got, want).all(), rho
        assert np.isfinite(got).any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("family", FAMILIES)
def test_tensors_give_a_tensor_with_the_hosts_bits(family, dtype):
    table = tables(family, 33, dtype)
    x, w = state(table)
    want = go(table, x, w, counts=COUNTS)
    with emulated(0, facts(6_000)):
        got = go(table, *map(torch.from_numpy, (x, w)), counts=COUNTS)
    assert isinstance(got, torch.Tensor)
    assert got.numpy().tobytes() == want.tobytes()


def test_no_rows_no_runs_no_steps():
    table = tables("softmax", 9, np.float64)
    x, w = state(table)
    with emulated() as path:
        assert go(table, x[:0], w[:0], RUNS[:0]).shape == (0, 4, 27)
        assert not path.launched
        assert go(table, x, w, steps=0).tobytes() == x.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("family", FAMILIES)
def test_gradients_of_points_on_the_gpu_are_the_hosts(family, dtype):
    table = tables(family, 33, dtype)
    x, _ = state(table)
    want = table.gradients(x)
    for order, shared in ((1, 3_000), (2, 30_000)):
        with emulated(order, facts(shared)):
            assert table.gradients(x).tobytes() == want.tobytes()
    with emulated(), pytest.raises(ValueError, match="rows or noise came with x on a GPU"):
        table.gradients(x, noise=np.zeros(x.shape))
