import math

import pytest

from theorylab.report.readings import readings
from theorylab.report.style import figure_of

X, Y = [1.0, 10.0, 1000.0], [4.0, math.nan, 0.5]


def draw(figure):
    left, right, hidden = figure.subplots(1, 3)
    left.plot(X, Y, label="curve", color="#123456")
    left.set_xscale("log")
    left.set_xlabel("rounds")
    right.plot([0, 1], [2, 3], label="other")
    right.axvline(0.5)  # has no name
    hidden.plot(X, Y, label="unseen")
    hidden.set_visible(False)


@pytest.mark.parametrize("options", [{}, {"layout": "constrained", "figsize": (9, 3)}])
def test_a_point_told_under_the_pointer_is_where_it_is_drawn(options):
    plots, figure = readings(draw, **options), figure_of(draw, **options)
    figure.draw_without_rendering()
    wide, high = figure.bbox.size
    assert [[curve["name"] for curve in plot["curves"]] for plot in plots] == [["curve"], ["other"]]
    for plot, axes in zip(plots, figure.axes, strict=False):
        (low, top), (left, _, width, height) = plot["x"], plot["box"]
        edges = axes.get_window_extent()
        assert plot["box"][1] == pytest.approx(1 - edges.y1 / high, abs=1e-4)
        assert height == pytest.approx(edges.height / high, abs=1e-4)
        for x in plot["curves"][0]["x"]:
            share = ((math.log10(x) if plot["log"] else x) - low) / (top - low)
            drawn, _ = axes.transData.transform((x, axes.get_ylim()[0]))
            assert left + share * width == pytest.approx(drawn / wide, abs=1e-4)
    first = plots[0]["curves"][0]
    assert (first["x"], first["y"], first["colour"]) == (X, [4.0, None, 0.5], "#123456")
    assert plots[0]["along"] == "rounds"


def test_many_points_are_thinned_and_both_ends_stay():
    def many(figure):
        axes = figure.subplots()
        for k in range(8):
            axes.plot(range(20_000), [k] * 20_000, label=str(k))

    (plot,) = readings(many)
    for curve in plot["curves"]:
        assert len(curve["x"]) <= 501
        assert (curve["x"][0], curve["x"][-1]) == (0, 19_999)
