"""One assumption of a statement: a relation of constants, or a predicate of the instance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy as sp

from theorylab import symbols

Told = bool | None | tuple[bool | None, float | None, str]  # holds, its margin, why


@dataclass(frozen=True)
class Assumption:
    """One assumption: a relation between symbols, constants that must be finite, or a predicate of
    the instance.

    Args:
        name: the assumption in words or as the paper prints it.
        rule: a sympy relation between symbols, such as ``eta * L <= 1``. It is decided with the
            constants of the instance.
        finite: symbols whose constants must be finite.
        asks: the rounds without which the assumption fails, whatever number of them an instance
            runs. Where nobody can run as many, the claim says nothing, and the verdict is VACUOUS.
        holds: a function of what an instance builds (a ``runs.Setting``, or the experiment). It
            gives True, False, or None where it cannot be known; or (that, margin, why), where the
            margin is the room left as a share of the cap, or None, and ``why`` is one clause with
            the numbers.

    Raises:
        ValueError: where nothing is assumed, or a symbol is not declared.
        TypeError: on a rule that is no relation.

    >>> from theorylab.symbols import L, eta
    >>> small = Assumption("eta <= 1/L", rule=eta * L <= 1, finite=(L,))
    >>> few = Assumption("at most 8 clients", holds=lambda setting: setting.topology.clients <= 8)
    >>> small.free == {L, eta}, few.free
    (True, set())
    """

    name: str
    rule: sp.Basic | None = None
    finite: tuple[sp.Symbol, ...] = ()
    asks: sp.Expr | None = None
    holds: Callable[[Any], Told] | None = None

    def __post_init__(self) -> None:
        relation = self.rule is not None or bool(self.finite)
        if not relation and self.holds is None:
            raise ValueError(
                f"assumption {self.name!r}: says nothing; need a rule, finite=(...) or "
                "holds=function"
            )
        if self.holds is not None and (relation or self.asks is not None):
            raise ValueError(
                f"assumption {self.name!r}: holds came with a rule, finite or asks; need an "
                "assumption of its own"
            )
        if self.holds is not None and not callable(self.holds):
            raise TypeError(
                f"assumption {self.name!r}: holds is {self.holds!r}; need a function of the "
                "instance, or rule=..."
            )
        orders = (sp.Eq, sp.Lt, sp.Le, sp.Gt, sp.Ge)
        settled = self.rule in (None, sp.true, sp.false, True, False)
        if not settled and not isinstance(self.rule, orders):
            raise TypeError(
                f"assumption {self.name!r}: rule is {self.rule!r}; need <, <=, >, >= or Eq"
            )

    @property
    def free(self) -> set[sp.Symbol]:
        """Every symbol the assumption needs."""
        found = set(self.finite)
        for part in (self.rule, self.asks):
            found |= set() if part is None else symbols.symbols_of(part)
        return found
