"""SGP's mean squares against its own rounds, drawn many times, and against sums written out."""

import itertools

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.hypergradients.edge_law import matrices

PROBLEM = {"clients": 3, "dim": 1, "hyper": 1, "seed": 1, "noise": 0.3}
PAIRED = {"name": "sto-u", "weights": "constant", "seed": 2}


def values(column, **options):
    made = experiment("sgp-approach", problem=PROBLEM, **options)
    return made, [row.values[0] for row in made.observe(column, range(1), 0).rows]


@pytest.mark.parametrize("variant", ["4a", "4b"])
def test_z_is_that_of_sgps_own_rounds(variant):
    """4000 runs: a mean square is off by some 1 / sqrt(4000) of itself, five times that allowed."""
    one, (mean_square,) = values("z", network=PAIRED, variant=variant, rounds=[6], start=2.0)
    at, runs = one.at, np.arange(4000)
    z = np.full((len(runs), 3, 1), 2.0)
    ones, lam = np.ones((len(runs), 3)), np.broadcast_to(at.lam, (len(runs), 3, 1))
    for t in range(6):
        sample = at.problem.sample(5, runs, t)
        z = at.sgp.round(at.problem, matrices(at.network, t, runs), z, ones, lam, sample)
    squares = ((z - one.point.z) ** 2).sum(axis=(1, 2))
    assert abs(squares.mean() - mean_square) < 5 * squares.std() / np.sqrt(len(runs))
    assert mean_square > 0


def test_omega_is_the_sum_over_all_sequences_of_two_rounds():
    network = {"name": "sto-d", "seed": 2}
    one, (square,) = values("omega", network=network, rounds=[2])
    total = 0.0
    for (p, P), (q, Q) in itertools.product(zip(one.chance, one.P, strict=True), repeat=2):
        total += p * q * ((Q @ P @ np.ones(3) - one.point.omega) ** 2).sum()
    assert square == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize(
    ("column", "options"),
    [
        ("omega", {"network": {"name": "sto-d", "seed": 2}}),
        ("z", {"network": PAIRED}),
        ("z", {"network": PAIRED, "variant": "4a", "start": 3.0}),
    ],
)
def test_the_limit_is_where_the_rounds_lead(column, options):
    _, (late,) = values(column, rounds=[400], **options)
    _, (limit,) = values(f"{column}_limit", rounds=[400], **options)
    assert limit > 0.01
    assert late == pytest.approx(limit, rel=1e-10)


def test_static_rounds_lead_to_the_point():
    network = {"name": "star", "weights": "uniform"}
    for column in ("omega", "omega_limit"):
        made, (square,) = values(column, network=network, rounds=[200])
        assert square <= made.constants()["omega_room"].value
    _, (first, later) = values("omega_mean", network=network, rounds=[1, 20])
    assert 0 < later < 1e-3 * first


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rounds": [0]}, "need integers >= 1"),
        ({"problem": {"clients": 6, "dim": 3, "hyper": 1}}, "at most 16 numbers"),
    ],
)
def test_bad_input_is_one_line(options, says):
    with pytest.raises(ValueError, match=says) as caught:
        experiment("sgp-approach", **options)
    assert "\n" not in str(caught.value)


def test_z_needs_weights_that_keep_omega_and_a_step_that_stays_bounded():
    with pytest.raises(ValueError, match="rows always sum to 1"):
        values("z", network={"name": "sto-d", "seed": 2})
    with pytest.raises(ValueError, match="mean squares to stay bounded"):
        values("z", network=PAIRED, step=5.0)
