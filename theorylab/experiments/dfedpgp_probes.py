"""The left sides of dfedpgp's assumptions at drawn points, and the q of its Lemma 3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.constants import dfedpgp_losses, topology_constants
from theorylab.constants.remarks import dfedpgp_lemma3
from theorylab.experiments._base import Experiment, Observation, Row, check_column, relative_error
from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.problems import CoupledQuadratic, Quadratic
from theorylab.problems import problem as build_problem
from theorylab.runs.rounding import EPS, deviation_off, gradient_off, squared_room
from theorylab.topologies import topology as build_topology

Floats = Any
BLOCKS = {"slope_u": "uu", "slope_uv": "uv", "slope_v": "vv", "slope_vu": "vu"}


class DfedpgpProbes(Experiment):
    """Probes are points (u, v_1, ..., v_m) drawn around 0, ``reach`` wide, u common to all; half of
    the second points of pairs are close to their first.

    Columns:
        slope_u, slope_uv, slope_v, slope_vu   ||difference of grad_a F_i||/||difference of b||
                     where only b moves, a b of "uu", "uv", "vv", "vu"; row i
        noise_u, noise_v   ||g - grad F_i||^2 of the part at a drawn point, one sample a run, row i
        diversity    ||grad_u F_i(u, v_i) - grad_u F(u, V)||^2, row i: the largest over the probes
        lost_mass    max_j |sum_i P_ij(t) - 1|, rounds t = 0 .. ``steps``[0] - 1
        rate         q of Lemma 3, (14), at every K_u of ``steps`` (dfedpgp_q_one: at K_u = 1)

    Args:
        problem, clients: of the instance. probes, reach: see above. topology, steps: for "rate" and
            "lost_mass".
    """

    name = "dfedpgp-probes"
    columns = (*BLOCKS, "noise_u", "noise_v", "diversity", "rate", "lost_mass")

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        clients: int,
        probes: int = 32,
        reach: float = 2.0,
        topology: Mapping[str, Any] | None = None,
        steps: Sequence[int] = (2, 5),
    ) -> None:
        if type(probes) is not int or probes < 1 or not reach > 0:
            raise ValueError(
                f"{self.name}: probes is {probes!r}, reach {reach!r}; need an integer >= 1 and > 0"
            )
        network = {"name": "directed-ring"} if topology is None else dict(topology)
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "clients": clients, "probes": probes, "reach": reach},
            **{"topology": network, "steps": [*steps]},
        }
        rest, graph = dict(problem), dict(network)
        self.problem = build_problem(rest.pop("name"), clients, **rest)
        self.topology = build_topology(graph.pop("name"), clients, **graph)
        if not 0 < self.problem.shared < self.problem.dim:
            raise ValueError(
                f"{self.name}: {self.problem.name} has no personal part; need a shared and a "
                "personal part"
            )

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        quadratic = isinstance(self.problem, CoupledQuadratic | Quadratic)
        n = Known(float(self.problem.clients), How.EXACT, "clients")
        kind = Known(float(quadratic), How.EXACT, f"of {self.problem.name}")
        unit = Known(2.0**-53, How.EXACT, "float64")
        pushed = Known(
            float(self.topology.column_stochastic), How.EXACT, "a sender splits its mass"
        )
        own = {"dfedpgp_quadratic": kind, "dfedpgp_pushed": pushed}
        return {**dfedpgp_losses(self.problem), "n": n, "roundoff": unit, **own}

    def points(self, seed: int) -> tuple[Floats, Floats]:
        """Two times (probes, n, d), u the same for all clients."""
        made, count = self.problem, self.options["probes"]
        n, d, shared = made.clients, made.dim, made.shared
        drawn = Stream(seed, "problem").normal(np.arange(count), 2 * n, 0, 13, d)
        both = self.options["reach"] * drawn.reshape(count, 2, n, d)
        both[..., :shared] = both[:, :, :1, :shared]
        x, y = np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])
        y[::2] = x[::2] + 1e-3 * y[::2]
        return x, y

    def _part(self, letter: str) -> slice:
        return slice(0, self.problem.shared) if letter == "u" else slice(self.problem.shared, None)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "rate":
            return self._rate()
        if column == "lost_mass":
            return self._lost_mass()
        x, y = self.points(seed)
        if column in BLOCKS:
            of, by = (self._part(letter) for letter in BLOCKS[column])
            moved = x.copy()
            moved[..., by] = y[..., by]
            gap = (self.problem.gradient(moved) - self.problem.gradient(x))[..., of]
            apart = np.linalg.norm((moved - x)[..., by], axis=-1)
            slopes = np.linalg.norm(gap, axis=-1) / apart
            off = gradient_off(self.problem, x) + gradient_off(self.problem, moved)
            rooms = off / apart + 8 * self.problem.dim * EPS * slopes
            worst = slopes.argmax(axis=0)
            pairs = zip(worst, slopes.T, rooms.T, strict=True)
            found = (
                Row(np.array([values[k]]), label=f"i={i}", rounding=float(room[k]))
                for i, (k, values, room) in enumerate(pairs)
            )
            return Observation(tuple(found), True)
        if column == "diversity":
            g = self.problem.gradient(x)[..., self._part("u")]
            away = ((g - g.mean(axis=1, keepdims=True)) ** 2).sum(axis=2)
            room = squared_room(float(away.max()), deviation_off(self.problem, x))
            return _rows(away.max(axis=0), room)
        ids = np.asarray(runs, np.int64)
        z = np.broadcast_to(x[0], (len(ids), *x[0].shape)).copy()
        g = self.problem.stochastic_gradient(z, self.problem.sample(seed, ids, 0, 0))
        off = ((g - self.problem.gradient(z))[..., self._part(column[-1])] ** 2).sum(axis=2)
        room = squared_room(float(off.max()), 2 * float(gradient_off(self.problem, x[:1]).max()))
        rows = (Row(off[:, i], label=f"i={i}", rounding=room) for i in range(self.problem.clients))
        return Observation(tuple(rows), False)

    def _lost_mass(self) -> Observation:
        rows = []
        for t in range(self.options["steps"][0]):
            off = float(np.abs(self.topology.matrix(t, 0).sum(axis=0) - 1).max())
            share = relative_error(off, 1.0)  # of a sum that is to be 1
            rows.append(Row(np.array([off]), label=f"t={t}", rounding=0.0, relative_error=share))
        return Observation(tuple(rows), True)

    def _rate(self) -> Observation:
        found = topology_constants(self.topology, horizon=1)
        hops = (found["diameter"].value, found["window"].value)
        D, n, rows = int(found["max_out_degree"].value), self.problem.clients, []
        one, *others = (
            dfedpgp_lemma3(n, D, *hops, local_steps=K, dim=self.problem.shared)["q_dfedpgp"].value
            for K in (1, *self.options["steps"])
        )
        for K, q in zip(self.options["steps"], others, strict=True):
            # each q is the double above 50 digits
            row = Row(np.array([q]), {"dfedpgp_q_one": one}, f"K_u={K}", rounding=2.0**-51)
            rows.append(row)
        return Observation(tuple(rows), True)


def _rows(values: Floats, rounding: float) -> Observation:
    rows = (Row(np.array([v]), label=f"i={i}", rounding=rounding) for i, v in enumerate(values))
    return Observation(tuple(rows), True)
