"""Line 13: the letter exchanges nothing, the other letter gives Lemma 1's powers."""

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt._symbols import lam
from theorylab.statements.dfedalt.alg1 import STATEMENT
from theorylab.statements.dfedsgpsm._symbols import t
from theorylab.symbols import matrix_rounding as room

PAIR = {**made.NETWORK, "topology": made.pair(0.125), "clients": 2, "powers": 12}
LEANING = {"name": "edge-list", "edges": [[0, 0, 0.5], [1, 0, 0.25], [0, 1, 0.5], [1, 1, 0.75]]}


def test_the_letter_leaves_every_model_where_it_is():
    rows = experiment("network-matrices", **PAIR).observe("own_norms", range(1), 0).rows
    assert [float(row.values[0]) for row in rows] == pytest.approx([1.0] * 12, rel=1e-15)


def test_the_weights_are_the_row_sums():
    # P = [[1/2, 1/4], [1/2, 3/4]]: rows sum to 3/4 and 5/4
    made_rows = experiment("network-matrices", topology=LEANING, clients=2, powers=3)
    for power, row in enumerate(made_rows.observe("own_norms", range(1), 0).rows, start=1):
        matrix = np.diag([0.75**power, 1.25**power]) - 0.5
        assert row.values[0] == pytest.approx(np.linalg.norm(matrix, 2), rel=1e-14)


def test_smaller_bounds_are_refuted(missed):
    faults = {
        "lambda^(t+1)": ({"p": lam ** (t + 1), "r": room}, PAIR),
        "lambda^t/2": ({"p": lam**t / 2, "r": room}, PAIR),
    }
    assert missed(STATEMENT, "printed/received", faults) == set()
