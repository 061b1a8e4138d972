"""A GPU's launches, recorded once and put on the stream together from then on.

A gradient of a small network takes a GPU less time than Python takes to queue its hundred kernels.
Imports torch, so it is itself imported only where a network is built.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import torch
from torch import Tensor

_KEPT = 16  # recordings; more of them than that are of calls that do not come again
Function = Callable[..., Tensor]


class Room(NamedTuple):
    """What recordings share that are never played at the same time, as they are played on one
    stream: the memory in between, and the stream that they are recorded on."""

    pool: Any
    stream: Any


Recorder = Callable[[Function, "list[Tensor]", "Room | None"], "tuple[Callable[[], Any], Tensor]"]


def record(
    function: Function, inputs: list[Tensor], room: Room | None
) -> tuple[Callable[[], Any], Tensor]:
    """(what plays the launches of ``function(*inputs)`` again, where its result then lies).

    It reads ``inputs`` where they are: whoever plays it writes into them first.
    """
    assert room is not None
    graph, place = torch.cuda.CUDAGraph(), inputs[0].device
    recorded = torch.cuda.graph(
        graph, pool=room.pool, stream=room.stream, capture_error_mode="thread_local"
    )
    # The second: torch leaves its own stream current where a recording fails.
    with torch.cuda.device(place), torch.cuda.stream(torch.cuda.current_stream(place)), recorded:
        result = function(*inputs)
    return graph.replay, result


class _Recording(NamedTuple):
    inputs: list[Tensor]
    play: Callable[[], Any]
    result: Tensor


class Replays:
    """Calls of functions of tensors: the first by torch as it is, which warms it up; the second is
    recorded; all later ones are played.

    A function is one of its inputs alone, and of tensors that stay where they are. What it does to
    numbers does not change from one call to the next, so a number that does is an input. Threads
    may call at the same time: from what is written to what is read, one has a recording to itself.

    Args:
        where: whose functions they are, for the line that is told where torch refuses.
    """

    def __init__(self, where: str, recorder: Recorder = record) -> None:
        self._where, self._record = where, recorder
        self._kept: dict[Hashable, _Recording | None] = {}  # None: called once
        self._rooms: dict[int, Room | None] = {}  # by the stream that plays
        self._refused = False
        self._lock = threading.Lock()

    def __call__(self, key: Hashable, function: Function, *inputs: Tensor | float) -> Tensor:
        """``function(*inputs)``, a fresh tensor. A float comes to it as a tensor () of the dtype of
        the first input, which is a tensor.

        key: what the function is, and all numbers that it reads besides.
        """
        like: Any = inputs[0]
        stream = stream_of(like)
        key = key, stream, _settings(like.device.type), *(_kind(each) for each in inputs)
        with self._lock:
            kept = self._of(key, function, inputs, stream)
            if kept is not None:
                for place, each in zip(kept.inputs, inputs, strict=True):
                    if isinstance(each, Tensor):
                        place.copy_(each)
                    else:
                        place.fill_(each)
                kept.play()
                return kept.result.clone()
        return function(*(_tensor(each, like) for each in inputs))

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the recordings, which are this process's."""
        return Replays, (self._where, self._record)

    def _of(
        self, key: Hashable, function: Function, inputs: tuple[Tensor | float, ...], stream: int
    ) -> _Recording | None:
        """The recording, made at the second call. None: at the first, or where torch refuses."""
        if self._refused:
            return None
        if key in self._kept:
            return self._kept[key] or self._recorded(key, function, inputs, stream)
        if len(self._kept) >= _KEPT:
            self._kept.clear()
            self._rooms.clear()
        self._kept[key] = None
        return None

    def _recorded(
        self, key: Hashable, function: Function, inputs: tuple[Tensor | float, ...], stream: int
    ) -> _Recording | None:
        """None, and one line once, where torch cannot record the function's work."""
        like: Any = inputs[0]
        own = [_tensor(each, like).clone() for each in inputs]
        if stream not in self._rooms:
            self._rooms[stream] = _room(like)
        try:
            play, result = self._record(function, own, self._rooms[stream])
        except RuntimeError as error:
            self._refused = True
            self._kept.clear()
            self._rooms.clear()
            line = " ".join(str(error).split())[:200]
            warnings.warn(
                f"{self._where}: torch cannot record its launches ({type(error).__name__}: {line})"
                "; they are queued one by one, which takes a GPU's host longer",
                RuntimeWarning, stacklevel=2,
            )  # fmt: skip
            return None
        self._kept[key] = made = _Recording(own, play, result)
        return made


def _tensor(each: Tensor | float, like: Tensor) -> Tensor:
    if isinstance(each, Tensor):
        return each
    return torch.full((), each, dtype=like.dtype, device=like.device)


def _kind(each: Tensor | float) -> Hashable:
    return (each.shape, each.dtype) if isinstance(each, Tensor) else None


def _settings(device: str) -> Hashable:
    """What a user may set that decides which launches an operation of torch is."""
    cudnn = torch.backends.cudnn
    kernels = cudnn.enabled, cudnn.benchmark, cudnn.deterministic
    casts = torch.is_autocast_enabled(device) and torch.get_autocast_dtype(device)
    return kernels, casts, torch.are_deterministic_algorithms_enabled()


def _room(like: Tensor) -> Room | None:
    cuda: Any = torch.cuda
    return Room(cuda.graph_pool_handle(), cuda.Stream(like.device)) if like.is_cuda else None


def stream_of(like: Tensor) -> int:
    """The stream that work on ``like`` goes to: memory that is written anew is ordered on it."""
    return int(torch.cuda.current_stream(like.device).cuda_stream) if like.is_cuda else 0
