"""What an option of a network has to be: a count, a number of clients, a flag."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from theorylab.kernels import MOST_CLIENTS


def count(value: Any, what: str, least: int, most: int | None = None) -> int:
    """``value`` as an int of at least ``least``, at most ``most``; a bool is not a count."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r} ({type(value).__name__}); need an integer") from None
    if number < least:
        raise ValueError(f"{what} is {number}; need at least {least}")
    if most is not None and number > most:
        raise ValueError(f"{what} is {number}; need at most {most}")
    return number


def clients_of(value: Any, where: str) -> int:
    """``value`` as a number of clients."""
    return count(value, f"{where}: clients", least=1, most=MOST_CLIENTS)


def flag(value: Any, what: str) -> bool:
    """``value`` as a bool; 0, 1 and "false" are not flags."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{what} is {value!r} ({type(value).__name__}); need True or False")
    return bool(value)
