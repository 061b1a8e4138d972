"""How arrays travel: P(t) times each of them at once, or split by when it arrives.

With column-stochastic P nothing is lost: the sum of an array over the clients, counted with what is
still in flight, is the same before and after. Where rows sum to 1 nothing leaves the range of what
was sent. Both are audited (``_audit``).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import NDArray

from theorylab.algorithms._audit import Array as Array
from theorylab.algorithms._audit import Audits
from theorylab.kernels import DrawnNetwork, Mixing, on_device, push_mix, push_mix_drawn

if TYPE_CHECKING:  # slow to import
    from scipy.sparse import csr_array

Uploaded = dict[int, "tuple[csr_array, Mixing | None]"]  # by identity; None until it is asked for

_UPLOADED = 64  # matrices
_FLOATS = np.dtype(np.float32), np.dtype(np.float64)


@dataclass(frozen=True)
class Delayed:
    """P(t) split by arrival: what arrives at once, and what arrives in s = 1, 2, ... rounds.

    now: one CSR matrix or one a run. later[s - 1]: likewise, all (n, n). Their sum is P(t).
    """

    now: csr_array | list[csr_array]
    later: tuple[csr_array | list[csr_array], ...]


class GraphRuns:
    """The ids (R,) of the runs whose edges the runs see; on a device they go up once a run."""

    def __init__(self, ids: NDArray[np.int64]) -> None:
        self.ids = ids
        self._placed: dict[Any, Array] = {}

    def beside(self, x: Array) -> Array:
        """int64 (R,) where x lives, or on the host where consecutive ids need no list."""
        if not (np.diff(self.ids) != 1).any():
            return self.ids
        if x.device not in self._placed:
            self._placed[x.device] = namespace(x).asarray(self.ids, device=x.device)
        return self._placed[x.device]


@dataclass(frozen=True)
class Drawn:
    """P(t) that a GPU draws for itself, so that no matrix goes up: ``kernels.push_mix_drawn``."""

    network: DrawnNetwork
    t: int
    runs: GraphRuns


@dataclass(frozen=True)
class Link:
    """What one network does in one round, and what it promises; as in ``Context``."""

    mixing: Any
    conserves: bool
    averages: bool


class Exchange:
    """What the clients of R runs send in round ``t``, and what is on the way, in order of calls.

    waiting: ``State.flight`` at the start of the round. like: the models, whose library, device
    and dtype the coins of the round have. tossed: how many coins were asked for so far.
    """

    def __init__(
        self, t: int, waiting: tuple[Array, ...] | None, like: Array | None = None
    ) -> None:
        self.t, self.waiting, self.like, self.tossed = t, waiting or (), like, 0
        self._flight: list[Array | None] = []

    def pair(self, mixing: Any, x: Array, w: Array, uploaded: Uploaded) -> tuple[Array, ...]:
        """(P x, P w, P x / P w) for x (R, n, d) and w (R, n), in one pass where nothing is late."""
        if self._late(mixing):
            x, w = self._carried(mixing, x), self._carried(mixing, w)
            return x, w, x / w[:, :, None]
        self._flight += [None, None]
        return pushed(mixing, x, w, uploaded)

    def each(self, mixing: Any, arrays: Sequence[Array], uploaded: Uploaded) -> list[Array]:
        """P times each array, (R, n, d) or (R, n)."""
        if self._late(mixing):
            return [self._carried(mixing, a) for a in arrays]
        self._flight += [None] * len(arrays)
        found, numbers = list(arrays), [k for k, a in enumerate(arrays) if a.ndim == 2]
        for k, a in enumerate(arrays):
            if a.ndim == 2:
                continue
            like = [j for j in numbers if arrays[j].dtype == a.dtype]
            if like:  # a model and a number a client go in one pass
                numbers.remove(like[0])
                found[k], found[like[0]], _ = pushed(mixing, a, arrays[like[0]], uploaded)
            else:
                found[k] = pushed(mixing, a, _ones(a), uploaded)[0]
        for j in numbers:
            found[j] = pushed(mixing, arrays[j][:, :, None], _ones(arrays[j]), uploaded)[0][:, :, 0]
        return found

    def way(self, index: int) -> tuple[Array | None, Array | None]:
        """(what was on the way before the round, what is after it) of the call's array."""
        return (self.waiting[index] if index < len(self.waiting) else None), self._flight[index]

    @property
    def calls(self) -> int:
        """How many arrays were exchanged so far."""
        return len(self._flight)

    def flight(self) -> tuple[Array, ...] | None:
        """``State.flight`` after the round. A client that asks for nothing in a round gets what
        arrives there when it next asks.

        Raises ValueError, one line, where other arrays are exchanged than those on the way.
        """
        if not self.calls:
            return tuple(_kept(a) for a in self.waiting) or None
        if self.waiting and len(self.waiting) != self.calls:
            raise ValueError(
                f"net.mix: {self.calls} arrays are exchanged in round {self.t}, and messages of "
                f"{len(self.waiting)} are on the way; need as many in every round"
            )
        made = tuple(a for a in self._flight if a is not None)
        return made or None

    def _late(self, mixing: Any) -> bool:
        return isinstance(mixing, Delayed) or bool(self.waiting)

    def _carried(self, mixing: Any, a: Array) -> Array:
        """The mass on the way is kept as (R, s, n, d): the virtual clients of Assran et al. (2019).

        What is on the way still arrives in a network that has become punctual.
        """
        mixing = mixing if isinstance(mixing, Delayed) else Delayed(mixing, ())
        xp, (R, *rest) = namespace(a), a.shape
        waiting = self.waiting[self.calls] if self.calls < len(self.waiting) else None
        known = 0 if waiting is None else waiting.shape[1]
        if waiting is not None and (waiting.shape[0], *waiting.shape[2:]) != (R, *rest):
            raise ValueError(
                f"net.mix: array {self.calls} has shape {tuple(a.shape)} in round {self.t}, and on "
                f"the way is {tuple(waiting.shape)}; need the same arrays in the same order in "
                "every round"
            )
        far = max(len(mixing.later), known, 1)
        way = xp.zeros((R, far + 1, *rest), dtype=a.dtype, device=a.device)
        if waiting is not None:
            way[:, :known] = waiting
        for s, part in enumerate((mixing.now, *mixing.later)):  # slot 0 arrives in this round
            way[:, s] += _times(part, a)
        self._flight.append(xp.asarray(way[:, 1:], copy=True))
        return xp.asarray(way[:, 0], copy=True)


def mixed(
    arrays: tuple[Array, ...], link: Link, exchange: Exchange, audits: Audits, uploaded: Uploaded
) -> list[Array]:
    """P(t) times each array, audited: sums where the link conserves, ranges where it averages."""
    first = exchange.calls
    made = exchange.each(link.mixing, arrays, uploaded)
    for k, (sent, arrived) in enumerate(zip(arrays, made, strict=True), first):
        if link.conserves:
            audits.sums(exchange.t, f"array {k}", sent, arrived, *exchange.way(k))
        if link.averages and all(way is None for way in exchange.way(k)):
            audits.ranges(exchange.t, f"array {k}", sent, arrived)
    return made


def pushed(mixing: Any, x: Array, w: Array, uploaded: Uploaded) -> tuple[Array, Array, Array]:
    """(P x, P w, P x / P w) in one pass."""
    made: tuple[Array, Array, Array]
    if x.dtype == object:  # exact numbers, over a network that has such a matrix
        made = mixing.pushed(x, w)
        return made
    if type(x) is np.ndarray:
        if id(mixing) in uploaded and x.dtype == np.float64:
            mixing = _uploaded(mixing, uploaded)
        made = push_mix(mixing, np.ascontiguousarray(x), np.ascontiguousarray(w))
        return made
    if isinstance(mixing, Drawn):
        net = mixing.network
        made = push_mix_drawn(
            net.seed, mixing.t, mixing.runs.beside(x), net.degree, x.contiguous(), w.contiguous(),
            self_loops=net.self_loops,
        )  # fmt: skip
        return made
    if on_device(x) and not isinstance(mixing, list):
        mixing = _uploaded(mixing, uploaded)
    made = push_mix(mixing, x.contiguous(), w.contiguous())
    return made


def namespace(x: Array) -> Any:
    """The array API of an array's kind. NumPy's own: looking it up costs more than a small sum."""
    return np if type(x) is np.ndarray else array_namespace(x)


def check_exchanged(arrays: tuple[Array, ...], runs: int, clients: int) -> None:
    """TypeError or ValueError, one line, unless each is a float array (R, n, d) or (R, n)."""
    if not arrays:
        raise ValueError("net.mix: no array came; need at least one")
    for k, a in enumerate(arrays):
        shape = tuple(getattr(a, "shape", ()))
        if not (type(a) is np.ndarray and a.dtype in _FLOATS):  # a name costs more than a product
            kind = str(getattr(a, "dtype", type(a).__name__))
            if kind.removeprefix("torch.") not in ("float32", "float64"):
                raise TypeError(f"net.mix: array {k} is {kind}; need float32 or float64")
        if len(shape) not in (2, 3) or shape[:2] != (runs, clients):
            raise ValueError(
                f"net.mix: array {k} has shape {shape}; need (R, n, d) or (R, n) with R = {runs} "
                f"runs and n = {clients} clients"
            )


def _ones(a: Array) -> Array:
    if type(a) is np.ndarray:
        return _ones_here(a.shape[:2], a.dtype)
    return array_namespace(a).ones(a.shape[:2], dtype=a.dtype, device=a.device)


@functools.lru_cache(maxsize=8)
def _ones_here(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """The weights that go with arrays which have none; nobody else sees them."""
    made = np.ones(shape, dtype)
    made.flags.writeable = False
    return made


def _kept(way: Array) -> Array:
    """A round later, with nobody asking: what arrives stays in the first place."""
    xp = namespace(way)
    later = xp.zeros_like(way)
    later[:, :-1] = way[:, 1:]
    later[:, 0] += way[:, 0]
    return later


def _uploaded(P: csr_array, kept: Uploaded) -> Mixing:
    """The matrix as the kernel or a GPU keeps it: a periodic network gives the same object again
    and again."""
    _, made = kept.get(id(P), (P, None))
    if made is None:
        if len(kept) >= _UPLOADED:
            kept.clear()
        made = Mixing(P)
        kept[id(P)] = P, made
    return made


def _times(P: Any, x: Array) -> Array:
    """P_r x_r for every run, in CSR order; x (R, n, d) or (R, n)."""
    parts = list(P) if isinstance(P, list | tuple) else [P] * x.shape[0]
    if type(x) is np.ndarray:
        return np.stack([p.astype(x.dtype, copy=False) @ x[r] for r, p in enumerate(parts)])
    import torch

    if x.device.type == "cpu":
        made = [
            torch.from_numpy(p.astype(x.numpy().dtype) @ x[r].numpy()) for r, p in enumerate(parts)
        ]
        return torch.stack(made)
    return torch.stack(
        [
            torch.as_tensor(p.toarray(), dtype=x.dtype, device=x.device) @ x[r]
            for r, p in enumerate(parts)
        ]
    )
