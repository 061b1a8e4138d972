"""Counterexamples from before sweeps were data are read as what they say now."""

import pytest

from theorylab.falsify._older import OLDER, today
from theorylab.statements import BUILT_IN, Check
from theorylab.statements.deprl import _sweeps as deprl
from theorylab.verdicts import judge_check

DEPRL = {
    **{key: deprl.RATE_RING_OF_FOUR[key] for key in ("problem", "topology", "clients", "x0")},
    **{"algorithm": {"tau": 2}, "sweep": "rounds", "values": [10**8, 10**9, 10**10, 10**11]},
    **{"fit": 4, "follow": 0.0, "exponent": 1.0, "rounds": 1},
}


def test_an_instance_of_today_stays_as_it_is():
    for name in (*OLDER, "deprl.thm1"):
        for version in BUILT_IN[name].versions.values():
            for check in version.checks:
                assert today(name, check.instance) == dict(check.instance)


def test_deprls_old_counterexample_is_still_one():
    found = judge_check(
        BUILT_IN["deprl.cor1_rate"], "printed", Check("old", today("deprl.cor1_rate", DEPRL))
    )
    assert found.verdict == "VIOLATED"
    assert found.measured == pytest.approx(3.1623336016975645, rel=1e-12)  # as it was then


def test_deprls_old_sweep_along_n_takes_k_with_it():
    old = {**DEPRL, "sweep": "clients", "values": [3, 4, 6], "rounds": 10**4, "follow": 8, "fit": 0}
    made = today("deprl.cor1_rate", old)
    assert made["sweep"]["set"] == {"rounds.0": "10000*(clients/3)**(8)"}
    assert made["rounds"] == [10**4]
    assert "follow" not in made


def test_a_control_of_then_is_refused_in_one_line():
    with pytest.raises(ValueError, match=r"to the power 1.5; need 1"):
        today("deprl.cor1_rate", {**DEPRL, "exponent": 1.5})


@pytest.mark.parametrize("name", ["dfedsgpsm.cor1_rate", "dfedsgpsm.cor1_growth", "dfedalt.thm1"])
def test_what_cannot_be_said_today_is_refused_in_one_line(name):
    with pytest.raises(ValueError, match=r"its own bracket .*, which is gone") as caught:
        today(name, {"sweep": "rounds", "bracket": "thm1", "values": [1, 2, 3, 4]})
    assert "\n" not in str(caught.value)
