"""The sweeps that Corollary 1's orders are checked on."""

from __future__ import annotations

from theorylab.statements.deprl._instances import (
    CHOSEN,
    COROLLARY,
    DRAWN,
    FLAT,
    PAIR,
    RANDOM,
    RING_OF_FOUR,
    Data,
    chosen,
)

# Corollary 1's rate, over decades.
RATE_ROUNDS: Data = {
    "problem": COROLLARY["problem"],
    "topology": PAIR,
    "clients": 2,
    "algorithm": {"tau": 2},
    **chosen(*(10**k for k in range(5, 13))),
    "x0": 2.0,
}
RATE_ROUNDS["sweep"]["window"] = 5
RATE_RING_OF_FOUR: Data = {
    **RATE_ROUNDS,
    "problem": FLAT,
    "topology": RING_OF_FOUR,
    "clients": 4,
    # the printed number of rounds is 1.5e7 here; past 1e11 rounding shows: nothing decays
    **chosen(*(10**k for k in range(8, 12))),
}
RATE_CLIENTS: Data = {
    **RATE_ROUNDS,
    "problem": DRAWN,
    "topology": {"name": "ring"},
    "sweep": {
        "parameter": "clients",
        "values": [3, 4, 6, 8, 12, 16, 24],
        "set": {"rounds": "1e4*(clients/3)**8", **CHOSEN},
        "window": 5,
    },
}
RATE_TAU: Data = {
    **RATE_ROUNDS,
    "rounds": 10**7,
    "sweep": {
        "parameter": "algorithm.tau",
        "values": [4**k for k in range(7)],
        "set": CHOSEN,
        "window": 4,
    },
}


def fewer(values: list[int], rounds: float, window: int = 0) -> Data:
    """A sweep along N with K = ``rounds`` times first N over N."""
    return {
        "parameter": "clients",
        "values": values,
        "set": {"rounds": f"{rounds:g}*{values[0]}/clients", **CHOSEN},
        "window": window,
    }


# Linear speedup, K = c/N. L = .05, for which Corollary 1 asks K >= 2.8e5 on three workers, p = 1/2.
_TO_32 = [3, 4, 6, 8, 12, 16, 24, 32]
SPEEDUP_RING: Data = {
    **RATE_CLIENTS,
    "problem": {**DRAWN, "mu_u": 0.05, "L_u": 0.05, "mu_v": 0.05, "L_v": 0.05},
    "topology": {"name": "directed-ring"},
    "sweep": fewer(_TO_32, 3e5, 4),
}
SPEEDUP_COMPLETE: Data = {
    **SPEEDUP_RING, "topology": {"name": "complete"}, "sweep": fewer(_TO_32, 3e7),
}  # fmt: skip
SPEEDUP_WINDOW: Data = {**SPEEDUP_RING, "sweep": fewer([3, 4, 5, 6], 6e10)}
SPEEDUP_LONG: Data = {**SPEEDUP_RING, "sweep": fewer([3, 4, 6, 8, 10], 4e9)}
# No two models are ever averaged: each worker hands its own to the next one.
SPEEDUP_HANDED_ON: Data = {
    **SPEEDUP_RING,
    "topology": {"name": "directed-ring", "self_loops": False},
    "sweep": fewer(_TO_32, 3e7),
}
SPEEDUP_128: Data = {
    **SPEEDUP_RING, "topology": RANDOM, "sweep": fewer([128, 144, 160, 192], 1e6),
}  # fmt: skip
