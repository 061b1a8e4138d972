"""HGP's summands against products written out, and its radius against the moments' own."""

import itertools

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.hypergradients import coefficient_law, second_moment_radius

NOISY = {"clients": 2, "dim": 1, "hyper": 1, "seed": 1, "noise": 0.4}
PLACE = {"problem": NOISY, "network": {"name": "sto-d", "seed": 2}}


def test_a_summand_is_the_mean_over_all_products():
    one = experiment("hgp-second-moment", place=PLACE, terms=[1, 2])
    for m, row in enumerate(one.observe("summand", range(1), 0).rows, start=1):
        total = 0.0
        for way in itertools.product(range(len(one.chance)), repeat=m):
            u = one.at.c_y
            for k in way:
                u = one.A[k] @ u
            total += one.chance[list(way)].prod() * (u @ u)
        assert row.values[0] == pytest.approx(total, rel=1e-12)
        assert abs(row.values[0] - total) <= row.rounding


@pytest.mark.parametrize("step", [0.3, 0.01])
@pytest.mark.parametrize("name", ["sto-d", "sto-u"])
def test_the_radius_is_that_of_the_moments(name, step):
    problem = {**NOISY, "clients": 3, "noise": 0.0}
    place = {"problem": problem, "network": {"name": name, "seed": 1}, "step": step}
    one = experiment("hgp-second-moment", place=place)
    law = coefficient_law(one.at.network)
    told = one.constants()["second_radius"]
    assert told.lower <= second_moment_radius(one.at.linear, law) <= told.upper


def test_x_is_the_sum_over_all_lengths():
    one = experiment("hgp-second-moment", place=PLACE)
    X = term = np.eye(2)
    for _ in range(400):
        term = np.einsum("k,kba,bc,kcd->ad", one.chance, one.A, term, one.A)
        X = X + term
    assert one.constants()["lyapunov"].value == pytest.approx(np.linalg.norm(X, 2), rel=1e-9)


def test_there_is_no_x_where_the_radius_is_above_one():
    problem = {**NOISY, "clients": 3, "noise": 0.0}
    place = {"problem": problem, "network": {"name": "sto-u", "seed": 1}, "step": 0.01}
    known = experiment("hgp-second-moment", place=place).constants()
    assert known["second_radius"].lower > 1 > known["radius_A"].upper
    assert "lyapunov" not in known


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"early": 0}, "early is 0; need an integer >= 1"),
        ({"place": {**PLACE, "problem": {**NOISY, "dim": 7}}}, "at most 12 numbers"),
        ({"terms": [0]}, "need integers >= 1"),
    ],
)
def test_bad_input_is_one_line(options, says):
    with pytest.raises(ValueError, match=says) as caught:
        experiment("hgp-second-moment", **{"place": PLACE, **options})
    assert "\n" not in str(caught.value)


def test_later_terms_are_compared_as_in_the_figure_s_errors():
    problem = {**NOISY, "clients": 3, "noise": 0.0}
    network = {"name": "sto-u", "seed": 1}
    place = {"problem": problem, "network": network, "step": 0.1, "lam": 1.0}
    one = experiment("hgp-second-moment", place=place, terms=[5, 60], early=20)
    rest = {"dim": 1, "hyper": 1, "seed": 1}
    sgp = {"step": 0.1, "variant": "4b"}
    other = experiment("hgp-rmse", clients=3, network=network, terms=[60], sgp=sgp, problem=rest)
    errors = other._rmse(0.9, 0.1)
    found = [row.values[0] for row in one.observe("later", range(1), 0).rows]
    assert found == pytest.approx([errors[5] / errors[20], errors[60] / errors[20]], rel=1e-12)
