"""Assumption 1: the four constants are the least ones."""

from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt._symbols import L_u, L_uv, L_v, L_vu
from theorylab.statements.dfedalt.asm1 import STATEMENT

MANY = {**made.PROBED, "probes": 256}
FAR = {"heterogeneity": 1e10}
NAMES = {"printed": L_u, "printed/uv": L_uv, "printed/vu": L_vu, "printed/vv": L_v}


def test_nine_tenths_of_each_constant_is_too_little(missed):
    for version, L in NAMES.items():
        faults = {f"{share} L": ({"less": share * L}, MANY) for share in (0.5, 0.9)}
        assert missed(STATEMENT, version, faults) == set(), version


def test_other_losses_stay_below(never_violated):
    def make(draw):
        seed, coupling = int(draw.integers(1000)), float(draw.uniform(0, 3))
        problem = {"name": "sin-sin", "coupling": coupling, "seed": seed}
        return {**made.PROBED, "problem": problem}

    for version in NAMES:
        assert never_violated(STATEMENT, version, make, range(3)) == 1


def test_a_quadratic_attains_its_constant_and_a_millionth_less_is_too_little(missed):
    terms = STATEMENT.versions["printed"].terms
    less = {name: term * (1 - 1e-6) for name, term in terms.items()}
    assert missed(STATEMENT, "printed", {"less": (less, made.PROBED_COUPLED)}) == set()


def test_centers_far_away_leave_every_slope_open(left_open):
    # what gradients of 1e10 may be off by, over 1e-3 between two points, is more than any slope
    left_open(STATEMENT, {**made.PROBED, "problem": {**made.PROBED["problem"], **FAR}})
