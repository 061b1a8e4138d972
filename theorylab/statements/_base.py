"""What a theorem is, as data: who said it, what it assumes, what it bounds, by what.

A statement knows no kernel, no algorithm and no run. It names an algorithm and a measured
quantity by name, and states its bound and its assumptions in the symbols of
``theorylab.symbols``. Whether an instance satisfies it is for ``theorylab.verdicts`` to say.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from theorylab import symbols
from theorylab.statements._assumption import Assumption as Assumption
from theorylab.statements._cause import Cause, worst_of
from theorylab.statements._check import Check as Check
from theorylab.statements._order import Order
from theorylab.statements._quantity import QUANTITIES, Quantity
from theorylab.statements._scope import Extent, checked
from theorylab.statements._severity import Severity
from theorylab.statements._units import scale_free, spelled_units, unit_text, units_agree

_ID = re.compile(r"[a-z][a-z0-9_]*\.[a-z]+[0-9]*[a-z0-9_]*")
EQUAL = "=="
_VERSION = re.compile(r"[a-z0-9][a-z0-9-]*(/[a-z0-9-]+)?")


@dataclass(frozen=True)
class Source:
    """Where a claim is printed.

    Args:
        paper: the paper, as the ids of its statements spell it.
        locator: the paper's own locator, "Theorem 1" or "Eq. (6)".
        text: one line that says what is claimed.

    >>> Source("textbook", "Theorem 1", "mean squared gradient of gradient descent").locator
    'Theorem 1'
    """

    paper: str
    locator: str
    text: str


@dataclass(frozen=True)
class Witness:
    """Why no instance of the class ``within`` can satisfy a version's assumptions.

    A check sees that all facts hold on its instance and that the assumption fails.

    Args:
        breaks: the name of the assumption that the facts contradict.
        facts: what holds on every instance of that class; the proof is in the statement's
            docstring.
        within: the algorithm or the class of instances that the witness speaks of.

    Raises:
        ValueError: where no fact or no class is given.

    >>> from theorylab.symbols import eta
    >>> fact = Assumption("the method has eta <= 1", rule=eta <= 1)
    >>> Witness(breaks="eta >= 2", facts=(fact,), within="methods with eta <= 1").breaks
    'eta >= 2'
    """

    breaks: str
    facts: tuple[Assumption, ...]
    within: str

    def __post_init__(self) -> None:
        if not self.within:
            raise ValueError(
                f"witness against {self.breaks!r}: within is ''; need the algorithm or class that "
                "it speaks of"
            )
        if not self.facts:
            raise ValueError(f"witness against {self.breaks!r}: no fact; need at least one")


@dataclass(frozen=True)
class Version:
    """One reading of a statement: the bound as named terms, what it assumes, its checks.

    The name says whose claim it is. ``printed``: the fairest literal reading of what the paper
    prints, the only one that counts as "false as printed". ``printed/<reading>``: another reading
    that the text admits. ``implied``: what a proof needs and the paper does not print.
    ``corrected``: true, with its proof. ``control``: no claim; all of its checks are controls.
    A user's own may have any other name.

    Args:
        terms: the bound, a sum of expressions in ``theorylab.symbols``, by name.
        assumes: the assumptions.
        checks: the instances that the version is judged on.
        note: how this version takes the words of the paper.
        quantity: the left side, where a reading measures another one than the statement.
        constants: a symbol -> the name of the measured constant that feeds it, where the names
            differ; or a function of what an instance builds (a ``verdicts.Setting``, or the
            experiment) that gives a number or a ``Known``, so that it is right on every instance.
        unsatisfiable: the witness that no instance of a class meets the assumptions.
        causes: the faults that refute the version, see ``Cause``.
        mends: the faults that other versions have and this one has not. What these are called
            false by, while this one stands, is theirs alone.
        fixed_pair: what is measured, or a symbol besides C and q, is made with the very pair (C, q)
            that ``constants`` names, so that no other valid pair can take its place.
        relation: "<=", the quantity is at most the bound; ">=", at least (a claim that there is a
            bias): every constant of such a bound has to be known exactly. "==": it differs from
            the bound by at most ``tight`` times its size, and so is judged on both sides.
        tight: a number >= 0 or an expression, of a relation "==".
        order: the bound is on how fast the quantity over a bracket grows along a check's
            ``sweep``. An order with a slack stands for the terms.
        own_setting: what an instance has to hold to refute what a paper says of its experiments.
        scope: what may move in a search for a counterexample, by part (loss, noise, clients,
            network, start, starts, rounds) or by the name of an option: "free", "fixed" (as the
            checks have it), a pair (low, high), or a list of names. What it does not name follows
            the claim's own symbols and assumptions; see ``theorylab.falsify.scope``.

    Raises:
        ValueError: one line, on no term, an unknown relation, a name that stands twice, or parts
            that do not fit together.
        TypeError: on a term that is no sympy expression.

    >>> from theorylab.symbols import L, T, eta, f0, f_star
    >>> step = Assumption("eta <= 1/L", rule=eta * L <= 1, finite=(L,))
    >>> version = Version(terms={"optimisation": 2 * (f0 - f_star) / (T * eta)}, assumes=(step,))
    >>> version.bound == 2 * (f0 - f_star) / (T * eta), L in version.free
    (True, True)
    """

    terms: Mapping[str, sp.Expr] = field(default_factory=dict)
    assumes: tuple[Assumption, ...] = ()
    checks: tuple[Check, ...] = ()
    note: str = ""
    quantity: str | Quantity | None = None  # where a reading measures something else
    constants: Mapping[sp.Symbol, str | Callable[[Any], Any]] = field(default_factory=dict)
    unsatisfiable: Witness | None = None
    causes: tuple[Cause, ...] = ()
    mends: tuple[Cause, ...] = ()
    fixed_pair: bool = False
    relation: str = "<="
    tight: sp.Expr = sp.S.Zero
    order: Order | None = None
    own_setting: Mapping[str, Any] = field(default_factory=dict)
    scope: Mapping[str, Extent] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checked(self.scope)
        allowed = {} if self.order is None else self.order.allowed
        if bool(self.terms) == bool(allowed):
            came = "terms and an order with a slack" if allowed else "no term"
            raise ValueError(f"version: {came} came; need terms, or an order with a slack")
        if allowed:
            object.__setattr__(self, "terms", allowed)
        if self.relation not in ("<=", ">=", EQUAL):
            raise ValueError(f"version: relation is {self.relation!r}; need '<=', '>=' or '=='")
        object.__setattr__(self, "tight", sp.sympify(self.tight))
        if self.tight != 0 and (self.relation != EQUAL or not self.tight.is_nonnegative):
            raise ValueError(f"version: tight is {self.tight}; need a number >= 0 with '=='")
        if self.relation == EQUAL and self.order is not None:
            raise ValueError("version: an order came with '=='; need '<=' or '>='")
        self._check_causes()
        if self.unsatisfiable is not None and self.unsatisfiable.breaks not in {
            assumption.name for assumption in self.assumes
        }:
            raise ValueError(
                f"witness against {self.unsatisfiable.breaks!r}: no such assumption; need one of "
                f"{', '.join(a.name for a in self.assumes)}"
            )
        names = [check.name for check in self.checks]
        if len(set(names)) < len(names):
            raise ValueError(f"version: checks are called {', '.join(names)}; need each name once")
        for name, term in self.terms.items():
            if not isinstance(term, sp.Expr):
                raise TypeError(
                    f"term {name!r} is {term!r}; need a sympy expression in theorylab.symbols"
                )

    def _check_causes(self) -> None:
        if both := [cause.id for cause in self.causes if cause in self.mends]:
            raise ValueError(f"version: {both[0]} came as a cause and as mended; need one of both")
        for check in self.checks:
            if strange := [each.id for each in check.causes if each not in self.causes]:
                raise ValueError(
                    f"check {check.name!r}: {strange[0]} is no cause of its version; need one of "
                    f"{', '.join(each.id for each in self.causes) or 'them there, too'}"
                )

    @property
    def severity(self) -> Severity | None:
        """Of the worst of its causes; None of a version that has none."""
        return worst_of(self.causes)

    def causes_of(self, check: Check) -> tuple[Cause, ...]:
        """What a verdict of ``check`` against the version shows; nothing of a control."""
        return () if check.control else check.causes or self.causes

    @functools.cached_property
    def bound(self) -> sp.Expr:
        return sp.Add(*self.terms.values())

    @functools.cached_property
    def formula(self) -> str:
        """The terms in LaTeX."""
        return " + ".join(map(_latex, self.terms.values()))

    @property
    def free(self) -> set[sp.Symbol]:
        """Every symbol the bound or an assumption needs."""
        return set(self._free)

    @functools.cached_property
    def _free(self) -> frozenset[sp.Symbol]:
        found: set[sp.Symbol] = self.bound.free_symbols | self.tight.free_symbols
        facts = () if self.unsatisfiable is None else self.unsatisfiable.facts
        for part in (*self.assumes, *facts, *((self.order,) if self.order else ())):
            found |= part.free
        return frozenset(found)


@dataclass(frozen=True)
class Statement:
    """A claim: ``quantity <= bound`` (or ``>=``) whenever the assumptions hold.

    Args:
        id: "<paper>.<locator>", of small letters, digits and _.
        source: where it is printed.
        quantity: the left side: the name of one in ``QUANTITIES``, or a ``Quantity``.
        versions: by name the readings, "printed" first; see ``Version``.
        algorithm: the registered method whose runs the claim is about.
        experiment: the registered experiment that measures its left side. Exactly one of
            ``algorithm`` and ``experiment`` is given.
        trivial: what bounds the quantity without the theorem; a bound above it is vacuous.

    Raises:
        ValueError: on a malformed id, an unknown quantity, an undeclared symbol, or two symbols of
            one name or letter.

    >>> from theorylab.symbols import L, T, eta, f0, f_star
    >>> run = {"problem": {"name": "quadratic", "dim": 3, "mu": 0.1, "L": 2.0}, "clients": 1,
    ...        "rounds": 200, "algorithm": {"eta": 0.25}, "x0": 1.0}
    >>> claim = Statement(
    ...     id="textbook.thm1",
    ...     source=Source("textbook", "Theorem 1", "mean squared gradient of gradient descent"),
    ...     algorithm="sgp",
    ...     quantity="mean_squared_gradient",
    ...     versions=versions({"printed": 2 * (f0 - f_star) / (T * eta)}, run, eta * L <= 1),
    ... )
    >>> from theorylab.verdicts import judge_check
    >>> judge_check(claim, "printed", claim.versions["printed"].checks[0]).verdict
    'HOLDS'
    """

    id: str
    source: Source
    quantity: str | Quantity
    versions: Mapping[str, Version]
    algorithm: str = ""
    experiment: str = ""
    trivial: sp.Expr | None = None

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            strange = re.search(r"[^a-z0-9_.]", self.id)
            why = f", and {strange[0]!r} may not stand in it" if strange else ""
            raise ValueError(
                f"statement id is {self.id!r}{why}; need <paper>.<locator>, as in deprl.thm1, both "
                "of small letters, digits and _ with a letter first"
            )
        if bool(self.algorithm) == bool(self.experiment):
            raise ValueError(
                f"{self.id}: algorithm is {self.algorithm!r}, experiment {self.experiment!r}; need "
                "exactly one of them"
            )
        if not self.versions:
            raise ValueError(f"{self.id}: no version is given; need at least 'printed'")
        for name, version in self.versions.items():
            where = f"{self.id} [{name}]"
            if not _VERSION.fullmatch(name):
                raise ValueError(
                    f"{where}: need a name of small letters, digits and -, and at most one /, "
                    "as in printed, printed/<reading>, implied, corrected"
                )
            if self.algorithm:
                checks = tuple(check.of_runs() for check in version.checks)
                object.__setattr__(version, "checks", checks)
            quantity = self.quantity_of(version)
            if self.experiment and quantity.over != "rows":
                raise ValueError(
                    f"{where}: quantity is over {quantity.over!r}; need 'rows' for an experiment"
                )
            if version.relation == EQUAL and quantity.chance is not None:
                raise ValueError(f"{where}: '==' came with a chance; need '<=' or '>='")
            other = quantity.pathwise or quantity.chance is not None or self.trivial is not None
            if version.order is not None and other:
                raise ValueError(
                    f"{where}: an order came with a trivial bound, or a quantity that is pathwise "
                    "or has a chance; need an expectation"
                )
            beside = (*quantity.sides, quantity.weights, self.trivial)
            free = version.free.union(*(e.free_symbols for e in beside if e is not None))
            symbols.check_apart(where, free)

    def mixed_units(self, version: Version) -> tuple[str, ...]:
        """What of ``version`` does not survive a change of units, a clause each that names both.

        It is judged all the same, in the units of the instance.
        """
        units = self.units_of(version)
        left = f"{self.quantity_of(version).column} has {unit_text(units)}"
        told = []
        for label, term in version.terms.items():
            if not _valued(units_agree, term, units):
                told.append(f"the term {label!r} has the units {spelled_units(term)}, {left}")
        for assumption in version.assumes:
            rule: Any = assumption.rule
            if not _valued(scale_free, rule):
                sides = (spelled_units(side) for side in (rule.lhs, rule.rhs))
                told.append(f"the assumption {assumption.name!r} compares {' with '.join(sides)}")
        return tuple(told)

    def units_of(self, version: Version) -> tuple[int, int]:
        """Of the bound: the quantity's, or a number's where it bounds a growth."""
        return self.quantity_of(version).units if version.order is None else (0, 0)

    def quantity_of(self, version: Version) -> Quantity:
        name = version.quantity or self.quantity
        if isinstance(name, Quantity):
            return name
        if name not in QUANTITIES:
            raise ValueError(
                f"{self.id}: quantity is {name!r}; need one of {', '.join(sorted(QUANTITIES))}"
            )
        return QUANTITIES[name]


@functools.lru_cache(maxsize=4096)  # versions share terms, and a page shows every version
def _latex(term: sp.Expr) -> str:
    return symbols.latex_of(term)


def _valued(test: Callable[..., bool], *arguments: Any) -> bool:
    """The answer of ``test``; True where a formula has no value at a generic point."""
    try:
        return test(*arguments)
    except ValueError:
        return True
