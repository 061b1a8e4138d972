"""The printed bracket is left behind as alpha -> 1; with K/a~ it is not."""

import math
from dataclasses import replace

import pytest

from theorylab.statements import Check, evaluate
from theorylab.statements.dfedsgpsm import cor1_growth as cor1
from theorylab.statements.dfedsgpsm._instances import COR1_GROWTH_TO_ONE as TO_ONE
from theorylab.statements.dfedsgpsm._symbols import start_sq
from theorylab.statements.dfedsgpsm.cor1_growth import STATEMENT
from theorylab.symbols import B, C, K, L, T, alpha, delta, f0, f_star, q, sigma_g, sigma_l, x0_sq
from theorylab.verdicts import judge_check

SMALL = {**TO_ONE, "sweep": {**TO_ONE["sweep"], "values": [2**0.5, 2.0, 2**1.5]}}
TWO = {"clients": 2, "topology": {"name": "directed-ring"}}
LONG = {  # 256 rounds of 40 steps: L eta a~ may be above 1
    "algorithm": {**TO_ONE["algorithm"], "local_steps": 40},
    "sweep": {
        **SMALL["sweep"],
        "set": {**SMALL["sweep"]["set"], "algorithm.eta": "0.025/sqrt(rounds)"},
    },
}
ONE_CLIENT = {
    **{L: 1, B: 1, sigma_l: 0, sigma_g: 0, C: 0, q: 0, delta: 1, x0_sq: 0},
    **{K: 1, f0: 0.5, f_star: 0},
}


def judged_at(instance, version="printed", **changes):
    content = replace(STATEMENT.versions[version], **changes)
    planted = replace(STATEMENT, versions={version: content})
    return judge_check(planted, version, Check("planted", instance))


def test_the_verdicts(judged):
    # 10 in the limit; steeper while the bracket's other terms fade, flatter while a~ still grows
    for check, room in (("momentum-to-one", 0.05), ("three-clients", 0.15)):
        found = judged(STATEMENT)["printed", check]
        assert found.measured == pytest.approx(10, rel=room)
        assert "which outgrows the bracket" in found.reason


@pytest.mark.parametrize(("gap", "rounds"), [(0.5, 256), (0.25, 65536)])
def test_the_brackets_are_the_papers(gap, rounds):
    numbers = {**ONE_CLIENT, alpha: 1 - gap, T: rounds}
    rest = (((1 - gap) / gap) ** 2 + 1 / rounds) / rounds + 1 / rounds
    for bracket, first in ((cor1.PRINTED, gap), (cor1.CORRECTED, 1.0)):
        by_hand = first * 0.5 / math.sqrt(rounds) + rest
        assert float(evaluate(bracket, numbers)) == pytest.approx(by_hand, rel=1e-14)


@pytest.mark.parametrize("rounds", [16, 100, 4096])
@pytest.mark.parametrize("center", [0.25, 1.0, 4.0])
@pytest.mark.parametrize(("steps", "a"), [(1, 0.9), (2, 0.5), (3, 0.99), (7, 0.999)])
def test_the_lower_bound_is_below_what_one_client_does(rounds, center, steps, a):
    x, total, step = 0.0, 0.0, 1 / (steps * math.sqrt(rounds))
    for _ in range(rounds):
        v, total = 0.0, total + math.tanh(x - center) ** 2
        for _ in range(steps):
            v = a * v + math.tanh(x - center)
            x -= step * v
            assert x <= center + 1e-12  # no local step passes the minimizer
    start = math.log(math.cosh(center))
    numbers = {L: 1, K: steps, T: rounds, f0: start, f_star: 0, start_sq: center**2}
    assert float(evaluate(cor1.DESCENT.lower, numbers)) < total / rounds


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (TWO | {"x0": [[0.0], [0.1]]}, "the lower bound needs Eq(dfedsgpsm_one_walk, 1)"),
        (TWO | {"problem": {"name": "log-cosh", "centers": [[8.0], [7.0]]}}, "one_walk, 1)"),
        ({"clients": 6, "topology": {"name": "random-out", "degree": 2}}, "one_walk, 1)"),
        ({"problem": {"name": "clipped-linear", "dim": 1, "center": 2.0}}, "one_walk, 1)"),
        ({"algorithm": {**TO_ONE["algorithm"], "rho": 0.1}}, "Eq(rho, 0)"),
        ({"algorithm": {**TO_ONE["algorithm"], "local_steps": 2}}, "eta is not 1/(K*L*sqrt(T))"),
        (LONG, "T >= (K + 1)**2/4"),
        ({"algorithm": {**TO_ONE["algorithm"], "decay": 0.999}}, "Eq(decay, 1)"),
    ],
)
def test_where_the_proof_does_not_apply_nothing_is_refuted(change, why):
    found = judged_at({**SMALL, **change})
    assert found.verdict == "INCONCLUSIVE"
    assert why in found.reason


@pytest.mark.parametrize("share", ["0.9*1/sqrt(rounds)", "0.5/rounds"])
def test_other_steps_are_not_the_proofs(share):
    sweep = {**SMALL["sweep"], "set": {**SMALL["sweep"]["set"], "algorithm.eta": share}}
    found = judged_at({**SMALL, "sweep": sweep})
    assert found.verdict == "INCONCLUSIVE"
    assert "eta is not 1/(K*L*sqrt(T))" in found.reason


def test_a_corrected_bracket_without_its_constant_grows_on_the_window():
    # the printed first term in the corrected one's place, as a claim about the window
    order = replace(STATEMENT.versions["corrected"].order, bracket=cor1.PRINTED, window=True)
    assert judged_at(TO_ONE, "corrected", order=order).verdict == "VIOLATED"
