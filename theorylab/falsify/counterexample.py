"""A counterexample as a file, and its replay bit for bit (schema 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

import theorylab
from theorylab.falsify.recheck import Recheck
from theorylab.falsify.search import Finding
from theorylab.statements import Check
from theorylab.verdicts import judge_check, selected

SCHEMA = 1


class Counterexample(BaseModel):
    """What ``replay`` needs, and what it must find again.

    ``measured_hex``, ``low_hex`` and ``bound_hex`` are the floats to the last bit. ``refuted``:
    False for a search that found none; the file then holds the instance nearest to it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_number: int = SCHEMA
    theorylab: str
    statement: str
    version: str
    source_file: str | None  # a user's own statement
    instance: dict[str, Any]
    seeds: int
    seed: int
    refuted: bool
    verdict: str
    reason: str
    place: str
    measured: float | None
    bound: float | None
    ratio: float | None
    measured_hex: str | None
    low_hex: str | None
    bound_hex: str | None
    recheck: dict[str, Any] | None
    search: dict[str, Any]

    @staticmethod
    def of(
        finding: Finding, budget: float, source_file: str | None, recheck: Recheck | None
    ) -> Counterexample:
        """Of a search; ValueError if it judged no instance at all."""
        result = finding.result
        if result is None:
            raise ValueError(
                f"falsify: {finding.statement} [{finding.version}]: none of {finding.invalid} "
                "instances could be judged"
            )
        return Counterexample(
            theorylab=theorylab.__version__,
            statement=finding.statement,
            version=finding.version,
            source_file=source_file,
            instance=finding.instance,
            seeds=finding.seeds,
            seed=finding.seed,
            refuted=finding.refuted,
            verdict=result.verdict,
            reason=result.reason,
            place=result.place,
            measured=result.measured,
            bound=result.bound,
            ratio=result.ratio,
            measured_hex=_hex(result.measured),
            low_hex=_hex(result.ci[0]),
            bound_hex=_hex(result.bound),
            recheck=None if recheck is None else recheck.as_json(),
            search={
                "budget": budget,
                "tried": finding.tried,
                "inside": finding.inside,
                "invalid": finding.invalid,
                "stage": finding.stage,
            },
        )

    def to_json(self) -> str:
        return self.model_dump_json(indent=1) + "\n"

    @staticmethod
    def parsed(text: str) -> Counterexample:
        """Of a file's text; one line on what is wrong with it."""
        try:
            made = Counterexample.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            at = ".".join(str(part) for part in first["loc"]) or "the file"
            raise ValueError(f"{at}: {first['msg'].lower()}") from None
        if made.schema_number != SCHEMA:
            raise ValueError(f"schema_number is {made.schema_number}; need {SCHEMA}")
        return made


@dataclass(frozen=True)
class Replayed:
    """Whether a replay found every bit again; ``differences``: one line each."""

    verdict: str
    differences: tuple[str, ...]

    @property
    def same(self) -> bool:
        return not self.differences


def replay(kept: Counterexample) -> Replayed:
    """Judge the instance again and compare.

    Raises:
        ValueError: on a statement or version that is not there (any more).
    """
    statement, _ = selected([kept.source_file or kept.statement])[kept.statement]
    if kept.version not in statement.versions:
        raise ValueError(
            f"{kept.statement} has no version {kept.version!r}; need one of "
            f"{', '.join(statement.versions)}"
        )
    check = Check("replay", kept.instance)
    found = judge_check(statement, kept.version, check, seeds=kept.seeds, seed=kept.seed)
    pairs = (
        ("verdict", kept.verdict, found.verdict),
        ("measured", kept.measured_hex, _hex(found.measured)),
        ("lower limit", kept.low_hex, _hex(found.ci[0])),
        ("bound", kept.bound_hex, _hex(found.bound)),
    )
    return Replayed(
        found.verdict,
        tuple(f"{name}: {old} in the file, {new} now" for name, old, new in pairs if old != new),
    )


def _hex(value: float | None) -> str | None:
    return None if value is None else float(value).hex()
