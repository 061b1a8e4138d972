"""Noise of finitely many outcomes: the independent draws that make a sample, all listed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[Any]
_MOST_SIGNS = 12  # coordinates of a two-point part whose 2^12 outcomes may still be listed


class Draw(NamedTuple):
    """One draw of finitely many outcomes: a part of a client's sample.

    place: entries low:high of the sample's last axis; None where a sample is one number a client.
    moves: the coordinates low:high of a gradient that it can change.
    values: (m, high - low), or (m,), what those entries are in each of its m outcomes.
    chances: (m,), each > 0, with sum 1.
    """

    place: tuple[int, int] | None
    moves: tuple[int, int]
    values: Floats
    chances: Floats


def skewed(chance: float) -> tuple[float, float]:
    """The two values of mean 0 and variance 1, the first with that chance."""
    return math.sqrt((1 - chance) / chance), -math.sqrt(chance / (1 - chance))


def outcomes(
    kind: str, parts: Sequence[tuple[int, int, float]], chance: float
) -> tuple[Draw, ...] | None:
    """What a noise field of ``_noise.FIELDS`` gives one client, draw by draw.

    parts: (low, high, sigma); one whose sigma is 0 has no draw. chance: p of its ``RARE``. None for
    normals, and for a draw of too many outcomes.
    """
    fair = np.full(2, 0.5)
    draws: list[Draw] = []
    for k, (low, high, sigma) in enumerate(parts):
        d = high - low
        size = sigma / math.sqrt(d)
        if sigma == 0:
            continue
        if kind in ("rademacher", "state"):
            ends = np.array([[size], [-size]])
            draws += [Draw((j, j + 1), (j, j + 1), ends, fair) for j in range(low, high)]
        elif kind == "skewed":
            ends, p = size * np.array(skewed(chance))[:, None], np.array([chance, 1 - chance])
            draws += [Draw((j, j + 1), (j, j + 1), ends, p) for j in range(low, high)]
        elif kind == "aligned":
            draws.append(Draw((k, k + 1), (low, high), np.array([[sigma], [-sigma]]), fair))
        elif kind == "coordinate":
            axes = sigma * np.concatenate([np.eye(d), -np.eye(d)])
            draws.append(Draw((low, high), (low, high), axes, np.full(2 * d, 0.5 / d)))
        elif kind == "two-point" and d <= _MOST_SIGNS:
            bits = np.arange(1 << d)[:, None] >> np.arange(d) & 1
            values = (1 - 2 * bits) * (size / math.sqrt(chance))
            chances = np.full(1 << d, chance / (1 << d))
            if chance < 1:
                values = np.concatenate([np.zeros((1, d)), values])
                chances = np.concatenate([[1 - chance], chances])
            draws.append(Draw((low, high), (low, high), values, chances))
        else:
            return None
    return tuple(draws)
