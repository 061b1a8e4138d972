"""Everything that a result can say for itself, in one object."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from theorylab.algorithms import ALGORITHMS
from theorylab.explain._script import script_of as script_of
from theorylab.explain.causes import causes_of_result
from theorylab.explain.finding import finding_lines
from theorylab.explain.instance_line import instance_line
from theorylab.own import is_own
from theorylab.registry import options_of
from theorylab.statements import BUILT_IN, Cause, Statement, Version
from theorylab.verdicts import Result

if TYPE_CHECKING:
    from theorylab.falsify.recheck import Recheck


_FILLED = ("algorithm_name", "experiment_name", "constants")  # in a result, and in no instance


@dataclass(frozen=True)
class Explanation:
    """Why a verdict is what it is.

    Attributes:
        result: what was judged.
        causes: the faults that it shows, and no other's.
        text: the docstring of a built-in statement: what is printed, its readings, its proofs.
        reading: how this version takes the words of the paper.
        instance: one line of mathematics.
        command: the command line that judges this very row again.
        lines: of a counterexample that is no check's own, the nearest check, the finding and the
            difference; else nothing.

    >>> from theorylab.verdicts import jobs, judge
    >>> told = explained(judge(jobs(["dfedsgpsm.lem1"], versions=["printed"])[0]))
    >>> told.causes, told.command.startswith("theorylab verify dfedsgpsm.lem1")
    ((), True)
    """

    result: Result
    causes: tuple[Cause, ...]
    text: str
    reading: str
    instance: str
    command: str
    lines: tuple[str, ...] = ()

    @property
    def false(self) -> bool:
        """Whether the result tells against the version."""
        return bool(self.result.severity) and not self.result.control

    @property
    def fails(self) -> str:
        """What fails, of each cause, one after the other."""
        return " ".join(cause.fails for cause in self.causes)

    @property
    def repair(self) -> str:
        return " ".join(cause.repair for cause in self.causes)


def explained(
    result: Result, *, version: Version | None = None, source_file: str = ""
) -> Explanation:
    """The explanation of a result.

    Args:
        result: what ``judge`` gave.
        version: that was judged; of a built-in statement the catalogue's is taken.
        source_file: the user's file that its statement is in.

    Returns:
        The claim, its causes and the instance in words.

    A result of a built-in id without a ``source_file`` is taken for the built-in statement's.

    >>> from theorylab.verdicts import jobs, judge
    >>> explained(judge(jobs(["dfedsgpsm.lem1"], versions=["printed"])[0])).false
    False
    """
    own = not source_file and result.id in BUILT_IN
    if own and version is None:
        version = BUILT_IN[result.id].versions.get(result.version)
    return Explanation(
        result=result,
        causes=() if version is None else causes_of_result(result, version),
        text=text_of(result.id) if own else "",
        reading="" if version is None else version.note,
        instance=_line(result.instance),
        command=reproduced(result, source_file),
        lines=found_lines(BUILT_IN[result.id], result) if own else (),
    )


def found_lines(statement: Statement, result: Result) -> tuple[str, ...]:
    """Three lines on a result that breaks a claim on another instance than that of a check: the
    check that is nearest, the finding, the difference. Nothing of another result."""
    version = statement.versions.get(result.version)
    if version is None or not result.outcome.broken:
        return ()
    if any(check.name == result.check for check in version.checks):
        return ()
    from theorylab.falsify.scope import Scope, written

    instance = {key: result.instance[key] for key in result.instance if key not in _FILLED}
    scope = Scope(statement, result.version)
    try:
        nearest = scope.nearest(instance)
        both = (written(statement, each) for each in (scope.checks[nearest], instance))
        return tuple(finding_lines(nearest, *both))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return ()  # a file of results may say anything of its instance


def _line(instance: Mapping[str, Any]) -> str:
    """In mathematics; of a user's own algorithm with every option, as the claim may rest on one
    that stands at its default, which no page tells."""
    name, given = instance.get("algorithm_name"), instance.get("algorithm")
    kind = ALGORITHMS.find(name) if isinstance(name, str) and name in ALGORITHMS else None
    if kind is None or is_own(kind) or not isinstance(given, Mapping):
        return instance_line(instance)
    options = {key: each.default for key, each in options_of(kind).items()}
    plain = {k: v for k, v in options.items() if isinstance(v, bool | int | float | str)}
    return instance_line({**instance, "algorithm": {**given, **plain, **given}}, whole=True)


def text_of(name: str) -> str:
    """The docstring of a built-in statement's file; empty where there is no such statement."""
    if name not in BUILT_IN:
        return ""
    module = BUILT_IN.module(name)
    import_module(module)
    return (sys.modules[module].__doc__ or "").strip()


def reproduced(result: Result, source_file: str = "") -> str:
    """The command line that judges one row again."""
    parts = ["theorylab", "verify", source_file or result.id]
    if source_file or result.version != "printed":
        parts += ["--version", result.version]
    parts += ["--check", result.check]
    return " ".join(map(shlex.quote, parts))


def rechecked(statement: Statement, result: Result, seed: int = 0) -> Recheck | None:
    """The measured side once more, in balls, of a result that is VIOLATED; None of another.

    seed: that the result was measured with.
    """
    if not result.outcome.broken:
        return None
    from theorylab.falsify.recheck import recheck

    return recheck(statement, result.version, result, seed)
