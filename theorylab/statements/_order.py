"""Claims of an order: a left side over a bracket, along a sweep of an instance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy as sp

from theorylab import symbols


@dataclass(frozen=True)
class Floor:
    """A proved lower bound on the left side, for every value of ``along``.

    Its proof stands in the statement's docstring. It shows that an order is false where it outgrows
    the bracket: lower/bracket -> oo as ``along`` -> oo and all other symbols stay.

    Args:
        lower: what the left side is at least. assumes: relations under which that is proved.
        along: the symbol that grows.
        follow: symbols that move with it, such as a step size, and how.

    Raises:
        ValueError: where ``lower`` or a relation holds an undeclared symbol.
    """

    lower: sp.Expr
    along: sp.Symbol
    assumes: tuple[sp.Basic, ...] = ()
    follow: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for symbol in self.free:
            symbols.name_of(symbol)

    @property
    def free(self) -> frozenset[sp.Symbol]:
        """Every symbol of the bound, of its relations, and of what follows."""
        parts = (self.lower, *self.assumes, *self.follow.values())
        return frozenset({self.along, *self.follow}).union(*map(symbols.symbols_of, parts))


@dataclass(frozen=True)
class Order:
    """The claim that the left side over ``bracket`` grows by at most the version's bound per decade
    of what a check's ``sweep`` moves.

    By default it speaks of the limit, as an O(.) does. A window may then speak for it; against it
    speaks only a proof, ``floor``: a bounded ratio may rise for decades before it comes near its
    limit. A claim about the ``window`` itself, or a control, is judged by what is measured there.

    Args:
        bracket: in the statement's symbols, without its hidden constant.
        fixed: symbols that the order hides. They have to be the same at all values.
        window: the claim is about the fitted values of the sweep.
        hides: of a claim about a window, what the hidden constant may be: while the last ratio is
            at most this, a growth is no evidence. It takes the constants of the first value.
        floor: the proof against a claim about a limit.

    Raises:
        ValueError: on an undeclared symbol, ``hides`` without ``window``, or both of ``window`` and
            ``floor``.
    """

    bracket: sp.Expr
    fixed: tuple[sp.Symbol, ...] = ()
    window: bool = False
    hides: sp.Expr = sp.S.Zero
    floor: Floor | None = None

    def __post_init__(self) -> None:
        for symbol in self.free:
            symbols.name_of(symbol)
        if self.hides != 0 and not self.window:
            raise ValueError(f"order: hides is {self.hides} without a window; need window=True")
        if self.window and self.floor is not None:
            raise ValueError("order: window and floor came together; need one of them")

    @property
    def free(self) -> frozenset[sp.Symbol]:
        """Every symbol that judging the order needs a number for."""
        found = symbols.symbols_of(self.bracket) | symbols.symbols_of(self.hides)
        return found.union(self.fixed, self.floor.free if self.floor is not None else ())
