"""Equation (31): read again; its corrected version's faults are planted in Lemma 6's tests."""

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedsalt.eq31 import PRINTED, STATEMENT
from theorylab.statements.dfedsalt.lem6 import STEADY
from theorylab.symbols import rho

AT = {
    s.eta_u: 0.5, s.K_u: 3, s.L_u: 2, s.sigma_u: 6, s.delta: 8, s.lam: 0.5, s.Delta_u: 9, rho: 1.5,
}  # fmt: skip


def test_terms_read_again_from_the_paper():
    # [3 eta^2 K L^2 rho^2 + 9 eta^2 K^2 (S + 2 Delta)] / (1 - lambda)^2, over a half
    whole = sum(float(evaluate(term, AT)) for term in PRINTED.values())
    assert whole == 2 * (3 * 0.25 * 3 * 4 * 2.25 + 9 * 0.25 * 9 * (36 + 64 + 18)) / 0.25


def test_the_corrected_version_is_lemma_6_s():
    assert STATEMENT.versions["corrected"].terms is STEADY
