"""Theorem 1 with constants: by hand, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.thm1_bound import CORRECTED, STATEMENT
from theorylab.symbols import T, n

AT = {
    s.eta_u: 0.5, s.eta_v: 0.25, s.K_u: 3, s.K_v: 2, s.L_u: 2, s.L_v: 4, s.L_vu: 5, s.sigma_u: 6,
    s.sigma_v: 7, s.delta: 8, s.lam: 0.75, s.F_start: 9, s.F_star: 4, T: 10, n: 4,
}  # fmt: skip
ONE = {**made.NOISE_U, "topology": made.COMPLETE, "clients": 1,
       "problem": made.scalars(1, 1.0, 1.0, sigma_u=1.0)}  # fmt: skip
HEADS = made.averaged(made.NOISE_V, 10**6)
DROP = {**made.FAR, "rounds": 100, "x0": [0.0, 1.0]}


def test_terms_by_hand():
    by_hand = {
        "start": 6 * 5 / 10,
        "u noise": 6 * 2 * 0.25 * 3 * 36 / 4,
        "v noise": 18 / 5 * 0.0625 * 2 * 4 * 49,
        "drift": 6 * 0.125 * 9 * 4 * (1.3 * 3 * 64 + 2 * 36),
        "consensus": 24 * (1.05 * 1.5 * 4 + 0.5 * 25 / 2) * (3 * 1.5) ** 2 * (64 + 12),
    }
    for name, number in by_hand.items():
        assert float(evaluate(CORRECTED[name], AT)) == pytest.approx(number, rel=1e-14), name


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(CORRECTED)
    # Not refuted: a factor 1/2 (the bound's slack is 6 and more), drift or consensus dropped
    # (quadratics' averages do not feel them).
    nothing = {"u_noise": 0, "drift": 0, "consensus": 0}
    faults = {
        "no start": (scaled(start=0), DROP),
        "start / T": (scaled(start=1 / T), DROP),
        "a twelfth of the start": (scaled(start=1 / 12), DROP),
        "no u noise": (scaled(**nothing), ONE),
        "a fiftieth of the noise of u": (
            scaled(u_noise=0.02, drift=0, consensus=0), made.changed(ONE, eta_u=1e-2)
        ),
        "no v noise": (scaled(v_noise=0), HEADS),
        "a tenth of the v noise": (scaled(v_noise=0.1), HEADS),
        "v noise eta^3": (scaled(v_noise=s.eta_v * s.L_v / 4), HEADS),
        "v noise / K": (scaled(v_noise=1 / s.K_v**4), HEADS),
    }  # fmt: skip
    assert missed(STATEMENT, "corrected", faults) == set()


def random_instance(draw):
    clients, (K_u, K_v) = int(draw.integers(1, 6)), (int(k) for k in draw.integers(1, 5, 2))
    L_u, L_v = (float(v) for v in 10 ** draw.uniform(-1, 1, 2))
    noise = {k: float(10 ** draw.uniform(-2, 1)) for k in ("sigma_u", "sigma_v")}
    a, b = (draw.normal(size=clients).tolist() for _ in "ab")
    share = 10 ** draw.uniform(-2, 0, 2)
    return {
        "problem": made.scalars(clients, L_u, L_v, a=a, b=b, **noise),
        "topology": made.RING if clients > 2 else made.COMPLETE,
        "clients": clients,
        "algorithm": {
            "eta_u": float(0.02 * share[0] / (K_u * L_u)),
            "eta_v": float(0.24 * share[1] / (K_v * L_v)),
            "steps_u": K_u,
            "steps_v": K_v,
            "batch": "per-step",
        },
        "rounds": 10**6,
        "at": [1, 10, 1000, 10**6],
        "x0": float(draw.normal() * 3),
    }


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(never_violated, count):
    assert never_violated(STATEMENT, "corrected", random_instance, range(count)) > 0.7
