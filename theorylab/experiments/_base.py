"""What a statement can be about other than one run of an algorithm, and how it is measured.

An experiment builds its objects from plain data, knows their constants, and measures the left-hand
side of a claim at *rows*: the places where the same inequality is claimed, such as every (i, M) of
a lemma or every T of a theorem. It knows no statement: what a row is compared with is for
``theorylab.verdicts`` to say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from numpy.typing import NDArray

from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.known import Known
from theorylab.registry import Named, Table, table
from theorylab.runs.row import Observation as Observation
from theorylab.runs.row import Row as Row
from theorylab.runs.row import relative_error as relative_error

Floats = NDArray[Any]


class Experiment(Named, ABC, kind="experiment"):
    """What measures a left side that is not about a run, such as matrices or drawn points.

    It is built from plain JSON-able options; a wrong one is a ValueError in one line. A user's file
    may define its own: a subclass that names itself is found by that name.

    Attributes:
        columns: what ``observe`` can measure.
        claim_options: options that say which claim is measured (the reading of an estimator, the
            bracket of a rate) and not on which instance; a search for counterexamples leaves them
            as a version's own checks have them.
        most_runs: where runs are costly, how many there are at most, whatever is asked for.

    >>> from theorylab.runs import Observation, Row
    >>> class Powers(Experiment):  # with a name, name="mine.powers", a claim finds it
    ...     columns = ("power",)
    ...
    ...     def describe(self):
    ...         return {}
    ...
    ...     def constants(self):
    ...         return {}
    ...
    ...     def observe(self, column, runs, seed):
    ...         return Observation(tuple(Row(np.array([0.5**t]), {"t": t}) for t in range(3)), True)
    >>> Powers().observe("power", range(1), 0).rows[2].values.tolist()
    [0.25]
    """

    columns: ClassVar[tuple[str, ...]] = ()
    claim_options: ClassVar[tuple[str, ...]] = ()
    most_runs: int | None = None

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The options, all of them: ``experiment(name, **describe())`` is the same experiment."""

    @abstractmethod
    def constants(self) -> dict[str, Known]:
        """Constants by the declared names of their symbols, each with how it is known."""

    def plain(self, spot: Spot) -> Plain:
        """How the number at ``spot`` is written in plain NumPy; UnwrittenError where it is not."""
        raise UnwrittenError(f"no script is written for the column {spot.column}")

    @abstractmethod
    def observe(self, column: str, runs: range, seed: int) -> Observation:
        """The rows of ``column`` for these run ids; a function of (options, column, runs, seed)."""


EXPERIMENTS: Table[type[Experiment]] = table("experiment")


def experiment(name: str, **options: Any) -> Experiment:
    """The experiment of that name; ValueError in one line on an unknown name or a wrong option."""
    kind = EXPERIMENTS.find(name)
    try:
        return kind(**options)
    except TypeError as error:
        if "unexpected keyword" in str(error) or "required" in str(error):
            raise ValueError(f"experiment {name}: {str(error).split('__init__() ')[-1]}") from None
        raise


def check_column(kind: Experiment, column: str) -> None:
    """Raise ValueError unless ``kind`` can measure ``column``."""
    if column not in kind.columns:
        raise ValueError(
            f"experiment {kind.name}: column is {column!r}; need one of {', '.join(kind.columns)}"
        )
