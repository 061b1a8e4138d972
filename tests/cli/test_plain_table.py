"""Tables without a terminal: the lines that rich would draw."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from theorylab.commands import table
from theorylab.commands.plain_table import drawn

WIDTH = 80
WORDS = st.text("abcdefgh.,:-/()[]λ─ü", min_size=1, max_size=9)
LINES = st.lists(WORDS, max_size=25).map(" ".join)
SHORT = st.lists(WORDS, max_size=2).map(" ".join)


def by_rich(title, columns, cells, widths):
    page = Console(file=io.StringIO(), width=WIDTH)
    page.print(table.rich_table(title, columns, cells, widths))
    return page.file.getvalue()


@st.composite
def tables(draw):
    names = draw(st.lists(SHORT, min_size=1, max_size=3))
    columns = [">" * draw(st.booleans()) + name for name in names]
    one = st.tuples(
        *[SHORT] * (len(columns) - 1), st.lists(LINES, min_size=1, max_size=3).map("\n".join)
    )
    return draw(SHORT), columns, draw(st.lists(one, max_size=5))


@given(tables())
def test_every_line_is_the_one_that_rich_draws(case):
    title, columns, cells = case
    widths = table._widths(columns, cells, WIDTH)
    text = drawn(title, columns, cells, widths, WIDTH)
    assert text is None or text == by_rich(title, columns, cells, widths)


def test_long_texts_wrap_and_numbers_stand_right():
    cells = [("1", "twelve words " * 12 + "end"), ("-1000", "one\ntwo")]
    widths = table._widths((">n", "text"), cells, WIDTH)
    text = drawn("a title", (">n", "text"), cells, widths, WIDTH)
    assert text == by_rich("a title", (">n", "text"), cells, widths)
    assert len(text.splitlines()) == 10


@pytest.mark.parametrize("cell", ["two  blanks", " before", "tab\there", "x" * 200])
def test_what_only_rich_can_lay_out_is_left_to_it(cell):
    widths = table._widths(("a", "b"), [("1", cell)], WIDTH)
    assert drawn("", ("a", "b"), [("1", cell)], widths, WIDTH) is None


def test_a_terminal_or_a_wish_for_one_gets_rich(monkeypatch):
    class Page(io.StringIO):
        encoding = "utf-8"

    for name in ("COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "JPY_PARENT_PID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.stdout", Page())
    assert table._plain()
    monkeypatch.setenv("COLUMNS", "90")
    assert not table._plain()
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr(Page, "encoding", "ascii")
    assert not table._plain()
    monkeypatch.setattr(Page, "encoding", "utf-8")
    monkeypatch.setattr(Page, "isatty", lambda self: True)
    assert not table._plain()


@pytest.mark.parametrize(("width", "stacked"), [(20, True), (40, False)])
def test_where_words_would_be_cut_every_cell_is_a_line(monkeypatch, capsys, width, stacked):
    monkeypatch.setenv("COLUMNS", str(width))
    table.print_table("", ("method", ">value"), [("dfedsgpsm-long", "1234567"), ("sgp", "")])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert (lines == ["method:", "dfedsgpsm-long", "value: 1234567", "method: sgp"]) == stacked
    assert any("dfedsgpsm-long" in line for line in lines)
    assert all(len(line) <= width for line in lines)
