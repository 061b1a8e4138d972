"""Every count in the pages, and every list made of the sources, is what the sources say."""

import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from theorylab.statements import BUILT_IN

ROOT = pathlib.Path(__file__).resolve().parents[1]
PLANTED = {  # page -> what is there, and what a hand makes of it
    "docs/errata.md": ((" are false", " are true"), ("*Repair.* ", "*Repair*: ")),
    "docs/letters.md": (("| `L` |", "| `l` |"),),
    "docs/papers.md": (
        ("| deprl | ", "| deprl | 1"),
        ("| wrong order |", "| order |"),
        ("| DePRL, Theorem 1 | ", "| DePRL, Theorem 1 | wrong "),
    ),
    "docs/api.md": (("`play`, ", ""), ("`iid`, `Labelled`", "`Labelled`, `iid`")),
    "CHANGELOG.md": (("display by display**: ", "display by display**: 9"),),
    "README.md": (
        (" statements of five papers, each as", "0 statements of five papers, each as"),
        ("| PDBO, Theorem 1 | ", "| PDBO, Theorem 1 | wrong "),
        ("40 known claims", "39 known claims"),
        ("(docs/gpu.md)", "(docs/gpu)"),
    ),
    "docs/verdicts.md": (("| `ERROR` | this check alone", "| `ERROR` | this check"),),
    "docs/gallery/README.md": (("40 known", "39 known"),),
    "verify/steps.toml": (("10,080 runs", "10,008 runs"),),
    "docs/campaigns.md": (("10,080 runs over four networks, four", "1 runs over 2 networks, ten"),),
    "docs/speed.md": (("| theorylab list | at most 0.4 s", "| theorylab list | at most 0.3 s"),),
    "docs/gpu.md": (("capabilities 8.0, ", "capabilities "),),
    "theorylab/bench/_gpu_page.py": (("10.0 and 12.0, and", "11.0 and 12.0, and"),),
}


@pytest.fixture(scope="module")
def counts():
    """The module of the script."""
    spec = importlib.util.spec_from_file_location("counts", ROOT / "verify/counts.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path):
    """A copy of what the script reads and writes."""
    galleries = (str(path.relative_to(ROOT)) for path in (ROOT / "docs/gallery").glob("*.py"))
    measured = ["verify/gpu.json"] if (ROOT / "verify/gpu.json").exists() else []
    for name in (*PLANTED, *galleries, *measured, "setup.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    told = f"- **The papers, display by display**: {len(BUILT_IN)} statements.\n"
    (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n## Not released yet\n\n- A\n{told}")
    return tmp_path


def test_every_count_and_every_list_in_the_tree_is_that_of_the_sources(counts):
    old = counts.checked(ROOT)
    assert not old, "\n".join([*old, f"{counts.COMMAND} writes them"])


def test_a_changed_count_of_any_page_is_told_and_mended(counts, tree, capsys):
    assert {page for page, _ in counts.places(ROOT)} == {*PLANTED}
    right = {page: (tree / page).read_text() for page in PLANTED}
    wrong = {}
    for page, changes in PLANTED.items():
        for change in changes:  # each alone: a fault beside it is not what is found
            planted = right[page].replace(*change)
            assert planted != right[page], (page, change)
            (tree / page).write_text(planted)
            assert counts.main(["--check"], tree) == 1, (page, change)
            told = capsys.readouterr().out.splitlines()
            assert all(line.startswith(f"{page}:") for line in told[:-1])
            assert told[-1] == f"counts: old: {page}; python verify/counts.py writes them"
            assert (tree / page).read_text() == planted  # nothing is written by --check
            wrong[page] = wrong.get(page, right[page]).replace(*change)
        (tree / page).write_text(right[page])
    for page, planted in wrong.items():
        (tree / page).write_text(planted)
    assert counts.main([], tree) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("counts: written: ")
    assert {page: (tree / page).read_text() for page in PLANTED} == right


def test_a_statement_more_makes_every_page_old_that_counts_it(counts, tree, monkeypatch, capsys):
    more, module = replace(BUILT_IN["dfedalt.thm1"], id="dfedalt.more"), "statements.dfedalt.more"
    monkeypatch.setitem(sys.modules, f"theorylab.{module}", SimpleNamespace(STATEMENT=more))
    monkeypatch.setitem(BUILT_IN._modules, more.id, f"theorylab.{module}")
    assert counts.main(["--check"], tree) == 1
    told = capsys.readouterr().out
    for page in ("README.md", "CHANGELOG.md", "docs/papers.md", "docs/errata.md"):
        assert f"\n{page}:" in f"\n{told}"
    shown = f"{len(BUILT_IN)} statements of five papers, each as"
    assert f": + {shown}" in told
    assert counts.main([], tree) == 0
    assert counts.main(["--check"], tree) == 0
    assert shown in (tree / "README.md").read_text()


def test_a_sentence_that_is_wrapped_elsewhere_is_found(counts, tree):
    page = tree / "README.md"
    page.write_text(page.read_text().replace("of five papers", "of\nfive papers"))
    assert counts.checked(tree) == []


def test_a_version_of_the_software_that_is_out_keeps_its_count(counts, tree):
    page = tree / "CHANGELOG.md"
    page.write_text(page.read_text().replace("## Not released yet", "## 0.3.0", 1))
    assert counts.checked(tree) == []


@pytest.mark.parametrize(
    ("page", "there", "instead", "line"),
    [
        ("README.md", "statements of five", "claims of five", "0 texts match .*; need one"),
        ("README.md", "## Your own", "1 known claims, each with a false rival\n##", "2 texts"),
        ("README.md", "## What was found", "## Found", "there is no table below"),
        ("README.md", "`dfedalt.thm1 dfed", "`dfedalt.thm9 dfed", "a row names 'dfedalt.thm9'"),
        ("README.md", "`dfedalt.thm1 ", "`pdbo.thm1 ", "the severities empty, wrong order"),
        ("docs/api.md", "| bench |", "| benches |", "0 texts match"),
        ("docs/api.md", "| bench |", "| report | | `a` |\n| bench |", "there is a row of report"),
    ],
)
def test_a_sentence_that_is_gone_is_told_and_the_rest_is_written(
    counts, tree, capsys, page, there, instead, line
):
    text = (tree / page).read_text()
    (tree / page).write_text(text.replace(there, instead, 1))
    right = (tree / "docs/verdicts.md").read_text()
    (tree / "docs/verdicts.md").write_text(right.replace("| `HOLDS` |", "| `HOLDS` | true:"))
    assert counts.main([], tree) == 1
    told = capsys.readouterr().out
    assert len([each for each in told.splitlines() if each.startswith(f"{page}: ")]) == 1
    assert line.split(" .*")[0] in told
    assert "verify/count_places.py" in told
    assert (tree / "docs/verdicts.md").read_text() == right


def told_once(capsys):
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith("counts: ")
    assert err.count("\n") == 1
    return err


def test_bad_input_is_one_line(counts, tree, capsys):
    for words in (["--chek"], ["README.md"], ["--check", "--check"]):
        assert counts.main(words, tree) == 2
        assert f"got {' '.join(words)}; need no argument, or --check" in told_once(capsys)
    for name, content, line in (
        ("setup.py", b"", "setup.py has no line with EVERY_ARCH"),
        ("verify/steps.toml", b"[axes]\nseed = 3", "no plan with its four axes: 'topology'"),
        ("docs/gpu.md", b"\xff", "docs/gpu.md is no text in UTF-8"),
        ("docs/errata.md", None, "errata.md"),
        ("README.md", None, "need a tree of the sources"),
    ):
        whole = (tree / name).read_bytes()
        (tree / name).unlink()
        if content is not None:
            (tree / name).write_bytes(content)
        assert counts.main([], tree) == 2
        assert line in told_once(capsys)
        (tree / name).write_bytes(whole)


CARD = {
    "bench": "gpu", "emulated": False, "board": "torch on Fake", "date": "2026-01-02", "seed": 3,
    "commit": "0123456789ab", "machine": {"cores": 16}, "whole_run": None,
    "facts": {"name": "Fake card", "capability": 90, "multiprocessors": 132, "total": 1 << 37},
} | {key: [] for key in ("cases", "rounds", "roofline", "calls", "launches", "checks")} | {
    key: [] for key in ("sanitizer", "skipped", "failed")
}  # fmt: skip


def test_what_a_card_measured_is_written_into_its_page_and_readme(counts, tree, capsys):
    (tree / "verify/gpu.json").write_text(json.dumps({"benches": [CARD]}))
    assert counts.main([], tree) == 0
    assert "at commit 0123456789ab on one Fake card:" in (tree / "docs/gpu.md").read_text()
    assert "compute capabilities 8.0, 9.0" in (tree / "docs/gpu.md").read_text()
    assert "On one [Fake card](docs/gpu.md) (2026-01-02" in (tree / "README.md").read_text()
    capsys.readouterr()
    for text in (
        "{",
        "[]",
        '{"benches": [{"bench": "engine"}]}',
        '{"benches": [{"bench": "gpu"}]}',
    ):
        (tree / "verify/gpu.json").write_text(text)
        assert counts.main([], tree) == 2
        assert "verify/gpu.json is no record of a card" in told_once(capsys)


def test_where_one_page_cannot_be_written_none_is(counts, tree, capsys):
    for name in ("docs/gpu.md", "docs/verdicts.md"):
        old = (tree / name).read_text().replace("| `HOLDS` |", "| HOLDS |").replace("8.0, ", "")
        (tree / name).write_text(old)
    (tree / "docs/gpu.md").rename(tree / "elsewhere")
    (tree / "docs/gpu.md").symlink_to(tree / "elsewhere")
    assert counts.main([], tree) == 2
    assert "gpu.md is a link; need a regular file" in capsys.readouterr().err
    assert (tree / "docs/verdicts.md").read_text() == old


def test_another_theorylab_is_not_counted(tmp_path):
    (tmp_path / "verify").mkdir()
    for name in ("counts.py", "count_places.py"):
        shutil.copy(ROOT / "verify" / name, tmp_path / "verify")
    (tmp_path / "theorylab").mkdir()
    (tmp_path / "README.md").touch()
    command = [sys.executable, str(tmp_path / "verify/counts.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 2
    assert done.stderr.startswith("counts: theorylab is imported from ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("number", "text"), [(0, "no"), (20, "twenty"), (2100, "2,100")])
def test_small_numbers_are_words(counts, number, text):
    assert sys.modules["count_places"].word(number) == text
