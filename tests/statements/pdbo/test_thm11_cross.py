"""Line 869 for B fails for one client, and with a round's edges."""

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo._symbols import L_lambda, edge_spread, eta_B, kappa, y_gap
from theorylab.statements.pdbo.thm11_cross import ALONE, RARE_EDGE, STATEMENT
from theorylab.symbols import n
from theorylab.verdicts import judge_check

_ONE = eta_B * L_lambda * y_gap
VERY_RARE = {
    **RARE_EDGE,
    "network": {"name": "sto-d", "probabilities": [[1, 1e-3], [1, 1]]},
}
PLANTED = {
    "kappa dropped": ({"x": _ONE}, RARE_EDGE),
    "the one dropped": ({"x": kappa * _ONE}, ALONE),
    "half of it with n": ({"x": (1 + n) * _ONE / 2}, VERY_RARE),
    "root of kappa": ({"x": (1 + kappa**0.5) * _ONE}, VERY_RARE),
    "another root": ({"x": (1 + edge_spread**0.25) * _ONE}, VERY_RARE),
    "half of it": ({"x": (1 + edge_spread**0.5) * _ONE / 2.01}, ALONE),
    "n for kappa": ({"x": (1 + n) * _ONE}, VERY_RARE),
}


def test_planted_faults_are_refuted(missed):
    assert missed(STATEMENT, "corrected", PLANTED) == set()


def test_the_printed_bound_has_n_times_the_sum_of_distances():
    found = judge_check(STATEMENT, "printed", STATEMENT.versions["printed"].checks[0])
    k = {name: known["value"] for name, known in found.constants.items()}
    assert k["y_gap"] == pytest.approx(2 * 0.2)
    assert found.bound == pytest.approx(k["eta_B"] * k["L_lambda"] * 2 * (2 * 0.2), rel=1e-12)


def random_instance(rng, least=1):
    n = int(rng.integers(least, 4))
    return {
        "clients": n,
        "network": [
            {"name": "complete"},
            {"name": "ring"},
            {"name": "sto-d", "probabilities": rng.uniform(0.01, 1, (n, n)).tolist()},
            {"name": "sto-u", "seed": int(rng.integers(50))},
        ][int(rng.integers(4))],
        "cross_level": float(rng.uniform(-1, 1)),
        "cross_slope": float(10 ** rng.uniform(-3, 3)),
        "gap": float(rng.normal() * 10 ** rng.uniform(-3, 3)),
        "eta_B": float(10 ** rng.uniform(-2, 2)),
    }


def test_random_instances_are_never_violated(never_violated):
    never_violated(STATEMENT, "corrected", random_instance, range(40))


def test_with_two_or_more_clients_the_printed_bound_holds(never_violated):
    never_violated(STATEMENT, "printed", lambda rng: random_instance(rng, 2), range(40))


@pytest.mark.slow
def test_two_hundred_random_instances_are_never_violated(never_violated):
    never_violated(STATEMENT, "corrected", random_instance, range(40, 240))


def test_one_client_is_an_equality():
    found = judge_check(STATEMENT, "corrected", Check("one", ALONE))
    assert found.measured == pytest.approx(found.bound, rel=1e-12)
    assert found.verdict == "HOLDS"
    assert "the left side equals the bound" in found.reason
