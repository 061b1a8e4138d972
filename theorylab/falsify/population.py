"""The instances that a search goes on from: the best, and the best of every structure and term."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from theorylab.falsify.instances import Instance

KEPT = 24  # how many of the best are kept
_CELLS = 96
_BROAD = 0.5  # share of the parents that are drawn from the cells


class Member(NamedTuple):
    score: float
    instance: Instance
    cell: tuple[str, ...]


class Population:
    """The best instances of all, and the best instance of every cell.

    A cell is a kind of instance (its loss, its network, one client or several, noise or none), the
    largest term of the bound at its nearest place, and what the claim would need to leave the
    instance out. So instances that are tight in one term, or lie on one network, or lie outside the
    claim's scope, do not crowd out the others.
    """

    def __init__(self) -> None:
        self.best: list[Member] = []
        self.cells: dict[tuple[str, ...], Member] = {}

    @property
    def top(self) -> float:
        """The best score of all; -inf of none."""
        return self.best[0].score if self.best else -math.inf

    def add(self, score: float, instance: Instance, tight: str, needs: str = "") -> bool:
        """Whether it is the best of its cell."""
        member = Member(score, instance, (tight, needs, *structure(instance)))
        self.best.append(member)
        self.best.sort(key=lambda each: -each.score)
        del self.best[KEPT:]
        held = self.cells.get(member.cell)
        first = held is None or held.score < score
        if first:
            self.cells[member.cell] = member
        if len(self.cells) > _CELLS:
            worst = min(self.cells, key=lambda cell: self.cells[cell].score)
            del self.cells[worst]
        return first

    def drop(self, outside: Callable[[Instance], bool]) -> None:
        """Forget the instances that are not looked for any more."""
        self.cells = {k: each for k, each in self.cells.items() if not outside(each.instance)}
        left = [each for each in self.best if not outside(each.instance)]
        left += [each for each in self.cells.values() if each not in left]
        self.best = sorted(left, key=lambda each: -each.score)[:KEPT]

    def ranked(self) -> list[Member]:
        """The best of every cell; those first that are the best of a term and of an algorithm's
        words, then the second best of each, and so on."""
        ranks: dict[tuple[str, str], int] = {}
        order: list[tuple[int, float, Member]] = []
        for member in sorted(self.cells.values(), key=lambda each: -each.score):
            group = member.cell[0], member.cell[-2]  # the term, and the words
            rank = ranks[group] = ranks.get(group, -1) + 1
            order.append((rank, -member.score, member))
        return [member for *_, member in sorted(order, key=lambda each: each[:2])]

    def drawn(self, draw: np.random.Generator) -> Instance | None:
        """A parent: by rank among the best of all, or among the cells."""
        broad = draw.random() < _BROAD
        members = self.ranked() if broad else self.best
        if not members:
            return None
        # Rank selection: the k-th best is picked with a weight that falls geometrically.
        rank = min(int(draw.geometric(0.15)) - 1, len(members) - 1)
        return members[rank].instance


def structure(instance: Mapping[str, Any]) -> tuple[str, ...]:
    """What kind of instance it is, apart from its numbers."""
    parts: list[str] = []
    for key in ("problem", "topology", "network"):
        options = instance.get(key)
        if isinstance(options, Mapping):
            noisy = any(options.get(name) for name in ("sigma", "sigma_u", "sigma_v"))
            base = options.get("base")
            inner = base.get("name") if isinstance(base, Mapping) else ""
            law = options.get("noise", options.get("field", "noise")) if noisy else ""
            words = {k: v for k, v in options.items() if isinstance(v, str | bool) and k != "name"}
            parts += [f"{options.get('name')} {inner} {law} {sorted(words.items())}"]
    clients, x0 = instance.get("clients"), instance.get("x0")
    parts.append(f"{min(clients, 3) if isinstance(clients, int) else ''}")
    parts.append(type(x0[0] if isinstance(x0, list) and x0 else x0).__name__)
    names = {key: value for key, value in instance.items() if isinstance(value, str)}
    return (*parts, words_of(instance), json.dumps(names, sort_keys=True))


def words_of(instance: Mapping[str, Any]) -> str:
    """The options of its algorithm that are words."""
    options = instance.get("algorithm")
    given = options if isinstance(options, Mapping) else {}
    return json.dumps({k: v for k, v in given.items() if isinstance(v, str)}, sort_keys=True)
