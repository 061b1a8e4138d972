"""Random numbers as a pure function of (seed, purpose, run, client, round, step, index).

Nothing here has a state: a value does not depend on what was drawn before, on which other runs or
clients are asked for, or on the number of threads. So a batch of runs draws what its runs draw one
by one, a topology can be asked for round 1000 first, and two algorithms can share a sample path.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from theorylab import _core
from theorylab.kernels._arrays import integers
from theorylab.kernels._device import on_device
from theorylab.kernels._draws_device import RoundIntegers, draws_on_device, is_beside

Array = Any  # numpy.ndarray, torch.Tensor or cupy.ndarray
Ints = NDArray[np.int64]
_NAMES = (
    *("noise", "sample", "topology", "init", "problem", "partition", "selection", "fault"),
    "coin",
)
PURPOSES = {name: number for number, name in enumerate(_NAMES, start=1)}
_WORD = 2**32  # a counter word of Philox


class Stream:
    """Counter-based draws for one purpose.

    Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011)::

        key   = first two words of philox((purpose id, step, 0, 0), key=(seed low, seed high))
        block = philox((index // 2, round, client, run), key)

    and draw number ``index`` is half ``index % 2`` of its block, 64 bits. ``uniform``, ``normal``
    and ``integers`` are three readings of the *same* 64 bits: at one (purpose, run, client, round,
    step) use one of them only, and give a second quantity its own ``step`` or ``purpose``.

    Args:
        seed: in [0, 2**64).
        purpose: one of noise, sample, topology, init, problem, partition, selection, fault, coin;
            streams of different purpose share nothing.

    Every method takes ``runs`` and ``clients``, each a number (R means ids 0 .. R-1) or a 1-D
    integer array of ids, then ``round``, ``step`` (each id and number in [0, 2**32)) and ``count``,
    and returns shape (R, n, count).

    Raises:
        TypeError: an argument is no integer. ValueError: it is out of range.
    """

    def __init__(self, seed: int, purpose: str) -> None:
        self.seed = _number("seed", seed, 0, 2**64)
        if purpose not in PURPOSES:
            raise ValueError(f"Stream: purpose {purpose!r} came; need one of {', '.join(PURPOSES)}")
        self.purpose = purpose
        self._id = PURPOSES[purpose]

    def __repr__(self) -> str:
        return f"Stream({self.seed}, {self.purpose!r})"

    def beside(self, like: Array) -> PlacedStream:
        """The same draws as arrays of the library and on the device of ``like``."""
        return PlacedStream(self, like)

    def uniform(
        self, runs: int | Ints, clients: int | Ints, round: int, step: int = 0, count: int = 1
    ) -> NDArray[np.float64]:
        """Uniform on the multiples of 2**-53 in [0, 1)."""
        return self._real(False, runs, clients, round, step, count)

    def normal(
        self, runs: int | Ints, clients: int | Ints, round: int, step: int = 0, count: int = 1
    ) -> NDArray[np.float64]:
        """Standard normal: the quantile at the midpoint of one of 2**52 equal cells (AS 241).

        So ``|value| <= 8.21``; the distribution differs from N(0, 1) by less than 2**-52 in
        Kolmogorov distance.
        """
        return self._real(True, runs, clients, round, step, count)

    def integers(
        self,
        bound: int | Ints,
        runs: int | Ints,
        clients: int | Ints,
        round: int,
        step: int = 0,
        count: int = 1,
    ) -> Ints:
        """Integers in [0, bound), by multiply-shift: each one's chance is within 2**-64 of 1/bound.

        Args:
            bound: in [1, 2**63), one number or one for each client, shape (n,).
        """
        run, client = _ids("runs", runs), _ids("clients", clients)
        limit = _bounds(bound, client.shape)
        out = np.empty((run.size, client.size, _count(count)), dtype=np.int64)
        round, step = _number("round", round, 0, _WORD), _number("step", step, 0, _WORD)
        _core.draws_integer(self.seed, self._id, round, step, run, client, limit, out)
        return out

    def _real(
        self,
        normal: bool,
        runs: int | Ints,
        clients: int | Ints,
        round: int,
        step: int,
        count: int,
    ) -> NDArray[np.float64]:
        run, client = _ids("runs", runs), _ids("clients", clients)
        out = np.empty((run.size, client.size, _count(count)))
        round, step = _number("round", round, 0, _WORD), _number("step", step, 0, _WORD)
        _core.draws_real(normal, self.seed, self._id, round, step, run, client, out)
        return out


class PlacedStream:
    """What a :class:`Stream` draws, beside an array: same bits, nothing crosses to the device.

    The methods are those of ``Stream``. On a GPU the call puts one kernel on the library's current
    stream; ``runs``, ``clients`` and ``bound`` may be 1-D int64 arrays there, whose values are not
    looked at (that would wait for the GPU). Consecutive ids cost nothing; a list of others that
    lies on the host is uploaded in every call.

    Args:
        stream: what to draw from.
        like: a float32 or float64 array, on the host or on a GPU. Draws are float64 (int64 for
            ``integers``) whatever its dtype: a float32 run rounds them itself.

    Raises:
        TypeError, ValueError: as ``Stream``. MemoryError: the GPU has no room for the draws.
    """

    def __init__(self, stream: Stream, like: Array) -> None:
        self._stream, self._like = stream, like

    def uniform(
        self, runs: Array, clients: Array, round: int, step: int = 0, count: int = 1
    ) -> Array:
        """Float64 (R, n, count), see :meth:`Stream.uniform`."""
        return self._draw("uniform", None, runs, clients, round, step, count)

    def normal(
        self, runs: Array, clients: Array, round: int, step: int = 0, count: int = 1
    ) -> Array:
        """Float64 (R, n, count), see :meth:`Stream.normal`."""
        return self._draw("normal", None, runs, clients, round, step, count)

    def integers(
        self, bound: Array, runs: Array, clients: Array, round: int, step: int = 0, count: int = 1
    ) -> Array:
        """Int64 (R, n, count), see :meth:`Stream.integers`."""
        return self._draw("integers", bound, runs, clients, round, step, count)

    def integers_of_steps(
        self, bound: Array, runs: Ints, steps: int, count: int
    ) -> Callable[[int], Array]:
        """Draws ``integers`` of steps 0 .. K - 1 in a round, int64 (K, R, n, count), on a GPU.

        Their launches are put together once; every call writes into the same memory.

        Args:
            bound: (n,) int64 beside the array; its clients are 0 .. n - 1.
        """
        stream = self._stream
        steps, count = _number("steps", steps, 1, _WORD), _count(count)
        there = RoundIntegers(
            stream.seed, stream._id, bound, _ids("runs", runs), steps, count, self._like
        )
        return lambda round: there.of(_number("round", round, 0, _WORD))

    def _draw(
        self, kind: str, bound: Any, runs: Any, clients: Any, round: int, step: int, count: int
    ) -> Array:
        stream, like = self._stream, self._like
        if not on_device(like):
            draw = getattr(stream, kind)
            numbers = (runs, clients, round, step, count)
            drawn = draw(*numbers) if bound is None else draw(bound, *numbers)
            torch = sys.modules.get("torch")
            is_tensor = torch is not None and isinstance(like, torch.Tensor)
            return torch.from_numpy(drawn) if torch is not None and is_tensor else drawn
        round, step = _number("round", round, 0, _WORD), _number("step", step, 0, _WORD)
        runs = runs if is_beside(runs, like) else _ids("runs", runs)
        clients = clients if is_beside(clients, like) else _ids("clients", clients)
        if bound is not None and not is_beside(bound, like):
            bound = _bounds(bound, clients.shape)
        where = (stream.seed, stream._id, round, step)
        return draws_on_device(kind, where, runs, clients, bound, _count(count), like)


def _number(name: str, value: SupportsIndex, low: int, end: int, where: str = "Stream") -> int:
    if type(value) is int and low <= value < end:  # nearly always
        return value
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__"):
        raise TypeError(f"{where}: {name} is {value!r}; need an int")
    number = operator.index(value)
    if not low <= number < end:
        power = end.bit_length() - 1
        limit = f"2**{power}" if end == 1 << power and power > 16 else str(end)
        raise ValueError(f"{where}: {name} is {number}; need {low} <= {name} < {limit}")
    return number


def _count(value: int) -> int:
    return _number("count", value, 0, 2**33)  # two draws for each of 2**32 blocks


def _int_array(name: str, value: NDArray[np.int64]) -> Ints:
    if value.ndim != 1:
        raise ValueError(f"Stream: {name} has shape {value.shape}; need an int or a 1-D array")
    return integers("Stream", name, value)


def _bounds(value: int | Ints, shape: tuple[int, ...]) -> Ints:
    """One bound for each client, shape (n,)."""
    if not isinstance(value, np.ndarray):
        return np.full(shape, _number("bound", value, 1, 2**63), dtype=np.int64)
    limit = _int_array("bound", value)
    if limit.shape != shape:
        raise ValueError(
            f"Stream: bound has shape {limit.shape}, but clients fixed n={shape[0]}; "
            "need an int or (n,)"
        )
    if limit.size and limit.min() < 1:
        raise ValueError(f"Stream: bound has {limit.min()}; need 1 or more")
    return limit


def _ids(name: str, value: int | Ints) -> Ints:
    if not isinstance(value, np.ndarray):
        return np.arange(_number(name, value, 0, _WORD), dtype=np.int64)
    ids = _int_array(name, value)
    if ids.size and (ids.min() < 0 or ids.max() >= _WORD):
        wrong = ids.min() if ids.min() < 0 else ids.max()
        raise ValueError(f"Stream: {name} has id {wrong}; need 0 <= id < 2**32")
    return ids
