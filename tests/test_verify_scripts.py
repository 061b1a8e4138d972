"""The scripts of verify/ run, and what they print is what theory says where it is known."""

import json
import pathlib
import runpy
import subprocess
import sys

import numpy as np
import pytest

VERIFY = pathlib.Path(__file__).resolve().parents[1] / "verify"


def run(name, *arguments):
    done = subprocess.run(
        [sys.executable, str(VERIFY / name), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def run_here(capsys, monkeypatch):
    """``run`` without a process of its own, for what ends before it does anything."""

    def run(name, *arguments):
        monkeypatch.setattr(sys, "argv", [str(VERIFY / name), *arguments])
        with pytest.raises(SystemExit) as end:
            runpy.run_path(sys.argv[0], run_name="__main__")
        return end.value.code, *capsys.readouterr()

    return run


@pytest.mark.parametrize("paper", ["dfedsgpsm", "dfedpgp", "dfedalt", "deprl", "pdbo"])
def test_a_papers_script_takes_the_options_of_verify(paper, run_here):
    code, _, err = run_here(f"{paper}.py", "--seeds", "0")
    assert code == 2
    assert err == "theorylab: verify: seeds is 0; need at least 1\n"


def test_pdbo_digits_has_one_split_and_baselines_that_are_lambda_0(tmp_path):
    code, out, err = run(
        "pdbo_digits.py",
        *("--clients", "4", "--seeds", "2", "--outer-steps", "1", "--rounds", "12", "--terms", "2"),
        *("--steps", ".02", "--networks", "fc,sto-d", "--out", str(tmp_path)),
    )
    assert code == 0, err
    found = json.loads((tmp_path / "pdbo_digits.json").read_text())["found"]
    assert set(found["fc"]) - set(found["sto-d"]) == {"FedAvg+"}
    for entries in found.values():
        for row, start in (("DA", "SGP"), ("MTL", "SGP-MTL"), ("MTL&DA", "SGP-MTL")):
            first = entries[f"PDBO-{row}"]["curves"]["test_accuracy"][0]
            assert first == pytest.approx(np.mean(entries[start]["accuracy"]), rel=1e-15)
        assert entries["Local"] == found["fc"]["Local"]
    assert all(row in out for row in ("PDBO-MTL&DA", "Local-MTL", "FedAvg+", "on lambda = 0"))


def test_pdbo_digits_refuses_bad_input(run_here):
    for flags, message in (
        (("--networks", "ring"), "--networks: 'ring'; need some of fc, fix-u, sto-u, sto-d"),
        (("--steps", "a"), "--steps is 'a'; need numbers"),
        (("--seeds", "1"), "--seeds is 1; need at least 2"),
        (("--outer-steps", "-1"), "pdbo_digits: pdbo: outer_steps is -1; need an integer >= 0"),
        (("--model", "x"), "pdbo_digits: bilevel: no model 'x'"),
    ):
        code, out, err = run_here("pdbo_digits.py", *flags)
        assert (code, out) == (2, "")
        assert message in err


def test_instances_prints_a_row_a_version_and_resumes(tmp_path):
    table = tmp_path / "instances.json"
    asked = ("--only", "dfedsgpsm.lem3_f*", "--count", "5", "--budget", "600", "--json", str(table))
    code, out, err = run("instances.py", *asked)
    assert code == 0, err
    (row,) = json.loads(table.read_text())["rows"]
    assert (row["id"], row["version"]) == ("dfedsgpsm.lem3_factor", "printed")
    assert (row["judged"], row["VIOLATED"]) == (5, 0)
    assert 0 < row["ratio"] <= 1
    row["seconds"] = 1234.5  # what is in the table is not drawn again
    table.write_text(json.dumps({"rows": [row]}))
    code, out, _ = run("instances.py", *asked)
    assert code == 0
    assert "1234" in out
    assert "0 versions with fewer than 5" in out


def test_instances_refuses_bad_input(tmp_path, run_here):
    other = tmp_path / "other.json"
    other.write_text("[]")
    for flags, message in (
        (("--count", "0"), "instances: need --budget > 0, --count >= 1 and --seed >= 0"),
        (("--only", "x*"), "instances: --only 'x*' matches no true statement"),
        (("--json", str(other)), f"instances: --json {other}: "),
        (("--json", str(tmp_path / "no" / "such.json")), "instances: --json "),
    ):
        code, out, err = run_here("instances.py", *flags)
        assert (code, out) == (2, "")
        assert err.startswith(message)
        assert err.count("\n") == 1
