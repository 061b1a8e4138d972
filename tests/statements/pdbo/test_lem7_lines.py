"""The sums of line 708: four times what is printed, and no more."""

from theorylab.statements.pdbo._symbols import batch, eta_A, eta_B, kappa
from theorylab.statements.pdbo.lem7_lines import _MANY, STATEMENT

_PAIRS = {"network": {"name": "sto-u", "seed": 1}, "clients": 2, "batch": 2, "family": "aligned"}
PLANTED = {
    "3.5 times": ({"x": 3.5 * (eta_B / (kappa * batch)) ** 2}, _MANY),
    "the minibatch squared twice": ({"x": 4 * (eta_B / (kappa * batch**2)) ** 2}, _PAIRS),
    "kappa twice": ({"x": 4 * (eta_B / (kappa**2 * batch)) ** 2}, {**_PAIRS, "batch": 1}),
}


def test_planted_faults_are_refuted(missed):
    assert missed(STATEMENT, "corrected", PLANTED) == set()
    fault = {"3.5 times": ({"x": 3.5 * (eta_A / (kappa * batch)) ** 2}, _MANY)}
    assert missed(STATEMENT, "corrected/a", fault) == set()


def random_instance(rng):
    return {
        "clients": int(rng.integers(1, 5)),
        "network": [{"name": "complete"}, {"name": "sto-d"}, {"name": "sto-u"}][rng.integers(3)],
        "family": ["random", "aligned"][int(rng.integers(2))],
        "population": int(rng.integers(1, 9)),
        "batch": int(rng.integers(1, 4)),
        "dim": int(rng.integers(1, 4)),
        "terms": [1],
        "seed": int(rng.integers(99)),
    }


def test_random_instances_hold(never_violated):
    for version in ("corrected", "corrected/a"):
        assert never_violated(STATEMENT, version, random_instance, range(30)) == 1
