"""Draws on a GPU: ids and bounds as the kernels read them, and how many blocks there are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels._calls import failed
from theorylab.kernels._device import Array, DeviceArrays, library_of
from theorylab.kernels._paths import Facts, Grid, Schedule
from theorylab.kernels._tape import Moving, Player, recorded

_THREADS = 256
_WARPS = _THREADS // 32
_BLOCKS = {"uniform": 16, "integers": 16, "normal": 12}  # a multiprocessor: 2 and 4 times what fits
QUEUE = 2560  # bytes of a warp: kQueueBytes in csrc/cuda/normals.cuh
_LEAST, _MOST = 128, 1024  # pairs of a piece; kPlaces is 2 * 2048
_LONG = 512  # pairs of a row from which a piece is of one row alone
_RESULTS = {"uniform": np.float64, "normal": np.float64, "integers": np.int64}
_READINGS = {"uniform": "tl::ToUniform", "integers": "tl::ToInteger"}


def is_beside(value: Any, like: Array) -> bool:
    """Whether ``value`` is an array of the GPU library that ``like`` is of."""
    own, wanted = library_of(value), library_of(like)
    return own is not None and wanted is not None and own.name == wanted.name


def id_words(call: DeviceArrays, like: Array, name: str, ids: Array) -> tuple[int, int]:
    """(first, address): consecutive ids by the first alone, others by a list on the device."""
    if is_beside(ids, like):
        taken = call.take(name, ids, np.int64)
        if len(taken.shape) != 1:
            raise ValueError(f"{call.where}: {name} has shape {taken.shape}; need a 1-D array")
        return 0, taken.address
    if ids.size and (np.diff(ids) != 1).any():
        return 0, call.upload(ids)
    return (int(ids[0]) if ids.size else 0), 0


def cut(kind: str, rows: int, count: int, facts: Facts) -> tuple[Grid, int, str]:
    """Blocks, as many as there is work for; pairs of a piece and how a warp goes on.

    More blocks than fit at once even out what some take longer. A piece is as large as lets every
    warp have one: where it ends, the last tails do not fill a warp, and at the end of a row not
    all lanes have a pair.
    """
    pairs = -(-count // 2)
    most = _BLOCKS[kind] * facts.multiprocessors
    share = -(-rows * pairs // (most * _WARPS * _LEAST)) * _LEAST
    piece = min(max(share, _LEAST), _MOST)
    pieces = rows * -(-pairs // piece) if pairs >= _LONG else -(-rows * pairs // piece)
    blocks = max(1, min(most, -(-pieces // _WARPS)))
    grid = Grid(blocks, _THREADS, _WARPS * QUEUE if kind == "normal" else 0)
    return grid, piece, "tl::LongWalk" if pairs >= _LONG else "tl::ShortWalk"


def draws_on_device(
    kind: str,
    where: tuple[int, int, int | Moving, int],
    runs: Array,
    clients: Array,
    bound: Array | None,
    count: int,
    like: Array,
    into: Array | None = None,
) -> Array:
    """(R, n, count) beside ``like``; host arguments were checked.

    Args:
        kind: uniform, normal or integers. where: seed, purpose, round, step. runs, clients: int64
            ids (R,) and (n,), on the host or beside ``like``. bound: (n,), likewise; for integers.
        into: memory of that shape for them; None: fresh memory.
    """
    call = DeviceArrays("Stream", "like", like)
    first_run, run_list = id_words(call, like, "runs", runs)
    first_client, client_list = id_words(call, like, "clients", clients)
    shape = (runs.shape[0], clients.shape[0], count)
    R, n = shape[:2]
    dtype = np.dtype(_RESULTS[kind])
    limits = _limit_words(call, like, n, bound)
    out = call.fresh((shape, dtype))[0] if into is None else call.take("into", into, dtype)
    if not R * n * count:
        return out.array
    size, piece, walk = cut(kind, R * n, count, call.facts)
    types = (walk, "1" if count % 2 == 0 else "0")
    words = (R, n, count, *where, first_run, run_list, first_client, client_list, piece)
    if kind == "normal":
        schedule = Schedule("draws_normal", types)
        call.launch(schedule, size, *words, out)
    else:
        schedule = Schedule("draws_words", (_READINGS[kind], *types))
        call.launch(schedule, size, *words, *limits, out)
    return out.array


class RoundIntegers:
    """``integers`` of the first K steps of a round, whose launches are put together once.

    Args:
        seed, purpose: of the stream. bound: (n,) int64, beside ``like``. runs: (R,) int64, on the
            host. steps: K. count: of a step, run and client. like: an array on the device.
    """

    def __init__(
        self,
        seed: int,
        purpose: int,
        bound: Array,
        runs: NDArray[np.int64],
        steps: int,
        count: int,
        like: Array,
    ) -> None:
        self._call = call = DeviceArrays("Stream", "like", like)
        n = int(bound.shape[0])
        shape = (steps, len(runs), n, count)
        self._drawn = call.fresh((shape, np.dtype(np.int64)))[0].array
        self._kept = bound
        with recorded() as self._tape:
            for step in range(steps):
                where = seed, purpose, Moving.ROUND, step
                clients = np.arange(n)
                into = self._drawn[step]
                draws_on_device("integers", where, runs, clients, bound, count, like, into)
        self._player: Player = call.path.player([self._tape.launches], call.device)

    def of(self, round: int) -> Array:
        """int64 (K, R, n, count), in memory that the next call writes into."""
        moment = np.zeros((1, len(Moving)), np.uint64)
        moment[0, Moving.ROUND.value] = round
        call = self._call
        try:
            self._player(0, moment.tobytes(), moment.shape[1], call.library.stream(call.device))
        except (RuntimeError, ValueError) as error:
            raise failed("Stream", error) from error
        return self._drawn


def _limit_words(call: DeviceArrays, like: Array, n: int, bound: Array | None) -> tuple[int, int]:
    """(bound, address): one bound for all by itself, others by a list on the device."""
    if bound is None:
        return 0, 0
    if not is_beside(bound, like):
        host: NDArray[np.int64] = bound
        if host.size and (host != host[0]).any():
            return 0, call.upload(host)
        return (int(host[0]) if host.size else 0), 0
    taken = call.take("bound", bound, np.int64)
    if taken.shape != (n,):
        raise ValueError(f"Stream: bound has shape {taken.shape}; need an int or ({n},)")
    return 0, taken.address
