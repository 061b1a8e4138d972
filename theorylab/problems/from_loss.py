"""A problem from one function: a torch loss, differentiated for all runs and clients together."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.extras import need
from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.problems._base import PROBLEMS, Problem, Sample
from theorylab.problems._options import Array, count, switch

Tensor = Any  # torch.Tensor; torch costs seconds to import


def from_loss(
    f: Callable[..., Any],
    *,
    dim: int,
    clients: int | None = None,
    data: Any = None,
    batch: int | None = None,
    constants: Mapping[str, Known | float] | None = None,
    name: str | None = None,
) -> Problem:
    """The problem f_i(x) = f(x, data of client i), its gradients by ``torch.func``.

    ``f(x, ...)`` takes one model x (d,) and one client's data, all tensors, and gives a scalar; it
    is mapped over runs and clients, so that it must not branch on values. ``data`` is an array
    (n, ...), which f takes as its second argument, or a tuple of arrays, which it takes one by one,
    or a mapping of them by f's argument names. Points are NumPy arrays, or tensors with the option
    ``device``; data have the dtype and the place of the point. A run of a batch agrees with the run
    alone up to rounding, because BLAS promises no more.

    Args:
        f: the loss of one client.
        dim: d.
        clients: n; None: that of the data.
        data: as above, or a function of ``clients``, of ``seed`` or of both that gives it, which
            makes the problem one for any number of clients, with the option ``seed``.
        batch: b: a stochastic gradient is that of f on b samples of the client, drawn with
            replacement; every array is (n, m, ...), and f of all samples is the mean of f of each.
            None: full gradients.
        constants: what is known of the losses, such as {"L": 2.0}; a number is taken as exact.
        name: under which commands and instances find it; None: none does.

    Returns:
        The n losses; with a ``name`` they are found by it, too.

    Raises:
        TypeError, ValueError: one line, on data of the wrong shape, an f that gives no scalar or
        cannot be mapped, or one that is no mean over samples though there is a batch.

    >>> bowl = from_loss(lambda x, c: ((x - c) ** 2).sum() / 2, dim=2, data=np.eye(2))
    >>> bowl.gradient(2 * np.ones((1, 2, 2)))[0].tolist()
    [[1.0, 2.0], [2.0, 1.0]]
    """
    if not callable(f):
        raise TypeError(f"from_loss: f is {f!r}; need a function of x and a client's data")
    size, known = count("from_loss", "dim", dim), _known(constants or {})
    takes = list(inspect.signature(data).parameters) if callable(data) else []
    if set(takes) - {"clients", "seed"}:
        raise ValueError(
            f"from_loss: data takes {', '.join(takes)}; need a function of clients, seed or both"
        )
    first_batch = batch

    class FromLoss(_Differentiated):
        def __init__(
            self,
            clients: int,
            *,
            seed: int = 0,
            batch: int | None = first_batch,
            device: str = "cpu",
            tf32: bool = False,
        ) -> None:
            given = {"clients": clients, "seed": seed}
            arrays = data(**{key: given[key] for key in takes}) if callable(data) else data
            super().__init__(place, f, _Data(place, arrays), clients, size, batch, device)
            self._tf32 = switch(place, "tf32", tf32)

        def constants(self) -> dict[str, Known]:
            return dict(known)

    with PROBLEMS.adopted(FromLoss, name) as place:
        n = clients
        if n is None:
            n = None if callable(data) or data is None else _Data(place, data).clients
        if n is None:
            raise ValueError(f"{place}: the number of clients is not known; need clients=")
        made: Any = FromLoss
        built: Problem = made(n)
    return built


class _Data:
    """The arrays of all clients, and how f takes them."""

    def __init__(self, where: str, given: Any) -> None:
        if isinstance(given, Mapping):
            self.names: list[str] | None = list(given)
            parts: Sequence[Any] = list(given.values())
        else:
            self.names = None
            parts = given if isinstance(given, tuple | list) else [] if given is None else [given]
        self.arrays = [_array(where, k, part) for k, part in enumerate(parts)]
        lengths = {len(each) for each in self.arrays}
        if len(lengths) > 1:
            raise ValueError(
                f"{where}: data has arrays of {', '.join(map(str, sorted(lengths)))} clients; need "
                "one number"
            )
        self.clients = next(iter(lengths), None)
        self._placed: dict[Any, list[Tensor]] = {}

    def like(self, x: Tensor) -> list[Tensor]:
        """The arrays as tensors of the dtype of ``x``, where ``x`` is; integers stay integers."""
        key = x.dtype, x.device
        if key not in self._placed:
            import torch

            self._placed[key] = [
                torch.tensor(a, device=x.device, dtype=x.dtype if a.dtype.kind == "f" else None)
                for a in self.arrays
            ]
        return self._placed[key]


class _Differentiated(Problem):
    """``f`` of each client's data, mapped over runs and clients."""

    _tf32 = False  # whether a GPU may round products and convolutions to it

    def __init__(
        self,
        where: str,
        f: Callable[..., Any],
        data: _Data,
        clients: int,
        dim: int,
        batch: int | None,
        device: str,
    ) -> None:
        if data.clients not in (None, clients):
            raise ValueError(f"{where}: its data are of {data.clients} clients; need {clients}")
        need(where, "torch")
        self._place, self._data, self._device = where, data, device
        self.batch = None if batch is None else count(where, "batch", batch)
        names = data.names

        def one(x: Tensor, parts: list[Tensor]) -> Tensor:
            return f(x, *parts) if names is None else f(x, **dict(zip(names, parts, strict=True)))

        self._one = one
        super().__init__(clients, dim, self.batch is not None)
        if device != "cpu":
            from theorylab.problems._device import device_named

            self._device = str(device_named(where, device))
        self._samples = 0 if self.batch is None else self._counted()
        self._tried()

    def points(self, x: Array) -> Any:
        """The array itself; on another device than the host's a tensor there."""
        if self._device == "cpu":
            return super().points(x)
        from theorylab.problems._device import tensor_of

        return tensor_of(x, self._device)

    def loss(self, x: Array) -> Array:
        return self._mapped("loss", x, self._one)

    def gradient(self, x: Array) -> Array:
        from torch.func import grad

        return self._mapped("gradient", x, grad(self._one))

    def sample(self, seed: int, runs: Array, round: int, step: int) -> Sample | None:
        """int64 (R, n, batch): numbers of the client's samples, with replacement."""
        if self.batch is None:
            return None
        draw = Stream(seed, "sample")
        made: Array = draw.integers(self._samples, runs, self.clients, round, step, self.batch)
        return made

    def stochastic_gradient(self, x: Array, sample: Sample | None) -> Array:
        if self.batch is None:
            return super().stochastic_gradient(x, sample)
        from torch.func import grad

        shape = (len(x), self.clients, self.batch)
        if not isinstance(sample, np.ndarray) or sample.shape != shape:
            raise self._bad_sample(sample, f"numbers of samples of shape {shape}")
        return self._mapped("stochastic_gradient", x, grad(self._one), sample)

    def measured_noise(self, xbar: Array) -> Array:
        """Exact: the variance over the client's own samples, divided by the batch: (R, n)."""
        if self.batch is None:
            return super().measured_noise(xbar)
        from torch.func import grad

        x, total, squares = self._spread(xbar), 0.0, 0.0
        each = [
            self._mapped("measured_noise", x, grad(self._one), self._all(len(x), j))
            for j in range(self._samples)
        ]
        mean = sum(each, total) / len(each)
        spread: Any = sum((((g - mean) ** 2).sum(axis=-1) for g in each), squares)
        made: Array = (spread / (len(each) * self.batch)) ** 0.5
        return made

    def _mapped(
        self, what: str, x: Array, of: Callable[..., Any], sample: Array | None = None
    ) -> Array:
        """``of`` one model and its client's data, or its minibatch, at every model (R, n, d)."""
        import torch
        from torch.func import vmap

        from theorylab.problems._tf32 import float32_products

        self._tables_for(what, x, self._shape)
        host = isinstance(x, np.ndarray)
        point = torch.tensor(x) if host else x
        parts, of_run = self._data.like(point), None
        if sample is not None:
            rows = torch.as_tensor(sample, device=point.device)
            client = torch.arange(self.clients, device=point.device)[None, :, None]
            parts, of_run = [part[client, rows] for part in parts], 0
        with float32_products(self._tf32):
            mapped = vmap(vmap(of, in_dims=(0, 0)), in_dims=(0, of_run))(point, parts)
        made: Array = mapped.numpy() if host else mapped
        return made

    def _counted(self) -> int:
        """How many samples every client has."""
        lengths = {a.shape[1] if a.ndim > 1 else 0 for a in self._data.arrays}
        if len(lengths) != 1 or not min(lengths):
            raise ValueError(
                f"{self._place}: batch is {self.batch}, but data has no samples; need every array "
                "(n, m, ...), with one m"
            )
        return int(min(lengths))

    def _all(self, runs: int, j: int) -> Array:
        return np.full((runs, self.clients, 1), j)

    def _tried(self) -> None:
        """One line for a function that is no loss, before a run begins."""
        x = np.full((1, self.clients, self.dim), 0.5)
        try:
            value = np.asarray(self.loss(x))
            self.gradient(x)
        except (RuntimeError, TypeError, IndexError, ValueError) as error:
            text = str(error).strip().splitlines()[0] if str(error).strip() else ""
            raise ValueError(
                f"{self._place}: torch.func cannot map f over clients ({type(error).__name__}: "
                f"{text[:200]}); need a scalar by torch operations, without branches on values"
            ) from error
        if value.shape != (1, self.clients):
            raise ValueError(
                f"{self._place}: f gives shape {value.shape[2:]} for one client; need a scalar"
            )
        if self.batch is not None and np.isfinite(value).all():
            ones = range(self._samples)
            each = np.array([self._mapped("loss", x, self._one, self._all(1, j)) for j in ones])
            mean, whole = each.mean(axis=0)[0], value[0]
            i = int(np.argmax(np.abs(mean - whole)))
            if abs(mean[i] - whole[i]) > 1e-9 * (1 + np.abs(each).max()):
                raise ValueError(
                    f"{self._place}: f of all samples of client {i} is {whole[i]:g}, and the mean "
                    f"of f of each {mean[i]:g}; need a mean over samples where there is a batch"
                )


def _array(where: str, k: int, given: Any) -> Array:
    made = given.detach().cpu().numpy() if hasattr(given, "detach") else np.asarray(given)
    if made.dtype.kind not in "fiub" or not made.ndim:
        raise TypeError(f"{where}: array {k} of data is {made.dtype} {made.shape}; need (n, ...)")
    return made


def _known(constants: Mapping[str, Known | float]) -> dict[str, Known]:
    source = "given with the loss"
    return {
        key: value if isinstance(value, Known) else Known(float(value), How.EXACT, source)
        for key, value in constants.items()
    }
