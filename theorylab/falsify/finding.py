"""What a search found, and its file (schema 3; schema 2 had no needs and no check).

The file is data: it names no file to be run. That of a user's own statement holds the theorem's
text with its SHA-256, for a reader.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import theorylab
from theorylab.characters import json_printable
from theorylab.falsify.instances import Instance
from theorylab.falsify.recheck import Recheck
from theorylab.falsify.score import FINAL_SEEDS
from theorylab.imports import Code, codes
from theorylab.verdicts import Result, texts

SCHEMA, _READ = 3, (2, 3)
NEEDS = "NEEDS"  # in place of a verdict, where the instance lies outside the claim's scope


@dataclass(frozen=True)
class Smaller:
    """A smaller instance that breaks the claim, with less on; its result, and the seed of that.
    ``written``: with every option that stands at its default."""

    instance: Instance
    result: Result
    seed: int
    written: Instance


@dataclass(frozen=True)
class Finding:
    """What a search for counterexamples came to.

    Attributes:
        statement, version: the claim that was searched.
        refuted: VIOLATED, confirmed with ``seeds`` runs.
        instance: the one nearest to breaking the claim, or breaking it.
        result: that of ``instance``, or None where none could be judged.
        seeds, seed: most runs of an instance, and the seed of all.
        tried, inside, invalid: instances judged, those within the assumptions, and those that were
            none.
        stage: where it was found.
        seconds: how long the search took.
        refusal: why the first that was no instance was none.
        known: one of the version's own checks refutes it, ``check``, so nothing was searched.
        undecided: where nothing is refuted, an instance whose mean lies beyond the bound while its
            confidence limit does not; its ``runs`` were all that there was time for.
        how: the moves that lead from a check to the instance.
        check: the name of that check.
        needs: where the instance breaks the claim and lies outside its scope, what the claim would
            need to leave it out ("no noise", "one client"). The verdict of ``result`` then tells of
            the instance and not of the claim, and ``refuted`` is False.
        also: what other findings need, a line each.
        nearest, began: the name of the check that is nearest to the instance, and that check's
            instance, every option at its default written out.
        written: ``instance``, every option at its default written out.
        exhausted: the search ended before its time, as no move was left that makes another
            instance.
        smaller: the smallest that breaks the claim, where ``instance`` is not that. ``instance``
            has several clients, and all on that the claim is about, as far as there is such a one.

    >>> from theorylab.statements import BUILT_IN
    >>> finding = falsify(BUILT_IN["deprl.thm1"])
    >>> finding.refuted, finding.known, finding.result.verdict
    (True, True, 'VIOLATED')
    """

    statement: str
    version: str
    refuted: bool
    instance: Instance
    result: Result | None
    seeds: int
    seed: int
    tried: int
    inside: int
    invalid: int
    stage: str
    seconds: float
    refusal: str = ""
    known: bool = False
    undecided: Result | None = None
    how: str = ""
    check: str = ""
    needs: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    nearest: str = ""
    began: Instance = field(default_factory=dict)
    written: Instance = field(default_factory=dict)
    smaller: Smaller | None = None
    exhausted: bool = False

    @property
    def broken(self) -> bool:
        """Whether ``instance`` breaks the claim, inside its scope or outside."""
        return self.refuted or bool(self.needs)


class Theorem(BaseModel):
    """A user's file as it was when the search began.

    ``modules``: SHA-256 of each local module that it imports, by its path from the file's folder.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    sha256: str
    text: str
    modules: dict[str, str]

    @staticmethod
    def of(path: str | Path) -> Theorem:
        """Nothing is run. Raises OSError, and ValueError where there is no text."""
        (name, text), *modules = texts(path).items()
        try:
            shown = text.decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError(f"{path}: not UTF-8 text; need a Python file") from None
        sums = {other: hashlib.sha256(content).hexdigest() for other, content in modules}
        return Theorem(name=name, sha256=hashlib.sha256(text).hexdigest(), text=shown, modules=sums)

    def difference(self, other: Theorem) -> str | None:
        """In which file the two differ, None where they are the same code."""
        if self.sha256 != other.sha256:
            return (
                f"its SHA-256 is {other.sha256[:16]}..., that of {self.name} {self.sha256[:16]}..."
            )
        for module in sorted({*self.modules, *other.modules}):
            if self.modules.get(module) != other.modules.get(module):
                return f"{module}, which it imports, is another"
        return None


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
