"""Parts for processes, and the threads of each."""

from threadpoolctl import threadpool_info

from theorylab.kernels import get_threads, set_threads
from theorylab.verdicts import Job, jobs
from theorylab.verdicts.schedule import (
    FEW,
    MOST,
    cheapest_first,
    chunks,
    efforts,
    one_thread,
    paper_by_paper,
)


def test_every_job_is_in_one_part_of_its_statement_the_dearest_part_first():
    work = list(enumerate(jobs(["dfedsgpsm.*"], quick=True)))
    parts = chunks(work)
    assert sorted(item for part in parts for item in part) == work
    assert all(len({job.id for _, job in part}) == 1 and len(part) <= MOST for part in parts)
    costs = [sum(efforts([job for _, job in part])) for part in parts]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > 1000 * costs[-1]


def test_paper_by_paper_the_dearest_part_of_each_comes_first():
    work = list(enumerate(jobs(["*.thm1"], quick=True)))
    parts = chunks(work)
    papers = [part[0][1].id.partition(".")[0] for part in parts]
    first = list(dict.fromkeys(papers))
    assert len(first) > 2
    assert papers != sorted(papers, key=first.index)
    assert paper_by_paper(parts) == [
        part for paper in first for part, its in zip(parts, papers, strict=True) if its == paper
    ]


def test_more_rounds_are_dearer_and_a_file_of_ones_own_is_not_run_to_know_it():
    found = jobs(["dfedsgpsm.thm1"], versions=["printed"])
    by_check = dict(zip([job.check for job in found], efforts(found), strict=True))
    assert by_check["worked-example"] > by_check["sam-trap"]
    assert efforts([Job("mine.thm1", "printed", "one", "/no/such/file.py")]) == [float("inf")]


def test_of_few_checks_each_is_a_part_and_the_cheapest_row_comes_first():
    work = list(enumerate(jobs(["dfedsgpsm.thm1"])))
    assert len(work) < FEW
    assert [len(part) for part in chunks(work, 2)] == [1] * len(work)
    first = cheapest_first(work)
    assert sorted(first) == work
    costs = efforts([job for _, job in first])
    assert costs == sorted(costs)
    assert first != work
    many = list(enumerate(jobs(["dfedsgpsm.*"])))
    assert cheapest_first(many) == many
    own = [(k, Job("mine.thm1", "printed", str(k), "/no/such/file.py")) for k in range(3)]
    assert cheapest_first(own) == own


def test_one_thread_inside_and_as_many_as_before_afterwards():
    before = get_threads()
    try:
        set_threads(2)
        with one_thread():
            assert get_threads() == 1
            assert {library["num_threads"] for library in threadpool_info()} <= {1}
        assert get_threads() == 2
    finally:
        set_threads(before)
