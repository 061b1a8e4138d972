"""The instances of DFedAlt's and DFedSalt's statements: ``instances.toml`` has most of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from theorylab.statements._entries import entry_of
from theorylab.statements._quadratics import Data as Data
from theorylab.statements._quadratics import changed as changed
from theorylab.statements._quadratics import scalars as scalars

_UNIT = {"u": "1", "v": "1"}


def __getattr__(name: str) -> Any:
    return entry_of(__package__, name)


def pair(weight: float) -> Data:
    """Two clients that send each other the share ``weight``: lambda = 1 - 2 weight."""
    edges = [[0, 0, 1 - weight], [1, 1, 1 - weight], [0, 1, weight], [1, 0, weight]]
    return {"name": "edge-list", "edges": edges}


def steps(eta_u: float, eta_v: float, steps_u: int = 1, steps_v: int = 1) -> Data:
    """Options of DFedAlt; every local step has a minibatch of its own."""
    sizes = {"eta_u": eta_u, "eta_v": eta_v, "steps_u": steps_u, "steps_v": steps_v}
    return {**sizes, "batch": "per-step"}


def averaged(instance: Data, *counts: int) -> Data:
    """The averages over the rounds before each of these T, rising."""
    return {**instance, "rounds": counts[-1], "at": list(counts)}


# Heterogeneity along the slowest mode of a ring of 32, where consensus is worst.
SLOW_MODE: Data = {
    "problem": scalars(32, 1.0, 1.0, a=[math.cos(2 * math.pi * i / 32) for i in range(32)]),
    "topology": {"name": "ring", "weights": "metropolis"},
    "clients": 32,
    "algorithm": steps(1e-5, 0.1),
    "rounds": 400,
    "x0": 0.0,
    "at": [0, 1, 10, 100, 399],
}


def swept(
    scale: float = 0.1, radius: float | None = None, L: Mapping[str, str] = _UNIT, **options: Any
) -> Data:
    """A sweep, along T with no other options, with the theorems' steps at every value.

    scale: c of eta_u = c/(L_u K_u sqrt T), eta_v likewise. radius: rho_0 of rho_0/sqrt T, of
    DFedSalt alone. L: L_u and L_v of ``options``, in numbers of the instance.
    """
    made: Data = {**entry_of(__package__, "SWEEP"), **options}
    chosen = {
        f"algorithm.eta_{part}": f"dfedalt_scale/({L[part]}*steps_{part}*sqrt(rounds))"
        for part in "uv"
    }
    made["algorithm"], made["constants"] = steps(1.0, 1.0), {"dfedalt_scale": scale}
    if radius is not None:
        chosen["algorithm.rho"] = "dfedalt_radius/sqrt(rounds)"
        made["algorithm"]["rho"], made["constants"]["dfedalt_radius"] = radius, radius
    made["sweep"] = {**made["sweep"], "set": {**made["sweep"].get("set", {}), **chosen}}
    return made


def along(parameter: str, values: list[int], window: int = 0) -> Data:
    """A sweep in which the steps alone follow."""
    return {"parameter": parameter, "values": values, "window": window}
