"""The share of the terms in 1/T: it vanishes with L_u only where sigma_g does not grow with it."""

from theorylab.statements.dfedpgp.rem3 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # sigma_u fixed: 1/L_u against F(1) - F*, which grows as L_u: 1/100 a decade
    assert abs(found["printed", "smoothness"].measured / 1e-2 - 1) < 0.05
    assert abs(found["printed/diverse", "smoothness"].measured - 1) < 0.05


def test_a_faster_fall_is_refuted(caught):
    variants = {f"{b}": {"vanishes": STATEMENT.versions["printed"].bound * b}
                for b in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)}  # fmt: skip
    assert caught(STATEMENT, "printed", variants) == set(variants)
