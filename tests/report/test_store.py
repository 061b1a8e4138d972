import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap

import pytest

from theorylab.report.store import DamagedRowError, Store


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


def edit(path, statement, *values):
    with sqlite3.connect(path) as database:
        database.execute(statement, values)
    database.close()


def test_a_result_comes_back_as_it_was(path, results):
    with Store(path) as store:
        for index, result in enumerate(results):
            store.put(f"key{index}", result)
    with Store(path) as store:
        assert [store.get(f"key{index}") for index in range(len(results))] == results
        assert store.get("another") is None


def test_every_commit_reaches_the_disk(path):
    with Store(path) as store:
        ask = store._database.execute
        assert ask("PRAGMA journal_mode").fetchone() == ("wal",)
        assert ask("PRAGMA synchronous").fetchone() == (2,)  # FULL
        assert store._database.isolation_level is None  # autocommit: one row, one transaction


def test_a_row_carries_the_sha256_of_its_text(path, make):
    with Store(path) as store:
        store.put("key", make())
    with sqlite3.connect(path) as database:
        text, digest = database.execute("SELECT text, sha256 FROM results").fetchone()
    database.close()
    assert digest == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE results SET text = replace(text, '0.6089', '0.2089')",
        "UPDATE results SET text = substr(text, 1, 100)",
        "UPDATE results SET sha256 = upper(sha256)",
        "UPDATE results SET text = CAST(text AS BLOB)",
    ],
)
def test_a_damaged_row_is_named_and_not_returned(path, make, damage):
    with Store(path) as store:
        store.put("key", make())
    edit(path, damage)
    with Store(path) as store:
        with pytest.raises(DamagedRowError, match=r"row key \(dfedsgpsm.thm1 printed worked-ex"):
            store.get("key")
        store.put("key", make())  # computed again
        assert store.get("key") == make()


def test_a_row_whose_digest_fits_but_whose_text_does_not_is_damaged(path, make):
    with Store(path) as store:
        store.put("key", make())
        store.put("other", make(check="another"))
    for text in ('{"id": "dfedsgpsm.thm1"}', make(check="another").model_dump_json()):
        digest = hashlib.sha256(text.encode()).hexdigest()
        edit(path, "UPDATE results SET text=?, sha256=? WHERE key='key'", text, digest)
        with Store(path) as store, pytest.raises(DamagedRowError, match="is damaged"):
            store.get("key")


@pytest.mark.parametrize(
    "content", [b"no database at all, but long enough to look", b"SQLite format 3"]
)
def test_a_file_that_is_no_database_is_refused_in_one_line(path, content):
    path.write_bytes(content * 100)
    with pytest.raises(ValueError, match="no database of results") as caught:
        Store(path)
    assert "\n" not in str(caught.value)


def test_a_database_of_something_else_is_refused_in_one_line(path):
    edit(path, "CREATE TABLE results (a INTEGER)")
    with pytest.raises(ValueError, match="no such column"):
        Store(path)


def test_what_was_stored_survives_kill_9(path, make):
    program = f"""
        import os, signal
        from theorylab.report.store import Store
        from theorylab.verdicts.result import Result
        store = Store(__import__("pathlib").Path({str(path)!r}))
        result = Result.model_validate_json({make().model_dump_json()!r})
        store.put("first", result)
        def rows():
            yield "second", result
            os.kill(os.getpid(), signal.SIGKILL)
        store.put_all(rows())  # never committed
    """
    done = subprocess.run([sys.executable, "-P", "-c", textwrap.dedent(program)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert os.path.getsize(str(path) + "-wal") > 0  # the log was not folded in: a hard stop
    with Store(path) as store:
        assert store.get("first") == make()
        assert store.get("second") is None
