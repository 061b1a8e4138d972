"""What a bilevel problem is: n inner losses f_i(x, lambda_i), n outer losses F_i(x, lambda_i).

    minimise over lambda_1 .. lambda_n   Fbar = (1/n) sum_i F_i(x_i*, lambda_i),

where x* is what the clients reach together on the f_i (pdbo, Eq. 5 to 7).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels import Stream
from theorylab.known import UNIT, Known

Array = Any  # numpy.ndarray or torch.Tensor: one kind throughout
Floats = NDArray[np.float64]
Sample = Any


class Bilevel(ABC):
    """n pairs of losses. R runs, n clients, always in that order.

    x (R, n, dx): each client at its own point. lam (R, n, dlam): each client's hyperparameters.
    u (R, n, k, dx): k vectors a client, taken through a product together. ``sample`` is what
    ``sample(...)`` made, or None for the expectation over it (the full batch).

    Attributes:
        clients, dim, hyper: n, dx, dlam. stochastic: False if every sample is the full batch.
        groups: parts of lambda_i by name, where it has several that are tuned apart.
        part_sizes: of each part of the clients' labelled samples, (n,); empty without any.
        unit: the unit roundoff of the losses' numbers.
        batch: samples a minibatch, with replacement; None: the full batch. rows: of each client's
            own data, of which a minibatch is, (n,) or one number.
        named: what ``bilevel`` was called with, which ``describe`` then returns; or None.
    """

    name: ClassVar[str] = ""
    clients: int
    dim: int
    hyper: int
    stochastic: bool = False
    groups: Mapping[str, slice] = MappingProxyType({})
    part_sizes: Mapping[str, NDArray[np.int64]] = MappingProxyType({})
    unit: float = UNIT
    named: dict[str, Any] | None = None
    batch: int | None = None
    rows: int | NDArray[np.int64] | None = None

    @abstractmethod
    def inner_gradient(self, x: Array, lam: Array, sample: Sample = None) -> Array:
        """grad_x f_i, (R, n, dx)."""

    @abstractmethod
    def inner_hvp(self, x: Array, lam: Array, u: Array, sample: Sample = None) -> Array:
        """H_i u for H_i = grad_x grad_x f_i, (R, n, k, dx)."""

    def curved(self, x: Array, lam: Array, sample: Sample = None) -> Any:
        """Every H_i as the kernels take it (``_curved.Curved``), where they can; or None."""
        return None

    @abstractmethod
    def cross(self, x: Array, lam: Array, u: Array, sample: Sample = None) -> Array:
        """d/dlam_i of <grad_x f_i, u>, (R, n, k, dlam)."""

    @abstractmethod
    def outer(self, x: Array, lam: Array) -> Array:
        """F_i, (R, n): without the 1/n of Fbar."""

    @abstractmethod
    def outer_gradients(self, x: Array, lam: Array) -> tuple[Array, Array]:
        """(grad_x F_i (R, n, dx), grad_lam F_i (R, n, dlam)): without the 1/n of Fbar."""

    def describe(self) -> dict[str, Any]:
        """JSON-able options. ValueError for a problem that ``bilevel`` did not make of named data,
        unless it says them itself."""
        if self.named is None:
            raise ValueError(f"{self.name}.describe: made of arrays; need a name of bilevel")
        return dict(self.named)

    def sample(self, seed: int, runs: NDArray[np.int64], round: int, step: int = 0) -> Sample:
        """One minibatch of every (run, client), a function of (seed, run, client, round, step).

        int64 (R, n, batch), NumPy: rows of the client's own data, with replacement. None: all.
        """
        if self.batch is None or self.rows is None:
            return None
        stream = Stream(seed, "sample")
        return stream.integers(self.rows, runs, self.clients, round, step, self.batch)

    def outcomes(self) -> Iterable[tuple[Floats, Sample]]:
        """What exact moments have to know of the minibatches: pairs (weight (n,), sample).

        For every X_i that is linear in client i's sampled loss, Cov X_i is the sum over the pairs
        of weight[i] (X_i(sample) - E X_i) (X_i(sample) - E X_i)^T, and clients are independent.
        Each sample is of one run. Empty where that is not known.
        """
        return ()

    def constants(self, lam: Array) -> dict[str, Known]:
        """mu and L of the inner losses at ``lam`` (R, n, dlam), each with how it is known.

        mu: every f_i is mu-strongly convex (Assumption 1). L: every grad_x f_i is L-Lipschitz.
        Empty where nothing is known.
        """
        return {}

    def initial(self, seed: int, runs: NDArray[np.int64]) -> Floats:
        """Where the inner problem starts, (R, n, dx) NumPy: 0, or a draw of its own.

        A function of (seed, run), the same for every client.
        """
        return np.zeros((len(runs), self.clients, self.dim))

    def accuracy(self, x: Array, lam: Array, part: str = "test") -> Floats:
        """Share of its own samples of a part each client's model gets right, (R, n) NumPy.

        part: "train", "validation" or "test"; of equal scores the lowest class counts.
        Raises ValueError where there are no samples of this part.
        """
        self.sizes_of(part)
        return self._right(x, lam, part)

    def _right(self, x: Array, lam: Array, part: str) -> Floats:
        """``accuracy``, for a part that is there."""
        raise NotImplementedError

    def sizes_of(self, part: str) -> NDArray[np.int64]:
        """How many samples of a part each client has, (n,): the weights of an average over clients.

        Raises ValueError as ``accuracy``.
        """
        if part not in self.part_sizes:
            have = ", ".join(self.part_sizes) or "none, this problem has no labelled samples"
            raise ValueError(f"{self.name}: part is {part!r}; there is {have}")
        return self.part_sizes[part].copy()

    def points(self, x: Floats) -> Array:
        """NumPy numbers as this problem's kind: the array itself, or a tensor on its device."""
        return x

    def numbers(self, x: Array) -> Floats:
        """The other way: float64 NumPy."""
        return np.asarray(x, np.float64)


def per_client(where: str, value: Any, clients: int, tail: int) -> Floats:
    """``value`` as (n, tail) float64; a NaN, or another shape, is one ValueError."""
    made = np.array(value, dtype=np.float64)
    if made.shape != (clients, tail):
        raise ValueError(f"{where} has shape {made.shape}; need ({clients},{tail})")
    if not np.isfinite(made).all():
        raise ValueError(f"{where} holds nan or inf; need finite numbers")
    return made
