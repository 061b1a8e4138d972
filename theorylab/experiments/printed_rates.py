"""Remark 1 of dfedsgpsm on many networks: the printed q and C, the true rate, and added edges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from theorylab.constants import certified_spectrum, graph_constants
from theorylab.constants.remarks import dfedsgpsm_remark1
from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.known import How, Known
from theorylab.topologies import Topology, topology

_AFTER = {
    "remark_after": "measured = (1 - (1 / D) ** hops) ** (1 / (hops + 1))",
    "factor_after": """
lam = 1 - n * float(D) ** -hops
measured = 2 * D**hops / lam ** ((hops + 2) / (hops + 1))  # one coordinate
""",
}


def hops_of(network: Topology) -> Plain:
    """``D`` and ``hops`` of a static network, from its edges."""
    pieces = (
        "D = int(A.sum(axis=0).max())  # the largest out-degree, itself included",
        "reach = [np.linalg.matrix_power(A + np.eye(n), k).min() > 0 for k in range(n)]",
        "hops = reach.index(True)  # the diameter; the window is 1, the network is static",
    )
    numbers = {"n": network.clients, "A": network.matrix(0).toarray() > 0}
    return Plain("", numbers, pieces, told={"A": "1 where j sends to i"})


class PrintedRates(Experiment, name="printed-rates"):
    """One row a network, or one a pair (network, the same with ``extra`` edges).

    Columns:
        rate            |lambda_2| of a static P: no smaller q has a finite C (q_remark, q_fixed)
        remark_after, fixed_after, factor_after
                        q of the remark with a = 1/D, with a = 1/n, and C of the SGP lemma, each
                        after the edges were added (remark_before, ... the same before)

    Args:
        networks: {"name", "clients", options...} each, static. extra: an edge list for each
            network, added with uniform weights; so the network must have these and self-loops.

    q_fixed is only an estimate, which proves nothing, where a weight is below 1/n or a client keeps
    nothing: the remark's argument needs every weight to be a at least.
    """

    columns = ("rate", "remark_after", "fixed_after", "factor_after")

    def __init__(
        self,
        *,
        networks: Sequence[Mapping[str, Any]],
        extra: Sequence[Sequence[Sequence[int]]] = (),
    ) -> None:
        if not networks or any("name" not in m or "clients" not in m for m in networks):
            raise ValueError(f"{self.name}: networks is {networks!r}; need name and clients each")
        if extra and len(extra) != len(networks):
            raise ValueError(
                f"{self.name}: extra has {len(extra)} entries; need {len(networks)}, one a network"
            )
        self.options: dict[str, Any] = {
            "networks": [dict(m) for m in networks],
            "extra": [[list(edge) for edge in edges] for edges in extra],
        }
        self.pairs = []
        for index, options in enumerate(self.options["networks"]):
            rest = {**options}
            first = topology(rest.pop("name"), rest.pop("clients"), **rest)
            if first.period != 1:
                raise ValueError(f"{self.name}: {first!r} is not static; need one matrix")
            more = self.options["extra"][index] if extra else []
            self.pairs.append((first, _grown(first, more) if more else None))

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        return {}

    def plain(self, spot: Spot) -> Plain:
        """q of the remark with a = 1/D, or C of the quoted lemma, after edges were added."""
        there = [
            after for before, after in self.pairs
            if spot.result.place == f"{before.name}, n={before.clients}" and after is not None
        ]  # fmt: skip
        if len(there) != 1 or spot.column not in _AFTER:
            raise UnwrittenError(f"no script is written for {spot.column} at this place")
        return hops_of(there[0]).of(_AFTER[spot.column])

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        rows = []
        for first, second in self.pairs:
            before = _rates(first)
            label = f"{first.name}, n={first.clients}"
            if column == "rate":
                at = {name: before[name] for name in ("remark", "fixed")}
                places = {f"q_{name}": known for name, known in at.items()}
                rows.append(_row(before["rate"], places, label, first.clients))
            elif second is not None:
                name = column.removesuffix("_after")
                places = {f"{name}_before": before[name]}
                rows.append(_row(_rates(second)[name], places, label, first.clients))
        if not rows:
            raise ValueError(f"{self.name}: {column} compares with added edges; need extra")
        return Observation(tuple(rows), True)


def _grown(first: Any, more: Sequence[Sequence[int]]) -> Any:
    P = first.matrix(0).tocoo()
    edges = [[int(j), int(i)] for i, j in zip(P.row, P.col, strict=True)]
    same = topology("edge-list", first.clients, edges=edges, weights="uniform").matrix(0)
    if abs(same - first.matrix(0)).max() > 4 * 2.0**-53:
        raise ValueError(
            f"printed-rates: {first!r} gets new weights, not only new edges; need uniform weights "
            "with self-loops to add edges to"
        )
    edges += [list(edge) for edge in more]
    return topology("edge-list", first.clients, edges=edges, weights="uniform")


def _rates(network: Any) -> dict[str, Known]:
    found = graph_constants(network, horizon=1)
    n, hops = network.clients, found["diameter"].value
    degree = int(found["max_out_degree"].value)
    fixed = dfedsgpsm_remark1(degree, hops, 1, a=Fraction(1, n) if n > 1 else None)
    q = fixed["q_remark"]
    # a Metropolis diagonal is 1 less n terms, so off by n eps
    if n * found["p"].value < 1 - n * n * 2.0**-52 or found["self_loops"].value != 1:
        lacks = f"{q.source}; a weight is below a, or a client keeps nothing: proves nothing"
        q = replace(q, how=How.ESTIMATE, source=lacks) if q.finite else q
    return {
        "remark": found["q_remark"],
        "fixed": q,
        "rate": certified_spectrum(network)["lambda2"],
        "factor": found["C_sgp"],
    }


def _log(value: Known) -> str:
    return f"{value.log10_value:.6g}"


def _above(value: Known, other: Known) -> bool:
    """Whether numbers that float64 does not tell apart differ, the first being the larger."""
    logs = value.log10_value, other.log10_value
    return logs[0] is not None and logs[1] is not None and logs[0] > logs[1]


def _row(value: Known, places: dict[str, Known], label: str, n: int) -> Row:
    # The logarithm beside a printed q is rounded up by itself; only one of the two is compared.
    # Equal printed numbers come from equal D, Delta and B, with equal rounding; an eigenvalue comes
    # with its enclosure, and one without allows for the eps^(1/n) by which a defective P moves it.
    number = value.value
    if not math.isfinite(number):
        raise ValueError(f"printed-rates: {label}: {value.source}; need a finite number")
    rounding = 0.0
    before = next(iter(places.values()))
    if number == before.value and _above(value, before):
        # both are 1 in float64, and the logarithms say which is more
        rounding, label = number * 2.0**-52, f"{label}, where log10 {_log(value)} > {_log(before)}"
    if value.how is How.CERTIFIED:
        assert value.lower is not None
        assert value.upper is not None
        rounding = value.upper - value.lower
    elif value.how is How.ESTIMATE:
        rounding = n * 2.0 ** (-52 / n)
    plain = {
        key: Known(k.value, k.how, k.source) if math.isfinite(k.value) and k.log10_value else k
        for key, k in places.items()
        if k.how is not How.CERTIFIED
    }
    kept = {key: k for key, k in places.items() if k.how is How.CERTIFIED}
    return Row(np.array([number]), plain | kept, label, rounding=rounding)
