import re
from html.parser import HTMLParser

from theorylab.report.prose import prose
from theorylab.report.run_page import Table, page

ODD = "<script>alert('x')</script>&\""


class _Tree(HTMLParser):
    """Tags that are open; fails on one that is closed out of order."""

    VOID = ("meta", "img")

    def __init__(self):
        super().__init__()
        self.open, self.text = [], []

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def made(note=None, picture="curves.svg"):
    tables = [Table("Final", ("column", ">mean"), [("loss", "0.5"), (ODD, "1")])]
    return page("a title", note, picture, tables, '{"rounds": 3}')


def test_the_page_is_whole_and_says_everything():
    tree = _Tree()
    tree.feed(made(note="diverged"))
    assert tree.open == []
    text = " ".join(tree.text)
    for part in ("a title", "Final", "column", "mean", "loss", "0.5", ODD, '{"rounds": 3}',
                 "diverged"):  # fmt: skip
        assert part in text


def test_text_is_escaped_and_nothing_comes_from_elsewhere():
    for text in (made(), page(ODD, ODD, None, [Table(ODD, (ODD,), [(ODD,)])], ODD)):
        assert "<script" not in text
        assert not re.search(r"https?://|//|@import|url\(", text)
    assert 'src="curves.svg"' in made()
    assert "<img" not in made(picture=None)


def test_the_same_arguments_give_the_same_page():
    assert made() == made()


def test_what_a_column_is_is_typeset_and_what_is_to_be_copied_is_not():
    tables = [
        Table("Columns", ["name", "what it is"], [["loss", "||grad f(xbar^t)||^2"]]),
        Table("Again", ["command"], [["--set sigma_u=1"]]),
    ]
    text = page("title", None, None, tables, "{}")
    assert str(prose("||grad f(xbar^t)||^2")) in text
    assert "||grad" not in text
    assert "--set sigma_u=1" in text
