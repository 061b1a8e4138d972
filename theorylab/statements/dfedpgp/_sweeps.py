"""The sweeps over decades that DFedPGP's O(.) claims are checked on.

An average over t = 1 .. T looks at round T, so T rounds of a row are T + 1 of the instance.
"""

from __future__ import annotations

from collections.abc import Sequence

from theorylab.statements._quadratics import Data as Data
from theorylab.statements.dfedpgp._instances import (
    ALONE,
    FRESH,
    PERMUTATION,
    RING,
    STATIONARY,
    changed,
    rows_at,
)

_STEPS = {  # Corollary 1's
    "rounds": "at + 1",
    "algorithm.eta_u": "dfedpgp_c_u/(L_u*steps_u*sqrt(at))",
    "algorithm.eta_v": "dfedpgp_c_v/(L_v*steps_v*sqrt(at))",
}


def _along(parameter: str, values: Sequence[float], **set_: str) -> Data:
    """A sweep; ``set_`` names an option by the last word of its path, ``at`` is T."""
    paths = {"at": "at.0", "mu_u": "problem.mu_u", "mu_v": "problem.mu_v"}
    sets = _STEPS | {paths[name]: text for name, text in set_.items()}
    return {"parameter": parameter, "values": [*values], "set": sets}


_FAR: Data = {"law": "moments"}  # for more rounds than a run may have
_DRAWN: Data = {
    **{"name": "coupled-quadratic", "mu_u": 1.0, "L_u": 1.0, "mu_v": 1.0, "L_v": 1.0},
    **{"coupling": 0.0, "dim_u": 1, "dim_v": 1, "sigma_u": 1.0, "sigma_v": 1.0},
}
_DECADES = [10**k for k in range(4, 9)]
SWEEP: Data = {
    "problem": _DRAWN,
    "topology": RING,
    "clients": 3,
    "algorithm": {"steps_u": 2, "steps_v": 2, "eta_u": 1.0, "eta_v": 1.0, **FRESH},
    **rows_at(1),
    "x0": 1.0,
    "constants": {"dfedpgp_c_u": 0.5, "dfedpgp_c_v": 0.5},
}
IN_T: Data = {**SWEEP, "sweep": _along("T", _DECADES, at="T")}
IN_T_EARLY: Data = {**SWEEP, "sweep": _along("T", [10, 30, 100], at="T")}
IN_T_UNMIXED: Data = {**IN_T_EARLY, "topology": PERMUTATION}
IN_T_OF_100: Data = {**IN_T_EARLY, "clients": 100}
IN_T_OF_100_FIVE: Data = changed(IN_T_OF_100, steps_u=5)
IN_T_OF_16: Data = {**IN_T_EARLY, "clients": 16}
IN_T_OF_2: Data = {**changed(IN_T_EARLY, steps_u=20), "clients": 2}
IN_N: Data = {**SWEEP, "sweep": _along("clients", [2, 4, 8], at="1e4")}
IN_N_FAR: Data = {**SWEEP, "sweep": _along("clients", [2, 4, 8, 16], at="1e4")}
IN_K_V: Data = {**SWEEP, "sweep": _along("algorithm.steps_v", [1, 3, 10, 32], at="1e5*steps_v")}
_STEEPER = [1e2, 1e3, 1e4, 1e5]
IN_L_U: Data = {**SWEEP, "sweep": _along("problem.L_u", _STEEPER, at="1e5", mu_u="L_u")}
_ALONE: Data = {**SWEEP, "topology": ALONE, "clients": 1, "x0": 0.0}
IN_K_U: Data = {
    **_ALONE,
    "problem": {**_DRAWN, "heterogeneity": 0.0, "sigma_v": 0.0},
    "sweep": _along("algorithm.steps_u", [1, 8, 64, 512], at="1e3*steps_u**2"),
}
IN_K_U_ONE_BATCH: Data = changed(IN_K_U, batch="per-round")
IN_L_V: Data = {
    **_ALONE,
    "problem": {**_DRAWN, "heterogeneity": 0.0, "sigma_u": 0.0},
    "sweep": _along("problem.L_v", [1.0, 0.1, 0.01, 0.001], at="1e4/L_v**2", mu_v="L_v"),
    **_FAR,
}
_THREE: Data = {"topology": RING, "clients": 3}
ONE_BATCH_OF_THREE: Data = {**IN_K_U_ONE_BATCH, **_THREE}
FLAT_OF_THREE: Data = {**IN_L_V, **_THREE}
IN_K_V_ALONE: Data = {
    **IN_L_V, "sweep": _along("algorithm.steps_v", [1, 4, 16, 64], at="1e4*steps_v"),
}  # fmt: skip


def _lopsided(rounds: str) -> Data:
    """Along 1/delta. Client 0 of two keeps delta/2 of all weight; lambda_2 is 1/2 for every delta.

    P = [[1-a, b], [a, 1-b]], a + b = 1/2: the weights fall from 1 to 2 b/(a+b) = 4 b.
    """
    weights = ("0.5 + 0.25/inverse", "0.25/inverse", "0.5 - 0.25/inverse", "1 - 0.25/inverse")
    sweep = _along("inverse", [2.0, 8.0, 32.0, 128.0], at=rounds)
    sweep["set"] |= {f"topology.edges.{k}.2": text for k, text in enumerate(weights)}
    edges = [[0, 0, 0.5], [1, 0, 0.5], [0, 1, 0.5], [1, 1, 0.5]]
    return {"topology": {"name": "edge-list", "edges": edges}, "clients": 2, "sweep": sweep}


# delta sqrt T stays: as many rounds as the caps ask for
IN_DELTA: Data = {**SWEEP, **_lopsided("1e2*(inverse/2)**2")}
IN_DELTA_LATE: Data = {**SWEEP, **_lopsided("1e3*(inverse/2)**4"), **_FAR}


def _steps(at: str, **eta: str) -> dict[str, str]:
    """Steps of another law."""
    return {"at.0": at, "rounds": "at + 1", **{f"algorithm.eta_{p}": t for p, t in eta.items()}}


_QUIET: Data = {**_DRAWN, "sigma_u": 0.0, "sigma_v": 0.0, "heterogeneity": 0.0}
_ANY = {key: value for key, value in SWEEP.items() if key != "constants"}
VANISHING: Data = {
    **_ANY,
    "problem": _QUIET,
    "sweep": {
        "parameter": "T",
        "values": _DECADES,
        "set": _steps("T", u="0.5/(L_u*steps_u*at)", v="0.5/(L_v*steps_v*at)"),
    },
}
AT_THE_CAP: Data = {
    **_ANY,
    "problem": {**_QUIET, "L_u": 1e3, "mu_u": 1e3},
    "algorithm": {**SWEEP["algorithm"], "steps_u": 1, "steps_v": 1},
    "sweep": {
        "parameter": "T",
        "values": [5, 10, 20, 40],
        "set": _steps("T", u="0.99/(4*sqrt(2*L_u*steps_u))", v="0.5/(L_v*steps_v*sqrt(at))"),
    },
}
BIASED: Data = {  # L_u = 100 + .1, L_v = 1 + .1
    **SWEEP,
    **{key: STATIONARY[key] for key in ("topology", "clients", "x0")},
    "problem": {**STATIONARY["problem"], "A": [[100.0]]},
    "algorithm": {**SWEEP["algorithm"], "steps_u": 1, "steps_v": 1},
    "constants": {"dfedpgp_c_u": 0.2, "dfedpgp_c_v": 0.5},
    "sweep": {
        "parameter": "T",
        "values": [100, 300, 1000],
        "set": _steps("T", u="0.2/((100 + 0.1)*sqrt(at))", v="0.5/((1 + 0.1)*sqrt(at))"),
    },
}
MORE_STEPS: Data = {  # without noise, losses that differ
    **SWEEP,
    "problem": {**_DRAWN, "sigma_u": 0.0, "sigma_v": 0.0},
    "sweep": _along("algorithm.steps_u", [1, 2, 8, 32], at="1e4"),
}
MORE_STEPS_NOISE: Data = {
    **IN_K_U, "sweep": _along("algorithm.steps_u", [1, 4, 16, 64], at="1e5"),
}  # fmt: skip
SHARE: Data = {**IN_L_U, "problem": {**_DRAWN, "heterogeneity": 0.0}}
SHARE_ALONE: Data = {**SHARE, "problem": {**SHARE["problem"], "sigma_v": 0.0}, "x0": 0.0}
SHARE_DIVERSE: Data = IN_L_U
SHARE_IN_T: Data = IN_T  # noise and losses that differ
SHARE_ALONE_IN_T: Data = {**SHARE_ALONE, "sweep": IN_T["sweep"]}
