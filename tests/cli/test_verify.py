"""What ``verify`` and ``report`` leave behind and exit with; the judge is a stand-in."""

import json
import pathlib
import sqlite3

import pytest

from theorylab.commands.verify import judging
from theorylab.commands.verify import work as command
from theorylab.report import folder
from theorylab.verdicts import Report


@pytest.mark.parametrize(
    ("verdicts", "code", "words"),
    [
        ([("VIOLATED", "VIOLATED"), ("HOLDS", "HOLDS")], 0, "2 as expected"),
        ([("VIOLATED", "HOLDS"), ("HOLDS", "HOLDS")], 1, "1 as expected, 1 different"),
        ([("INCONCLUSIVE", "HOLDS"), ("HOLDS", "HOLDS")], 4, "1 as expected, 1 undecided"),
        ([("INCONCLUSIVE", "HOLDS"), ("VACUOUS", "HOLDS")], 1, "1 different, 1 undecided"),
        ([("INCONCLUSIVE", "INCONCLUSIVE")], 0, "1 as expected"),
    ],
)
def test_the_exit_code_is_said_in_the_last_line(run, judged, make, verdicts, code, words):
    judged([make(check=f"c{i}", verdict=v, expected=e) for i, (v, e) in enumerate(verdicts)])
    done = run("verify")
    assert done.code == code
    last = done.out.splitlines()[-1]
    many = "check" if len(verdicts) == 1 else "checks"
    assert last.startswith(f"{len(verdicts)} {many}: {words}. Exit code {code}: ")


def test_the_table_names_every_check_and_the_reason_of_each_that_differs(run, judged, results):
    judged(results)
    done = run("verify")
    for result in results:
        assert all(text in done.out for text in (result.id, result.version, result.check))
    assert "10^312.4" in done.out
    assert "0.2 .. 1.9" in done.out
    assert "lem1 [printed] momentum: HOLDS, expected VIOLATED: the measured" in done.out
    assert "[corrected] sam-momentum-noise: INCONCLUSIVE, expected HOLDS: the int" in done.out


def test_a_pipe_has_no_progress_and_with_long_a_plain_line_a_check(run, judged, results):
    judged(results)
    assert run("verify").err == ""
    lines = run("verify", "--long").err.splitlines()
    assert len(lines) == len(results)
    assert lines[0] == (
        "[1/6] dfedsgpsm.thm1 [printed] worked-example: VIOLATED (as expected, 1.2 s)"
    )


def test_json_on_stdout_is_json_only_and_the_same_in_two_runs(run, judged, results):
    judged(results)
    first = run("verify", "--json", "-")
    assert Report.model_validate_json(first.out).results == results
    assert first.err.splitlines()[-1].startswith("6 checks: ")
    assert run("verify", "--json", "-").out == first.out


def test_out_holds_results_store_figures_pages_and_tables_and_report_makes_them_again(
    run, judged, results, make, tmp_path
):
    judged([*results, make(id="mine.thm1")])
    out = tmp_path / "new" / "out"
    done = run("verify", "--out", out, "--json", tmp_path / "copy.json")
    assert done.code == 1
    assert (out / "results.json").read_bytes() == (tmp_path / "copy.json").read_bytes()
    assert sorted(p.name for p in out.iterdir()) == [
        *("dfedsgpsm.html", "figures", "index.html", "mine.html"),
        *("results.json", "results.sqlite", "tables.tex"),
    ]
    made = [*out.glob("*.html"), out / "tables.tex", *(out / "figures").iterdir()]
    before = {path: path.read_bytes() for path in made}
    assert len(before) == 3 + 1 + 5
    for path in made:
        path.unlink()
    assert run("report", out).code == 0
    assert {path: path.read_bytes() for path in made} == before


def test_a_statement_of_ones_own_has_a_page(run, tmp_path):
    own = (pathlib.Path(__file__).parents[1] / "verdicts" / "user_theorem.py").read_text()
    own = own.replace("2 * (f0", "(f0 - f_star) / (T * eta) / 1000 + 0 * (f0")
    (tmp_path / "own.py").write_text(own.replace('"HOLDS"', '"VIOLATED"'))
    assert run("verify", tmp_path / "own.py", "--out", tmp_path / "out").code == 0
    page = (tmp_path / "out" / "textbook.html").read_text()
    for text in ("textbook.thm1", "one-quadratic", "falsify FILE.py --version printed"):
        assert text in page
    tables = (tmp_path / "out" / "tables.tex").read_text()
    assert "\ntextbook.thm1 & printed & VIOLATED & $" in tables


def test_what_is_finished_is_not_judged_again(run, judged, results, tmp_path):
    calls = judged(results[:3])
    judge = judging.judge

    def power_cut(job, progress=None):
        if job.version == "printed/sgp":
            raise RuntimeError("power cut")
        return judge(job)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "judge", power_cut)
        assert run("verify", "--out", tmp_path).code == 3
    assert len(calls) == 2
    done = run("verify", "--out", tmp_path, "--long")
    assert [job.version for job in calls[2:]] == ["printed/sgp"]
    assert "(as expected, stored)" in done.err
    assert folder.load(tmp_path / "results.json").results == results[:3]  # the order of the jobs


def test_a_damaged_row_is_told_and_judged_again(run, judged, results, tmp_path):
    calls = judged(results[:2])
    run("verify", "--out", tmp_path)
    with sqlite3.connect(tmp_path / "results.sqlite") as database:
        database.execute(
            "UPDATE cells SET row = replace(row, '0.6089', '0.1089') "
            "WHERE point LIKE '%worked-example%'"
        )
    database.close()
    done = run("verify", "--out", tmp_path)
    assert [job.check for job in calls[2:]] == ["worked-example"]
    assert "results.sqlite: 1 rows and 0 texts are damaged, and made again" in done.err
    assert folder.load(tmp_path / "results.json").results == results[:2]


def test_another_seed_is_another_row(run, judged, make, tmp_path):
    calls = judged([make()])
    for _ in range(2):
        run("verify", "--out", tmp_path)
    assert len(calls) == 1
    other = command.Job("dfedsgpsm.thm1", "printed", "worked-example", None, 64, 1, 1.0)
    with pytest.MonkeyPatch.context() as patch:
        seen = []
        patch.setattr(command, "jobs", lambda *_, **__: [other])
        patch.setattr(judging, "judge", lambda job, progress=None: seen.append(job) or make())
        run("verify", "--out", tmp_path)
    assert seen == [other]


def test_a_failure_while_writing_keeps_the_old_page(run, judged, make, tmp_path, monkeypatch):
    judged([make()])
    run("verify", "--out", tmp_path)
    page = (tmp_path / "index.html").read_bytes()
    judged([make(check="new")])

    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder, "write_atomic", full)
    done = run("verify", "--out", tmp_path)
    assert done.code == 2
    assert "no space left on device" in done.err
    assert (tmp_path / "index.html").read_bytes() == page


def test_quick_that_leaves_nothing_is_refused(refused, judged):
    judged([])
    assert "no check of deprl.thm1 is left with --quick" in refused(
        "verify", "deprl.thm1", "--quick"
    )


def test_options_reach_the_jobs(run, make, monkeypatch):
    seen = {}

    def jobs(selection, **options):
        seen.update(options, selection=selection)
        return [command.Job("a.b", "printed", "c", None, 1, 0, 1.0)]

    monkeypatch.setattr(command, "jobs", jobs)
    monkeypatch.setattr(judging, "judge", lambda job, progress=None: make())
    run(
        "verify",
        "deprl.thm1",
        "pdbo.*",
        "--seeds",
        3,
        "--seed",
        7,
        "--budget",
        2.5,
        "--quick",
        "--json",
        "-",
    )
    expected = {
        "selection": ["deprl.thm1", "pdbo.*"],
        "seeds": 3,
        "seed": 7,
        "budget": 2.5,
        "quick": True,
    }
    assert seen == {**expected, "versions": (), "check": None}


def test_the_json_of_the_folder_has_the_schema(run, judged, make, tmp_path):
    judged([make()])
    run("verify", "--out", tmp_path)
    content = json.loads((tmp_path / "results.json").read_text())
    assert content["schema"] == 1
    assert content["results"][0]["ci"] == [0.6089, 0.6089]


def test_a_name_in_brackets_is_no_markup(run, judged, make):
    judged([make(check="[red]odd[/red]", verdict="HOLDS", reason="[/bold]")])
    done = run("verify", "--long")
    assert done.out.count("[red]odd[/red]") == 3  # the row, the reason below the table, a command
    assert "[red]odd[/red]: HOLDS" in done.err


def test_a_narrow_terminal_gets_whole_names_and_verdicts(run, judged, results, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    judged(results)
    lines = run("verify").out.splitlines()
    assert all(len(line) <= 80 for line in lines if line.startswith("  "))
    for result in results:
        assert any(f" {result.version} {result.check} " in line for line in lines)
        assert any(f" {result.verdict} " in line for line in lines)
