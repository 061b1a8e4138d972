"""Assumption 4: void on y, more than needed on z; the radius is what decides."""

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.statements.pdbo._instances import NOISY, STO_D, STO_U, place
from theorylab.statements.pdbo.asm4 import STAR


@pytest.mark.parametrize("options", [place(NOISY, STO_D), place(NOISY, STO_U, "4a"), STAR])
def test_the_full_a_bar_has_the_eigenvalue_one(options):
    one = experiment("pdbo-stationary", **options)
    found = np.linalg.eigvals(one._full())
    # a simple eigenvalue of a matrix of size N moves by some N u times its condition number
    assert np.abs(found - 1).min() < 1e-10
    on_z = np.linalg.eigvals(one.at.A_bar)
    assert np.abs(on_z).max() < 1 - 1e-3


def test_the_star_converges_with_a_norm_above_one():
    one = experiment("pdbo-stationary", **STAR)
    A = one.at.A_bar
    assert np.linalg.norm(A, 2) > 1.2
    assert np.linalg.norm(np.linalg.matrix_power(A, 1000), 2) < 1e-15
