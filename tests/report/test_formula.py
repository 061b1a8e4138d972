import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import text_to_path

from theorylab import statements
from theorylab.report.formula import formula, outlines, summands


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
    letters = outlined(html)
    for svg in drawings:
        left, top, width, height = map(float, svg.get("viewBox").split())
        points = list(placed(svg.find("g"), letters))
        assert len(points) > 10
        assert all(left <= x <= left + width and top <= y <= top + height for x, y in points)


def outlined(html):
    """Name -> points of the letters that the page would hold."""
    paths = ET.fromstring(str(outlines(html))).iter("path")
    return {path.get("id"): pairs(path.get("d")) for path in paths}


def pairs(data):
    numbers = list(map(float, re.findall(r"-?\d+(?:\.\d+)?", data)))
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def placed(group, letters):
    """Every point of a drawing in its own pixels, as a browser places it."""
    down, scale = map(
        float,
        re.fullmatch(
            r"translate\(0 ([\d.]+)\) scale\(([\d.]+) -[\d.]+\)", group.get("transform")
        ).groups(),
    )
    for part in group:
        points, x0, y0, size = pairs(part.get("d", "")), 0.0, 0.0, 1.0
        if part.tag == "use":
            points = letters[part.get("href")[1:]]
            x0, y0, size = map(
                float,
                re.fullmatch(
                    r"translate\((\S+) ([^)\s]+)\)(?:scale\((\S+)\))?", part.get("transform")
                ).groups("1"),
            )
        for x, y in points:
            yield scale * (x0 + size * x), down - scale * (y0 + size * y)


def test_a_letter_is_outlined_once_in_a_page_however_often_it_is_used():
    html = str(formula("x x x + y")) + str(formula(r"\frac{x}{z}"))
    used = re.findall(r'href="#([^"]+)"', html)
    assert len(used) == 7  # x x x, +, y, x, z
    assert sorted(outlined(html)) == sorted(set(used))
    assert outlined("no formula") == {}


def test_the_drawing_is_the_one_that_mathtext_makes():
    latex = r"\frac{2 \alpha_{i}}{\sqrt{K}}"
    html = str(formula(latex))
    drawn = np.array(list(placed(ET.fromstring(html).find("svg").find("g"), outlined(html))))
    font = FontProperties(family="DejaVu Sans", math_fontfamily="stix", size=20)
    _, height, descent = text_to_path.get_text_width_height_descent(f"${latex}$", font, True)
    vertices, codes = text_to_path.get_text_path(font, f"${latex}$", ismath=True)
    scale = 20 / text_to_path.FONT_SCALE
    vertices, codes = np.array(vertices), np.array(codes)
    points = vertices[codes != Path.CLOSEPOLY]  # the end of an outline has no point of its own
    expected = np.column_stack([scale * points[:, 0], height - descent - scale * points[:, 1]])
    assert len(drawn) == len(expected)
    apart = np.abs(drawn[:, None] - expected).max(axis=2)
    # places are rounded to 1/100 of the font's size, outlines to a tenth, the foot to 1/100 pixel
    room = 0.5 * scale + 0.05 * scale + 0.005
    assert apart.min(axis=0).max() <= room
    assert apart.min(axis=1).max() <= room


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
        return re.search(r"<svg.*</svg>", str(formula(latex))).group(0)

    assert drawing(written) == drawing(known)


@pytest.mark.parametrize("latex", [r"\begin{matrix} a \end{matrix}", r"\frac{a", "}{", "a $ b", ""])
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
