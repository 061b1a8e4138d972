"""The options that every personalised problem reads, whatever its model is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from theorylab.hypergradients._bilevel import Floats
from theorylab.hypergradients._personal_data import PARTS
from theorylab.problems._options import count, number


@dataclass(frozen=True)
class PersonalOptions:
    """Checked when made; ValueError or TypeError, one line.

    mixed: lambda_i holds the ensemble's K numbers. weighted: it holds the labels' C numbers; at
    least one of the two. components: K. reg: l2 weight >= 0 of the inner loss; > 0 where the rest
    of it is convex. batch: samples a minibatch, with replacement; None: the full batch.
    component_reg, label_reg: l2 weights >= 0 of lambda_i in F_i. outer: the part F_i averages over.
    """

    where: str
    mixed: bool
    weighted: bool
    components: int = 1
    reg: float = 1e-3
    batch: int | None = None
    component_reg: float = 0.0
    label_reg: float = 0.0
    outer: str = "train"

    def __post_init__(self) -> None:
        count(self.where, "components", self.components)
        for name in ("reg", "component_reg", "label_reg"):
            number(self.where, name, getattr(self, name), at_least=0)
        if self.batch is not None:
            count(self.where, "batch", self.batch)
        if self.outer not in PARTS[:2]:
            raise ValueError(
                f"{self.where}: outer is {self.outer!r}; need {' or '.join(PARTS[:2])}"
            )

    def groups(self, classes: int) -> dict[str, slice]:
        """Where lambda_i holds what: "components", then "labels"."""
        made, end = {}, 0
        for name, there, size in (
            ("components", self.mixed, self.components),
            ("labels", self.weighted, classes),
        ):
            if there:
                made[name] = slice(end, end + size)
                end += size
        return made

    def rates(self, groups: Mapping[str, slice]) -> Floats:
        """The l2 weight of each number of lambda_i, (dlam,)."""
        made = np.zeros(max(each.stop for each in groups.values()))
        for name, rate in (("components", self.component_reg), ("labels", self.label_reg)):
            if name in groups:
                made[groups[name]] = rate
        return made
