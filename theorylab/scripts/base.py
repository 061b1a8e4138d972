"""The facts that a script is written from, and which of its writers writes it."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorylab.exact import floated
from theorylab.experiments import Experiment, experiment
from theorylab.runs import Setting
from theorylab.statements import Quantity, Statement, Version
from theorylab.verdicts import Instance, Result
from theorylab.verdicts.instance import built, parsed

LONGEST = 47  # lines of a script of built-in parts: the second moment of VR-HGP
LONGEST_OWN = 300  # of one with a user's text
WIDEST = 100  # characters of a line
_NEAR = 1e-9
NAMES = ("experiment_name", "algorithm_name")


class UnscriptedError(ValueError):
    """No script can be written for a result; the text is one line that says why."""


@dataclass(frozen=True)
class Facts:
    """What is known of the instance and the place whose measured side a script computes.

    Args:
        statement: the claim. result: as judged; of a sweep, at one of its values, so ``instance``
            holds no sweep. general: how alike the scripts of all values of a sweep have to be. 0:
            each is as short as it can be. 1: all compute in the same way. 2: besides, a number that
            is 0 or 1 has a name, as any other number has.
        seed: that the result was measured with. long: whether the lines are played and not read,
            so that there may be many. short: whether a user's classes become functions.
    """

    statement: Statement
    result: Result
    general: int = 0
    seed: int = 0
    long: bool = False
    short: bool = False

    @property
    def version(self) -> Version:
        """The reading that was judged."""
        return self.statement.versions[self.result.version]

    @property
    def quantity(self) -> Quantity:
        """What is measured."""
        return self.statement.quantity_of(self.version)

    @property
    def column(self) -> str:
        """Of the run, the metric or the experiment: what is measured, by its name."""
        return self.quantity.column

    @property
    def reduction(self) -> str:
        """NumPy's function of all outcomes: the mean, or the one that is nearest to breaking a
        claim about every run."""
        ends = {"<=": "max", ">=": "min"}
        return ends[self.version.relation] if self.quantity.pathwise else "mean"

    @property
    def instance(self) -> dict[str, Any]:
        """Plain data: the options of an experiment, or what ``verdicts.Instance`` holds."""
        return {k: v for k, v in self.result.instance.items() if k not in NAMES}

    @functools.cached_property
    def parsed(self) -> Instance:
        """What the instance of a run says, checked."""
        return parsed("script", self.instance)

    @functools.cached_property
    def setting(self) -> Setting:
        """What the instance of a run builds: problem, topology, algorithm, start, rounds."""
        name = self.result.instance["algorithm_name"]
        return built("script", self.parsed, name)

    @functools.cached_property
    def experiment(self) -> Experiment:
        """The experiment as the instance builds it."""
        options = floated({k: v for k, v in self.instance.items() if k != "constants"})[0]
        return experiment(self.statement.experiment, **options)

    @property
    def place(self) -> dict[str, int]:
        """The numbers in the label of the place: round t, client i, local step k."""
        return place_numbers(self.result.place)

    @property
    def round(self) -> int:
        """The t of the place, or DePRL's k, which has no local steps."""
        return self.at("k" if "t" not in self.place and "k" in self.place else "t")

    def at(self, name: str) -> int:
        """One of them; UnscriptedError where the place has none of that name."""
        if name not in self.place:
            raise UnscriptedError(f"the place {self.result.place!r} names no {name}")
        return self.place[name]

    def worst_run(self) -> int:
        """The run whose value the result shows; UnscriptedError where another one drew it."""
        rows = self.experiment.observe(self.column, range(self.result.runs), self.seed).rows
        shown = self.result.measured
        for row in rows:
            run = int(np.argmax(row.values))
            same = shown is not None and abs(row.values[run] - shown) <= _NEAR * abs(shown)
            if row.label == self.result.place and same:
                return run
        raise UnscriptedError("another seed drew this realisation")


def place_numbers(label: str) -> dict[str, int]:
    """The whole numbers in the label of a place, by name.

    >>> place_numbers("t=3, i=1, k=0")
    {'t': 3, 'i': 1, 'k': 0}
    """
    return {key: int(number) for key, number in re.findall(r"(\w+)[= ](\d+)(?![\d.e])", label)}
