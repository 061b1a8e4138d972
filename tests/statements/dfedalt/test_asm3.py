"""Assumption 3: the sup over V, one u and a u_i each."""

import numpy as np

from theorylab.experiments import experiment
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt._symbols import delta, delta_one
from theorylab.statements.dfedalt.asm3 import STATEMENT

EXACT = made.PROBED_QUADRATIC
MANY = {**made.PROBED, "probes": 2048}


def test_less_is_refuted(missed):
    shares = (0, 0.25, 0.5, 0.9, 0.999)
    for version, symbol in (("printed", delta), ("printed/one-u", delta_one)):
        faults = {f"{s} delta^2": ({"less": s * symbol**2}, EXACT) for s in shares}
        assert missed(STATEMENT, version, faults) == set(), version
    bent = {"half": ({"less": delta_one**2 / 2}, MANY)}
    assert missed(STATEMENT, "printed/one-u", bent) == set()


def test_a_coupling_however_small_leaves_no_bound():
    problem = {**made.PROBED_COUPLED["problem"], "coupling": 1e-9}
    found = experiment("drawn-points", **{**made.PROBED, "problem": problem}).constants()
    assert np.isinf(found["dfedalt_delta"].value)


def test_sines_stay_within_it(never_violated):
    def make(draw):
        options = {"coupling": float(draw.uniform(0, 3)), "seed": int(draw.integers(1000))}
        return {**made.PROBED, "problem": {"name": "sin-sin", **options}}

    for version in STATEMENT.versions:
        assert never_violated(STATEMENT, version, make, range(3)) > 0.9


def test_a_quadratic_attains_delta_and_a_millionth_less_is_too_little(missed):
    for version, content in STATEMENT.versions.items():
        less = {name: term * (1 - 1e-6) for name, term in content.terms.items()}
        assert missed(STATEMENT, version, {"less": (less, EXACT)}) == set(), version


def test_points_far_away_leave_it_open(left_open):
    # gradients of 1e16 are rounded to whole numbers, and delta is about 1
    left_open(STATEMENT, {**made.PROBED, "reach": 1e16})
