import html.parser
import re

import pytest

from theorylab.report.page import page
from theorylab.verdicts.result import AssumptionResult

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Reader(html.parser.HTMLParser):
    """Tags in order, with a check that each is closed where it must be."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text, self.wrong = [], [], "", []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong.append((tag, self.open[-3:]))
        else:
            self.open.pop()

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.text += f"{data} "


def test_the_page_is_balanced_html_with_unique_ids_and_links_that_lead_somewhere(results):
    reader = Reader(page(results))
    assert (reader.open, reader.wrong) == ([], [])
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    # a glyph may be defined twice inside one figure, never in two figures
    assert len({i for i in ids if re.fullmatch(r"c\d+", i)}) == len(results)
    targets = {a["href"][1:] for _, a in reader.tags if a.get("href", "").startswith("#")}
    assert targets <= set(ids)
    assert len(ids) == len(set(ids))


def test_the_page_needs_no_network_and_no_script(results):
    text = page(results)
    reader = Reader(text)
    assert not {"script", "link", "img", "iframe", "object", "embed", "base"} & {
        tag for tag, _ in reader.tags
    }
    for _, attributes in reader.tags:
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in ("href", "src", "xlink:href"):
                assert value.startswith("#")
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", text)


EVIL = "<script>alert('x')</script>\"'&{{7*7}}"


def test_nothing_that_comes_from_a_result_is_markup(make):
    result = make(
        check=EVIL,
        version=EVIL,
        id=EVIL,
        source=EVIL,
        reason=EVIL,
        interval=EVIL,
        formula=EVIL,
        terms={EVIL: 1.0, "b": None},
        assumptions=[AssumptionResult(name=EVIL, holds=False, margin=-1.0, reason=EVIL)],
        constants={EVIL: {"value": 1.0, "how": EVIL, "source": EVIL, "log10": 0.0}},
        instance={EVIL: {EVIL: EVIL}},
    )
    text = page([result])
    assert "<script" not in text
    assert "49" not in re.findall(r"alert\('x'\)</script>\W*(\d+)", text)
    reader = Reader(text)
    assert (reader.open, reader.wrong) == ([], [])
    assert reader.text.count(EVIL) >= 10
    assert not any(name.startswith("on") for _, a in reader.tags for name in a)


def test_the_page_shows_every_fact_of_a_result(results):
    shown = " ".join(Reader(page(results)).text.split())
    for result in results:
        for text in (result.id, result.version, result.check, result.verdict, result.reason):
            assert text in shown
        for assumption in result.assumptions:
            assert assumption.name in shown
        for name, constant in result.constants.items():
            assert f"{name} " in shown
            assert constant["source"] in shown
    for text in ("0.6089", "0.2493", "2.44", "10^312.4", "49 %", "13 % beyond", "98 % inside",
                 "topology.name edge-list", "0.7799 … 0.7801", "beyond float64",
                 "4 as expected", "1 different", "1 undecided"):  # fmt: skip
        assert text in shown, text


def test_a_failed_assumption_is_highlighted(results):
    failing = [a for tag, a in Reader(page(results)).tags if tag == "tr" and a.get("class")]
    assert failing == [{"class": "fails"}]


def test_a_figure_stands_for_each_result_with_a_curve_and_a_formula_for_each_statement(results):
    tags = Reader(page(results)).tags
    figures = [a for tag, a in tags if tag == "svg" and a.get("class") == "figure"]
    assert len(figures) == sum(result.curve is not None for result in results)
    assert all("measured against bound" in a["aria-label"] for a in figures)
    formulas = [a["title"] for tag, a in tags if a.get("class") == "formula"]
    shown = [results[i] for i in (0, 2, 3, 5)]
    assert formulas == [t for r in shown for t in (r.quantity + r" \leq", r.formula)]


def test_shares_of_the_bound_are_bars_of_their_width(make):
    tags = Reader(page([make(terms={"a": 3.0, "b": -1.0, "c": 0.0})])).tags
    assert [a["style"] for _, a in tags if a.get("class") == "bar"] == [
        "width:75.0%",
        "width:25.0%",
    ]


def test_beside_a_term_beyond_float64_the_others_have_no_share(make):
    shown = " ".join(Reader(page([make(terms={"finite": 3.0, "huge": None})])).text.split())
    assert "finite 3 – huge beyond float64 dominates" in shown


def test_the_same_results_give_the_same_page(results):
    assert page(results) == page(results)


@pytest.mark.parametrize(
    "change",
    [
        {"terms": {}},
        {"assumptions": []},
        {"constants": {}},
        {"instance": {}},
        {"ci": (None, 1.0)},
        {"curve": None},
    ],
)
def test_a_result_may_lack_parts(make, change):
    reader = Reader(page([make(**change)]))
    assert (reader.open, reader.wrong) == ([], [])


def test_an_empty_report_is_a_page_too():
    assert "0 checks" in Reader(page([])).text
