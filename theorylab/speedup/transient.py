"""Rounds until the network no longer matters, against n and the spectral gap; exact moments only.

Theorems choose the step c sqrt(n / K) for K rounds. Of their terms the first, of order
1 / sqrt(n K), knows no network; the others fall faster in K. The transient is the first K from
which on the error is within a tenth of that of the complete network. The error is the mean over the
rounds and over the clients' models (Pu, Olshevsky and Paschalidis 2020 ask for a factor 2). Clients
of a kind stand side by side, so that heterogeneity has to travel.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from theorylab.algorithms import State
from theorylab.constants import lambda2, spectral_gap
from theorylab.runs import Moments, Setting, initial_models
from theorylab.speedup.cells import Measure
from theorylab.speedup.protocol import MAIN, Protocol
from theorylab.speedup.result import Transient
from theorylab.verdicts.growth import slope_weights

NETWORKS = ("directed-exponential", "ring")
LEAST, MOST = 3, 32  # log2 of K
NEAR = 1.1  # of the complete network's error
SIZES = (8, 12, 16, 24, 32)
FIRST = 64  # rounds at which the step size is what the study's is


def transients(protocol: Protocol) -> tuple[Transient, ...]:
    """One entry a network and n of ``SIZES``, which the study's own sizes do not change; of a
    method with personal parts, where a round has twice the numbers, up to 16 clients."""
    sizes = [n for n in SIZES if n % protocol.pattern.kinds == 0]
    if protocol.pattern.personal:
        sizes = [n for n in sizes if n <= 16]
    pattern = replace(protocol.pattern, blocks=True)
    protocol = replace(protocol, pattern=pattern, measure="clients")
    names = dict.fromkeys((protocol.network, *NETWORKS))
    made = []
    for n in sizes:
        best: dict[int, float] = {}
        for name in names:
            found = _transient(protocol, name, n, best)
            if found is not None:
                made.append(found)
    return tuple(made)


def _transient(protocol: Protocol, name: str, n: int, best: dict[int, float]) -> Transient | None:
    here = protocol if name == protocol.network else replace(
        protocol, network=name, network_options={}
    )  # fmt: skip
    network = here.topology(n, MAIN)
    if network.period != 1:
        return None
    complete = replace(protocol, network="complete", network_options={})
    first: int | None = None
    for exponent in range(MOST, LEAST - 1, -1):
        rounds = 2**exponent
        if rounds not in best:
            best[rounds] = _mean_error(complete, n, rounds)
        if math.isinf(best[rounds]) or not _mean_error(here, n, rounds) <= NEAR * best[rounds]:
            break
        first = rounds
    gap = float(spectral_gap(lambda2(network.matrix(0))).value)
    return Transient(name, n, gap, first)


def _mean_error(protocol: Protocol, n: int, rounds: int) -> float:
    """The mean over ``rounds`` rounds of the expected error, at the step c sqrt(n / rounds)."""
    scale = math.sqrt(n / protocol.smallest * FIRST / rounds)
    options = protocol.scaled(scale, protocol.step_sizes.names)
    here = replace(protocol, options=options, step="fixed")
    losses, method = here.losses(n, MAIN), here.algorithm(n, MAIN)
    measure = Measure(here, losses, method)

    def look(before: State, after: State) -> Sequence[Any]:
        return [measure.vectors(before)]

    start = initial_models(losses, 1)[0]
    setting = Setting(losses, here.topology(n, MAIN), method, {}, rounds, start)
    try:
        with np.errstate(all="ignore"):
            return Moments(setting, look).at(rounds)[0].mean
    except ValueError:  # the step is too large for so few rounds
        return math.inf


def exponents(found: Sequence[Transient]) -> Mapping[str, tuple[float, float, float, str]]:
    """Per network the power of n in the transient over the last three n, beside that of theory.

    A transient is a power of two, so that its logarithm is off by up to one step, and that makes
    the interval. Theory says at most n^3 (1 - |lambda_2|)^-4 where clients are unlike, with -2 for
    noise alone; its power is the slope of that order over the same n.
    """
    made: dict[str, tuple[float, float, float, str]] = {}
    for name in dict.fromkeys(each.network for each in found):
        own = [e for e in found if e.network == name and (e.rounds or 0) > 2**LEAST][-3:]
        if len(own) < 3:
            continue
        x = np.log([float(e.n) for e in own])
        weights = slope_weights(x)
        centre = float(weights @ np.log([float(e.rounds or 1) for e in own]))
        away = float(np.abs(weights).sum()) * math.log(2) / 2
        most, least = (
            float(weights @ np.log([e.n**3 * e.gap**-power for e in own])) for power in (4, 2)
        )
        text = f"{least:.1f} by noise, {most:.1f} by heterogeneity, at most"
        made[name] = (centre - away, centre, centre + away, text)
    return made
