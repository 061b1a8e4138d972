"""A counterexample as a file, and its replay bit for bit (schema 3; 2 had no needs and no check).

The file is data: it names no file to be run. That of a user's own statement holds the theorem's
text with its SHA-256, for a reader, and a replay runs only the file that it is given, and only
where that is the same.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import theorylab
from theorylab.characters import json_printable
from theorylab.falsify._older import today as today
from theorylab.falsify.finding import Finding
from theorylab.falsify.hunt import FINAL_SEEDS
from theorylab.falsify.recheck import Recheck
from theorylab.falsify.scope import Scope
from theorylab.imports import Code, codes, difference, imported
from theorylab.statements import BUILT_IN, Check, Statement
from theorylab.verdicts import Result, judge_check, selected, texts

SCHEMA, _READ = 3, (2, 3)
NEEDS = "NEEDS"  # in place of a verdict, where the instance lies outside the claim's scope


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


class Counterexample(BaseModel):
    """What ``replay`` needs, and what it must find again.

    ``measured_hex``, ``low_hex`` and ``bound_hex`` are the floats to the last bit. ``refuted``:
    False for a search that found none; the file then holds the instance nearest to it. ``needs``:
    what the claim needs to leave the instance out, where it lies outside the claim's scope;
    ``verdict`` is "NEEDS" then. ``written``: the instance with every option at its default.
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
                "how": finding.how,
                "check": finding.check,
            },
            imports=codes(),
            needs=list(finding.needs),
            began=Began(check=finding.nearest, instance=finding.began) if finding.nearest else None,
            written=finding.written,
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


@dataclass(frozen=True)
class Replayed:
    """Whether a replay found every bit again; ``differences``: one line each.

    result: of ``statement``, as judged now. needs: by what its instance lies outside the claim's
    scope, where it breaks the claim.
    older: the file was written by another version, whose instances may be said in another form and
    whose limits may be wider: the verdict has to be the same, measured and bound to nine digits.
    """

    statement: Statement
    result: Result
    differences: tuple[str, ...]
    older: bool = False
    needs: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        return _verdict(self.result, self.needs)

    @property
    def same(self) -> bool:
        return not self.differences


def replay(kept: Counterexample, source: Path | None = None) -> Replayed:
    """Judge the instance again and compare.

    Args:
        source: the file of a user's own statement. It is run, if it is the one in ``kept``.

    Raises:
        ValueError: on a statement or version that is not there (any more), or another file.
    """
    own = None if kept.theorem is None else kept.theorem.sha256  # of that file, --source is enough
    then, now = ([c for c in each if c.sha256 != own] for each in (kept.imports, codes()))
    told = difference(then, now)
    if told is not None:
        raise ValueError(f"the imports differ: {told}")
    statement = _statement(kept, source)
    if kept.version not in statement.versions:
        raise ValueError(
            f"{kept.statement} has no version {kept.version!r}; need one of "
            f"{', '.join(statement.versions)}"
        )
    older, instance = kept.theorylab != theorylab.__version__, kept.instance
    if older and kept.theorem is None:
        instance = today(kept.statement, kept.version, instance)
    check = Check("replay", instance)
    found = judge_check(statement, kept.version, check, seeds=kept.seeds, seed=kept.seed)
    needs = Scope(statement, kept.version).needs(instance)
    scoped = kept.schema_number >= SCHEMA  # an older file knows no scope
    pairs = [
        ("verdict", kept.verdict, _verdict(found, needs if scoped else ())),
        ("needs", "; ".join(kept.needs), "; ".join(needs) if kept.needs else ""),
        ("measured", *_twice(kept.measured, kept.measured_hex, found.measured)),
        ("bound", *_twice(kept.bound, kept.bound_hex, found.bound)),
    ]
    if not older:
        pairs.append(("lower limit", kept.low_hex, _hex(found.ci[0])))
    return Replayed(
        statement,
        found,
        tuple(
            f"{name}: {old} in the file, {new} now"
            for name, old, new in pairs
            if old != new and not (older and _near(old, new))
        ),
        older,
        needs if found.verdict == "VIOLATED" else (),
    )


def _verdict(result: Result, needs: tuple[str, ...]) -> str:
    """A word of its own for what breaks a claim outside the claim's scope."""
    return NEEDS if needs and result.verdict == "VIOLATED" else result.verdict


def _twice(
    shown: float | None, exact: str | None, now: float | None
) -> tuple[str | None, str | None]:
    """(then, now) in hex, of a number that the file says in digits, too: these may be forged."""
    digits = shown is not None and exact == _hex(now)  # JSON has no inf
    return (_hex(shown) if digits else exact), _hex(now)


def _near(old: str | None, new: str | None) -> bool:
    """Whether two numbers in hex agree to nine digits."""
    try:
        first, second = (float.fromhex(text or "") for text in (old, new))
    except ValueError:
        return False
    return abs(first - second) <= 1e-9 * max(abs(first), abs(second))


def _statement(kept: Counterexample, source: Path | None) -> Statement:
    if kept.theorem is None:
        if source is not None:
            raise ValueError(f"{kept.statement} is no user's statement; need it without {source}")
        if kept.statement not in BUILT_IN:
            raise ValueError(f"no statement {kept.statement!r}; need one that list shows")
        return BUILT_IN[kept.statement]
    if source is None:  # an imported file is as good
        same = (each.path for each in imported() if each.path.name == kept.theorem.name)
        source = next(same, None)
    if source is None:
        raise ValueError(
            f"{kept.statement} is of a user's file; need --source {kept.theorem.name}, which runs "
            "that file"
        )
    if source.suffix != ".py" or not source.is_file():
        raise ValueError(f"--source {source}: no such file; need the {kept.theorem.name} it is of")
    difference = kept.theorem.difference(Theorem.of(source))
    if difference is not None:
        raise ValueError(
            f"--source {source}: is not the file of this counterexample: {difference}; nothing "
            "was run"
        )
    found = selected([str(source)])
    if kept.statement not in found:
        raise ValueError(f"--source {source}: has no {kept.statement}; has {', '.join(found)}")
    return found[kept.statement][0]


def _hex(value: float | None) -> str | None:
    return None if value is None else float(value).hex()
