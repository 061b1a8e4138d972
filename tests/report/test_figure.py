import itertools
import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from theorylab.report import chart, figure
from theorylab.report.figure import BOTTOM, LEFT, RIGHT, TOP
from theorylab.verdicts.result import Curve

SVG = "{http://www.w3.org/2000/svg}"


def flat(measured, bound, rounds=(1, 10, 100)):
    n = len(rounds)
    return Curve(rounds=list(rounds), measured=[measured] * n, lower=[measured] * n,
                 upper=[measured] * n, bound=[bound] * n)  # fmt: skip


def test_the_same_result_gives_the_same_bytes_in_another_process(make, tmp_path):
    (tmp_path / "result.json").write_text(make().model_dump_json())
    program = (
        "import sys, hashlib\n"
        "from theorylab.report.figure import svg\n"
        "from theorylab.verdicts.result import Result\n"
        f"r = Result.model_validate_json(open({str(tmp_path / 'result.json')!r}).read())\n"
        "sys.stdout.buffer.write(svg(r).encode())\n"
    )
    other = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, check=True
    ).stdout
    assert other == figure.svg(make()).encode()


def test_a_bound_below_zero_is_drawn_where_the_measured_side_is_above(make, drawn):
    curve = Curve(rounds=[1, 10], measured=[2.0, 3.0], lower=[2.0, 3.0], upper=[2.0, 3.0],
                  bound=[-4.0, 5.0])  # fmt: skip
    elements = drawn(make(curve=curve))
    (_, below), (_, above) = elements.points("bound")
    (_, first), (_, second) = elements.points("measured")
    assert TOP < above < second < first < below < BOTTOM
    # log10 of both signs beyond the least size, which is 2
    step = math.log10(5 / 2) - math.log10(3 / 2)
    whole = 2 + math.log10(5 / 2) + math.log10(4 / 2)
    assert (second - above) / (below - above) == pytest.approx(step / whole, abs=1e-3)
    assert "0" in elements.texts


def test_a_curve_says_what_it_is_where_it_is_not_the_measured_side(make, drawn):
    curve = flat(1.0, 2.0).model_copy(update={"text": "left side over bracket"})
    for shown, told in ((curve, True), (flat(1.0, 2.0), False)):
        elements = drawn(make(curve=shown))
        assert ("left side over bracket" in elements.texts) is told
        assert any(each.get("class") == "formula" for each in elements) is not told


def test_a_side_that_mathtext_cannot_read_is_told_in_words(make, drawn):
    assert "measured side and bound" in drawn(make(quantity=r"\frac{")).texts


def test_a_formula_wider_than_the_figure_is_made_smaller():
    for words, smaller in (("$x$", False), (f"${'x + ' * 80}x$", True)):
        scale = float(re.search(r"scale\(([\d.]+)", chart.formula(0, 0, words, 560))[1])
        assert (scale < 1) is smaller
        width = chart._outlines(words)[1]
        assert scale * width <= 560.5


def test_the_ends_of_outlines_are_those_of_the_curves_between_their_points():
    words = r"$\frac{1}{T}\sum_{t<T}\|\nabla f(\bar{x}^t)\|^2$ OQS&%@"
    cubic = Path([(0, 0), (1, 3), (4, -5), (2, 1)], [Path.MOVETO] + [Path.CURVE4] * 3)
    for path in (TextPath((0, 0), words, size=12), cubic):
        ends = np.array(chart.extents(path))
        # some operations on numbers of a few hundred points
        assert np.abs(ends - path.get_extents().get_points()).max() <= 1e-11
    # y = 4 x - 2 x^2 and back by x = 2 - (y^2 + 2 y) / 2: they turn at (1, 2) and (2.5, -1)
    corners = [(0, 0), (1, 4), (2, 0), (3, -1), (2, -2), (0, 0)]
    codes = [Path.MOVETO, *[Path.CURVE3] * 4, Path.CLOSEPOLY]
    assert chart.extents(Path(corners, codes)) == ((0.0, -2.0), (2.5, 2.0))


def test_a_result_without_a_curve_has_no_figure(make):
    for curve in (None, Curve(rounds=[0], measured=[1], lower=[1], upper=[1], bound=[2])):
        result = make(curve=curve)
        assert figure.svg(result) is None
        assert not figure.drawable(result)


def test_both_curves_are_drawn_at_their_values_on_log_axes(make, drawn):
    curve = Curve(rounds=[1, 10, 1000], measured=[1.0, 0.1, 0.01], lower=[1, 0.1, 0.01],
                  upper=[1, 0.1, 0.01], bound=[1e2, 10.0, 1.0])  # fmt: skip
    elements = drawn(make(curve=curve, terms={}))
    places = {role: elements.points(role) for role in ("measured", "bound")}
    wide, (low, top) = RIGHT - LEFT, (places["measured"][2][1], places["bound"][0][1])
    decade = (low - top) / 4  # from .01 to 100
    for role, decades in (("measured", (2, 1, 0)), ("bound", (4, 3, 2))):
        for (x, y), share, up in zip(places[role], (0, 1 / 3, 1), decades, strict=True):
            assert x == pytest.approx(LEFT + share * wide, abs=0.01)
            assert y == pytest.approx(low - up * decade, abs=0.02)
    # the room is 7 % of the four decades on each side
    assert decade == pytest.approx((BOTTOM - TOP) / (4 + 2 * 0.28), abs=0.01)
    looks = [[e.get(k) for e in elements if e.get("class") in places] for k in
             ("stroke", "stroke-dasharray")]  # fmt: skip
    assert all(len({*each}) == 2 for each in looks)


def test_ticks_stand_at_the_numbers_that_they_name(make, drawn):
    elements = drawn(make(curve=flat(1.0, 2.0, (1, 10, 100)), terms={}))
    ticks = {e.text: float(e.get("x")) for e in elements if e.get("text-anchor") == "middle"}
    wide = RIGHT - LEFT
    assert ticks["10"] == pytest.approx(LEFT + wide / 2, abs=0.01)
    assert (ticks["1"], ticks["100"]) == pytest.approx((LEFT, RIGHT), abs=0.01)


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((0.0, 3.0), [1, 10, 100, 1000]),
        ((-20.0, 20.0), [10.0**k for k in range(-20, 21, 5)]),
        ((0.0, 1.0), [1, 2, 5, 10]),
        ((math.log10(1.9), math.log10(4.1)), [2, 3, 4]),
        ((math.log10(1.01), math.log10(1.05)), [1.01, 1.02, 1.03, 1.04, 1.05]),
    ],
)
def test_an_axis_of_logarithms_has_ticks_that_a_person_reads(ends, ticks):
    assert chart.log_ticks(*ends) == pytest.approx(ticks)


def test_a_straight_axis_has_few_ticks_at_round_numbers():
    assert chart.linear_ticks(-0.05, 1.05) == pytest.approx([0, 0.5, 1])
    assert chart.linear_ticks(-1e308, 1e308) == [k * 5e307 for k in range(-2, 3)]


def test_the_band_is_the_interval_and_reaches_the_edge_where_a_limit_is_missing(make, drawn):
    given = Curve(rounds=[1, 10], measured=[1, 1], lower=[0.5, None], upper=[None, 3],
                  bound=[4, 4])  # fmt: skip
    corners = drawn(make(curve=given)).points("band")
    (_, low), (_, floor), (_, high), (_, ceiling) = corners
    assert [x for x, _ in corners] == pytest.approx([LEFT, RIGHT, RIGHT, LEFT], abs=0.01)
    assert (floor, ceiling) == (BOTTOM, TOP)
    assert TOP < high < low < BOTTOM


def test_a_curve_has_gaps_where_a_number_is_missing_and_no_points_that_no_page_shows(make, drawn):
    rounds = [*range(1, 5001)]
    row = [None if 2000 < t < 2100 else 1.0 for t in rounds]
    ones = [1.0] * 5000
    curve = Curve(rounds=rounds, measured=ones, lower=ones, upper=ones, bound=row)
    path = next(e.get("d") for e in drawn(make(curve=curve)) if e.get("class") == "bound")
    assert path.count("M") == 2
    assert path.count("L") <= 2 * (RIGHT - LEFT)


def test_the_title_says_what_was_judged_and_whether_it_was_expected(make, drawn):
    shown = drawn(make(verdict="VIOLATED", expected="HOLDS")).texts
    assert "dfedsgpsm.thm1 \N{NO-BREAK SPACE} printed \N{NO-BREAK SPACE} worked-example" in shown
    assert "VIOLATED (different: expected HOLDS)" in shown
    assert "measured = 2.44 × bound" in shown
    assert {"optimisation 49 %", "consensus 33 %"} <= set(shown)


@pytest.mark.parametrize(("bound", "text"), [(0.0, "0"), (-0.5, "−0.5")])
def test_without_a_ratio_both_sides_are_named(make, bound, text, drawn):
    result = make(bound=bound, log10_bound=None, ratio=None, terms={}, curve=flat(0.6089, bound))
    assert f"measured 0.6089, bound {text}" in drawn(result).texts


def test_of_a_lower_bound_the_title_has_bound_over_measured_or_both_sides(make, drawn):
    sides = {"measured": 8.0, "terms": {}, "curve": flat(8.0, 2.0), "relation": ">="}
    assert (
        "bound = 0.25 × measured"
        in drawn(make(**sides, bound=2.0, log10_bound=math.log10(2.0), ratio=0.25)).texts
    )
    assert (
        "measured 8, bound 0" in drawn(make(**sides, bound=0.0, log10_bound=None, ratio=0.0)).texts
    )


def test_a_bound_beyond_float64_is_named_above_the_chart(make, drawn):
    result = make(bound=None, log10_bound=312.4, ratio=0.0, terms={}, curve=flat(0.5, None))
    shown = drawn(result).texts
    assert {"bound 10^312.4", "(above the chart)", "measured = 10^−312.6 × bound"} <= {*shown}


def test_a_bound_far_above_does_not_flatten_the_measured_curve(make, drawn):
    elements = drawn(make(bound=1e200, log10_bound=200.0, curve=flat(0.5, 1e200)))
    assert {"bound 1 × 10²⁰⁰", "(above the chart)"} <= {*elements.texts}
    assert all(y < TOP for _, y in elements.points("bound"))
    assert all(TOP < y < BOTTOM for _, y in elements.points("measured"))


@pytest.mark.parametrize(
    ("measured", "bound"), [(0.0, 1e-12), (0.0, 0.0), (5e-324, 1.7e308), (1.7e308, -1.7e308)]
)
def test_zero_and_the_ends_of_float64_are_drawn_without_a_warning(make, measured, bound):
    result = make(measured=measured, ratio=None, curve=flat(measured, bound))
    text = figure.svg(result)
    ET.fromstring(text)
    assert "nan" not in text
    assert "inf" not in text.replace("infinite", "")


@pytest.mark.parametrize("start", [1e-5, 0.2493, 1e5])  # labels at the top, both, the bottom
def test_labels_at_the_edge_do_not_cover_each_other_and_stay_beside_the_chart(make, start, drawn):
    near = flat(0.2493, 0.2494).model_copy(update={"measured": [start, 0.2493, 0.2493]})
    result = make(curve=near, terms={"a": 0.2492, "b": 0.2491, "c": 1e-9})
    labels = [e for e in drawn(result) if e.tag == f"{SVG}text" and float(e.get("x")) == 441.82]
    feet = sorted(float(e.get("y")) for e in labels)
    assert len(feet) == 4
    assert all(b - a >= 12 for a, b in itertools.pairwise(feet))  # of 10 points each
    assert feet[0] >= TOP
    assert feet[-1] <= BOTTOM + 5


@pytest.mark.parametrize("name", ["$\\frac{$", "a\x00b\x1f", "<script>&\"'", "漢字", "x" * 500])
def test_a_name_may_be_any_text(make, name):
    curve = flat(1.0, 2.0).model_copy(update={"text": name, "axis": name})
    ET.fromstring(figure.svg(make(check=name, terms={name: 1.0, "b": 2.0}, curve=curve)))
