"""How large the Jacobians of pdbo's local maps are, and how fast they change (Assumptions 8-10)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.constants import kappa
from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._hgp_place import Place, Setting, full_phi, full_psi
from theorylab.experiments._local_maps import SgpMap, SineMaps
from theorylab.hypergradients import edge_law
from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.topologies import topology

Floats = NDArray[np.float64]
_PROBES = 24
_NEAR = 1e-3  # of the distances of half of the pairs


class HgpSlopes(Experiment):
    """Of SGP's maps, Eq. (4a) or (4b), or of bounded ones ("sine", see ``_local_maps``).

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

    name = "hgp-slopes"
    columns = ("phi_slope", "phi_slope_z", "quotient")

    def __init__(
        self,
        *,
        network: Mapping[str, Any],
        maps: str = "sgp",
        problem: Mapping[str, Any] | None = None,
        step: float = 0.3,
        variant: str = "4b",
        omega: Sequence[float] = (1.0, 0.1, 0.01),
        floor: float = 0.0,
        reach: float = 0.0,
        ripple: float = 0.0,
        k: float = 1.0,
        clients: int = 3,
        size: int = 3,
        samples: int = 2,
        amplitude: float = 0.05,
        seed: int = 0,
    ) -> None:
        where = self.name
        if maps not in ("sgp", "sine") or (maps == "sgp") != (problem is not None):
            raise ValueError(
                f"{where}: maps is {maps!r}, problem {problem!r}; need 'sgp' with one, or 'sine'"
            )
        if not omega or any(not value > 0 for value in omega) or np.ndim(step):
            raise ValueError(
                f"{where}: omega is {omega!r}, step {step!r}; need numbers > 0 and one"
            )
        if not (floor >= 0 and reach >= 0 and ripple >= 0 and k > 0 and amplitude > 0):
            raise ValueError(
                f"{where}: floor, reach, ripple, k, amplitude are {floor!r}, {reach!r}, "
                f"{ripple!r}, {k!r}, {amplitude!r}; need >= 0, >= 0, >= 0, > 0, > 0"
            )
        if min(clients, size, samples) < 1:
            raise ValueError(
                f"{where}: clients, size, samples are {clients!r}, {size!r}, {samples!r}; need >= 1"
            )
        self.options: dict[str, Any] = {
            **{"network": dict(network), "maps": maps, "step": step, "variant": variant},
            **{"problem": None if problem is None else dict(problem), "omega": list(omega)},
            **{"floor": floor, "reach": reach, "ripple": ripple, "k": k, "clients": clients},
            **{"size": size, "samples": samples, "amplitude": amplitude, "seed": seed},
        }
        self.map: SgpMap | SineMaps
        if problem is None:
            rest = {key: value for key, value in network.items() if key != "name"}
            law = edge_law(topology(network["name"], clients, **rest))
            self.map = SineMaps(clients, size, samples, amplitude, k, seed)
        else:
            setting = Setting(problem, network, step, variant)
            self.setting, law = setting, setting.law
            low = float(np.linalg.eigvalsh(setting.problem.H).min())
            if not ripple < low:
                raise ValueError(f"{where}: ripple is {ripple!r}; need below mu = {low:.6g}")
            self.map = SgpMap(setting.problem, setting.sgp, ripple, k)
        self.kappa = kappa(law.mean, law.frequency)

    def describe(self) -> dict[str, Any]:
        return dict(self.options)

    def constants(self) -> dict[str, Known]:
        o, n = self.options, self.map.clients
        made = {"n": _exact(n, "clients"), "kappa": self.kappa}
        if isinstance(self.map, SineMaps):
            text = "amplitude: |cos| is at most 1, and 1 at y = 0"
            return made | {
                "phi_slope": _exact(o["amplitude"], text),
                "L_y": _exact(o["amplitude"] * o["k"], "amplitude k: sin is 1-Lipschitz"),
            }
        top = float(np.linalg.eigvalsh(self.map.H).max()) + o["ripple"]
        made |= {
            "mu": self.setting.problem.constants(self.setting.lam[None])["mu"],
            "eta": _exact(o["step"], "option step"),
            "L": Known(
                top * (1 + 1e-12), How.UPPER, "largest Hessian eigenvalue, and the ripple's"
            ),
            "omega_entry": _exact(1.0, "Eq. (4a), (4b) send omega as it is"),
            "hessian_slope": _exact(o["ripple"] * o["k"], "ripple times k"),
            "omega_unit": _exact(1.0, "the paper adds omega^2 to ||z||^2"),
            "z_reach": _exact(o["reach"], "option reach"),
        }
        if o["floor"]:
            made["omega_floor"] = _exact(o["floor"], "option floor")
        source = "sup over omega > 0 of step ||H|| / (2 omega^2)"
        made["L_y"] = _exact(math.inf, source)
        if not o["ripple"]:
            made["phi_slope"] = _exact(max(1.0, self._at_star(True)), "at y*; omega's entry is 1")
            made["phi_slope_z"] = _exact(self._at_star(False), "largest norm at y*, on z")
        return made

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "quotient":
            return Observation(tuple(self._quotients(seed)), True)
        if isinstance(self.map, SineMaps):
            if column == "phi_slope_z":
                raise ValueError(f"{self.name}: {column} is of SGP; bounded maps have no omega")
            points = np.concatenate([np.zeros((1, self.map.size)), self._drawn(seed)[:, 0]])
            value = max(
                float(np.linalg.norm(self.map.jacobian(i, xi, y), 2))
                for i, xi in np.ndindex(self.map.clients, self.map.samples)
                for y in points
            )
        else:
            value = self._at_star(full=column == "phi_slope")
        return Observation((Row(np.array([value]), rounding=1e-13 * value),), True)

    def _at_star(self, full: bool) -> float:
        """Of SGP at y*, the noise's cases as samples."""
        place = Place(**self.setting.options)
        d, noise = place.problem.dim, place.problem.noise
        made = [
            J if full else J[:d, :d]
            for factor in {1.0, 1 - noise, 1 + noise}
            for J in (*full_phi(place, factor), *full_psi(place, factor))
        ]
        return max(float(np.linalg.norm(J, 2)) for J in made)

    def _drawn(self, seed: int) -> Floats:
        """(probes, 2, size): pairs, every other one close."""
        size = self.map.size
        pairs = Stream(seed, "problem").normal(np.arange(_PROBES), 2, 0, 19, size)
        pairs[::2, 1] = pairs[::2, 0] + _NEAR * pairs[::2, 1]
        return np.asarray(pairs)

    def _within(self, seed: int) -> Floats:
        """The same inside {omega >= floor, ||z|| <= reach}, the first pair at its corner."""
        low, reach = self.options["floor"], self.options["reach"]
        pairs = self._drawn(seed)
        pairs[..., -1] = low * (1 + np.abs(pairs[..., -1]))
        length = np.linalg.norm(pairs[..., :-1], axis=-1, keepdims=True)
        pairs[..., :-1] *= reach / np.maximum(1.0, length)
        end = np.zeros(self.map.size)
        end[0], end[-1] = reach, low
        pairs[0] = end
        pairs[0, 1, -1] *= 1 + _NEAR
        return pairs

    def _length(self, y: Floats) -> float:
        """Of what the cosine's angle is a product with: y, or SGP's x = z / omega."""
        inside = y if isinstance(self.map, SineMaps) else y[:-1] / y[-1]
        return float(np.linalg.norm(inside))

    def _quotients(self, seed: int) -> Iterator[Row]:
        if isinstance(self.map, SineMaps):
            pairs, labels = self._drawn(seed), [f"pair {r}" for r in range(_PROBES)]
        elif self.options["floor"]:
            pairs, labels = self._within(seed), [f"pair {r}" for r in range(_PROBES)]
        else:
            pairs = np.zeros((len(self.options["omega"]), 2, self.map.size))
            pairs[:, :, -1] = np.outer(self.options["omega"], (1.0, 2.0))
            labels = [f"omega={omega:g}" for omega in self.options["omega"]]
        for (y, other), label in zip(pairs, labels, strict=True):
            apart = float(np.linalg.norm(y - other))
            for i in range(self.map.clients):
                ends = [
                    [self.map.jacobian(i, xi, point) for xi in range(self.map.samples)]
                    for point in (y, other)
                ]
                gaps = np.linalg.norm(np.array(ends[0]) - np.array(ends[1]), 2, axis=(1, 2))
                # some 64 d operations an entry, and those of the cosine's angle
                angle = 1 + self.options["k"] * max(map(self._length, (y, other)))
                room = 64 * self.map.size * 2.0**-53 * angle * float(np.abs(ends).max()) / apart
                value = float(gaps.max()) / apart
                yield Row(np.array([value]), {}, f"{label}, i={i}", rounding=room + 1e-12 * value)


def _exact(value: Any, text: str) -> Known:
    return Known(float(value), How.EXACT, text)
