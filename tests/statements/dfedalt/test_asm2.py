"""Assumption 2: the variance of each part, exactly."""

from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt._symbols import sigma_u, sigma_v
from theorylab.statements.dfedalt.asm2 import STATEMENT

SIGNS = {**made.SIGNS}
PROBED = {key: SIGNS[key] for key in ("problem", "clients")}


def test_less_than_the_variance_is_refuted(missed):
    for version, sigma in (("printed", sigma_u), ("printed/v", sigma_v)):
        faults = {
            f"{share} sigma^2": ({"less": share * sigma**2}, PROBED)
            for share in (0, 0.1, 0.5, 0.9, 0.999)
        }
        assert missed(STATEMENT, version, faults) == set(), version


def test_noise_of_any_size_is_within_it(never_violated):
    def make(draw):
        u, v = (float(s) for s in 10 ** draw.uniform(-3, 3, 2))
        return {
            **PROBED,
            "problem": {**SIGNS["problem"], "noise": "state", "sigma_u": u, "sigma_v": v},
        }

    for version in STATEMENT.versions:
        assert never_violated(STATEMENT, version, make, range(6)) == 1


def test_centers_far_away_leave_small_noise_open(left_open):
    # gradients of 1e12 may be off by 1e-2, ten times sigma
    far = {"heterogeneity": 1e12, "sigma_u": 1e-3, "sigma_v": 1e-3, "noise": "state"}
    left_open(STATEMENT, {**made.PROBED, "problem": {**made.PROBED["problem"], **far}})
