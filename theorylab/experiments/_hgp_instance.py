"""One network, one set of maps: what the experiments on pdbo's error bounds share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.constants import kappa as kappa_of
from theorylab.experiments._hgp_place import independent_edges
from theorylab.experiments._maps import bounded, matrices_of, of_sgp
from theorylab.experiments._rounds import Rounds
from theorylab.hypergradients import SGP, QuadraticBilevel, edge_law
from theorylab.known import How, Known
from theorylab.topologies import topology

Floats = NDArray[np.float64]
ROOM = 1 + 1e-10  # LAPACK's singular values of such small matrices are right to 1e-14 or so
_MAPS = ("bounded", "aligned", "sgp")


class HgpInstance:
    """Network, maps, means, the true hypergradient, the constants of Theorems 1 and 8 to 11.

    Args:
        clients: n. network: {"name": ..., options of the topology}: static, sto-d or sto-u.
        maps: "bounded" (any matrices that obey Assumption 8), "aligned" (the extreme ones: all
            the same positive rank-one matrix), "sgp" (SGP's own on a quadratic problem).
        eta_A, eta_B: of "bounded" and "aligned". dim, hyper: d_y (on z for "sgp"), d_lambda.
        samples, batch: samples a client, and a minibatch. outer: scale of c^lambda.
        sgp: {"step", "variant"}; problem: options of ``QuadraticBilevel.random``.
    """

    def __init__(
        self,
        where: str,
        *,
        clients: int = 2,
        network: Mapping[str, Any] | None = None,
        maps: str = "bounded",
        eta_A: float = 0.8,
        eta_B: float = 1.0,
        dim: int = 2,
        hyper: int = 2,
        samples: int = 1,
        batch: int = 1,
        outer: float = 1.0,
        sgp: Mapping[str, Any] | None = None,
        problem: Mapping[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        if maps not in _MAPS:
            raise ValueError(f"{where}: maps is {maps!r}; need one of {', '.join(_MAPS)}")
        if not (eta_A > 0 and eta_B > 0 and math.isfinite(eta_A) and math.isfinite(eta_B)):
            raise ValueError(f"{where}: eta_A is {eta_A!r}, eta_B {eta_B!r}; need > 0")
        counts = {"dim": dim, "hyper": hyper, "samples": samples, "batch": batch}
        for name, value in counts.items():
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{where}: {name} is {value!r}; need an integer >= 1")
        network = {"name": "sto-d"} if network is None else dict(network)
        sgp = {"step": 0.3, "variant": "4b"} if sgp is None else dict(sgp)
        problem = {} if problem is None else dict(problem)
        self.options: dict[str, Any] = {
            **{"clients": clients, "network": network, "maps": maps, "eta_A": eta_A},
            **{"eta_B": eta_B, **counts, "outer": outer, "sgp": sgp, "problem": problem},
            "seed": seed,
        }
        rest = {key: value for key, value in network.items() if key != "name"}
        self.topology = topology(network["name"], clients, **rest)
        self.law = edge_law(self.topology)
        self.kappa = kappa_of(self.law.mean, self.law.frequency)
        if maps == "sgp":
            made = {"dim": dim, "hyper": hyper, "seed": seed, **problem}
            self.maps = of_sgp(self.law, SGP(**sgp), QuadraticBilevel.random(clients, **made))
        else:
            self.maps = bounded(
                self.law,
                self.kappa.value,
                dim=dim,
                hyper=hyper,
                eta_A=eta_A,
                eta_B=eta_B,
                samples=samples,
                batch=batch,
                outer=outer,
                aligned=maps == "aligned",
                seed=seed,
            )
        self.A, self.B = (
            part[0]
            for part in matrices_of(
                [part[None] for part in self.maps.means()], self.law.mean.T[None]
            )
        )

    @property
    def truth(self) -> Floats:
        """d_lambda Fbar - c^lambda = Bbar (I - Abar)^{-1} c^y, (n, dlam)."""
        solved = np.linalg.solve(np.eye(len(self.A)) - self.A, self.maps.c_y.ravel())
        return np.asarray((self.B @ solved).reshape(self.maps.c_lam.shape))

    def truncated(self, terms: int) -> Floats:
        """Bbar sum_{i < terms} Abar^i c^y, (n, dlam)."""
        u, total = self.maps.c_y.ravel(), np.zeros(self.maps.c_y.size)
        for _ in range(terms):
            total, u = total + u, self.A @ u
        return np.asarray((self.B @ total).reshape(self.maps.c_lam.shape))

    def tail(self, terms: int) -> Floats:
        """Bbar sum_{i >= terms} Abar^i c^y, (n, dlam), from the matrices' powers."""
        q = np.linalg.solve(np.eye(len(self.A)) - self.A, self.maps.c_y.ravel())
        for _ in range(terms):
            q = self.A @ q
        return np.asarray((self.B @ q).reshape(self.maps.c_lam.shape))

    def constants(self) -> dict[str, Known]:
        """Those that do not differ from row to row; where kappa is infinite few have a meaning."""
        if not math.isfinite(self.kappa.value):
            one = {"omega_entry": _exact(1.0, "Eq. (4a), (4b)")} if self.maps.variant else {}
            return {"n": _exact(len(self.law.mean), "clients"), "kappa": self.kappa, **one}
        maps, P, often = self.maps, self.law.mean, self.law.frequency
        n, spread = len(P), np.where(P > 0, P, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(P > 0, spread / often.T, 0.0)
        top = [np.linalg.norm(part, 2, axis=(-2, -1)).max() for part in maps.parts]
        k = self.kappa.value
        eta_A, eta_B = (2 * k * ROOM * max(top[0], top[1]), 2 * k * ROOM * max(top[2], top[3]))
        how, where = How.UPPER, "2 kappa max ||Jacobian||_2 over all samples; the maps are affine"
        if maps.variant:
            eta_A, how = math.inf, How.EXACT
            where = "sup over omega > 0 of step ||H|| / omega is infinite, H positive definite"
        found = {
            "n": _exact(n, "clients"),
            "d_y": _exact(maps.c_y.shape[1], "numbers of y that the products run over"),
            "d_lambda": _exact(maps.c_lam.shape[1], "hyperparameters of a client"),
            "batch": _exact(maps.batch, "samples of a minibatch"),
            "kappa": self.kappa,
            "edge_spread": _exact(float((ratio**2).sum()), "sum_ij (pbar_ji / dbar_ij)^2"),
            "eta_A": Known(float(eta_A), how, where),
            "eta_B": _upper(float(eta_B), "2 kappa max ||Jacobian||_2 over all samples"),
            "c_norm": _upper(float(np.linalg.norm(maps.c_y)) * ROOM, "||c^y||"),
            "independent_edges": independent_edges(self.topology),
            "phi_A": _upper(float(top[0]) * ROOM, "max_i ||d_y phi_i||_2 over all samples"),
            "phi_B": _upper(float(top[2]) * ROOM, "max_i ||d_lambda phi_i||_2 over all samples"),
        }
        found |= self._deviations() | self._operators()
        if maps.variant:
            found["omega_entry"] = _exact(1.0, f"Eq. ({maps.variant}): omega is sent as it is")
        return found

    def _deviations(self) -> dict[str, Known]:
        far = [part - part.mean(axis=1, keepdims=True) for part in self.maps.parts]
        each = [np.linalg.norm(part, 2, axis=(-2, -1)).max(axis=1) for part in far]
        source = "largest over clients, samples listed"
        return {
            "dev_A": _upper(float((each[0] + each[1]).max()) * ROOM, source),
            "dev_B": _upper(float((each[2] + each[3]).max()) * ROOM, source),
        }

    def _operators(self) -> dict[str, Known]:
        """Largest ||A||, ||B|| over all rounds and the mean, where they can be listed."""
        try:
            chance, *drawn = self.listed()
        except ValueError:
            return self._operators_from_parts()
        tops = [
            max(np.linalg.norm(each, 2, axis=(1, 2)).max(), np.linalg.norm(mean, 2))
            for each, mean in zip(drawn, (self.A, self.B), strict=True)
        ]
        source = f"largest over all {len(chance)} cases of a round, and the mean"
        return {
            "op_A": _upper(float(tops[0]) * ROOM, source),
            "op_B": _upper(float(tops[1]) * ROOM, source),
        }

    def listed(self) -> tuple[Floats, Floats, Floats]:
        """Chances (K,), A-hat (K, N, N), B-hat (K, H, N) of every case of one round.

        Raises ValueError on more than 2^17 cases.
        """
        rounds = Rounds(self.maps, self.topology, drawn=False)
        own = np.arange(len(self.law.mean))[None, :, None]
        c = (rounds.P > 0) * self.law.debiased
        n = len(own[0])
        c[:, np.arange(n), np.arange(n)] = np.diag(self.law.debiased)
        parts = [part[own, rounds.picks].mean(axis=2) for part in self.maps.parts]
        A, B = matrices_of(parts, np.ascontiguousarray(c))
        return rounds.chance, A, B

    def floors(self, terms: int) -> tuple[float, float]:
        """(sd of B-hat c^y, sd of Bbar sum_{k <= terms - 2} Abar^k A-hat c^y), one round's law.

        sd: root of the trace of the covariance; 0 where all cases give the same bits.
        """
        chance, A, B = self.listed()
        c, inner = self.maps.c_y.ravel(), np.zeros_like(self.A)
        for _ in range(terms - 1):
            inner = np.eye(len(self.A)) + inner @ self.A
        return _spread(B @ c, chance), _spread((A @ c) @ (self.B @ inner).T, chance)

    def last_floor(self) -> float:
        """The second of ``floors`` for terms -> infinity."""
        chance, A, _ = self.listed()
        inner = self.B @ np.linalg.inv(np.eye(len(self.A)) - self.A)
        return _spread((A @ self.maps.c_y.ravel()) @ inner.T, chance)

    def _operators_from_parts(self) -> dict[str, Known]:
        """||A|| <= ||C||_2 max ||phi|| + max ||psi||, C all debiased edges at once.

        A matrix of nonnegative numbers has a larger spectral norm when a number grows.
        """
        mixing = float(np.linalg.norm(self.law.debiased, 2)) * ROOM
        tops = [np.linalg.norm(part, 2, axis=(-2, -1)).max() for part in self.maps.parts]
        source = "||C||_2 max ||phi|| + max ||psi||, C with every edge"
        return {
            name: _upper(float(mixing * tops[at] + tops[at + 1]) * ROOM, source)
            for name, at in (("op_A", 0), ("op_B", 2))
        }


def _spread(values: Floats, chance: Floats) -> float:
    """Root of the trace of the covariance of values (K, N) with these chances; 0 if all alike."""
    if (values == values[0]).all():
        return 0.0
    far = values - chance @ values
    return float(np.sqrt(chance @ (far * far).sum(axis=1)))


def _exact(value: float, source: str) -> Known:
    return Known(value, How.EXACT, source)


def _upper(value: float, source: str) -> Known:
    return Known(value, How.UPPER, source)
