"""SAM over long models in passes, and what passes and pairs do in a thread: the host's bits."""

import numpy as np
import pytest

from tests.kernels.test_local_steps_device import (
    COUNTS,
    DTYPES,
    RUNS,
    facts,
    go,
    same,
    state,
    tables,
)
from theorylab.kernels import ClientLosses
from theorylab.kernels import _local_steps_plan as plans
from theorylab.kernels._paths import ORDERS, Facts, emulated

APART = ("diagonal", "log-cosh", "clipped")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 6, 33, 128, 1027])
@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_passes_have_the_hosts_bits_in_every_order(noise, d, dtype):
    c = np.random.default_rng(d).standard_normal((4, d)).astype(dtype)
    table = ClientLosses.separable(c, scale=1.5, noise=noise)
    x, w = state(table)
    for order in ORDERS:
        options = {"alpha": 0.9 * (order % 2), "counts": COUNTS if order % 3 else None}
        want = go(table, x, w, **options)
        with emulated(order, facts(100, 1 + order)) as path:
            assert go(table, x, w, **options).tobytes() == want.tobytes(), order
        names = [schedule.name for schedule, _ in path.launched]
        assert names == ["local_steps_pass", *["local_steps_squares", "local_steps_pass"] * 3]


@pytest.mark.parametrize("shared", [60_000, 200])  # a block each, and in passes
def test_a_zero_gradient_moves_nothing_under_sam(shared):
    c = np.random.default_rng(0).standard_normal((4, 5))
    table = ClientLosses.separable(c, scale=1.0, noise=0.0)
    with emulated(0, facts(shared)) as path:
        x = np.stack([c, c, c])
        assert np.array_equal(go(table, x, np.ones((3, 4)), rho=0.5), x)
    assert path.launched[0][0].name == "local_steps_" + ("pass" if shared == 200 else "blocks")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("family", ["diagonal", "log-cosh", "clipped"])
def test_points_and_weights_of_every_size_and_sign_have_the_hosts_bits(family, dtype):
    rng = np.random.default_rng(1)
    least, most = (-149, 127) if dtype == np.float32 else (-1074, 1023)
    table = tables(family, 300, dtype)

    def numbers(shape):
        size = np.ldexp(rng.random(shape) + 1, rng.integers(least, most, shape))
        return (size * rng.choice([-1.0, 0.0, 1.0], shape)).astype(dtype)

    for rho, shared in ((0.0, 9_000), (0.2, 30_000), (0.2, 5_000)):
        x, w = numbers((3, 4, 300)), np.abs(numbers((3, 4)))
        x[2] = rng.standard_normal((4, 300))  # where only the weight is far from 1
        with np.errstate(all="ignore"):
            want = go(table, x, w, rho=rho)
        with emulated(1, facts(shared)) as path:
            got = go(table, x, w, rho=rho)
        assert same(got, want).all(), path.launched[0]


@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_passes_take_clients_in_groups_where_their_work_space_would_be_large(
    noise, rooms, monkeypatch
):
    table = ClientLosses.separable(np.ones((5, 300)), scale=1.0, noise=noise)
    x, w = np.zeros((2, 5, 300)), np.ones((2, 5))
    want = go(table, x, w, RUNS[:2])
    each = 320 * (8 * bool(noise) + 16) + 16  # of one: rows of 320, two numbers of |g|
    facts = Facts("small", 90, 3, 1 << 12, 9_000, 10_000, 1 << 40, 1 << 40)
    for room, groups in ((10 * each, 1), (4 * each - 1, 4), (1, 10)):
        monkeypatch.setattr(plans, "_ROOM", room)
        plans.plan.cache_clear()
        rooms.clear()
        with emulated(0, facts) as path:
            got = go(table, x, w, RUNS[:2])
        assert got.tobytes() == want.tobytes()
        assert rooms[1].nbytes == each * -(-10 // groups)
        names = [schedule.name for schedule, _ in path.launched]
        each_group = ["local_steps_pass", *["local_steps_squares", "local_steps_pass"] * 3]
        assert names == each_group * groups
    plans.plan.cache_clear()


def test_tangents_next_to_a_tie_of_float32_round_as_the_hosts():
    # all of [0.01, 9] was looked at: these, and 16 more, a tangent within 2^-42 would round wrong
    ties = "19c6960p-7 1b46baap-7 12d5c5cp-6 1a83722p-6 16b4d58p-5 1f8ed02p-5 101e56cp-4 1532884p-4"
    least = [float.fromhex(f"0x{tie[0]}.{tie[1:]}") for tie in ties.split()]
    points = np.array([*least, 0.0, 2.0**-149, 2.0**-99, 0.1, 9.0, 30.0, np.inf], np.float32)
    x = np.stack([points, -points])[:, None, :].repeat(4, axis=1)
    table = ClientLosses.separable(np.zeros(x.shape[1:], np.float32), scale=1.0, noise=0.0)
    want = table.gradients(x)
    assert np.array_equal(want[0, 0, : len(least)], np.tanh(np.float64(least)).astype(np.float32))
    with emulated():
        assert table.gradients(x).tobytes() == want.tobytes()
