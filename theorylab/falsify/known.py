"""Known ground: what a version's own checks say, before any search."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator

from theorylab.exact import floated
from theorylab.falsify.moves import Instance
from theorylab.falsify.score import FAILURES, proven
from theorylab.falsify.screen import Measured, Screen
from theorylab.falsify.sizes import cost
from theorylab.statements import Check, Statement
from theorylab.verdicts import Result, guarded, judge_check
from theorylab.verdicts.sweep import is_swept

_NEAR = -1e-6  # scores of the screening above this are judged: it rounds
_FEW = 16  # runs of the screening


def refuted_by_check(
    statement: Statement,
    version: str,
    *,
    seeds: int,
    seed: int,
    budget: float,
    clock: Callable[[], float],
    kept: Measured | None = None,
) -> tuple[Instance, Result, str] | None:
    """The first of the version's own checks that is VIOLATED, with its result and its name; None
    without one.

    Checks of which that is expected come first and are judged whatever it takes: a search that
    finds nothing must not be told of a version that its own catalogue refutes. The others are
    screened, for ``budget`` seconds of ``clock`` altogether.
    """
    until = clock() + budget
    screen = Screen(statement, version, kept)
    for check in _in_order(statement, version):
        surely = check.expect == "VIOLATED"
        if not surely and clock() > until:
            continue
        instance = floated(json.loads(json.dumps(check.instance)))[0]
        try:
            with guarded():
                screened = not surely and not is_swept(statement, version, instance)
                if screened and not screen(instance, _FEW, seed) > _NEAR:
                    continue
                result = judge_check(
                    statement,
                    version,
                    Check("search", instance),
                    seeds=seeds,
                    seed=seed,
                    budget=math.inf,
                    going=_going(surely, clock, max(clock() + 1.0, until)),
                )
        except FAILURES:  # a user's check that is no instance: the search tells why
            continue
        if proven(result):
            return instance, result, check.name
    return None


def _going(surely: bool, clock: Callable[[], float], ends: float) -> Callable[[], bool]:
    return lambda: surely or clock() <= ends


def _in_order(statement: Statement, version: str) -> Iterator[Check]:
    checks = [check for check in statement.versions[version].checks if not check.control]
    yield from sorted(checks, key=lambda c: (c.expect != "VIOLATED", cost(c.instance)))
