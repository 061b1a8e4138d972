"""Planted false variants are refuted by the search within its budget, statement by statement."""

import itertools
import json
import pathlib
import runpy
from dataclasses import replace

import pytest
import sympy as sp

from theorylab.statements import BUILT_IN

QUALITY = runpy.run_path(
    str(pathlib.Path(__file__).resolve().parents[2] / "verify" / "quality.py"), run_name="quality"
)
SAMPLE = [  # cheap ones of every paper; verify/quality.py has the others, and counts
    ("dfedsgpsm.asm2", "printed"),
    ("dfedsgpsm.lem4_weight", "printed"),
    ("dfedpgp.asm2", "printed/v"),
    ("dfedalt.asm1", "printed/vv"),
    ("deprl.asm2", "printed"),
    ("pdbo.lem6", "printed/r3"),
]


def ticks():
    """A clock that goes on by one whenever it is looked at: seconds of no machine."""
    return itertools.count().__next__


def changes(row, kind):
    return {v["change"] for v in row["variants"] if v["kind"] == kind}


@pytest.mark.parametrize(("name", "version"), SAMPLE)
def test_what_is_known_to_be_false_is_refuted(name, version):
    row = QUALITY["hunted"](BUILT_IN[name], version, 1000, 4, again=0.0, probe=100, clock=ticks())
    assert len(row["variants"]) == 4
    assert changes(row, "refuted")
    # a tenth less needs an instance that nearly attains the bound; the rest must all be seen
    assert changes(row, "missed") <= {"all x 9/10"}
    assert all(v["instance"] is None for v in row["variants"] if v["kind"] != "missed")


def test_a_missed_one_is_searched_again_and_comes_with_the_instance_that_shows_it(monkeypatch):
    hunted, asked = QUALITY["hunted"], []
    search = hunted.__globals__["falsify"]

    def blind(statement, version, budget, **options):
        asked.append(budget)
        return replace(search(statement, version, budget=1e-6, **options), refuted=False)

    monkeypatch.setitem(hunted.__globals__, "falsify", blind)
    row = hunted(BUILT_IN["dfedsgpsm.asm2"], "printed", 1.0, 3, again=7.0, probe=100, clock=ticks())
    assert changes(row, "missed") == {"all x 9/10", "all x 1/2", "all x 1/4"}
    assert asked == [1.0, 1.0, 1.0, 7.0, 7.0, 7.0]
    assert all(v["again"] and v["known to the probe"] for v in row["variants"])
    assert all("problem" in v["instance"] for v in row["variants"])


def test_what_refutes_one_variant_shows_that_another_is_false(monkeypatch):
    # The probe is left with an instance that measures a third of the bound; the search sees only
    # that 9/10 of it is too little, on an instance that attains it.
    hunted, told = QUALITY["hunted"], BUILT_IN["pdbo.thm11_gap"]
    search = hunted.__globals__["falsify"]
    whole = told.versions["corrected"].bound

    class Lazy(hunted.__globals__["Probe"]):
        def leap(self, seconds):
            self.look(told.versions["corrected"].checks[1].instance)

    def one_only(statement, version, **options):
        found = search(statement, version, **options)
        seen = statement.versions[version].bound == whole * sp.Rational(9, 10)
        return replace(found, refuted=found.refuted and seen)

    monkeypatch.setitem(hunted.__globals__, "Probe", Lazy)
    monkeypatch.setitem(hunted.__globals__, "falsify", one_only)
    row = hunted(told, "corrected", 1000, 9, again=0.0, probe=1e-9, clock=ticks())
    assert changes(row, "refuted") == {"all x 9/10"}
    assert changes(row, "missed") >= {"all x 1/2", "all x 1/10"}
    by_the_probe = {v["change"] for v in row["variants"] if v["known to the probe"]}
    assert "all x 1/10" in by_the_probe
    assert "all x 1/2" not in by_the_probe


def test_an_instance_that_breaks_the_true_version_says_nothing_of_a_variant():
    hunted, told = QUALITY["hunted"], BUILT_IN["dfedsgpsm.asm2"]
    broken = replace(told.versions["printed"], terms={"L": told.versions["printed"].bound / 2})
    alone = replace(told, versions={"printed": broken})
    row = hunted(alone, "printed", 1000, 3, again=0.0, probe=100, clock=ticks())
    assert {v["kind"] for v in row["variants"]} == {"itself"}
    assert QUALITY["line"]("all", [row]).split() == ["all", "3", "0", "0", "-", "0"]
    line = "true versions that an instance breaks: 1 dfedsgpsm.asm2 [printed]"
    assert line in QUALITY["summary"]([row])


def test_an_equality_and_what_has_few_variants_say_why():
    row = QUALITY["hunted"](BUILT_IN["dfedsgpsm.lem1"], "corrected", 1.0, 5, again=0.0, probe=1.0)
    assert (row["variants"], row["few"][:11]) == ([], "an equality")
    assert "no bound to change: dfedsgpsm.lem1 [corrected]" in "\n".join(QUALITY["summary"]([row]))


def test_open_ones_are_listed_and_not_counted():
    kinds = ["refuted", "refuted", "refuted", "missed", "open"]
    made = [{"kind": k, "again": k == "missed", "known to the probe": True} for k in kinds]
    rows = [{"id": "deprl.asm2", "version": "printed", "variants": made, "few": ""}]
    assert QUALITY["line"]("all", rows).split() == ["all", "5", "4", "3", "75.0%", "1"]
    told = "\n".join(QUALITY["summary"](rows))
    assert "of 5 that the probe alone knew to be false: 3 refuted" in told
    assert "refuted within --budget: 3; open: 20.0% of all planted" in told


def test_a_run_is_resumed_and_told_in_all_and_by_paper(tmp_path, capsys):
    file = tmp_path / "rows.json"
    base = ["--budget", ".2", "--probe", ".2", "--most", "2", "--json", str(file)]
    assert QUALITY["main"]([*base, "--only", "dfedsgpsm.asm2"]) == 0
    made = json.loads(file.read_text())
    made["rows"][0]["variants"][0]["kind"] = "open"  # what is there is not made again
    file.write_text(json.dumps(made))
    assert QUALITY["main"]([*base, "--only", "*[mo].asm[12]", "--resume"]) == 0
    rows = json.loads(file.read_text())["rows"]
    assert rows[0] == made["rows"][0]
    assert {row["id"] for row in rows} == {
        f"{paper}.asm{k}" for paper in ("dfedsgpsm", "pdbo") for k in (1, 2)
    }
    told = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("dfedsgpsm.asm2 [printed]") for line in told) == 1
    assert sum(line.startswith("pdbo.asm1 [printed]") for line in told) == 1
    total = [line for line in told if line.startswith("all ")][-1].split()
    assert total[1] == str(sum(len(row["variants"]) for row in rows))
    assert {"dfedsgpsm", "pdbo"} <= {line.split()[0] for line in told if line}


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--budget", "0"], "need --budget > 0"),
        (["--probe", "0"], "need --budget > 0, --probe > 0"),
        (["--only", "none.such"], "matches no statement that holds"),
        (["--resume"], "--resume needs the file of --json"),
        (["--resume", "--json", "{}/other.json"], "was made with {'budget': 9}"),
        (["--resume", "--json", "{}/bad.json"], "holds no rows of an earlier run"),
        (["--json", "{}/none/such.json"], "No such file"),
    ],
)
def test_bad_requests_are_one_line_and_exit_2(options, line, tmp_path, capsys):
    (tmp_path / "other.json").write_text('{"options": {"budget": 9}, "rows": []}')
    (tmp_path / "bad.json").write_text("[1]")
    assert QUALITY["main"]([option.replace("{}", str(tmp_path)) for option in options]) == 2
    said = capsys.readouterr().err
    assert line in said
    assert said.count("\n") == 1
