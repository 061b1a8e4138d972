"""DFedAlt's constants of an instance, by hand."""

import math

import numpy as np
import pytest

from theorylab.constants import Bench, dfedalt_constants, paper_constants
from theorylab.problems import problem
from theorylab.topologies import topology

START = np.array([[0.7, 0.2], [-0.1, 0.4]])
STEPS = {"eta_u": 0.1, "eta_v": 0.2, "steps_u": 2, "steps_v": 1, "batch": "per-step"}
EDGES = [[0, 0, 0.75], [1, 1, 0.75], [0, 1, 0.25], [1, 0, 0.25]]
COUPLED = {
    "name": "coupled-quadratic",
    **{"A": [[[1.0]]] * 2, "B": [[[2.0]]] * 2, "C": [[[0.4]]] * 2},
    **{"a": [[1.0], [-2.0]], "b": [[0.5], [3.0]]},
}
RIPPLED = {"name": "rippled", "r": 0.0, "a": [[0.0]] * 2, "b": [[0.0]] * 2}


def bench(losses, *, network=None, steps=None, start=START, **noise):
    options = {**losses, **noise}
    made = problem(options.pop("name"), len(start), **options)
    network = network or {"name": "edge-list", "edges": EDGES}
    graph = topology(
        network["name"], len(start), **{k: v for k, v in network.items() if k != "name"}
    )
    return Bench(made, graph, {**STEPS, **(steps or {})}, start, 1)


def test_constants_of_a_pair():
    known = dfedalt_constants(bench(COUPLED))
    # W - P has the eigenvalue 1 - 2/4; LAPACK's room is 16 eps
    assert known["dfedalt_lambda"].value == pytest.approx(0.5, rel=1e-13)
    assert known["dfedalt_start_spread"].value == pytest.approx(0.16, rel=1e-15)
    # ubar = .3: (.49/2 + .09 + .4 * .21 + 2.3^2/2 + 2.6^2 - .4 * 2.3 * 2.6)/2
    F = (0.245 + 0.09 + 0.084 + 2.645 + 6.76 - 2.392) / 2
    assert known["dfedalt_F_start"].value == pytest.approx(F, rel=1e-14)
    assert known["dfedalt_fresh"].value == known["dfedalt_definition"].value == 1
    assert math.isinf(known["dfedalt_delta"].value)  # coupled, and V is any
    assert (known["dfedalt_K_u"].value, known["dfedalt_K_v"].value, known["n"].value) == (2, 1, 2)
    assert known["rho"].value == 0
    assert [known[f"dfedalt_{L}"].value for L in ("L_u", "L_v", "L_vu")] == [1.0, 2.0, 0.4]


FREE = {**COUPLED, "C": [[[0.0]]] * 2}
WIDE = {**FREE, "C": [[[0.0], [0.0]]] * 2, "a": [[0.0, 0.0]] * 2}


@pytest.mark.parametrize(
    ("losses", "holds"),
    [
        (FREE, 1),
        ({**FREE, "sigma_u": 1.0, "noise": "two-point", "chance": 0.5}, 1),
        ({**WIDE, "A": [[[3.0, 0.0], [0.0, 3.0]]] * 2}, 1),
        ({**WIDE, "A": [[[3.0, 0.0], [0.0, 2.0]]] * 2}, 0),
        ({**FREE, "A": [[[1.0]], [[2.0]]]}, 0),
        (COUPLED, 0),
        ({**FREE, "sigma_u": 1.0, "noise": "state", "length": 1.0}, 0),
        (RIPPLED, 0),
    ],
)
def test_one_slope_is_of_uncoupled_equal_multiples_of_i(losses, holds):
    start = np.zeros((2, len(losses["a"][0]) + 1))
    assert dfedalt_constants(bench(losses, start=start))["dfedalt_one_slope"].value == holds


def test_equal_starts_have_no_spread_to_the_bit():
    start = np.full((3, 2), 0.1)  # whose mean is not .1
    network = {"name": "complete"}
    losses = {"name": "rippled", "a": [[0.0]] * 3, "b": [[0.0]] * 3}
    known = dfedalt_constants(bench(losses, network=network, start=start))
    assert known["dfedalt_start_spread"].value == 0


def test_one_minibatch_a_round_is_fresh_without_noise_alone():
    noise = {"sigma_u": 1.0, "noise": "rademacher"}
    steps = {"batch": "per-round"}
    assert dfedalt_constants(bench(COUPLED, steps=steps))["dfedalt_fresh"].value == 1
    assert dfedalt_constants(bench(COUPLED, steps=steps, **noise))["dfedalt_fresh"].value == 0
    assert dfedalt_constants(bench(COUPLED, **noise))["dfedalt_fresh"].value == 1


def test_samples_are_as_smooth_as_their_noise():
    state = {"sigma_u": 0.6, "noise": "state", "length": 0.25}
    known = dfedalt_constants(bench(COUPLED, **state))
    assert known["dfedalt_L_sample"].value == pytest.approx(1 + 0.6 / 0.25, rel=1e-14)
    signs = dfedalt_constants(bench(COUPLED, sigma_u=0.6, noise="rademacher"))
    assert signs["dfedalt_L_sample"].value == 1.0  # a shift


def test_diversity_with_own_points_is_an_upper_bound_where_it_depends_on_u():
    sine = {"name": "sin-sin", "dim_u": 1, "dim_v": 1}
    for losses, how in ((RIPPLED, "exact"), (sine, "upper")):
        known = dfedalt_constants(bench(losses))
        assert known["dfedalt_delta"].how == how
        assert known["dfedalt_delta_one"].how == "exact"


def test_both_papers_have_the_same_and_rho_is_dfedsalts():
    one = bench(RIPPLED, steps={"rho": 0.3})
    assert paper_constants("dfedalt", one, {"dfedalt_L_u"}) == paper_constants(
        "dfedsalt", one, {"dfedalt_L_u"}
    )
    assert paper_constants("dfedsalt", one, {"dfedalt_L_u"})["rho"].value == 0.3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"losses": {"name": "log-cosh", "dim": 2}}, "log-cosh has no personal part"),
        ({"network": {"name": "random-out", "degree": 1}}, "changes from round to round; need one"),
        ({"steps": {"steps_u": [1, 2]}}, r"steps_u is \[1, 2\]; need one for all clients"),
    ],
)
def test_an_instance_without_these_constants_is_one_line(changes, message):
    with pytest.raises(ValueError, match=message) as error:
        dfedalt_constants(bench(**{"losses": RIPPLED, **changes}))
    assert "\n" not in str(error.value)
