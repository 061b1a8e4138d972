"""Five findings, each sent as a script alone, print both sides to the digits of the search."""

import importlib
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from theorylab import registry
from theorylab.report.number import plain
from theorylab.scripts import LONGEST, script
from theorylab.statements import Check
from theorylab.verdicts import judge_check

VERIFY = pathlib.Path(__file__).resolve().parents[2] / "verify"
CENTERS = [[2.0, 1.5], [-1.0, 0.5], [-1.0, -2.0]]
HEAVY = {"problem": {"name": "literature-bends", "low": 1.0, "high": 25.0}, "rounds": 60}
LITERATURE = {  # what an instance has in place of the benign check's
    "heavy_ball": {**HEAVY, "algorithm": {"eta": 1 / 9, "beta": 4 / 9}, "x0": 3.2},
    "push_sum": {"topology": {"name": "directed-ring", "self_loops": False}},
    "top1": {"problem": {"name": "literature-top-bowls", "centers": CENTERS}, "rounds": 20},
}
STRIPPED = ("dfedpgp.eq6", "dfedsalt.lem6")
ALONE = (  # theorylab is not there, although it is installed
    "import runpy, sys; sys.modules['theorylab'] = None; runpy.run_path('script.py')"
)


def of_the_literature(name, monkeypatch):
    monkeypatch.syspath_prepend(str(VERIFY))
    claim = importlib.import_module("quality_literature").claim_in(
        VERIFY / "literature" / f"{name}.py"
    )
    return claim.statement, claim.version, {**claim.benign.instance, **LITERATURE[name]}


def of_a_paper(name, monkeypatch):
    monkeypatch.syspath_prepend(str(VERIFY))
    rows = json.loads((VERIFY / "stripped.json").read_text())["rows"]
    row = next(r for r in rows if r["id"] == name and r["kind"] == "stripped")
    statement = importlib.import_module("quality_rows").beside_one(row)
    return statement, row["version"], row["witness"]


@pytest.mark.parametrize("name", [*LITERATURE, *STRIPPED])
def test_a_finding_is_replayed_by_whoever_has_its_script_alone(name, tmp_path, monkeypatch):
    find = of_the_literature if name in LITERATURE else of_a_paper
    with registry.restored():
        statement, version, instance = find(name, monkeypatch)
        result = judge_check(statement, version, Check("found", instance))
        text = script(statement, result)
    assert result.verdict == "VIOLATED"
    assert len(text.splitlines()) <= LONGEST
    (tmp_path / "script.py").write_text(text)
    bare = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
    done = subprocess.run(
        [sys.executable, "-I", "-c", ALONE], capture_output=True, text=True, cwd=tmp_path, env=bare
    )
    assert done.returncode == 0, done.stderr
    printed = [float(n) for n in re.findall(r"(?:measured|bound) ([-+.e\d]+)", done.stdout)[-2:]]
    assert [*map(plain, printed)] == [plain(result.measured), plain(result.bound)]
    assert (printed[0] > printed[1]) == (result.relation == "<=")
