"""How near an instance comes to breaking a claim: its score, by the judge or the screening."""

from __future__ import annotations

import contextvars
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import sympy as sp

from theorylab.extras import MissingExtraError
from theorylab.falsify.costs import bulk, limits, name_in, too_large
from theorylab.falsify.screen import FAR, OUTSIDE, Measured, Screen, excess, outside
from theorylab.falsify.time_limit import at_most
from theorylab.statements import BUILT_IN, Check, Floor, Statement, Version
from theorylab.symbols import name_of
from theorylab.verdicts import Result, guarded, judge_check
from theorylab.verdicts.claimed import held
from theorylab.verdicts.extremes import extreme
from theorylab.verdicts.sweep import is_swept

# What a change of an instance can run into before anything is measured: it is no instance.
FAILURES = (
    *(ValueError, TypeError, ArithmeticError, KeyError, IndexError, MemoryError, TimeoutError),
    *(AttributeError, MissingExtraError),  # a claim's own function asks for what a loss lacks
)
FINAL_SEEDS = 1024  # runs that confirm a counterexample found with fewer
_DEAR, _DEAR_SHARE = 10.0, 0.25  # times the mean, and the share of the time that such ones have
_SHORT = 0.3  # seconds that each may take
UNSHOWN = 20.0  # of what has no lower limit above 0, how far the score of its mean is lowered
_CLOSE = -1e-6  # scores of the screening above this are judged: it rounds
Value = TypeVar("Value")


def unmet(version: Version, constants: Mapping[str, float]) -> int:
    """The fewest relations that a floor of the version's order lacks, and one more where its lower
    bound is 0; 0 without an order or without floors.

    Args:
        constants: by name; what is not there, as what the sweep moves, is not counted.
    """
    floors = () if version.order is None else version.order.floors
    return min((_lacking(floor, constants) for floor in floors), default=0)


def _lacking(floor: Floor, constants: Mapping[str, float]) -> int:
    known = {s: constants[name_of(s)] for s in floor.free if name_of(s) in constants}
    values = {s: sp.Rational(value) for s, value in known.items() if s not in floor.follow}
    rules = (rule.xreplace(values) for rule in floor.assumes)
    failed = sum(rule == sp.false for rule in rules)
    return int(failed + (floor.lower.xreplace(values) == 0))


@dataclass
class Judge:
    """Judges instances of one version; the same instance is judged once.

    seeds: the most runs of a sampled instance. deadline: the time of ``clock`` after which the
    judge is ``over``.
    """

    statement: Statement
    version: str
    seeds: int
    seed: int
    deadline: float
    patience: float = math.inf  # seconds; where judging took longer, only smaller ones follow
    screening: bool = False  # judge only what looks broken, to be confirmed; the rest has no result
    interrupts: bool = False  # end what takes too long; only once every module is imported
    clock: Callable[[], float] = time.process_time
    kept: Measured | None = None
    longest: float = math.inf  # seconds of one
    evaluations: int = 0
    invalid: int = 0
    inside: int = 0
    refusal: str = ""  # why the first one that was no instance was none
    refused: str = ""  # why the last one was none; "" where it was one
    cut: bool = False  # the last one had less time than it might have
    fresh: bool = False  # the last instance was none that had been judged before
    _claims: set[str] = field(default_factory=set)  # that this version's own checks make
    _checks: set[str] = field(default_factory=set)  # the instances of all checks
    _given: set[str] = field(default_factory=set)  # the constants that they give
    _most: dict[str, int] = field(default_factory=dict)
    _largest: dict[str, float] = field(default_factory=dict)  # clients x rounds worth judging
    _kept: dict[str, tuple[float, Result | None]] = field(default_factory=dict)
    _spent: float = 0.0  # seconds of all
    _dear: float = 0.0  # and of those that took many times the mean

    def __post_init__(self) -> None:
        self.screen = Screen(self.statement, self.version, self.kept)
        self._claims = claims(self.statement, self.version)
        self._most = limits(self.statement, self.version)
        checks = [c for version in self.statement.versions.values() for c in version.checks]
        self._checks = {text_of(check.instance) for check in checks}
        self._given = {constants_of(check.instance) for check in checks}

    def _allowed(self) -> float:
        """Seconds that the next instance may take: those much dearer than most share some."""
        if self._dear < _DEAR_SHARE * self._spent:
            return math.inf
        return max(_SHORT, _DEAR * self._spent / max(self.evaluations, 1))

    @property
    def over(self) -> bool:
        return self.clock() > self.deadline

    def __call__(self, instance: Mapping[str, Any]) -> tuple[float, Result | None]:
        """(score, result): log of measured over bound inside the assumptions, -inf without one."""
        key = text_of(instance)
        self.fresh, self.cut = key not in self._kept, False
        if not self.fresh:
            return self._kept[key]
        found = self._judged(instance)
        if not self.cut:  # it may have more time when it comes again
            self._kept[key] = found
        return found

    def known(self, instance: Mapping[str, Any]) -> float:
        """The score of an instance that was judged; -inf of one that was not, or not to the end."""
        return self._kept.get(text_of(instance), (-math.inf, None))[0]

    def _judged(self, instance: Mapping[str, Any]) -> tuple[float, Result | None]:
        self.screen.forget()
        self.refused = ""
        kind = kind_of(instance)
        size = bulk(instance)
        other = bool(self._claims) and claim_of(self.statement, instance) not in self._claims
        other = other or constants_of(instance) not in self._given
        if frozen(self.statement, instance):
            other = other or text_of(instance) not in self._checks
        other = other or bool(extreme(instance))  # where nothing can be proven
        if other or too_large(instance, self._most) or size > self._largest.get(kind, math.inf):
            self.invalid += 1
            return -math.inf, None
        self.evaluations += 1
        began = self.clock()
        left = max(1.0, min(self.patience, self.deadline - began))
        try:
            longest = 2 * left if self.interrupts else 0.0
            # what overflows is refused in one line, or cut
            loud = np.errstate(over="ignore", invalid="ignore")
            with guarded(), loud:
                if self.screening and not is_swept(self.statement, self.version, instance):
                    allowed = min(longest, self._allowed(), self.longest)
                    self.cut = allowed < longest
                    with at_most(allowed, True):
                        score = _apart(lambda: self.screen(instance, self.seeds, self.seed))
                    self.cut = False
                    if not score > _CLOSE:
                        self.inside += score > OUTSIDE
                        return score, None
                with at_most(longest, True):
                    result = _apart(
                        lambda: judge_check(
                            self.statement,
                            self.version,
                            Check("search", instance),
                            seeds=self.seeds,
                            seed=self.seed,
                            budget=math.inf,
                            going=lambda: self.clock() <= began + left,
                            exactly=False,
                            screening=self.screening,
                        )
                    )
        except FAILURES as error:
            self.cut = self.cut and isinstance(error, TimeoutError)
            self.invalid += 1  # no instance: some option cannot be
            self.refused = str(error)
            self.refusal = self.refusal or self.refused
            return -math.inf, None
        finally:
            took = self.clock() - began
            self._spent += took
            if took > _DEAR * self._spent / self.evaluations:
                self._dear += took
            if took > self.patience:  # judging costs at least in proportion to the size
                self._largest[kind] = size * self.patience / took
        score = scored(result) - self._lacking(result)
        self.inside += score > OUTSIDE
        return score, result

    def _lacking(self, result: Result) -> float:
        """Of an order that nothing shows to be false, what a proof of that lacks."""
        if result.ci[0] != 0:
            return 0.0
        known = {name: told.get("value") for name, told in result.constants.items()}
        numbers = {k: v for k, v in known.items() if isinstance(v, float) and math.isfinite(v)}
        return float(unmet(self.statement.versions[self.version], numbers))


def _apart(look: Callable[[], Value]) -> Value:
    """What ``look`` gives; where an alarm ends it, what it set of the context goes with it."""
    return contextvars.copy_context().run(look)


def frozen(statement: Statement, instance: Mapping[str, Any]) -> bool:
    """Whether nothing of the instance may move: a user's constants that came as numbers are known
    for that instance alone. Those of a built-in statement are the paper's, of every instance."""
    return bool(instance.get("constants")) and BUILT_IN.get(statement.id) is not statement


def text_of(instance: Mapping[str, Any]) -> str:
    return json.dumps(instance, sort_keys=True)


def constants_of(instance: Mapping[str, Any]) -> str:
    return text_of(instance.get("constants") or {})


def claim_of(statement: Statement, instance: Mapping[str, Any]) -> str:
    return json.dumps({key: instance.get(key) for key in held(statement)}, sort_keys=True)


def claims(statement: Statement, version: str) -> set[str]:
    """What the version's own checks claim; controls lie outside."""
    checks = statement.versions[version].checks
    return {claim_of(statement, check.instance) for check in checks if not check.control}


def kind_of(instance: Mapping[str, Any]) -> str:
    """Instances of one kind run the same code: their loss, their network, all that has a name."""
    names = {key: value if isinstance(value, str) else name_in(instance, key)
             for key, value in instance.items()}  # fmt: skip
    return json.dumps({key: name for key, name in names.items() if name}, sort_keys=True)


def scored(result: Result) -> float:
    """What the search raises: above 0 exactly where the limit that counts exceeds the bound.

    Without a lower limit above 0 what was measured says where to look, and stays far below 0.
    """
    if result.outcome.outside:
        failed = [a.margin for a in result.assumptions if a.holds is False]
        return outside(failed) if failed else OUTSIDE - 1  # it fails somewhere alone
    if result.outcome.empty and result.bound is None:  # no size reaches what it asks
        return outside([])
    undecided = [a for a in result.assumptions if a.holds is None]
    if undecided:  # a constant known from one side only: nothing can be proven here
        return OUTSIDE - 1 - len(undecided)
    (low, high), bound = result.ci, result.bound
    if result.relation == ">=":
        return -math.inf if high is None or bound is None else excess(bound, high)
    if low is None or bound is None:
        return -math.inf
    seen = result.measured or 0.0
    if low <= 0 and bound > 0 and seen > 0:
        # nothing is shown yet, and what was seen says where it might be
        return max(min(excess(seen, bound), 0.0) - UNSHOWN, -FAR)
    return excess(low, bound)


def tight_in(result: Result | None) -> str:
    """The largest term of the bound at the place that is shown; "" where there is none."""
    sizes = {} if result is None else {k: abs(v) for k, v in result.terms.items() if v is not None}
    return max(sizes, key=sizes.__getitem__) if len(sizes) > 1 else ""


def proven(result: Result | None) -> bool:
    """VIOLATED, and not merely UNSATISFIABLE or undecided."""
    return result is not None and result.outcome.broken


def beyond(result: Result | None) -> bool:
    """Whether runs left it open, and their mean is beyond the bound; an equality that only rounding
    leaves open has one run."""
    open_one = result is not None and result.outcome.undecided and result.runs > 1
    return open_one and result is not None and (result.ratio or 0) > 1
