"""Lemma 1: an equality, so that everything smaller is refuted."""

from fractions import Fraction

import pytest

from theorylab.experiments import experiment
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt._symbols import lam
from theorylab.statements.dfedalt.lem1 import STATEMENT
from theorylab.statements.dfedsgpsm._symbols import t
from theorylab.symbols import matrix_rounding as room

PAIR = {**made.NETWORK, "topology": made.pair(0.125), "clients": 2, "powers": 12}


def test_powers_of_a_pair_are_the_fractions():
    rows = experiment("network-matrices", **PAIR).observe("norms", range(1), 0).rows
    for k, row in enumerate(rows, start=1):
        # W - P has the eigenvalue 3/4 on (1, -1); entries are dyadic, the norm is LAPACK's
        assert row.values[0] == pytest.approx(float(Fraction(3, 4) ** k), rel=1e-14)


def test_smaller_bounds_are_refuted(missed):
    faults = {
        "lambda^(2t)": ({"p": lam ** (2 * t), "r": room}, PAIR),
        "lambda^(t+1)": ({"p": lam ** (t + 1), "r": room}, PAIR),
        "(1-lambda)^t": ({"p": (1 - lam) ** t, "r": room}, PAIR),
        "lambda^t/2": ({"p": lam**t / 2, "r": room}, PAIR),
        "lambda^t/t": ({"p": lam**t / t, "r": room}, PAIR),
        ".999 lambda^t": ({"p": 0.999 * lam**t, "r": room}, PAIR),
    }
    assert missed(STATEMENT, "printed", faults) == set()


def test_other_matrices_meet_it(never_violated):
    def make(draw):
        n = int(draw.integers(2, 9))
        name = ("ring", "path", "star", "complete")[int(draw.integers(4))]
        weights = {} if name == "complete" else {"weights": "metropolis"}
        return {**made.NETWORK, "topology": {"name": name, **weights}, "clients": n}

    assert never_violated(STATEMENT, "printed", make, range(20)) == 1
