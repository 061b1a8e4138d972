"""Minibatches of the clients' own rows, drawn with replacement: alike, or each class alike."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from theorylab.kernels import Stream
from theorylab.problems._base import Sample
from theorylab.problems._dataset import Dataset
from theorylab.problems._options import Array


class Minibatches:
    """``sample`` and ``balanced_sample`` of a problem whose clients hold labelled rows.

    Attributes:
        clients: n. labels: (m,), sorted by client. starts, sizes: (n,), whose rows are whose.
        batch: rows of a minibatch; None: full gradients, which draw nothing.
    """

    clients: int
    labels: Array
    starts: Array
    sizes: Array
    batch: int | None
    _described: Any

    def _hold(self, data: Dataset, clients: int) -> Array:
        """Take labels and owners, sorted by client; the order of the rows."""
        order = np.argsort(data.owners, kind="stable")
        self.labels, self._described = data.labels[order], data.described
        self.sizes = np.bincount(data.owners, minlength=clients)
        self.starts = np.cumsum(self.sizes) - self.sizes
        return order

    def _with_data(self, options: dict[str, Any]) -> dict[str, Any]:
        """Options and those of the data, arrays as lists; now: a large array takes four times its
        size as a list."""
        lists = {k: v.tolist() for k, v in self._described.items() if isinstance(v, np.ndarray)}
        return {**options, **self._described, **lists}

    def _check_rows(self, runs: int, sample: Sample | None) -> str:
        """What a sample should be, where it is another one; else ""."""
        shape = (runs, self.clients, self.batch)
        if (None if sample is None else sample.shape) == (self.batch and shape):
            return ""
        return f"row numbers of shape {shape}" if self.batch else "None (batch is None)"

    def sample(self, seed: int, runs: Array, round: int, step: int) -> Sample | None:
        """int64 (R, n, batch): row numbers within the client's own data, with replacement."""
        if self.batch is None:
            return None
        made: Array = Stream(seed, "sample").integers(
            self.sizes, runs, self.clients, round, step, self.batch
        )
        return made

    def balanced_sample(self, seed: int, runs: Array, round: int, step: int) -> Sample | None:
        """As ``sample``, but every class that a client holds is equally likely."""
        if self.batch is None:
            return None
        return self._balanced.rows(self.batch, seed, runs, round, step)

    @functools.cached_property
    def _balanced(self) -> BalancedDraw:
        return BalancedDraw(self.labels, self.starts, self.sizes)


class BalancedDraw:
    """Row numbers within each client's own rows: first a class, then a sample of it.

    Args:
        labels: (m,), sorted by client. starts, sizes: (n,), whose rows are whose.
    """

    def __init__(self, labels: Array, starts: Array, sizes: Array) -> None:
        owner = np.repeat(np.arange(len(sizes)), sizes)
        order = np.lexsort((labels, owner))
        self._row = order - starts[owner]  # of a client's rows, sorted by class
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.diff(labels[order]) != 0) | (np.diff(owner) != 0)
        first = np.flatnonzero(new)  # of every (client, class) that has samples
        self._first, self._count = first, np.diff([*first, len(order)])
        self._held = np.bincount(owner[first], minlength=len(sizes))  # classes of a client
        self._from = np.cumsum(self._held) - self._held

    def rows(self, batch: int, seed: int, runs: Array, round: int, step: int) -> Array:
        """int64 (R, n, batch), with replacement; a function of (seed, run, client, round, step)."""
        n = len(self._held)
        u = Stream(seed, "sample").uniform(runs, n, round, step, 2 * batch)
        which = np.floor(u[..., :batch] * self._held[:, None]).astype(np.int64)
        cell = self._from[:, None] + which
        place = np.floor(u[..., batch:] * self._count[cell]).astype(np.int64)
        return np.asarray(self._row[self._first[cell] + place])
