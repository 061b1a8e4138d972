"""Whatever is wrong with a command line: one line, exit code 2, nothing written, no work done."""

import json
import pathlib

import pytest

from theorylab.commands.refusal import DEBUG
from theorylab.commands.verify import judging
from theorylab.report import folder
from theorylab.report.folder import load

RUN = ("run", "osgp", "--topology", "ring", "--clients", "3", "--rounds", "2", "--eta", ".1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verfy"], "No such command 'verfy'. Did you mean 'verify'"),
        (["--nope"], "No such option"),
        (["verify", "--nope"], "verify: No such option"),
        (["verify", "--seeds"], "verify: Option '--seeds' requires an argument"),
        (["verify", "--seeds", "many"], "verify: Invalid value for '--seeds'"),
        (["verify", "--seeds", "0"], "seeds is 0; need at least 1"),
        (["verify", "--seeds", str(10**22)], "seeds is 10000000000000000000000; need at most"),
        (["falsify", "dfedsgpsm.thm1", "--budget", "inf"], "budget is inf; need seconds"),
        (["verify", "--budget", "inf"], "budget is inf; need gradients > 0, and finite"),
        (
            [*RUN, "--problem", "logistic", "--problem-option", "batch=4611686018427387904"],
            "logistic: batch is 4611686018427387904; need an integer <= 16777216",
        ),
        ([*RUN, "--problem", "log-cosh", "--problem-option", "dim=4294967296"], "<= 2147483648"),
        ([*RUN, "--problem", "log-cosh", "--delay", "2147483648"], "need at most 1000 rounds"),
        ([*RUN, "--problem", "log-cosh", "--set", "local_steps=4294967296"], "need 1 <= K < 2**32"),
        ([*RUN, "--problem", "log-cosh", "--clients", "99999999999"], "need at most 16777216"),
        ([*RUN, "--problem", "log-cosh", "--seeds", "4294967297"], "seeds"),
        (["verify", "--seed", "-1"], "seed is -1; need 0 <= seed"),
        (["verify", "--seed", str(2**64)], "seed is 18446744073709551616"),
        (["verify", "--jobs", "0"], "--jobs is 0; need at least 1"),
        (["verify", "--budget", "0"], "budget is 0"),
        (["verify", "--budget", "nan"], "budget"),
        (["verify", "dfedsgpsm.thm2"], "'dfedsgpsm.thm2'; did you mean dfedsgpsm.thm1"),
        (["verify", "statements"], "no statement, but a list; need theorylab list statements"),
        (["verify", "zzz*"], "no statement 'zzz*'; need a paper or an id that list shows"),
        (["verify", "missing.py"], "missing.py: no such file"),
        (["list", "dfedsgpsm.lem9"], "did you mean dfedsgpsm.lem"),
        (["constants"], "constants: Missing argument 'TOPOLOGY'"),
        (["constants", "ring"], "--clients is missing"),
        (["constants", "ring", "--clients", "0"], "--clients is 0; need at least 1"),
        (["constants", "ring", "--clients=8", "--horizon=0"], "horizon is 0; need at least 1"),
        (["constants", "rong", "--clients", "8"], "topology: no 'rong'; did you mean ring"),
        (["constants", "ring", "--clients", "8", "--degree", "3"], "no option 'degree'"),
        (["constants", "random-out", "--clients", "4", "--degree", "9"], "degree is 9"),
        (["constants", "ring", "--clients", "8", "--option", "weights"], "need NAME=VALUE"),
        (["constants", "ring", "--clients", "8", "--option", "weights=odd"], "weights"),
        (["constants", "missing.json"], "missing.json"),
        (["bench", "push_mox"], "no kernel 'push_mox'; did you mean push_mix"),
        (["report"], "report: Missing argument 'DIR'"),
        (["report", "nowhere"], "no such file"),
        (["doctor", "extra"], "doctor: "),
    ],
)  # fmt: skip
def test_bad_input_is_named_in_one_line(refused, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in refused(*arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--out", "--json"])
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    refused, judged, make, tmp_path, option
):
    calls = judged([make()])
    (tmp_path / "file").write_text("mine")
    line = refused("verify", option, tmp_path / "file" / "x")
    assert option in line
    assert calls == []
    assert (tmp_path / "file").read_text() == "mine"


def test_json_into_a_missing_directory_is_refused_before_the_work(refused, judged, make, tmp_path):
    calls = judged([make()])
    for target in (tmp_path / "none" / "x.json", tmp_path):
        assert f"--json {target}" in refused("verify", "--json", target)
    assert calls == []
    for others in (["list"], ["doctor"], ["constants", "ring", "--clients", "3"], ["bench"]):
        assert "none is no directory" in refused(*others, "--json", tmp_path / "none" / "x.json")


def test_out_that_is_a_file_is_refused(refused, judged, make, tmp_path):
    judged([make()])
    (tmp_path / "out").write_text("mine")
    assert "--out" in refused("verify", "--out", tmp_path / "out")


def test_a_store_that_is_no_database_is_refused(refused, judged, make, tmp_path):
    calls = judged([make()])
    (tmp_path / "results.sqlite").write_bytes(b"not a database " * 1000)
    assert "no whole database of results" in refused("verify", "--out", tmp_path)
    assert calls == []


@pytest.mark.parametrize("text", ["", "{", '{"schema": 2, "results": []}', '{"schema": 1}'])
def test_a_broken_results_file_is_refused_and_left_alone(refused, tmp_path, text):
    (tmp_path / "results.json").write_text(text)
    assert str(tmp_path / "results.json") in refused("report", tmp_path)
    assert (tmp_path / "results.json").read_text() == text
    assert not (tmp_path / "index.html").exists()


def test_an_edge_list_that_is_wrong_is_refused(refused, tmp_path):
    path = tmp_path / "graph.json"
    for content in ("{", json.dumps({"clients": 2}), json.dumps({"clients": 2, "edges": [[0, 5]]})):
        path.write_text(content)
        assert "graph.json" in refused("constants", path)


@pytest.mark.skipif(not pathlib.Path("/dev/zero").exists(), reason="needs a file without end")
@pytest.mark.parametrize("command", [("replay",), ("run", "--config"), ("constants",)])
def test_a_document_without_end_is_refused_before_it_fills_the_memory(refused, tmp_path, command):
    endless = tmp_path / "link.json"
    endless.symlink_to("/dev/zero")
    assert "more than 268435456 bytes" in refused(*command, endless)
    part = {"name": "edge-list", "path": str(endless)}  # a stranger's file names it
    whole = {"algorithm": "sgp", "problem": "quadratic", "topology": part, "rounds": 1}
    (tmp_path / "c.json").write_text(json.dumps(whole))
    assert "more than 268435456 bytes" in refused("run", "--config", tmp_path / "c.json")


def test_a_wrong_instance_in_a_file_of_ones_own_is_bad_input(refused, judged, make, monkeypatch):
    judged([make()])
    for kind in (ValueError, TypeError):
        text = "dfedsgpsm.thm1 [printed] worked-example: problem: need dim > 0"
        monkeypatch.setattr("theorylab.commands.verify.judging.judge", _raiser(text, kind))
        assert refused("verify") == f"theorylab: {text}\n"


def _raiser(text, kind=ValueError):
    def judge(job, progress=None):
        raise kind(text)

    return judge


def test_a_fault_of_the_program_is_one_line_with_exit_code_3(run, judged, make, monkeypatch):
    judged([make()])
    monkeypatch.setattr("theorylab.commands.verify.judging.judge", _raiser("negative\ndimensions"))
    done = run("verify")
    assert (done.code, done.out) == (3, "")
    name = "dfedsgpsm.thm1 [printed] worked-example"
    assert done.err.startswith(f"theorylab: {name}: internal: ValueError: negative dimensions; ")
    assert done.err.count("\n") == 1
    assert "THEORYLAB_DEBUG=1" in done.err
    monkeypatch.setenv(DEBUG, "1")
    done = run("verify")
    assert done.code == 3
    assert "Traceback" in done.err


def test_an_interrupt_is_one_line_with_exit_code_130(run, judged, make, monkeypatch, tmp_path):
    judged([make(), make(check="second")])
    judge = judging.judge

    def interrupted(job, progress=None):
        if job.check == "second":
            raise KeyboardInterrupt
        return judge(job)

    monkeypatch.setattr("theorylab.commands.verify.judging.judge", interrupted)
    done = run("verify", "--out", tmp_path)
    assert (done.code, done.out) == (130, "")
    assert done.err.splitlines()[-1].startswith("theorylab: interrupted")
    assert [each.check for each in load(tmp_path / "results.json").results] == ["worked-example"]
    page = (tmp_path / "index.html").read_text()  # of what was judged, and of no more
    assert "theorylab report: 1 check</title>" in page
    assert "Not judged: 1 of the checks, as the command was interrupted." in page
    assert "as the command was interrupted" in (tmp_path / "dfedsgpsm.html").read_text()
    assert "not judged" in load(tmp_path / "results.json").origin
    assert (tmp_path / "dfedsgpsm.html").is_file()


def test_an_interrupt_while_the_pages_are_written_leaves_the_whole_report(
    run, judged, make, monkeypatch, tmp_path
):
    judged([make()])
    papers, calls = folder.papers, []

    def interrupted(results):
        calls.append(None)
        if len(calls) == 2:  # in the end, before results.json
            raise KeyboardInterrupt
        return papers(results)

    monkeypatch.setattr(folder, "papers", interrupted)
    assert run("verify", "--out", tmp_path).code == 130
    assert len(load(tmp_path / "results.json").results) == 1
    page = (tmp_path / "index.html").read_text()
    assert "theorylab report: 1 check</title>" in page
    assert "Not judged" not in page


def test_a_papers_page_is_there_while_the_next_paper_is_judged(
    run, judged, make, monkeypatch, tmp_path
):
    judged([make(), make(id="mine.thm1")])
    judge, seen = judging.judge, []

    def looked(job, progress=None):
        seen.append(len([*tmp_path.glob("*.html")]))
        return judge(job)

    monkeypatch.setattr(judging, "judge", looked)
    run("verify", "--out", tmp_path, "--jobs", 1)
    assert seen == [0, 1]


@pytest.mark.parametrize("reason", ["Unable to allocate 7.45 GiB", ""])
def test_no_memory_is_no_fault_of_the_program(refused, monkeypatch, reason):
    def short(*_):
        raise MemoryError(reason)

    monkeypatch.setattr("theorylab.doctor.examined", short)
    line = refused("doctor")
    assert line.startswith("theorylab: out of memory")
    assert reason in line
