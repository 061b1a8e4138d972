"""The papers' own sizes, as ``verify --instance`` takes them: every option is one that is taken."""

import json
from pathlib import Path

import pytest

from theorylab.experiments import experiment
from theorylab.statements import BUILT_IN

pytest.importorskip("torch")
FOLDER = Path(__file__).parents[2] / "verify" / "full"
FULL = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
# What the text of a paper compares is a statement, or some, on the experiment.
STATEMENTS = {
    "deprl": ["deprl.tab1_accuracy"],
    "dfedalt": ["dfedalt.tab1_accuracy", "dfedalt.tab2_rounds"],
    "dfedpgp": ["dfedpgp.tab1_accuracy", "dfedpgp.tab2_rounds"],
    "dfedsgpsm": ["dfedsgpsm.tab1_accuracy"],
    "pdbo": [
        *("pdbo.appd_initial", "pdbo.tab1_both", "pdbo.tab1_da", "pdbo.tab1_fc", "pdbo.tab1_low"),
        "pdbo.tab4_baselines",
    ],
}
_SMALL = {"partition": "dirichlet", "alpha": 10.0}  # of 100 clients each has 18 digits


def test_every_paper_with_such_a_statement_has_its_sizes():
    kinds = ("method-accuracy", "pdbo-accuracy")
    ids = sorted(s.id for s in BUILT_IN.values() if s.experiment in kinds)
    assert [*FULL] == [*STATEMENTS]
    assert sorted(each for group in STATEMENTS.values() for each in group) == ids


@pytest.mark.parametrize("paper", STATEMENTS)
def test_the_experiment_takes_every_option_and_the_sizes_are_the_papers(paper):
    # on the digits and a small model, which are there
    given = FULL[paper]
    kind = BUILT_IN[STATEMENTS[paper][0]].experiment
    small = {"data": _SMALL, "model": {}} if "sides" in given else {"data": {}}
    made = experiment(kind, **given | small)
    assert made.options["most_runs"] == 3  # seeds a paper
    assert made.options["clients"] == (128 if paper == "deprl" else 100)
    assert made.options["rounds"] == (600 if paper == "pdbo" else 500)
    for side in given.get("sides", {}).values():
        assert side.get("topology", {}).get("degree", 10) == 10
        assert side.get("neighbours", 10) == 10


@pytest.mark.parametrize("paper", STATEMENTS)
def test_the_pairs_are_those_of_the_statement(paper):
    own = {
        tuple(pair)
        for name in STATEMENTS[paper]
        for version in BUILT_IN[name].versions.values()
        for check in version.checks
        for pair in check.instance["pairs"]
    }
    assert {tuple(pair) for pair in FULL[paper]["pairs"]} <= own
