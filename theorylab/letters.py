"""How a symbol is declared: its name, its letter, its units, its valid side, whose it is.

Units are powers of (f, x): a loss value has (1, 0), a model has (0, 1). A statement whose two
sides scale differently under f -> s f, x -> c x is wrong before anything is run.

The side says which approximations of a constant leave an instance inside a theorem: a theorem
for L-smooth losses holds for every number that is *at least* the smoothness, so an upper bound
may be plugged in; the row-sum floor delta may be replaced by anything *below* it.
"""

from __future__ import annotations

import enum
import functools
import pathlib
import sys
import types
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sympy as sp


class Side(enum.Enum):
    EXACT = "the number itself"
    UPPER = "any number at least the constant"
    LOWER = "any number at most the constant"


@dataclass(frozen=True)
class Meaning:
    """What a symbol stands for: units (f, x), valid side, one line of text.

    Of theorylab's own also who defines its value, and the letters (LaTeX) that papers write for it.
    """

    units: tuple[int, int]
    side: Side
    text: str
    by: str = ""
    also: tuple[str, ...] = ()


MEANING: dict[sp.Symbol, Meaning] = {}  # of theorylab's own symbols
BY_NAME: dict[str, sp.Symbol] = {}
_NAMES: dict[sp.Symbol, str] = {}  # the other way round
EVERYWHERE: set[str] = set()  # the names in ``theorylab.symbols``
_OF_FILES: dict[tuple[str, str], tuple[OwnSymbol, int]] = {}  # (file, name) -> symbol, line


class OwnSymbol(sp.Symbol):  # type: ignore[misc]  # sympy has no types
    """A symbol that a user's file declares.

    sympy tells symbols apart by letter and flags alone. These are told apart by their file, their
    name and what they mean, too, so that two files may use one letter, or one name.
    """

    __slots__ = ("declared", "file", "key", "meaning")
    declared: str
    file: str
    key: str
    meaning: Meaning

    def __new__(
        cls, latex: str, declared: str, file: str, meaning: Meaning, **flags: bool
    ) -> OwnSymbol:
        made: OwnSymbol = sp.Symbol.__xnew__(cls, latex, **flags)
        made.declared, made.file, made.meaning = declared, file, meaning
        # one text, for sympy compares what tells objects apart by <
        made.key = "\0".join((declared, file, str(meaning.units), meaning.side.name, meaning.text))
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, bool]]:
        return (self.name, self.declared, self.file, self.meaning), self._assumptions_orig

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.key)

    @classmethod
    def class_key(cls) -> Any:
        """Sorted among the other symbols, by its letter: formulas read as ever."""
        return sp.Symbol.class_key()

    def sort_key(self, order: Any = None) -> Any:
        one = sp.S.One
        return self.class_key(), (1, (self.name, self.key)), one.sort_key(), one


def symbol(
    name: str,
    latex: str,
    text: str,
    units: tuple[int, int] = (0, 0),
    side: Side = Side.EXACT,
    *,
    positive: bool = False,
    nonnegative: bool = False,
    integer: bool = False,
    by: str = "",
    also: tuple[str, ...] = (),
) -> sp.Symbol:
    """Declare a symbol under the name that constants and instances use for it.

    A user's theorem may declare its own. Name and letter belong to the file that declares them; one
    claim must not have two symbols of one name, or of one letter.

    Raises:
        TypeError: on units that are no pair of whole numbers, and what is no text or no ``Side``.
        ValueError: if the file declared that name before with another meaning, or if it is the name
            of a symbol in ``theorylab.symbols``, which theorylab measures, with another meaning.
    """
    if not all(isinstance(text_of, str) for text_of in (name, latex, text)):
        raise TypeError(f"symbols: {name!r}, {latex!r}, {text!r} came; need name, LaTeX and text")
    if not (isinstance(units, tuple | list) and [type(part) for part in units] == [int, int]):
        raise TypeError(
            f"symbols: {name!r}: units is {units!r}; need two whole numbers: of loss, of length"
        )
    if not isinstance(side, Side):
        raise TypeError(f"symbols: {name!r}: side is {side!r}; need a Side")
    given = {"positive": positive, "nonnegative": nonnegative, "integer": integer}
    flags = {"real": True} | {flag: True for flag, on in given.items() if on}
    meaning = Meaning((units[0], units[1]), side, text, by, also)
    caller = sys._getframe(1)
    if not str(caller.f_globals.get("__name__")).startswith("theorylab."):
        return _of_file(caller, name, latex, meaning, flags)
    made = sp.Symbol(latex, **flags)
    other = _NAMES.get(made, name)
    if BY_NAME.get(name, made) != made or MEANING.get(made, meaning) != meaning or other != name:
        raise ValueError(f"symbols: {name!r} or its letter {latex!r} is declared; need a new one")
    MEANING[made], BY_NAME[name], _NAMES[made] = meaning, made, name
    return made


def _of_file(
    caller: types.FrameType, name: str, latex: str, meaning: Meaning, flags: dict[str, bool]
) -> sp.Symbol:
    built_in = BY_NAME.get(name) if name in EVERYWHERE else None
    if built_in is not None:
        own = MEANING[built_in]
        if (own.units, own.side) == (meaning.units, meaning.side) and built_in == sp.Symbol(
            latex, **flags
        ):
            return built_in
        raise ValueError(
            f"symbols: {name!r} is what theorylab measures as {own.text!r} ({_spelled(own)}); need "
            f"another name for {meaning.text!r} ({_spelled(meaning)}), or import {name} from "
            "theorylab.symbols"
        )
    file = caller.f_code.co_filename
    made = OwnSymbol(latex, name, file, meaning, **flags)
    before, line = _OF_FILES.setdefault((file, name), (made, caller.f_lineno))
    if before != made:
        raise ValueError(
            f"symbols: {name!r} is declared on line {line} with another meaning; need a new name"
        )
    return before


def _spelled(meaning: Meaning) -> str:
    return f"units {meaning.units}, {meaning.side.value}"


def forget(file: str) -> None:
    """Let a file that is read anew declare its names anew; symbols that exist stay as they are."""
    for key in [key for key in _OF_FILES if key[0] == file]:
        del _OF_FILES[key]


def latex_of(formula: sp.Basic) -> str:
    r"""LaTeX of a formula, with its letters as they were declared.

    sympy takes a letter apart at its last ``^`` and ``_``, which garbles one that is a formula.

    >>> latex_of(3 * sp.Symbol(r"\Delta_v^t"))
    '3 \\Delta_v^t'
    """
    whole = {s: str(s) for s in formula.free_symbols if set(str(s)) & set("\\(|")}
    return str(sp.latex(formula, symbol_names=whole))


def name_of(made: sp.Symbol) -> str:
    """The name under which ``made`` was declared."""
    if isinstance(made, OwnSymbol):
        return made.declared
    if made not in _NAMES:
        raise ValueError(f"symbols: {made} was never declared; need symbols.symbol(name, ...)")
    return _NAMES[made]


def meaning_of(made: sp.Symbol) -> Meaning:
    """Units, side and text of a declared symbol."""
    if isinstance(made, OwnSymbol):
        return made.meaning
    meaning = MEANING.get(made)
    if meaning is None:
        name_of(made)  # says that there is none
        return MEANING[made]
    return meaning


def check_apart(where: str, free: Iterable[sp.Symbol]) -> None:
    """Raise ValueError where two symbols of one claim have one name, or print as one letter."""
    names: dict[str, sp.Symbol] = {}
    letters: dict[str, sp.Symbol] = {}
    for made in sorted(free, key=lambda each: (name_of(each), str(each))):
        name = name_of(made)
        if names.setdefault(name, made) != made:
            files = " and ".join(map(_place, (names[name], made)))
            raise ValueError(f"{where}: {name!r} is two symbols, of {files}; need one of them")
        if letters.setdefault(made.name, made) != made:
            raise ValueError(
                f"{where}: {name_of(letters[made.name])!r} and {name!r} have one letter, "
                f"{made.name}; need two letters in one claim"
            )


def _place(made: sp.Symbol) -> str:
    return pathlib.PurePath(made.file).name if isinstance(made, OwnSymbol) else "theorylab"


@functools.lru_cache(maxsize=8192)  # sympy walks the whole expression every time
def symbols_of(expr: sp.Basic) -> frozenset[sp.Symbol]:
    """The symbols in an expression or a relation."""
    return frozenset(expr.free_symbols)


@functools.lru_cache(maxsize=8192)
def in_order(expr: sp.Basic) -> tuple[sp.Symbol, ...]:
    """The symbols in an expression or a relation, by their names."""
    return tuple(sorted(symbols_of(expr), key=name_of))
