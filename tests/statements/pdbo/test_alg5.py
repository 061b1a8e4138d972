"""Algorithm 5 is not Appendix B: line 22 and the second c^lambda bias it."""

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.statements.pdbo.alg5 import STATEMENT


def by_hand(p, alpha, beta, *, u_for_w, twice):
    """The mean of lines 1 to 25 for M = 3: rounds are independent, so means go through."""
    c, psi = p.c_y, np.zeros_like(p.A_bar)
    if p.sgp.variant == "4b":
        H = np.diag(p.problem.H[:, 0, 0])  # d psi = -step H / omega, one number a client
        psi = -p.sgp.steps(len(c))[:, None] * H / p.point.omega
    phi = p.A_bar - psi
    v, u, w = (p.c_lam if twice else 0 * p.c_lam), c, c
    for _ in range(3):
        v = alpha * (v + p.B_bar @ u) + (1 - alpha) * p.B_bar @ w  # lines 12, 13
        after = phi @ u + psi @ u  # lines 21, 23
        moved = phi @ (u if u_for_w else w) + psi @ w  # lines 22, 24
        u, w = after, beta * (moved + c) + (1 - beta) * (w + after)
    wanted = p.B_bar @ (c + p.A_bar @ c + p.A_bar @ p.A_bar @ c)
    return np.abs(v - wanted).max()


@pytest.mark.parametrize("name", ["sto-d", "sto-d-4a"])
@pytest.mark.parametrize("version", ["printed", "printed/line22", "printed/c-twice"])
def test_the_bias_is_that_of_the_printed_lines_by_hand(version, name):
    check = next(c for c in STATEMENT.versions[version].checks if c.name == name)
    one = experiment("hgp-unbiased", **check.instance)
    wanted = by_hand(
        one.at, 0.6, 0.3, u_for_w=version != "printed/c-twice", twice="22" not in version
    )
    found = one.observe("bias", range(1), 0).rows[0].values[0]
    assert wanted > 0.001
    assert abs(found - wanted) <= 1e-12  # 1024 outcomes of numbers of order 1
