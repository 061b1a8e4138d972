"""How far HGP and VR-HGP are from the true hypergradient (pdbo, Theorems 1, 8 and 10)."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from theorylab.experiments._base import Observation, Row, check_column, relative_error
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.experiments.pdbo._base import Floats, exacts, norm, norms, solved, uppers
from theorylab.experiments.pdbo._place import Place
from theorylab.experiments.pdbo._plain_place import of_network, worth_of
from theorylab.experiments.pdbo._rounds import Listed, Networked, bounded, trace
from theorylab.experiments.pdbo._terms import neumann, power
from theorylab.known import Known

LAWS = ("exact", "sample")
MAPS = ("bounded", "aligned", "sgp")
_FROM_LAW = ("bias_law", "bias_of_sum", "floor_B", "floor_A")  # of the exact law
ROOM = 1 + 1e-10  # LAPACK's singular values of such small matrices are right to 1e-14 or so
_ERRORS = {
    "bias_law": "np.linalg.norm(v - truth)",
    "bias_of_sum": "np.linalg.norm(v - series)",
    "error": "np.linalg.norm(v - truth)  # both without c^lambda",
    "bare_error": "np.linalg.norm(v - (truth + c_lam))  # v has no c^lambda",
}
_JOINED = """def joined(worth, phi, psi, rows):  # A-hat, or of the Jacobians in lambda B-hat
    sent = np.einsum('ij,iab->iajb', worth, phi)
    return (sent + np.einsum('ij,iab->iajb', np.eye(n), psi)).reshape(rows, n * d)"""
_MEANS = "A, B = joined(mean.T, phi_y, psi_y, n * d), joined(mean.T, phi_lam, psi_lam, n * h)"
_TRUTH = "truth = B @ np.linalg.solve(np.eye(n * d) - A, c)"
_SERIES = "series = B @ sum(np.linalg.matrix_power(A, k) @ c for k in range(M))"
_LISTED = """
v_of = [joined({worth}, phi_lam, psi_lam, n * h) @ c for _, P, there in rounds]
measured = max({error} for v in v_of)  # each is likelier than what is left out
"""
_LOOP = """
v, u = np.zeros(n * h), c
for _ in range(M):  # rounds are independent, so that means follow mean matrices
    v, u = v + B @ u, A @ u
"""
_WEIGHED = """
v, u, w = np.zeros(n * h), c, c
for _ in range(M):  # rounds are independent, so that means follow mean matrices
    v, u, mixed = alpha * (v + B @ u) + (1 - alpha) * B @ w, A @ u, A @ w
    w = beta * (mixed + c) + (1 - beta) * (w + u)
"""


@dataclass(kw_only=True, eq=False)
class HgpError(Networked, name="hgp-error"):
    """Errors at several M, by listing every edge pattern and every minibatch, or by drawn runs.

    Columns, each at every M of ``terms``:
        error        ||v^(M) + c^lambda - d_lambda Fbar||, all clients' blocks together
        block_error  the same of one client's block; one row a client
        bare_error   ||v^(M) - d_lambda Fbar|| with v^(0) = 0, as Theorem 10 prints it
        bias_law     ||E v^(M) + c^lambda - d_lambda Fbar||, from the law's mean; exact law only
        bias_of_sum  ||E v^(M) - Bbar sum_{i < M} Abar^i c^y||; exact law only
        truncation   ||Bbar sum_{i >= M} Abar^i c^y||, from the matrices
        noise        ||v^(M) - Bbar sum_{i < M} Abar^i c^y||
        floor_B      sd of B-hat c^y over the root mean square error at M; exact law only
        floor_A      sd of Bbar sum_{k <= M-2} Abar^k A-hat c^y over the same; exact law only

    Args:
        law: "exact" or "sample". eps_chance: of failure, in (0, 1).
        clients: n. network: static, or drawn anew in every round.
        maps: "bounded" (any matrices that obey Assumption 8), "aligned" (the extreme ones: all
            the same positive rank-one matrix), "sgp" (SGP's own on a quadratic problem).
        eta_A, eta_B: of "bounded" and "aligned". dim, hyper: d_y (on z for "sgp"), d_lambda.
        samples, batch: samples a client, and a minibatch. outer: scale of c^lambda.
        sgp: {"step", "variant"}; problem: options of ``QuadraticBilevel.random``.
    """

    columns = ("error", "block_error", "bare_error", "truncation", "noise", *_FROM_LAW)

    law: str = "exact"
    eps_chance: float = 0.1
    maps: str = "bounded"
    eta_A: float = 0.8
    eta_B: float = 1.0
    dim: int = 2
    hyper: int = 2
    samples: int = 1
    batch: int = 1
    outer: float = 1.0
    sgp: Mapping[str, Any] = field(default_factory=lambda: {"step": 0.3, "variant": "4b"})
    problem: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for option, among in (("law", LAWS), ("maps", MAPS)):
            self.need(getattr(self, option) in among, option, f"one of {', '.join(among)}")
        self.need(0 < self.eps_chance < 1, "eps_chance", "0 < eps_chance < 1")
        etas = (self.eta_A, self.eta_B)
        self.need(all(0 < eta < math.inf for eta in etas), "eta_A eta_B", "> 0")
        for count in ("dim", "hyper", "samples", "batch"):
            value = getattr(self, count)
            self.need(isinstance(value, int) and value >= 1, count, "an integer >= 1")
        if self.maps == "sgp":
            sizes = {"clients": self.clients, "dim": self.dim, "hyper": self.hyper}
            problem = {**sizes, "seed": self.seed, **self.problem}
            self.local = Place(problem, self.network, **self.sgp, lam=1.0).maps
        else:
            shape = (self.clients, self.dim, self.hyper, self.samples, self.batch)
            aligned, kappa = self.maps == "aligned", self.kappa.value
            self.local = bounded(
                *shape, etas, kappa, outer=self.outer, aligned=aligned, seed=self.seed
            )
        self.A, self.B = self.local.matrices(self.edges.mean.T)

    def plain(self, spot: Spot) -> Plain:
        return of_error(self, spot)

    def _seen(self, q: Floats) -> Floats:
        """Bbar q, (n, dlam)."""
        return np.asarray((self.B @ q).reshape(self.local.c_lam.shape))

    def _whole(self) -> Floats:
        """(I - Abar)^{-1} c^y, flat."""
        return solved(self.A, self.local.c_y.ravel())

    @property
    def truth(self) -> Floats:
        """d_lambda Fbar - c^lambda = Bbar (I - Abar)^{-1} c^y, (n, dlam)."""
        return self._seen(self._whole())

    def truncated(self, terms: int) -> Floats:
        """Bbar sum_{i < terms} Abar^i c^y, (n, dlam)."""
        return self._seen(neumann(self.A, terms - 1, self.local.c_y.ravel()))

    def tail(self, terms: int) -> Floats:
        """Bbar sum_{i >= terms} Abar^i c^y, (n, dlam), from the matrices' powers."""
        return self._seen(power(self.A, terms, self._whole()))

    def constants(self) -> dict[str, Known]:
        """Those that do not differ from row to row; where kappa is infinite few have a meaning."""
        local, k = self.local, self.kappa.value
        # An outcome passes through some tens of operations a round, and a mean adds up to 2^17.
        operations = exacts("operations that a number passes through", summands=2.0**19)
        known = super().constants() | operations | exacts("chosen", eps_chance=self.eps_chance)
        if local.variant:
            known |= exacts(f"Eq. ({local.variant}): omega is sent as it is", omega_entry=1.0)
        if not math.isfinite(k):
            return known
        phi_A, psi_A, phi_B, psi_B = local.tops()
        if local.variant:
            text = "sup over omega > 0 of step ||H|| / omega is infinite, H positive definite"
            known |= exacts(text, eta_A=math.inf)
        else:
            text = "2 kappa max ||Jacobian||_2 over all samples; the maps are affine"
            known |= uppers(text, eta_A=2 * k * ROOM * max(phi_A, psi_A))
        sizes = {"d_y": local.c_y.shape[1], "d_lambda": local.c_lam.shape[1]}
        known |= exacts("of the instance", batch=local.batch, **sizes)
        text, size = "largest over clients and samples", float(np.linalg.norm(local.c_y))
        known |= uppers(text, eta_B=2 * k * ROOM * max(phi_B, psi_B), c_norm=size * ROOM)
        known |= _pair("phi", (phi_A, phi_B), text)
        known |= self._deviations() | self.operators()
        if self.law == "exact":
            with contextlib.suppress(ValueError):  # too many cases: what needs the law says so
                floor_B, floor_A = self.floors()
                known |= exacts("law of a round", floor_B=floor_B, floor_A=floor_A)
        return known

    def _deviations(self) -> dict[str, Known]:
        away = (part - part.mean(axis=1, keepdims=True) for part in self.local.parts)
        phi_A, psi_A, phi_B, psi_B = (norms(part).max(axis=1) for part in away)
        tops = (float((phi_A + psi_A).max()), float((phi_B + psi_B).max()))
        return _pair("dev", tops, "largest over clients, samples listed")

    def operators(self) -> dict[str, Known]:
        """Largest ||A||, ||B|| over all rounds and the mean, where they can be listed."""
        try:
            chance, A, B = self.listed
        except ValueError:
            return self.operators_from_parts()
        tops = (max(norms(A).max(), norm(self.A)), max(norms(B).max(), norm(self.B)))
        return _pair("op", tops, f"largest over all {len(chance)} cases of a round, and the mean")

    def operators_from_parts(self) -> dict[str, Known]:
        """||A|| <= ||C||_2 max ||phi|| + max ||psi||, C all debiased edges at once.

        A matrix of nonnegative numbers has a larger spectral norm when a number grows.
        """
        mixing = norm(self.edges.debiased) * ROOM
        phi_A, psi_A, phi_B, psi_B = self.local.tops()
        tops = (mixing * phi_A + psi_A, mixing * phi_B + psi_B)
        return _pair("op", tops, "||C||_2 max ||phi|| + max ||psi||, C with every edge")

    @functools.cached_property
    def listed(self) -> tuple[Floats, Floats, Floats]:
        """Chances (K,), A-hat (K, N, N), B-hat (K, H, N) of every case of one round.

        Raises ValueError on more than 2^17 cases.
        """
        listed = Listed(self.local, self.topology)
        return listed.chance, *listed.hats(self.edges)

    def floors(self, terms: int | None = None) -> tuple[float, float]:
        """(sd of B-hat c^y, sd of Bbar sum_{k <= terms - 2} Abar^k A-hat c^y), one round's law.

        sd: root of the trace of the covariance; 0 where all cases give the same bits. terms: None
        for its limit.
        """
        chance, A, B = self.listed
        eye, c = np.eye(len(self.A)), self.local.c_y.ravel()
        inner = np.linalg.inv(eye - self.A) if terms is None else neumann(self.A, terms - 2)
        return _spread(B @ c, chance), _spread((A @ c) @ (self.B @ inner).T, chance)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        rows = [row for terms in self.terms for row in self._rows(column, terms, runs, seed)]
        exact = self.law == "exact" or column in ("truncation", *_FROM_LAW)
        return Observation(tuple(rows), exact, "terms")

    def _rows(self, column: str, terms: int, runs: range, seed: int) -> Iterator[Row]:
        at, label = {"terms": float(terms)}, f"M={terms}"
        if column == "truncation":
            size = np.linalg.norm(self.tail(terms))
            # Products of few small matrices: a small multiple of terms u, relative to the tail
            room = 1e-14 * (terms + 100) * float(size)
            yield Row(np.array([size]), at, label, rounding=room)
            return
        truth, c_lam = self.truth, self.local.c_lam
        # a few thousand roundings of numbers of that size, generously
        room = 1e-12 * float(np.abs(truth).max() + np.abs(c_lam).max())
        listed = self.law == "exact" or column in _FROM_LAW
        v, weights = self.estimates(self.local, terms, None if listed else runs, seed)
        series = self.truncated(terms)
        target = {
            "bare_error": truth + 2 * c_lam,  # v alone lacks c^lambda, the truth has it
            **dict.fromkeys(("noise", "bias_of_sum"), series + c_lam),
        }.get(column, truth + c_lam)
        if weights is not None and column in ("bias_law", "bias_of_sum"):
            mean = np.einsum("r,rij->ij", weights, v)
            # v is to be the series, and v + c^lambda the hypergradient
            rest = 0.0 if column == "bias_law" else c_lam
            gap = np.linalg.norm(mean - target)
            share = relative_error(gap, *(np.linalg.norm(x - rest) for x in (mean, target)))
            yield Row(np.array([gap]), at, label, rounding=room, relative_error=share)
        elif weights is not None and column in ("floor_B", "floor_A"):
            squares = ((v - target) ** 2).sum(axis=(1, 2))
            floor = self.floors(terms)[column == "floor_A"]
            share = floor / float(np.sqrt(weights @ squares)) if floor else 0.0
            yield Row(np.array([share]), at, label, rounding=1e-9 * share)
        elif column == "block_error":
            for i, block in enumerate(np.moveaxis(v - target, 1, 0)):
                values = np.linalg.norm(block, axis=1)
                yield Row(values, at, f"{label}, i={i}", weights, room)
        else:
            yield Row(np.linalg.norm(v - target, axis=(1, 2)), at, label, weights, room)


def _pair(name: str, tops: tuple[float, float], source: str) -> dict[str, Known]:
    return uppers(
        source, **{f"{name}_{of}": top * ROOM for of, top in zip("AB", tops, strict=True)}
    )


def _spread(values: Floats, chance: Floats) -> float:
    """Root of the trace of the covariance of values (K, N) with these chances; 0 if all alike."""
    if (values == values[0]).all():
        return 0.0
    return math.sqrt(trace(values, chance))


def of_error(found: HgpError, spot: Spot) -> Plain:
    """Errors of means, or of the only outcome: what follows from the mean matrices."""
    local, column = found.local, spot.column
    weighed = (found.alpha, found.beta) != (1.0, 0.0)
    whole = local.phi_y.shape[1] == 1
    one = whole and found.topology.period == 1
    listed = whole and not one and _is_largest(found, spot)
    if column not in _ERRORS or not (one or listed or column.startswith("bias")):
        what = f"the law of the column {column}"
        raise UnwrittenError(f"{what} has no script where rounds are drawn")
    (n, d), h = local.c_y.shape, local.c_lam.shape[1]
    phi_y, psi_y, phi_lam, psi_lam = (part.mean(axis=1) for part in local.parts)
    numbers: dict[str, Any] = {"n": n, "d": d, "h": h, "M": spot.at("M")}
    numbers |= {"alpha": found.alpha, "beta": found.beta} if weighed else {}
    numbers |= {
        "phi_y, psi_y": np.stack([phi_y, psi_y]),
        "phi_lam, psi_lam": np.stack([phi_lam, psi_lam]),
        "c": local.c_y.ravel(), "c_lam": local.c_lam.ravel(),
    }  # fmt: skip
    plain = Plain().of("", _JOINED, _MEANS, _TRUTH, _SERIES, **numbers)
    if listed:
        worth = worth_of("debiased", found.topology)
        error = _ERRORS[column].partition("  #")[0]
        return of_network(found.topology) | plain.of(_LISTED.format(worth=worth, error=error))
    text = (_WEIGHED if weighed else _LOOP) + f"measured = {_ERRORS[column]}"
    told = {"mean": "E P"}
    return Plain(told=told).of("", mean=found.edges.mean) | plain.of(text)


def _is_largest(found: HgpError, spot: Spot) -> bool:
    """Whether the quantile of HGP after one round is the largest of all patterns of edges: even
    the least likely one is likelier than what the claim leaves out."""
    once = spot.at("M") == 1 and (found.alpha, found.beta) == (1.0, 0.0)
    listed = spot.quantity.chance is not None and once and found.law == "exact"
    of_one = listed and spot.column in ("error", "bare_error")
    return of_one and float(found.listed[0].min()) > found.eps_chance
