"""Theorem 2 with constants: by hand, faults planted, random instances."""

import pytest

from theorylab.statements import Check
from theorylab.statements.dfedalt import _instances as alt
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedsalt import _instances as made
from theorylab.statements.dfedsalt.thm2_bound import CORRECTED, STATEMENT
from theorylab.symbols import T
from theorylab.verdicts import judge_check

# At u = -.25 the signs of the three gradients cancel the mean: SAM is at rest there, and F is not.
HELD = {
    "problem": alt.scalars(3, 1.0, 1.0, a=[-0.1, -0.1, 1.0]),
    "topology": alt.COMPLETE,
    "clients": 3,
    "algorithm": {**alt.steps(0.1, 0.1), "rho": 0.6},
    "rounds": 400,
}
SLOWLY = alt.changed({**HELD, "rounds": 4000}, eta_u=0.005)
DROP = alt.changed({**alt.FAR, "rounds": 100, "x0": [0.0, 1.0]}, rho=0.0)


def test_planted_faults_are_refuted(missed, scaling):
    scaled = scaling(CORRECTED)
    # Not refuted: drift, consensus or the start's disagreement dropped (the averages of quadratics
    # do not feel them, and of sines F* is only bounded).
    noise = alt.changed(alt.averaged(alt.NOISE_V, 10**6), rho=0.0)
    faults = {
        "no start": (scaled(start=0), DROP),
        "half of the start": (scaled(start=0.5), DROP),
        "start / T": (scaled(start=1 / T), DROP),
        "no v noise": (scaled(v_noise=0), noise),
        "a third of the v noise": (scaled(v_noise=1 / 3), noise),
        "v noise eta^3": (scaled(v_noise=s.eta_v * s.L_v / 4), noise),
        "no sharpness": (scaled(sharpness=0, drift=0), HELD),
        "a twentieth of it": (scaled(sharpness=0.05, drift=0), HELD),
        "eta rho^2 L": (scaled(sharpness=s.eta_u * s.L_u, drift=0), SLOWLY),
    }  # fmt: skip
    assert missed(STATEMENT, "corrected", faults) == set()


def random_instance(draw):
    clients, (K_u, K_v) = int(draw.integers(1, 5)), (int(k) for k in draw.integers(1, 4, 2))
    L_u, L_v = (float(v) for v in 10 ** draw.uniform(-1, 1, 2))
    a, b = (draw.normal(size=clients).tolist() for _ in "ab")
    share = 10 ** draw.uniform(-2, 0, 2)
    return {
        "problem": alt.scalars(clients, L_u, L_v, a=a, b=b),
        "topology": alt.RING if clients > 2 else alt.COMPLETE,
        "clients": clients,
        "algorithm": {
            "eta_u": float(0.3 * share[0] / (K_u * L_u)),
            "eta_v": float(0.24 * share[1] / (K_v * L_v)),
            "steps_u": K_u,
            "steps_v": K_v,
            "rho": float(10 ** draw.uniform(-3, 1)),
        },
        "rounds": 60,
        "at": [1, 10, 60],
        "x0": (draw.normal(size=(clients, 2)) * 3).tolist(),
    }


@pytest.mark.parametrize("count", [15, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(never_violated, count):
    assert never_violated(STATEMENT, "corrected", random_instance, range(count)) > 0.7


def test_the_sharpness_is_what_remains():
    kept = {**alt.averaged(made.STUCK, 50, 2000), "x0": [0.5, 0.0]}
    found = judge_check(STATEMENT, "corrected", Check("kept", kept))
    short, long = found.curve.measured
    assert long > 0.01 * short
