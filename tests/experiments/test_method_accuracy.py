"""Leads of registered algorithms: counted by hand, zero of a method on itself, signs that flip."""

import pickle
import re

import numpy as np
import pytest

from theorylab.data.load import PACKAGED
from theorylab.experiments import experiment
from theorylab.experiments.method_accuracy import _problems, _splits
from theorylab.extras import MissingDataError
from theorylab.runs import simulate

pytest.importorskip("torch")
SIDES = {
    "Local": {"name": "local", "local_steps": 2},
    "DFedAvg": {"name": "dfedavg", "local_steps": 2, "topology": {"name": "ring"}},
    "twin": {"name": "local", "local_steps": 2},
}
SMALL = {"sides": SIDES, "rounds": 3, "data": {"fraction": 0.2}, "steps": [0.05, 0.3]}


def made(*pairs, **options):
    return experiment("method-accuracy", **{**SMALL, "pairs": pairs, **options})


@pytest.fixture(scope="module")
def seen():
    both = made(("Local", "DFedAvg"), ("DFedAvg", "Local"), ("Local", "twin"), ("Local", "Local"))
    return {c: [row.values for row in both.observe(c, range(3), 0).rows] for c in both.columns}


@pytest.mark.parametrize("column", ["lead", "lead_low", "rounds"])
def test_a_method_leads_itself_by_nothing_and_the_swap_flips_every_bit(seen, column):
    there, back, twin, same = seen[column]
    assert (there == -back).all()
    assert not same.any()
    assert not twin.any()
    assert column == "rounds" or there.any()


def test_the_accuracy_is_a_count_of_right_test_samples():
    # the models as they come out of the run, scored by NumPy on each client's own samples
    kind = made(("Local", "DFedAvg"))
    _, problem = _problems(kind._built, (0, 1))
    run = kind._run(1, SIDES["Local"], 0.3, range(2), 0)
    trace = simulate(
        problem, kind._graph(SIDES["Local"]), kind._method(SIDES["Local"], 0.3), rounds=3,
        runs=2, graph_run=None, columns=("accuracy",),
    )  # fmt: skip
    x = np.asarray(trace.final_x, np.float64)
    shares = np.zeros((2, 3))
    for r, parts in enumerate(_splits(kind._built, (0, 1))):
        part = parts.parts["test"]
        for i in range(3):
            mine = part.owners() == i
            a = part.inputs[mine].reshape(mine.sum(), -1) / 16
            first, b = x[r, i, :512].reshape(8, 64), x[r, i, 512:520]
            second, c = x[r, i, 520:600].reshape(10, 8), x[r, i, 600:]
            scores = np.maximum(a @ first.T + b, 0) @ second.T + c
            shares[r, i] = (scores.argmax(axis=1) == part.labels[mine]).mean()
    assert run.last["accuracy"] == pytest.approx(shares.mean(axis=1), abs=1e-6)


def test_every_run_trains_on_a_split_of_its_own_and_both_sides_have_it():
    first, second = _splits(made(("Local", "DFedAvg"))._built, (0, 1))
    assert not np.array_equal(first.parts["train"].labels, second.parts["train"].labels)
    other = _splits(made(("Local", "DFedAvg"), data={"fraction": 0.2, "seed": 1})._built, (0,))[0]
    assert not np.array_equal(first.parts["train"].labels, other.parts["train"].labels)


def test_a_run_is_the_same_however_many_are_asked_for(seen):
    kind = made(("Local", "DFedAvg"))
    assert kind.observe("lead", range(1, 2), 0).rows[0].values == seen["lead"][0][1:2]
    assert (kind.observe("lead", range(3), 1).rows[0].values != seen["lead"][0]).any()


def test_the_step_size_is_the_one_with_the_best_validation():
    kind = made(("Local", "DFedAvg"))
    found = [
        kind._run(0, SIDES["Local"], eta, range(1 << 31, (1 << 31) + 1), 0).last["accuracy"].mean()
        for eta in (0.05, 0.3)
    ]
    assert kind.eta("Local", 0) == (0.05, 0.3)[int(np.argmax(found))]


def test_who_never_reaches_the_target_counts_as_one_look_after_the_last():
    never = made(("Local", "DFedAvg"), target=1.5, every=2)
    assert (never._side("Local", "rounds", range(2), 0) == 5).all()
    always = made(("Local", "DFedAvg"), target=1e-9)
    assert (always._side("Local", "rounds", range(2), 0) <= 3).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pairs": []}, "pairs is []; need [method, rival] each, of Local, DFedAvg, twin"),
        ({"pairs": [["Local", "x"]]}, "pairs is [['Local', 'x']]; need"),
        ({"steps": []}, "steps is []; need step sizes"),
        ({"sides": {"Local": 3}}, "sides.Local is 3; need {option: value}"),
        ({"model": {"data": "x"}}, "model has 'data'; need it beside model, once"),
        ({"least": -0.1}, "least is -0.1"),
        ({"data": {"data": "fashion-mnist", "root": "nowhere"}}, "dataset-fashion-mnist"),
    ],
)
def test_bad_input_is_refused_in_one_line(options, message):
    with pytest.raises(ValueError, match=re.escape(message)) as told:
        experiment("method-accuracy", **{**SMALL, "pairs": [["Local", "DFedAvg"]], **options})
    assert "\n" not in str(told.value)


def test_data_of_a_package_that_is_absent_are_missing_not_wrong(monkeypatch, tmp_path):
    monkeypatch.setitem(PACKAGED, "fashion-mnist", (str(tmp_path / "away"), "a-package"))
    with pytest.raises(MissingDataError, match="need the Debian package a-package") as told:
        experiment("method-accuracy", **{**SMALL, "data": {"data": "fashion-mnist"}})
    assert told.value.package == "a-package"
    again = pickle.loads(pickle.dumps(told.value))  # it comes back from a process
    assert (str(again), again.package) == (str(told.value), "a-package")
