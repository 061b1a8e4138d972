"""What PDBO's hypergradient has beside the layers' own gradient, against difference quotients."""

import numpy as np
import pytest

from theorylab.experiments import experiment

PLACE = {
    "problem": {"clients": 3, "dim": 2, "hyper": 2, "seed": 1},
    "network": {"name": "sto-d", "seed": 2},
}


def losses(one, x, lam):
    """(1/n) sum_i f_i(x_i, lambda_i)."""
    p = one.at.problem
    terms = np.einsum("nx,nxy,ny->", x, p.H, x) / 2
    return (terms - np.einsum("nx,nx->", x, p.b + np.einsum("nxl,nl->nx", p.G, lam))) / p.clients


def test_it_is_the_derivative_less_its_direct_part():
    one = experiment("own-layers", place=PLACE)
    at, p, step, worst = one.at, one.at.problem, 1e-4, 0.0

    def point(lam):
        pushed = (p.b + np.einsum("nxl,nl->nx", p.G, lam)).sum(axis=0)
        return np.tile(np.linalg.solve(p.H.sum(axis=0), pushed), (3, 1))

    x = point(at.lam)
    for entry in range(at.lam.size):
        move = np.zeros(at.lam.size)
        move[entry] = step
        up, down = (at.lam + sign * move.reshape(at.lam.shape) for sign in (1, -1))
        # both are quadratic in lambda: the central difference has no error but rounding
        whole = (losses(one, point(up), up) - losses(one, point(down), down)) / (2 * step)
        direct = (losses(one, x, up) - losses(one, x, down)) / (2 * step)
        worst = max(worst, abs(whole - direct))
    found = one.observe("at_optimum", range(1), 0).rows[0].values[0]
    assert found == pytest.approx(worst, abs=1e-10)
    assert worst < 1e-9


def test_bad_input_is_one_line():
    with pytest.raises(ValueError, match="topology: no 'no-such'") as caught:
        experiment("own-layers", place={**PLACE, "network": {"name": "no-such"}})
    assert "\n" not in str(caught.value)
