"""Results come back as they were, for the code and the libraries that gave them."""

import contextlib
import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap

import pytest

from theorylab import cli
from theorylab.campaigns import kept_results
from theorylab.campaigns.kept_results import KeptResults, Results
from theorylab.verdicts import Job, jobs, judge


@pytest.fixture
def job():
    return jobs(["dfedsgpsm.lem1"])[0]


@pytest.fixture
def told():
    return []


@pytest.fixture
def keep(tmp_path, told):
    """keep(): a fresh look at the same folder, as another process has."""
    return lambda: KeptResults(tmp_path / "kept", told.append)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


def opened(path, **given):
    return contextlib.closing(Results(path, print, **given))


def edit(path, statement, *values):
    with sqlite3.connect(path) as database:
        database.execute(statement, values)
    database.close()


def test_a_result_comes_back_as_it_was_and_an_error_never(path, job):
    result = judge(job)
    with opened(path) as store:
        error = result.model_copy(update={"verdict": "ERROR"})
        store.put([(job.key(), result), ("ab" * 32, error)])
    with opened(path) as store, opened(path, check=False) as other:
        assert store.get(job, job.key()) == other.get(job, job.key()) == result
        assert store.get(job, "ab" * 32) is store.get(job, "cd" * 32) is None


@pytest.mark.parametrize("check", [True, False])
def test_a_row_under_its_right_digest_that_is_no_result_of_the_job_is_none(path, job, check):
    result = judge(job)
    with opened(path) as store:
        store.put([(job.key(), result)])
    for text in (
        '{"id": "dfedsgpsm.lem1"}',
        result.model_copy(update={"check": "x"}).model_dump_json(),
        result.model_copy(update={"verdict": "ERROR"}).model_dump_json(),
    ):
        with sqlite3.connect(path) as database:
            key, point = database.execute("SELECT key, point FROM cells").fetchone()
        database.close()
        sha = hashlib.sha256(f"{key.hex()}\0{point}\0{text}".encode()).digest()
        edit(path, "UPDATE cells SET row = ?, sha256 = ?", text, sha)
        with opened(path, check=check) as store:
            assert store.get(job, job.key()) is None
            store.put([(job.key(), result)])
            assert store.get(job, job.key()) == result


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_bytes(b"no database at all, but long enough" * 100),
        lambda path: edit(path, "CREATE TABLE results (key TEXT PRIMARY KEY, text TEXT)"),
        lambda path: edit(path, "CREATE VIEW cells AS SELECT 1"),
    ],
)
def test_what_is_something_else_or_of_an_earlier_format_is_refused_and_stays(path, make):
    make(path)
    content = path.read_bytes()
    with pytest.raises(ValueError, match="or one of an earlier theorylab; need it moved") as caught:
        Results(path, print)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == content


def test_what_was_stored_survives_kill_9(path, job):
    program = f"""
        import os, pathlib, signal
        from theorylab.campaigns.kept_results import Results
        from theorylab.verdicts.result import Result
        result = Result.model_validate_json({judge(job).model_dump_json()!r})
        store = Results(pathlib.Path({str(path)!r}), print)
        store.put([({job.key()!r}, result)])
        def rows():
            yield "ab" * 32, result
            os.kill(os.getpid(), signal.SIGKILL)
        store.put(rows())  # never committed
    """
    done = subprocess.run([sys.executable, "-P", "-c", textwrap.dedent(program)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert os.path.getsize(f"{path}-wal") > 0  # the log was not folded in: a hard stop
    with opened(path) as store:
        assert store.get(job, job.key()) == judge(job).model_copy(
            update={"seconds": store.get(job, job.key()).seconds}
        )
        assert store.get(job, "ab" * 32) is None


def test_what_one_process_judged_the_next_one_has(job, keep, told):
    result = judge(job)
    assert keep().get(job) is None
    keep().put([(job, result)])
    assert keep().get(job) == result
    assert told == []


def test_what_was_judged_while_the_sources_changed_is_not_kept(job, keep, told, monkeypatch):
    store = keep()
    result = judge(job)
    monkeypatch.setattr(kept_results.code_hash, "__wrapped__", lambda: "edited meanwhile")
    store.put([(job, result)])
    assert keep().get(job) is None
    assert told == ["theorylab: the sources changed meanwhile; results are not kept"]


def test_what_is_not_as_expected_is_not_kept(job, keep):
    late = judge(job).model_copy(update={"verdict": "INCONCLUSIVE"})
    assert not late.as_expected
    keep().put([(job, late)])
    assert keep().get(job) is None


def test_another_seed_is_another_job(job, keep):
    keep().put([(job, judge(job))])
    (other,) = [each for each in jobs([job.id], seed=1) if each.check == job.check][:1]
    assert keep().get(other) is None


@pytest.mark.parametrize("what", ["code_hash", "platform.python_version"])
def test_other_code_or_another_library_has_results_of_its_own(job, keep, monkeypatch, what):
    keep().put([(job, judge(job))])
    kept_results._digest.cache_clear()
    where, _, name = f"kept_results.{what}".rpartition(".")
    holder = kept_results.platform if "platform" in where else kept_results
    with monkeypatch.context() as patch:
        patch.setattr(holder, name, lambda: "another")
        assert keep().get(job) is None
    kept_results._digest.cache_clear()
    assert keep().get(job) is not None


def test_a_result_of_a_file_or_of_an_instance_is_never_kept(job, keep, tmp_path):
    result = judge(job)
    for more in ({"source_file": str(tmp_path / "my.py")}, {"instance": "{}"}):
        other = Job(**{**vars(job), **more})
        keep().put([(other, result)])
        assert keep().get(other) is None
    assert not (tmp_path / "kept").exists()


def test_a_damaged_row_is_judged_again_and_mended(job, keep, told, tmp_path):
    result = judge(job)
    keep().put([(job, result)])
    (path,) = (tmp_path / "kept").glob("*.sqlite")
    with sqlite3.connect(path) as database:
        database.execute("UPDATE cells SET row = replace(row, 'HOLDS', 'VIOLATED')")
    assert keep().get(job) is None
    keep().put([(job, result)])
    assert keep().get(job) == result
    assert told == []


def test_the_row_of_another_check_is_nobodys(job, keep):
    keep().put([(job, judge(job).model_copy(update={"check": "another"}))])
    assert keep().get(job) is None


def test_a_store_that_is_none_is_ignored_and_told_once(job, keep, told, tmp_path):
    result = judge(job)
    keep().put([(job, result)])
    (path,) = (tmp_path / "kept").glob("*.sqlite")
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    path.write_bytes(b"no database of this version" * 100)
    store = keep()
    assert store.get(job) is None
    store.put([(job, result)])
    store.put([(job, result)])
    assert len(told) == 1
    assert told[0].startswith("theorylab: ")
    assert told[0].endswith("; results are not kept")
    assert "\n" not in told[0]


def test_a_folder_that_cannot_be_made_is_told_once_and_costs_nothing_else(job, told, tmp_path):
    (tmp_path / "file").write_text("")
    store = KeptResults(tmp_path / "file" / "kept", told.append)
    store.put([(job, judge(job))])
    store.put([(job, judge(job))])
    assert told == [
        f"theorylab: {tmp_path / 'file' / 'kept'}: Not a directory; results are not kept"
    ]


def test_stores_of_older_trees_make_room(job, keep, tmp_path):
    (tmp_path / "kept").mkdir()
    for k in range(6):
        path = tmp_path / "kept" / f"results-{k}.sqlite"
        path.write_bytes(b"")
        os.utime(path, (k, k))
    keep().put([(job, judge(job))])
    left = sorted(path.name for path in (tmp_path / "kept").glob("results-?.sqlite"))
    assert left == ["results-3.sqlite", "results-4.sqlite", "results-5.sqlite"]


def test_verify_keeps_what_it_judges_where_it_is_told(monkeypatch, tmp_path, keep, capsys):
    monkeypatch.setenv(kept_results.FOLDER, str(tmp_path / "kept"))
    assert cli.run(["verify", "dfedsgpsm.lem1"]) == 0
    found = [keep().get(each) for each in jobs(["dfedsgpsm.lem1"])]
    assert None not in found
    monkeypatch.setenv(kept_results.FOLDER, "")
    assert kept_results.folder() is None


def test_no_permission_to_keep_is_one_line_and_no_other_exit_code(monkeypatch, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(kept_results.FOLDER, str(tmp_path / "file" / "kept"))
    assert cli.run(["verify", "dfedsgpsm.lem1"]) == 0
    assert capsys.readouterr().err.count("results are not kept") == 1


def test_an_installed_theorylab_keeps_nothing(monkeypatch, tmp_path):
    monkeypatch.delenv(kept_results.FOLDER, raising=False)
    monkeypatch.setattr(kept_results.theorylab, "__file__", str(tmp_path / "lib" / "__init__.py"))
    assert kept_results.folder() is None
