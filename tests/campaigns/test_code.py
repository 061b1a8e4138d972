"""A key changes with the code that a cell reaches, and with no other."""

import ast
import hashlib
import os
import subprocess
import sys

import pytest

from theorylab.campaigns import Cells, code, plan, worker
from theorylab.campaigns.code import _words, csrc_hash, reached

from .conftest import document

PIECE = '"""Doc."""\n\n\ndef f(a):\n    """What f does."""\n    return a + 1  # why\n'


def words(text):
    return list(_words(ast.parse(text)))


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("# why", "# because", True),
        ("What f does", "Whatever", True),
        ('"""Doc."""\n\n', "", True),
        ("a + 1", "a  +  (1)", True),
        ("a + 1", "a + 2", False),
        ("a + 1", "a + 1.0", False),
        ("f(a)", "f(a, b=0)", False),
        ("return a", "yield a", False),
    ],
)
def test_comments_docstrings_and_the_layout_do_not_count(old, new, same):
    assert old in PIECE
    assert (words(PIECE) == words(PIECE.replace(old, new))) is same


def test_a_cell_reaches_its_own_members_and_no_others():
    modules = reached(["theorylab.statements.dfedsgpsm.thm1", "theorylab.topologies.ring"])
    for name in (
        "runs.simulate",
        "verdicts.judge",
        "statements.dfedsgpsm.thm1",
        "algorithms._base",
    ):
        assert f"theorylab.{name}" in modules
    others = ("statements.dfedsgpsm.thm2", "statements.pdbo.asm8", "topologies.torus")
    for name in (*others, "report.page", "algorithms.fedbabu", "cli", "falsify.search"):
        assert f"theorylab.{name}" not in modules


def keys(changes=None):
    return [cell.key for cell in Cells(plan(document(**(changes or {}))))]


def test_an_edit_of_a_member_changes_the_cells_that_name_it(monkeypatch):
    torus = {"axes": {"topology": ["torus"], "clients": [9]}}
    before, other = keys(), keys(torus)
    edited, tree_hash = code.TOPOLOGIES.entry("complete").module, code.tree_hash
    assert edited != code.TOPOLOGIES.entry("torus").module
    code._reached_hash.cache_clear()
    monkeypatch.setattr(code, "tree_hash", lambda m: "new" if m == edited else tree_hash(m))
    after = keys()
    assert keys(torus) == other
    same = [a == b for a, b in zip(after, before, strict=True)]
    assert same == [True, True, True, False, False, False] * 2  # ring, then complete
    code._reached_hash.cache_clear()


def test_an_edit_of_csrc_changes_every_cell(monkeypatch):
    before = keys()
    assert csrc_hash() != hashlib.sha256().hexdigest()  # there is something to read
    code._reached_hash.cache_clear()
    monkeypatch.setattr(code, "csrc_hash", lambda: "another")
    assert not set(keys()) & set(before)
    code._reached_hash.cache_clear()


def test_a_hash_is_that_of_another_process(monkeypatch):
    given = ["theorylab.topologies.ring"], ["quadratic", "complete"]
    script = "from theorylab.campaigns import code\ncode._ALWAYS = ()\n"  # what takes long
    script += f"print(code.code_hash(*{given}))"
    monkeypatch.setattr(code, "_ALWAYS", ())
    code._reached_hash.cache_clear()
    env = os.environ | {"PYTHONHASHSEED": "7"}  # sets of texts come in another order
    words = [sys.executable, "-c", script]
    told = subprocess.run(words, capture_output=True, text=True, check=True, env=env).stdout
    assert told.split() == [code.code_hash(*given)]
    code._reached_hash.cache_clear()


def test_an_edited_table_of_a_paper_is_another_code_for_workers(monkeypatch, tmp_path):
    monkeypatch.setattr(worker.theorylab, "__file__", str(tmp_path / "__init__.py"))
    stamps = set()
    for name, text in (
        ("part.py", "a"),
        ("deep/instances.toml", "b"),
        ("deep/instances.toml", "c"),
    ):
        (tmp_path / "deep").mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        stamps.add(worker.stamp.__wrapped__())
    assert len(stamps) == 3
