import html
import json
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
        head, *scripts = text.split("<script>")
        assert len(scripts) == 1  # that of every page, see test_page
        assert not re.search(r"https?://|//|@import|url\(", head)
    assert 'src="curves.svg"' in made()
    assert "<img" not in made(picture=None)


def test_a_page_says_where_its_numbers_come_from():
    origin = {"command": ODD, "code": "0.2.0 0123", "CPU": "a processor", "date": "2026-11-27"}
    text = page("a title", None, None, [], "{}", origin=origin)
    foot = html.unescape(text[text.index("<footer") : text.index("</footer>")])
    assert all(part in foot for part in origin.values())
    assert ODD not in text


def test_what_the_pointer_is_told_is_data_and_no_markup():
    plots = [{"box": [0.0, 0.0, 1.0, 1.0], "cells": [[ODD]]}]
    text = page("a title", None, "rows.svg", [], "{}", plots=plots)
    (data,) = re.findall(r'data-plots="([^"]*)"', text)
    assert json.loads(html.unescape(data)) == plots
    assert ODD not in text


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
