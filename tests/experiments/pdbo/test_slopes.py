"""Jacobians of the local maps against difference quotients, and what is known of them."""

import numpy as np
import pytest

from theorylab.experiments import experiment

NETWORK = {"name": "sto-d", "seed": 2}
SGP = {"network": NETWORK, "problem": {"clients": 2, "dim": 2, "seed": 3}}
SINE = {"network": NETWORK, "maps": "sine", "k": 2.0}


def rows(column, **options):
    made = experiment("hgp-slopes", **options)
    return made, made.observe(column, range(1), 0).rows


@pytest.mark.parametrize("variant", ["4a", "4b"])
def test_the_quotient_is_step_times_the_hessian_over_two_omega_squared(variant):
    made, found = rows("quotient", **SGP, omega=[1.0, 0.01], step=0.3, variant=variant)
    norms = [np.linalg.norm(H, 2) for H in made.setting.problem.H]
    wanted = [0.3 * norm / (2 * w * w) for w in (1.0, 0.01) for norm in norms]
    # differences of 1 and 1 / omega cancel two digits in (4a)
    assert [row.values[0] for row in found] == pytest.approx(wanted, rel=1e-13)


def test_the_quotient_is_at_least_the_witness_s_bound_and_passes_every_constant():
    made, found = rows("quotient", **SGP, omega=[10.0**-k for k in range(7)])
    known = made.constants()
    values = [row.values[0] for row in found]
    assert min(values[-2:]) >= known["eta"].value * known["mu"].value / 2 * 1e12 * (1 - 1e-9)
    assert known["L_y"].value == np.inf


def gradient(made, i, x):
    """Of f_i with its ripple, b left out."""
    u = made.map.u[i]
    return made.map.H[i] @ x + made.map.ripple * np.sin(made.map.k * (u @ x)) / made.map.k * u


@pytest.mark.parametrize("variant", ["4a", "4b"])
def test_sgp_s_jacobian_is_the_difference_quotient_of_its_map(variant):
    made, _ = rows("quotient", **SGP, variant=variant, step=0.3, ripple=0.4, k=3.0)
    y, h = np.array([0.7, -1.1, 0.6]), 1e-6

    def moved(y):
        pull = 0.3 * gradient(made, 1, y[:2] / y[2])
        return np.append((y[:2] if variant == "4a" else 0) - pull, y[2] if variant == "4a" else 0)

    quotient = [(moved(y + h * e) - moved(y - h * e)) / (2 * h) for e in np.eye(3)]
    # h^2 / 6 times a third derivative of order 10^2, and rounding u / h times 10
    np.testing.assert_allclose(made.map.jacobian(1, 0, y), quotient, rtol=0, atol=1e-8)


def test_a_bounded_map_is_as_steep_as_it_says_and_no_steeper():
    made, found = rows("phi_slope", **SINE, amplitude=0.07)
    known, maps = made.constants(), made.map
    assert found[0].values[0] == pytest.approx(0.07, rel=1e-14)
    assert (known["phi_slope"].value, known["L_y"].value) == (0.07, 0.14)
    y, h = np.array([0.4, -0.2, 1.3]), 1e-6

    def moved(y):
        return 0.07 / 2.0 * np.sin(2.0 * (maps.u[1, 0] @ y)) * maps.v[1, 0]

    quotient = [(moved(y + h * e) - moved(y - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(maps.jacobian(1, 0, y), quotient, rtol=0, atol=1e-9)


def test_the_pairs_stay_in_the_set():
    made = experiment("hgp-slopes", **SGP, floor=0.3, reach=2.0)
    pairs = made._within(0)
    assert (pairs[..., -1] >= 0.3).all()
    assert (np.linalg.norm(pairs[..., :-1], axis=-1) <= 2.0 * (1 + 1e-15)).all()
    assert np.ptp(pairs[..., -1]) > 0.3


def test_at_the_stationary_point_of_4b_phi_is_the_identity():
    made, found = rows("phi_slope_z", **SGP, step=0.1)
    assert found[0].values[0] == made.constants()["phi_slope_z"].value == 1.0


def test_the_noise_s_cases_are_samples_and_the_steepest_counts():
    # alpha H = omega = 1 in (4a): d_z phi is -+ the noise, and 0 in the mean
    problem = {"H": [[[1.0]]] * 2, "b": [[-1.0], [1.0]], "G": [[[1.0]]] * 2, "t": [[0.0]] * 2}
    options = {"network": {"name": "complete"}, "step": 1.0, "variant": "4a"}
    for noise in (0.0, 0.1):
        _, found = rows("phi_slope_z", problem={**problem, "noise": noise}, **options)
        assert found[0].values[0] == pytest.approx(noise, abs=1e-15)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({**SGP, "omega": [0.0]}, r"omega is \[0.0\]; need numbers > 0"),
        ({**SGP, "maps": "sine"}, "need 'sgp' with one, or 'sine'"),
        ({**SGP, "ripple": 0.9}, "ripple is 0.9; need below mu"),
        ({**SINE, "k": 0.0}, "k is 0.0, amplitude 0.05; need > 0"),
        ({**SINE, "samples": 0}, "need >= 1"),
    ],
)
def test_bad_input_is_one_line(options, says):
    with pytest.raises(ValueError, match=f"^hgp-slopes: .*{says}") as caught:
        experiment("hgp-slopes", **options)
    assert "\n" not in str(caught.value)
