"""What a problem is: n client losses, their (stochastic) gradients, and their constants.

The client losses are ``f_i``, their average is ``f = (1/n) sum_i f_i``, and ``F_i(.; xi)`` is the
random loss that client ``i`` differentiates, with ``E F_i = f_i``.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from theorylab.known import Known
from theorylab.problems._altered import as_written
from theorylab.problems._asked import Asked
from theorylab.problems._options import Array, Moves, Tables
from theorylab.problems._outcomes import Draw
from theorylab.registry import Named, Table, table

Sample = Array  # additive noise (R, n, d), or minibatch indices (R, n, b)


class Problem(Asked, Named, ABC, kind="problem"):
    """n losses on R^d. Points have shape (R, n, d): R runs, each client at its own point.

    Outputs have the dtype of ``x`` (float32 or float64); inputs are never modified. A point that
    is nan or inf gives a nan or inf result: a run that diverges shows it.

    Attributes:
        name: the name it is registered under.
        clients, dim: n and d.
        stochastic: False when every stochastic gradient is the gradient itself.
        shared: d_u; a point is (u, v), and the first d_u coordinates are the part that
            personalised methods share. d where there is no personal part.
        blocks: the ends of the layers of a point, for methods that prune layer by layer.
        affine_gradient: every gradient is an affine function of the point, everywhere; a class
            whose gradient is overridden by a user's has to say so anew.
        moves: which options a search may change, and how.
        shared_draws: samples are meant to be the same in every run.

    Raises (every method that takes a point):
        TypeError: when it is no float32 or float64 NumPy array.
        ValueError: when its shape is not (R, n, d), or (R, d) for a common point.

    >>> losses = problem("quadratic", 2, dim=3)
    >>> losses.gradient(np.zeros((5, 2, 3))).shape  # 5 runs, 2 clients
    (5, 2, 3)
    """

    affine_gradient: ClassVar[bool] = False
    shared_draws: ClassVar[bool] = False
    moves: ClassVar[Moves] = Moves()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        as_written(cls, Problem)

    _came: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        made = super().__new__(cls)
        made._came = arguments, options
        return made

    def __init__(self, clients: int, dim: int, stochastic: bool = False, *tables: Array) -> None:
        """``tables``: the float64 arrays that the loss reads; float32 ones are made where asked."""
        if stochastic and type(self).stochastic_gradient is Problem.stochastic_gradient:
            raise TypeError(
                f"{self.name}: stochastic is True, but the class has no stochastic_gradient; need "
                "sample and stochastic_gradient"
            )
        self.clients, self.dim, self.stochastic = clients, dim, stochastic
        self.shared = dim
        self.blocks: tuple[int, ...] = (dim,)
        self._shape = (clients, dim)
        self._tables = Tables({np.dtype(np.float64): tables})

    @abstractmethod
    def loss(self, x: Array) -> Array:
        """``f_i(x[r, i])`` for x (R, n, d): shape (R, n)."""

    @abstractmethod
    def gradient(self, x: Array) -> Array:
        """The gradient of ``f_i`` at ``x[r, i]``: shape (R, n, d)."""

    def sample(self, seed: int, runs: Array, round: int, step: int) -> Sample | None:
        """The randomness of one stochastic gradient of every (run, client).

        A function of (seed, run id, client, round, step) alone. None if not stochastic.
        """
        return None

    def stochastic_gradient(self, x: Array, sample: Sample | None) -> Array:
        """The gradient of ``F_i(.; sample[r, i])`` at ``x[r, i]``: shape (R, n, d).

        The same sample may be used at several points. Raises ValueError if the sample is not one
        of this problem and these runs (None is the sample of a problem that is not stochastic).
        """
        if sample is not None:
            raise self._bad_sample(sample, "None (no noise)")
        return self.gradient(x)

    def finite_noise(self) -> tuple[Draw, ...] | None:
        """The independent draws that make one client's sample, each with all of its outcomes.

        Clients, rounds and steps are independent. None where the outcomes cannot be listed.
        """
        return None

    def constants(self) -> dict[str, Known]:
        """L, L_sample, mu, B, sigma_l, sigma_g and f_star, each with how it is known.

        L: smoothness of every f_i. L_sample: of every F_i(.; xi). mu: strong convexity of f.
        B: sup over i, x of the norm of grad f_i. sigma_l: sup of sqrt E|grad F_i - grad f_i|^2.
        sigma_g: sup of |grad f_i - grad f|. f_star: inf f, exact or from below. A name is missing
        where nothing true can be said (a deep network's mu); here all are.
        """
        return {}

    def describe(self) -> dict[str, Any]:
        """JSON-able options: ``problem(**p.describe())`` is the same problem.

        Here what the constructor was given, defaults included.
        """
        arguments, options = self._came
        given = inspect.signature(type(self)).bind(*arguments, **options)
        given.apply_defaults()
        return {"name": self.name, **{key: _plain(value) for key, value in given.arguments.items()}}

    def partial_gradient(self, x: Array, sample: Sample | None, part: str) -> Array:
        """The stochastic gradient with respect to part "u" (R, n, d_u) or "v" (R, n, d - d_u).

        Problems that can differentiate one part for less than both override this.
        """
        g = self.stochastic_gradient(x, sample)
        return g[..., : self.shared] if part == "u" else g[..., self.shared :]

    def local_steps(
        self,
        x: Array,
        w: Array,
        seed: int,
        runs: Array,
        round: int,
        *,
        steps: int,
        counts: Array | None,
        eta: float,
        alpha: float,
        rho: float,
    ) -> Array | None:
        """All local steps of a round in one kernel call, or None where there is no such kernel.

        From x (R, n, d) and weights w (R, n), ``steps`` times (or ``counts[r, i]`` times):
        z = x / w; g = grad F_i(z; xi_k); if rho: g = grad F_i(z + rho g / |g|; xi_k);
        v = alpha v + g (v from 0); x = x - eta v. Returns the last x, (R, n, d), with the bits of
        the same loop over ``stochastic_gradient``.
        """
        return None

    def of_round(self, t: int) -> Self:
        """The losses of round t: themselves, but of a problem that ``drifts``."""
        return self

    def initial(self, seed: int, runs: Array) -> Array:
        """The models (R, n, d) a run starts from where the user names none; here 0.

        A model with layers starts from a draw of its own, a function of (seed, run), the same for
        every client.
        """
        return np.zeros((len(runs), *self._shape))

    def first_models(self, seed: int, runs: Array) -> Array:
        """``initial``, of which what repeats may be a view: a device is sent it once."""
        if getattr(self.initial, "__func__", None) is not Problem.initial:  # or an object's own
            return self.initial(seed, runs)
        return np.broadcast_to(0.0, (len(runs), *self._shape))

    def points(self, x: Array) -> Any:
        """NumPy models as points of this problem: itself, or a tensor on its device."""
        return np.ascontiguousarray(x)

    def accuracy(self, x: Array) -> Array | None:
        """Share of its own test samples each client's model gets right, (R, n); of its own samples
        where the problem holds none out (softmax).

        None for a problem without labels to test on.
        """
        return None

    def mean_loss(self, xbar: Array) -> Array:
        """``f(xbar[r])`` for xbar (R, d): shape (R,)."""
        self._tables_for("mean_loss", xbar, (self.dim,))
        return _mean(self.loss(self._spread(xbar)))

    def mean_gradient(self, xbar: Array) -> Array:
        """The gradient of ``f`` at ``xbar[r]``: shape (R, d)."""
        self._tables_for("mean_gradient", xbar, (self.dim,))
        return _mean(self.gradient(self._spread(xbar)))

    def measured_heterogeneity(self, xbar: Array) -> Array:
        """``|grad f_i - grad f|`` at ``xbar[r]``: shape (R, n). At most sigma_g."""
        self._tables_for("measured_heterogeneity", xbar, (self.dim,))
        gap = self.gradient(self._spread(xbar)) - self.mean_gradient(xbar)[:, None, :]
        plain = isinstance(gap, np.ndarray)
        away: Array = np.linalg.norm(gap, axis=-1) if plain else (gap * gap).sum(axis=-1) ** 0.5
        return away

    def measured_noise(self, xbar: Array) -> Array:
        """``sqrt E|grad F_i - grad f_i|^2`` at ``xbar[r]``, not sampled: shape (R, n).

        Raises ValueError for a stochastic problem that does not say.
        """
        self._tables_for("measured_noise", xbar, (self.dim,))
        if self.stochastic:
            raise ValueError(f"{self.name}: its noise is not known; need measured_noise")
        made: Array = _zeros(xbar, self.clients)
        return made

    def _spread(self, xbar: Any) -> Array:
        if _is_tensor(xbar):
            made: Array = xbar[:, None, :].expand(len(xbar), *self._shape)
            return made
        return np.broadcast_to(xbar[:, None, :], (len(xbar), *self._shape))

    def _tables_for(self, what: str, x: Array, tail: tuple[int, ...]) -> tuple[Array, ...]:
        """The problem's arrays in the dtype of ``x``, once ``x`` is seen to be a point.

        Of a tensor only the shape is looked at, and no array comes back.
        """
        if _is_tensor(x) and tuple(x.shape[1:]) == tail:
            return ()
        try:
            tables, fits = self._tables[x.dtype], x.shape[1:] == tail
        except (AttributeError, KeyError):
            kind = getattr(x, "dtype", type(x).__name__)
            raise TypeError(
                f"{self.name}.{what}: x is {kind}; need a NumPy array of float32 or float64"
            ) from None
        if not fits:
            raise ValueError(
                f"{self.name}.{what}: x has shape {x.shape}; need (R,{','.join(map(str, tail))})"
            )
        return tables

    def _bad_sample(self, sample: object, need: str) -> ValueError:
        came = "None" if sample is None else f"shape {getattr(sample, 'shape', type(sample))}"
        return ValueError(f"{self.name}.stochastic_gradient: sample is {came}; need {need}")


PROBLEMS: Table[type[Problem]] = table("problem")


def _is_tensor(x: Any) -> bool:
    return hasattr(x, "detach")


def _mean(values: Any) -> Array:
    made: Array = values.mean(axis=1)
    return made if _is_tensor(made) else np.asarray(made)


def _zeros(xbar: Any, clients: int) -> Any:
    """(R, n) zeros like ``xbar`` (R, d)."""
    shape = len(xbar), clients
    return xbar.new_zeros(shape) if _is_tensor(xbar) else np.zeros(shape, xbar.dtype)


def _plain(value: Any) -> Any:
    """As JSON has it: arrays as lists."""
    return value.tolist() if hasattr(value, "tolist") else value
