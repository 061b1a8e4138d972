"""Any differentiable model as a bilevel problem, through torch.func.

Hessian-vector products are forward over reverse (jvp of grad), the cross derivative the same with
the gradient in lambda; clients, runs and the k vectors go through vmap. torch costs two seconds to
import, so that happens when a problem is built.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.hypergradients._bilevel import Array, Bilevel, Floats, Sample
from theorylab.problems._options import switch

Loss = Callable[..., Any]


class TorchBilevel(Bilevel):
    """A bilevel problem of torch functions.

    ``inner(x, l, *batch)`` and ``outer(x, l, *batch)`` give scalar tensors for one client.

    Args:
        inner, outer: losses of x (dx,), l (dlam,) and one client's tensors. They run under
            torch.func's transforms: no in-place change, no data-dependent control flow. Both are
            tried once, at the first x and lambda that come: no lambda is tried that nobody gave.
        data: tensors or NumPy arrays (n, m, ...), client first; what ``inner`` gets of each client
            is (m, ...) or a minibatch (batch, ...). float64 and float32 stay what they are.
        dim: dx; None where ``start`` has its numbers.
        hyper: dlam.
        outer_data: the same for ``outer``; None: ``data``.
        batch: samples a minibatch, with replacement; None: all m.
        start: x^(0), (dx,) for every client or (n, dx), or a torch module, whose parameters it
            then is (``flat_model``); None: 0, which is a saddle point of most networks.
        tf32: whether a GPU may round float32 products and convolutions to TF32, three digits.

    Points have the dtype and the device of ``data``'s first floating tensor. No bits are promised.

    Raises:
        ValueError: one line: data that do not fit, or a ``start`` of another size; at the first
            use a loss that fails, is no scalar, or is not finite there.
        TypeError: data that are no arrays.

    >>> def inner(x, lam, a):
    ...     return ((x - a) ** 2).sum() / 2 - lam.sum() * x.sum()
    >>> def outer(x, lam, a):
    ...     return (x**2).sum() / 2
    >>> losses = TorchBilevel(inner, outer, [np.ones((3, 1, 2))], dim=2, hyper=1)
    >>> losses.clients
    3
    """

    name = "torch"
    _tried = False  # True once both losses were called

    def __init__(
        self,
        inner: Loss,
        outer: Loss,
        data: Sequence[Any],
        dim: int | None,
        hyper: int,
        *,
        outer_data: Sequence[Any] | None = None,
        batch: int | None = None,
        start: Any = None,
        tf32: bool = False,
    ) -> None:
        import torch

        self._tf32 = switch("torch", "tf32", tf32)

        self._data = _tensors("data", data)
        self._outer_data = self._data if outer_data is None else _tensors("outer_data", outer_data)
        floating = [part for part in self._data if part.is_floating_point()]
        both = (*self._data, *self._outer_data)
        if not floating or any(
            part.ndim < 1 or part.shape[0] != both[0].shape[0] or part.shape[0] < 1 for part in both
        ):
            shapes = [tuple(part.shape) for part in both]
            raise ValueError(
                f"torch: data has shapes {shapes}; need (n, m, ...) each, one of them floating"
            )
        kinds = {part.dtype for part in both if part.is_floating_point()}
        if len(kinds) > 1 or not kinds <= {torch.float32, torch.float64}:
            names = ", ".join(sorted(str(kind).removeprefix("torch.") for kind in kinds))
            raise ValueError(f"torch: data are {names}; need all float64 or all float32")
        if batch is not None and (not isinstance(batch, int) or batch < 1):
            raise ValueError(f"torch: batch is {batch!r}; need >= 1")
        if batch is not None and any(part.ndim < 2 for part in self._data):
            raise ValueError("torch: batch came with data of shape (n,); need (n, m, ...)")
        self._like = floating[0]
        self.unit = float(torch.finfo(self._like.dtype).eps) / 2
        self.clients = int(self._data[0].shape[0])
        self._start = _start(start, self.clients)
        if dim is None and self._start is None:
            raise ValueError("torch: dim is None without a start; need one of the two")
        self.dim = self._start.shape[1] if dim is None and self._start is not None else dim or 0
        self.hyper = hyper
        for name, size in (("dim", self.dim), ("hyper", hyper)):
            if isinstance(size, bool) or not isinstance(size, int) or size < 1:
                raise ValueError(f"torch: {name} is {size!r}; need an integer >= 1")
        if self._start is not None and self._start.shape[1] != self.dim:
            raise ValueError(f"torch: start has {self._start.shape[1]} numbers, dim is {self.dim}")
        self.batch, self.stochastic = batch, batch is not None
        self.rows = None if batch is None else int(self._data[0].shape[1])
        func = torch.func
        with warnings.catch_warnings():  # torch's first jvp warns of a deprecation of its own
            warnings.simplefilter("ignore", DeprecationWarning)
            func.jvp(torch.sin, (torch.zeros(1),), (torch.ones(1),))

        def gradient(x: Array, lam: Array, *batch: Array) -> Array:
            return func.grad(inner)(x, lam, *batch)

        def hvp(x: Array, lam: Array, u: Array, *batch: Array) -> Array:
            return func.jvp(lambda y: func.grad(inner)(y, lam, *batch), (x,), (u,))[1]

        def cross(x: Array, lam: Array, u: Array, *batch: Array) -> Array:
            return func.jvp(lambda y: func.grad(inner, 1)(y, lam, *batch), (x,), (u,))[1]

        def outer_gradients(x: Array, lam: Array, *batch: Array) -> Any:
            return func.grad(outer, (0, 1))(x, lam, *batch)

        self._losses = {
            "gradient": gradient, "hvp": hvp, "cross": cross,
            "outer": outer, "outer_gradients": outer_gradients,
        }  # fmt: skip
        self._inner_loss, self._outer_loss = inner, outer

    def _try(self, x: Array, lam: Array) -> None:
        """Call both losses, and every product, at run 0's x and lambda. Raises ValueError."""
        import torch

        x, lam = x[:1], lam[:1]
        inner, outer = self._inner_loss, self._outer_loss
        for name, loss, data in (("inner", inner, self._data), ("outer", outer, self._outer_data)):
            own = tuple(part[0] for part in data)
            if name == "inner" and self.batch is not None:
                own = tuple(part[: self.batch] for part in own)
            shapes = ", ".join(str(tuple(part.shape)) for part in (x[0, 0], lam[0, 0], *own))
            try:
                value = loss(x[0, 0], lam[0, 0], *own)
            except Exception as error:  # whatever a user's function raises
                raise ValueError(
                    f"torch: {name} fails on tensors of shapes {shapes}: {_line(error)}"
                ) from error
            if not isinstance(value, torch.Tensor) or value.numel() != 1 or value.ndim:
                got = (
                    tuple(value.shape) if isinstance(value, torch.Tensor) else type(value).__name__
                )
                raise ValueError(f"torch: {name} gives {got}; need a scalar tensor")
            if value.dtype != self._like.dtype or not bool(torch.isfinite(value)):
                raise ValueError(
                    f"torch: {name} gives {value.item():.6g} of {value.dtype} at the first x and "
                    f"lambda; need a finite number of {self._like.dtype}"
                )
        sample = self.sample(0, np.arange(1), 0)
        u = x[:, :, None]
        try:
            self.inner_gradient(x, lam, sample)
            self.inner_hvp(x, lam, u, sample)
            self.cross(x, lam, u, sample)
            self.outer_gradients(x, lam)
        except Exception as error:
            raise ValueError(
                f"torch: torch.func cannot differentiate the losses: {_line(error)}"
            ) from error

    def initial(self, seed: int, runs: NDArray[np.int64]) -> Floats:
        """``start`` at every client, or 0."""
        first = np.zeros((self.clients, self.dim)) if self._start is None else self._start
        return np.broadcast_to(first, (len(runs), self.clients, self.dim)).copy()

    def _call(self, what: str, data: tuple[Any, ...], drawn: bool, *points: Array) -> Any:
        from theorylab.problems._tf32 import float32_products  # it imports torch

        with float32_products(self._tf32):
            return self._mapped(what, data, drawn, *points)

    def _mapped(self, what: str, data: tuple[Any, ...], drawn: bool, *points: Array) -> Any:
        from torch.func import vmap

        if not self._tried:
            self._tried = True  # first, as the products below come here, too
            try:
                self._try(*points[:2])
            except ValueError:
                self._tried = False
                raise
        runs = max(part.shape[0] for part in points)
        points = tuple(part.expand(runs, *part.shape[1:]) for part in points)
        each = self._losses[what]
        k = len(points) - 2
        if k:  # the vectors' own axis
            each = vmap(each, in_dims=(None, None, 0, *(None for _ in data)))
        clients = vmap(each, in_dims=(0,) * (len(points) + len(data)))
        outermost = (0,) * len(points) + ((0,) if drawn else (None,)) * len(data)
        return vmap(clients, in_dims=outermost)(*points, *data)

    def _batch(self, sample: Sample) -> tuple[tuple[Any, ...], bool]:
        if sample is None:
            return self._data, False
        import torch

        rows = torch.as_tensor(sample, device=self._like.device)
        here = torch.arange(self.clients, device=rows.device)[:, None]
        return tuple(part[here, rows] for part in self._data), True

    def inner_gradient(self, x: Array, lam: Array, sample: Sample = None) -> Array:
        return self._call("gradient", *self._batch(sample), x, lam)

    def inner_hvp(self, x: Array, lam: Array, u: Array, sample: Sample = None) -> Array:
        return self._call("hvp", *self._batch(sample), x, lam, u)

    def cross(self, x: Array, lam: Array, u: Array, sample: Sample = None) -> Array:
        return self._call("cross", *self._batch(sample), x, lam, u)

    def outer(self, x: Array, lam: Array) -> Array:
        return self._call("outer", self._outer_data, False, x, lam)

    def outer_gradients(self, x: Array, lam: Array) -> tuple[Array, Array]:
        g_x, g_lam = self._call("outer_gradients", self._outer_data, False, x, lam)
        return g_x, g_lam

    def points(self, x: Floats) -> Array:
        import torch

        return torch.tensor(x, dtype=self._like.dtype, device=self._like.device)

    def numbers(self, x: Array) -> Floats:
        return np.asarray(x.detach().cpu().numpy(), np.float64)

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "clients": self.clients, "dim": self.dim, "hyper": self.hyper}


def _tensors(name: str, data: Sequence[Any]) -> tuple[Any, ...]:
    """Tensors as they came, NumPy arrays as tensors."""
    import torch

    if isinstance(data, np.ndarray | torch.Tensor) or not isinstance(data, Sequence) or not data:
        raise TypeError(
            f"torch: {name} is a {type(data).__name__}; need a tuple of tensors or NumPy arrays"
        )
    made = []
    for part in data:
        if isinstance(part, np.ndarray) and part.dtype.kind in "fiub":
            part = torch.tensor(part)  # a copy: nothing the caller does later changes it
        if not isinstance(part, torch.Tensor):
            kind = part.dtype if isinstance(part, np.ndarray) else type(part).__name__
            raise TypeError(f"torch: {name} holds {kind}; need tensors or NumPy arrays of numbers")
        made.append(part.detach())
    return tuple(made)


def _start(start: Any, clients: int) -> Floats | None:
    """(n, dx) float64 of a vector, of one vector a client, or of a module's parameters."""
    if start is None:
        return None
    import torch

    if isinstance(start, torch.nn.Module):
        start = flat_model(start)[1]
    if isinstance(start, torch.Tensor):
        start = start.detach().cpu().numpy()
    try:
        made = np.array(start, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            f"torch: start is a {type(start).__name__}; need numbers or a module"
        ) from None
    if made.ndim not in (1, 2) or (made.ndim == 2 and len(made) != clients):
        raise ValueError(f"torch: start has shape {made.shape}; need (dx,) or ({clients},dx)")
    if not np.isfinite(made).all():
        raise ValueError("torch: start holds nan or inf; need finite numbers")
    return np.broadcast_to(made, (clients, made.shape[-1])).copy()


def _line(error: Exception) -> str:
    """An error of somebody else, in a line."""
    return ": ".join(filter(None, (type(error).__name__, " ".join(str(error).split()))))


def flat_model(module: Any) -> tuple[Callable[[Any, Any], Any], Floats]:
    """A torch module as a function of one flat vector.

    Args:
        module: its buffers (running means) stay as they are.

    Returns:
        (call, x0). ``call(x, inputs)`` is ``module`` with its parameters read from x (dx,). x0,
        (dx,) in float64 of NumPy, has the parameters that it has now, in the order of its
        ``named_parameters``.

    >>> import torch
    >>> call, x0 = flat_model(torch.nn.Linear(2, 1))
    >>> x0.shape, call(torch.ones(3), torch.ones(5, 2)).shape
    ((3,), torch.Size([5, 1]))
    """
    import torch

    shapes = {key: part.shape for key, part in module.named_parameters()}
    sizes = [int(np.prod(shape)) for shape in shapes.values()]

    def call(x: Any, inputs: Any) -> Any:
        if x.shape[-1] != sum(sizes):
            raise ValueError(f"the model has {sum(sizes)} parameters, x has {x.shape[-1]} numbers")
        parts = torch.split(x, sizes)
        named = {
            key: part.reshape(shape)
            for (key, shape), part in zip(shapes.items(), parts, strict=True)
        }
        return torch.func.functional_call(module, named, (inputs,))

    flat = [part.detach().reshape(-1).cpu().double().numpy() for part in module.parameters()]
    return call, np.concatenate(flat)
