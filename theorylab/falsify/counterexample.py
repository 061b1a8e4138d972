"""A counterexample as a file (schema 3; 2 had no needs and no check).

The file is data: it names no file to be run. That of a user's own statement holds the theorem's
text with its SHA-256, for a reader.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import theorylab
from theorylab.characters import json_printable
from theorylab.falsify.finding import Finding, Smaller
from theorylab.falsify.hunt import FINAL_SEEDS
from theorylab.falsify.recheck import Recheck
from theorylab.falsify.theorem import Theorem as Theorem
from theorylab.imports import Code, codes

SCHEMA, _READ = 3, (2, 3)
NEEDS = "NEEDS"  # in place of a verdict, where the instance lies outside the claim's scope


class Began(BaseModel):
    """The check that is nearest to the instance, with every option that stands at its default."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    check: str
    instance: dict[str, Any]


class Least(BaseModel):
    """A smaller instance that breaks the claim, with less on, as ``Finding.smaller`` has it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    instance: dict[str, Any]
    written: dict[str, Any]
    seed: int = Field(ge=0, lt=2**64)
    measured: float | None
    bound: float | None
    measured_hex: str | None
    bound_hex: str | None

    @staticmethod
    def of(found: Smaller) -> Least:
        return Least(
            instance=found.instance,
            written=found.written,
            seed=found.seed,
            measured=found.result.measured,
            bound=found.result.bound,
            measured_hex=in_hex(found.result.measured),
            bound_hex=in_hex(found.result.bound),
        )


class Counterexample(BaseModel):
    """What ``replay`` needs, and what it must find again.

    ``measured_hex``, ``low_hex`` and ``bound_hex`` are the floats to the last bit. ``refuted``:
    False for a search that found none; the file then holds the instance nearest to it. ``needs``:
    what the claim needs to leave the instance out, where it lies outside the claim's scope;
    ``verdict`` is "NEEDS" then. ``written``: the instance with every option at its default.
    ``smaller``: what breaks the claim and is smaller, where there is such a one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_number: int = SCHEMA
    theorylab: str
    statement: str
    version: str
    theorem: Theorem | None  # a user's own statement
    instance: dict[str, Any]
    seeds: int = Field(ge=1, le=FINAL_SEEDS)
    seed: int = Field(ge=0, lt=2**64)
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
    imports: list[Code] = Field(default_factory=list)
    needs: list[str] = Field(default_factory=list)
    began: Began | None = None
    written: dict[str, Any] = Field(default_factory=dict)
    smaller: Least | None = None

    @staticmethod
    def of(
        finding: Finding, budget: float, theorem: Theorem | None, recheck: Recheck | None
    ) -> Counterexample:
        """Of a search; ValueError if it judged no instance at all."""
        result = finding.result
        if result is None:
            raise ValueError(
                f"falsify: {finding.statement} [{finding.version}]: none of {finding.invalid} "
                f"instances could be judged; the first: {finding.refusal}"
            )
        return Counterexample(
            theorylab=theorylab.__version__,
            statement=finding.statement,
            version=finding.version,
            theorem=theorem,
            instance=finding.instance,
            seeds=finding.seeds,
            seed=finding.seed,
            refuted=finding.refuted,
            verdict=NEEDS if finding.needs else result.verdict,
            reason=result.reason,
            place=result.place,
            measured=result.measured,
            bound=result.bound,
            ratio=result.ratio,
            measured_hex=in_hex(result.measured),
            low_hex=in_hex(result.ci[0]),
            bound_hex=in_hex(result.bound),
            recheck=None if recheck is None else recheck.as_json(),
            search={
                "budget": budget,
                "tried": finding.tried,
                "inside": finding.inside,
                "invalid": finding.invalid,
                "stage": finding.stage,
                "how": finding.how,
                "check": finding.check,
            },
            imports=codes(),
            needs=list(finding.needs),
            began=Began(check=finding.nearest, instance=finding.began) if finding.nearest else None,
            written=finding.written,
            smaller=None if finding.smaller is None else Least.of(finding.smaller),
        )

    def to_json(self) -> str:
        return json_printable(self.model_dump_json(indent=1)) + "\n"

    @staticmethod
    def parsed(text: str) -> Counterexample:
        """Of a file's text; one line on what is wrong with it."""
        try:
            made = Counterexample.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            at = ".".join(str(part) for part in first["loc"]) or "the file"
            raise ValueError(f"{at}: {first['msg'].lower()}") from None
        if made.schema_number not in _READ:
            raise ValueError(f"schema_number is {made.schema_number}; need {SCHEMA}")
        return made


def in_hex(value: float | None) -> str | None:
    return None if value is None else float(value).hex()
