"""The left sides of DFedAlt's assumptions, of Definition 1 and of Lemma 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from theorylab.experiments._alternating_instance import AlternatingInstance, in_float64
from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.runs.rounding import (
    EPS,
    RELATIVE,
    deviation_off,
    gradient_off,
    squared_room,
)

Floats = Any
SLOPES = ("slope_uu", "slope_uv", "slope_vu", "slope_vv")


class AlternatingProbes(Experiment):
    """Probes are points (u_i, v_i) drawn around 0, ``reach`` wide; half of the second points of
    pairs are close to their first.

    Columns:
        modulus      |lambda_k(W)|, k = 2 .. m, in order of modulus
        order        |lambda_{k+1}(W)| with the eigenvalues in order of value (dfedalt_modulus:
                     |lambda_k|), k >= 2
        powers       ||W^t - P||_op, t = 1 .. ``powers`` (t, dfedalt_room: rounding)
        slope_ab     ||difference of grad_a F_i|| / ||difference of b||, the other part the same, a
                     and b of u, v; row i
        noise_u, noise_v   E||g - grad F_i||^2 of the part over all signs, row (probe, i)
        diversity    (1/m) sum_i ||grad_u F_i(u, v_i) - grad_u F(u, V)||^2, one u, row probe
        diversity_own      the same with a u_i of its own for each summand

    Args:
        problem, topology, clients: of the instance. probes, reach, powers: see above.
    """

    name = "alternating-probes"
    columns = (
        *("modulus", "order", "powers", *SLOPES, "noise_u", "noise_v", "diversity"),
        "diversity_own",
    )

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        topology: Mapping[str, Any],
        clients: int,
        probes: int = 32,
        reach: float = 2.0,
        powers: int = 32,
    ) -> None:
        for key, value in (("probes", probes), ("powers", powers)):
            if type(value) is not int or value < 1:
                raise ValueError(f"{self.name}: {key} is {value!r}; need an integer >= 1")
        if not reach > 0:
            raise ValueError(f"{self.name}: reach is {reach!r}; need > 0")
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "topology": dict(topology), "clients": clients},
            **{"probes": probes, "reach": reach, "powers": powers},
        }
        self.made = AlternatingInstance(self.name, problem, topology, clients, {})

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        room = Known(16 * self.made.problem.clients * EPS, How.EXACT, "of LAPACK's eigenvalues")
        return {**self.made.known, "dfedalt_room": room}

    def points(self, seed: int) -> tuple[Floats, Floats]:
        """Two times (probes, n, d)."""
        made, count = self.made.problem, self.options["probes"]
        n, d = made.clients, made.dim
        drawn = Stream(seed, "problem").normal(np.arange(count), 2 * n, 0, 12, d)
        both = self.options["reach"] * drawn.reshape(count, 2, n, d)
        x, y = np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])
        y[::2] = x[::2] + 1e-3 * y[::2]
        return x, y

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column in ("modulus", "order", "powers"):
            return self._network(column)
        with in_float64(self.name):
            return self._probed(column, seed)

    def _probed(self, column: str, seed: int) -> Observation:
        x, y = self.points(seed)
        if column in SLOPES:
            return self._slope(x, y, *column[-2:])
        if column.startswith("noise"):
            return self._noise(x[:4], column[-1])
        return self._diversity(x, column.endswith("own"))

    def _network(self, column: str) -> Observation:
        W, n = self.made.W, self.made.problem.clients
        if n < 2:
            raise ValueError(f"{self.name}: {column} came with one client; need lambda_2")
        if column == "powers":
            rows, power = [], np.eye(n)
            for t in range(1, self.options["powers"] + 1):
                power = W @ power
                # t products with rows that sum to 1, and the norm: n eps each
                at = {"t": float(t), "dfedalt_room": 8 * (t + 1) * n * EPS}
                value = float(np.linalg.norm(power - 1 / n, 2))
                rows.append(Row(np.array([value]), at, f"t={t}", rounding=0.0))
            return Observation(tuple(rows), True, "t")
        values = np.linalg.eigvalsh((W + W.T) / 2)[::-1]
        made: list[tuple[str, float, dict[str, float]]]
        if column == "modulus":
            sizes = np.sort(np.abs(values))[::-1]
            made = [(f"k={k + 1}", v, {}) for k, v in enumerate(sizes) if k]
        else:
            size = np.abs(values)
            made = [
                (f"k={k + 1}", size[k + 1], {"dfedalt_modulus": float(size[k])})
                for k in range(1, n - 1)
            ]
        rounding = 8 * n * EPS
        rows = [Row(np.array([v]), at, label, rounding=rounding) for label, v, at in made]
        return Observation(tuple(rows), True)

    def _slope(self, x: Floats, y: Floats, of: str, by: str) -> Observation:
        cut = {"u": slice(0, self.made.shared), "v": slice(self.made.shared, None)}
        z = x.copy()
        z[..., cut[by]] = y[..., cut[by]]
        gap = (self.made.problem.gradient(x) - self.made.problem.gradient(z))[..., cut[of]]
        apart = np.linalg.norm(x - z, axis=-1)
        worst = (np.linalg.norm(gap, axis=-1) / apart).max(axis=0)
        off = sum(gradient_off(self.made.problem, point) for point in (x, z)) / apart
        room = RELATIVE * float(worst.max()) + float(off.max())
        rows = (Row(np.array([v]), label=f"i={i}", rounding=room) for i, v in enumerate(worst))
        return Observation(tuple(rows), True)

    def _noise(self, x: Floats, part: str) -> Observation:
        made = self.made.problem
        field = getattr(made, "field", None)
        if field is None or field.kind not in ("rademacher", "state"):
            raise ValueError(f"{self.name}: need noise 'rademacher' or 'state'")
        own = slice(0, self.made.shared) if part == "u" else slice(self.made.shared, None)
        d, n = made.dim, made.clients
        signs = 1.0 - 2.0 * (np.arange(2**d)[:, None] >> np.arange(d) & 1)
        sample = np.repeat((signs * field.scale)[:, None], n, axis=1)
        rows = []
        for r, point in enumerate(x):
            z = np.broadcast_to(point, (len(sample), n, d)).copy()
            gap = (made.stochastic_gradient(z, sample) - made.gradient(z))[..., own]
            off = 2 * float(gradient_off(made, point[None]).max())
            for i, v in enumerate((gap**2).sum(axis=2).mean(axis=0)):
                room = squared_room(float(v), off)
                rows.append(Row(np.array([v]), label=f"probe {r}, i={i}", rounding=room))
        return Observation(tuple(rows), True)

    def _diversity(self, x: Floats, own: bool) -> Observation:
        made, shared, n = self.made, self.made.shared, x.shape[1]
        u, v = x[..., :shared], x[..., shared:]
        total, off = np.zeros(len(x)), 0.0
        for i in range(n if own else 1):
            point = made.joined(u[:, i : i + 1], v)
            g = made.problem.gradient(point)[..., :shared]
            off = max(off, deviation_off(made.problem, point))
            gap = ((g - g.mean(axis=1, keepdims=True)) ** 2).sum(axis=2)
            total += gap[:, i] / n if own else gap.mean(axis=1)
        rows = []
        for r, value in enumerate(total):
            room = squared_room(float(value), off)
            rows.append(Row(np.array([value]), label=f"probe {r}", rounding=room))
        return Observation(tuple(rows), True)
