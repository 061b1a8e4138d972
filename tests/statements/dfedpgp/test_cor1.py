"""Corollary 1: the printed step sizes, Theorem 1's terms, the verdicts, planted faults."""

import math

import pytest

from theorylab.statements import Check
from theorylab.statements.dfedpgp import _instances as made
from theorylab.statements.dfedpgp import cor1, thm1
from theorylab.statements.dfedpgp._symbols import L_v, unit
from theorylab.symbols import T
from theorylab.verdicts import judge_check

STATEMENT = cor1.STATEMENT


@pytest.mark.parametrize("version", list(STATEMENT.versions))
def test_the_terms_are_theorem_1_s(version):
    assert STATEMENT.versions[version].terms == thm1.STATEMENT.versions[version].terms


@pytest.mark.parametrize("version", list(STATEMENT.versions))
def test_every_check_takes_the_printed_step_sizes_of_its_t(version):
    # c_u = 1, c_v = 1/8 at every T; L is the curvature of the losses, exact but for a few eps
    for check in STATEMENT.versions[version].checks:
        result = judge_check(STATEMENT, version, check)
        known = {name: k["value"] for name, k in result.constants.items()}
        (rounds,) = result.instance["at"]
        assert rounds == 10 ** int(check.name.rpartition("1e")[2])
        for part, c in (("u", 1.0), ("v", 0.125)):
            eta, L, K = (known[f"dfedpgp_{name}_{part}"] for name in ("eta", "L", "K"))
            assert eta * L * K * math.sqrt(rounds) == pytest.approx(c, rel=1e-12), check.name


@pytest.mark.parametrize("shares", [(3.0, 0.125), (0.1, 0.01), (1.0, 1.0)])
def test_the_bound_is_that_of_the_step_sizes_that_were_run(shares):
    # Noise alone costs c_u^2 times as much, on both sides; a bound for c_u = 1 would be passed.
    for instance in (made.FINE, made.TIGHT_NOISE, made.FLATTER_HEADS):
        for k in (6, 8):
            check = Check("shares", made.corollary(instance, 10**k, *shares))
            assert judge_check(STATEMENT, "corrected", check).verdict == "HOLDS"


def test_planted_errors_are_refuted(missed):
    # As in thm1, the two last terms can't be refuted by what is measured.
    terms = STATEMENT.versions["corrected"].terms

    def scaled(**factors):
        return {k: t * factors.get(k.replace(" ", "_"), 1) for k, t in terms.items()}

    variants = {
        "half the noise of u": scaled(u_noise=0.49),
        "u's noise in 1/T": scaled(u_noise=T**-0.5),
        "no noise of u": scaled(u_noise=0),
        "a quarter of the noise of v": scaled(v_noise=0.2),
        "1 + L_v for 1/L_v": scaled(v_noise=(1 + L_v * unit) * L_v * unit),
        "no noise of v": scaled(v_noise=0),
    }
    assert missed(STATEMENT, "corrected", variants) == set()
