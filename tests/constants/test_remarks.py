import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from theorylab.constants import dfedpgp_lemma3, dfedpgp_remark2, dfedsgpsm_remark1, sgp_pair
from theorylab.known import How

BOTH = pytest.mark.parametrize("remark", [dfedsgpsm_remark1, dfedpgp_remark2])


@BOTH
@pytest.mark.parametrize(
    ("D", "diameter", "window", "a"),
    [
        (2, 2, 1, None),
        (3, 4, 5, None),
        (11, 99, 5, None),
        (4, 3, 2, 0.9),
        (4, 3, 2, Fraction(2, 7)),
    ],
)
def test_the_printed_formula_is_evaluated_and_rounded_outwards(remark, D, diameter, window, a):
    found = remark(D, diameter, window, a)
    with mpmath.workdps(2000):
        base = Fraction(1, D) if a is None else Fraction(a)
        base = mpmath.mpf(base.numerator) / base.denominator
        q = (1 - base ** (diameter * window)) ** (mpmath.mpf(1) / (diameter * window + 1))
        for name, exact in (("q_remark", q), ("gap_remark", 1 - q)):
            log = mpmath.log10(exact)
            assert abs(found[name].log10 - log) <= 4 * np.finfo(float).eps * abs(log) + 1e-320
        assert found["q_remark"].value >= q
        assert found["gap_remark"].value <= 1 - q
    assert found["q_remark"].how is How.UPPER
    assert found["gap_remark"].how is How.LOWER
    assert "as printed" in found["q_remark"].source


@BOTH
def test_a_case_worked_by_hand(remark):
    q = remark(2, 2, 1)["q_remark"].value
    assert q**3 == pytest.approx(float(1 - Fraction(1, 4)), rel=4e-16)


def test_the_remarks_name_their_paper():
    assert "DFedSGPSM, Remark 1" in dfedsgpsm_remark1(2, 2, 1)["q_remark"].source
    assert "DFedPGP, Remark 2" in dfedpgp_remark2(2, 2, 1)["gap_remark"].source


@pytest.mark.parametrize(("n", "D", "hops"), [(3, 2, 2), (8, 2, 7), (10, 3, 12)])
def test_the_reading_a_is_one_over_d_never_gives_less_than_the_lemma(n, D, hops):
    lemma = sgp_pair(n, D, hops, 1)["q_sgp"].value
    assert dfedsgpsm_remark1(D, hops, 1)["q_remark"].value > lemma
    # the second reading is the lemma itself, up to the rounding of a
    with_n = dfedsgpsm_remark1(D, hops, 1, a=n ** (1 / hops) / D)["q_remark"].value
    assert with_n == pytest.approx(lemma, rel=1e-14)


def test_where_the_remark_defines_nothing_it_says_so():
    for arguments, reason in (
        ((1, 3, 1), "a = 1, Delta B = 3"),
        ((2, 0, 1), "Delta B = 0"),
        ((2, math.inf, 1), "not connected"),
        ((2, 3, math.inf), "not connected"),
    ):
        found = dfedsgpsm_remark1(*arguments)
        assert (found["q_remark"].value, found["gap_remark"].value) == (math.inf, 0)
        assert all(reason in known.source for known in found.values())


def test_lemma_3_of_dfedpgp_has_local_steps_for_the_delay():
    n, D, diameter, window, K_u, d = 3, 2, 2, 1, 4, 9
    found = dfedpgp_lemma3(n, D, diameter, window, K_u, d)
    hops = (K_u + 1) * diameter * window
    lam = 1 - n * Fraction(1, D) ** hops
    assert found["q_dfedpgp"].value ** (hops + 1) == pytest.approx(float(lam), rel=1e-14)
    C = 2 * 3 * D**hops / float(lam) ** ((hops + 2) / (hops + 1))
    assert found["C_dfedpgp"].value == pytest.approx(C, rel=1e-14)
    # at K_u = 1 it is already weaker than the lemma without delay, which DFedPGP's Remark 2 means
    assert (
        dfedpgp_lemma3(n, D, 2, 1, 1, d)["gap_dfedpgp"].value
        < sgp_pair(n, D, 2, 1)["gap_sgp"].value
    )
    assert found["C_dfedpgp"].source.startswith("DFedPGP, Lemma 3, tau = K_u = 4: ")


@BOTH
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 2, 1), "max_out_degree is 0; need at least 1"),
        ((2, -1, 1), "diameter is -1; need at least 0"),
        ((2, 2, 0), "window is 0; need at least 1"),
        ((2, 2, 1, 1.0), r"a is 1.0; need 0 < a < 1"),
        ((2, 2, 1, math.nan), r"a is nan; need 0 < a < 1"),
    ],
)
def test_bad_numbers_are_named(remark, arguments, message):
    with pytest.raises(ValueError, match=message):
        remark(*arguments)
