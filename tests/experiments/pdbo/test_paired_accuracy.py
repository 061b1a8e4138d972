"""Leads among PDBO's rows: zero of a row on itself, signs that flip, verdicts that do not shout."""

import dataclasses

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.hypergradients import TableRows
from theorylab.statements import Check
from theorylab.statements.pdbo import tab4_baselines
from theorylab.statements.pdbo.tab4_baselines import STATEMENT
from theorylab.verdicts import judge_check

SMALL = {"clients": 4, "rounds": 8, "data": {"fraction": 0.2}, "most_runs": 8}
# Conflicting names of the classes: who trains alone beats one model for all, by far.
CONFLICT = {
    "clients": 6, "rounds": 60, "steps": [0.5], "most_runs": 16,
    "data": {"partition": "iid", "concepts": 3, "fraction": 0.3},
}  # fmt: skip
ROOM = 1e-12


def leads(*pairs, runs=4, **options):
    kind = experiment("pdbo-accuracy", **{**SMALL, "pairs": pairs, **options})
    return [row.values for row in kind.observe("lead", range(runs), 0).rows]


def judged(*pair, statement=STATEMENT, **options):
    instance = {**CONFLICT, "pairs": [pair], **options}
    return judge_check(statement, "printed", Check("own", instance))


def test_a_row_leads_itself_by_nothing_and_the_swap_flips_every_bit():
    there, back, same = leads(("PDBO-DA", "Local"), ("Local", "PDBO-DA"), ("SGP", "SGP"))
    assert (there == -back).all()
    assert there.any()
    assert not same.any()


def test_a_method_against_itself_is_never_seen_ahead():
    found = judged("Local", "Local")
    assert (found.verdict, found.measured) == ("INCONCLUSIVE", 0)
    assert found.runs == 16  # it goes on as long as it may


def test_a_lead_holds_and_the_swapped_one_is_not_reproduced():
    ahead, behind = judged("Local", "SGP"), judged("SGP", "Local")
    assert ahead.verdict == "HOLDS"
    assert ahead.ci[0] > 0.1
    assert "in this setting; the paper's own has clients = 100" in ahead.reason
    assert behind.verdict == "INCONCLUSIVE"
    assert behind.reason.startswith("not reproduced: the upper limit")
    assert behind.measured == -ahead.measured
    assert behind.severity == ""


def test_in_the_papers_own_setting_a_lead_of_the_rival_refutes(monkeypatch):
    version = dataclasses.replace(
        STATEMENT.versions["printed"], own_setting={"clients": 6, "data": {"concepts": 3}}
    )
    own = dataclasses.replace(STATEMENT, versions={"printed": version})
    # of a user's statement the limits are those of numbers in [-1, 1], and 16 runs are few for them
    users = judged("SGP", "Local", statement=own)
    assert (users.verdict, "floor -1, ceiling 1" in users.interval) == ("INCONCLUSIVE", True)
    monkeypatch.setattr(tab4_baselines, "STATEMENT", own)
    assert judged("SGP", "Local", statement=own).verdict == "VIOLATED"
    assert judged("Local", "SGP", statement=own).verdict == "HOLDS"
    assert "in this setting" not in judged("Local", "SGP", statement=own).reason


def test_a_larger_lead_than_there_is_does_not_hold():
    found = judged("Local", "SGP", least=0.9)
    assert found.verdict == "INCONCLUSIVE"
    assert found.bound == 0.9


def test_what_is_measured_stops_at_most_runs():
    assert judged("Local", "Local", most_runs=5).runs == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pairs": [("PDBO-DA", "FedAMP")]}, "need [method, rival] each, of SGP, SGP-MTL"),
        ({"network": {"name": "x"}}, "no 'x'"),
        ({"network": "sto-d"}, "network is 'sto-d'; need {option: value}"),
        ({"data": {"clients": 3}}, "data has 'clients'; need it beside data, once"),
        ({"data": {"data": "fashion-mnist", "root": "nowhere"}}, "nowhere is no folder"),
        ({"data": {"concepts": 0}}, "concepts is 0"),
        ({"data": {"wrong": 1.0}}, "wrong is 1.0; need a chance in [0, 1)"),
        ({"steps": []}, "need step sizes"),
    ],
)
def test_bad_input_is_refused_in_one_line(options, message):
    with pytest.raises((ValueError, TypeError)) as told:
        experiment("pdbo-accuracy", **{**SMALL, "pairs": [("PDBO-DA", "SGP")], **options})
    assert message in str(told.value)
    assert "\n" not in str(told.value)


def test_the_values_are_differences_of_counts():
    kind = experiment("pdbo-accuracy", **SMALL, pairs=[("PDBO-DA", "SGP")])
    (values,) = leads(("PDBO-DA", "SGP"))
    rows = TableRows(4, SMALL["data"], rounds=8, terms=2, outer_steps=1, steps=[0.2])
    sizes = [rows.problem("pdbo-da", run).sizes_of("test").sum() for run in range(4)]
    assert sizes[0] == kind.test_samples
    counts = values * sizes
    assert counts == pytest.approx(np.round(counts), abs=1e-9)


ROWS = {"rounds": 8, "terms": 2, "outer_steps": 1, "steps": [0.5], "tuning": 1}


def test_algorithms_are_tested_on_samples_that_they_have_not_seen():
    from theorylab.experiments.pdbo.paired_accuracy import AlgorithmRows, trained_on
    from theorylab.hypergradients import personal_data
    from theorylab.topologies import topology

    rows = TableRows(4, {"fraction": 0.2}, **ROWS)
    train = personal_data("here", 4, **rows.split(1)).parts["train"]
    mixture, regression = trained_on("FedEM", rows, 1), trained_on("FedProx", rows, 1)
    for problem in (mixture, regression):
        assert np.array_equal(problem.sizes, train.sizes)  # no other sample is trained on
    x = mixture.initial(0, np.arange(2))
    there = rows.problem("pdbo-mtl", 1).initial(0, np.arange(2))
    assert np.array_equal(x[0, :, : mixture.shared], np.broadcast_to(there[0], (4, 1950)))
    found, complete = AlgorithmRows(rows), topology("complete", 4)
    for row in ("FedEM", "FedProx", "Clustered-FL", "pFedMe"):
        mean, low = found.measured(row, complete, range(2))
        assert mean.shape == low.shape == (2,)
        assert (low <= mean).all()
    with pytest.raises(ValueError, match="FedEM: sto-d is not static and doubly stochastic"):
        found.measured("FedEM", topology("sto-d", 4), range(1))
    with pytest.raises(ValueError, match="FedProx: network is fix-u; need complete"):
        found.measured("FedProx", topology("fix-u", 4), range(1))


def test_fedprox_that_pulls_nothing_is_sgp_of_4a_on_the_complete_network():
    # one step of every client, then the mean of all: the models of Eq. (4a), and so every answer
    from theorylab.experiments.pdbo.paired_accuracy import AlgorithmRows
    from theorylab.topologies import topology

    rows = TableRows(4, {"fraction": 0.2}, **ROWS)
    rows.plain = dataclasses.replace(rows.plain, variant="4a")
    complete = topology("complete", 4)
    at = {"eta": 0.5, "mu": 0.0, "fraction": 1.0}
    mine = [AlgorithmRows(rows).accuracy("FedProx", complete, at, run, "test") for run in range(2)]
    assert [mean for mean, _ in mine] == [*rows.entry("SGP", complete, range(2)).accuracy]


def test_what_an_algorithm_chooses_comes_from_validation_alone(monkeypatch):
    from theorylab.experiments.pdbo.paired_accuracy import AlgorithmRows
    from theorylab.topologies import topology

    rows = TableRows(4, {"fraction": 0.2}, **ROWS)
    asked = []

    def accuracy(self, row, graph, at, run, part):
        asked.append((run, part))
        return 0.5, 0.5

    monkeypatch.setattr(AlgorithmRows, "accuracy", accuracy)
    AlgorithmRows(rows).chosen("FedProx", topology("complete", 4))
    assert {*asked} == {(run, "validation") for run in rows.own}


def test_what_each_side_chose_is_told_with_the_pair():
    kind = experiment("pdbo-accuracy", **SMALL, pairs=[("SGP", "Local")], steps=[0.5], larger=0)
    (row,) = kind.observe("lead", range(1), 0).rows
    assert row.label == "SGP (eta 0.5) on Local (eta 0.5)"
