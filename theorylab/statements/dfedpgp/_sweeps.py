"""The sweeps over decades that DFedPGP's O(.) claims are checked on."""

from __future__ import annotations

from theorylab.statements._quadratics import Data as Data
from theorylab.statements.dfedpgp._instances import (
    ALONE,
    FRESH,
    RING,
    STATIONARY,
    changed,
    scalars,
)

# Sweeps over decades.
_DRAWN: Data = {
    **{"name": "coupled-quadratic", "mu_u": 1.0, "L_u": 1.0, "mu_v": 1.0, "L_v": 1.0},
    **{"coupling": 0.0, "dim_u": 1, "dim_v": 1, "sigma_u": 1.0, "sigma_v": 1.0},
}
SWEEP: Data = {
    "problem": _DRAWN,
    "topology": RING,
    "clients": 3,
    "algorithm": {"steps_u": 2, "steps_v": 2, **FRESH},
    "x0": 1.0,
    "shares": [0.5, 0.5],
}
IN_T: Data = {**SWEEP, "sweep": "rounds", "values": [10**k for k in range(4, 9)]}
IN_T_CONTROL: Data = {**IN_T, "exponent": 2.0}
IN_N: Data = {**SWEEP, "rounds": 10**4, "sweep": "clients", "values": [2, 4, 8]}
IN_N_FAR: Data = {**IN_N, "values": [2, 4, 8, 16]}
IN_K_V: Data = {
    **{**SWEEP, "rounds": 10**5, "follow": 1.0},
    **{"sweep": "steps_v", "values": [1, 3, 10, 32]},
}
IN_L_U: Data = {**SWEEP, "rounds": 10**5, "sweep": "L_u", "values": [1e2, 1e3, 1e4, 1e5]}
IN_K_U: Data = {
    **{**SWEEP, "topology": ALONE, "clients": 1, "x0": 0.0},
    "problem": {**_DRAWN, "heterogeneity": 0.0, "sigma_v": 0.0},
    **{"rounds": 10**3, "follow": 2.0, "sweep": "steps_u", "values": [1, 8, 64, 512]},
}
IN_K_U_ONE_BATCH: Data = changed(IN_K_U, batch="per-round")
IN_L_V: Data = {
    **{**SWEEP, "topology": ALONE, "clients": 1, "x0": 0.0},
    "problem": {**_DRAWN, "heterogeneity": 0.0, "sigma_u": 0.0},
    **{"rounds": 10**4, "follow": -2.0, "sweep": "L_v", "values": [10.0**-k for k in range(5)]},
}
IN_K_V_ALONE: Data = {**IN_L_V, "follow": 1.0, "sweep": "steps_v", "values": [1, 4, 16, 64]}
_LOPSIDED: Data = {key: SWEEP[key] for key in SWEEP if key not in ("topology", "clients")}
IN_DELTA: Data = {  # delta sqrt T stays: as many rounds as the caps ask for
    **_LOPSIDED,
    **{"rounds": 100, "follow": 2.0, "sweep": "1/delta", "values": [2.0, 8.0, 32.0, 128.0]},
}
IN_DELTA_LATE: Data = {**IN_DELTA, "rounds": 10**3, "follow": 4.0}
WITHOUT_NETWORK: Data = {  # client 0 pulls one way, and holds next to nothing of all weight
    **{**IN_DELTA, "problem": scalars(2, 1.0, 1.0, a=[10.0, -10.0]), "x0": [0.1, 0.0]},
    "bracket": "without-network",
}
VANISHING: Data = {
    **IN_T,
    "problem": {**_DRAWN, "sigma_u": 0.0, "sigma_v": 0.0, "heterogeneity": 0.0},
    "law": "vanishing",
}
AT_THE_CAP: Data = {
    **{**VANISHING, "topology": ALONE, "clients": 1, "law": "cap", "shares": [0.99, 0.5]},
    "problem": {**VANISHING["problem"], "L_u": 1e3, "mu_u": 1e3},
    "algorithm": {"steps_u": 1, "steps_v": 1, **FRESH},
    "values": [5, 10, 20, 40],
}
BIASED: Data = {
    **{key: STATIONARY[key] for key in ("topology", "clients", "x0")},
    "problem": {**STATIONARY["problem"], "A": [[100.0]]},
    "algorithm": {"steps_u": 1, "steps_v": 1, **FRESH},
    **{"shares": [0.2, 0.5], "biased": True},
    **{"sweep": "rounds", "values": [100, 300, 1000]},
}
MORE_STEPS: Data = {  # without noise, losses that differ
    **SWEEP,
    "problem": {**_DRAWN, "sigma_u": 0.0, "sigma_v": 0.0},
    **{"rounds": 10**4, "sweep": "steps_u", "values": [1, 2, 8, 32]},
}
MORE_STEPS_NOISE: Data = {**IN_K_U, "follow": 0.0, "rounds": 10**5, "values": [1, 4, 16, 64]}
SHARE: Data = {**IN_L_U, "problem": {**_DRAWN, "heterogeneity": 0.0}}
SHARE_ALONE: Data = {**SHARE, "problem": {**SHARE["problem"], "sigma_v": 0.0}, "x0": 0.0}
SHARE_DIVERSE: Data = IN_L_U
SHARE_IN_T: Data = IN_T  # noise and losses that differ
SHARE_ALONE_IN_T: Data = {**SHARE_ALONE, "sweep": "rounds", "values": IN_T["values"]}
