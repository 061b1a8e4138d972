"""Local steps that add rows on a GPU, run as loops: how rows and coordinates lie in a block."""

import numpy as np
import pytest

from tests.kernels.test_local_steps_device import COUNTS, DTYPES, RUNS, facts, go, state, tables
from theorylab.kernels import ClientLosses
from theorylab.kernels import _local_steps_device as module
from theorylab.kernels._local_steps_plan import Cut, Plan, step_bytes
from theorylab.kernels._paths import ORDERS, Grid, emulated


def forced(monkeypatch, table, cut, blocks=4):
    """Every later call has this cut, whatever the device."""
    shared, work = step_bytes(module.model_of(table._table, True), cut)
    made = Plan(False, cut, Grid(blocks, cut.threads, shared), work)
    monkeypatch.setattr(module, "plan", lambda *_: made)


@pytest.mark.parametrize(
    ("family", "size", "cut"),
    [
        ("dense", 20, Cut(True, True, 32, 16, 2, 32)),  # H in pieces, all its rows together
        ("softmax", 9, Cut(False, False, 16, 16, 2, 64)),  # rows in one load, the model far
        ("logistic", 9, Cut(False, False, 16, 16, 2, 64)),
        ("logistic", 9, Cut(True, True, 7, 12, 1, 32)),  # one buffer, which is filled again
        ("logistic", 9, Cut(True, True, 7, 12, 2, 96)),  # two, where one is enough
        ("softmax", 9, Cut(True, True, 3, 12, 2, 32)),  # a row left over
    ],
)
def test_bits_are_the_hosts_for_cuts_that_a_plan_seldom_makes(family, size, cut, monkeypatch):
    table = tables(family, size, np.float64)
    x, w = state(table)
    want = [go(table, x, w, counts=COUNTS, rho=rho) for rho in (0.0, 0.1)]
    forced(monkeypatch, table, cut)
    for order in ORDERS:
        with emulated(order):
            got = [go(table, x, w, counts=COUNTS, rho=rho) for rho in (0.0, 0.1)]
        assert [a.tobytes() for a in got] == [a.tobytes() for a in want], order


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [2, 3, 7])
@pytest.mark.parametrize("features", [1, 5, 8, 33])
def test_a_softmax_of_any_number_of_classes_has_the_hosts_bits(features, columns, dtype):
    table = tables("softmax", features, dtype, 7, columns)
    x, w = state(table, 2)
    want = go(table, x, w, RUNS[:2])
    for order, shared in ((0, 3_500), (2, 60_000)):  # the model far, if it can be, and near
        with emulated(order, facts(shared)):
            assert go(table, x, w, RUNS[:2]).tobytes() == want.tobytes(), shared


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_weight_of_zero_spoils_no_product_with_what_fills_a_row_up(dtype):
    table = ClientLosses.regression(
        np.ones((40, 5), dtype), np.arange(40) % 2, np.full(4, 10), columns=1, batch=7, reg=0.0
    )
    x, w = np.ones((3, 4, 5), dtype), np.zeros((3, 4), dtype)
    with np.errstate(all="ignore"):
        want = go(table, x, w, rho=0.0)
    assert np.isfinite(want).all()  # every logit is inf, every residual 0 or 1
    with emulated(1):
        assert go(table, x, w, rho=0.0).tobytes() == want.tobytes()
