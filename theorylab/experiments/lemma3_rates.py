"""The q of DFedPGP's Lemma 3, (14), as the number of local steps grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.constants import dfedpgp_lemma3, graph_constants
from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.experiments.printed_rates import hops_of
from theorylab.known import Known
from theorylab.topologies import topology as build_topology


class Lemma3Rates(Experiment, name="lemma3-rates"):
    """Column ``q``: that of (14) at every K_u of ``steps`` (dfedpgp_q_one: at K_u = 1).

    Args:
        topology: options with a name. clients: m. dim: shared coordinates. steps: the K_u.
    """

    columns = ("q",)

    def __init__(
        self, *, topology: Mapping[str, Any], clients: int, dim: int, steps: Sequence[int]
    ) -> None:
        if not steps or any(type(k) is not int or k < 1 for k in steps):
            raise ValueError(f"{self.name}: steps is {steps!r}; need integers >= 1")
        own = {"clients": clients, "dim": dim, "steps": [*steps]}
        self.options: dict[str, Any] = {"topology": dict(topology), **own}
        rest = dict(topology)
        self.topology = build_topology(rest.pop("name", None), clients, **rest)

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        return {}

    def plain(self, spot: Spot) -> Plain:
        """q of (14) at the number of local steps that the place names."""
        if self.topology.period != 1:
            raise UnwrittenError("a network that changes from round to round")
        steps = "many = (K_u + 1) * hops\n"
        text = f"{steps}measured = (1 - n * float(D) ** -many) ** (1 / (many + 1))"
        return hops_of(self.topology).of(text, K_u=spot.at("K_u"))

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        known, n = graph_constants(self.topology, horizon=1), self.topology.clients
        hops = (known["diameter"].value, known["window"].value)
        degree, steps = int(known["max_out_degree"].value), self.options["steps"]
        one, *others = (
            dfedpgp_lemma3(n, degree, *hops, local_steps=K, dim=self.options["dim"])[
                "q_dfedpgp"
            ].value
            for K in (1, *steps)
        )
        rows = (  # each q is the double above 50 digits
            Row(np.array([q]), {"dfedpgp_q_one": one}, f"K_u={K}", rounding=2.0**-51)
            for K, q in zip(steps, others, strict=True)
        )
        return Observation(tuple(rows), True)
