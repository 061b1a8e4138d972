"""What the commands can run, keep in a folder, and go on with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import State
from theorylab.runs._columns import Table
from theorylab.runs.configuration import Configuration, Document
from theorylab.runs.simulate import Snapshot
from theorylab.runs.trace import Trace
from theorylab.topologies import Topology


class Task(Protocol):
    """A configuration with nothing left out, built: ``Setting`` is one.

    unit: what ``state.t`` counts. shown: the column whose value progress shows.
    """

    unit: ClassVar[str]
    shown: ClassVar[str]

    @property
    def configuration(self) -> Configuration: ...

    @property
    def document(self) -> Document: ...

    @property
    def problem(self) -> Any: ...

    @property
    def topology(self) -> Topology: ...

    @property
    def total(self) -> int:
        """``state.t`` of a run that is over."""

    def recorded(self) -> NDArray[np.int64]:
        """The rounds, or outer steps, that the columns of the table belong to, (S,)."""

    def ending(self, state: State) -> Table | None:
        """The columns (R, 1) at the end of the run, nan where it has none; None: no more.

        Raises DivergedError where one overflowed.
        """

    def chosen(self, columns: Mapping[str, NDArray[Any]]) -> NDArray[np.int64] | None:
        """Which entry of its columns each run reports, (R,); None: the last."""

    def simulate(
        self,
        checkpoint: Callable[[Snapshot], None] | None = None,
        resume: Snapshot | None = None,
    ) -> Trace:
        """Run it; arguments and errors as of ``theorylab.runs.simulate``."""
