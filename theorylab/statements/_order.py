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
        lower: what the left side is at least.
        along: the symbol that grows.
        assumes: relations under which the lower bound is proved.
        follow: symbols that move with it, such as a step size, and how, by it and by what stays.
        upper: what the bracket is at most, proved too, where the bracket holds a number that moves
            in another way; None if it holds none.

    Raises:
        ValueError: on an undeclared symbol, or where a symbol follows one that moves itself.

    >>> from theorylab.symbols import T, eta
    >>> Floor(lower=eta * T, along=T).along
    T
    """

    lower: sp.Expr
    along: sp.Symbol
    assumes: tuple[sp.Basic, ...] = ()
    follow: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    upper: sp.Expr | None = None

    def __post_init__(self) -> None:
        for symbol in self.free | self.above:
            symbols.name_of(symbol)
        for symbol, rule in self.follow.items():
            if moving := symbols.symbols_of(rule) & set(self.follow):
                names = ", ".join(sorted(map(symbols.name_of, moving)))
                raise ValueError(
                    f"floor: {symbols.name_of(symbol)} follows {names}, which follows, too; need "
                    f"{symbols.name_of(self.along)} and what stays"
                )

    @property
    def free(self) -> frozenset[sp.Symbol]:
        """Every symbol of the bound, of its relations, and of what follows."""
        parts = (self.lower, *self.assumes, *self.follow.values())
        return frozenset({self.along, *self.follow}).union(*map(symbols.symbols_of, parts))

    @property
    def above(self) -> frozenset[sp.Symbol]:
        """Every symbol of ``upper``."""
        return frozenset() if self.upper is None else symbols.symbols_of(self.upper)


@dataclass(frozen=True)
class Order:
    """A claim O(bracket): how fast the left side over ``bracket`` may grow.

    It grows by at most the version's bound per decade of what a check's ``sweep`` moves; with a
    ``rate``, per unit of it.

    By default it speaks of the limit, as an O(.) does. A window may then speak for it; against it
    speaks only a proof, a floor: a bounded ratio may rise for decades before it comes near its
    limit. A claim about the ``window`` itself, or a control, is judged by what is measured there.

    Args:
        bracket: in the statement's symbols, without its hidden constant.
        fixed: symbols that the order hides. They have to be the same at all values.
        window: the claim is about the fitted values of the sweep.
        hides: of a claim about a window, what the hidden constant may be: while the last ratio is
            at most this, a growth is no evidence. It takes the constants of the first value.
        floors: the proofs against a claim about a limit, each for instances of its own.
        left: the left side, of a claim about a bound alone, as "this term can be neglected". What
            is measured gives the constants then.
        rate: lambda, of a geometric bracket such as lambda^T. The growth is then the factor per
            unit of what the sweep moves, from a fit that is linear in it, and not per decade.
        slack: in place of the version's terms, the exponent that may be lost. Without a rate it is
            a power of what the sweep moves: the growth is at most 10^slack per decade. With a rate,
            lambda^((1 - slack) T) is allowed: the growth is at most lambda^-slack per unit.

    Raises:
        ValueError: on an undeclared symbol, ``hides`` without ``window``, ``floors`` together with
            ``window`` or ``left``, or a slack that is a negative number.

    >>> from theorylab.symbols import T
    >>> Order(1 / T).free == {T}
    True
    """

    bracket: sp.Expr
    fixed: tuple[sp.Symbol, ...] = ()
    window: bool = False
    hides: sp.Expr = sp.S.Zero
    floors: tuple[Floor, ...] = ()
    left: sp.Expr | None = None
    rate: sp.Expr | None = None
    slack: sp.Expr | None = None

    def __post_init__(self) -> None:
        for name in ("rate", "slack"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, sp.sympify(getattr(self, name)))
        for symbol in self.free:
            symbols.name_of(symbol)
        if self.slack is not None and self.slack.is_negative:
            raise ValueError(f"order: slack is {self.slack}; need an exponent >= 0")
        if self.hides != 0 and not self.window:
            raise ValueError(f"order: hides is {self.hides} without a window; need window=True")
        if self.window and self.floors:
            raise ValueError("order: window and floors came together; need one of them")
        if self.left is not None and self.floors:
            raise ValueError("order: left and floors came together; need one of them")

    @property
    def allowed(self) -> dict[str, sp.Expr]:
        """The term of the growth that the slack leaves; none without a slack."""
        if self.slack is None:
            return {}
        factor = sp.Integer(10) ** self.slack if self.rate is None else self.rate**-self.slack
        return {"slack": factor}

    @property
    def free(self) -> frozenset[sp.Symbol]:
        """Every symbol that judging the order needs a number for."""
        maybe = (part for part in (self.left, self.rate, self.slack) if part is not None)
        parts = (self.bracket, self.hides, *maybe)
        floors = (symbol for floor in self.floors for symbol in floor.free | floor.above)
        return frozenset(self.fixed).union(floors, *map(symbols.symbols_of, parts))
