"""The quotient grows like omega^-2."""

import numpy as np
import pytest

from theorylab.experiments import experiment


@pytest.mark.parametrize("variant", ["4a", "4b"])
def test_the_quotient_is_step_times_the_hessian_over_two_omega_squared(variant):
    made = experiment("sgp-smoothness", omega=[1.0, 0.01], sgp={"step": 0.3, "variant": variant})
    rows = made.observe("quotient", range(1), 0).rows
    norms = [np.linalg.norm(H, 2) for H in made.problem.H]
    wanted = [0.3 * norm / (2 * w * w) for w in (1.0, 0.01) for norm in norms]
    # differences of 1 and 1 / omega cancel two digits in (4a)
    assert [row.values[0] for row in rows] == pytest.approx(wanted, rel=1e-13)


def test_the_quotient_is_at_least_the_witness_s_bound_and_passes_every_constant():
    made = experiment("sgp-smoothness", omega=[10.0**-k for k in range(7)])
    known = made.constants()
    values = [row.values[0] for row in made.observe("quotient", range(1), 0).rows]
    assert min(values[-2:]) >= known["eta"].value * known["mu"].value / 2 * 1e12 * (1 - 1e-9)
    assert known["L_y"].value == np.inf


def test_a_probe_that_is_not_positive_gets_one_line():
    with pytest.raises(ValueError, match=r"^sgp-smoothness: omega is \[0.0\]; need numbers > 0$"):
        experiment("sgp-smoothness", omega=[0.0])
