"""Shares of round 0: the line that DFedSGPSM prints, too, judged on the same networks."""

import numpy as np
import pytest

from theorylab.statements.dfedpgp.alg1_input import STATEMENT
from theorylab.topologies import topology


def test_the_largest_excess_of_a_client_is_counted_by_hand(judged):
    found = judged(STATEMENT)["printed", "changing-degrees"]
    options = {k: v for k, v in found.instance["topology"].items() if k != "name"}
    network = topology("erdos-renyi", 6, **options)
    degrees = [np.count_nonzero(network.matrix(t, 0).toarray(), axis=0) for t in range(3)]
    assert found.place == "t=2"
    excess = np.abs(degrees[2] / degrees[0] - 1).max()
    assert found.measured == pytest.approx(excess, rel=1e-14)


def test_columns_that_do_not_sum_to_one_are_found(missed):
    term = STATEMENT.versions["corrected"].bound
    variants = {"less than nothing": {"rounding": term - 1}}
    assert missed(STATEMENT, "corrected", variants) == set()
