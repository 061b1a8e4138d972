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
from dataclasses import dataclass

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


MEANING: dict[sp.Symbol, Meaning] = {}
BY_NAME: dict[str, sp.Symbol] = {}
_NAMES: dict[sp.Symbol, str] = {}  # the other way round


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

    A user's theorem may declare its own. Raises ValueError if the name is taken by another symbol.
    """
    flags = {"positive": positive, "nonnegative": nonnegative, "integer": integer}
    made = sp.Symbol(latex, real=True, **{flag: True for flag, on in flags.items() if on})
    meaning = Meaning(units, side, text)
    if name in BY_NAME and (BY_NAME[name] != made or MEANING[BY_NAME[name]] != meaning):
        raise ValueError(f"symbols: {name!r} is declared already; need a new name")
    other = _NAMES.get(made, name)
    if other != name:  # sympy tells symbols apart by letter and flags alone
        raise ValueError(
            f"symbols: the letter {latex!r} of {name!r} is that of {other!r}; need another"
        )
    MEANING[made] = meaning
    BY_NAME[name] = made
    _NAMES[made] = name
    return made


def name_of(made: sp.Symbol) -> str:
    """The name under which ``made`` was declared."""
    if made not in _NAMES:
        raise ValueError(f"symbols: {made} was never declared; need symbols.symbol(name, ...)")
    return _NAMES[made]


@functools.lru_cache(maxsize=8192)  # sympy walks the whole expression every time
def symbols_of(expr: sp.Basic) -> frozenset[sp.Symbol]:
    """The symbols in an expression or a relation."""
    return frozenset(expr.free_symbols)


_UP, _LOW = Side.UPPER, Side.LOWER

# The run.
T = symbol("T", "T", "communication rounds", positive=True)
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
