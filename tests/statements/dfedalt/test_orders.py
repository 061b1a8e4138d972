"""The brackets that the page shows are the papers', by hand."""

import math

import pytest

from theorylab.statements import BUILT_IN, evaluate
from theorylab.statements.dfedalt import _symbols as alt
from theorylab.statements.dfedalt._orders import ORDERS
from theorylab.symbols import T, n, rho
from theorylab.verdicts.case import Case

T0, c, m, K, H, gap = 16.0, 0.5, 4.0, 3.0, 2.0, 0.5
su, sv, d, Lu, Lv, cross, drop, radius = 0.7, 0.3, 1.5, 2.0, 5.0, 6.0, 3.0, 0.25
NUMBERS = {
    **{T: T0, alt.scale: c, n: 4, alt.K_u: 3, alt.K_v: 2, alt.lam: 1 - gap, rho: radius},
    **{alt.sigma_u: su, alt.sigma_v: sv, alt.delta: d, alt.L_u: Lu, alt.L_v: Lv},
    **{alt.L_vu: cross, alt.F_start: 4.0, alt.F_star: 1.0},
}
both, root = su**2 + d**2, math.sqrt(T0)
first = drop / c / root + c * sv**2 * (Lv + 1) / Lv**2 / root
s_main, s_appendix = radius**2 / H + both / Lv**2, radius**2 / K + both / Lu**2
spread = d**2 + su**2 / K + (Lu * radius) ** 2
BY_HAND = {
    "thm1": first + c * (cross**2 * both / Lu**2 / root + both / (Lu * T0 * gap**2)),
    "thm2": first
    + c * (Lu / T0 + s_main * cross**2 / (root * gap**2) + s_main * Lu / (T0 * gap**2)),
    "thm2-appendix": first
    + c * (Lu / T0 + s_appendix * cross**2 / (root * gap**2))
    + c * s_appendix * Lu / (K**2 * T0 * gap**2),
    "corrected": drop / c / root
    + c * (sv**2 / (H * Lv) + su**2 / (m * K * Lu)) / root
    + c**2 * (1 + cross**2 / (Lu * Lv)) * (1 + 1.0) * spread / (Lu * T0)
    + Lu * radius**2,
}


@pytest.mark.parametrize("bracket", list(ORDERS))
def test_the_bracket_is_the_papers(bracket):
    assert set(BY_HAND) == set(ORDERS)
    assert float(evaluate(ORDERS[bracket], NUMBERS)) == pytest.approx(BY_HAND[bracket], rel=1e-14)


def texts(statement):
    return {
        name: Case(statement, name, version, version.checks[0], statement.quantity_of(version)).text
        for name, version in statement.versions.items()
    }


@pytest.mark.parametrize("name", ["dfedalt.thm1", "dfedsalt.thm2"])
def test_no_two_versions_show_the_same_claim(name):
    found = texts(BUILT_IN[name])
    assert len(set(found.values())) == len(found)


def test_without_sam_no_radius_is_shown():
    assert "rho" not in texts(BUILT_IN["dfedalt.thm1"])["corrected"]
