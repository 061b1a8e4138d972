"""How much more of the test samples a method gets right than a rival, run by run.

A run is a seed: it draws the data split, the first models, minibatches and edges, and both sides of
a pair have the same where they draw the same. So the difference of one run is a sample, and its
expectation, over all that is drawn, is what a table's ranking is about.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from theorylab.experiments._base import Experiment, Floats, Observation, Row, check_column
from theorylab.files import named_files
from theorylab.known import How, Known
from theorylab.problems._options import count, number
from theorylab.runs.price import Price, kept_at_its_price

_OF_THE_CLAIM = ("pairs", "most_runs", "least", "sides")  # what one side does not depend on
# Runs that are always made together, so that no number depends on how many are asked for. Fewer
# where there may be no more: their models are in memory together.
BLOCK = 8
_MOST_KEPT = 512
# What was measured, by setting, seed, side and block: statements on one setting share it.
_KEPT: dict[tuple[str, ...], tuple[Mapping[str, Floats], tuple[Price, ...]]] = {}


class PairedAccuracy(Experiment):
    """One row for every pair (method, rival), the first less the second.

    Columns:
        lead        of the test accuracy, as a share of the test samples
        lead_low    of its 10th percentile over clients

    A lead within half a test sample is none: so much room has a row. Subclasses build the sides.

    Args:
        pairs: names of a method and of a rival, each.
        most_runs: runs beyond which it does not go.
        least: ``least_lead``, by how much the method is claimed to be ahead.
    """

    columns: ClassVar[tuple[str, ...]] = ("lead", "lead_low")
    claim_options = ("pairs", "least")
    options: dict[str, Any]

    def _paired(self, pairs: Any, most_runs: Any, least: Any, sides: Sequence[str]) -> None:
        """Check and keep what all subclasses have. ValueError, one line."""
        self.least = number(self.name, "least", least, at_least=0)
        self.most_runs = count(self.name, "most_runs", most_runs)
        whole = isinstance(pairs, Sequence) and not isinstance(pairs, str) and bool(pairs)
        if not whole or not all(
            isinstance(pair, Sequence) and len(pair) == 2 and {*pair} <= {*sides} for pair in pairs
        ):
            raise ValueError(
                f"{self.name}: pairs is {pairs!r}; need [method, rival] each, of {', '.join(sides)}"
            )
        self.pairs = [(str(method), str(rival)) for method, rival in pairs]

    def _options(self, name: str, given: Any, barred: Sequence[str] = ("clients",)) -> Any:
        """``given``, a mapping without the names that stand elsewhere. ValueError, one line."""
        if not isinstance(given, Mapping):
            raise ValueError(f"{self.name}: {name} is {given!r}; need {{option: value}}")
        for each in barred:
            if each in given:
                raise ValueError(f"{self.name}: {name} has {each!r}; need it beside {name}, once")
        return dict(given)

    @property
    @abstractmethod
    def test_samples(self) -> int:
        """Of all clients together."""

    @abstractmethod
    def chosen(self, side: str, seed: int) -> Mapping[str, float]:
        """What a side chose by validation: its step size, and its other options."""

    @abstractmethod
    def measured(self, side: str, runs: range, seed: int) -> Mapping[str, Floats]:
        """What each column takes the difference of, (R,) each, by the column's name."""

    def constants(self) -> dict[str, Known]:
        return {
            "n": Known(self.options["clients"], How.EXACT, "given"),
            "least_lead": Known(self.least, How.EXACT, "as claimed"),
        }

    def describe(self) -> dict[str, Any]:
        return self.options

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        room = self.room(column)
        rows = []
        for method, rival in self.pairs:
            first, second = (self._side(side, column, runs, seed) for side in (method, rival))
            label = " on ".join(
                f"{side} ({', '.join(f'{k} {v:g}' for k, v in self.chosen(side, seed).items())})"
                for side in (method, rival)
            )
            most = self.largest(column)
            rows.append(
                Row(
                    self.lead(column, first, second),
                    label=label,
                    rounding=room,
                    signed=True,
                    floor=-most,
                    ceiling=most,
                )
            )
        return Observation(tuple(rows), exact=False)

    def room(self, column: str) -> float:
        """Half a test sample."""
        return 0.5 / self.test_samples

    def largest(self, column: str) -> float:
        """The largest lead that there can be, of shares of test samples 1."""
        return 1.0

    def lead(self, column: str, method: Floats, rival: Floats) -> Floats:
        """By how much the method is better, run by run."""
        return method - rival

    def _side(self, side: str, column: str, runs: range, seed: int) -> Floats:
        """(R,): what this side measures in the runs."""
        shared = {k: v for k, v in self.options.items() if k not in _OF_THE_CLAIM}
        own = self.options.get("sides", {}).get(side)
        decides = [shared, own, seed, named_files(shared)]
        setting = self.name, json.dumps(decides, sort_keys=True), side
        parts = []
        size = BLOCK if self.most_runs is None else min(BLOCK, self.most_runs)
        for block in range(runs.start // size, -(-runs.stop // size)):
            key = (*setting, str(size), str(block))
            ids = range(block * size, (block + 1) * size)
            made = partial(self.measured, side, ids, seed)
            found = kept_at_its_price(_KEPT, key, made, _MOST_KEPT)
            parts.append(found[column])
        first = runs.start // size * size
        return np.concatenate(parts)[runs.start - first : runs.stop - first]
