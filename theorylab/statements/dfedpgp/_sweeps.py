"""The sweeps over decades that DFedPGP's O(.) claims are checked on."""

from __future__ import annotations

from typing import Any

from theorylab.statements.dfedpgp._instances import ALONE, FRESH, RING, STATIONARY, changed

Data = dict[str, Any]

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
IN_K_V: Data = {
    **{**SWEEP, "rounds": 10**5, "follow": 1.0},
    **{"sweep": "steps_v", "values": [1, 3, 10, 32]},
}
IN_L_U: Data = {**SWEEP, "rounds": 10**5, "sweep": "L_u", "values": [1e2, 1e3, 1e4, 1e5]}
IN_K_U: Data = {
    **{**SWEEP, "topology": ALONE, "clients": 1, "x0": 0.0},
    "problem": {**_DRAWN, "heterogeneity": 0.0, "sigma_v": 0.0},
    **{"rounds": 10**3, "follow": 4.0, "sweep": "steps_u", "values": [1, 4, 16, 64]},
}
IN_K_U_ONE_BATCH: Data = changed(IN_K_U, batch="per-round")
IN_L_V: Data = {
    **{**SWEEP, "topology": ALONE, "clients": 1, "x0": 0.0},
    "problem": {**_DRAWN, "heterogeneity": 0.0, "sigma_u": 0.0},
    **{"rounds": 10**4, "follow": -2.0, "sweep": "L_v", "values": [1.0, 0.1, 0.01, 0.001]},
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
    **{key: STATIONARY[key] for key in ("problem", "topology", "clients", "x0")},
    "algorithm": {"steps_u": 1, "steps_v": 1, **FRESH},
    **{"shares": [0.05, 0.5], "biased": True},
    **{"sweep": "rounds", "values": [100, 300, 1000]},
}
MORE_STEPS: Data = {  # noise-free: K steps of 1/K of the length go less far than one
    **SWEEP,
    "problem": {**_DRAWN, "sigma_u": 0.0, "sigma_v": 0.0},
    **{"rounds": 10**4, "sweep": "steps_u", "values": [1, 2, 8, 32]},
}
MORE_STEPS_NOISE: Data = {**IN_K_U, "follow": 0.0, "rounds": 10**5}
SHARE: Data = {**IN_L_U, "problem": {**_DRAWN, "heterogeneity": 0.0}}
SHARE_DIVERSE: Data = IN_L_U
