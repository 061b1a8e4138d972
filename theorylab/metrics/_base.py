"""A metric: a named fold over the local steps and rounds of a run, whatever algorithm runs.

A metric sees what the algorithm's own ``step`` did, all runs at once, and says at every *place*,
such as a round t or a client i, what the left-hand side of a claim is there. It knows no statement
and no law: ``measured`` plays the runs and takes expectations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from theorylab.algorithms import LocalStep, State
from theorylab.known import Known
from theorylab.registry import Named, Table, table
from theorylab.runs import Row, Setting


class Metric(Named, ABC, kind="metric"):
    """One left-hand side. A subclass that names itself is found by that name.

    A user's file may define its own; a ``Quantity`` over "rows" names it.

    Args:
        setting: what an instance builds: problem, topology, algorithm, rounds and runs.
        known: the constants in ``numbers``, by name.

    Attributes:
        name: registered name, "<paper>.<what it measures>".
        axis: the constant in ``Row.at`` against which measured and bound are drawn.
        numbers: names of constants that it needs from the instance, such as ("q_row",).
        local: whether it looks at local steps, with ``see``.
        single: its right side is random and no expectation of it will do, so it is measured only
            where nothing is random.
        of_rounds: it asks the losses of each round of a problem that drifts.
        plain: how a script writes the value in NumPy, a text of ``scripts._columns``; "" for the
            metric's own text.

    A row's values and the random symbols of its right side are arrays, one number a run, (R,). A
    sample of runs cannot tell what a random symbol's expectation is, so places with one are left
    out of it, but for a ``Given`` at round 0.

    >>> from theorylab.runs import Row
    >>> class Spread(Metric):  # with a name, name="mine.spread", a claim finds it
    ...     def rows(self, before, after):
    ...         away = before.z - before.z.mean(axis=1, keepdims=True)
    ...         yield Row((away**2).sum(axis=(1, 2)), {"t": before.t}, f"t={before.t}")
    """

    axis: ClassVar[str] = ""
    numbers: ClassVar[tuple[str, ...]] = ()
    local: ClassVar[bool] = False
    single: ClassVar[bool] = False
    of_rounds: ClassVar[bool] = False
    plain: ClassVar[Any] = ""

    def __init__(self, setting: Setting, known: Mapping[str, Known]) -> None:
        """known: the constants in ``numbers``. Raises ValueError on what cannot be measured."""
        self.setting, self.known = setting, known

    @classmethod
    def written(cls, setting: Setting, place: str) -> Any:
        """``plain`` of an instance, at the label of a row."""
        return cls.plain

    def start(self, state: State) -> None:
        """The state before round 0."""

    def see(self, step: LocalStep) -> None:
        """A local step of the round at hand; its arrays may be kept, and must not be changed."""

    @abstractmethod
    def rows(self, before: State, after: State) -> Iterable[Row]:
        """The places of the round from ``before`` to ``after``."""

    def passed(self, before: State, after: State) -> None:
        """A round of which no row is asked for; what ``rows`` remembers of it is remembered."""
        for _ in self.rows(before, after):
            pass

    def last(self, state: State) -> Iterable[Row]:
        """The places of the state after the last round, x^T."""
        return ()


METRICS: Table[type[Metric]] = table("metric")


def metric(name: str) -> type[Metric]:
    """The metric of that name; ValueError in one line where there is none."""
    return METRICS.find(name)
