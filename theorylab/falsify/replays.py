"""A counterexample's file, judged again and compared bit for bit.

A replay of a user's own statement runs only the file that it is given, and only where that is the
same as the one that the counterexample is of.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import theorylab
from theorylab.falsify.finding import NEEDS, SCHEMA, Counterexample, Theorem, in_hex
from theorylab.falsify.instances import Instance
from theorylab.falsify.scope import Scope
from theorylab.imports import codes, difference, imported
from theorylab.statements import BUILT_IN, Check, Statement
from theorylab.verdicts import Result, judge_check, selected
from theorylab.verdicts.result import Verdict

_BROKEN = next(each.name for each in Verdict if each.broken)


@dataclass(frozen=True)
class Replayed:
    """Whether a replay found every bit again; ``differences``: one line each.

    result: of ``statement``, as judged now. needs: by what its instance lies outside the claim's
    scope, where it breaks the claim.
    older: another version wrote the file. Its limits may be wider, so that the verdict has to be
    the same, and the measured side and the bound to nine digits.
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
    older = kept.theorylab != theorylab.__version__
    found = _judged(kept, statement, kept.instance, kept.seed)
    needs = Scope(statement, kept.version).needs(kept.instance)
    scoped = kept.schema_number >= SCHEMA  # an older file knows no scope
    pairs = [
        ("verdict", kept.verdict, _verdict(found, needs if scoped else ())),
        ("needs", "; ".join(kept.needs), "; ".join(needs) if kept.needs else ""),
        ("measured", *_twice(kept.measured, kept.measured_hex, found.measured)),
        ("bound", *_twice(kept.bound, kept.bound_hex, found.bound)),
    ]
    if not older:
        pairs.append(("lower limit", kept.low_hex, in_hex(found.ci[0])))
    if (less := kept.smaller) is not None:
        least = _judged(kept, statement, less.instance, less.seed)
        pairs += [
            ("smaller still, verdict", _BROKEN, least.verdict),
            ("smaller still, measured", *_twice(less.measured, less.measured_hex, least.measured)),
            ("smaller still, bound", *_twice(less.bound, less.bound_hex, least.bound)),
        ]
    return Replayed(
        statement,
        found,
        tuple(
            f"{name}: {old} in the file, {new} now"
            for name, old, new in pairs
            if old != new and not (older and _near(old, new))
        ),
        older,
        needs if found.outcome.broken else (),
    )


def _judged(kept: Counterexample, statement: Statement, instance: Instance, seed: int) -> Result:
    check = Check("replay", instance)
    return judge_check(statement, kept.version, check, seeds=kept.seeds, seed=seed)


def _verdict(result: Result, needs: tuple[str, ...]) -> str:
    """A word of its own for what breaks a claim outside the claim's scope."""
    return NEEDS if needs and result.outcome.broken else result.verdict


def _twice(
    shown: float | None, exact: str | None, now: float | None
) -> tuple[str | None, str | None]:
    """(then, now) in hex, of a number that the file says in digits, too: these may be forged."""
    digits = shown is not None and exact == in_hex(now)  # JSON has no inf
    return (in_hex(shown) if digits else exact), in_hex(now)


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
