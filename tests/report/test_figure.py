import io
import itertools
import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import matplotlib.image
import numpy as np
import pytest
from matplotlib.text import Text

from theorylab.report import figure
from theorylab.verdicts.result import Curve


def drawn(result):
    """The matplotlib figure of a result, to ask what is on it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    picture = Figure(figsize=(8.0, 4.5))
    FigureCanvasAgg(picture)
    figure._draw(picture, result, result.curve)
    return picture


def texts(picture):
    return [t.get_text() for t in [*picture.texts, *picture.axes[0].texts] if t.get_text()]


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


def test_no_date_and_no_program_is_written_into_a_figure(make):
    assert "<metadata" not in figure.svg(make())
    assert not re.search(r"20\d\d-\d\d-\d\d", figure.svg(make()))


def test_a_bound_below_zero_is_drawn_where_the_measured_side_is_above(make):
    curve = Curve(rounds=[1, 10], measured=[2.0, 3.0], lower=[2.0, 3.0], upper=[2.0, 3.0],
                  bound=[-4.0, 5.0])  # fmt: skip
    axes = drawn(make(curve=curve)).axes[0]
    (bound,) = (line for line in axes.get_lines() if line.get_label() == "bound")
    assert axes.get_yscale() == "symlog"
    assert list(bound.get_ydata()) == [-4.0, 5.0]
    low, high = axes.get_ylim()
    assert low < -4 < 5 < high


def test_a_curve_says_what_it_is_where_it_is_not_the_measured_side(make):
    curve = flat(1.0, 2.0).model_copy(update={"text": "left side over bracket"})
    for shown, told in ((curve, True), (flat(1.0, 2.0), False)):
        texts = [text.get_text() for text in drawn(make(curve=shown)).texts]
        assert ("left side over bracket" in texts) is told


def test_a_result_without_a_curve_has_no_figure(make):
    for curve in (None, Curve(rounds=[0], measured=[1], lower=[1], upper=[1], bound=[2])):
        result = make(curve=curve)
        assert figure.svg(result) is None
        assert not figure.drawable(result)


def test_both_curves_are_drawn_at_their_values_on_log_axes(make):
    result = make()
    axes = drawn(result).axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    lines = {line.get_label(): line for line in axes.get_lines()}
    for name in ("measured", "bound"):
        assert list(lines[name].get_xdata()) == result.curve.rounds
        assert list(lines[name].get_ydata()) == getattr(result.curve, name)
    assert lines["measured"].get_color() != lines["bound"].get_color()
    assert lines["measured"].get_linestyle() != lines["bound"].get_linestyle()


def test_the_band_is_the_interval_and_reaches_the_edge_where_a_limit_is_missing(make):
    given = Curve(rounds=[1, 10], measured=[1, 1], lower=[0.5, None], upper=[None, 3],
                  bound=[4, 4])  # fmt: skip
    axes = drawn(make(curve=given)).axes[0]
    (band,) = axes.collections
    corners = band.get_paths()[0].vertices
    floor, ceiling = axes.get_ylim()
    at = {x: sorted(set(corners[corners[:, 0] == x][:, 1])) for x in (1, 10)}
    assert at[1] == pytest.approx([0.5, ceiling])
    assert at[10] == pytest.approx([floor, 3])


def test_the_title_says_what_was_judged_and_whether_it_was_expected(make):
    shown = texts(drawn(make(verdict="VIOLATED", expected="HOLDS")))
    assert "dfedsgpsm.thm1   printed   worked-example" in shown
    assert "VIOLATED   (different: expected HOLDS)" in shown
    assert "measured = 2.44 × bound" in shown
    assert {"optimisation 49 %", "consensus 33 %"} <= set(shown)


@pytest.mark.parametrize(("bound", "text"), [(0.0, "0"), (-0.5, "−0.5")])
def test_without_a_ratio_both_sides_are_named(make, bound, text):
    result = make(bound=bound, log10_bound=None, ratio=None, terms={}, curve=flat(0.6089, bound))
    assert f"measured 0.6089, bound {text}" in texts(drawn(result))


def test_of_a_lower_bound_the_title_has_bound_over_measured_or_both_sides(make):
    sides = {"measured": 8.0, "terms": {}, "curve": flat(8.0, 2.0), "relation": ">="}
    assert "bound = 0.25 × measured" in texts(
        drawn(make(**sides, bound=2.0, log10_bound=math.log10(2.0), ratio=0.25))
    )
    assert "measured 8, bound 0" in texts(
        drawn(make(**sides, bound=0.0, log10_bound=None, ratio=0.0))
    )


def test_a_bound_beyond_float64_is_named_above_the_chart(make):
    result = make(bound=None, log10_bound=312.4, ratio=0.0, terms={}, curve=flat(0.5, None))
    shown = texts(drawn(result))
    assert "bound 10^312.4\n(above the chart)" in shown
    assert "measured = 10^−312.6 × bound" in shown


def test_a_bound_far_above_does_not_flatten_the_measured_curve(make):
    picture = drawn(make(bound=1e200, log10_bound=200.0, curve=flat(0.5, 1e200)))
    assert picture.axes[0].get_ylim()[1] < 100
    assert "bound 10²⁰⁰\n(above the chart)".replace("10²⁰⁰", "1 × 10²⁰⁰") in texts(picture)


@pytest.mark.parametrize(("measured", "bound"), [(0.0, 1e-12), (0.0, 0.0), (5e-324, 1.7e308)])
def test_zero_and_the_ends_of_float64_are_drawn_without_a_warning(make, measured, bound):
    result = make(measured=measured, ratio=None, curve=flat(measured, bound))
    ET.fromstring(figure.svg(result))


@pytest.mark.parametrize("start", [1e-5, 0.2493, 1e5])  # labels at the top, both, the bottom
def test_labels_at_the_edge_do_not_cover_each_other_and_stay_beside_the_chart(make, start):
    near = flat(0.2493, 0.2494).model_copy(update={"measured": [start, 0.2493, 0.2493]})
    result = make(curve=near, terms={"a": 0.2492, "b": 0.2491, "c": 1e-9})
    picture = drawn(result)
    picture.canvas.draw()
    # Text's own extent: an annotation's would count its line to the curve
    boxes = [Text.get_window_extent(label) for label in picture.axes[0].texts]
    boxes.sort(key=lambda box: box.y0)
    assert len(boxes) == 4
    assert all(below.y1 <= above.y0 + 1 for below, above in itertools.pairwise(boxes))
    chart = picture.axes[0].bbox
    half = boxes[0].height / 2 + 1
    assert all(chart.y0 - half <= box.y0 and box.y1 <= chart.y1 + half for box in boxes)
    assert all(box.x0 >= chart.x1 and box.x1 <= picture.bbox.x1 for box in boxes)


@pytest.mark.parametrize("name", ["$\\frac{$", "a\x00b\x1f", "<script>&\"'", "漢字", "x" * 500])
def test_a_name_may_be_any_text(make, name):
    result = make(check=name, terms={name: 1.0, "b": 2.0})
    ET.fromstring(figure.svg(result))


def test_the_picture_is_not_blank(make):
    buffer = io.BytesIO()
    drawn(make()).savefig(buffer, format="png", dpi=160)
    buffer.seek(0)
    pixels = matplotlib.image.imread(buffer)
    assert pixels.shape[:2] == (720, 1280)
    for colour in (figure.MEASURED, figure.BOUND):
        rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        assert np.all(np.abs(pixels[..., :3] - rgb) < 0.02, axis=-1).sum() > 200
