"""Without --jobs: a process for each core with one thread, and none where little is to do."""

import joblib
import pytest

from theorylab import cli
from theorylab.commands.refusal import Refused
from theorylab.commands.verify import judging
from theorylab.commands.verify import work as verify

WHAT = ["verify", "dfedsgpsm.lem1", "--seeds", "2"]


@pytest.fixture
def processes(monkeypatch):
    """The work that goes to processes, a list a call; it is judged here."""
    calls = []

    def in_processes(work, workers, pages):
        calls.append((list(work), workers))
        yield from ((index, judging.judge(job)) for index, job in work)

    monkeypatch.setattr(judging, "_in_processes", in_processes)
    return calls


def test_few_checks_start_no_process(processes):
    assert cli.run(WHAT) == 0
    assert processes == []


def test_what_some_seconds_are_not_enough_for_goes_to_processes(processes, monkeypatch, tmp_path):
    monkeypatch.setattr(judging, "_ALONE", 0.0)
    assert cli.run([*WHAT, "--json", str(tmp_path / "results.json")]) == 0
    ((work, workers),) = processes
    assert workers is None
    assert len(work) > 1


def test_many_checks_go_to_processes_at_once(processes, monkeypatch):
    monkeypatch.setattr(judging, "FEW", 2)
    assert cli.run(WHAT) == 0
    ((work, _),) = processes
    assert [index for index, _ in work] == list(range(len(work)))


@pytest.mark.parametrize(
    ("words", "count", "threads"),
    [([], 4, 1), (["--jobs", "4"], 4, 1), (["--jobs", "2"], 2, 2), (["--jobs", "8"], 8, 1)],
)
def test_processes_share_the_cores(monkeypatch, words, count, threads):
    seen = []

    class Pool:
        def __init__(self, n_jobs, **_):
            seen.append(n_jobs)

        def __call__(self, calls):
            for _, (part, each, _), _ in calls:
                seen.append(each)
                yield [(index, judging.judge(job)) for index, job in part], None

    monkeypatch.setattr(judging, "FEW", 2)
    monkeypatch.setattr(joblib, "cpu_count", lambda: 4)
    monkeypatch.setattr(joblib, "Parallel", Pool)
    monkeypatch.setattr(judging, "chunks", lambda work, processes: [[item] for item in work])
    assert cli.run([*WHAT, "dfedsgpsm.lem2", *words]) == 0
    assert len(seen) - 1 > 4  # parts, more than cores
    assert seen[0] == min(count, len(seen) - 1)
    assert set(seen[1:]) == {threads}


def test_of_a_part_each_check_is_judged_alone(monkeypatch):
    work = list(enumerate(verify.jobs(["dfedsgpsm.lem1"], quick=True)))[:3]
    judge = judging.judge

    def broken(job, progress=None):
        if job is work[1][1]:
            raise ValueError(f"{job.id}: wrong")
        return judge(job)

    monkeypatch.setattr(judging, "judge", broken)
    results, refused = judging._in_worker(work, 1, ())
    assert refused is None
    assert [index for index, _ in results] == [0, 1, 2]
    assert [result.verdict == "ERROR" for _, result in results] == [False, True, False]
    assert "wrong" in results[1][1].reason


def test_what_a_part_has_finished_before_it_is_refused_is_kept(monkeypatch):
    work = list(enumerate(verify.jobs(["dfedsgpsm.lem1"], quick=True)))[:3]
    one = judging._one

    def refuses(job, within):
        if job is work[2][1]:
            raise Refused(f"{job.id}: wrong")
        return one(job, within)

    monkeypatch.setattr(judging, "_one", refuses)
    results, refused = judging._in_worker(work, 1, ())
    assert [index for index, _ in results] == [0, 1]
    assert "wrong" in str(refused)


def test_a_part_whose_code_cannot_be_imported_is_refused(monkeypatch):
    def gone(code):
        raise ValueError("mine.py: wrong")

    monkeypatch.setattr(judging, "import_again", gone)
    work = list(enumerate(verify.jobs(["dfedsgpsm.lem1"], quick=True)))[:1]
    results, refused = judging._in_worker(work, 1, ())
    assert (results, str(refused)) == ([], "mine.py: wrong")


def test_the_refusal_of_a_part_is_told_after_what_it_has_finished(monkeypatch, capsys):
    class Pool:
        def __init__(self, **_):
            pass

        def __call__(self, calls):
            (_, (part, _, _), _), *_ = calls
            yield [(index, judging.judge(job)) for index, job in part[:1]], Refused("told: wrong")

    monkeypatch.setattr(judging, "FEW", 2)
    monkeypatch.setattr(joblib, "Parallel", Pool)
    assert cli.run([*WHAT, "--long"]) == 2
    told = capsys.readouterr().err
    assert "[1/3] dfedsgpsm.lem1" in told
    assert told.endswith("theorylab: told: wrong\n")
