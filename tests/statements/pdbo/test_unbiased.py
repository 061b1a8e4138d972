"""What is unbiased stays so for drawn weights, and recursions that differ from it are refuted."""

import pytest

from theorylab.kernels import Stream
from theorylab.statements import BUILT_IN, Check
from theorylab.statements.pdbo._unbiased import instances
from theorylab.verdicts import judge_check

UNBIASED = {  # the version, and what its instances are asked for
    "pdbo.eq9": ("corrected", {"reading": "eq10"}),
    "pdbo.eq10": ("printed", {"reading": "eq10"}),
    "pdbo.eq12": ("printed", {"reading": "eq12"}),
    "pdbo.eq13": ("printed", {"reading": "eq13"}),
    "pdbo.appb": ("printed", {"reading": "appendix-b"}),
    "pdbo.sec61": ("corrected", {"reading": "eq12", "together": True}),
}
ASKED = {"pdbo.appb": {"alpha": 0.6, "beta": 0.3}, "pdbo.sec61": {"terms": 3}}
FAULTS = {
    "delta without its mean under it": {"edges": "undivided"},
    "what really arrives": {"edges": "received"},
    "one draw to the power m": {"reading": "eq9", "together": False, "terms": 3},
    "line 22 of Algorithm 5": {"reading": "alg5"},
    "the four-term recursion of Algorithm 5": {"reading": "alg5", "terms": 3, "alpha": 0.5},
}
LINE_22 = {"pdbo.eq13": {"alpha": 0.2}, "pdbo.appb": {"alpha": 0.3}}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", UNBIASED)
def test_another_recursion_is_refuted(name, fault):
    version, reading = UNBIASED[name]
    right = instances(**reading, **ASKED.get(name, {}))["sto-d"]
    more = LINE_22.get(name, {}) if fault == "line 22 of Algorithm 5" else {}
    check = Check("another", {**right, **FAULTS[fault], **more})
    assert judge_check(BUILT_IN[name], version, check).verdict == "VIOLATED"


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", UNBIASED)
def test_random_instances_hold(name, count):
    version, reading = UNBIASED[name]
    for k in range(count):
        u = Stream(3, "problem").uniform(1, 1, 0, k, 3)[0, 0]
        place = {
            "problem": {"clients": 2, "dim": 1, "hyper": 1, "noise": float(0.8 * u[0]), "seed": k},
            "network": {"name": ("sto-d", "sto-u")[k % 2], "low": 0.1, "high": 0.9, "seed": k},
            "variant": ("4a", "4b")[k // 2 % 2],
            "step": 0.2,
        }
        options = {"place": place, **reading, "alpha": float(u[1]), "beta": float(u[2])}
        found = judge_check(BUILT_IN[name], version, Check(str(k), options))
        assert found.verdict == "HOLDS", options
