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
        (r"f(\{a + b\}) + c", [r"f(\{a + b\})", "+ c"]),
        ("a", ["a"]),
        ("", []),
    ],
)  # fmt: skip
def test_a_bound_is_cut_at_its_outer_signs_only(latex, parts):
    assert summands(latex) == parts


def test_no_part_of_a_formula_is_lost(make):
    latex = make().formula
    assert "".join("".join(summands(latex)).split()) == "".join(latex.split())


def test_a_formula_is_one_mathml_a_summand_with_its_source_as_the_title():
    root = ET.fromstring(str(formula(r"\frac{a}{b} + \sqrt{c}")))
    assert root.get("title") == r"\frac{a}{b} + \sqrt{c}"
    first, second = root.findall("math")
    assert [part.text for part in first.iter("mi")] == ["a", "b"]
    assert first.find(".//mfrac") is not None
    assert "".join(second.itertext()) == "+c"
    assert second.find(".//msqrt") is not None


def test_letters_of_an_alphabet_are_letters_of_unicode():
    html = str(formula(r"\mathbf y_{\mathbb{R}} \mathcal{C} \mathbf{\Phi}"))
    assert "".join(ET.fromstring(html).itertext()) == "\N{MATHEMATICAL BOLD SMALL Y}ℝ𝒞𝚽"
    assert "mathvariant" not in html  # browsers would not follow it


@pytest.mark.parametrize(
    ("written", "known"),
    [
        (r"\mathbf y", r"\mathbf{y}"),
        (r"\bar\delta_{i}", r"\bar{\delta}_{i}"),
        (r"\tfrac1N", r"\frac{1}{N}"),
        (r"\sqrt N", r"\sqrt{N}"),
        (r"\tfrac{1}{N}", r"\frac{1}{N}"),
        (r"\tfrac1{N^2}", r"\frac{1}{N^2}"),
        (r"\textstyle\sum_i a_i", r"\sum_i a_i"),
        (r"\frac1K\sum_k a", r"\frac{1}{K}\sum_k a"),
        (r"\frac1{\sqrt{K}}", r"\frac{1}{\sqrt{K}}"),
        (r"a \Big/ \left(b\right)", r"a / \left(b\right)"),
    ],
)
def test_shorthands_are_drawn_as_their_long_forms(written, known):
    def drawing(latex):
        return re.search(r"<math.*</math>", str(formula(latex))).group(0)

    assert drawing(written) == drawing(known)


@pytest.mark.parametrize(
    "latex", [r"\nosuchcommand{a}", r"\frac{a", "}{", "a $ b", r"\href{b}{x}", r"\style{b}{x}", ""]
)
def test_what_cannot_be_parsed_is_shown_as_it_was_written(latex):
    html = str(formula(latex))
    assert html == f'<code class="latex">{latex}</code>' or (not latex and "<math" not in html)


def test_a_formula_is_escaped():
    for latex in (
        *('<script>alert("1")</script>', 'a" onload="x', r"a \text{<b>} + \bad{<i>}"),
        r"\text{&lt;b&gt;&lt;script&gt;}",
    ):
        html = str(formula(latex))
        assert "<script" not in html
        assert "<b>" not in html
        assert "<i>" not in html
        ET.fromstring(html)
        assert 'onload="' not in html


def test_the_source_of_a_formula_that_is_drawn_is_escaped_too():
    latex = "a < b > c"
    html = str(formula(latex))
    assert "<math" in html
    assert ET.fromstring(html).get("title") == latex


@pytest.mark.parametrize("name", list(statements.BUILT_IN))
def test_every_built_in_bound_can_be_written(name):
    import sympy

    for version in statements.BUILT_IN[name].versions.values():
        assert "<math" in formula(sympy.latex(version.bound))


def test_a_sum_has_its_limits_below_and_above_and_a_letter_does_not():
    text = str(formula(r"\sum_{t=0}^{T-1} x_t^2 + \left(\prod_i y\right)"))
    assert "<munderover><mo>∑</mo>" in text
    assert "<munder><mo>∏</mo>" in text
    assert "<msubsup><mi>x</mi>" in text
    assert 'stretchy="true">(' not in text  # a browser stretches brackets by itself
