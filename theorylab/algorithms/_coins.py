"""Coins: what a step draws for itself, of a named law, so that a law can list all outcomes.

A coin is counted: its draws are a function of (seed, run, client, round, number of the call in the
round), so that two calls differ, and a batch of runs has the draws of its runs.
"""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms._travel import Array, namespace
from theorylab.kernels import Stream

Floats = NDArray[Any]
LAWS = {  # name -> what has to come with it
    "bernoulli": ("p",),
    "sign": (),
    "index": ("m",),
    "subset": ("k",),
    "finite": ("values", "chances"),
}
_LARGEST = 2**31  # of an index


@dataclass(frozen=True)
class Coin:
    """The coins of one call: ``entries`` independent ones of the same law a client.

    shape: of a client's draw; a subset is a mask over its last axis. shared: one client's draw is
    that of all. given: the numbers of the law: (p,), (m,), (k,), or values and chances.
    """

    law: str
    shape: tuple[int, ...]
    shared: bool
    given: tuple[Any, ...]

    @classmethod
    def of(cls, shape: Any, law: Any, shared: Any, given: dict[str, Any]) -> Coin:
        """The coin of these arguments of ``net.coins``; one line on what does not fit."""
        if not isinstance(law, str) or law not in LAWS:
            raise ValueError(f"net.coins: no law {law!r}; need one of {', '.join(LAWS)}")
        for name, value in given.items():
            if (value is not None) != (name in LAWS[law]):
                came = f"{name} came with" if value is not None else f"no {name} came with"
                need = ", ".join(f"{each}=" for each in LAWS[law]) or "nothing else"
                raise ValueError(f"net.coins: {came} the law {law!r}; need {need}")
        if type(shared) is not bool:
            raise TypeError(f"net.coins: shared is {shared!r}; need True or False")
        sizes = _shape(shape)
        if law == "bernoulli":
            return cls(law, sizes, shared, (_chance("p", given["p"]),))
        if law == "index":
            return cls(law, sizes, shared, (_count("m", given["m"], 1, _LARGEST),))
        if law == "subset":
            if not sizes:
                raise ValueError("net.coins: shape is () for a subset; need (m,), m things")
            return cls(law, sizes, shared, (_count("k", given["k"], 0, sizes[-1]),))
        if law == "finite":
            return cls(law, sizes, shared, _finite(given["values"], given["chances"]))
        return cls(law, sizes, shared, ())

    @property
    def entries(self) -> int:
        """How many independent draws one client makes."""
        return math.prod(self.shape[:-1] if self.law == "subset" else self.shape)

    @property
    def outcomes(self) -> int:
        """How many outcomes one of them has; those without a chance count for none."""
        if self.law == "bernoulli":
            return 2 if 0 < self.given[0] < 1 else 1
        if self.law == "sign":
            return 2
        if self.law == "index":
            return int(self.given[0])
        if self.law == "subset":
            return math.comb(self.shape[-1], self.given[0])
        return sum(chance > 0 for chance in self.given[1])

    def listed(self) -> tuple[Floats, Floats]:
        """(values, chances) of one draw: (M,), of a subset (M, m), and (M,), each > 0."""
        if self.law == "bernoulli":
            p = self.given[0]
            values, chances = np.array([0.0, 1.0]), np.array([1 - p, p])
        elif self.law == "sign":
            values, chances = np.array([-1.0, 1.0]), np.full(2, 0.5)
        elif self.law == "index":
            values = np.arange(self.given[0], dtype=np.int64)
            chances = np.full(len(values), 1 / len(values))
        elif self.law == "subset":
            size, k = self.shape[-1], self.given[0]
            chosen = list(itertools.combinations(range(size), k))
            values = np.zeros((len(chosen), size))
            for row, members in zip(values, chosen, strict=True):
                row[list(members)] = 1.0
            chances = np.full(len(values), 1 / len(values))
        else:
            values, chances = (np.asarray(part, np.float64) for part in self.given)
        return values[chances > 0], chances[chances > 0]

    def drawn(
        self, seed: int, runs: NDArray[np.int64], clients: int, t: int, number: int, like: Array
    ) -> Array:
        """The draws of the call ``number`` of round t, (R, n, *shape), or (R, 1, *shape) where they
        are shared, as arrays of the library, on the device and of the dtype of ``like``."""
        stream: Any = Stream(seed, "coin")
        if type(like) is not np.ndarray:
            stream = stream.beside(like)
        many = 1 if self.shared else clients
        if self.law == "index":
            found = stream.integers(self.given[0], runs, many, t, number, self.entries)
        else:
            found = stream.uniform(runs, many, t, number, math.prod(self.shape))
        found = found.reshape((len(runs), many, *self.shape))
        return found if self.law == "index" else self._read(found, like)

    def _read(self, uniform: Array, like: Array) -> Array:
        """What the law makes of uniform numbers, (R, n, *shape)."""
        xp = namespace(like)
        if self.law == "subset":  # the k largest of keys that are all alike
            order = xp.argsort(xp.argsort(uniform, axis=-1, stable=True), axis=-1, stable=True)
            return _as(order >= self.shape[-1] - self.given[0], like)
        if self.law == "bernoulli":
            return _as(uniform < self.given[0], like)
        if self.law == "sign":
            return 2 * _as(uniform < 0.5, like) - 1
        values, chances = self.listed()
        ends = np.cumsum(chances)[:-1]
        place = (uniform[..., None] >= beside(ends, like, uniform.dtype)).sum(-1)
        return beside(values, like, like.dtype)[place]


def beside(a: Floats, like: Array, dtype: Any) -> Array:
    """A NumPy array as one of the library, on the device of ``like``, of this dtype of it."""
    if type(like) is np.ndarray:
        return np.asarray(a).astype(dtype)
    made: Array = namespace(like).asarray(a, device=like.device)
    return namespace(like).astype(made, dtype)


def _as(mask: Array, like: Array) -> Array:
    if type(like) is np.ndarray:
        return mask.astype(like.dtype)
    return namespace(like).astype(mask, like.dtype)


def _shape(shape: Any) -> tuple[int, ...]:
    sizes = shape if isinstance(shape, tuple | list) else (shape,)
    return tuple(_count("shape", size, 1, _LARGEST) for size in sizes)


def _count(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"net.coins: {name} is {value!r}; need an integer")
    if not least <= int(value) <= most:
        raise ValueError(f"net.coins: {name} is {value!r}; need {least} to {most}")
    return int(value)


def _chance(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"net.coins: {name} is {value!r}; need a number")
    if not 0 <= float(value) <= 1:
        raise ValueError(f"net.coins: {name} is {value!r}; need a probability, 0 to 1")
    return float(value)


def _finite(values: Any, chances: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    for name, row in (("values", values), ("chances", chances)):
        if not isinstance(row, Sequence | np.ndarray) or isinstance(row, str) or not len(row):
            raise TypeError(f"net.coins: {name} are {row!r}; need a row of numbers")
    if len(values) != len(chances):
        raise ValueError(
            f"net.coins: {len(values)} values came with {len(chances)} chances; need as many"
        )
    each = tuple(_chance("a chance", chance) for chance in chances)
    if not abs(math.fsum(each) - 1) <= 4 * len(each) * 2.0**-53:
        raise ValueError(f"net.coins: the chances sum to {math.fsum(each)!r}; need 1")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TypeError(f"net.coins: a value is {value!r}; need a number")
        if not math.isfinite(value):
            raise ValueError(f"net.coins: a value is {value!r}; need a finite one")
    return tuple(float(value) for value in values), each
