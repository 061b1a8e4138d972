"""No SGP has Lipschitz Jacobians in omega, but on the set where it stays; bounded maps have."""

import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo._symbols import hessian_slope, omega_floor, z_reach
from theorylab.statements.pdbo.asm10 import RIPPLED, SET, SGP_4B, STATEMENT
from theorylab.symbols import L
from theorylab.verdicts import judge_check

FAR = {**SGP_4B, "floor": 0.01, "reach": 10.0}
STEEP = {**RIPPLED, "ripple": 0.45, "k": 60.0, "reach": 0.3, "floor": 1.0}
FAULTS = {
    "half": (lambda t: t / 2, {**SGP_4B, **SET}),
    "1 / w for 1 / w^2": (lambda t: t * omega_floor, FAR),
    "no reach": (lambda t: t.subs(z_reach, 0), FAR),
    "L halved": (lambda t: t.subs(L, L / 2), {**SGP_4B, **SET}),
    "no Hessian's slope": (lambda t: t.subs(hessian_slope, 0), STEEP),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_smaller_constant_on_the_set_is_refuted(name, missed):
    change, instance = FAULTS[name]
    assert judge_check(STATEMENT, "corrected", Check(name, instance)).verdict == "HOLDS"
    assert missed(STATEMENT, "corrected", {name: change}, at=instance) == set()


@pytest.mark.parametrize("number", range(20))
def test_random_sets_and_problems_hold(number, never_violated):
    def make(rng):
        sgp = {"step": float(10 ** rng.uniform(-3, 1)), "variant": ["4a", "4b"][number % 2]}
        sizes = {"floor": float(10 ** rng.uniform(-2, 1)), "reach": float(10 ** rng.uniform(-2, 2))}
        waves = {"ripple": float(rng.uniform(0, 0.49)), "k": float(10 ** rng.uniform(-1, 2))}
        problem = {"clients": 2, "dim": 1 + number % 3, "seed": number}
        return {**SGP_4B, "problem": problem, **sgp, **sizes, **waves}

    assert never_violated(STATEMENT, "corrected", make, [number]) == 1
