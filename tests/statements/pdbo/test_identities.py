"""Lemmas 2 to 5 are identities of all weights, sizes and numbers of terms."""

import pytest

from theorylab.kernels import Stream
from theorylab.statements import BUILT_IN, Check
from theorylab.verdicts import judge_check


def at_random(k):
    """alpha, beta, sizes and M of the k-th instance, the ends of [0, 1] among them."""
    draws = Stream(7, "problem").uniform(1, 1, 0, k, 4)[0, 0]
    alpha, beta = (min(1.0, max(0.0, 1.2 * u - 0.1)) for u in draws[:2])
    size, outputs = 1 + int(3 * draws[2]), 1 + int(3 * draws[3])
    return {
        "alpha": float(alpha), "beta": float(beta), "size": size, "outputs": outputs,
        "scale": float(4 * draws[3]), "terms": [1 + k % 5],
    }  # fmt: skip


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("number", [2, 3, 4, 5])
def test_random_instances_hold(number, count):
    for k in range(count):
        check = Check(str(k), at_random(k))
        statement = BUILT_IN[f"pdbo.lem{number}"]
        found = judge_check(statement, "printed", check, seeds=2, seed=1000 + k)
        assert found.verdict == "HOLDS", at_random(k)
