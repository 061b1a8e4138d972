"""HGP, VR-HGP and the exact recurrent backpropagation, as equations and as printed algorithms.

All are one recursion, for m = 0 .. M - 1,

    v <- alpha (v + B u) + (1 - alpha) B w
    u <- A u
    w <- beta (A w + c) + (1 - beta) (w + u)          (with the new u)

with A, B drawn anew and c = c^y. ``Reading`` holds what the paper's places disagree on, and
``READINGS`` one for each equation and algorithm. Which reach the true hypergradient as M grows:

    eq10, eq11, eq12, eq13, appendix-b, alg3, alg4          yes (alg3, alg4: one term later)
    alg3-received on directed edges                          no: it loses P's share 1 - dbar_ji
    eq9 (its index read literally), static edges aside       no in the mean: E A^m is not (E A)^m
    alg5 (line 22's u_j)                                     no, for every beta > 0, alpha < 1
    alg5 with w_j there, alpha < 1                           yes; alpha = 1 adds c^lambda twice
    undivided (delta instead of its mean under pbar)         no: (E A)_ij is off by dbar_ji

With c_ij = delta_{j->i} g_ij (Eq. 12's g is pbar / dbar) the covariance of the coefficients is that
of the edges: c_ij and c_kl are dependent only where they are the same edge, the two ways of an
undirected one, or (random-out, random-in, random-symmetric) edges that one client drew together. So
``CoefficientLaw`` stores it sparse, and 100 clients take as little memory as their edges do.
Coefficients that are no such product (Eq. 11's realised weights) are averaged over all edge
patterns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from theorylab.hypergradients._bilevel import Floats
from theorylab.hypergradients.edge_law import (
    EdgeLaw,
    arrived,
    edge_covariance,
    edge_law,
    is_redrawn,
    patterns,
    weigh,
)
from theorylab.topologies import Topology


@dataclass(frozen=True)
class Reading:
    """One reading of the paper. Lines are those of the paper's text file.

    weights: what i makes of j's message, the c_ij of the module ``linear``:
        debiased    delta_{j->i} pbar_ij / dbar_{j->i}          Eq. (12)
        undivided   delta_{j->i} pbar_ij                        Alg. 4, 5: delta without its bar
        realised    p_ij(delta_i)                               Eq. (10), (11)
        received    p_ij(delta_i) delta_{j->i}                  Alg. 3: what really arrives
        mean        pbar_ij                                     no randomness of edges
    rounds: "alternate" draws A in round 2m + 1 and B in 2m; "together" both in round m (6.1).
    v0: "zero" or "c". add: c^lambda is added at the end. w0: "c" or "zero".
    message: "w", or "u" in place of w_j in w's sum over messages (Alg. 5, line 22).
    last: v^(M); False: v^(M-1), which "return v^(m)" gives after the loop.
    power: u^(m) is (A^(2m+1))^m c, Eq. (9)'s index read literally.
    """

    weights: str = "debiased"
    rounds: str = "alternate"
    v0: str = "zero"
    add: bool = True
    w0: str = "c"
    message: str = "w"
    last: bool = True
    power: bool = False

    def __post_init__(self) -> None:
        for name, among in CHOICES.items():
            if getattr(self, name) not in among:
                raise ValueError(
                    f"reading: {name} is {getattr(self, name)!r}; need one of {', '.join(among)}"
                )


CHOICES = {
    "weights": ("debiased", "undivided", "realised", "received", "mean"),
    "rounds": ("alternate", "together"),
    "v0": ("zero", "c"),
    "w0": ("c", "zero"),
    "message": ("w", "u"),
}
READINGS = {
    "eq9": Reading(weights="realised", v0="c", add=False, power=True),
    "eq10": Reading(weights="realised", v0="c", add=False),
    "eq11": Reading(weights="realised", v0="c", add=False),
    "eq12": Reading(v0="c", add=False),
    "eq13": Reading(),
    "appendix-b": Reading(),
    "alg3": Reading(weights="realised", v0="c", add=False, last=False),
    "alg3-received": Reading(weights="received", v0="c", add=False, last=False),
    "alg4": Reading(v0="c", add=False, last=False),
    "alg5": Reading(v0="c", message="u", last=False),
}
FIXED = {  # alpha and beta where a place leaves no choice
    **dict.fromkeys(("eq9", "eq10", "eq11", "eq12", "alg3", "alg3-received", "alg4"), (1.0, 0.0)),
    "eq13": (0.0, 1.0),
}


def coefficients(weights: str, law: EdgeLaw, P: Floats) -> Floats:
    """c (R, n, n) of one round with mixing P (R, n, n); see ``Reading.weights``."""
    sent = np.swapaxes(P, -1, -2)
    if weights == "realised":
        return np.ascontiguousarray(sent)
    if weights == "received":
        return np.ascontiguousarray(sent * arrived(P))
    mean = np.swapaxes(law.mean, -1, -2)
    if weights == "mean":
        return np.ascontiguousarray(np.broadcast_to(mean, P.shape))
    return np.ascontiguousarray(arrived(P) * (law.debiased if weights == "debiased" else mean))


def resolved(
    reading: str | Reading, alpha: float | None, beta: float | None
) -> tuple[Reading, float, float]:
    """The reading, alpha and beta that these arguments of ``hgp`` mean; ValueError if none."""
    if isinstance(reading, str):
        if reading not in READINGS:
            raise ValueError(f"hgp: reading is {reading!r}; need one of {', '.join(READINGS)}")
        if reading in FIXED:
            for name, given, own in zip(
                ("alpha", "beta"), (alpha, beta), FIXED[reading], strict=True
            ):
                if given is not None and given != own:
                    raise ValueError(f"hgp: {name} is {given!r}, but {reading} has {own!r}")
            alpha, beta = FIXED[reading]
        rule = READINGS[reading]
    else:
        rule = reading
    alpha, beta = 0.9 if alpha is None else alpha, 0.1 if beta is None else beta
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not 0 <= value <= 1:
            raise ValueError(f"hgp: {name} is {value!r}; need 0..1")
    if rule.power and (alpha < 1 or rule.rounds != "alternate"):
        raise ValueError(
            f"hgp: Eq. (9)'s power came with alpha {alpha!r} and rounds {rule.rounds!r}; need 1 "
            "and 'alternate'"
        )
    return rule, float(alpha), float(beta)


LARGEST = 24  # clients up to which ``covariance`` writes out its n^4 numbers


@dataclass(frozen=True)
class CoefficientLaw:
    """mean (n, n); pairs CSR (n^2, n^2): row i n + k, column j n + l is Cov(c_ij, c_kl)."""

    mean: Floats
    pairs: csr_array

    @property
    def covariance(self) -> Floats:
        """(n, n, n, n): [i, j, k, l] of c_ij and c_kl. ValueError above 24 clients."""
        n = len(self.mean)
        if n > LARGEST:
            raise ValueError(
                f"coefficient_law: clients is {n}; need at most {LARGEST} to write out n^4 numbers"
            )
        return np.ascontiguousarray(self.pairs.toarray().reshape(n, n, n, n).transpose(0, 2, 1, 3))

    def kicked(self, second: Floats) -> Floats:
        """(n, n, a, b): [i, k] is sum_jl Cov(c_ij, c_kl) second[j, :, l, :], of (n, a, n, b)."""
        n, a, _, b = second.shape
        blocks = second.transpose(0, 2, 1, 3).reshape(n * n, a * b)
        return np.asarray((self.pairs @ blocks).reshape(n, n, a, b))


def coefficient_law(
    topology: Topology, weights: str = "debiased", law: EdgeLaw | None = None
) -> CoefficientLaw:
    """Of a static network, or of one whose edges are drawn anew (``is_redrawn``).

    Args:
        weights: as in ``Reading.weights``.
        law: what HGP believes, (n, n); the exact one if None. Edges always follow the topology.

    Raises:
        ValueError: on too many patterns (weights other than "debiased" and "undivided" are listed
            pattern by pattern), or another topology.
    """
    n = topology.clients
    true = edge_law(topology)
    law = true if law is None else law
    if weights in ("debiased", "undivided"):
        worth = law.debiased if weights == "debiased" else np.swapaxes(law.mean, -1, -2)
        if not is_redrawn(topology):
            return CoefficientLaw(worth * true.frequency, csr_array((n * n, n * n)))
        edges = edge_covariance(topology).tocoo()
        (i, other_i), (j, other_j) = np.divmod(edges.row, n), np.divmod(edges.col, n)
        value = edges.data * worth[i, j] * worth[other_i, other_j]
        kept = value != 0
        pairs = csr_array((value[kept], (edges.row[kept], edges.col[kept])), shape=edges.shape)
        return CoefficientLaw(worth * true.frequency, pairs)
    return listed_law(topology, weights, law)


def listed_law(topology: Topology, weights: str, law: EdgeLaw) -> CoefficientLaw:
    """The same, pattern by pattern of the edges: no closed form of a network is used."""
    n, (chance, drawn) = topology.clients, patterns(topology)
    c = coefficients(weights, law, weigh(topology, drawn))
    mean = np.einsum("p,pij->ij", chance, c)
    flat = (c - mean).reshape(len(c), n * n)
    table = (flat.T * chance) @ flat  # [ij, kl]
    table = table.reshape(n, n, n, n).transpose(0, 2, 1, 3).reshape(n * n, n * n)
    return CoefficientLaw(mean, csr_array(table))
