"""The rows of Tables 1 and 4: baselines are lambda = 0, splits are the runs', one rule chooses."""

import re

import numpy as np
import pytest

from theorylab.hypergradients import TABLE_ROWS, TableRows, pdbo, personal_data, silent
from theorylab.hypergradients.table_rows import best_choice
from theorylab.topologies import topology

SMALL = {"rounds": 8, "terms": 2, "outer_steps": 2, "steps": [0.05, 0.4]}
DATA = {"fraction": 0.2}
GRAPH = topology("sto-d", 4)


@pytest.fixture(scope="module")
def rows():
    return TableRows(4, DATA, **SMALL)


@pytest.mark.parametrize(
    ("row", "start"), [("PDBO-DA", "SGP"), ("PDBO-MTL", "SGP-MTL"), ("PDBO-MTL&DA", "SGP-MTL")]
)
def test_pdbo_starts_as_its_baseline_at_the_same_step_size(rows, row, start):
    at = {"eta": 0.05, "series_eta": 0.1, "terms": 2}
    found = rows._trained(row, GRAPH, at, range(2))["test_accuracy"]
    base = rows._trained(start, GRAPH, at, range(2))["test_accuracy"]
    assert (found[:, 0] == base[:, 0]).all()
    assert found.shape == (2, 3)


@pytest.mark.parametrize("row", ["SGP", "PDBO-DA"])
def test_the_step_size_is_the_best_by_validation_over_runs_of_its_own(rows, row):
    runs = range(1 << 31, (1 << 31) + 2)
    best = []
    for eta in rows.steps:
        table = rows._trained(row, GRAPH, {**rows.chosen(row, GRAPH), "eta": eta}, runs)
        best.append(table["validation_accuracy"].max(axis=1).mean())
    assert rows.chosen(row, GRAPH)["eta"] == rows.steps[int(np.argmax(best))]


def test_every_run_has_a_split_of_its_own_which_all_rows_share(rows):
    first, second = (rows.problem("pdbo-da", run) for run in (0, 1))
    assert (first.sizes_of("train") != second.sizes_of("train")).any()
    assert (rows.problem("pdbo-mtl", 1).sizes_of("train") == second.sizes_of("train")).all()
    both = rows.entry("SGP", GRAPH, range(2)).accuracy
    assert (rows.entry("SGP", GRAPH, [1]).accuracy == both[1:]).all()
    other = TableRows(4, {**DATA, "seed": 1}, **SMALL).problem("pdbo-da", 0)
    assert (other.sizes_of("train") != first.sizes_of("train")).any()


def test_every_run_has_a_network_of_its_own_where_networks_are_drawn(rows):
    fixed, complete = topology("fix-u", 4), topology("complete", 4)
    first, second = (rows.network(fixed, run).matrix(0).toarray() for run in (0, 1))
    assert (first != second).any()
    assert (rows.network(fixed, 0).matrix(0).toarray() == first).all()
    assert rows.network(complete, 1) is complete


def test_fedavg_plus_chooses_by_what_it_is_tested_on(rows):
    complete = topology("complete", 4)
    best = [
        np.mean([rows._tuned_on_own(complete, eta, run, "validation")[0] for run in rows.own])
        for eta in rows.steps
    ]
    assert rows.chosen("FedAvg+", complete)["eta"] == rows.steps[int(np.argmax(best))]


def test_local_hears_nobody(rows):
    other = topology("complete", 4)
    there, here = (rows.entry("Local", g, range(2)).accuracy for g in (GRAPH, other))
    assert (there == here).all()
    assert (silent(4).matrix(0).toarray() == np.eye(4)).all()


def test_the_accuracy_is_a_count_of_right_test_samples(rows):
    # softmax scores of the trained models, on each client's own samples, by NumPy
    problem, eta = rows.problem("pdbo-da", 0), rows.chosen("SGP", GRAPH)["eta"]
    method = rows.plain.__class__(**{**rows.plain.options(), "eta": eta})
    ended = pdbo(problem, GRAPH, method, rounds=8, runs=1)
    right = round(float(ended.table["test_accuracy"][0, 0]) * rows.test_samples)
    part = personal_data("here", 4, **rows.split(0)).parts["test"]
    settled = method.settled(problem, GRAPH)
    start = settled.init(problem, 0, np.arange(1))
    x = settled.train(problem, GRAPH, start, 8, 0, np.arange(1)).x[0]
    flat = np.c_[part.inputs.reshape(len(part.labels), -1) / 16, np.ones(len(part.labels))]
    scores = np.einsum("mp,mpc->mc", flat, x.reshape(4, 65, 10)[part.owners()])
    assert (scores.argmax(axis=1) == part.labels).sum() == right


def test_options_are_chosen_one_after_the_other_and_what_diverges_is_left_out():
    asked = []

    def score(at):
        asked.append(at)
        return None if at["mu"] == 9 else -3 * abs(at["eta"] - 1) - abs(at["mu"] - 2)

    assert best_choice([1.0, 0.5], 3, {"mu": [0, 9, 2]}, score) == {"eta": 1.0, "mu": 2}
    assert len(asked) == 6
    assert best_choice([1.0], 0, {"mu": [9]}, score) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": []}, "steps is []"),
        ({"steps": [0.0]}, "steps is 0.0"),
        ({"rounds": 0}, "rounds is 0"),
        ({"tuning": 0}, "tuning is 0"),
        ({"terms": []}, "terms is []; need a number, or some to choose from"),
        ({"terms": [2, 0]}, "terms is 0"),
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
