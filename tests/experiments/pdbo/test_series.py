"""The partial sums, against fractions."""

import itertools
from fractions import Fraction

import pytest

from theorylab.experiments import experiment

A, B, ETA, LAST = Fraction(3, 5), Fraction(1, 4), Fraction(1, 2), 6


def wanted():
    """vr_sum and hgp_sum from the double sums as printed, in fractions."""
    g = 1 - B + B * ETA
    vr = sum(((1 - A) * A ** (LAST - i)) ** 2 for i in range(LAST + 1))
    for i in range(LAST):
        k = LAST - i
        vr += (ETA * (1 - A) * B * (A**k - g**k) / (A - g)) ** 2
    first = sum(ETA ** (2 * i) for i in range(LAST + 1))
    second = (ETA / (1 - ETA)) ** 2 * sum(ETA ** (2 * i) for i in range(LAST))
    return 8 * vr, 8 * (1 - ETA) ** 2 * (first + second)


def test_the_sums_are_those_of_fractions():
    made = experiment("hgp-series", eta=[0.5], alpha=0.6, beta=0.25, last=LAST)
    vr, hgp = wanted()
    room = 100 * 2.0**-53  # 6 terms of a few roundings each, all positive; 0.6 is rounded, too
    for column, value in (("vr_sum", vr), ("hgp_sum", hgp)):
        row = made.observe(column, range(1), 0).rows[0]
        assert abs(row.values[0] - float(value)) <= room * float(value)


def test_the_ratio_is_that_of_the_limits_whatever_is_added_up():
    ratios = [
        experiment("hgp-series", eta=[0.5], alpha=0.6, beta=0.25, last=last)
        .observe("ratio", range(1), 0).rows[0].values[0]
        for last in (1, LAST)
    ]  # fmt: skip
    assert ratios[0] == ratios[1]
    made = experiment("hgp-series", eta=[0.5], alpha=0.6, beta=0.25, last=400)  # .875^800 = 1e-46
    sums = [made.observe(name, range(1), 0).rows[0].values[0] for name in ("vr_sum", "hgp_sum")]
    # 800 terms of up to 4 * 400 roundings each
    assert abs(ratios[0] ** 2 - sums[0] / sums[1]) <= 2000 * 2.0**-53


def test_more_terms_never_make_a_sum_smaller():
    sums = [
        experiment("hgp-series", eta=[0.9], last=last).observe("vr_sum", range(1), 0).rows[0].values
        for last in (1, 10, 100, 1000)
    ]
    assert all(a[0] < b[0] for a, b in itertools.pairwise(sums))


def test_the_ratio_of_weights_near_the_smallest_floats_is_its_limit():
    # beta -> 0: mu^2 = 8 (1-alpha)/(1+alpha), mu_{1,0}^2 = 8 (1/4 + 1/4)/(3/4)
    row = experiment("hgp-series", eta=[0.5], alpha=0.9, beta=5e-324).observe("ratio", range(1), 0)
    assert row.rows[0].values[0] ** 2 == pytest.approx(0.1 / 1.9 * 1.5, rel=1e-14)


@pytest.mark.parametrize(
    "options",
    [
        *({"eta": []}, {"eta": [1.0]}, {"eta": 0.5}, {"eta": ["a"]}, {"eta": [True]}),
        *({"alpha": 1.0}, {"last": 0}, {"last": 10**9}, {"last": True}),
    ],
)
def test_bad_options_get_one_line(options):
    with pytest.raises(ValueError, match=r"^hgp-series: .*; need") as caught:
        experiment("hgp-series", **options)
    assert "\n" not in str(caught.value)
