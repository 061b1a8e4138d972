"""The inequality that is judged, in the letters of a keyboard, a term a line."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import sympy as sp
from sympy.printing.str import StrPrinter

from theorylab import symbols
from theorylab.explain._losses import number
from theorylab.statements import Order, Quantity, Statement, one_sided
from theorylab.verdicts import Result

_LONG = 150  # characters of a term; what comes twice in a longer one gets a name
_SHORT = 12  # characters that need no name
_PAPERS = ("dfedalt_", "dfedpgp_", "dfedsgpsm_", "deprl_", "pdbo_", "hgp_")


def judged(statement: Statement, result: Result) -> list[str]:
    """The left side, the relation and the terms of the bound, each with its value: lines of text.

    Letters have the names of the constants, without the paper's where that leaves them apart, and
    ``^`` is a power. The values are those of ``result``, at the place that it shows.

    >>> from theorylab.statements import BUILT_IN
    >>> from theorylab.verdicts import judge_check
    >>> claim = BUILT_IN["dfedsgpsm.lem5_last"]
    >>> print(*judged(claim, judge_check(claim, "printed", claim.versions["printed"].checks[0])))
    inverse_sum <= (1 - alpha)/K
    """
    statement = one_sided(statement, result.version, result.relation)
    version = statement.versions[result.version]
    order = version.order
    sides = [] if order is None else [order.left or sp.S.One, order.bracket]
    letters = set().union(*(each.free_symbols for each in (*version.terms.values(), *sides)))
    writer = _Writer(_short(letters))
    whole, shared = writer.parted([*version.terms.values(), *sides])
    texts = dict(zip(version.terms, whole, strict=False))
    left = _left(statement.quantity_of(version), order, whole[len(texts) :])
    if len(texts) == 1:
        lines = [f"{left} {result.relation} {whole[0]}"]
    else:
        lines = [f"{left} {result.relation} the sum of"]
        for name, text in texts.items():
            value = result.terms.get(name)
            told = "" if value is None else f" = {value:.4g}"
            lines.append(f"  {text}  [{name}{told}]")
    return [*lines, *(["where", *(f"  {line}" for line in shared)] if shared else [])]


def put_in(statement: Statement, result: Result) -> str:
    """The claim with the numbers of ``result`` in place of its letters; "" of an order, whose
    letters move, and where a letter has no number.

    >>> from theorylab.statements import BUILT_IN
    >>> from theorylab.verdicts import judge_check
    >>> claim = BUILT_IN["dfedsgpsm.lem5_last"]
    >>> put_in(claim, judge_check(claim, "printed", claim.versions["printed"].checks[0]))
    '1.25 <= (1 - .5)/2 = .25'
    """
    version = statement.versions[result.version]
    bound, constants = version.bound, result.constants
    values = {s: constants.get(symbols.name_of(s), {}).get("value") for s in bound.free_symbols}
    texts = {s: _number(value) for s, value in values.items() if value is not None}
    if version.order is not None or result.measured is None or len(texts) < len(values):
        return ""
    told = _Writer(texts).text(bound)
    sides = number(result.measured), number(result.bound)
    return f"{sides[0]} {result.relation} {told}" + (f" = {sides[1]}" if told != sides[1] else "")


def _number(value: float) -> str:
    """A number that may stand in a product or a power."""
    text = number(value)
    return f"({text})" if text.startswith("-") or "e" in text else text


def _left(quantity: Quantity, order: Order | None, sides: Sequence[str]) -> str:
    """The measured column, and what becomes of it along the sweep of an order."""
    over = "" if quantity.over == "rows" else f" ({quantity.over})"
    name = f"{_bare(quantity.column)}{over}"
    if order is None:
        return name
    left = name if order.left is None else sides[0]
    bracket = "" if order.bracket == 1 else f" over {sides[1]}"
    return f"the growth per {'decade' if order.rate is None else 'unit'} of {left}{bracket}"


def _bare(column: str) -> str:
    return column.rpartition(".")[2]


def _short(letters: Iterable[sp.Symbol]) -> dict[sp.Symbol, str]:
    """The names of the letters, without the paper's where no other one has what is left."""
    whole = {letter: symbols.name_of(letter) for letter in letters}
    short = {s: _without_paper(name) for s, name in whole.items()}
    twice = {name for name in short.values() if [*short.values()].count(name) > 1}
    return {s: whole[s] if short[s] in twice else short[s] for s in whole}


def _without_paper(name: str) -> str:
    return next((name.removeprefix(p) for p in _PAPERS if name.startswith(p)), name)


class _Writer(StrPrinter):  # type: ignore[misc]  # sympy has no types
    """Prints with the given names and ``^``."""

    def __init__(self, names: Mapping[sp.Symbol, str]) -> None:
        super().__init__()
        self._names = dict(names)

    def text(self, formula: sp.Basic) -> str:
        return str(self.doprint(formula)).replace("**", "^")

    def parted(self, formulas: Sequence[sp.Expr]) -> tuple[list[str], list[str]]:
        """The formulas, and lines that say what the names in them are that no letter has.

        Names come in where a formula is long, and stand for what comes more than once.
        """
        texts = [self.text(formula) for formula in formulas]
        if max(map(len, texts)) <= _LONG:
            return texts, []
        parts, whole = sp.cse(formulas, symbols=(sp.Dummy() for _ in itertools.count()))
        taken = set(self._names.values())
        fresh = (name for k in itertools.count(1) if (name := f"s{k}") not in taken)
        told: list[str] = []
        short: dict[sp.Symbol, sp.Expr] = {}  # written out where it stands
        for letter, part in parts:
            own = part.xreplace(short)
            text = self.text(own)
            if len(text) <= _SHORT:
                short[letter] = own
            else:
                self._names[letter] = next(fresh)
                told.append(f"{self._names[letter]} = {text}")
        return [self.text(formula.xreplace(short)) for formula in whole], told

    def _print_Symbol(self, expr: sp.Symbol) -> str:
        return self._names.get(expr) or str(expr)

    def _print_Dummy(self, expr: sp.Dummy) -> str:
        return self._print_Symbol(expr)
