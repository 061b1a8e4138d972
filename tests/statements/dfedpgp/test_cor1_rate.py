"""The rate: bounded growth along every sweep, and a control that fails."""

from theorylab.statements.dfedpgp.cor1_rate import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # the bracket falls as T^-1/2, so its square loses sqrt(10) a decade
    control = found["printed", "control-bracket-squared"]
    assert abs(control.measured / found["printed", "rounds"].measured - 10**0.5) < 0.03


def test_slower_growth_claims_are_refuted(missed):
    bound = STATEMENT.versions["printed"].terms["bounded"]
    variants = {f"times {k}/10": {"bounded": bound * k / 10} for k in (3, 5, 6, 7, 8)}
    assert missed(STATEMENT, "printed", variants) == set()
