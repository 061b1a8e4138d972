"""Sums against plain double loops in fractions."""

from fractions import Fraction

import pytest

from theorylab.experiments import MomentumSums, experiment


def rows(column, **options):
    return experiment("momentum-sums", **options).observe(column, range(1), 0).rows


@pytest.mark.parametrize("K", [1, 2, 7])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.9])
def test_the_sum_is_the_double_sum(K, alpha):
    a = Fraction(alpha)
    total = sum(a ** (k - s) for k in range(1, K + 1) for s in range(1, k + 1))
    (row,) = rows("sum", steps=[K], alphas=[alpha])
    assert row.values[0] == float(total)
    assert row.at["K"] == K
    assert row.at["alpha"] == alpha
    (row,) = rows("inverse", steps=[K], alphas=[alpha])
    assert row.values[0] == float(1 / total)
    (row,) = rows("step", steps=[K], alphas=[alpha], share=0.25)
    assert row.values[0] == float(Fraction(1, 4) / K * total)
    assert row.at["eta"] * K == pytest.approx(0.25, rel=1e-15)


def test_the_numbers_of_proof_3():
    (row,) = rows("growth", steps=[1, 3])  # K = 1 has none
    assert row.values[0] == 3.375
    (row,) = rows("factor", steps=[2], share=1.0)
    # eta = delta / (16 L): 16 * 2 / 256
    assert row.values[0] == float(Fraction(1, 3) + Fraction(1, 8))


def test_the_share_of_the_cap_is_told():
    # a claim for steps up to the cap says nothing of larger ones: its assumption needs the number
    assert experiment("momentum-sums", share=2.5).constants()["step_share"].value == 2.5


def test_sams_share():
    (row,) = rows("sam_share", steps=[2], deltas=[0.5], horizons=[4.0])
    assert row.values[0] == 2 * (1 / 4 + 1 / (16 * 2 * 0.5))
    assert row.at == {"K": 2.0, "delta": 0.5, "T": 4.0}


def test_it_is_made_again_from_its_description():
    made = MomentumSums(steps=[3], alphas=[0.1])
    assert experiment("momentum-sums", **made.describe()).describe() == made.describe()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"steps": [0]}, "steps is .0.; need integers >= 1"),
        ({"steps": []}, "steps is "),
        ({"alphas": [1.0]}, "need numbers in"),
        ({"share": 0.0}, "share is 0.0; need > 0"),
        ({"deltas": [0.0]}, "deltas or horizons"),
        ({"horizons": [0.5]}, "deltas or horizons"),
    ],
)
def test_a_wrong_option_is_one_line(options, line):
    with pytest.raises(ValueError, match=f"^momentum-sums: [^\n]*{line}"):
        MomentumSums(**options)
