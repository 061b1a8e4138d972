"""ARPACK's answers do not depend on what ran before."""

import numpy as np
import pytest

from theorylab.arpack import eigs


def test_an_answer_has_the_same_bits_every_time():
    # Two eigenvalues: ARPACK comes to an end after two products, and goes on from a drawn vector.
    # SciPy 1.17's own answers differ in the last bits here.
    matrix = np.diag(np.repeat([1.0, 0.5], 200))
    options = {"k": 1, "v0": np.ones(400), "return_eigenvectors": False}
    answers = [eigs(matrix, **options) for _ in range(8)]
    assert len({answer.tobytes() for answer in answers}) == 1
    assert answers[0] == pytest.approx(1, abs=1e-12)


def test_a_start_is_needed():
    with pytest.raises(TypeError, match="no v0"):
        eigs(np.eye(9), k=1)
