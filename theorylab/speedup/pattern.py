"""Losses of n clients that are copies of a few, so that the common minimiser and the heterogeneity
stay what they are while n grows."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.own import is_own
from theorylab.problems import PROBLEMS, Problem, problem
from theorylab.registry import options_of
from theorylab.speedup.copies import Copies
from theorylab.speedup.samples import with_data

MOST_KINDS = 4
Place = NDArray[np.int64]  # (n,): of which kind each client is


@dataclass(frozen=True)
class Pattern:
    """``kinds`` client losses; client i of n has the loss of client i mod ``kinds``.

    Args:
        name: of a registered problem. options: of it, in place of those of its ``study``; of a
            problem with the options data and root also ``samples``, the first so many of the data.
        kinds: how many unlike clients there are; n is a multiple of it.
        personal: the point has a shared and a personal part. A quadratic is then a
            ``coupled-quadratic``, and of a regression the bias is personal.
        blocks: clients of a kind stand side by side, as far from the others as a network lets them.

    Raises:
        ValueError: one line, on a problem that cannot be copied, or an option that is none.
    """

    name: str
    options: Mapping[str, Any]
    kinds: int
    personal: bool = False
    blocks: bool = False

    def __post_init__(self) -> None:
        kind = PROBLEMS.find(self.name)
        if self.personal and kind.personal_name:
            object.__setattr__(self, "name", kind.personal_name)
            kind = PROBLEMS.find(self.name)
        object.__setattr__(self, "options", {**kind.study.options, **self.options})

    @functools.cached_property
    def base(self) -> Problem:
        """The problem of one client of each kind."""
        given = dict(self.options)
        if {"data", "root"} <= options_of(PROBLEMS.find(self.name)).keys():
            given = with_data(given)
        return problem(self.name, self.kinds, **given)

    def losses(self, clients: int, noise: bool = True) -> Problem:
        """The losses of ``clients`` clients; without ``noise`` every gradient is exact.

        Raises ValueError where the kinds do not divide the clients.
        """
        copies, left = divmod(clients, self.kinds)
        if left or not copies:
            raise ValueError(
                f"speedup: {clients} clients are no copies of {self.kinds}; need a multiple"
            )
        place = np.arange(clients)
        place = place // copies if self.blocks else place % self.kinds
        own = self.base.copied(place, noise) if is_own(type(self.base)) else None
        made: Any = Copies(self.base, place, noise) if own is None else own
        if self.personal and self.base.personal_tail:
            made.shared = made.dim - self.base.personal_tail
            made.blocks = (made.shared, made.dim)
        losses: Problem = made
        return losses

    @property
    def document(self) -> dict[str, Any]:
        """All of it as JSON has it."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


def kinds_of(clients: list[int]) -> int:
    """The most kinds, up to ``MOST_KINDS``, that divide every number of clients."""
    common = int(np.gcd.reduce(clients))
    return max(k for k in range(1, MOST_KINDS + 1) if common % k == 0)
