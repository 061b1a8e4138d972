import re
import xml.etree.ElementTree as ET

import pytest

from theorylab import statements
from theorylab.report.formula import formula, summands


@pytest.mark.parametrize(
    ("latex", "parts"),
    [
        (r"a + \frac{b - c}{d} - e", ["a", r"+ \frac{b - c}{d}", "- e"]),
        (r"\left(a + b\right) c + d", [r"\left(a + b\right) c", "+ d"]),
        (r"\left\{a - b\right\} + \left|c - d\right|", [r"\left\{a - b\right\}",
                                                        r"+ \left|c - d\right|"]),
        ("- a + b", ["- a", "+ b"]),
        (r"a \cdot - b", [r"a \cdot - b"]),
        ("x^{- 2} + y_{t+1}", ["x^{- 2}", "+ y_{t+1}"]),
        ("a", ["a"]),
        ("", []),
    ],
)  # fmt: skip
def test_a_bound_is_cut_at_its_outer_signs_only(latex, parts):
    assert summands(latex) == parts


def test_no_part_of_a_formula_is_lost(make):
    latex = make().formula
    assert "".join("".join(summands(latex)).split()) == "".join(latex.split())


def test_a_formula_is_drawn_once_a_summand_with_its_source_as_the_title():
    html = str(formula(r"\frac{a}{b} + \sqrt{c}"))
    root = ET.fromstring(html)
    assert root.get("title") == root.get("aria-label") == r"\frac{a}{b} + \sqrt{c}"
    drawings = root.findall("svg")
    assert len(drawings) == 2
    for svg in drawings:
        left, top, width, height = map(float, svg.get("viewBox").split())
        numbers = list(map(float, re.findall(r"-?\d+\.\d+", svg.find("path").get("d"))))
        assert len(numbers) > 20
        assert all(left <= x <= left + width for x in numbers[::2])
        assert all(top <= y <= top + height for y in numbers[1::2])


@pytest.mark.parametrize(
    ("written", "known"),
    [
        (r"\mathbf y", r"\mathbf{y}"),
        (r"\bar\delta_{i}", r"\bar{\delta}_{i}"),
        (r"\tfrac1N", r"\frac{1}{N}"),
        (r"\tfrac{1}{N}", r"\frac{1}{N}"),
        (r"\tfrac1{N^2}", r"\frac{1}{N^2}"),
        (r"\textstyle\sum_i a_i", r"\sum_i a_i"),
    ],
)
def test_shorthands_are_drawn_as_their_long_forms(written, known):
    def drawing(latex):
        return re.search(r' d="([^"]*)"', str(formula(latex))).group(1)

    assert drawing(written) == drawing(known)


@pytest.mark.parametrize("latex", [r"\begin{cases} a \end{cases}", r"\frac{a", "}{", "a $ b", ""])
def test_what_cannot_be_parsed_is_shown_as_it_was_written(latex):
    html = str(formula(latex))
    assert html == f'<code class="latex">{latex}</code>' or (not latex and "<svg" not in html)


def test_a_formula_is_escaped():
    for latex in ('<script>alert("1")</script>', 'a" onload="x', r"a \text{<b>} + \bad{<i>}"):
        html = str(formula(latex))
        assert "<script" not in html
        assert "<b>" not in html
        assert "<i>" not in html
        ET.fromstring(html)
        assert 'onload="' not in html


def test_the_source_of_a_formula_that_is_drawn_is_escaped_too():
    latex = "a < b > c"
    html = str(formula(latex))
    assert "<svg" in html
    assert ET.fromstring(html).get("title") == latex


@pytest.mark.parametrize("name", list(statements.BUILT_IN))
def test_every_built_in_bound_can_be_drawn(name):
    import sympy

    for version in statements.BUILT_IN[name].versions.values():
        assert "<svg" in formula(sympy.latex(version.bound))
