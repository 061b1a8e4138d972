"""The right side of a script: a formula of sympy as NumPy, and its constants as literals."""

from __future__ import annotations

import ast
import functools
import itertools
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.printing.numpy import NumPyPrinter

from theorylab import symbols
from theorylab.scripts.base import WIDEST, UnscriptedError
from theorylab.scripts.text import comment, identifier, literal, wrapped
from theorylab.symbols import Side

_TOLD = {
    "exact": "exact",
    "upper": "proven upper bound",
    "lower": "proven lower bound",
    "certified": "certified",
    "estimate": "estimate",
}


PREFIXES = ("dfedalt_", "dfedpgp_", "dfedsgpsm_", "deprl_", "pdbo_", "hgp_")
_LARGE = 1000  # its sixth power is an int64
ROOMS = (200, 40, 20, 8, 0)  # characters of every source in a comment, by how tight it is


@dataclass(frozen=True)
class Constant:
    """A constant of a formula: its Python name, its literal, and how it is known. there: whether
    the body of the script has assigned that number to that name."""

    symbol: sp.Symbol
    name: str
    value: str
    told: str
    source: str
    there: bool


def constants_of(
    parts: Iterable[sp.Expr],
    constants: Mapping[str, Mapping[str, Any]],
    body: Sequence[str] = (),
) -> list[Constant]:
    """The constants in ``parts``, by name.

    A name leaves out the paper's, as in L_u for dfedalt_L_u, where that is no other's.

    Args:
        constants: as a result holds them. body: the lines before them, whose names are taken.

    Raises:
        UnscriptedError: a constant has no float value, or the result does not name it.
    """
    literals, taken = _assigned(body)
    parts = list(parts)
    sums = any(part.has(sp.Sum, sp.Product) for part in parts)  # their ends have to be whole
    symbols_there = sorted(set().union(*(p.free_symbols for p in parts)), key=symbols.name_of)
    found: list[Constant] = []
    for symbol in symbols_there:
        plain = symbols.name_of(symbol)
        if plain not in constants:
            raise UnscriptedError(f"the result names no constant {comment(plain, 40)}")
        data = constants[plain]
        value = value_text(symbol, data, plain)
        told = _TOLD[str(data["how"])]
        if data["how"] == "certified":
            told = f"certified {'upper' if _side(symbol) is Side.UPPER else 'lower'} bound"
        used = {each.name for each in found}
        short = next((plain.removeprefix(p) for p in PREFIXES if plain.startswith(p)), plain)
        there = literals.get(short) == value and short not in used
        name = short if there else identifier(short, taken | used)
        if name.endswith("_") and not there:
            name = identifier(plain, taken | used)
        if _large(value) and not there and not sums:
            value += ".0"
        found.append(Constant(symbol, name, value, told, str(data["source"]), there))
    return found


def _assigned(body: Sequence[str]) -> tuple[dict[str, str], set[str]]:
    """(name -> literal of the names that the lines assign once, every name that they assign)."""
    counts: Counter[str] = Counter()
    literals: dict[str, str] = {}
    for node in ast.walk(ast.parse("\n".join(body))):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            counts[node.id] += 1
        if isinstance(node, ast.FunctionDef):
            counts[node.name] += 1
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts, strict=False))
            for one, given in pairs:
                if isinstance(one, ast.Name):
                    literals[one.id] = ast.unparse(given)
    return {name: text for name, text in literals.items() if counts[name] == 1}, set(counts)


def names_of(found: Iterable[Constant], large: Container[str] = ()) -> dict[sp.Symbol, str]:
    """The Python name of every symbol; of a large whole number in the body as a float.

    large: names that are to count as such.
    """
    return {
        each.symbol: f"float({each.name})"
        if each.there and (_large(each.value) or each.name in large)
        else each.name
        for each in found
    }


def large_names(found: Iterable[Constant]) -> set[str]:
    """The names of large whole numbers in the body."""
    return {each.name for each in found if each.there and _large(each.value)}


def _large(text: str) -> bool:
    """Whether powers of a whole number may leave int64, which NumPy's functions ask for."""
    return text.isdigit() and int(text) >= _LARGE


def constant_lines(
    found: Sequence[Constant], tight: int = 0, apart: Container[str] = ()
) -> list[str]:
    """Assignments of the constants with comments that say how each is known.

    tight: 0 for a line each; above, several that are known alike share a line, and their sources
    are cut shorter. apart: names that get a line each all the same.
    """
    made: list[str] = []
    wanted = [each for each in found if not each.there]
    if tight:
        wanted.sort(key=lambda each: each.told)
    group: list[Constant] = []
    for each in wanted:
        alone = not tight or (group and group[0].name in apart) or each.name in apart
        if group and (alone or each.told != group[0].told or not _fits([*group, each], tight)):
            made.append(_line(group))
            group = []
        group.append(each)
    return [*made, _line(group)] if group else made


def _code(group: Sequence[Constant]) -> str:
    names, values = (", ".join(getattr(e, key) for e in group) for key in ("name", "value"))
    return f"{names} = {values}"


def _fits(group: Sequence[Constant], tight: int) -> bool:
    sources = sum(min(len(each.source), ROOMS[tight]) + 2 for each in group)
    return len(_code(group)) + 4 + len(group[0].told) + sources <= WIDEST


def _line(group: Sequence[Constant]) -> str:
    code, told = _code(group), group[0].told
    room = WIDEST - len(code) - 4 - len(told) - 2
    if room < 0:
        return code
    each = max(0, (room - 2 * (len(group) - 1)) // len(group))
    if each < 8:
        return f"{code}  # {told}"
    texts = "; ".join(comment(one.source, each) for one in group)
    return f"{code}  # {told}: {comment(texts, room)}"


def value_text(symbol: sp.Symbol, data: Mapping[str, Any], plain: str) -> str:
    """The literal that stands for the constant in the bound."""
    value = data["value"]
    if data["how"] == "certified":
        value = data[{Side.UPPER: "upper", Side.LOWER: "lower"}.get(_side(symbol), "value")]
    log10 = data.get("log10")
    if value is None or (value == 0 and log10 is not None):
        raise UnscriptedError(
            f"the constant {comment(plain, 40)} is infinite"
            if log10 is None
            else f"the constant {comment(plain, 40)} is 10^{log10:.1f}, which no float64 holds"
        )
    return literal(value)


def _side(symbol: sp.Symbol) -> Side:
    return symbols.meaning_of(symbol).side


def formula_lines(
    label: str, terms: Mapping[str, sp.Expr], names: Mapping[sp.Symbol, str], tight: int = 0
) -> list[str]:
    """The sum of the terms as ``label``, in NumPy: a line a term with its name, or in fewer lines
    where ``tight`` asks for them and there are some, with what is common named first."""
    return list(_written(label, tuple(terms.items()), tuple(names.items()), tight > 0))


@functools.lru_cache(maxsize=64)  # the values of a sweep, and the ways to be tight, have the same
def _written(
    label: str,
    named: tuple[tuple[str, sp.Expr], ...],
    letters: tuple[tuple[sp.Symbol, str], ...],
    tight: bool,
) -> tuple[str, ...]:
    terms, names = [term for _, term in named], dict(letters)
    whole = (f"{label} = {formula(sp.Add(*terms), names)}",)
    if len(whole[0]) <= WIDEST or (len(terms) == 1 and not tight):
        return whole
    each: list[str] = []
    for place, (name, term) in enumerate(named):
        sign = "=" if place == 0 else "+="
        each.append(f"{label} {sign} {formula(term, names)}  # {comment(name)}")
    ways = [tuple(each)] if len(terms) > 1 else [whole]
    if tight:
        ways += [whole, tuple(_shared(label, terms, names))]
    if len(ways) == 1:
        return ways[0]
    return min(ways, key=lambda lines: sum(len(wrapped(line)) for line in lines))


def _shared(label: str, terms: list[sp.Expr], names: Mapping[sp.Symbol, str]) -> list[str]:
    """With a name for every part that comes more than once."""
    taken = set(names.values())
    fresh = (sp.Symbol(f"s{k}") for k in itertools.count(1) if f"s{k}" not in taken)
    parts, (total,) = sp.cse([sp.Add(*terms)], symbols=fresh)
    every = {**names, **{symbol: str(symbol) for symbol, _ in parts}}
    made, row = list[str](), ""
    for symbol, part in parts:
        text = f"{symbol} = {formula(part, every)}"
        if row and len(row) + 2 + len(text) > WIDEST - 4:
            made.append(row)
            row = ""
        row = f"{row}; {text}" if row else text
    return [*made, *([row] if row else []), f"{label} = {formula(total, every)}"]


def formula(expr: sp.Expr, names: Mapping[sp.Symbol, str]) -> str:
    """``expr`` in NumPy; UnscriptedError where NumPy has no word for a part of it."""
    return str(_Printer(names).doprint(expr))


class _Printer(NumPyPrinter):  # type: ignore[misc]  # sympy has no types
    """Prints with the given names, in brackets that a long line can be broken in."""

    _module = "np"

    def __init__(self, names: Mapping[sp.Symbol, str]) -> None:
        super().__init__({"fully_qualified_modules": True})
        self._names: dict[sp.Symbol, str] = dict(names)

    def doprint(self, expr: sp.Expr, assign_to: Any = None) -> str:
        try:
            text = str(super().doprint(expr)).replace("numpy.", "np.").replace("builtins.", "")
        except NotImplementedError:
            raise UnscriptedError("the bound has a function that NumPy has no word for") from None
        if "#" in text or "\n" in text:
            raise UnscriptedError("the bound has a part that NumPy has no word for")
        return text if len(text) < WIDEST - 20 else f"({text})"

    def _print_Symbol(self, expr: sp.Symbol) -> str:
        if expr not in self._names:  # the index of a sum
            self._names[expr] = identifier(str(expr), self._names.values())
        name: str = self._names[expr]
        return name

    def _print_Min(self, expr: sp.Min) -> str:
        return f"min({', '.join(map(self._print, expr.args))})"

    def _print_Max(self, expr: sp.Max) -> str:
        return f"max({', '.join(map(self._print, expr.args))})"

    def _print_AppliedUndef(self, expr: Any) -> str:
        raise UnscriptedError(f"the bound has a function {comment(str(expr.func), 40)}")

    def _print_Sum(self, expr: Any) -> str:
        if any(sp.oo in ends for ends in expr.limits):
            raise UnscriptedError("the bound has a sum to infinity")
        return str(super()._print_Sum(expr))

    def _print_Product(self, expr: Any) -> str:
        turns = (f"for {self._print(k)} in range({self._print(low)}, {self._print(high)} + 1)"
                 for k, low, high in reversed(expr.limits))  # fmt: skip
        return f"np.prod([{self._print(expr.function)} {' '.join(turns)}])"

    def _print_Integral(self, expr: Any) -> str:
        raise UnscriptedError("the bound has an integral")
