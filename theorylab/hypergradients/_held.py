"""Clients' labelled samples as one padded array, and the share of them that a model gets right."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from theorylab.hypergradients._bilevel import Floats


class Held(NamedTuple):
    """features (n, M, p), 0 past a client's last row; labels (n, M), -1 past it; sizes (n,)."""

    features: Floats
    labels: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def inside(self) -> NDArray[np.bool_]:
        """(n, M): the rows that are samples."""
        return self.labels >= 0

    def shares(self) -> Floats:
        """(n, M): 1 / m_i at each sample, 0 past the last. Needs m_i > 0."""
        return np.asarray(self.inside() / self.sizes[:, None])

    def one_hot(self, classes: int) -> Floats:
        """(n, M, C), 0 past a client's last row."""
        return np.equal(self.labels[..., None], np.arange(classes)).astype(np.float64)

    def right(self, scores: Floats) -> Floats:
        """Share of each client's samples whose highest score is its label's. Needs m_i > 0.

        scores (R, n, M, C) -> (R, n). Of equal scores the lowest class counts.
        """
        count = np.equal(scores.argmax(axis=-1), self.labels).sum(axis=-1)  # no class is -1
        return np.asarray(count / self.sizes)


def held(features: Floats, labels: NDArray[np.int64], sizes: NDArray[np.int64]) -> Held:
    """From rows sorted by client: features (m, p), labels (m,), sizes (n,)."""
    inside = np.arange(sizes.max()) < sizes[:, None]
    starts = np.cumsum(sizes) - sizes
    rows = np.where(inside, starts[:, None] + np.arange(inside.shape[1]), 0)
    return Held(features[rows] * inside[..., None], np.where(inside, labels[rows], -1), sizes)
