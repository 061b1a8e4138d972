import math

import pytest

from theorylab.verdicts.result import Curve

SVG = "{http://www.w3.org/2000/svg}"


def test_of_an_order_the_headline_and_the_labels_are_of_its_growth(make, drawn):
    curve = Curve(rounds=[1, 10, 100], measured=[2.0, 8.0, 32.0], lower=[2.0, 8.0, 32.0],
                  upper=[2.0, 8.0, 32.0], bound=[2.0, 2.2, 2.4], axis="rounds")  # fmt: skip
    method = "slope of log10(left side/bracket){} over 3 values, exact"
    for against, per in (("", "a decade"), (" against the value itself", "a unit")):
        fields = {"measured": 4.0, "bound": 1.1, "log10_bound": math.log10(1.1), "terms": {}}
        shown = drawn(make(curve=curve, interval=method.format(against), **fields)).texts
        assert {f"ratio grows 4-fold {per}, 1.1-fold is allowed", "exact"} <= {*shown}
        assert {"ratio 32", "allowed 2.4"} <= {*shown}
        assert not any("measured" in (each or "") for each in shown)


def test_a_headline_about_another_point_than_the_last_has_dots_there(make, drawn):
    curve = Curve(rounds=[1, 10, 100], measured=[4.0, 2.0, 1.0], lower=[4.0, 2.0, 1.0],
                  upper=[4.0, 2.0, 1.0], bound=[8.0, 1.0, 8.0])  # fmt: skip
    terms = {"bias": 0.75, "noise": 0.25}
    for place, bound in enumerate(curve.bound):
        measured = curve.measured[place]
        elements = drawn(make(curve=curve, measured=measured, bound=bound, terms=terms))
        dots = [(float(e.get("cx")), float(e.get("cy"))) for e in elements if e.get("cx")]
        where = [elements.points(role)[place] for role in ("measured", "bound")]
        assert dots == ([] if place == 2 else where)
        assert any((e or "").startswith("at the dots: ") for e in elements.texts) is (place < 2)
        assert ("bias 75 %" in elements.texts) is (place == 2)


@pytest.mark.parametrize(
    ("width", "runs", "method", "told"),
    [
        (1e-9, 1, "exact, rounding allowance 1e-09", "exact"),
        (0.5, 1, "exact, rounding allowance 1e-09", "shaded: limits, exact"),
        (1e-9, 16, "largest of 16 realisations", "largest of 16 realisations"),
        (1e-9, 9, "betting confidence sequence, floor 0", "betting confidence sequence, 9 runs"),
        (0.5, 9, "betting confidence sequence, floor 0", "shaded: confidence interval, 9 runs"),
    ],
)
def test_a_figure_says_shaded_only_where_a_band_can_be_seen(make, width, runs, method, told, drawn):
    curve = Curve(rounds=[1, 10], measured=[1.0, 2.0], lower=[1 - width, 2 - width],
                  upper=[1 + width, 2 + width], bound=[4.0, 4.0])  # fmt: skip
    assert told in drawn(make(curve=curve, runs=runs, interval=method)).texts
