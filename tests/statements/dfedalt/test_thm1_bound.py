"""Theorem 1 with constants: by hand, faults planted, random instances."""

import pytest

from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedalt.thm1_bound import CORRECTED, STATEMENT
from theorylab.symbols import T

ONE = {**made.NOISE_U, "topology": made.COMPLETE, "clients": 1,
       "problem": made.scalars(1, 1.0, 1.0, sigma_u=1.0)}  # fmt: skip
HEADS = made.averaged(made.NOISE_V, 10**6)
DROP = {**made.FAR, "rounds": 100, "x0": [0.0, 1.0]}


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(CORRECTED)
    # Not refuted: drift, consensus or the start's disagreement dropped (the averages of quadratics
    # do not feel them, and of sines F* is only bounded).
    nothing = {"u_noise": 0, "drift": 0, "consensus": 0}
    faults = {
        "no start": (scaled(start=0), DROP),
        "start / T": (scaled(start=1 / T), DROP),
        "half of the start": (scaled(start=0.5), DROP),
        "no u noise": (scaled(**nothing), ONE),
        "two fifths of the noise of u": (
            scaled(u_noise=0.4, drift=0, consensus=0), made.changed(ONE, eta_u=1e-2)
        ),
        "no v noise": (scaled(v_noise=0), HEADS),
        "a third of the v noise": (scaled(v_noise=1 / 3), HEADS),
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
            "eta_u": float(0.3 * share[0] / (K_u * L_u)),
            "eta_v": float(0.24 * share[1] / (K_v * L_v)),
            "steps_u": K_u,
            "steps_v": K_v,
            "batch": "per-step",
        },
        "rounds": 10**6,
        "at": [1, 10, 1000, 10**6],
        "x0": (draw.normal(size=(clients, 2)) * 3).tolist(),
    }


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(never_violated, count):
    assert never_violated(STATEMENT, "corrected", random_instance, range(count)) > 0.7
