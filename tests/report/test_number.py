import pytest

from theorylab.report.number import percent, plain, typeset


@pytest.mark.parametrize(
    ("value", "log10", "ascii_text", "unicode_text"),
    [
        (0.24931, -0.6, "0.2493", "0.2493"),
        (12000.0, 4.08, "12000", "12000"),
        (-1.5e-7, None, "-1.5e-07", "−1.5 × 10⁻⁷"),
        (None, 312.43, "10^312.4", "10^312.4"),
        (float("inf"), 312.43, "10^312.4", "10^312.4"),
        (0.0, -400.0, "10^-400.0", "10^−400.0"),  # an underflow is no zero
        (0.0, None, "0", "0"),
        (None, None, "-", "–"),
        (float("nan"), None, "-", "–"),
    ],
)
def test_a_number_is_short_and_never_inf_nan_or_a_false_zero(
    value, log10, ascii_text, unicode_text
):
    assert plain(value, log10) == ascii_text
    assert typeset(value, log10) == unicode_text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (0.0004, "< 0.1 %"), (0.0237, "2.4 %"), (-0.134, "13 %"), (24.0, "24 ×")],
)
def test_a_share_says_how_small_it_is(share, text):
    assert percent(share) == text
