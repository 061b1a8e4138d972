"""Equation (13): read again, faults planted, random instances."""

import mpmath
import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.eq13 import CORRECTED, STATEMENT, U_PRINTED
from theorylab.verdicts.sweep import Sweep


def test_terms_read_again_from_the_paper(one_round):
    u_gain = (-0.5 * 3 / 2 + 2 * 0.25 * 3 * 2 + 18 * 0.25 * 9 * (2 + 0.5 * 4) / 0.25) * 9
    by_hand = {
        "u gain": u_gain,
        "u noise": 2 * 0.25 * 3 * 2 * 100,
        "consensus": 9 * 0.25 * 9 * (2 + 0.5 * 4) / 0.25 * 100,
    }
    assert {k: float(evaluate(v, one_round)) for k, v in U_PRINTED.items()} == by_hand


FAR = {**made.FAR, "x0": [1.0, 0.0]}
# below the cap by half, twice the tilt: the clients wander as far
WIDE = made.changed({**made.TILTED, "problem": {
    **made.TILTED["problem"], "a": [[-26601.57], [25398.43]]}}, eta_u=1.24e-8)  # fmt: skip
REST = made.changed({**made.SIGNS, "x0": 0.0, "problem": made.scalars(
    1, 1.0, 1.0, sigma_u=1.0, noise="rademacher"), "topology": made.COMPLETE, "clients": 1},
    eta_u=1e-3)  # fmt: skip

SHARES, REST_OF_IT = Sweep.of("here", made.TILTED_SHARES)


@pytest.mark.parametrize(
    ("tilted", "y"),
    [
        (made.TILTED_FAR, 0.02352),
        (SHARES.at("here", REST_OF_IT, 0.1), 0.02352),
        (SHARES.at("here", REST_OF_IT, 0.01), 0.002352),
    ],
)
def test_the_tilted_counterexample_in_fifty_digits(tilted, y):
    problem, steps = tilted["problem"], tilted["algorithm"]
    K = steps["steps_u"]
    with mpmath.workdps(50):
        A, r, eta = (mpmath.mpf(x) for x in (problem["A"], problem["r"], steps["eta_u"]))
        a = [mpmath.mpf(row[0]) for row in problem["a"]]
        start = mpmath.mpf(tilted["x0"][0])

        def F(u):
            return sum(A / 2 * (u - c) ** 2 for c in a) / 2 + r * (1 - mpmath.cos(u))

        u = [start] * 2
        for _ in range(K):
            u = [x - eta * (A * (x - c) + r * mpmath.sin(x)) for x, c in zip(u, a, strict=True)]
        center, L = sum(a) / 2, A + r
        slope = A * (start - center) + r * mpmath.sin(start)
        diversity = sum((A * (c - center)) ** 2 for c in a) / 2
        # lambda = 0: complete averaging; 1/(3 sqrt 2) = .2357 is the cap
        assert float(eta * K * L) == pytest.approx(y, rel=1e-9)
        ripple = 2 + eta * L**2
        gain = -eta * K / 2 + 2 * eta**2 * K * L + 18 * eta**2 * K**2 * ripple
        noise = 2 * eta**2 * K * L + 9 * eta**2 * K**2 * ripple
        assert F(sum(u) / 2) - F(start) > 0 > gain * slope**2 + noise * diversity


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(CORRECTED)
    # Not refuted: the disagreement's factor; the drift's, but for 1/50 and less.
    faults = {
        "three times the gain": (scaled(u_gain=3), FAR),
        "K^2 in the gain": (scaled(u_gain=s.K_u), made.changed(FAR, steps_u=5, eta_u=0.01)),
        "no u noise": (scaled(u_noise=0, drift=0), REST),
        "a quarter of the u noise": (scaled(u_noise=0.25, drift=0), REST),
        "no drift": (scaled(drift=0), WIDE),
        "a fiftieth of the drift": (scaled(drift=0.02), WIDE),
        "drift with K^2": (scaled(drift=1 / s.K_u), WIDE),
    }  # fmt: skip
    assert missed(STATEMENT, "corrected", faults) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "corrected", range(count), cap=0.5) > 0.9
