"""``theorylab sweep export --out DIR``: a campaign as a page."""

import re

import pytest

CLAIM = """
claim = "dfedsgpsm.lem4"
version = "printed"
check = "together"
[axes]
rounds = [2, 20]
clients = [2, 3]
"""


@pytest.fixture
def page(tmp_path, run):
    """The page of a plan, as text, with its folder; the campaign's name is hostile."""

    def made(plan, *words, limit=100):
        (tmp_path / "<b>&.toml").write_text(plan)
        folder, out = tmp_path / "<b>&.campaign", tmp_path / "page"
        assert run("sweep", tmp_path / "<b>&.toml", "--out", folder, "--limit", limit).code == 0
        told = run("sweep", "export", folder, "--out", out, *words)
        assert told.code == 0, told.err
        return (out / "index.html").read_text(), sorted(path.name for path in out.iterdir())

    return made


def test_a_claims_page_has_every_row_with_its_reason_and_command(page):
    text, files = page(CLAIM)
    assert files == ["index.html", "rows.png", "rows.svg"]
    assert "<h1>dfedsgpsm.lem4: 4 of 4 cells</h1>" in text
    assert re.search(r"<td>HOLDS</td><td class=\"n\">2</td>", text)
    assert text.count("centers has shape (3, 1); need (2,d)") == 2  # a refusal has its reason
    assert text.count("theorylab verify dfedsgpsm.lem4 --version printed --check together") >= 4
    assert re.search(r"digest of all rows</td><td>[0-9a-f]{32,}", text)


def test_a_page_of_one_axis_draws_curves_and_hostile_names_are_text(page, grid):
    text, files = page(grid("clients = [2, 3]"))
    assert "rows.svg" in files
    assert "<b>&" not in text
    assert "&lt;b&gt;&amp;.campaign: 2 of 2 cells" in text
    assert "are not here" not in text


def test_what_is_not_computed_yet_is_told(page, grid):
    text, _ = page(grid("clients = [2, 3]"), limit=1)
    assert "1 of 2 cells are not here." in text


def test_a_page_may_keep_some_rows_and_needs_no_picture(page, grid):
    text, files = page(grid("clients = [2, 3]"), "--where", "loss < 0")
    assert files == ["index.html"]
    assert "0 of 2 cells" in text
    assert "are not here" not in text  # they are, and were not asked for


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--x", "nosuch"], "'nosuch' is no axis; need some of clients"),
        (["--measure", "nosuch", "--curves"], "no column 'nosuch'"),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_one_line(tmp_path, run, refused, words, line, grid):
    (tmp_path / "a.toml").write_text(grid("clients = [2, 3]"))
    run("sweep", tmp_path / "a.toml", "--out", tmp_path / "a")
    assert line in refused("sweep", "export", tmp_path / "a", "--out", tmp_path / "page", *words)
    assert not (tmp_path / "page").exists()
