"""What ``verify`` prints of the whole catalogue: a line a paper, and what is not as expected."""

import pathlib
import re
import runpy

import pytest

from theorylab.commands.verify.terminal import MANY
from theorylab.report.standing import exit_meaning
from theorylab.statements import BUILT_IN
from theorylab.verdicts import NotRun, jobs
from theorylab.verdicts.catalogue import statement_of

make_one = runpy.run_path(str(pathlib.Path(__file__).parents[1] / "report/conftest.py"))["make"]
PAPERS = list(dict.fromkeys(name.partition(".")[0] for name in BUILT_IN))


@pytest.fixture(scope="module")
def catalogue():
    """A result of every quick check, as it is expected to be; none is judged."""
    results = []
    for job in jobs([], quick=True):
        checks = statement_of(job.id).versions[job.version].checks
        expect = next(each.expect for each in checks if each.name == job.check)
        results.append(
            make_one(
                id=job.id, version=job.version, check=job.check, verdict=expect, expected=expect
            )
        )
    return results


def lines(text):
    return [line for line in text.splitlines() if line.strip()]


def row(done, paper):
    """The cells of the paper's row."""
    (found,) = (line for line in lines(done.out) if line.split()[0] == paper)
    return re.split(r"\s{2,}", found.strip())


def test_the_whole_catalogue_is_about_fifteen_lines_through_a_pipe(run, judged, catalogue):
    judged(catalogue)
    done = run("verify", "--quick", "--jobs", 1)
    assert done.code == 0
    assert len(lines(done.out) + lines(done.err)) <= 20
    for paper in PAPERS:
        count = str(sum(result.id.startswith(f"{paper}.") for result in catalogue))
        assert row(done, paper)[1:3] == [count, count]
    assert sum(int(row(done, paper)[1]) for paper in PAPERS) == len(catalogue)
    last = f"{len(catalogue)} checks: {len(catalogue)} as expected. Exit code 0: {exit_meaning(0)}."
    assert lines(done.out)[-1] == last


def test_a_row_of_a_paper_counts_its_verdicts_and_sets_controls_apart(run, judged, catalogue):
    some = [r.model_copy(update={"control": True}) for r in catalogue[:3]]
    judged([*some, *catalogue[3:]])
    cells = row(run("verify", "--jobs", 1), catalogue[0].id.partition(".")[0])
    counts = dict(re.findall(r"(\w+) x(\d+)", cells[3]))
    own = [r for r in catalogue[3:] if r.id.split(".")[0] == cells[0]]
    expected = {r.verdict: str(sum(o.verdict == r.verdict for o in own)) for r in own}
    assert counts == {**expected, "controls": "3"}


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
    cells = row(done, odd.id.partition(".")[0])
    assert int(cells[1]) - int(cells[2]) == 1
    assert f"{len(catalogue) - 1} as expected, 1 {word}. Exit code {code}: " in lines(done.out)[-1]
    assert lines(done.err)[-1].endswith(f"{len(catalogue) - 1} as expected, 1 {word}")
    assert len(lines(done.out) + lines(done.err)) <= 20


def test_what_is_not_run_is_counted_in_its_papers_row(run, judged, catalogue):
    first = catalogue[0]
    left_out = NotRun(
        id=first.id, version=first.version, check=first.check, extra="data", reason="no images"
    )
    judged([left_out, *catalogue[1:]])
    done = run("verify", "--jobs", 1)
    assert done.code == 0
    cells = row(done, first.id.partition(".")[0])
    assert int(cells[1]) - int(cells[2]) == 1
    assert cells[3].endswith("not run: needs extra data x1")
    assert "1 not run (need pip install 'theorylab[data]')" in lines(done.out)[-1]


def test_progress_counts_the_checks_four_times(run, judged, catalogue):
    judged(catalogue)
    counted = [re.match(r"\[(\d+)/(\d+)\] (\d+) as expected$", line)
               for line in lines(run("verify", "--jobs", 1).err)]  # fmt: skip
    done = [int(each[1]) for each in counted]
    assert len(done) == 4
    assert done == sorted(done)
    assert done[-1] == len(catalogue)
    assert {each[2] for each in counted} == {str(len(catalogue))}
    assert [each[1] for each in counted] == [each[3] for each in counted]


def test_long_shows_every_check(run, judged, catalogue):
    judged(catalogue)
    done = run("verify", "--long", "--jobs", 1)
    starts = {tuple(line.split()[:3]) for line in lines(done.out)}
    assert {(r.id, r.version, r.check.split()[0]) for r in catalogue} <= starts


def test_verdicts_that_were_asked_for_have_a_row_a_version(run, judged, catalogue):
    judged(catalogue)
    done = run("verify", "--only", "violated", "--jobs", 1)
    starts = {tuple(line.split()[:2]) for line in lines(done.out)}
    assert {(r.id, r.version) for r in catalogue if r.verdict == "VIOLATED"} <= starts
    assert not {(r.id, r.version) for r in catalogue if r.verdict == "UNSATISFIABLE"} & starts


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


def test_a_narrow_terminal_folds_the_verdicts_alone(run, judged, catalogue, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    judged(catalogue)
    done = run("verify", "--jobs", 1)
    for paper in PAPERS:
        count = str(sum(result.id.startswith(f"{paper}.") for result in catalogue))
        assert row(done, paper)[1:3] == [count, count]
    assert all(len(line) <= 80 for line in lines(done.out) if line.startswith(" "))
