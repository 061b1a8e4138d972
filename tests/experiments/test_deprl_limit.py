"""What DePRL's left side is proved to stay above, against plain matrix powers."""

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.experiments._deprl_instance import DeprlInstance
from theorylab.experiments._deprl_limit import limit_from_below
from theorylab.statements.deprl import _instances as made

FLAT = made.RATE_RING_OF_FOUR


def limit(changes=(), alone=True, steps=None):
    options = {**FLAT, **dict(changes)}
    steps = steps or {"tau": 1}
    at = DeprlInstance(
        "test", options["problem"], options["topology"], options["clients"],
        {"alpha": 1.0, "beta": 1.0, **steps}, options["x0"],
    )  # fmt: skip
    return limit_from_below(at, alone)


def six(self_loops=False):
    """A ring of six without self-loops: eigenvalues cos(pi j/3), of modulus 1 for j = 0 and 3."""
    edges = [[i, j % 6, 0.5] for i in range(6) for j in (i + 1, i + 5)]
    return {"topology": {"name": "edge-list", "edges": edges, "self_loops": self_loops}}


def test_the_walk_is_below_the_exact_average_at_every_number_of_rounds():
    flat = made.scalars(6, 0.0, 1.0, sigma_u=3.0)
    run = {"problem": flat, "clients": 6, "algorithm": {"tau": 1}, **six()}
    P = np.zeros((6, 6))
    for i in range(6):
        P[i, (i + 1) % 6] = P[i, (i - 1) % 6] = 0.5
    counts = [2, 10, 200]
    rows = experiment("deprl-measure", **run, rounds=counts, corollary=True)
    for row, K in zip(rows.observe("distance", range(1), 0).rows, counts, strict=True):
        power, total, noise = np.eye(6), 0.0, 0.0
        for _ in range(K - 1):  # E||E(k)||^2 = beta^2 sigma^2 sum_{m<=k} ||P^m - J||_F^2
            power = P @ power
            noise += ((power - 1 / 6) ** 2).sum()
            total += noise
        by_hand = 9.0 * total / K**2  # beta^2 = 6/K, over N = 6
        assert float(row.values[0]) == pytest.approx(by_hand, rel=1e-11)
        assert by_hand >= 9 / 2 * (K - 1) / K * (1 - 1e-12)
    assert limit({**six(), "problem": flat, "clients": 6}) == 9 / 2


@pytest.mark.parametrize(
    "changes",
    [
        {"problem": made.scalars(4, 1e-9, 0.05, sigma_u=1.0)},  # curvature ends the walk
        {"problem": made.scalars(4, 0.0, 0.05)},  # no noise
        {"problem": {**made.FLAT, "noise": "common"}},  # the same for all: no deviation
        {"topology": {"name": "ring"}},  # it mixes
    ],
    ids=["curved", "quiet", "common", "mixing"],
)
def test_where_the_proof_does_not_apply_nothing_is_proved(changes):
    assert limit(changes) == 0.0


def test_heads_that_never_move_keep_their_slope():
    problem = made.scalars(4, 1.0, 2.0, b=[1.0, 1.0, 1.0, 3.0], sigma_u=1.0)
    frozen = {"problem": problem, "topology": {"name": "ring"}, "x0": 0.0}
    # the mean slope is 2 * 3/2 = 3: 9/sqrt(N)
    assert limit(frozen, alone=False, steps={"tau": 1, "head": "printed"}) == pytest.approx(4.5)
    assert limit(frozen, alone=True, steps={"tau": 1, "head": "printed"}) == 0.0
    assert limit(frozen, alone=False, steps={"tau": 2, "head": "printed"}) == 0.0
    # with a coupling phi moves the heads' slope, too
    coupled = {**frozen, "problem": {**problem, "C": [[[0.1]]] * 4}}
    assert limit(coupled, alone=False, steps={"tau": 1, "head": "printed"}) == 0.0
