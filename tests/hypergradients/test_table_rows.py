"""The rows of Tables 1 and 4: baselines are lambda = 0, and step sizes are chosen alike."""

import re

import numpy as np
import pytest

from theorylab.hypergradients import TABLE_ROWS, TableRows, pdbo, silent
from theorylab.topologies import topology

SMALL = {"rounds": 8, "terms": 2, "outer_steps": 2, "steps": [0.05, 0.4]}
DATA = {"fraction": 0.2}
GRAPH = topology("sto-d", 4)


@pytest.fixture(scope="module")
def rows():
    return TableRows(4, DATA, **SMALL)


def test_pdbo_starts_as_its_baseline_with_its_step_size(rows):
    for row, start in (("PDBO-DA", "SGP"), ("PDBO-MTL", "SGP-MTL"), ("PDBO-MTL&DA", "SGP-MTL")):
        found, base = rows.entry(row, GRAPH, range(2)), rows.entry(start, GRAPH, range(2))
        assert found.eta == base.eta
        assert found.curves["test_accuracy"][0] == pytest.approx(base.accuracy.mean(), rel=1e-15)
        assert found.steps.shape == (2,)


def test_the_step_size_is_the_best_by_validation_over_runs_of_its_own(rows):
    runs = range(1 << 31, (1 << 31) + 2)
    best = [
        rows._baseline("SGP", GRAPH, eta, runs)["validation_accuracy"].mean() for eta in rows.steps
    ]
    assert rows.eta("SGP", GRAPH) == rows.steps[int(np.argmax(best))]


def test_local_hears_nobody(rows):
    other = topology("complete", 4)
    there, here = (rows.entry("Local", g, range(2)).accuracy for g in (GRAPH, other))
    assert (there == here).all()
    assert (silent(4).matrix(0).toarray() == np.eye(4)).all()


def test_the_accuracy_is_a_count_of_right_test_samples(rows):
    # softmax scores of the trained models, on each client's own samples, by NumPy
    problem = rows.problems["pdbo-da"]
    method = rows.plain.__class__(**{**rows.plain.options(), "eta": rows.eta("SGP", GRAPH)})
    ended = pdbo(problem, GRAPH, method, rounds=8, runs=1)
    right = round(float(ended.table["test_accuracy"][0, 0]) * rows.test_samples)
    from theorylab.hypergradients import personal_data

    part = personal_data("here", 4, fraction=0.2).parts["test"]
    settled = method.settled(problem, GRAPH)
    start = settled.init(problem, 0, np.arange(1))
    x = settled.train(problem, GRAPH, start, 8, 0, np.arange(1)).x[0]
    flat = np.c_[part.inputs.reshape(len(part.labels), -1) / 16, np.ones(len(part.labels))]
    scores = np.einsum("mp,mpc->mc", flat, x.reshape(4, 65, 10)[part.owners()])
    assert (scores.argmax(axis=1) == part.labels).sum() == right


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": []}, "steps is []"),
        ({"steps": [0.0]}, "steps is 0.0"),
        ({"rounds": 0}, "rounds is 0"),
        ({"tuning": 0}, "tuning is 0"),
    ],
)
def test_bad_input_is_refused(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        TableRows(4, DATA, **{**SMALL, **options})


def test_an_unknown_row_is_refused_with_the_known_ones(rows):
    with pytest.raises(ValueError, match="no row 'FedEM'; need one of SGP"):
        rows.entry("FedEM", GRAPH, range(1))
    assert "FedAvg+" in TABLE_ROWS


def test_no_step_size_that_converges_is_told():
    with pytest.raises(ValueError, match="no step size of"):
        TableRows(4, {"reg": 1.0}, **{**SMALL, "steps": [1e300]}).entry("SGP", GRAPH, range(1))
