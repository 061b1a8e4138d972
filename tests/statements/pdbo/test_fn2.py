"""At alpha = 1, and at beta = 0, the error has a floor; in between it goes below it."""

import pytest

from theorylab.experiments import experiment
from theorylab.statements import Check
from theorylab.statements.pdbo.fn2 import ONE_RANDOM_EDGE, SGP_4B, STATEMENT
from theorylab.verdicts import judge_check


@pytest.mark.parametrize("p", [0.01, 0.5, 0.99, 0.9999])
@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0])
def test_it_holds_however_rare_the_chance_is(p, beta):
    instance = {
        **ONE_RANDOM_EDGE,
        **{"beta": beta, "terms": [1, 2, 5]},
        "network": {"name": "sto-d", "probabilities": [[1, p], [1, 1]]},
    }
    for version in ("printed", "printed/through-a"):
        assert judge_check(STATEMENT, version, Check("p", instance)).verdict == "HOLDS"


RARE = {"name": "sto-d", "probabilities": [[1, 0.1], [1, 1]]}
OUTSIDE = {  # what is assumed is needed: without it the error falls below the floor
    "printed": {**ONE_RANDOM_EDGE, "alpha": 0.5, "beta": 0.9, "network": RARE},
    "printed/beta": {**SGP_4B, "alpha": 0.7, "beta": 0.5},
}


@pytest.mark.parametrize("version", OUTSIDE)
def test_between_the_ends_the_floor_is_broken(version, missed):
    told = STATEMENT.versions[version]
    kept = tuple(a for a in told.assumes if not a.name.startswith("footnote"))
    instance = {**OUTSIDE[version], "terms": [6]}
    assert missed(STATEMENT, version, {"free": {"assumes": kept}}, at=instance) == set()


def test_the_floors_are_those_of_one_coin_by_hand():
    # one random edge 1 -> 0 with chance p: u_1 reaches 0 through delta / p, of variance (1-p)/p
    one = experiment("hgp-error", **{**ONE_RANDOM_EDGE, "terms": [2]})
    p, maps, law = 0.5, one.local, one.edges
    c1 = maps.c_y[1]
    kick = law.mean[1, 0] * ((1 - p) / p) ** 0.5  # pbar of 0 -> 1, answered by 1 -> 0
    into_B = kick * maps.phi_lam[0, 0] @ c1
    through_A = one.B[:, :2] @ (kick * maps.phi_y[0, 0] @ c1)
    first, second = one.floors(2)
    # products of 2 x 2 matrices, numbers below 1
    assert first == pytest.approx((into_B**2).sum() ** 0.5, rel=1e-12)
    assert second == pytest.approx((through_A**2).sum() ** 0.5, rel=1e-12)


def test_where_no_edge_enters_b_the_first_floor_is_zero_and_not_a_rounding():
    network = {"name": "sto-d", "probabilities": [[1, 0.3, 0.7], [0.9, 1, 0.1], [0.6, 0.2, 1]]}
    instance = {**SGP_4B, "clients": 3, "terms": [1], "network": network}
    one = experiment("hgp-error", **instance)
    assert one.floors(1)[0] == 0.0  # Eq. (4b), full batch
    assert one.floors()[1] > 0.001
    found = judge_check(STATEMENT, "printed", Check("4b", instance))
    assert found.verdict == "ASSUMPTION_FAILS"
