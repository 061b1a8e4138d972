"""(23): false with one minibatch a round, and tight with a minibatch a step."""

import itertools

import numpy as np
import pytest

from theorylab.statements.dfedpgp import _instances as made
from theorylab.statements.dfedpgp._instances import changed
from theorylab.statements.dfedpgp.eq23_descent import STATEMENT

TERMS = STATEMENT.versions["printed"].terms


def test_the_verdicts(judged):
    uphill = judged(STATEMENT)["printed/line-4", "noise-that-grows"]
    # four outcomes, xi_i = 1 or -1 of two clients, each 4 steps u -= .04 (u + 10 xi cos u), by hand
    ends, away = [], []
    for xi in itertools.product((1, -1), repeat=2):
        path = [np.array([2.0, 2.0])]
        for _ in range(4):
            path.append(path[-1] - 0.04 * (path[-1] + 10 * np.array(xi) * np.cos(path[-1])))
        ends.append(path[-1].mean())
        away.append(sum(((u - 2) ** 2).mean() for u in path[:-1]))
    ends = np.array(ends)
    assert uphill.measured == pytest.approx((ends**2).mean() / 2 - 2, rel=1e-12)
    bound = -0.04 * 2 * 4 + 0.02 * np.mean(away) + ((ends - 2) ** 2).mean() / 2
    assert uphill.bound == pytest.approx(bound, rel=1e-12)


def test_planted_errors_are_refuted(missed):
    variants = {
        "the whole descent, twice": {**TERMS, "descent": TERMS["descent"] * 2.01},
        "no T_2u": {**TERMS, "T_2u": 0 * TERMS["T_2u"]},
        "half of T_2u": {**TERMS, "T_2u": TERMS["T_2u"] / 2},
    }
    noise = changed(made.FORTY_STEPS, batch="per-step", steps_u=4, eta_u=1e-3)
    missing = missed(STATEMENT, "printed", variants, extra=[noise])
    assert missing == set()


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "printed", range(1, 41, 2), rounds=3) >= 10
