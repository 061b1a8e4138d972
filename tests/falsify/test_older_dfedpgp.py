"""DFedPGP's orders had an experiment of their own; what its files say is a sweep of today."""

import pytest

from theorylab.falsify._older import today
from theorylab.statements import BUILT_IN, Check
from theorylab.verdicts import judge_check

DRAWN = {
    **{"name": "coupled-quadratic", "mu_u": 1.0, "L_u": 1.0, "mu_v": 1.0, "L_v": 1.0},
    **{"coupling": 0.0, "dim_u": 1, "dim_v": 1, "sigma_u": 1.0, "sigma_v": 1.0},
}
ALONE = {
    **{"topology": {"name": "complete"}, "clients": 1, "x0": 0.0, "shares": [0.5, 0.5]},
    "algorithm": {"steps_u": 2, "steps_v": 2, "batch": "per-step"},
}
LAWS = {  # statement, version, what came, and what was measured then
    "one batch": (
        *("dfedpgp.cor1_growth", "printed/line-4"),
        {
            **ALONE,
            "problem": {**DRAWN, "heterogeneity": 0.0, "sigma_v": 0.0},
            "algorithm": {**ALONE["algorithm"], "batch": "per-round"},
            **{"rounds": 10**3, "follow": 2.0, "sweep": "steps_u", "values": [1, 8, 64, 512]},
        },
        10.085433166628578,
    ),
    "vanishing": (
        *("dfedpgp.thm1_growth", "printed/proof-cap"),
        {
            **ALONE,
            "problem": {**DRAWN, "heterogeneity": 0.0, "sigma_u": 0.0, "sigma_v": 0.0},
            **{"topology": {"name": "directed-ring"}, "clients": 3, "x0": 1.0},
            **{"law": "vanishing", "sweep": "rounds", "values": [10**k for k in range(4, 9)]},
        },
        3.162247944865285,
    ),
    "cap": (
        *("dfedpgp.thm1_growth", "printed"),
        {
            **ALONE,
            "problem": {
                **DRAWN, "heterogeneity": 0.0, "sigma_u": 0.0, "sigma_v": 0.0,
                "L_u": 1e3, "mu_u": 1e3,
            },
            "algorithm": {**ALONE["algorithm"], "steps_u": 1, "steps_v": 1},
            **{"x0": 1.0, "law": "cap", "shares": [0.99, 0.5]},
            **{"sweep": "rounds", "values": [5, 10, 20, 40]},
        },
        4.57086577126568e49,
    ),
    "1/delta": (
        *("dfedpgp.cor1_rate", "printed"),
        {
            **{"problem": DRAWN, "x0": 1.0, "shares": [0.5, 0.5]},
            "algorithm": ALONE["algorithm"],
            **{"rounds": 100, "follow": 2.0, "sweep": "1/delta"},
            "values": [2.0, 8.0, 32.0, 128.0],
        },
        0.20268492315196102,  # .20154 while (C, q) of the slow networks came from a walk
    ),
    "L_u": (
        *("dfedpgp.rem3", "printed"),
        {
            **ALONE,
            "problem": {**DRAWN, "heterogeneity": 0.0},
            **{"topology": {"name": "directed-ring"}, "clients": 3, "x0": 1.0},
            **{"rounds": 10**5, "sweep": "L_u", "values": [1e2, 1e3, 1e4, 1e5]},
        },
        0.010152533410225867,
    ),
}  # fmt: skip


@pytest.mark.parametrize("law", LAWS)
def test_dfedpgps_old_laws_measure_what_they_did(law):
    name, version, old, measured = LAWS[law]
    found = judge_check(BUILT_IN[name], version, Check("old", today(name, version, old)))
    assert found.measured == pytest.approx(measured, rel=1e-8)  # their roundings then
    refuted = dict.fromkeys(("one batch", "vanishing", "cap"), "VIOLATED")
    assert found.verdict == refuted.get(law, "HOLDS")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"exponent": 2.0}, "another bracket"),
        ({"bracket": "without-network"}, "another bracket"),
        ({"problem": {"name": "sin-sin", "A": [[100.0]]}}, "computed constants"),
    ],
)
def test_dfedpgps_old_controls_are_refused_in_one_line(change, why):
    with pytest.raises(ValueError, match=why) as caught:
        today("dfedpgp.cor1_rate", "printed", {**LAWS["1/delta"][2], **change})
    assert "\n" not in str(caught.value)
