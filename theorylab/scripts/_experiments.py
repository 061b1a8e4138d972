"""Measured sides of experiments about sums, matrices, printed rates, and a round's noise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from theorylab.metrics import metric
from theorylab.scripts._columns import of_text
from theorylab.scripts._losses import plain_losses
from theorylab.scripts._networks import matrix
from theorylab.scripts._parts import MOST_SIGNS, noise_of, packed
from theorylab.scripts.base import NAMES, Facts, UnscriptedError, emitter
from theorylab.scripts.text import array


@emitter("momentum-sums:sum", "momentum-sums:inverse", "momentum-sums:step")
def of_sums(facts: Facts) -> list[str]:
    """a~ = sum_{k=1}^K sum_{s=1}^k alpha^{k-s}, 1/a~, and L eta a~ at L = 1."""
    K, found = facts.at("K"), facts.result.constants
    options = facts.experiment.describe()
    alpha = found["alpha"]["value"] if "alpha" in found else None
    if alpha is None:
        labels = [a for a in options["alphas"] if facts.result.place.endswith(f"alpha={a:g}")]
        alpha = labels[0]
    total = "total = sum(alpha ** (k - s) for k in range(1, K + 1) for s in range(1, k + 1))"
    share = {"share": options["share"]} if facts.column == "step" else {}
    value = {"sum": "total", "inverse": "1 / total", "step": "share / K * total"}[facts.column]
    note = "  # L eta total, at the step size eta = share / (K L)" if share else ""
    return [*packed({"K": K, "alpha": alpha, **share}), total, f"measured = {value}{note}"]


@emitter("momentum-sums:powers")
def of_powers(facts: Facts) -> list[str]:
    """sum_{k=0}^{K-1} (1 + 2/(K-1))^k."""
    added = "measured = sum((1 + 2 / (K - 1)) ** k for k in range(K))"
    return [*packed({"K": facts.at("K")}), added]


@emitter("network-matrices")
def of_matrices(facts: Facts) -> list[str]:
    """Sums of rows and columns, powers, and components of the union of rounds."""
    found: Any = facts.experiment
    network, column = found.topology, facts.column
    n = network.clients
    if column == "components":
        first = facts.at("l")
        joined = [network.matrix(t, 0).toarray() for t in range(first, first + found._width())]
        return [
            f"A = {array(sum(P > 0 for P in joined).astype(bool).astype(float))}",
            "# 1 where j sends to i in one of these rounds; R: who hears of whom, at all",
            f"R = np.linalg.matrix_power(A + np.eye({n}), {n}) > 0",
            "measured = float(len(np.unique(R & R.T, axis=0)))",
        ]
    t = facts.at("t")
    if column in ("column_sums", "row_sums"):
        axis = 0 if column == "column_sums" else 1
        return [
            f"P = {matrix(network.matrix(t, 0).toarray())}",
            f"left, right = P.sum(axis={axis}), np.ones({n})",
            "measured = np.abs(left - right).max()",
        ]
    if column == "first_shares":
        degrees = []
        for round_ in (0, t):
            P = network.matrix(round_, 0).toarray() > 0
            degrees.append((P | np.eye(n, dtype=bool)).sum(axis=0).astype(float))
        return [
            f"first = {array(degrees[0])}  # how many hear a client in round 0, itself included",
            f"later = {array(degrees[1])}  # and in round {t}",
            f"left, right = later / first, np.ones({n})",
            "measured = np.abs(left - right).max()",
        ]
    if column not in ("entries", "norms", "own_norms"):
        raise UnscriptedError(f"no script is written for {column}")
    own = ["P = np.diag(P.sum(axis=1))"] if column == "own_norms" else []
    size = "np.abs(gap).max()" if column == "entries" else "np.linalg.norm(gap, 2)"
    return [
        f"P = {matrix(network.matrix(0).toarray())}",
        *own,
        f"gap = np.linalg.matrix_power(P, {t}) - 1 / {n}",
        f"measured = {size}",
    ]


@emitter("printed-rates")
def of_rates(facts: Facts) -> list[str]:
    """q of the remark with a = 1/D, or C of the quoted lemma, after edges were added."""
    found: Any = facts.experiment
    pairs = [
        pair for pair in found.pairs
        if facts.result.place == f"{pair[0].name}, n={pair[0].clients}"
    ]  # fmt: skip
    if len(pairs) != 1 or pairs[0][1] is None or facts.column not in (
        "remark_after", "factor_after"
    ):  # fmt: skip
        raise UnscriptedError(f"no script is written for {facts.column} at this place")
    P = pairs[0][1].matrix(0).toarray()
    n = len(P)
    made = [
        f"A = {array((P > 0).astype(float))}  # 1 where j sends to i, after edges were added",
        "D = int(A.sum(axis=0).max())  # the largest out-degree, itself included",
        f"reach = [np.linalg.matrix_power(A + np.eye({n}), k).min() > 0 for k in range({n})]",
        "hops = reach.index(True)  # the diameter; the window is 1, the network is static",
    ]
    if facts.column == "remark_after":
        return [*made, "measured = (1 - (1 / D) ** hops) ** (1 / (hops + 1))"]
    return [
        *made,
        f"lam = 1 - {n} * float(D) ** -hops",
        "measured = 2 * D**hops / lam ** ((hops + 2) / (hops + 1))  # one coordinate",
    ]


@emitter("noise-split")
def of_split(facts: Facts) -> list[str]:
    """E||G||^2 of one round, or its excess over E||A||^2: all outcomes, or linear steps near 0."""
    options = facts.instance
    if options["law"] == "linear":
        return _linear(facts)
    kept = {k: v for k, v in options.items() if k not in NAMES and k != "law"}
    instance = {"algorithm_name": "dfedsgpsm", **kept, "law": "enumerated"}
    run = replace(facts, result=facts.result.model_copy(update={"instance": instance}))
    return of_text(run, metric(f"dfedsgpsm.split_{facts.column}").plain)


def _linear(facts: Facts) -> list[str]:
    found: Any = facts.experiment
    run, ridge = found.run, found.setting.problem.base
    n = found.setting.problem.clients
    numbers = {
        "K": run["local_steps"], "eta": run["eta"], "alpha": run["alpha"],
        "sigma": found.sigma, "a": float(ridge.scale),
    }  # fmt: skip
    ends = {"excess": "(2 * A + b) @ b", "square": "(A + b) @ (A + b)"}
    return [
        *packed(numbers),
        "x, v, moved = 0.0, 0.0, [0.0]  # what noise 1 of the first local step does to the model",
        "for m in range(K):",
        "    v = alpha * v + (m == 0) - a * x",
        "    x = x - eta * v",
        "    moved.append(x)",
        "b = np.cumsum(alpha ** np.arange(K))[::-1]",
        "A = np.array([-a * b[u:] @ moved[: K - u] for u in range(K)])",
        f"measured = sigma**2 * {ends[facts.column]}{f' / {n}  # of {n} clients' * (n > 1)}",
    ]


@emitter("lemma3-rates")
def of_lemma3(facts: Facts) -> list[str]:
    """q of (14) at the number of local steps that the place names."""
    network: Any = facts.experiment
    P = network.topology.matrix(0).toarray()
    n = len(P)
    if network.topology.period != 1:
        raise UnscriptedError("a network that changes from round to round")
    return [
        f"A = {array((P > 0).astype(float))}  # 1 where j sends to i",
        "D = int(A.sum(axis=0).max())  # the largest out-degree, itself included",
        f"reach = [np.linalg.matrix_power(A + np.eye({n}), k).min() > 0 for k in range({n})]",
        f"hops = ({facts.at('K_u')} + 1) * reach.index(True)  # (K_u + 1) times the diameter",
        f"measured = (1 - {n} * float(D) ** -hops) ** (1 / (hops + 1))",
    ]


@emitter("drawn-points:bias")
def of_bias(facts: Facts) -> list[str]:
    """||E g - E grad f_i|| at SAM's point, which takes the same sample, at the worst of the drawn
    points."""
    found: Any = facts.experiment
    problem, i = found.problem, facts.at("i")
    noise = noise_of(problem)
    if noise is None or noise.kind != "state":
        raise UnscriptedError("a bias of other noise than of a random loss")
    if problem.dim > MOST_SIGNS:
        raise UnscriptedError(f"2^{problem.dim} outcomes are too many for a script")
    losses = plain_losses(problem.base)
    points = found.points(facts.seed)[0][:8]
    scale, length = noise.scale(0), noise.length
    lines = [
        *packed({"rho": found.options["rho"], "size": scale, "length": length}),
        *losses.lines,
        f"points = {array(points)}",
        f"signs = np.array(list(itertools.product([-1.0, 1.0], repeat={problem.dim})))[:, None]",
        "measured = 0.0",
        "for x in points:  # all outcomes of the signs at each; the largest counts",
        f"    g = {losses.gradient('x')} + size * signs * np.cos(x / length)",
        "    up = x + rho * g / np.linalg.norm(g, axis=-1, keepdims=True)",
        f"    exact = {losses.gradient('up')}",
        "    drawn = exact + size * signs * np.cos(up / length)",
        f"    bias = np.linalg.norm(drawn.mean(0)[{i}] - exact.mean(0)[{i}])  # of client {i}",
        "    if bias > measured:",
        f"        left, right, measured = drawn.mean(0)[{i}], exact.mean(0)[{i}], bias",
    ]
    return lines
