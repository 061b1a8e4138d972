"""How large the Jacobians of pdbo's local maps are, and how fast they change (Assumptions 8-10)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorylab.constants import kappa
from theorylab.experiments._base import Observation, Row, check_column
from theorylab.experiments.pdbo._base import (
    Floats,
    PdboExperiment,
    exacts,
    network_of,
    norm,
    norms,
    single,
    uppers,
)
from theorylab.experiments.pdbo._place import Place, Setting
from theorylab.hypergradients import SGP, QuadraticBilevel
from theorylab.kernels import Stream
from theorylab.known import UNIT, Known

_PROBES = 24
_NEAR = 1e-3  # of the distances of half of the pairs


class SgpMap:
    """The map that steps, phi_i of Eq. (4a) or psi_i of (4b), y = (z, omega).

    f_i(x) = x^T H_i x / 2 - b_i^T x + ripple (1 - cos(k u_i^T x)) / k^2, |u_i| = 1, has the Hessian
    H_i + ripple cos(k u_i^T x) u_i u_i^T: eigenvalues at least mu - ripple, and the Lipschitz
    constant k ripple.

    Args:
        problem: H. sgp: variant and steps. ripple in [0, mu), k > 0.
    """

    def __init__(self, problem: QuadraticBilevel, sgp: SGP, ripple: float, k: float) -> None:
        self.H, self.after = problem.H, sgp.variant == "4b"
        self.steps = sgp.steps(problem.clients)
        self.ripple, self.k = ripple, k
        drawn = Stream(0, "problem").normal(1, problem.clients, 0, 17, problem.dim)[0]
        self.u = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
        self.clients, self.samples, self.size = problem.clients, 1, problem.dim + 1

    def jacobian(self, i: int, xi: int, y: Floats) -> Floats:
        """(d + 1, d + 1) at y, of the only sample."""
        z, omega, u = y[:-1], y[-1], self.u[i]
        x = z / omega
        hessian = self.H[i] + self.ripple * np.cos(self.k * (u @ x)) * np.outer(u, u)
        pull = self.steps[i] / omega * hessian
        jacobian = np.zeros((self.size, self.size)) if self.after else np.eye(self.size)
        jacobian[:-1, :-1] -= pull
        jacobian[-1, :-1] += x @ pull
        return jacobian

    def length(self, y: Floats) -> float:
        """Of what the cosine's angle is a product with: x = z / omega."""
        return float(np.linalg.norm(y[:-1] / y[-1]))


class SineMaps:
    """phi_i = psi_i: y -> (amplitude / k) sin(k u^T y) v, |u| = |v| = 1, one pair a client, sample.

    The Jacobian amplitude cos(k u^T y) u v^T has the norm ``amplitude`` at y = 0, which no y
    exceeds, and the Lipschitz constant k ``amplitude``.
    """

    def __init__(
        self, clients: int, size: int, samples: int, amplitude: float, k: float, seed: int
    ) -> None:
        self.clients, self.samples, self.size = clients, samples, size
        self.amplitude, self.k = amplitude, k
        drawn = Stream(seed, "problem").normal(2, clients, 0, 18, samples * size)
        both: Any = drawn.reshape(2, clients, samples, size)
        self.u, self.v = both / np.linalg.norm(both, axis=-1, keepdims=True)

    def jacobian(self, i: int, xi: int, y: Floats) -> Floats:
        """(size, size) at y."""
        u, v = self.u[i, xi], self.v[i, xi]
        return np.asarray(self.amplitude * np.cos(self.k * (u @ y)) * np.outer(u, v))

    def length(self, y: Floats) -> float:
        """Of what the cosine's angle is a product with: y."""
        return float(np.linalg.norm(y))


@dataclass(kw_only=True, eq=False)
class HgpSlopes(PdboExperiment, name="hgp-slopes"):
    """Of SGP's maps, Eq. (4a) or (4b), or of bounded ones ("sine", see ``SineMaps``).

    Columns:
        phi_slope    largest ||d_y phi_i||_2, ||d_y psi_i||_2 over clients and samples: SGP's at y*,
                     a bounded map's over the probes, of which y = 0 is one
        phi_slope_z  SGP's on z alone, at y*
        quotient     ||d_y m(y) - d_y m(y')||_2 / ||y - y'|| of the map m that steps (of each
                     bounded one), the largest over the samples, one row a client and pair

    Pairs for SGP: y = (0, omega), y' = (0, 2 omega) for every one of ``omega``; or, with
    ``floor`` and ``reach``, pairs drawn from {omega >= floor, ||z|| <= reach}, half of them close.

    Args:
        maps: "sgp" or "sine". network: both need it for kappa.
        problem, step, variant: of SGP's quadratics. ripple, k: what is added to them, see
            ``SgpMap``; the point y* is the quadratics' own, so ripple has "quotient" alone.
        clients, size, samples, amplitude, k, seed: of the bounded maps, size numbers in y.
    """

    columns = ("phi_slope", "phi_slope_z", "quotient")

    network: Mapping[str, Any]
    maps: str = "sgp"
    problem: Mapping[str, Any] | None = None
    step: float = 0.3
    variant: str = "4b"
    omega: Sequence[float] = (1.0, 0.1, 0.01)
    floor: float = 0.0
    reach: float = 0.0
    ripple: float = 0.0
    k: float = 1.0
    clients: int = 3
    size: int = 3
    samples: int = 2
    amplitude: float = 0.05
    seed: int = 0

    def __post_init__(self) -> None:
        both = self.maps in ("sgp", "sine") and (self.maps == "sgp") == (self.problem is not None)
        self.need(both, "maps problem", "'sgp' with one, or 'sine'")
        self.need(not np.ndim(self.step), "step", "one number")
        self.need(bool(self.omega) and all(w > 0 for w in self.omega), "omega", "numbers > 0")
        self.need(min(self.floor, self.reach, self.ripple) >= 0, "floor reach ripple", ">= 0")
        self.need(self.k > 0 and self.amplitude > 0, "k amplitude", "> 0")
        self.need(min(self.clients, self.size, self.samples) >= 1, "clients size samples", ">= 1")
        self.map: SgpMap | SineMaps
        if self.problem is None:
            _, law = network_of(self.network, self.clients)
            shape = (self.clients, self.size, self.samples)
            self.map = SineMaps(*shape, self.amplitude, self.k, self.seed)
        else:
            self.setting = Setting(self.problem, self.network, self.step, self.variant)
            law, problem = self.setting.law, self.setting.problem
            low = float(np.linalg.eigvalsh(problem.H).min())
            self.need(self.ripple < low, "ripple", f"below mu = {low:.6g}")
            self.map = SgpMap(problem, self.setting.sgp, self.ripple, self.k)
        self.kappa = kappa(law.mean, law.frequency)

    def constants(self) -> dict[str, Known]:
        known = exacts("clients", n=self.map.clients) | {"kappa": self.kappa}
        if isinstance(self.map, SineMaps):
            text = "|cos| is at most 1, and 1 at y = 0; sin is 1-Lipschitz"
            slopes = exacts(text, phi_slope=self.amplitude, L_y=self.amplitude * self.k)
            return known | slopes
        top = float(np.linalg.eigvalsh(self.map.H).max()) + self.ripple
        known |= {"mu": self.setting.problem.constants(self.setting.lam[None])["mu"]}
        known |= uppers("largest Hessian eigenvalue, and the ripple's", L=top * (1 + 1e-12))
        slope = self.ripple * self.k
        known |= exacts("the instance", eta=self.step, z_reach=self.reach, hessian_slope=slope)
        known |= exacts("Eq. (4a), (4b) send omega as it is", omega_entry=1.0)
        known |= exacts("the paper adds omega^2 to ||z||^2", omega_unit=1.0)
        known |= exacts("sup over omega > 0 of step ||H|| / (2 omega^2)", L_y=math.inf)
        if self.floor:
            known |= exacts("option floor", omega_floor=self.floor)
        if not self.ripple:
            text, steepest = "largest norm at y*; omega's entry is 1", self._at_star
            known |= exacts(text, phi_slope=max(1.0, steepest(True)), phi_slope_z=steepest(False))
        return known

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "quotient":
            return Observation(tuple(self._quotients(seed)), True)
        value = self._steepest(column, seed)
        return single(value, 1e-13 * value)

    def _steepest(self, column: str, seed: int) -> float:
        if not isinstance(self.map, SineMaps):
            return self._at_star(full=column == "phi_slope")
        if column == "phi_slope_z":
            raise ValueError(f"{self.name}: {column} is of SGP; bounded maps have no omega")
        points = np.concatenate([np.zeros((1, self.map.size)), self._drawn(seed)[:, 0]])
        cases = np.ndindex(self.map.clients, self.map.samples)
        return max(norm(self.map.jacobian(i, xi, y)) for i, xi in cases for y in points)

    def _at_star(self, full: bool) -> float:
        """The largest norm of SGP's Jacobians at y*, the noise's cases as samples."""
        place = Place(**self.setting.options)
        kept = slice(None) if full else slice(place.problem.dim)
        parts = [part for case in (None, *place.cases()) for part in place.full(case)]
        return max(float(norms(part[:, kept, kept]).max()) for part in parts)

    def _drawn(self, seed: int) -> Floats:
        """(probes, 2, size): pairs, every other one close."""
        size = self.map.size
        pairs = Stream(seed, "problem").normal(np.arange(_PROBES), 2, 0, 19, size)
        pairs[::2, 1] = pairs[::2, 0] + _NEAR * pairs[::2, 1]
        return np.asarray(pairs)

    def _within(self, seed: int) -> Floats:
        """The same inside {omega >= floor, ||z|| <= reach}, the first pair at its corner."""
        low, reach = self.floor, self.reach
        pairs = self._drawn(seed)
        pairs[..., -1] = low * (1 + np.abs(pairs[..., -1]))
        length = np.linalg.norm(pairs[..., :-1], axis=-1, keepdims=True)
        pairs[..., :-1] *= reach / np.maximum(1.0, length)
        end = np.zeros(self.map.size)
        end[0], end[-1] = reach, low
        pairs[0] = end
        pairs[0, 1, -1] *= 1 + _NEAR
        return pairs

    def _pairs(self, seed: int) -> tuple[Floats, list[str]]:
        if isinstance(self.map, SgpMap) and not self.floor:
            pairs = np.zeros((len(self.omega), 2, self.map.size))
            pairs[:, :, -1] = np.outer(self.omega, (1.0, 2.0))
            return pairs, [f"omega={omega:g}" for omega in self.omega]
        drawn = self._drawn if isinstance(self.map, SineMaps) else self._within
        return drawn(seed), [f"pair {r}" for r in range(_PROBES)]

    def _quotients(self, seed: int) -> Iterator[Row]:
        pairs, labels = self._pairs(seed)
        for (y, other), label in zip(pairs, labels, strict=True):
            apart = float(np.linalg.norm(y - other))
            for i in range(self.map.clients):
                ends = np.array([
                    [self.map.jacobian(i, xi, point) for xi in range(self.map.samples)]
                    for point in (y, other)
                ])  # fmt: skip
                value = float(norms(ends[0] - ends[1]).max()) / apart
                # some 64 d operations an entry, and those of the cosine's angle
                angle = 1 + self.k * max(map(self.map.length, (y, other)))
                room = 64 * self.map.size * UNIT * angle * float(np.abs(ends).max()) / apart
                room += 1e-12 * value
                yield Row(np.array([value]), {}, f"{label}, i={i}", rounding=room)
