"""Assumptions 8 and 9: no SGP satisfies them, whatever its step."""

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.statements import BUILT_IN, Check
from theorylab.statements.pdbo._instances import NOISY, STO_D, STO_U, place
from theorylab.verdicts import judge_check


@pytest.mark.parametrize("step", [1e-6, 0.1, 0.5])
@pytest.mark.parametrize("variant", ["4a", "4b"])
@pytest.mark.parametrize("number", [8, 9])
def test_no_step_helps_sgp(number, step, variant):
    statement = BUILT_IN[f"pdbo.asm{number}"]
    options = {**place(NOISY, STO_D, variant, step), "constants": {"eta_A": 0.999999}}
    found = judge_check(statement, "printed/sgp", Check("step", options))
    assert found.verdict == "UNSATISFIABLE"
    assert "by no instance of SGP, Eq. (4a)/(4b): " in found.reason
    assert judge_check(statement, "printed", Check("step", options)).verdict == "ASSUMPTION_FAILS"
    assert found.constants["phi_slope"]["value"] >= 1
    assert found.constants["kappa"]["value"] >= 3


@pytest.mark.parametrize("variant", ["4a", "4b"])
def test_the_jacobian_of_phi_is_its_difference_quotient(variant):
    # phi_i(z, omega) = (z - a grad f_i(z/omega), omega) or (z, omega), inputs as rows
    p = experiment("pdbo-stationary", **place(NOISY, STO_U, variant)).at
    i, h = 1, 1e-6
    H, b = p.problem.H[i], p.problem.b[i] + p.problem.G[i] @ p.lam[i]

    def phi(y):
        pull = 0.3 * (H @ (y[:2] / y[2]) - b)
        return np.append(y[:2] - (pull if variant == "4a" else 0), y[2])

    at = np.append(p.point.z[i], p.point.omega[i])
    quotient = [(phi(at + h * e) - phi(at - h * e)) / (2 * h) for e in np.eye(3)]
    # h^2 / 6 times a third derivative of order 10, and rounding u / h times 10
    np.testing.assert_allclose(p.full()[0][i], quotient, rtol=0, atol=1e-8)
