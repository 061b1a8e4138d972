"""Whether products and convolutions in float32 may be rounded to TF32 on a GPU, while our own work
is queued. torch's own default lets convolutions: three rounds of a residual network were 2 % off.

Imports torch, so it is itself imported only where tensors are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

_CHANGED = threading.Condition()
_WITHIN: dict[int, list[bool]] = {}  # by thread: what it has asked for, innermost last
_USERS: list[Callable[[], None]] = []  # one while a thread is within: sets what its user had


@contextmanager
def float32_products(tf32: bool) -> Iterator[None]:
    """Within it float32 products of matrices, convolutions and recurrences are float32's, or TF32's
    on request; afterwards torch has the settings of its user again.

    The settings are the process's. So what other threads queue meanwhile has ours. A thread that
    asks for another setting than those that are within waits for them, and the last one to leave
    gives the user's settings back.
    """
    own = threading.get_ident()
    with _CHANGED:
        _CHANGED.wait_for(lambda: own in _WITHIN or all(s[-1] is tf32 for s in _WITHIN.values()))
        if not _WITHIN:
            _USERS.append(_kept())
        _WITHIN.setdefault(own, []).append(tf32)
        _set(tf32)
    try:
        yield
    finally:
        with _CHANGED:
            asked = _WITHIN[own]
            asked.pop()
            if asked:
                _set(asked[-1])
            else:
                del _WITHIN[own]
            if not _WITHIN:
                _USERS.pop()()
            _CHANGED.notify_all()


def _older() -> bool:
    return not hasattr(torch.backends.cuda.matmul, "fp32_precision")  # before torch 2.9


def _places() -> tuple[Any, ...]:
    backends: Any = torch.backends
    return backends.cuda.matmul, backends.cudnn.conv, backends.cudnn.rnn


def _set(tf32: bool) -> None:
    if _older():
        _set_older("high" if tf32 else "highest", tf32)
        return
    _set_each([(place, "tf32" if tf32 else "ieee") for place in _places()])


def _kept() -> Callable[[], None]:
    """What sets the settings of now again."""
    if _older():
        products, convolutions = (
            torch.get_float32_matmul_precision(),
            torch.backends.cudnn.allow_tf32,
        )
        return lambda: _set_older(products, convolutions)
    kept = []
    for place in _places():
        before = place.fp32_precision
        place.fp32_precision = "none"  # then it reads what it inherits
        kept.append((place, "none" if place.fp32_precision == before else before))
    return lambda: _set_each(kept)


def _set_each(settings: list[tuple[Any, str]]) -> None:
    for place, setting in settings:
        place.fp32_precision = setting


def _set_older(products: str, convolutions: bool) -> None:
    torch.set_float32_matmul_precision(products)
    torch.backends.cudnn.allow_tf32 = convolutions
