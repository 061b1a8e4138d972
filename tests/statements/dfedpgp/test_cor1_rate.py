"""The rate: bounded growth along every sweep, and controls that fail."""

import dataclasses

import pytest

from theorylab.constants import topology_constants
from theorylab.statements import Check, evaluate
from theorylab.statements.dfedpgp import _instances as made
from theorylab.statements.dfedpgp import _symbols as pgp
from theorylab.statements.dfedpgp._orders import CORRECTED, LATE, PRINTED
from theorylab.statements.dfedpgp.cor1_rate import STATEMENT
from theorylab.symbols import C, T, delta, q
from theorylab.topologies import topology
from theorylab.verdicts import judge_check
from theorylab.verdicts.sweep import Sweep

CONTENT = STATEMENT.versions["printed"]


def windowed(**order):
    """As a claim about the window: nothing is proved against an order that is true."""
    changed = dataclasses.replace(CONTENT.order, window=True, **order)
    content = dataclasses.replace(CONTENT, order=changed)
    return dataclasses.replace(STATEMENT, versions={"window": content})


def test_the_bracket_squared_grows_by_its_missing_power():
    steeper = windowed(bracket=CONTENT.order.bracket**2)
    found = judge_check(steeper, "window", Check("squared", made.IN_T))
    plain = judge_check(STATEMENT, "printed", Check("plain", made.IN_T))
    # the bracket falls as T^-1/2, so its square loses sqrt(10) a decade
    assert abs(found.measured / plain.measured - 10**0.5) < 0.03
    assert found.verdict == "VIOLATED"


def test_slower_growth_claims_are_refuted(missed):
    bound = CONTENT.terms["bounded"]
    variants = {f"times {k}/10": {"bounded": bound * k / 10} for k in (3, 5, 6, 7, 8)}
    assert missed(windowed(), "window", variants) == set()


def test_steps_of_ones_own_are_not_the_corollarys():
    for factor, verdict in (("1", "HOLDS"), ("1.000001", "ASSUMPTION_FAILS")):
        text = f"{factor}*dfedpgp_c_u/(L_u*steps_u*sqrt(at))"
        sweep = {**made.IN_T["sweep"], "set": {**made.IN_T["sweep"]["set"]}}
        sweep["set"]["algorithm.eta_u"] = text
        found = judge_check(STATEMENT, "printed", Check("own", {**made.IN_T, "sweep": sweep}))
        assert found.verdict == verdict, found.reason


NUMBERS = {
    **{C: 2, q: 0.5, delta: 0.5, T: 100, pgp.unit: 1, pgp.K_u: 5, pgp.K_v: 4},
    **{pgp.L_u: 2, pgp.L_v: 8, pgp.L_uv: 1, pgp.L_vu: 2},
    **{pgp.sigma_u: 1, pgp.sigma_v: 3, pgp.sigma_g: 2},
    **{pgp.f_first: 11, pgp.f_start: 11, pgp.f_best: 1, pgp.start_spread: 0.625},
}


def test_the_brackets_are_the_papers_by_hand():
    # chi^2 = 4/16, C^2/(1-q)^2 = 16, sigma_u^2 + sigma_g^2 = 5
    first = 10 + 9 * 9 + (1 / 10 + 8 / 4 * 16 / 2) * 5
    late = [16 / 2 * 5 / 100, (4 / 10 + 16 / 10) * 5 / 1000]
    assert float(evaluate(LATE, NUMBERS)) == pytest.approx(sum(late), rel=1e-14)
    assert float(evaluate(PRINTED, NUMBERS)) == pytest.approx(first / 10 + sum(late), rel=1e-14)
    # L^2 C^2 S_0/(1-q^2) = 36 * 0.625/(15/16) = 24, over sqrt T as the left side is
    want = (10 + 1 / 10 + 9 / 32) / 10 + ((4 + 16) * 5 + 24) * (1 / 2 + 4 / 32) / 100
    numbers = {**NUMBERS, C: 3, q: 0.25}
    assert float(evaluate(CORRECTED, numbers)) == pytest.approx(want / 10, rel=1e-14)


@pytest.mark.parametrize("inverse", [1.0, 2.0, 16.0])
def test_a_lopsided_pair_has_the_delta_it_is_made_for(inverse):
    sweep, rest = Sweep.of("here", made.IN_DELTA)
    instance = sweep.at("here", rest, inverse)
    options = dict(instance["topology"])
    network = topology(options.pop("name"), 2, **options)
    P = network.matrix(0, 0).toarray()
    assert P.sum(axis=0) == pytest.approx([1, 1], abs=0)
    assert P.trace() == 1.5  # the other eigenvalue is 1/2
    # the tail that is bounded for all rounds leaves a millionth
    assert topology_constants(network, 100)["delta"].value == pytest.approx(1 / inverse, rel=1e-6)
    assert instance["at"] == [round(100 * (inverse / 2) ** 2)]
    assert instance["rounds"] == instance["at"][0] + 1
