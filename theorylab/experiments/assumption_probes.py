"""The left sides of the assumptions of dfedsgpsm, at drawn points and at every window of rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from theorylab.constants import topology_constants
from theorylab.experiments._base import (
    Experiment,
    Floats,
    Observation,
    Row,
    check_column,
    relative_error,
)
from theorylab.kernels import Stream, ascent
from theorylab.known import How, Known
from theorylab.problems import problem as build_problem
from theorylab.runs.laws import CHUNK, Enumeration
from theorylab.runs.rounding import (
    EPS,
    RELATIVE,
    deviation_off,
    gradient_off,
    squared_room,
)
from theorylab.topologies import topology as build_topology


class AssumptionProbes(Experiment):
    """One row a client (or a window): the largest over the probes.

    Columns:
        components         strongly connected components of the union of ``width`` rounds, row l
        slope              ||grad f_i(x) - grad f_i(y)|| / ||x - y||
        noise              E||g_i - grad f_i||^2
        heterogeneity      ||grad f_i - grad f||^2; mean_heterogeneity: its average over i
        gradient           ||grad f_i||
        bias               ||E breve g_i - E grad f_i(breve z_i)|| of line 9, exact law

    Args:
        problem, topology, clients: as for a run. probes: points. reach: their standard deviation.
        width: the window claimed. rounds: windows looked at. rho: SAM's radius, for "bias".
    """

    name = "assumption-probes"
    columns = (
        *("components", "slope", "noise", "heterogeneity", "mean_heterogeneity", "gradient"),
        "bias",
    )

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        topology: Mapping[str, Any],
        clients: int,
        probes: int = 64,
        reach: float = 3.0,
        width: int = 1,
        rounds: int = 16,
        rho: float = 0.0,
    ) -> None:
        for key, value in (("probes", probes), ("width", width), ("rounds", rounds)):
            if type(value) is not int or value < 1:
                raise ValueError(f"{self.name}: {key} is {value!r}; need an integer >= 1")
        if not reach > 0 or not rho >= 0:
            raise ValueError(f"{self.name}: reach is {reach!r}, rho {rho!r}; need > 0 and >= 0")
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "topology": dict(topology), "clients": clients},
            **{"probes": probes, "reach": reach, "width": width, "rounds": rounds, "rho": rho},
        }
        made, graph = dict(problem), dict(topology)
        kind, network = made.pop("name"), graph.pop("name")
        self.problem = build_problem(kind, clients, **made)
        self.topology = build_topology(network, clients, **graph)

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        found = topology_constants(self.topology, self.options["rounds"], dim=self.problem.dim)
        own = {"rho": self.options["rho"], "n": float(self.problem.clients)}
        exact = {name: Known(value, How.EXACT, "of the instance") for name, value in own.items()}
        return found | self.problem.constants() | exact

    def points(self, seed: int) -> tuple[Floats, Floats]:
        """(x, y), each (probes, d); half of the y are close to their x."""
        count, d = self.options["probes"], self.problem.dim
        drawn = Stream(seed, "problem").normal(np.arange(count), 2, 0, 7, d)
        x, y = (np.ascontiguousarray(self.options["reach"] * drawn[:, k]) for k in (0, 1))
        y[::2] = x[::2] + 1e-3 * y[::2]
        return x, y

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "components":
            return self._components()
        x, y = self.points(seed)
        if column == "bias":
            return self._bias(x[: min(8, len(x))])
        own, other = (np.repeat(z[:, None], self.problem.clients, axis=1) for z in (x, y))
        error = gradient_off(self.problem, own)
        if column in ("slope", "gradient"):
            g = self.problem.gradient(own)
            values = np.linalg.norm(g, axis=-1)
            if column == "slope":
                apart = np.linalg.norm(own - other, axis=-1)
                values = np.linalg.norm(g - self.problem.gradient(other), axis=-1) / apart
                error = (error + gradient_off(self.problem, other)) / apart
            room = RELATIVE * float(values.max()) + float(error.max())
            return _rows(values.max(axis=0), "i", room)
        if column == "noise":
            values, off = self.problem.measured_noise(x) ** 2, 2 * float(error.max())
        else:
            values = self.problem.measured_heterogeneity(x) ** 2
            off = deviation_off(self.problem, own)
        room = squared_room(float(values.max()), off)
        if column == "mean_heterogeneity":
            values = values.mean(axis=1, keepdims=True)
        return _rows(values.max(axis=0), "i", room)

    def _components(self) -> Observation:
        found = []
        for start in range(self.options["rounds"]):
            union = csr_array((self.problem.clients, self.problem.clients))
            for t in range(start, start + self.options["width"]):
                union = union + self.topology.matrix(t, 0)
            count, _ = connected_components(union.T, directed=True, connection="strong")
            found.append(float(count))
        return _rows(np.array(found), "l", 0.0)

    def _bias(self, x: Floats) -> Observation:
        listed = Enumeration(self.problem, lambda samples: samples.sample(0, 0, ""), CHUNK)
        (chunk,) = listed.chunks()
        total, sample, chances = listed.total, chunk.sample(0, 0, ""), chunk.weights
        worst, size, slopes = np.zeros(self.problem.clients), 0.0, []
        for point in x:
            z = np.tile(point, (total, self.problem.clients, 1))
            g = self.problem.stochastic_gradient(z, sample)
            up = ascent(z, g, self.options["rho"])
            used = self.problem.stochastic_gradient(up, sample)
            gap = np.tensordot(chances, used - self.problem.gradient(up), axes=1)
            worst = np.maximum(worst, np.linalg.norm(gap, axis=-1))
            size = max(size, float(np.abs(used).max()))
            mean = np.tensordot(chances, self.problem.gradient(up), axes=1)
            slopes.append(np.linalg.norm(mean, axis=-1))
        # a mean of ``total`` numbers of that size, d of them in a norm
        allowance = 4 * (total + self.problem.dim) * EPS * size
        rows = _rows(worst, "i", 0.0).rows
        at = {"gradient_rounding": allowance}
        found = (
            Row(
                r.values, at, r.label, rounding=0.0, relative_error=relative_error(r.values, slopes)
            )
            for r in rows
        )
        return Observation(tuple(found), True)


def _rows(values: Floats, letter: str, rounding: float | None = None) -> Observation:
    rows = (
        Row(np.array([value]), label=f"{letter}={i}", rounding=rounding)
        for i, value in enumerate(values)
    )
    return Observation(tuple(rows), True)
