"""A step size, and what else a method leaves open, chosen by a score on the validation part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any


def best_step(
    steps: Sequence[float], larger: int, score: Callable[[float], float | None]
) -> float | None:
    """The size with the highest score, the first of equals; None where none has a score.

    A size at the edge says nothing of those beyond. So while the largest size tried is the best,
    twice that size is tried, ``larger`` times at most.

    Args:
        steps: sizes to try, above zero, in any order.
        score: of a size; None where it diverges.
    """
    sizes = sorted({float(eta) for eta in steps})
    found = {eta: value for eta in sizes if (value := score(eta)) is not None}
    for _ in range(larger):
        if not found or max(found, key=lambda eta: found[eta]) != sizes[-1]:
            break
        sizes.append(2 * sizes[-1])
        value = score(sizes[-1])
        if value is not None:
            found[sizes[-1]] = value
    return max(found, key=lambda eta: found[eta]) if found else None


def best_choice(
    steps: Sequence[float],
    larger: int,
    others: Mapping[str, Sequence[Any]],
    score: Callable[[dict[str, Any]], float | None],
) -> dict[str, Any] | None:
    """The step size as ``eta``, and each option of ``others``; None where no size has a score.

    First the size, with the first value of every option; then one option after the other, each with
    what was chosen before it. So a grid of all values is not tried.

    >>> def far(at):
    ...     return -abs(at["eta"] - 2) - abs(at["mu"] - 1)
    >>> best_choice([0.5, 1.0], 2, {"mu": [0.0, 1.0, 3.0]}, far)
    {'eta': 2.0, 'mu': 1.0}
    """
    chosen = {name: values[0] for name, values in others.items()}
    eta = best_step(steps, larger, lambda size: score({"eta": size, **chosen}))
    if eta is None:
        return None
    chosen = {"eta": eta, **chosen}
    for name, values in others.items():
        if len(values) > 1:
            found = {value: seen for value in values
                     if (seen := score({**chosen, name: value})) is not None}  # fmt: skip
            chosen[name] = max(found, key=lambda value: found[value])
    return chosen
