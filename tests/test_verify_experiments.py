"""verify/experiments.py: the table that it makes of verdicts, and what would decide an open one."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def experiments():
    spec = importlib.util.spec_from_file_location("experiments", ROOT / "verify/experiments.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def one(verdict, measured, low, high, reason="", column="lead", runs=16, seconds=36.0):
    return {"verdict": verdict, "measured": measured, "ci": [low, high], "runs": runs,
            "reason": reason, "column": column, "place": "", "seconds": seconds}  # fmt: skip


FOUND = {
    "dfedpgp.tab1_accuracy | dirichlet: DFedPGP on Local": one("HOLDS", 0.2, 0.1, 0.3),
    "dfedpgp.tab1_accuracy | dirichlet: DFedPGP on SGP": one(
        "INCONCLUSIVE", 0.02, -0.02, 0.06, "straddles 0"
    ),
    "dfedpgp.tab1_accuracy | dirichlet: DFedPGP on Ditto": one(
        "INCONCLUSIVE", -0.2, -0.3, -0.1, "not reproduced: ..."
    ),
    "dfedpgp.tab2_rounds | dirichlet: DFedPGP on Local": one(
        "HOLDS", 12.25, 8.0, 16.5, column="rounds"
    ),
    "dfedpgp.tab2_rounds | dirichlet: DFedPGP on SGP": {"verdict": "not run", "reason": "no data"},
}


def test_a_row_has_every_pair_with_its_limits_and_what_would_decide_it(experiments):
    lines = experiments.table(FOUND)
    assert len(lines) == 3
    assert "Local +20 [10, 30], SGP +2.0 [-2.0, 6.0], Ditto -20 [-30, -10]" in lines[1]
    # half the width is twice the lead: four times the runs; 144 s of one setting are 9 s a run
    assert "HOLDS on 1 of 3; SGP: open, 64 runs or more (0.2 h) would decide" in lines[1]
    assert "Ditto: not reproduced, the rival leads" in lines[1]
    assert "Local +12 rounds [8.0, 16] | HOLDS |" in lines[2]


def test_what_is_counted_was_run(experiments):
    assert experiments.count(FOUND) == (
        "Of 4 pairs 2 HOLD, 1 are not reproduced (the rival leads), and 1 are open: 75 % are "
        "decided."
    )


def test_runs_that_would_decide_grow_with_the_square_of_the_width(experiments):
    assert experiments.wanted(one("INCONCLUSIVE", 0.01, -0.09, 0.11)) == 1600
    assert experiments.wanted(one("INCONCLUSIVE", 0.0, -0.1, 0.1)) is None
    assert experiments.wanted(one("INCONCLUSIVE", 0.1, None, 0.2)) is None


def test_every_statement_that_compares_methods_is_among_the_checks(experiments):
    ids = {statement.id for statement, _ in experiments.checks(["*"])}
    assert {"pdbo.tab1_fc", "pdbo.appd_initial", "deprl.tab1_accuracy"} <= ids
    assert {s.experiment for s, _ in experiments.checks(["*"])} == {*experiments.KINDS}


def test_what_was_judged_is_kept_and_written_into_its_page(
    experiments, tmp_path, monkeypatch, capsys
):
    page, kept = tmp_path / "papers.md", tmp_path / "found.json"
    page.write_text("a\n<!-- experiments -->\nold\n<!-- /experiments -->\nb\n")
    monkeypatch.setattr(experiments, "PAGE", page)
    held = one("HOLDS", 0.2, 0.1, 0.3)
    every = {f"{s.id} | {c.name}": held for s, c in experiments.checks(["*"])}
    kept.write_text(json.dumps(every))
    arguments = ["--json", str(kept), "--page"]
    monkeypatch.setattr(experiments, "judged", None)  # nothing is left to judge
    assert experiments.main(arguments) == 0
    text = page.read_text()
    assert text.startswith(
        "a\n<!-- experiments -->\n\nMade by `python verify/experiments.py --page`"
    )
    assert text.endswith("<!-- /experiments -->\nb\n")
    assert "D-PSGD +20 [10, 30]" in text
    assert "old" not in text
    assert f"{len(every)} HOLD" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.*"], "experiments: no statement that fits"),
        (["deprl.*", "--seed", "-1"], "experiments: --seed is -1; need 0 or more"),
        (["deprl.*", "--page"], "experiments: --page came with a pattern; need all statements"),
        (["deprl.*", "--json", "{folder}"], "experiments: "),
    ],
)
def test_bad_input_is_one_line(experiments, tmp_path, capsys, arguments, message):
    (tmp_path / "x").mkdir()
    given = [each.format(folder=tmp_path / "x") for each in arguments]
    assert experiments.main(given) == 2
    told = capsys.readouterr().err
    assert told.startswith(message)
    assert told.count("\n") == 1
