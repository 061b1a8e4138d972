"""Clustered FL: one FedAvg a cluster, clusters that fall in two (Sattler, Mueller, Samek 2020)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms._base import Array, Context, State, checked, chosen, namespace
from theorylab.algorithms._local import local_steps
from theorylab.algorithms._server import (
    Centralised,
    contiguous,
    served,
    sizes_of,
    where_working,
)
from theorylab.problems import Problem

LINKAGES = ("single", "complete")
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class ClusteredFL(Centralised, name="clustered-fl"):
    """Sattler et al., "Clustered federated learning: model-agnostic distributed multitask
    optimization under privacy constraints". At first all clients are one cluster. In every round:

    * Each client does K local steps from its cluster's model; D_i is what they changed.
    * For each cluster c with |sum_{i in c} a_i D_i| < eps1 and max_{i in c} |D_i| > eps2 (the
      cluster stands still while clients still pull): c is cut in two so that the largest cosine
      similarity of D_i, D_j across the cut, alpha_cross, is as small as can be.
    * The cut is made if sqrt((1 - alpha_cross) / 2) > gamma.
    * Each cluster's model moves by its average D_i, those of new clusters by their own averages.

    The a_i are FedAvg's weights within the cluster. ``memory["clusters"]`` (R, n) names the cluster
    of each client by its smallest member; x is that cluster's model, which the client deploys. In
    the tables of pdbo_hgp (Section 6), which names no parameter. Readings and options:

    * ``linkage``: "single" finds the smallest alpha_cross exactly, which is what is printed
      (default); "complete" is what the authors' program cuts by, and Marfoq et al. (2021) after it.
    * Their programs also cut no cluster of fewer than 3 (``min_size``; 2, the least that can be
      cut, by default), and the authors' none before round 20 (``first_round``; 0 by default).
    * A cluster is only cut in a round that hears all of it: the similarities are needed. So
      ``fraction`` is 1 by default, and a client that is down postpones its cluster's cut.
    * The similarity to a client that did not move at all (D_i = 0) counts as 0.

    Args:
        eps1, eps2: >= 0, in the units of D_i, which no default can know; .4 and 1.6 are the
            authors' program's for their networks. eps1 = 0: never cut, FedAvg.
        gamma: 0 <= gamma < 1, the bound on how far a client's gradient may be off; 0 cuts whenever
            the similarities differ from 1 (the authors' program does not ask).
        linkage: "single" or "complete", see above.
        min_size: the least clients that a cluster to be cut may have.
        first_round: no cluster is cut before it.
        Otherwise as ``Centralised``.
    """

    fraction: float = 1.0
    eps1: float = 0.4
    eps2: float = 1.6
    gamma: float = 0.0
    linkage: str = "single"
    min_size: int = 2
    first_round: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        checked(
            self.name,
            [
                ("eps1", self.eps1, lambda v: v >= 0, "eps1 >= 0"),
                ("eps2", self.eps2, lambda v: v >= 0, "eps2 >= 0"),
                ("gamma", self.gamma, lambda v: 0 <= v < 1, "0 <= gamma < 1"),
                ("min_size", self.min_size, lambda v: v >= 2 and v == int(v), "at least 2"),
                ("first_round", self.first_round, lambda v: v >= 0 and v == int(v), "at least 0"),
            ],
        )
        chosen(self.name, "linkage", self.linkage, LINKAGES)

    def init(self, x0: Array, problem: Problem | None = None) -> State:
        """Everybody starts from the mean of x0 (R, n, d), in one cluster."""
        first = super().init(x0, problem)
        xp = namespace(x0)
        clusters = xp.zeros(first.x.shape[:2], dtype=xp.int64, device=first.x.device)
        return replace(first, memory={"clusters": clusters})

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        few, share = self.taking_part(state, context)
        heard = (share > 0).astype(float)
        if self.weights == "samples":
            heard = heard * sizes_of(context.problem, self.name)
        half = local_steps(
            state, few, eta=self.rate(state.t), steps=self.local_steps, alpha=self.alpha
        )
        clusters = numbers(state.memory["clusters"]).astype(np.int64)
        if state.t >= self.first_round:
            moved = half - state.x
            clusters = np.stack(
                [self._cut(row, moved[r], heard[r]) for r, row in enumerate(clusters)]
            )
        x = self._averages(state.x, half, clusters, heard)
        xp = namespace(x)
        kept = xp.asarray(clusters, device=x.device)
        return replace(state, t=state.t + 1, x=x, z=x, memory={"clusters": kept})

    def _averages(
        self, x: Array, half: Array, clusters: Labels, heard: NDArray[np.float64]
    ) -> Array:
        """The clusters' new models, (R, n, d)."""
        xp, new = namespace(x), x
        for first in np.unique(clusters):
            members = clusters == first
            mine = heard * members
            total = mine.sum(axis=1, keepdims=True)
            share = np.divide(mine, total, out=np.zeros_like(mine), where=total > 0)
            model = xp.broadcast_to(x[:, int(first) : int(first) + 1], x.shape)
            new = where_working(served(model, half, share, self.server_eta), new, members)
        return contiguous(new)

    def _cut(self, clusters: Labels, moved: Array, heard: NDArray[np.float64]) -> Labels:
        """One run's clusters (n,) after this round's cuts; ``moved`` D (n, d)."""
        xp, new = namespace(moved), clusters.copy()
        size = numbers(xp.sqrt(xp.sum(moved * moved, axis=-1)))
        for first in np.unique(clusters):
            members = np.flatnonzero(clusters == first)
            weight = heard[members]
            if len(members) < self.min_size or not (weight > 0).all():
                continue
            if not size[members].max() > self.eps2:
                continue
            D = moved[members.tolist()]
            share = xp.asarray(weight / weight.sum(), dtype=D.dtype, device=D.device)
            mean = xp.sum(share[:, None] * D, axis=0)
            if not float(xp.sqrt(xp.sum(mean * mean))) < self.eps1:
                continue
            similar = similarity(numbers(D).astype(np.float64))
            second = bipartition(similar, self.linkage)
            across = min(1.0, float(similar[np.ix_(second, ~second)].max()))
            if math.sqrt((1 - across) / 2) > self.gamma:
                new[members[second]] = members[second].min()
        return new


def similarity(D: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosines of the rows of D (m, d), (m, m); 0 with a row of zeros."""
    size = np.sqrt((D * D).sum(axis=1))
    unit = np.divide(D, size[:, None], out=np.zeros_like(D), where=size[:, None] > 0)
    return np.asarray(unit @ unit.T)


def bipartition(similar: NDArray[np.float64], by: str) -> NDArray[np.bool_]:
    """Who leaves the first row's side, (m,), at least one.

    "single" linkage makes the largest similarity across the cut as small as any cut can.
    """
    distance = 1 - (similar + similar.T) / 2
    np.fill_diagonal(distance, 0)
    from scipy.cluster.hierarchy import cut_tree, linkage
    from scipy.spatial.distance import squareform  # slow to import

    sides = cut_tree(linkage(squareform(np.maximum(distance, 0)), by), n_clusters=2)[:, 0]
    return np.asarray(sides != sides[0])


def numbers(a: Any) -> NDArray[Any]:
    """An array of any kind as NumPy."""
    return a if isinstance(a, np.ndarray) else a.detach().cpu().numpy()
