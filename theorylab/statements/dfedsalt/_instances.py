"""The instances that DFedSalt's statements are checked on: DFedAlt's, with SAM, and its own."""

from __future__ import annotations

from theorylab.statements.dfedalt import _instances as alt
from theorylab.statements.dfedalt._instances import (
    COMPLETE,
    FAR,
    Data,
    along,
    averaged,
    pair,
    scalars,
    steps,
)
from theorylab.statements.dfedalt._instances import changed as changed

SINES: Data = changed(alt.SINES, rho=0.1)
APART: Data = changed(alt.APART, rho=0.1)
SIGNS: Data = changed(alt.SIGNS, rho=0.2)
TWO_ROUNDS: Data = changed(alt.TWO_ROUNDS, rho=0.2)
STATE: Data = {
    **SIGNS,
    "problem": {
        **alt.SIGNS["problem"], "noise": "state", "length": 0.3,
    },
}  # fmt: skip
SMALL_STEPS: Data = changed(alt.SMALL_STEPS, rho=0.05)
SMALL_SIGNS: Data = changed(alt.SMALL_SIGNS, rho=0.1)
NEAR: Data = {  # distance 1e-5 from the minimum, rho = 1e-3, eta K L = 1.3e-3
    "problem": scalars(2, 1.0, 1.0),
    "topology": COMPLETE,
    "clients": 2,
    "algorithm": {**steps(1e-5, 0.1, 128), "rho": 1e-3},
    "rounds": 1,
    "x0": [1e-5, 0.0],
}
PULLED: Data = {  # minima at -+1e-5, rho = 1e-3
    "problem": scalars(2, 1.0, 1.0, a=[-1e-5, 1e-5]),
    "topology": pair(0.05),
    "clients": 2,
    "algorithm": {**steps(8e-6, 0.1, 64), "rho": 1e-3},
    "rounds": 60,
    "x0": 0.0,
    "at": [0, 1, 10, 59],
}
OUTVOTED: Data = {  # two small gradients one way, a large one the other; SAM adds signs
    "problem": scalars(3, 1.0, 1.0, a=[-0.1, -0.1, 1.0]),
    "topology": COMPLETE,
    "clients": 3,
    "algorithm": {**steps(1e-4, 0.1), "rho": 2.0},
    "rounds": 1,
    "x0": 0.0,
}


def outvoted_along(slope: float) -> Data:
    """Three such clients with gradients e, e, -4e, where e = ``slope`` rho sqrt(eta_u), and rho =
    eta_u, as both fall with 1/sqrt T. SAM's bias is of the order eta_u e rho = rho^2 eta_u^(3/2),
    what is printed for it eta_u^2 rho^2."""
    centers = {
        f"problem.a.{i}.0": f"{weight * slope}*rho*sqrt(eta_u)"
        for i, weight in enumerate((-1, -1, 4))
    }
    return {
        **OUTVOTED,
        "sweep": {
            "parameter": "algorithm.rho",
            "values": [10.0**-k for k in range(2, 7)],
            "set": {"algorithm.eta_u": "rho", **centers},
        },
    }


LONG_RUN: Data = averaged(changed(FAR, rho=0.02), 1, 10, 100)
STUCK: Data = {  # SAM's radius alone keeps u away from rest
    **averaged(changed(FAR, eta_u=0.12, rho=1.0), 10, 300),
    "topology": COMPLETE,
    "x0": [0.06, 0.0],
}
SINES_RUN: Data = changed(alt.SINES_RUN, rho=0.05)
NOISY_RUN: Data = {
    **averaged(FAR, 10, 100),
    "problem": scalars(2, 1.0, 1.0, a=[0.5, -0.5], sigma_u=1.0, sigma_v=1.0),
    "algorithm": {**steps(0.02, 0.1, 2, 2), "rho": 0.1},
}
MANY_STEPS: Data = changed(alt.MANY_STEPS, rho=1e-3)
OPPOSED: Data = changed(alt.OPPOSED, rho=1e-3)
STEEP_HEADS: Data = changed(alt.STEEP_HEADS, rho=1e-3)
# SAM's radius alone keeps the left side up: rho/sqrt T against a distance of 1e-4. (From 1e-3 the
# models arrive in some .01 T rounds, until T is 1e6: the ratio grows in between.)
ALONG_RADIUS: Data = {
    "problem": scalars(2, 1.0, 1.0), "x0": [1e-4, 0.0], "radius": 1.0,
    "sweep": along("rounds", [100, 200, 400, 800, 1600]),
}  # fmt: skip
# rho = 1/sqrt T beside noise, from where SAM can no longer hide it.
NOISY_RADIUS: Data = {
    "radius": 1.0, "law": "moments", "sweep": along("rounds", [10**k for k in range(7, 13)], 4),
}  # fmt: skip
