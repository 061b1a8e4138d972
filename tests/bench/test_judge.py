"""The bench of what verdicts cost."""

import json
from pathlib import Path

import pytest

from theorylab.bench import BENCHES
from theorylab.bench._checkout import beside
from theorylab.bench._process import CLI, Spent, spent
from theorylab.verdicts import Report, jobs, selected
from theorylab.verdicts import judge as judge_job

judge, judged = beside("judge"), beside("judged")


def test_each_of_the_eight_is_a_check_and_two_are_of_each_paper():
    papers = [name.split(".")[0] for name, _, _ in judged.EIGHT]
    assert sorted(papers) == sorted([*dict.fromkeys(papers)] * 2)
    for name, version, check in judged.EIGHT:
        assert check in {c.name for c in selected([name])[name][0].versions[version].checks}


def test_what_is_judged_is_counted_and_what_is_refused_is_not(monkeypatch):
    known = judge_job(jobs(["dfedsgpsm.lem4_update"], check="signs")[0])
    slow = [known.model_copy(update={"seconds": float(k), "check": f"c{k}"}) for k in range(12)]

    def process(words, **_):
        output = {"checks": {"a": {"seconds": [3.0, 9.0]}}, "rates": {"b": 40.0}}.get(words[1], {})
        if "--json" in words:
            report = Report(schema=1, results=slow, not_run=[])
            Path(words[words.index("--json") + 1]).write_text(report.to_json())
        return Spent(3.0, 2.0, 0.0, 0.0, json.dumps(output))

    monkeypatch.setattr(judge, "spent", process)
    record = BENCHES["judge"](quick=True)
    cases = {case["name"]: case for case in record["cases"]}
    assert cases["pages of all of these"] == {
        "name": "pages of all of these", "value": 2.0, "processor": 3.0, "target": 8.0,
    }  # fmt: skip
    assert cases["instances judged a second: median"]["value"] == 40.0
    assert cases["processor time of a check: median"]["value"] == 3.0
    dearest = [c["value"] for name, c in cases.items() if "[printed] c" in name]
    assert dearest == [11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0]
    assert cases["verify --quick: wall of 12 checks"]["value"] == 2.0
    assert judge.render(record).row_count == len(record["cases"])


def test_an_instance_that_is_refused_is_not_counted_and_one_that_is_judged_is(monkeypatch):
    one = judged.EIGHT[1]
    assert judged.rate(*one, seconds=0.2) > 0
    assert judged.rate(one[0], "of-another-checkout", one[2], seconds=0.2) > 0
    assert judged.rate(*one[:2], "no-such-check", seconds=0.05) is None
    monkeypatch.setattr("theorylab.falsify.score.judge_check", lambda *_, **__: 1 / 0)
    monkeypatch.setattr("theorylab.falsify.score.Screen.__call__", lambda *_: 1 / 0)
    assert judged.rate(*judged.EIGHT[0], seconds=0.05) == 0


def test_both_sides_of_a_check_are_kept_to_the_bit():
    checks = judged.checks(["dfedsgpsm.lem4_weight"])
    for job in jobs(["dfedsgpsm.lem4_weight"], quick=True):
        result = judge_job(job)
        kept = checks.pop(f"{job.id} [{job.version}] {job.check}")
        assert [float.fromhex(side) for side in kept["sides"][:2]] == [
            result.measured, result.bound,
        ]  # fmt: skip
        assert min(kept["seconds"]) > 0
    assert not checks


def test_a_process_is_told_by_its_end_and_its_first_line(tmp_path):
    with pytest.raises(OSError, match=r"verify no\.such: exit code 2: theorylab: no statement"):
        spent(["-c", CLI, "verify", "no.such"])
    (tmp_path / "theorylab").mkdir()
    (tmp_path / "theorylab" / "__init__.py").touch()
    spin = "while time.process_time() < {}: pass\n"
    text = (
        "import os, time, theorylab\n" + spin.format(0.2) + "print(theorylab.__file__, "
        "len(os.sched_getaffinity(0)), flush=True)\n" + spin.format(0.5) + "print('end')"
    )
    used = spent(["-c", text], checkout=tmp_path, first=True)
    assert used.output == f"{tmp_path}/theorylab/__init__.py 1\nend\n"
    assert 0.2 <= used.first_processor <= used.processor
    assert used.processor >= 0.5
    assert 0.2 <= used.first_wall <= used.wall
