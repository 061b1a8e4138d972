"""Every symbol a statement may use: one line each, with its units and its valid side.

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
    """What a symbol stands for: units (f, x), valid side, one line of text."""

    units: tuple[int, int]
    side: Side
    text: str


MEANING: dict[sp.Symbol, Meaning] = {}  # of theorylab's own symbols
BY_NAME: dict[str, sp.Symbol] = {}
_NAMES: dict[sp.Symbol, str] = {}  # the other way round
_EVERYWHERE: frozenset[str] = frozenset()  # the names in this file: every run defines them
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
    meaning = Meaning((units[0], units[1]), side, text)
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
    built_in = BY_NAME.get(name) if name in _EVERYWHERE else None
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


_UP, _LOW = Side.UPPER, Side.LOWER

# The run.
T = symbol("T", "T", "communication rounds", positive=True)
t = symbol("t", "t", "communication round, from 0", integer=True, nonnegative=True)
K = symbol("K", "K", "local steps a round", integer=True, positive=True)
n = symbol("n", "n", "clients", integer=True, positive=True)
d = symbol("d", "d", "coordinates of a model", integer=True, positive=True)
eta = symbol("eta", r"\eta_l", "local step size", (-1, 2))
decay = symbol("decay", r"\gamma", "factor of the step size from round to round")
alpha = symbol("alpha", r"\alpha", "momentum coefficient")
rho = symbol("rho", r"\rho", "radius of the SAM perturbation", (0, 1))
f0 = symbol("f0", r"f(\bar{x}^0)", "loss at the average start", (1, 0))
x0_sq = symbol(
    "x0_sq", r"\overline{\|x^0\|^2}", "(1/n) sum_i ||x_i^0||^2", (0, 2), nonnegative=True
)
x0_spread = symbol(
    "x0_spread",
    r"\overline{\|x^0-\bar{x}^0\|^2}",
    "(1/n) sum_i ||x_i^0 - xbar^0||^2",
    (0, 2),
    nonnegative=True,
)

# The losses.
L = symbol("L", "L", "smoothness of every f_i", (1, -2), _UP, positive=True)
L_sample = symbol(
    "L_sample", r"L_\xi", "smoothness of every F_i(.; xi)", (1, -2), _UP, positive=True
)
mu = symbol("mu", r"\mu", "strong convexity of f", (1, -2), _LOW, nonnegative=True)
B = symbol("B", "B", "largest gradient norm of any f_i", (1, -1), _UP, nonnegative=True)
sigma_l = symbol("sigma_l", r"\sigma_l", "gradient noise", (1, -1), _UP, nonnegative=True)
sigma_g = symbol("sigma_g", r"\sigma_g", "gradient heterogeneity", (1, -1), _UP, nonnegative=True)
noise_clients = symbol(
    "noise_clients",
    r"n_\xi",
    "clients over which noise averages: n where their samples are independent, else 1",
    side=_LOW,
    positive=True,
)
f_star = symbol("f_star", "f^*", "infimum of f", (1, 0), _LOW)

# The network.
window = symbol(
    "window", r"\mathcal{B}", "window of joint strong connectivity", side=_UP, positive=True
)
delta = symbol("delta", r"\delta", "smallest row sum of P(t)...P(0)", side=_LOW, positive=True)
C = symbol("C", "C", "factor of the consensus envelope C q^t", side=_UP, positive=True)
q = symbol("q", "q", "rate of the consensus envelope C q^t", side=_UP, nonnegative=True)
self_loops = symbol("self_loops", r"1_{\circlearrowleft}", "1 if every client keeps a self-loop")
uniform_out_degree = symbol(
    "uniform_out_degree", r"1_{\mathrm{out}}", "1 if P[j,i] = 1 / |N_out(i)|"
)

# Floating point, for statements that are identities.
roundoff = symbol("roundoff", "u", "unit roundoff of the arithmetic used", positive=True)
gradient_rounding = symbol(
    "gradient_rounding", r"\epsilon_g", "what rounding can do to a mean gradient", (1, -1), _UP
)
matrix_rounding = symbol(
    "matrix_rounding", r"\epsilon_P", "what rounding can do to a sum of entries of P", side=_UP
)
magnitude = symbol("magnitude", "S", "sum of the absolute values of all summands", (0, 1), _UP)

# Numbers printed in tables.
printed_room = symbol(
    "printed_room", r"\epsilon_{10}", "what shortening to printed digits can account for"
)
least_lead = symbol("least_lead", r"\ell_{\min}", "by how much a method is claimed to be ahead")

_EVERYWHERE = frozenset(BY_NAME)
