"""What the README and the pages that it leads to show is what happens."""

import ast
import importlib
import itertools
import json
import pathlib
import re
import runpy
import shlex
import subprocess
import sys
import time
import types

import numpy as np
import pytest

from theorylab import cli, problems, topologies
from theorylab.algorithms import ALGORITHMS
from theorylab.bench import __main__ as benches
from theorylab.data import NAMES
from theorylab.hypergradients import PDBO, bilevel, pdbo
from theorylab.own import is_own
from theorylab.problems._base import PROBLEMS
from theorylab.statements import BUILT_IN, Check
from theorylab.topologies import TOPOLOGIES, topology
from theorylab.verdicts import jobs, judge, judge_check

ROOT = pathlib.Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


def page(name):
    return (ROOT / "docs" / f"{name}.md").read_text()


def block(marker, text):
    found = re.search(rf"<!-- {re.escape(marker)} -->\n```\w*\n(.*?)```", text, re.DOTALL)
    assert found, f"there is no block marked {marker}"
    return found.group(1)


def test_the_readme_is_short_and_leads_to_every_page():
    assert len(README.encode()) <= 8000
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    linked = {name for name in pages if f"docs/{name}" in README}
    further = {name for name in pages for known in linked if f"({name}" in page(known[:-3])}
    assert pages == linked | further
    findings = README.split("## What was found")[1].split("\n\n")[2]
    assert len(findings.splitlines()[2:]) == 3


def test_explain_begins_as_the_readme_shows(capsys):
    install, command, *lines = block("explain", README).splitlines()
    assert install == "$ pip install ."
    assert cli.run(command.split()[2:]) == 0
    assert len(lines) == 10
    assert capsys.readouterr().out.splitlines()[:10] == lines


def test_the_worst_case_of_the_readme_is_what_comes(tmp_path, monkeypatch, capsys):
    command, *lines = block("worst", README).splitlines()
    (tmp_path / "my_method.py").write_text(block("my_method.py", README))
    monkeypatch.chdir(tmp_path)
    assert cli.run(command.split()[2:]) == 0
    # the last digits, and the rank of what the solver found, are the machine's
    digits = re.compile(r"at most [0-9.]+|of \d+ (characters|coordinates)")
    assert digits.sub("", capsys.readouterr().out) == digits.sub("", "\n".join(lines) + "\n")
    checker = [sys.executable, "-I", "check_certificate.py", "certificate-n3-T4.json"]
    done = subprocess.run(checker, cwd="proof", capture_output=True, text=True, check=True)
    assert done.stdout.startswith("PROVED: ")


def test_the_readmes_theorem_holds_with_the_numbers_that_stand_beside_it(tmp_path):
    file = tmp_path / "dgd.py"
    file.write_text(block("dgd.py", README))
    (job,) = jobs([str(file)])
    result = judge(job)
    assert (result.verdict, result.as_expected) == ("HOLDS", True)
    assert f"{result.measured:.3f} against {result.bound:.4f}".replace("0.", ".") in README
    assert len(block("dgd.py", README).splitlines()) <= 25


@pytest.mark.slow
def test_the_picture_of_the_readme_is_that_of_its_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = re.search(r"`theorylab (verify dfedsgpsm.thm1 .* --out results)` draws it", README)
    assert cli.run(command[1].split()) == 0
    (drawn,) = pathlib.Path("results/figures").glob("*.svg")
    assert drawn.read_text() == (ROOT / "docs/thm1.svg").read_text()


def test_a_users_theorem_of_the_pages_is_judged(tmp_path):
    file = tmp_path / "my_theorem.py"
    file.write_text(block("my_theorem.py", page("own-theorem")))
    (job,) = jobs([str(file)])
    result = judge(job)
    assert result.verdict == "HOLDS"
    assert result.as_expected


@pytest.mark.slow
def test_what_falsify_finds_in_a_users_theorem_is_what_the_readme_shows(
    tmp_path, capsys, monkeypatch
):
    ticks = itertools.count().__next__  # a search of so many steps, on any machine
    counted = types.SimpleNamespace(process_time=ticks, monotonic=time.monotonic)
    monkeypatch.setattr(importlib.import_module("theorylab.commands.falsify.work"), "time", counted)
    file = tmp_path / "dgd.py"
    file.write_text(block("dgd.py", README))
    assert cli.run(["falsify", str(file), "--budget", "4000"]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert set(block("falsify dgd.py", README).splitlines()) <= set(shown)


def test_a_users_rate_of_the_pages_is_judged(tmp_path):
    file = tmp_path / "my_rate.py"
    own = page("own-theorem")
    file.write_text(block("my_theorem.py", own) + block("my_rate.py", own))
    (job,) = jobs([str(file)])
    result = judge(job)
    assert (result.id, result.verdict) == ("textbook.cor1", "HOLDS")
    # eta = 1/sqrt(T): the left side is near (f(x^0) - f*)/sqrt(T), less what is left at T
    assert 0.9 < result.measured < 1.0


def test_a_users_metric_of_the_pages_is_measured_on_the_step(tmp_path):
    file = tmp_path / "my_lemma.py"
    file.write_text(block("my_lemma.py", page("own-theorem")))
    (job,) = jobs([str(file)])
    result = judge(job)
    assert (result.id, result.verdict) == ("mine.lem1", "HOLDS")
    # K fair signs of length sigma = 1, each times eta, on a loss without a slope: eta^2 K
    assert result.measured == pytest.approx(0.1**2 * 4, rel=1e-9)
    assert result.bound == pytest.approx((0.1 * 4) ** 2, rel=1e-12)


def test_the_library_snippet_runs(capsys):
    snippet = re.search(r"```python\n(.*?)```", page("library"), re.DOTALL).group(1)
    scope = {}
    exec(compile(snippet, "library.md", "exec"), scope)
    first, last = scope["trace"].columns["loss"].mean(axis=0)[[0, -1]]
    assert last < first
    assert capsys.readouterr().out.count("\n") >= 3


def test_the_verdict_table_shows_every_check_with_its_verdict():
    table = block("verify", page("verdicts"))
    for statement in (BUILT_IN["dfedsgpsm.thm1"], BUILT_IN["dfedsgpsm.lem1"]):
        for version, content in statement.versions.items():
            for check in content.checks:
                row = rf"{re.escape(statement.id)} +{re.escape(version)} +{check.name} +(\w+)"
                found = re.search(row, table)
                assert found, f"verdicts.md lacks {statement.id} [{version}] {check.name}"
                assert found.group(1) == check.expect


def test_the_counterexample_that_is_shown_is_one():
    text = block("falsify", page("verdicts"))
    instance = ast.literal_eval(re.search(r"^instance: (.*)$", text, re.MULTILINE).group(1))
    statement = BUILT_IN["dfedsgpsm.thm1"]
    found = judge_check(statement, "printed", Check("readme", instance))
    assert found.verdict == "VIOLATED"
    assert f"ratio {found.ratio:.4g} " in text


def test_the_instance_of_ones_own_comes_out_as_shown(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    program, *words = shlex.split(block("own-instance", page("verdicts")))
    assert (program, cli.run(words)) == ("theorylab", 1)
    whole = [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    shown = block("own-instance-out", page("verdicts")).splitlines()
    assert whole[: len(shown)] == shown


def test_the_ensembles_that_are_shown_have_uniform_weights_and_two_have_no_messages(tmp_path):
    lines = block("ensembles", page("runs")).replace("\\\n", "").splitlines()
    assert len(lines) == 4
    for number, line in enumerate(lines):
        words = re.sub(r"--(clients|rounds) \d+", r"--\1 4", line)
        target = tmp_path / f"{number}.json"
        assert cli.run([*shlex.split(words)[1:], "--json", str(target)]) == 0, line
    empty = {"edges": [], "weights": "uniform", "allow_disconnected": True}
    networks = topology("sto-d", 4), topology("edge-list", 4, **empty)
    assert np.array_equal(networks[1].matrix(3).toarray(), np.eye(4))  # nobody hears of others
    for number, network in enumerate(networks):
        told = json.loads((tmp_path / f"{number}.json").read_text())
        method = PDBO(1.0, outer_steps=0)  # lambda stays 0, and softmax(0) is uniform
        made = pdbo(bilevel("pdbo-mtl", 4), network, method, rounds=4)
        assert not made.state.lam.any()
        assert told["final"]["test_accuracy"]["mean"] == made.table["test_accuracy"][0, 0]


def test_the_start_is_two_commands():
    commands = re.search(r"```sh\n(.*?)```", README, re.DOTALL).group(1).splitlines()
    assert len(commands) == 2
    assert commands[0].endswith("theorylab verify --quick")
    assert commands[1].endswith("pytest -n auto")


def test_every_registered_name_is_in_the_table_of_names():
    text = page("library").split("| | names |")[1].split("\n\n")[0]
    rows = {row.split("|")[1].strip(): row.split("|")[2] for row in text.splitlines() if "|" in row}
    for kind, registered in (
        ("topologies", [name for name in topologies.names() if TOPOLOGIES.entry(name).built_in]),
        ("problems", [name for name in problems.names() if is_own(PROBLEMS.find(name))]),
        ("algorithms", [name for name in ALGORITHMS if is_own(ALGORITHMS.find(name))]),
        ("data", NAMES),
    ):
        shown = set(re.findall(r"[a-z0-9-]+", rows[kind]))
        assert set(registered) <= shown, f"library.md lacks {kind}: {set(registered) - shown}"


def test_the_engine_table_names_what_the_bench_measures():
    table = block("engine", page("speed"))
    for row in ("logistic", "quadratic", "numpy loop", "torch.func", "metrics", "cost in R", "mlp"):
        assert row in table


def test_the_product_table_names_what_the_bench_measures():
    table = block("glm_hvp", page("speed"))
    for row in ("glm_hvp: n=100 m=600 d=784 k=2", "read", "theorylab out=", "torch bmm"):
        assert row in table


def test_the_gpu_commands_that_are_shown_are_understood(monkeypatch, capsys):
    script = runpy.run_path(str(ROOT / "verify/kernels.py"))
    scripts = {"-m": benches.main, "verify/kernels.py": script["main"]}
    for line in block("gpu", page("install")).splitlines():
        words = line.split()
        monkeypatch.setattr(sys, "argv", [words[1], "--help"])
        with pytest.raises(SystemExit):
            scripts[words[1]]()
        shown = capsys.readouterr().out
        assert all(word in shown for word in words if word.startswith("--")), line
