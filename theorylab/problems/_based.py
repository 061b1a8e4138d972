"""A problem that has the losses of another one, its ``base``, and adds something to them."""

from __future__ import annotations

from theorylab.problems._asked import OF_LOSSES, answers_of_base
from theorylab.problems._base import Problem
from theorylab.problems._options import Array


class Based(Problem):
    """What is asked about the losses, the base answers; a subclass says what it has of its own."""

    base: Problem

    def loss(self, x: Array) -> Array:
        return self.base.loss(x)

    def gradient(self, x: Array) -> Array:
        return self.base.gradient(x)

    def mean_loss(self, xbar: Array) -> Array:
        return self.base.mean_loss(xbar)

    def mean_gradient(self, xbar: Array) -> Array:
        return self.base.mean_gradient(xbar)

    def measured_heterogeneity(self, xbar: Array) -> Array:
        return self.base.measured_heterogeneity(xbar)

    def initial(self, seed: int, runs: Array) -> Array:
        return self.base.initial(seed, runs)

    def accuracy(self, x: Array) -> Array | None:
        return self.base.accuracy(x)


answers_of_base(Based, {*OF_LOSSES} - {"block_constants"})
