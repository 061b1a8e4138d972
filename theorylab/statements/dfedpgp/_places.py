"""Rounds, local steps and points that DFedPGP's lemmas and assumptions are checked on."""

from __future__ import annotations

from theorylab.statements._quadratics import Data as Data
from theorylab.statements.dfedpgp._instances import (
    ALONE,
    CONSENSUS,
    FRESH,
    NONLINEAR,
    PAIR,
    RING,
    STATIONARY,
    STEPS,
    TINY_STEPS,
    UNEVEN,
    changed,
    scalars,
)

# Rounds and local steps.
ROUNDS: Data = {
    **{key: NONLINEAR[key] for key in ("problem", "topology", "clients", "x0")},
    "algorithm": {"eta_u": 0.01, "eta_v": 0.2, "steps_u": 3, "steps_v": 2, **FRESH},
    "rounds": 12,
}
SIGNS: Data = {  # a law of signs: one client, a minibatch a step
    "problem": {
        "name": "sin-sin", "dim_u": 1, "dim_v": 1, "coupling": 0.3, "seed": 2,
        "sigma_u": 1.0, "sigma_v": 1.0, "noise": "state",
    },
    "topology": ALONE,
    "clients": 1,
    "algorithm": {"eta_u": 0.03, "eta_v": 0.1, "steps_u": 3, "steps_v": 3, **FRESH},
    "rounds": 1,
    "x0": 0.5,
}  # fmt: skip
SIGNS_ONE_BATCH: Data = changed(SIGNS, batch="per-round")
SIGNS_OF_TWO: Data = {**SIGNS_ONE_BATCH, "topology": PAIR, "clients": 2}
SIGNS_SMALL: Data = changed(SIGNS, eta_u=0.01)
LONG_WALK: Data = {  # far from the center, so that all steps of a round are alike
    "problem": scalars(2, 1.0, 1.0, a=[1.0, 1.001]),
    "topology": PAIR,
    "clients": 2,
    "algorithm": {"eta_u": 1e-6, "eta_v": 1e-6, "steps_u": 64, "steps_v": 64, **FRESH},
    "rounds": 1,
    "x0": 0.0,
}
_MORE = [16, 32, 64, 128, 256, 512, 1024, 2048]
ALONG_WALKS: Data = {
    **LONG_WALK, "sweep": {"parameter": "algorithm.steps_u", "values": _MORE[:6]},
}  # fmt: skip
ALONG_LONG_WALKS: Data = {
    **LONG_WALK, "sweep": {"parameter": "algorithm.steps_u", "values": _MORE},
}  # fmt: skip
LONG_HEAD_WALK: Data = {
    **LONG_WALK,
    "problem": scalars(2, 1.0, 1.0, b=1.0),
}
ONE_MOVES: Data = {  # only client 0 has a slope at 0: client 2 hears of it two rounds later
    "problem": scalars(3, 1.0, 1.0, a=[5.0, 0.0, 0.0]),
    "topology": RING,
    "clients": 3,
    "algorithm": {**STEPS, "eta_u": 1e-6},
    "rounds": 4,
}
ONE_AWAY: Data = {
    **ONE_MOVES,
    "problem": scalars(3, 1.0, 1.0),
    "x0": [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]],
}
PULLED: Data = {
    **ONE_MOVES,
    "problem": scalars(2, 1.0, 1.0, a=[1.0, -1.0]),
    "topology": PAIR,
    "clients": 2,
    "rounds": 30,
}
HALFWAY: Data = {  # z_0 is nearly twice as far from the center as ubar is
    **{**ONE_AWAY, "problem": scalars(2, 1.0, 1.0), "topology": PAIR, "clients": 2},
    **{"rounds": 1, "x0": [[1.0, 0.0], [0.01, 0.0]]},
}
PULLED_ASIDE: Data = {  # the same from u_i = 0: three clients, two of them with a slope
    **{**ONE_MOVES, "problem": scalars(3, 1.0, 1.0, a=[5.0, 1.0, 0.0])},
    "algorithm": {**STEPS, "eta_u": 0.05},
}
FADING: Data = {  # gradients that halve faster than q^t
    **{**ONE_MOVES, "problem": scalars(8, 1.0, 1.0, a=1.0), "clients": 8, "rounds": 30},
    "algorithm": {**STEPS, "eta_u": 0.17},
}
STEADY: Data = {**FADING, "algorithm": {**STEPS, "eta_u": 1e-6}, "rounds": 200}
HEAD_AT_CAP: Data = {  # v goes .39 of the way that -eta K grad would go
    **LONG_HEAD_WALK,
    "algorithm": {"eta_u": 1e-6, "eta_v": 1 / 128, "steps_u": 1, "steps_v": 64, **FRESH},
}
STATIONARY_ROUND: Data = {**STATIONARY, "rounds": 3, "at": []}  # from round 1 on, mu_i != 1
NEARLY_STATIONARY: Data = {**STATIONARY_ROUND, "x0": [3.0, 0.01]}
ONE_HEAD_STEP: Data = changed(HEAD_AT_CAP, steps_v=1)
UPHILL: Data = {  # a noise 10 cos(u) xi that outweighs the slope
    "problem": {**scalars(2, 1.0, 1.0, sigma_u=10.0), "noise": "state"},
    "topology": PAIR,
    "clients": 2,
    "algorithm": {**STEPS, "eta_u": 0.04, "steps_u": 4, "batch": "per-round"},
    "rounds": 1,
    "x0": 2.0,
}
UPHILL_FRESH: Data = changed(UPHILL, **FRESH)
FORTY_STEPS: Data = {  # nothing but the noise of u, from its optimum
    **{**UPHILL, "topology": ALONE, "clients": 1},
    "problem": {**scalars(1, 1.0, 1.0, sigma_u=1.0), "noise": "rademacher"},
    "algorithm": {**UPHILL["algorithm"], "eta_u": 1e-4, "steps_u": 40},
    "x0": 0.0,
}
EIGHTY_STEPS_OF_TWO: Data = {
    **changed(FORTY_STEPS, eta_u=2.5e-5, steps_u=80),
    **{"topology": PAIR, "clients": 2},
    "problem": {**scalars(2, 1.0, 1.0, sigma_u=1.0), "noise": "rademacher"},
}
FLAT_HEAD_ROUND: Data = {  # the same for v, whose curvature is small against 1
    **EIGHTY_STEPS_OF_TWO,
    "problem": {**scalars(2, 1.0, 0.01, sigma_v=1.0), "noise": "rademacher"},
    "algorithm": {**STEPS, "eta_u": 1e-3, "eta_v": 0.01},
}
FLAT_AT_U: Data = {  # u_i = mu_i 3 next round: v_i + sin(u_i) cos(v_i)/2 = 0 there, not at z_i = 3
    "problem": {
        "name": "sin-sin", "A": [[1.0]], "B": [[1.0]], "c": [0.5] * 3, "phases": [[0.0]] * 3,
        "a": [[3.0]] * 3, "b": [[0.0]] * 3,
    },
    "topology": UNEVEN,
    "clients": 3,
    "algorithm": {**STEPS, "eta_u": 1e-6, "eta_v": 1e-4},
    "rounds": 2,  # mu_i = 5/6, 5/6 and 4/3 after one
    "x0": [[3.0, v] for v in (-0.286996814178, -0.286996814178, 0.354829077276)],
}  # fmt: skip
TINY_ROUNDS: Data = {**TINY_STEPS, "rounds": 5, "at": []}
SLOW_ROUNDS: Data = {**changed(CONSENSUS, eta_u=1e-5, steps_u=5), "rounds": 2, "at": []}

# Points rather than runs.
PROBED: Data = {
    "problem": {
        "name": "sin-sin", "coupling": 0.5, "sigma_u": 0.4, "sigma_v": 0.4, "noise": "state",
        "seed": 2,
    },
    "clients": 4,
}  # fmt: skip
PROBED_COUPLED: Data = {
    **PROBED,
    "problem": {"name": "coupled-quadratic", "sigma_u": 0.1, "sigma_v": 0.1, "seed": 2},
}
PROBED_ALONE: Data = {**PROBED_COUPLED, "clients": 1}
PROBED_UNCOUPLED: Data = {
    **PROBED,
    "problem": scalars(4, 1.0, 2.0, a=[1.0, -1.0, 0.5, 0.0], b=[1.0, -1.0, 2.0, 0.0]),
}
