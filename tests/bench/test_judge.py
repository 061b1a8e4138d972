"""The bench of what verdicts cost."""

from pathlib import Path

import pytest

from theorylab.bench import BENCHES
from theorylab.bench._checkout import beside
from theorylab.verdicts import Report, jobs, selected
from theorylab.verdicts import judge as judge_job

judge = beside("judge")


def test_each_of_the_eight_is_a_check_and_two_are_of_each_paper():
    papers = [name.split(".")[0] for name, _, _ in judge.EIGHT]
    assert sorted(papers) == sorted([*dict.fromkeys(papers)] * 2)
    for name, version, check in judge.EIGHT:
        assert check in {c.name for c in selected([name])[name][0].versions[version].checks}


def test_what_is_judged_is_counted_and_what_is_refused_is_not(monkeypatch):
    monkeypatch.setattr(judge, "EIGHT", judge.EIGHT[1:2])
    known = judge_job(jobs(["dfedsgpsm.lem4_update"], check="signs")[0])
    slow = [known.model_copy(update={"seconds": float(k), "check": f"c{k}"}) for k in range(12)]

    def command(*words):
        if "--json" in words:
            report = Report(schema=1, results=slow, not_run=[])
            Path(words[words.index("--json") + 1]).write_text(report.to_json())
        return 2.0, 3.0

    monkeypatch.setattr(judge, "_command", command)
    monkeypatch.setattr(judge, "_SOME", "dfedsgpsm.lem4_update")
    record = BENCHES["judge"](quick=True)
    cases = {case["name"]: case for case in record["cases"]}
    assert cases["instances judged a second: median"]["value"] > 0
    assert cases["pages of all of these"] == {
        "name": "pages of all of these", "value": 2.0, "processor": 3.0, "target": 10.0,
    }  # fmt: skip
    assert 0 < cases["processor time of a check: median"]["value"] < 60
    dearest = [c["value"] for name, c in cases.items() if "[printed] c" in name]
    assert dearest == [11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0]
    assert cases["verify --quick: wall of 12 checks"]["value"] == 2.0
    assert judge.render(record).row_count == len(record["cases"])
    monkeypatch.setattr("theorylab.falsify.score.judge_check", lambda *_, **__: 1 / 0)
    monkeypatch.setattr("theorylab.falsify.score.Screen.__call__", lambda *_: 1 / 0)
    assert judge._rate(*judge.EIGHT[0], seconds=0.05)["rate"] == 0


def test_a_command_that_fails_is_named():
    with pytest.raises(OSError, match=r"bench judge: verify no\.such: exit code 2: "):
        judge._command("verify", "no.such")
