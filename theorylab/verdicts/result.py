"""One judged check, as it stands in memory and in JSON (schema 1)."""

from __future__ import annotations

import math
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from theorylab.characters import json_printable
from theorylab.registry import Named, Table, table
from theorylab.tables import Columns, Framed, columns_of, html_table
from theorylab.words import Verdict as Verdict

SCHEMA = 1
_NUMBERS = ("value", "lower", "upper", "log10")  # of a constant; the rest of it is texts
_ROW = (
    *("id", "version", "check", "verdict", "expected", "severity", "measured", "low", "high"),
    *("bound", "log10_bound", "ratio", "relation", "runs", "places", "place", "control"),
    *("rests_on", "reason", "seconds"),
)


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AssumptionResult(_Model):
    """``holds`` is None when the constants do not decide it; ``margin`` is relative to the cap.

    ``within``: the rounds that it was seen to hold in, where its constants are of those alone.
    ``firm``: False where it is met by less than rounding moves the numbers of the run.
    """

    name: str
    holds: bool | None
    within: str = ""
    margin: float | None = None
    reason: str = ""
    firm: bool = True


class Curve(_Model, Framed):
    """Measured and bound against the round count, or against another symbol, ``axis``.

    ``None`` where a number has no float value. ``text``: what the two are, in words, where they are
    not the result's measured side and bound.
    """

    rounds: list[int | float]
    axis: str = "T"
    measured: list[float]
    lower: list[float | None]
    upper: list[float | None]
    bound: list[float | None]
    text: str = ""

    def table(self) -> Columns:
        """The axis (the rounds, T, or another symbol), and what is at each of its points."""
        return {
            self.axis: self.rounds,
            "measured": self.measured,
            "lower": self.lower,
            "upper": self.upper,
            "bound": self.bound,
        }

    @model_validator(mode="after")
    def _same_length(self) -> Curve:
        lengths = {len(c) for c in (self.rounds, self.measured, self.lower, self.upper, self.bound)}
        if len(lengths) != 1:
            raise ValueError(f"curve columns have lengths {sorted(lengths)}; need one length")
        return self


class PlaceResult(_Model):
    """The measured side at one place beside the bound; of an order, at a value of the sweep beside
    the bracket."""

    place: str
    measured: float | None
    ci: tuple[float | None, float | None]
    bound: float | None
    log10_bound: float | None
    ratio: float | None


class Result(_Model):
    """What one check gave: the verdict, both sides, and what they rest on.

    Attributes:
        id, version, check: which claim was judged on which instance.
        verdict: a word of ``Verdict``. ``outcome`` is its member.
        expected: the word that the check has to get; "" of an instance of one's own.
        measured, ci: the left side and its limits, None where float64 cannot hold a number.
        bound, log10_bound: the right side, and its logarithm.
        ratio: measured / bound. ``log10_ratio`` has it also beyond float64.
        terms, log10_terms: the terms of the bound by name.
        assumptions: what each assumption was found to be.
        constants: by name the number, how it is known and its source.
        instance: what was run, as plain data.
        interval: how the limits were made.
        reason: one sentence that says why it is this verdict.
        runs: how many runs were sampled.
        relative_error: of an identity, the difference over the size of its sides.
        place, places: where the ratio is largest, and how many places were measured.
        rows: every place, where they were asked for.
        control: the instance lies outside the claim.
        severity, causes: of a false claim, what is wrong with it.
        fault: of an ERROR, whose it is.
        rests_on: a reading, a pair (C, q) or a horizon that the verdict stands on.
        noticed, given: what was seen, or what the user said, of a method and its runs.
        curve: measured against bound over the rounds, or None.
        quantity, formula, relation: both sides in LaTeX, and how the claim compares them.
        source, paper: where the claim is printed.
        seconds: how long it took, the one part that differs from run to run.

    >>> result = judge(jobs(["dfedsgpsm.lem1"], versions=["printed"])[0])
    >>> result.outcome is Verdict.HOLDS, result.ci[0] <= result.measured <= result.ci[1]
    (True, True)
    """

    id: str
    version: str
    check: str  # name of the instance
    verdict: str
    expected: str
    measured: float | None
    ci: tuple[float | None, float | None]
    bound: float | None
    log10_bound: float | None
    ratio: float | None
    terms: dict[str, float | None]
    log10_terms: dict[str, float | None] = {}  # of those above 0
    assumptions: list[AssumptionResult]
    constants: dict[str, dict[str, Any]]
    instance: dict[str, Any]
    interval: str  # how the interval was made
    reason: str
    runs: int
    relative_error: float | None = None  # of an identity: measured over the size of its sides
    place: str = ""  # which of the places is shown: where the ratio is largest
    places: int = 1  # where the claim was measured
    rows: list[PlaceResult] = []  # all of them, where they were asked for
    control: bool = False  # outside the claim: shows that the measurement can tell
    severity: str = ""  # of a false claim: what is wrong with it
    causes: list[str] = []  # ids of the faults that a verdict against the claim shows
    fault: Literal["", "input", "theorylab"] = ""  # of an ERROR: whose it is
    rests_on: str = ""  # what the verdict stands on: a reading, a pair (C, q), a horizon
    noticed: str = ""  # what was seen of a user's algorithm that its class does not say
    given: str = ""  # what a user says of every run, where the limits rest on it: a ceiling
    curve: Curve | None
    quantity: str  # LaTeX of the measured side
    formula: str  # LaTeX of the bound
    relation: str = "<="  # of the measured side to it; a ratio above 1 breaks either
    source: str  # paper and locator
    paper: str = ""  # what of the source is the paper's name, which may have a comma
    seconds: float

    @model_validator(mode="before")
    @classmethod
    def _without_heir(cls, content: Any) -> Any:
        """Files of before there were causes name the statement whose fault a result repeats."""
        if isinstance(content, dict) and isinstance(content.get("inherits"), str):
            return {key: part for key, part in content.items() if key != "inherits"}
        return content

    @field_validator("constants")
    @classmethod
    def _told_constants(cls, value: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """What ``Known.as_json`` writes: a page shows the numbers, and the texts beside them."""
        for name, content in value.items():
            for key, part in content.items():
                number = key in _NUMBERS
                if not isinstance(part, int | float | None if number else str):
                    need = "a number or null" if number else "a text"
                    raise ValueError(f"{name}.{key} is {part!r}; need {need}")
        return value

    @field_validator("verdict", "expected")
    @classmethod
    def _known_verdict(cls, value: str, info: ValidationInfo) -> str:
        if value not in Verdict.__members__ and (value or info.field_name != "expected"):
            raise ValueError(f"verdict {value!r}; need one of {', '.join(Verdict.__members__)}")
        return value

    @property
    def outcome(self) -> Verdict:
        """The verdict with all that its word says."""
        return Verdict[self.verdict]

    @property
    def log10_ratio(self) -> float | None:
        """log10 of ``ratio``, also where the ratio leaves float64: above 0 the claim is broken.

        ``inf`` where a bound that is not positive is passed; None where a ratio has no meaning: no
        claim is made, something was not measured, or both sides are at most 0.
        """
        if not self.outcome.word.applies or self.measured is None:
            return None
        at_least, positive = self.relation == ">=", self.measured > 0
        if self.log10_bound is not None:
            log = math.log10(self.measured) - self.log10_bound if positive else -math.inf
            return -log if at_least else log
        if self.bound is None:
            return None
        if at_least:
            return -math.inf if positive else math.inf if self.measured < self.bound else None
        return math.inf if self.measured > self.bound else None

    @property
    def as_expected(self) -> bool:
        return self.verdict == self.expected

    def row(self) -> dict[str, Any]:
        """What fits into one row of a table; ``curve``, ``terms`` and the rest do not."""
        low, high = self.ci
        fields = {**dict(self), "low": low, "high": high}
        return {name: fields[name] for name in _ROW}

    @property
    def told(self) -> str:
        """The verdict; a control's, which tells nothing of the claim, says that it is one."""
        return f"control: {self.verdict}" if self.control else self.verdict

    def _repr_html_(self) -> str:
        return SURFACES["notebook"].html(self)


class Surface(Named, kind="surface"):
    """Who shows a result; found by name, for the room of reports stands on this one."""

    @staticmethod
    def html(result: Result) -> str:
        """A piece of a page."""
        raise NotImplementedError


SURFACES: Table[type[Surface]] = table("surface")


class NotRun(_Model):
    """A check that was not judged: a package is absent that the ``extra`` brings, or data that the
    system's ``package`` brings; the other of the two is "".

    It has no verdict. ``reason``: the line that says what to install.
    """

    id: str
    version: str
    check: str
    extra: str = ""
    package: str = ""
    reason: str

    @property
    def told(self) -> str:
        """What stands where another check has its verdict."""
        lacks = f"extra {self.extra}" if self.extra else f"package {self.package}"
        return f"not run: needs {lacks}"


class Report(_Model, Framed):
    """Results as they are kept in a file: ``{"schema": 1, "results": [...], "not_run": [...]}``.

    Attributes:
        schema_number, schema: 1, under the second name in the file.
        results: of the checks that were judged.
        not_run: the checks that need a package that is not installed.
        origin: of a folder's file, the command, the code, the machine and the day, name by name.

    Raises:
        ValueError: where the content is not that of such a file.

    >>> report = Report(results=[judge(jobs(["dfedsgpsm.lem1"], versions=["printed"])[0])])
    >>> report.table()["verdict"], Report.model_validate_json(report.to_json()) == report
    (['HOLDS'], True)
    """

    schema_number: int = Field(default=SCHEMA, alias="schema")
    results: list[Result]
    not_run: list[NotRun] = []
    origin: dict[str, str] = {}

    @field_validator("schema_number")
    @classmethod
    def _known_schema(cls, value: int) -> int:
        if value != SCHEMA:
            raise ValueError(f"schema {value}; need {SCHEMA}")
        return value

    def table(self) -> Columns:
        """One row a check."""
        return columns_of(self.results)

    def _repr_html_(self) -> str:
        columns = self.table()
        shown = ("id", "version", "check", "verdict", "measured", "bound", "ratio")
        count = f"{len(self.results)} check{'s' * (len(self.results) != 1)}"
        return html_table(count, {name: columns.get(name, []) for name in shown})

    def to_json(self) -> str:
        """The file's text; the same results give the same bytes."""
        return json_printable(self.model_dump_json(by_alias=True, indent=1)) + "\n"


def finite(x: float) -> float | None:
    """JSON has no infinity and no nan: such a number becomes null."""
    return float(x) if math.isfinite(x) else None
