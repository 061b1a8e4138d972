"""A network of which every run has data of its own: splits that are drawn with the run.

The R n copies are stepped together, as those of one data set are: to the network that is inside,
they are R n clients of one run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theorylab.kernels import Stream
from theorylab.problems._base import Problem, Sample
from theorylab.problems._minibatches import BalancedDraw
from theorylab.problems._network import Network
from theorylab.problems._network_data import Local, Part
from theorylab.problems._options import Array

Tensor = Any  # torch.Tensor


class DataOfRuns(Problem):
    """Row r of every point (R, n, d) is about the data ``splits[r]``.

    So it is a problem for calls with R runs, in the order of ``splits``. Minibatches and first
    models are those of the run ids, as of a network with one data set. It has no constants.

    Args:
        make: a network with ``clients`` clients on ``data``, as ``problem(name, ...)``.
        splits: what each run trains on and is tested on, each of n clients.
    """

    def __init__(self, make: Callable[..., Any], splits: Sequence[Local]) -> None:
        self.splits, n = splits, len(splits[0].train.sizes)
        hosts = Local(
            splits[0].source, _joined([s.train for s in splits]), _joined([s.test for s in splits]),
            None,
        )  # fmt: skip
        self.inside: Network = make(clients=len(splits) * n, data=hosts)
        super().__init__(n, self.inside.dim, self.inside.stochastic)
        self.shared, self.blocks = self.inside.shared, self.inside.blocks

    def initial(self, seed: int, runs: Array) -> Array:
        return self.inside.initial(seed, runs)[:, : self.clients]

    def points(self, x: Array) -> Tensor:
        return self.inside.points(x)

    def sample(self, seed: int, runs: Array, round: int, step: int) -> Sample | None:
        batch = self.inside.batch
        if batch is None:
            return None
        stream = Stream(seed, "sample")
        return np.concatenate([
            stream.integers(split.train.sizes, np.array([run]), self.clients, round, step, batch)
            for split, run in self._beside(runs)
        ])  # fmt: skip

    def balanced_sample(self, seed: int, runs: Array, round: int, step: int) -> Sample | None:
        """As of ``Minibatches``: every class that a client holds is equally likely."""
        batch = self.inside.batch
        if batch is None:
            return None
        return np.concatenate([
            BalancedDraw(split.train.labels, split.train.starts, split.train.sizes).rows(
                batch, seed, np.array([run]), round, step
            )
            for split, run in self._beside(runs)
        ])  # fmt: skip

    def local_steps(
        self,
        x: Tensor,
        w: Tensor,
        seed: int,
        runs: Array,
        round: int,
        *,
        steps: int,
        counts: Array | None,
        **step: float,
    ) -> Tensor | None:
        if self.inside.batch is None or not steps:
            return None
        drawn = [_flat(self.sample(seed, runs, round, k)) for k in range(steps)]
        hosts, weights = self._hosts(x), w.reshape(1, -1)
        return self.inside.walked(hosts, weights, drawn, counts=counts, **step).reshape(x.shape)

    def loss(self, x: Tensor) -> Tensor:
        return self.inside.loss(self._hosts(x)).reshape(x.shape[:2])

    def gradient(self, x: Tensor) -> Tensor:
        return self.inside.gradient(self._hosts(x)).reshape(x.shape)

    def accuracy(self, x: Tensor) -> Tensor:
        """Share of its own test samples each client's model gets right, (R, n)."""
        return self.inside.accuracy(self._hosts(x)).reshape(x.shape[:2])

    def stochastic_gradient(self, x: Tensor, sample: Sample | None) -> Tensor:
        return self.inside.stochastic_gradient(self._hosts(x), _flat(sample)).reshape(x.shape)

    def partial_gradient(self, x: Tensor, sample: Sample | None, part: str) -> Tensor:
        made = self.inside.partial_gradient(self._hosts(x), _flat(sample), part)
        return made.reshape(*x.shape[:2], -1)

    def mean_loss(self, xbar: Tensor) -> Tensor:
        return self.loss(self._spread(xbar)).mean(1)

    def mean_gradient(self, xbar: Tensor) -> Tensor:
        return self.gradient(self._spread(xbar)).mean(1)

    def _beside(self, runs: Array) -> list[tuple[Local, int]]:
        if len(runs) != len(self.splits):
            raise ValueError(
                f"{self.inside.name}: {len(runs)} runs came for the data of {len(self.splits)}"
            )
        return list(zip(self.splits, np.asarray(runs).tolist(), strict=True))

    def _spread(self, xbar: Tensor) -> Tensor:
        return xbar[:, None].expand(len(xbar), *self._shape)

    def _hosts(self, x: Tensor) -> Tensor:
        if len(x) != len(self.splits):
            raise ValueError(
                f"{self.inside.name}: x has {len(x)} runs; need {len(self.splits)}, as data came"
            )
        return x.reshape(1, -1, self.dim)


def _joined(parts: Sequence[Part]) -> Part:
    sizes = np.concatenate([part.sizes for part in parts])
    return Part(
        np.concatenate([part.inputs for part in parts]),
        np.concatenate([part.labels for part in parts]),
        sizes,
        np.cumsum(sizes) - sizes,
    )


def _flat(sample: Sample | None) -> Sample | None:
    return None if sample is None else sample.reshape(1, -1, sample.shape[-1])
