"""Partial gradient diversity: the verdicts, the witness, and constants that are too small."""

import numpy as np

from theorylab.problems import problem
from theorylab.statements.dfedpgp import _instances as made
from theorylab.statements.dfedpgp.asm4 import STATEMENT


def test_heads_far_apart_pass_any_constant_of_a_coupled_quadratic():
    options = {k: v for k, v in made.PROBED_COUPLED["problem"].items() if k != "name"}
    kind = problem("coupled-quadratic", 4, **options)
    sizes = []
    for far in (1.0, 1e3, 1e6):
        x = np.zeros((1, 4, 4))
        x[0, 0, 2:] = far
        g = kind.gradient(x)[0, :, :2]
        sizes.append(np.linalg.norm(g[0] - g.mean(axis=0)))
    slope = (1 - 1 / 4) * np.linalg.norm(kind.C[0] @ np.ones(2))
    # affine in ``far``; the constant part is O(1)
    assert abs((sizes[2] - sizes[1]) / (1e6 - 1e3) / slope - 1) < 1e-6


def test_a_class_of_losses_is_no_reading_of_the_paper():
    assert STATEMENT.versions["control"].causes == ()
    assert all(check.control for check in STATEMENT.versions["control"].checks)
    assert {name for name in STATEMENT.versions if name.startswith("printed/")} == set()


def test_a_smaller_constant_is_refuted(missed):
    whole = STATEMENT.versions["printed"].terms["diversity"]
    variants = {f"1/{k}": {"diversity": whole / k} for k in (4, 5, 6, 8, 10)}
    assert missed(STATEMENT, "printed", variants) == set()
