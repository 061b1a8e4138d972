"""delta > 0: how small it is on ladders, and that drawn networks have none."""

import numpy as np
import pytest

from theorylab.statements.dfedsgpsm.lem3_delta import STATEMENT
from theorylab.topologies import topology


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    curve = found["printed", "ladders"].curve
    assert (curve.axis, curve.rounds) == ("clients", [4, 8, 16, 24])
    for n, measured in zip(curve.rounds, curve.measured, strict=True):
        w, least = [1.0] * n, 1.0
        for _ in range(200):
            after = [0.0] * n
            for i in range(n):
                to = {i, 0, *([i + 1] if i + 1 < n else [])}
                for j in to:
                    after[j] += w[i] / len(to)
            w, least = after, min(least, *after)
        assert measured == pytest.approx(1 / least, rel=1e-12)
    assert curve.measured[-1] > 2**24 / 24 / 2
    drawn = found["printed", "drawn"]
    assert "any number" in drawn.reason


def test_planted_errors_are_refuted(missed):
    terms = STATEMENT.versions["printed"].terms["1/delta"]
    assert missed(STATEMENT, "printed", {"a root": {"1/delta": terms ** (1 / 24)}}) == set()


def test_the_weight_of_a_drawn_client_falls_without_end():
    # what the docstring says: a round that sends nothing to i at least halves w_i, and more rounds
    # find lower ones
    network = topology("random-out", 6, degree=2, seed=1)
    w, least = np.ones(6), [1.0]
    for t in range(4000):
        P = network.matrix(t, 0)
        silent = np.diff(P.indptr) == 1
        assert ((P @ w)[silent] <= w[silent] / 2).all()
        w = P @ w
        least.append(min(least[-1], w.min()))
    assert least[4000] < least[400] < least[40]
