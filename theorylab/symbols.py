"""The letters of the field, each with one meaning: what claims are written in.

``theorylab list symbols`` and docs/letters.md show this table. A run, an option, the problem or the
network defines each value; the names below ``ABBREVIATIONS`` are expressions of these letters.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import sympy as sp

from theorylab.letters import _NAMES as _NAMES
from theorylab.letters import _OF_FILES as _OF_FILES
from theorylab.letters import BY_NAME as BY_NAME
from theorylab.letters import EVERYWHERE
from theorylab.letters import MEANING as MEANING
from theorylab.letters import Meaning as Meaning
from theorylab.letters import OwnSymbol as OwnSymbol
from theorylab.letters import Side as Side
from theorylab.letters import check_apart as check_apart
from theorylab.letters import forget as forget
from theorylab.letters import in_order as in_order
from theorylab.letters import latex_of as latex_of
from theorylab.letters import meaning_of as meaning_of
from theorylab.letters import name_of as name_of
from theorylab.letters import symbol as symbol
from theorylab.letters import symbols_of as symbols_of

_UP, _LOW = Side.UPPER, Side.LOWER

_run = functools.partial(symbol, by="the run")
_option = functools.partial(symbol, by="an option of the algorithm")
_loss = functools.partial(symbol, by="the problem")
_network = functools.partial(symbol, by="the network")
_float = functools.partial(symbol, by="the arithmetic")
_printed = functools.partial(symbol, by="the experiment")

# The run.
T = _run("T", "T", "communication rounds", positive=True, also=("k", "N"))
t = _run("t", "t", "communication round, from 0", integer=True, nonnegative=True, also=("k",))
K = _option(
    "K",
    "K",
    "local steps a round",
    integer=True,
    positive=True,
    also=(r"\tau", "E", "H", "Q"),
)
n = _run("n", "n", "clients", integer=True, positive=True, also=("m", "N", "M"))
d = _loss("d", "d", "coordinates of a model", integer=True, positive=True, also=("p",))
eta = _option(
    "eta",
    r"\eta_l",
    "local step size",
    (-1, 2),
    also=(r"\eta", r"\alpha", r"\gamma", "h", "s", r"\eta_t", r"\alpha_k", r"\gamma_k"),
)
decay = _option("decay", r"\gamma", "factor of the step size from round to round")
alpha = _option("alpha", r"\alpha", "momentum coefficient", also=(r"\beta", r"\beta_1"))
rho = _option("rho", r"\rho", "radius of the SAM perturbation", (0, 1))
f0 = _run(
    "f0",
    r"f(\bar{x}^0)",
    "loss at the average start",
    (1, 0),
    also=("f(x^0)", "f(x_0)", r"f(\bar{x}_0)", "F(x_0)", "f_0", "f(x_1)", "f(x^1)"),
)
x0_sq = _run("x0_sq", r"\overline{\|x^0\|^2}", "(1/n) sum_i ||x_i^0||^2", (0, 2), nonnegative=True)
x0_spread = _run(
    "x0_spread",
    r"\overline{\|x^0-\bar{x}^0\|^2}",
    "(1/n) sum_i ||x_i^0 - xbar^0||^2",
    (0, 2),
    nonnegative=True,
)
R2 = _run(
    "R2",
    "R^2",
    "||xbar^0 - x*||^2, of the average start",
    (0, 2),
    also=(r"\|x^0 - x^*\|^2", r"\|x_0 - x^*\|^2", r"\|x_0 - x_*\|^2", "R_0^2"),
)
R2_clients = _run(
    "R2_clients",
    r"\overline{\|x^0-x^*\|^2}",
    "(1/n) sum_i ||x_i^0 - x*||^2",
    (0, 2),
)

# The losses.
L = _loss(
    "L", "L", "smoothness of every f_i", (1, -2), _UP, positive=True, also=(r"\beta", r"\ell", "M")
)
L_sample = _loss(
    "L_sample", r"L_\xi", "smoothness of every F_i(.; xi)", (1, -2), _UP, positive=True
)
mu = _loss(  # real alone: below 0 where f is not convex, and sympy must not settle mu >= 0
    "mu",
    r"\mu",
    "strong convexity of f",
    (1, -2),
    _LOW,
    also=("m", r"\alpha", r"\sigma", "c"),
)
L_field = _loss(
    "L_field",
    "L_F",
    "Lipschitz constant of the field (grad_x f_i, -grad_y f_i) of every saddle f_i",
    (1, -2),
    _UP,
    positive=True,
)
mu_field = _loss(  # real alone, as mu
    "mu_field",
    r"\mu_F",
    "strong monotonicity of the mean field of a saddle f",
    (1, -2),
    _LOW,
)
B = _loss(
    "B",
    "B",
    "largest gradient norm of any f_i",
    (1, -1),
    _UP,
    nonnegative=True,
    also=("G", "M", r"\ell"),
)
sigma_l = _loss(
    "sigma_l",
    r"\sigma_l",
    "gradient noise",
    (1, -1),
    _UP,
    nonnegative=True,
    also=(r"\sigma", r"\sigma_0"),
)
sigma_g = _loss(
    "sigma_g",
    r"\sigma_g",
    "gradient heterogeneity",
    (1, -1),
    _UP,
    nonnegative=True,
    also=(r"\zeta", r"\varsigma", r"\hat{\zeta}", r"\sigma"),
)
noise_clients = _loss(
    "noise_clients",
    r"n_\xi",
    "clients over which noise averages: n where their samples are independent, else 1",
    side=_LOW,
    positive=True,
)
f_star = _loss(
    "f_star",
    "f^*",
    "infimum of f",
    (1, 0),
    _LOW,
    also=("f(x^*)", "f_*", "F^*", "f^{inf}", "f_{inf}", "f(x_*)", "F_*"),
)
set_diameter = _loss(
    "set_diameter",
    r"\mathrm{diam}(X)",
    "largest ||x - y|| over the constraint set",
    (0, 1),
    _UP,
    nonnegative=True,
    also=("D", "R"),
)

# The network. Of several matrices in turn lambda2 and sigma2 are those of the product over a
# period; a drawn one has them of E[P], from which no rate of a run follows, so no verdict either.
lambda2 = _network(
    "lambda2",
    r"|\lambda_2|",
    "second largest modulus of an eigenvalue of P (of the product over one period)",
    nonnegative=True,
    also=(r"\lambda", r"\lambda_2", r"\rho", r"\beta", r"\delta"),
)
sigma2 = _network(
    "sigma2",
    r"\sigma_2",
    "second largest singular value of P (of the product over one period)",
    nonnegative=True,
    also=(r"\sigma", r"\rho", r"\beta", r"\lambda"),
)
diameter = _network(
    "diameter",
    r"\mathrm{diam}(\mathcal{G})",
    "longest shortest path of the graph over a window",
    side=_UP,
    positive=True,
    also=("D", r"\Delta"),
)
max_out_degree = _network(
    "max_out_degree",
    r"D_{\mathrm{out}}",
    "largest number of receivers of one client, itself included",
    side=_UP,
    positive=True,
    also=("D", r"\Delta", "d_{max}"),
)
mixing_time = _network(
    "mixing_time",
    r"t_{\mathrm{mix}}",
    "least t with max_j ||P^t e_j - pi||_1 <= 1/2, of one matrix",
    nonnegative=True,
    also=(r"\tau_{\mathrm{mix}}", r"\tau_{mix}", r"t_{mix}"),
)
window = _network(
    "window",
    r"\mathcal{B}",
    "window of joint strong connectivity",
    side=_UP,
    positive=True,
    also=("B", r"\tau"),
)
delta = _network("delta", r"\delta", "smallest row sum of P(t)...P(0)", side=_LOW, positive=True)
C = _network("C", "C", "factor of the consensus envelope C q^t", side=_UP, positive=True)
q = _network(
    "q",
    "q",
    "rate of the consensus envelope C q^t",
    side=_UP,
    nonnegative=True,
    also=(r"\lambda", r"\rho"),
)
self_loops = _network("self_loops", r"1_{\circlearrowleft}", "1 if every client keeps a self-loop")
uniform_out_degree = _network(
    "uniform_out_degree", r"1_{\mathrm{out}}", "1 if P[j,i] = 1 / |N_out(i)|"
)

# Floating point, for statements that are identities.
roundoff = _float("roundoff", "u", "unit roundoff of the arithmetic used", positive=True)
gradient_rounding = _float(
    "gradient_rounding", r"\epsilon_g", "what rounding can do to a mean gradient", (1, -1), _UP
)
matrix_rounding = _float(
    "matrix_rounding", r"\epsilon_P", "what rounding can do to a sum of entries of P", side=_UP
)
magnitude = _float("magnitude", "S", "sum of the absolute values of all summands", (0, 1), _UP)

# Numbers printed in tables.
printed_room = _printed(
    "printed_room", r"\epsilon_{10}", "what shortening to printed digits can account for"
)
least_lead = _printed("least_lead", r"\ell_{\min}", "by how much a method is claimed to be ahead")

EVERYWHERE.update(BY_NAME)


class Abbreviation(NamedTuple):
    """A name of the field for an expression of letters."""

    formula: sp.Expr
    latex: str
    text: str
    units: tuple[int, int] = (0, 0)
    also: tuple[str, ...] = ()


kappa, spectral_gap, singular_gap, initial_gap = L / mu, 1 - lambda2, 1 - sigma2, f0 - f_star
start_distance = sp.sqrt(R2)
ABBREVIATIONS = {
    "kappa": Abbreviation(kappa, r"\kappa", "condition number L / mu"),
    "spectral_gap": Abbreviation(
        spectral_gap, r"1-|\lambda_2|", "1 - lambda2", also=(r"\delta", r"\gamma", r"\rho", "p")
    ),
    "singular_gap": Abbreviation(
        singular_gap, r"1-\sigma_2", "1 - sigma2", also=(r"\delta", r"\rho", "p")
    ),
    "start_distance": Abbreviation(
        start_distance, r"\|\bar{x}^0-x^*\|", "root of R2", (0, 1), ("R", "D", "R_0")
    ),
    "initial_gap": Abbreviation(
        initial_gap,
        r"\Delta",
        "f0 - f_star, at the average start",
        (1, 0),
        (r"\Delta_0", r"\Delta_f", "D_0"),
    ),
}
