"""What ``verify`` prints of the whole catalogue: a theorem a paper, and what is not as expected."""

import pathlib
import re
import runpy

import pytest

from theorylab.cli import COMMANDS
from theorylab.commands.verify.terminal import MANY
from theorylab.report.standing import exit_meaning
from theorylab.report.tally import expected_claims, tally
from theorylab.statements import BUILT_IN, worst_of
from theorylab.verdicts import NotRun, jobs
from theorylab.verdicts.catalogue import statement_of
from theorylab.words import Verdict

make_one = runpy.run_path(str(pathlib.Path(__file__).parents[1] / "report/conftest.py"))["make"]
PAPERS = list(dict.fromkeys(name.partition(".")[0] for name in BUILT_IN))
THEOREMS = {paper: f"{paper}.thm1" for paper in PAPERS} | {"dfedsalt": "dfedsalt.thm2"}


@pytest.fixture(scope="module")
def catalogue():
    """A result of every quick check, as it is expected to be; none is judged."""
    results = []
    for job in jobs([], quick=True):
        version = statement_of(job.id).versions[job.version]
        check = next(each for each in version.checks if each.name == job.check)
        causes = version.causes_of(check)
        worst = worst_of(causes) or ""
        against = Verdict[check.expect].tells_against(worst)
        results.append(
            make_one(
                id=job.id,
                version=job.version,
                check=job.check,
                verdict=check.expect,
                expected=check.expect,
                control=check.control,
                severity=worst if against else "",
                causes=[cause.id for cause in causes],
            )
        )
    return results


def lines(text):
    return [line for line in text.splitlines() if line.strip()]


def row(done, theorem):
    """The cells of the theorem's row."""
    (found,) = (line for line in lines(done.out) if line.split()[0] == theorem)
    return re.split(r"\s{2,}", found.strip())


def test_the_whole_catalogue_is_a_screen_with_a_theorem_a_paper_and_silent_in_a_pipe(
    run, judged, catalogue
):
    judged(catalogue)
    done = run("verify", "--quick", "--jobs", 1)
    assert (done.code, done.err) == (0, "")
    assert len(lines(done.out)) <= 18
    for paper in PAPERS:
        theorem = THEOREMS[paper]
        versions = BUILT_IN[theorem].versions
        own = [r for r in catalogue if r.id == theorem]
        assert row(done, theorem)[1] in {r.verdict for r in own if r.severity}
        cell = row(done, theorem)[2].partition(" (wrong order without --quick)")[0]
        severity, _, clause = cell.partition(": ")
        causes = [c for v in versions.values() for c in v.causes]
        assert (severity, clause) in [(c.severity.value, c.clause) for c in causes]
    count = tally(expected_claims()).total
    quick = f"{len({r.id for r in catalogue})} statements are false as printed"
    assert re.match(r"\d+", counts := " ".join(lines(done.out)[8:12]))
    assert quick in counts
    assert int(counts.split()[0]) <= count
    last = f"{len(catalogue)} checks: {len(catalogue)} as expected. Exit code 0: {exit_meaning(0)}."
    assert lines(done.out)[-1] == last


def test_statements_without_a_quick_check_are_counted(run, judged, catalogue):
    judged(catalogue)
    left_out = len(BUILT_IN) - len({r.id for r in catalogue})
    assert left_out > 1
    line = f"{left_out} more statements have no quick check; --quick leaves them out."
    assert line in lines(run("verify", "--quick", "--jobs", 1).out)
    assert "no quick check" not in run("verify", "--jobs", 1).out


def test_a_worse_fault_of_a_check_that_is_not_quick_is_told(run, judged, catalogue):
    judged(catalogue)
    quick, whole = run("verify", "--quick", "--jobs", 1), run("verify", "--jobs", 1)
    cell = row(whole, "deprl.thm1")[2]
    assert cell.startswith("missing hypothesis: ")
    assert row(quick, "deprl.thm1")[2] == f"{cell} (wrong order without --quick)"
    assert [line for line in lines(quick.out) if "without --quick" in line] == [
        line for line in lines(quick.out) if line.split()[0] == "deprl.thm1"
    ]
    alone = run("verify", "--quick", "--version", "corrected", "--jobs", 1)
    assert "without --quick" not in alone.out  # nor would it be told without it


def test_a_theorem_whose_printed_version_was_not_judged_is_not_called_unrefuted(
    run, judged, catalogue
):
    judged([each for each in catalogue if each.version == "corrected"])
    done = run("verify", "--version", "corrected", "--jobs", 1)
    assert row(done, "dfedsgpsm.thm1")[1] == "HOLDS"
    assert "not refuted as printed" not in done.out


def test_the_commands_that_are_named_next_are_commands(run, judged, catalogue, tmp_path):
    judged(catalogue)
    shown = lines(run("verify", "--quick", "--jobs", 1, "--out", tmp_path / "out").out)
    told = dict(line.split(":", 1) for line in shown if "  theorylab " in line or ".html" in line)
    page = told.pop("Pages of all results").strip()
    assert pathlib.Path(page).is_file()
    assert told.pop("Why one is false").split() == ["theorylab", "explain", "dfedsgpsm.thm1"]
    for line in told.values():
        _, name, *words = line.partition(" (")[0].split()
        hints = COMMANDS[name].hints()
        assert all(word.lstrip("-") in hints for word in words if word.startswith("-"))


@pytest.mark.parametrize(
    ("verdict", "code", "word"), [("VACUOUS", 1, "different"), ("INCONCLUSIVE", 4, "undecided")]
)
def test_a_check_that_is_not_as_expected_is_shown_with_its_reason(
    run, judged, catalogue, verdict, code, word
):
    at = next(k for k, r in enumerate(catalogue) if r.expected == "VIOLATED" and k > 700)
    odd = catalogue[at].model_copy(update={"verdict": verdict, "reason": "nine is below ten"})
    judged([*catalogue[:at], odd, *catalogue[at + 1 :]])
    done = run("verify", "--quick", "--jobs", 1)
    assert done.code == code
    name = f"{odd.id} [{odd.version}] {odd.check}"
    assert f"{name}: {verdict}, expected VIOLATED: nine is below ten" in lines(done.out)
    assert f"{len(catalogue) - 1} as expected, 1 {word}. Exit code {code}: " in lines(done.out)[-1]


def test_a_theorem_that_is_not_run_says_so_in_its_row_and_one_that_holds_in_its(
    run, judged, catalogue
):
    first = next(r for r in catalogue if r.id == "dfedsgpsm.thm1")
    left_out = NotRun(
        id=first.id, version=first.version, check=first.check, extra="data", reason="no images"
    )
    true = {"verdict": "HOLDS", "expected": "HOLDS", "severity": "", "causes": []}
    others = [
        r.model_copy(update=true) if r.id == "deprl.thm1" else r
        for r in catalogue
        if r.id != first.id
    ]
    judged([left_out, *others])
    done = run("verify", "--jobs", 1)
    assert done.code == 0
    assert row(done, "dfedsgpsm.thm1")[1] == "not run: needs extra data"
    assert row(done, "deprl.thm1")[1:] == ["HOLDS", "not refuted as printed"]
    assert "1 not run (need pip install 'theorylab[data]')" in lines(done.out)[-1]


def test_long_shows_every_check(run, judged, catalogue):
    judged(catalogue)
    done = run("verify", "--long", "--jobs", 1)
    starts = {tuple(line.split()[:2]) for line in lines(done.out)}
    assert {(r.version, r.check.split()[0]) for r in catalogue} <= starts


def test_verdicts_that_were_asked_for_have_a_row_a_version(run, judged, catalogue):
    judged(catalogue)
    done = run("verify", "--only", "violated", "--jobs", 1)
    starts = {tuple(line.split()[:2]) for line in lines(done.out)}
    assert {(r.id, r.version) for r in catalogue if r.verdict == "VIOLATED"} <= starts
    assert not {(r.id, r.version) for r in catalogue if r.verdict == "UNSATISFIABLE"} & starts


def test_some_checks_alone_say_not_how_many_statements_are_false(run, judged, catalogue):
    judged(catalogue)
    done = run("verify", "--only", "holds", "--jobs", 1)
    assert len(lines(done.out)) > MANY
    assert "false as printed" not in done.out


def test_one_paper_has_a_row_a_version(run, judged, catalogue):
    own = [r for r in catalogue if r.id.startswith("pdbo.")]
    assert len({(r.id, r.version) for r in own}) > MANY
    judged(own)
    done = run("verify", "pdbo.*", "--jobs", 1)
    starts = {tuple(line.split()[:2]) for line in lines(done.out)}
    assert {(r.id, r.version) for r in own} <= starts


def test_a_few_statements_of_two_papers_have_a_row_a_version(run, judged, make):
    results = [make(id=name, check=f"c{k}") for name in ("one.thm1", "two.thm1") for k in range(21)]
    judged(results)
    done = run("verify", "--jobs", 1)
    starts = [line.split()[:3] for line in lines(done.out)]
    assert ["one.thm1", "printed", "VIOLATED"] in starts
    assert ["two.thm1", "printed", "VIOLATED"] in starts
    assert len(lines(done.out) + lines(done.err)) <= 20


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_narrow_terminal_folds_rows_and_prose(run, judged, catalogue, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    judged(catalogue)
    done = run("verify", "--jobs", 1)
    kept = [line for line in lines(done.out) if "theorylab " not in line][:-1]
    assert all(len(line) <= width for line in kept)
