"""The file that ``theorylab list`` reads is what the statements say."""

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from theorylab.commands import completion
from theorylab.commands.list.catalogue import check_selection, paper_meant
from theorylab.commands.refusal import Refused
from theorylab.report import listing
from theorylab.statements import BUILT_IN


@pytest.fixture
def tree(monkeypatch, tmp_path):
    """A package of one statement, and how often its statements were listed."""
    package = tmp_path / "theorylab"
    for folder in ("statements/paper", "report"):
        (package / folder).mkdir(parents=True)
    (package / "statements/paper/one.py").write_text("STATEMENT = 1\n")
    times = []

    def listed():
        times.append(len(times))
        return {"statements": [{"id": str(len(times))}]}

    monkeypatch.setattr(listing, "FILE", package / "statements/listing.json")
    monkeypatch.setattr(listing, "_listed_apart", listed)
    monkeypatch.setattr(listing, "kept", listing.kept.__wrapped__)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return SimpleNamespace(package=package, times=times, cache=tmp_path / "cache")


def test_statements_are_listed_once_and_again_where_a_source_changed(tree):
    assert listing.kept() == listing.kept() == {"statements": [{"id": "1"}]}
    (tree.package / "statements/paper/one.py").write_text("STATEMENT = 23\n")
    assert listing.kept() == {"statements": [{"id": "2"}]}
    (tree.package / "statements/paper/two.py").touch()
    assert listing.kept() == listing.kept() == {"statements": [{"id": "3"}]}
    (tree.package / "statements/paper/numbers.toml").touch()
    (tree.package / "statements/paper/.#one.py").symlink_to("an-editors-lock")
    assert listing.kept() == {"statements": [{"id": "4"}]}
    assert not tree.cache.exists()


def test_where_the_package_cannot_be_written_the_users_cache_keeps_the_listing(tree):
    (tree.package / "statements/__pycache__").touch()  # no folder, whoever tries
    assert listing.kept() == listing.kept() == {"statements": [{"id": "1"}]}
    assert len([*tree.cache.rglob("*.json")]) == 1


def test_where_nothing_can_be_written_statements_are_listed_every_time(tree):
    (tree.package / "statements/__pycache__").touch()
    tree.cache.touch()
    assert [listing.kept(), listing.kept()] == [{"statements": [{"id": each}]} for each in "12"]


@pytest.mark.parametrize("content", ["", "[1]", '{"stamp": 1}', '{"stamp": [], "listing": {}}'])
def test_what_is_kept_and_damaged_is_written_anew(tree, content):
    there = tree.package / "statements/__pycache__/listing.json"
    there.parent.mkdir()
    there.write_text(content)
    assert listing.kept() == listing.kept() == {"statements": [{"id": "1"}]}


def test_a_wheels_file_is_taken_as_it_is(tree):
    listing.FILE.write_text('{"statements": []}')
    assert listing.kept() == {"statements": []}
    assert tree.times == []


def test_a_statement_that_cannot_be_imported_hides_no_other_one(tree, monkeypatch):
    def broken():
        raise ImportError("theorylab's own statements cannot be listed: SyntaxError")

    monkeypatch.setattr(listing, "_listed_apart", broken)
    check_selection(["deprl.thm1", "pdbo.*", "mine.py"])
    with pytest.raises(Refused, match=r"no statement 'deprl.thm11'; did you mean deprl.thm1\?"):
        check_selection(["deprl.thm11"])
    assert paper_meant("DePRL") == "deprl"
    assert completion.ids_and_papers("deprl")[:2] == ["deprl", "deprl.eq8"]
    with pytest.raises(ImportError, match="cannot be listed"):
        listing.kept()


def test_a_statement_that_cannot_be_imported_is_told_with_its_file(monkeypatch, tmp_path):
    (tmp_path / "theorylab/report").mkdir(parents=True)
    (tmp_path / "theorylab/__init__.py").touch()
    (tmp_path / "theorylab/report/listing.py").write_text("listing = (\n")
    monkeypatch.setattr(listing, "FILE", tmp_path / "theorylab/statements/listing.json")
    with pytest.raises(ImportError, match=r"SyntaxError: .*\(listing\.py, line 1\)$"):
        listing._listed_apart()


def test_what_is_kept_is_what_the_statements_say():
    kept, here = listing.kept(), listing.listing()
    assert kept == json.loads(json.dumps(here))
    assert [each["id"] for each in kept["statements"]] == [*BUILT_IN]


def test_listing_and_a_mistyped_id_import_no_statement():
    listing.kept()  # else the first of them has it made
    code = (
        "import sys; from theorylab.cli import run; assert run(['list', 'deprl.*']) == 0; "
        "assert run(['verify', 'deprl.thm11']) == 2; "
        "print(sys.modules.keys() & {'numpy', 'sympy', 'torch', 'theorylab.statements'})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"
    assert done.stderr.splitlines() == [
        "theorylab: no statement 'deprl.thm11'; did you mean deprl.thm1?"
    ]


def test_a_statement_is_imported_when_it_is_asked_for():
    code = (
        "import sys; from theorylab.statements import BUILT_IN; assert len(BUILT_IN) > 100; "
        "BUILT_IN['deprl.asm1']; "
        "print([m for m in sys.modules if m.startswith('theorylab.statements.pdbo.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['theorylab.statements.pdbo._not_run']\n"
