"""(11): true, and nearly attained on a long walk."""

from theorylab.statements.dfedpgp.eq11 import STATEMENT

TERMS = STATEMENT.versions["printed"].terms


def test_planted_errors_are_refuted(missed):
    variants = {
        "half the way": {**TERMS, "way": TERMS["way"] / 2},
        "no way": {"gradient": TERMS["gradient"]},
        "a quarter of the gradient": {**TERMS, "gradient": TERMS["gradient"] / 4},
        "no gradient": {"way": TERMS["way"]},
    }
    # on the walk every gradient is the same, and four squares are four times the one
    assert missed(STATEMENT, "printed", variants) <= {"a quarter of the gradient"}


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "printed", range(1, 41, 2), rounds=3) >= 15
