"""The last sum of Theorem 11's proof tends to 1/(1 - eta_A)."""

from fractions import Fraction

import pytest

from theorylab.experiments import experiment
from theorylab.statements.pdbo._symbols import eta_A
from theorylab.statements.pdbo.thm11_sum import STATEMENT, TO_ONE

PLANTED = {
    "a root": ({"x": (1 - eta_A) ** -0.5}, TO_ONE),
    "a hundredth less": ({"x": 0.99 / (1 - eta_A)}, TO_ONE),
}


def test_planted_faults_are_refuted(missed):
    assert missed(STATEMENT, "corrected", PLANTED) == set()


@pytest.mark.parametrize("last", [1, 2, 5])
def test_the_sum_is_the_printed_quotient(last):
    a, b, eta = Fraction(3, 5), Fraction(1, 4), Fraction(1, 2)
    g = 1 - b + b * eta
    wanted = sum((1 - a) * b * (a**k - g**k) / (a - g) for k in range(1, last + 1))
    options = {"eta": [0.5], "alpha": 0.6, "beta": 0.25, "last": last}
    found = experiment("hgp-series", **options).observe("bias_sum", range(1), 0).rows[0]
    assert found.values[0] == pytest.approx(float(wanted), rel=1e-14)


def test_random_instances_hold(never_violated):
    def make(rng):
        return {
            "eta": sorted(float(x) for x in rng.uniform(0.01, 0.99, 3)),
            "alpha": float(rng.uniform(0.01, 0.99)),
            "beta": float(rng.uniform(0.01, 0.99)),
            "last": int(rng.integers(1, 3000)),
        }

    assert never_violated(STATEMENT, "corrected", make, range(60)) == 1
