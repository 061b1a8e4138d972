"""Replayed <= PROVED <= bound of the main theorems, corrected: ``verify/worst.py triangles``.

For n = 2 to 5, with the step sizes that ``theorylab worst ID`` chooses; the largest PROVED/bound of
a theorem is never above 1. T is 1 to 10, and with personal parts 1 to 4: these ask twice as many
gradients, in two spaces.
"""

from __future__ import annotations

import itertools

from theorylab.topologies import topology
from theorylab.worst.theorems import THEOREMS
from theorylab.worst.triangle import Triangle, triangles


def all_triangles() -> bool:
    good = True
    for id, theorem in THEOREMS.items():
        factors: list[tuple[float, str]] = []
        for n, T in itertools.product(range(2, 6), range(1, 11)):
            if theorem.metric is None and T > 4:
                continue
            for each in triangles(id, topology(theorem.network, n), T, {}):
                if each.version != "corrected":
                    continue
                factors.append((each.factor, f"n {n}, T {T}"))
                good = good and each.proved
                print(
                    f"{id} n {n} T {T:2}: replayed {_replayed(each)} <= "
                    f"{each.answer.value:.6f} <= {each.bound.value:.6f}, factor {each.factor:.4f}, "
                    f"{'PROVED' if each.proved else 'not PROVED'}",
                    flush=True,
                )
        ends = [f"{v:.4f} ({place})" for v, place in (min(factors), max(factors))]
        print(f"{id}: PROVED/bound {' to '.join(ends)} in {len(factors)} cases", flush=True)
    return good


def _replayed(each: Triangle) -> str:
    try:
        return f"{each.replay().value:.6f}"
    except ArithmeticError as error:
        return f"not ({error})"


FIGURES = {"triangles": all_triangles}
