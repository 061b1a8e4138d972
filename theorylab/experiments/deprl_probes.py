"""The left sides of DePRL's assumptions, of Eq. (8), and of its mixing constants."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from theorylab.algorithms import algorithm
from theorylab.constants import Bench, deprl_instance_constants
from theorylab.experiments._base import Experiment, Observation, Row, check_column, relative_error
from theorylab.experiments._personal_parts import personal_parts
from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.problems import CoupledQuadratic, SinSin
from theorylab.runs.rounding import (
    EPS,
    RELATIVE,
    deviation_off,
    gradient_off,
    loss_off,
    squared_room,
)

Floats = Any


class DeprlProbes(Experiment):
    """Probes are points (phi, theta_1, ..., theta_N) drawn around 0, ``reach`` wide; half of the
    second points of pairs are close to their first.

    Columns:
        sums         the larger of |1 - sum of row i|, |1 - sum of column i| of P
        mixing       max_ij |(P^k)_ij - 1/N|, k = 1 .. ``powers``
        slope_phi, slope_theta   ||difference of grad_phi F_i||/(||d phi|| + ||d theta||), row i
        noise_phi, noise_theta   ||g - grad F_i||^2 of the part, one sample a run, row i
        noise_letter ||g_theta - grad_phi F_i||^2, d_u = d_v, one sample a run, row i
        bias_phi, bias_theta     ||E g - grad F_i|| over all signs of the noise, row i
        diversity    (1/N) sum_i ||grad_phi F_i - grad_phi f||^2, one row a probe
        common_shift ||df/ds||^2 of the shift theta_i + s of all heads at once, likewise
        heads        ||(1/N)(grad_theta F_1, ..., grad_theta F_N)||^2, the gradient of f with
                     respect to all heads, by central differences of f, one row a probe;
                     deprl_printed_heads there is ||(1/N) sum_i grad_theta F_i||^2

    Args:
        problem, topology, clients: of the instance. probes, reach, powers: see above.
    """

    name = "deprl-probes"
    columns = (
        *("sums", "mixing", "slope_phi", "slope_theta", "noise_phi", "noise_theta"),
        *("noise_letter", "bias_phi", "bias_theta", "diversity", "heads"),
        "common_shift",
    )

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        topology: Mapping[str, Any],
        clients: int,
        probes: int = 32,
        reach: float = 2.0,
        powers: int = 64,
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
        self.problem, network = personal_parts(self.name, problem, topology, clients, "P")
        self.shared, self.P = self.problem.shared, network.matrix(0)
        steps = algorithm("deprl", alpha=1.0, beta=1.0).options()
        start = np.zeros((clients, self.problem.dim))
        self.known = deprl_instance_constants(Bench(self.problem, network, steps, start, 1))

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        n = self.problem.clients
        room = Known(4 * n * EPS, How.EXACT, "a sum of N numbers <= 1, each rounded")
        return {**self.known, "deprl_room": room, "deprl_sigma_letter": self._letter()}

    def _letter(self) -> Known:
        """The least sigma with E||g_theta - grad_phi F_i||^2 <= sigma^2 everywhere."""
        problem, shared = self.problem, self.shared
        if 2 * shared != problem.dim:
            reason = f"phi has {shared} coordinates, theta {problem.dim - shared}: no difference"
            return Known(np.inf, How.EXACT, reason)
        if isinstance(problem, SinSin):
            reason = "grad_theta F_i - grad_phi F_i has the linear part B theta - A phi, A, B > 0"
            return Known(np.inf, How.EXACT, reason)
        if isinstance(problem, CoupledQuadratic):
            # (C^T - A) phi + (B - C) theta is bounded only if it is 0; then A = C = B, and f has
            # no single minimum, which the problem refuses.
            reason = "grad_theta F_i - grad_phi F_i is linear in (phi, theta), and not constant"
            return Known(np.inf, How.EXACT, reason)
        return Known(np.inf, How.ESTIMATE, f"not known for {problem.name}")

    def points(self, seed: int) -> tuple[Floats, Floats]:
        """Two times (probes, n, d), phi the same for all workers."""
        problem, count = self.problem, self.options["probes"]
        n, d, shared = problem.clients, problem.dim, self.shared
        drawn = Stream(seed, "problem").normal(np.arange(count), 2 * n, 0, 11, d)
        both = self.options["reach"] * drawn.reshape(count, 2, n, d)
        both[..., :shared] = both[:, :, :1, :shared]
        x, y = np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])
        y[::2] = x[::2] + 1e-3 * y[::2]
        return x, y

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column in ("sums", "mixing"):
            return self._network(column)
        x, y = self.points(seed)
        part = slice(0, self.shared) if column.endswith("phi") else slice(self.shared, None)
        if column.startswith("noise"):
            return self._noise(column, x, runs, seed)
        if column.startswith("bias"):
            return self._bias(x, part)
        if column.startswith("slope"):
            return self._slope(x, y, part)
        return self._diversity(x) if column == "diversity" else self._heads(x, column)

    def _network(self, column: str) -> Observation:
        P, n = self.P.toarray(), self.problem.clients
        if column == "sums":
            off = np.maximum(np.abs(P.sum(axis=1) - 1), np.abs(P.sum(axis=0) - 1))
            sums = (
                Row(np.array([v]), label=f"i={i}", rounding=0.0, relative_error=float(v))
                for i, v in enumerate(off)
            )
            return Observation(tuple(sums), True)
        rows, power = [], np.eye(n)
        for k in range(1, self.options["powers"] + 1):
            power = P @ power
            worst = float(np.abs(power - 1 / n).max())
            place = {"deprl_lag": float(k)}
            # k products with rows that sum to 1, each off by n eps
            rows.append(Row(np.array([worst]), place, f"k={k}", rounding=4 * k * n * EPS))
        return Observation(tuple(rows), True, "deprl_lag")

    def _slope(self, x: Floats, y: Floats, part: slice) -> Observation:
        shared = self.shared
        gap = self.problem.gradient(x)[..., part] - self.problem.gradient(y)[..., part]
        apart = np.linalg.norm((x - y)[..., :shared], axis=-1) + np.linalg.norm(
            (x - y)[..., shared:], axis=-1
        )
        worst = (np.linalg.norm(gap, axis=-1) / apart).max(axis=0)
        off = sum(gradient_off(self.problem, z) for z in (x, y)) / apart
        return _rows(worst, RELATIVE * float(worst.max()) + float(off.max()))

    def _noise(self, column: str, x: Floats, runs: range, seed: int) -> Observation:
        problem, shared = self.problem, self.shared
        ids = np.asarray(runs, np.int64)
        z = np.broadcast_to(x[0], (len(ids), *x[0].shape)).copy()
        g = problem.stochastic_gradient(z, problem.sample(seed, ids, 0, 0))
        exact = problem.gradient(z)
        if column == "noise_letter":
            if 2 * shared != problem.dim:
                raise ValueError(
                    f"{self.name}: phi has {shared} coordinates, theta {problem.dim - shared}; "
                    "need the same number to take one gradient from the other"
                )
            gap = g[..., shared:] - exact[..., :shared]
        else:
            own = slice(0, shared) if column == "noise_phi" else slice(shared, None)
            gap = (g - exact)[..., own]
        values = (gap**2).sum(axis=2)
        off = 2 * float(gradient_off(problem, x[:1]).max())
        room = squared_room(float(values.max()), off)
        rows = (Row(values[:, i], label=f"i={i}", rounding=room) for i in range(problem.clients))
        return Observation(tuple(rows), False)

    def _bias(self, x: Floats, part: slice) -> Observation:
        problem = self.problem
        field = getattr(problem, "field", None)
        if field is None or field.kind not in ("rademacher", "state"):
            raise ValueError(f"{self.name}: bias needs noise 'rademacher' or 'state'")
        n, d = problem.clients, problem.dim
        signs = 1.0 - 2.0 * (np.arange(2**d)[:, None] >> np.arange(d) & 1)
        sample = np.repeat((signs * field.scale)[:, None], n, axis=1)
        worst, size, slopes = np.zeros(n), 0.0, []
        for point in x[:4]:
            z = np.broadcast_to(point, (len(sample), n, d)).copy()
            g = problem.stochastic_gradient(z, sample)
            gap = (g - problem.gradient(z)).mean(axis=0)[:, part]
            worst = np.maximum(worst, np.linalg.norm(gap, axis=1))
            size = max(size, float(np.abs(g).max()))
            slopes.append(np.linalg.norm(problem.gradient(z[:1])[0, :, part], axis=1))
        # a mean of 2^d numbers of that size, d of them in a norm
        place = {"deprl_bias_room": 4 * (2**d + d) * EPS * size}
        rows = (
            Row(
                np.array([v]),
                place,
                f"i={i}",
                rounding=0.0,
                relative_error=relative_error(v, slopes),
            )
            for i, v in enumerate(worst)
        )
        return Observation(tuple(rows), True)

    def _diversity(self, x: Floats) -> Observation:
        g = self.problem.gradient(x)[..., : self.shared]
        spread = ((g - g.mean(axis=1, keepdims=True)) ** 2).sum(axis=2).mean(axis=1)
        room = squared_room(float(spread.max()), deviation_off(self.problem, x))
        rows = (Row(np.array([v]), label=f"probe {r}", rounding=room) for r, v in enumerate(spread))
        return Observation(tuple(rows), True)

    def _heads(self, x: Floats, column: str) -> Observation:
        problem, shared = self.problem, self.shared
        n, dv, rows = problem.clients, problem.dim - shared, []
        printed = problem.gradient(x)[..., shared:].mean(axis=1)
        exact = problem.gradient(x)[..., shared:] / n
        for r in range(min(4, len(x))):
            total, bent, step = 0.0, 0.0, 1e-4
            movers = (
                [slice(None)] if column == "common_shift" else [slice(i, i + 1) for i in range(n)]
            )
            for who in movers:
                for j in range(dv):
                    moved = np.repeat(x[r : r + 1], 4, axis=0)
                    moved[:, who, shared + j] += step * np.array([[1.0], [-1.0], [2.0], [-2.0]])
                    ends = problem.loss(moved).mean(axis=1)
                    near = float((ends[0] - ends[1]) / (2 * step))
                    total += near**2
                    bent += (near - float((ends[2] - ends[3]) / (4 * step))) ** 2
            # A central difference is off by step^2/6 times a third derivative, which is a third of
            # what a step twice as wide changes; and by what losses and points are rounded by, over
            # the step.
            point = x[r : r + 1]
            lost = float((loss_off(problem, point) + n * EPS * np.abs(problem.loss(point))).mean())
            lost += EPS * float(np.abs(point).max() * np.abs(problem.gradient(point)).sum())
            off = math.sqrt(bent) + 2 * lost / step * math.sqrt(len(movers) * dv)
            place = {
                "deprl_printed_heads": float((printed[r] ** 2).sum()),
                "deprl_all_heads": float((exact[r] ** 2).sum()),
            }
            room = squared_room(total, off)
            rows.append(Row(np.array([total]), place, f"probe {r}", rounding=room))
        return Observation(tuple(rows), True)


def _rows(values: Floats, rounding: float) -> Observation:
    rows = (Row(np.array([v]), label=f"i={i}", rounding=rounding) for i, v in enumerate(values))
    return Observation(tuple(rows), True)
