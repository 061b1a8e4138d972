"""A step size chosen by a score, from sizes that go on upward while the largest is the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence


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
