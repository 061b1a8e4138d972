"""Hostile calls of the library: whatever comes, a ValueError or a TypeError, or an answer."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

REFUSALS = (ValueError, TypeError)


class Odd:
    """No number, no array, no string."""


def array(draw: random.Random) -> Any:
    """Something that is an array, or nearly."""
    shape = draw.choice(
        ((), (0,), (2,), (2, 2), (3, 3), (1, 3, 2), (2, 3, 2), (2, 3, 0), (0, 3, 2))
    )
    kind = draw.choice(("f8", "f4", "f2", "i8", "u1", "c16", "?", "O", "U1", "M8[s]", ">f8"))
    values = np.zeros(shape, kind)
    np.seterr(all="ignore")
    if kind in ("f8", "f4"):
        values = values + draw.choice((0.0, 1 / 3, 1e300, math.nan, math.inf, -1.0))
        values = values.astype(kind)
    return draw.choice((values, values[..., ::-1] if values.ndim else values, values.tolist()))


def matrix(draw: random.Random) -> Any:
    """A 3 x 3 column-stochastic matrix, often spoilt."""
    P = np.full((3, 3), 1 / 3)
    kind = draw.randrange(7)
    if kind == 0:
        return P
    if kind == 1:
        return csr_array(P)
    if kind == 2:
        spoilt = csr_array(P)
        spoilt.indices[draw.randrange(9)] = draw.choice((-1, 3, 2**31 - 1, 0))
        return spoilt
    if kind == 3:
        spoilt = csr_array(P)
        spoilt.indptr[draw.randrange(4)] = draw.choice((-1, 8, 2**31 - 1, 0))
        return spoilt
    if kind == 4:
        P[0, 0] = draw.choice((math.nan, math.inf, -1.0, 2.0))
        return P
    return array(draw) if kind == 5 else scalar(draw)


def scalar(draw: random.Random) -> Any:
    return draw.choice((
        *(0, 1, 3, -1, 0.5, -0.5, math.nan, math.inf, 1e308, True, None, "", "ring", "uniform"),
        *(b"x", [], {}, (1, 2), Odd(), 1j, np.float32(2), np.int64(-5), 2**64, -(2**63), object),
    ))  # fmt: skip


def library(draw: random.Random) -> tuple[str, Callable[[], object]]:
    """(the call in words, the call)."""
    from theorylab import problems, topologies
    from theorylab.algorithms import ALGORITHMS, algorithm
    from theorylab.constants import constants_of
    from theorylab.kernels import Mixing, push_mix
    from theorylab.known import How, Known
    from theorylab.runs import Trace, initial_models, mean_interval, quantile_interval, simulate
    from theorylab.statements import Assumption, Check, Quantity, Version
    from theorylab.verdicts import jobs

    def known(name: str, among: Any) -> str:
        return draw.choice((name, draw.choice(sorted(among))))

    losses, graph = problems.problem("quadratic", 3, dim=2), topologies.topology("ring", 3)
    light = [n for n in problems.names() if n not in ("cnn", "lstm", "mlp", "resnet18")]
    option = draw.choice(("dim", "mu", "L", "seed", "sigma", "heterogeneity", "none"))
    step = draw.choice(("eta", "alpha", "rho", "local_steps", "decay", "fraction", "none"))
    network = draw.choice(("weights", "self_loops", "degree", "seed", "edges", "none"))
    values = [scalar(draw) for _ in range(4)]
    arrays = [array(draw) for _ in range(4)]
    P = matrix(draw)
    few: Any = draw.choice((0, 1, 3, -1, 2.5, None, "3", math.nan))
    method = known("sgp", ALGORITHMS)
    loss, net = known("quadratic", light), known("ring", topologies.names())
    good = np.ones((1, 3, 2))
    calls: dict[str, Callable[[], object]] = {
        "problem": lambda: problems.problem(loss, few, **{option: values[0]}),
        "topology": lambda: topologies.topology(net, few, **{network: values[0]}),
        "algorithm": lambda: algorithm(method, **{"eta": 0.1, step: values[0]}),
        "push_mix": lambda: push_mix(P, draw.choice((good, arrays[0])), arrays[1]),
        "Mixing": lambda: Mixing(P),
        "constants_of": lambda: constants_of(P, draw.choice((5, few))),
        "loss": lambda: losses.loss(arrays[0]),
        "gradient": lambda: losses.gradient(arrays[0]),
        "mean_gradient": lambda: losses.mean_gradient(arrays[0]),
        "simulate": lambda: simulate(
            losses, graph, algorithm("sgp", eta=0.1), rounds=draw.choice((2, few)),
            runs=draw.choice((1, few, [0, 0], [])), x0=draw.choice((0.0, arrays[0])),
        ),
        "initial_models": lambda: initial_models(losses, 1, arrays[0]),
        "mean_interval": lambda: mean_interval(np.atleast_1d(np.asarray(arrays[0])), values[0]),
        "quantile": lambda: quantile_interval(np.ones(4), values[0], 1.0),
        "Known": lambda: Known(values[0], draw.choice(list(How)), "x"),
        "Quantity": lambda: Quantity("loss", values[0], (1, 0), "x"),
        "Assumption": lambda: Assumption("a", rule=values[0]),
        "Check": lambda: Check("a", {}, values[0]),
        "Version": lambda: Version({"a": values[0]}, ()),
        "jobs": lambda: jobs(["dfedsgpsm.lem1"], **{draw.choice(("seeds", "seed")): few}),
        "reduced": lambda: Trace({"loss": np.ones((1, 2))}, np.arange(1), True).reduced(
            "loss", values[0]
        ),
    }  # fmt: skip
    name = draw.choice(sorted(calls))
    parts = {"few": few, "values": values[:1], "option": (option, step, network), "P": P}
    return f"{name} {parts} {arrays[:2]}", calls[name]


def outcome(call: Callable[[], object]) -> int:
    """0 for an answer, 2 for a refusal of one line; anything else is raised."""
    try:
        call()
    except REFUSALS as error:
        if "\n" in str(error):
            raise AssertionError(f"more than a line: {error}") from error
        return 2
    return 0
