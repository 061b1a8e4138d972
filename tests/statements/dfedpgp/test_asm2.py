"""Lipschitz constants of the blocks: the verdicts, and constants that are too small."""

import numpy as np
import pytest

from theorylab.problems import problem
from theorylab.statements.dfedpgp import _instances as made
from theorylab.statements.dfedpgp.asm2 import STATEMENT


@pytest.mark.parametrize("version", list(STATEMENT.versions))
def test_a_smaller_constant_is_refuted(version, missed):
    whole = STATEMENT.versions[version].terms["constant"]
    variants = {f"{k}/8": {"constant": whole * k / 8} for k in (2, 3, 4, 5, 6, 7)}
    assert missed(STATEMENT, version, variants) == set()


def test_the_constants_are_the_largest_singular_values_of_the_blocks(judged):
    options = {k: v for k, v in made.PROBED_COUPLED["problem"].items() if k != "name"}
    H = problem("coupled-quadratic", 4, **options).hessians
    blocks = {"": H[:, :2, :2], "/uv": H[:, :2, 2:], "/v": H[:, 2:, 2:], "/vu": H[:, 2:, :2]}
    found = judged(STATEMENT)
    for name, block in blocks.items():
        result = found[f"printed{name}", "coupled-quadratic"]
        # LAPACK's singular values of the same 2 x 2 matrices
        assert result.bound == pytest.approx(np.linalg.norm(block, 2, axis=(1, 2)).max(), rel=1e-12)
