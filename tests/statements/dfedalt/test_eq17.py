"""Equation (17): read again; its corrected version's faults are planted in Lemma 5's tests."""

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt._instances import SLOW_MODE
from theorylab.statements.dfedalt.eq17 import PRINTED, STATEMENT
from theorylab.statements.dfedalt.lem5 import STEADY

AT = {s.eta_u: 0.5, s.K_u: 3, s.sigma_u: 6, s.delta: 8, s.lam: 0.5, s.Delta_u: 9}


def test_terms_read_again_from_the_paper():
    # [18 eta^2 K^2 (S + 2 Delta)] / (1 - lambda)^2, over a half
    whole = sum(float(evaluate(term, AT)) for term in PRINTED.values())
    assert whole == 2 * 18 * 0.25 * 9 * (36 + 64 + 18) / 0.25


def test_the_corrected_version_is_lemma_5_s():
    assert STATEMENT.versions["corrected"].terms is STEADY


def test_planted_faults_under_the_cap_are_refuted(missed):
    # The slack is 36/3.4; the gradient is never needed, so faults in it are none.
    gap = (1 - s.lam) ** 2
    faults = {
        "no diversity": ({k: t.subs(s.delta, 0) for k, t in PRINTED.items()}, SLOW_MODE),
        "a fortieth": ({k: t / 40 for k, t in PRINTED.items()}, SLOW_MODE),
        "1 - lambda": ({k: t * gap**0.5 for k, t in PRINTED.items()}, SLOW_MODE),
        "no gap": ({k: t * gap for k, t in PRINTED.items()}, SLOW_MODE),
        "eta^3": ({k: t * s.eta_u * s.L_u for k, t in PRINTED.items()}, SLOW_MODE),
    }
    assert missed(STATEMENT, "printed/cap", faults) == set()
