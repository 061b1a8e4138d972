"""What is stored is what was put, or is not there."""

import hashlib
import random
import sqlite3

import pytest

from theorylab.campaigns.kept_results import Results
from theorylab.campaigns.store import Store
from theorylab.campaigns.stored import Stored

TEXT = '{"L":["exact","of the problem"]}'


def rows(count, salt=""):
    return [
        Stored(
            f"{n:062x}{len(salt):02x}",
            f'{{"at":{{"n":{n}}}}}',
            f'{{"status":"done","measured":{n}{salt}}}',
            0.1,
            n,
        )
        for n in range(count)
    ]


@pytest.fixture
def filled(tmp_path):
    """A closed database of 300 rows; its path."""
    path = tmp_path / "cells.sqlite"
    with Store(path, print) as store:
        store.put(1, rows(300), [])
    with Store(path, print) as store:
        store.era("plan")
        store.put(1, rows(300), [])
    return path


def kept(path):
    notes = []
    with Store(path, notes.append) as store:
        return {row.key: row for row in store.rows()}, notes


def test_rows_and_their_digest_do_not_depend_on_the_order(tmp_path):
    digests = []
    for number, order in enumerate((rows(50), rows(50)[::-1])):
        with Store(tmp_path / f"{number}.sqlite", print) as store:
            era = store.era("plan")
            for row in order:
                store.put(era, [row], [])
            digests.append(store.digest(era))
            assert [row.key for row in store.rows(era)] == sorted(row.key for row in order)
    assert digests[0] == digests[1]


@pytest.mark.parametrize("seed", range(24))
def test_one_flipped_bit_costs_rows_and_never_changes_one(filled, seed):
    draws = random.Random(seed)
    data = bytearray(filled.read_bytes())
    for _ in range(1 + seed % 3):
        data[draws.randrange(len(data))] ^= 1 << draws.randrange(8)
    filled.write_bytes(data)
    found, notes = kept(filled)
    want = {row.key: row for row in rows(300)}
    for key, row in found.items():
        assert (row.point, row.row) == (want[key].point, want[key].row)
    assert len(found) == 300 or notes
    assert kept(filled)[0] == found  # mended once, it stays so


def test_rows_around_a_destroyed_page_are_saved(filled):
    whole, counts = filled.read_bytes(), []
    for at in range(4096, len(whole), 4096):
        filled.write_bytes(whole[:at] + b"\xff" * 4096 + whole[at + 4096 :])
        found, notes = kept(filled)
        assert len(found) == 300 or notes
        assert not any("\n" in line for line in notes)
        counts.append(len(found))
    assert any(100 < count < 300 for count in counts), counts


def test_who_mends_nothing_says_that_the_file_is_to_be_moved(filled):
    with sqlite3.connect(filled) as database:
        database.executescript("DROP TABLE cells; CREATE TABLE cells (key)")
    database.close()
    with pytest.raises(ValueError, match=r"is damaged \(.*\); need it moved away"):
        Results(filled, print, check=False)


def test_a_row_whose_text_is_lost_goes_with_it(tmp_path):
    path = tmp_path / "cells.sqlite"
    name = hashlib.sha256(TEXT.encode()).hexdigest()[:32]
    row = Stored("ab" * 32, '{"at":{}}', f'{{"status":"done","known":"{name}"}}', 0.0, 0)
    assert row.names == [name]
    with Store(path, print) as store:
        era = store.era("plan")
        store.put(era, [row], [(name, TEXT)])
        assert store.text(name) == TEXT
        store.database.execute("UPDATE texts SET content = x'00'")
    found, notes = kept(path)
    assert not found
    assert "1 rows and 1 texts" in notes[0]


def test_a_view_or_a_trigger_in_the_file_never_runs(filled):
    with sqlite3.connect(filled) as database:
        database.execute("CREATE TRIGGER t AFTER INSERT ON cells BEGIN DELETE FROM cells; END")
    database.close()
    found, notes = kept(filled)
    assert len(found) == 300  # saved into a file that has none
    assert "more than a table of" in notes[0]
    with sqlite3.connect(filled) as database:
        assert not database.execute("SELECT * FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    database.close()


def test_a_second_plan_takes_over_the_rows_that_it_shares(tmp_path):
    with Store(tmp_path / "cells.sqlite", print) as store:
        first = store.era("one")
        store.put(first, rows(4), [])
        second = store.era("two")
        keys = [row.key for row in rows(6)[2:]]
        assert store.known(keys, second) == set(keys[:2])
        assert (store.count(first), store.count(second)) == (2, 2)
        assert store.current()[1] == "two"
