"""Corollary 1: Theorem 1's terms at its step sizes, the verdicts, planted faults."""

import mpmath
import pytest

from theorylab.statements import Check, evaluate
from theorylab.statements.dfedpgp import _instances as made
from theorylab.statements.dfedpgp import cor1, thm1
from theorylab.statements.dfedpgp._symbols import L_v, eta_u, eta_v, unit
from theorylab.symbols import BY_NAME, T
from theorylab.verdicts import judge_check

STATEMENT = cor1.STATEMENT
POINT = {
    "T": 10**6, "n": 4, "C": 2, "q": 0.25, "delta": 0.5, "dfedpgp_K_u": 2, "dfedpgp_K_v": 3,
    "dfedpgp_L_u": 2, "dfedpgp_L_v": 4, "dfedpgp_L_vu": 1, "dfedpgp_sigma_u": 5,
    "dfedpgp_sigma_v": 7, "dfedpgp_sigma_g": 2, "dfedpgp_f_first": 9, "dfedpgp_f_start": 8,
    "dfedpgp_f_best": 1, "dfedpgp_unit": 1, "dfedpgp_start_spread": 0.75,
    "dfedpgp_c_u": 3, "dfedpgp_c_v": 0.25,
}  # fmt: skip


@pytest.mark.parametrize("version", list(STATEMENT.versions))
def test_the_terms_are_theorem_1_s_at_the_printed_step_sizes(version):
    values = {BY_NAME[k]: mpmath.mpf(v) for k, v in POINT.items()}
    with mpmath.workdps(50):
        steps = {
            BY_NAME["dfedpgp_eta_u"]: mpmath.mpf(3) / (2 * 2 * 1000),
            BY_NAME["dfedpgp_eta_v"]: mpmath.mpf(1) / (4 * 4 * 3 * 1000),
        }
    base = thm1.STATEMENT.versions[version].terms
    for name, term in STATEMENT.versions[version].terms.items():
        want = evaluate(base[name], values | steps)
        assert evaluate(term, values) == pytest.approx(want, rel=1e-30)


def test_the_verdicts(judged):
    judged(STATEMENT)


@pytest.mark.parametrize("shares", [[3.0, 0.125], [0.1, 0.01], [1.0, 1.0]])
def test_the_bound_is_that_of_the_step_sizes_that_were_run(shares):
    # Noise alone costs c_u^2 times as much, on both sides; a bound for c_u = 1 would be passed.
    instances = (made.COROLLARY, made.COROLLARY_NOISE, made.COROLLARY_FLAT)
    for instance in instances:
        check = Check("shares", {**instance, "corollary": shares})
        assert judge_check(STATEMENT, "corrected", check).verdict == "HOLDS"
    with pytest.raises(ValueError, match="nothing defines the constant 'dfedpgp_c_u'"):
        judge_check(STATEMENT, "corrected", Check("other-steps", made.TIGHT))


def test_planted_errors_are_refuted(caught):
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
    assert caught(STATEMENT, "corrected", variants) == set(variants)


def test_no_step_size_is_left():
    for name, version in STATEMENT.versions.items():
        assert not {eta_u, eta_v} & version.free, name
