"""The printed bracket is left behind as alpha -> 1; with K/a~ it is not."""

import math
from dataclasses import replace

import pytest

from theorylab.statements import Check, evaluate
from theorylab.statements.dfedsgpsm import cor1_growth as cor1
from theorylab.statements.dfedsgpsm._symbols import start_sq
from theorylab.statements.dfedsgpsm.cor1_growth import STATEMENT, TO_ONE
from theorylab.symbols import B, C, K, L, T, alpha, delta, f0, f_star, q, sigma_g, sigma_l, x0_sq
from theorylab.verdicts import judge_check

SMALL = {**TO_ONE, "sweep": {**TO_ONE["sweep"], "values": [2**0.5, 2.0, 2**1.5]}}
ONE_CLIENT = {
    **{L: 1, B: 1, sigma_l: 0, sigma_g: 0, C: 0, q: 0, delta: 1, x0_sq: 0},
    **{K: 1, f0: 0.5, f_star: 0},
}


def judged_at(instance, version="printed", **changes):
    content = replace(STATEMENT.versions[version], **changes)
    planted = replace(STATEMENT, versions={version: content})
    return judge_check(planted, version, Check("planted", instance))


def test_the_verdicts(judged):
    found = judged(STATEMENT)["printed", "momentum-to-one"]
    # 10 in the limit; steeper while the bracket's other terms fade
    assert found.measured == pytest.approx(10, rel=0.05)
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
def test_the_lower_bound_is_below_gradient_descent(rounds, center):
    x, total, step = 0.0, 0.0, 1 / math.sqrt(rounds)
    for _ in range(rounds):
        gradient = math.tanh(x - center)
        total += gradient**2
        x -= step * gradient
    start = math.log(math.cosh(center))
    numbers = {L: 1, T: rounds, f0: start, f_star: 0, start_sq: center**2}
    assert float(evaluate(cor1.GRADIENT_DESCENT.lower, numbers)) < total / rounds


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"clients": 2}, "the lower bound needs Eq(n, 1)"),
        ({"problem": {"name": "clipped-linear", "dim": 1, "center": 2.0}}, "dfedsgpsm_convex"),
        ({"algorithm": {**TO_ONE["algorithm"], "rho": 0.1}}, "Eq(rho, 0)"),
        ({"algorithm": {**TO_ONE["algorithm"], "local_steps": 2}}, "Eq(K, 1)"),
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
    assert "eta is not 1/(L*sqrt(T))" in found.reason


def test_a_corrected_bracket_without_its_constant_grows_on_the_window():
    # the printed first term in the corrected one's place, as a claim about the window
    order = replace(STATEMENT.versions["corrected"].order, bracket=cor1.PRINTED, window=True)
    assert judged_at(TO_ONE, "corrected", order=order).verdict == "VIOLATED"
