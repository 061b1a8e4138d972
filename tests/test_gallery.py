"""Every file of docs/gallery: short, right in each verdict, with a claim and a refuted rival."""

import pathlib

import pytest

from theorylab.verdicts import jobs, judge

GALLERY = pathlib.Path(__file__).parents[1] / "docs" / "gallery"
FILES = sorted(GALLERY.glob("*.py"))


def test_the_gallery_is_there_and_in_its_table():
    table = (GALLERY / "README.md").read_text()
    assert len(FILES) >= 12
    assert [path.name for path in FILES if f"[{path.name}]" not in table] == []


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_verdict_is_the_expected_one(path):
    results = [judge(job) for job in jobs([str(path)])]
    off = [
        f"{r.id} [{r.version}] {r.check}: {r.reason}" for r in results if r.verdict != r.expected
    ]
    assert off == []
    assert {"HOLDS", "VIOLATED"} <= {str(r.verdict) for r in results}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_short_and_says_what_the_rival_is(path):
    lines = path.read_text().splitlines()
    assert len(lines) < 60
    assert lines[0].startswith('"""')
    assert "rival" in path.read_text().split('"""')[1]
