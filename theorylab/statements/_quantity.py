"""Measured left-hand sides: what of a run, or of an experiment, is compared with a bound."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from theorylab import symbols

# Where a run of T rounds is looked at, x^0 .. x^T -> how that reads.
OVER = {
    "average": "over t = 0..T-1, with weights w_t where they are given",
    "last": "x^T, after T rounds",
    "max": "each run's largest over t = 0..T-1",
    "best": "the least over t = 0..T-1 of the expectations",
    "run best": "each run's least over t = 0..T-1",
    "every": "x^t for each t = 1..T, with a bound that may have t in it",
    "average iterate": "the average of the mean models of x^0..x^{T-1}, with the weights",
    "rows": "the rows of a metric or an experiment, each a place of its own",
}
_WEIGHTED = ("average", "average iterate")
# Columns of every run: units (f, x), and LaTeX at the round @.
_COLUMNS = {
    "squared_gradient": ((2, -2), r"\|\nabla f(\bar{x}^{@})\|^2"),
    "suboptimality": ((1, 0), r"f(\bar{x}^{@}) - f^*"),
    "loss": ((1, 0), r"f(\bar{x}^{@})"),
    "squared_distance": ((0, 2), r"\|\bar{x}^{@} - x^*\|^2"),
    "consensus": ((0, 2), r"\frac{1}{n}\sum_i\|z_i^{@} - \bar{x}^{@}\|^2"),
    "regret": ((1, 0), r"\sum_{t<T} f_t(\bar{x}^t) - \min_x \sum_{t<T} f_t(x)"),  # a metric
}
_SAID = {
    "average": r"\frac{1}{T}\sum_{t<T} E[t]",
    "last": "E[T]",
    "max": r"E \max_{t<T} [t]",
    "best": r"\min_{t<T} E[t]",
    "run best": r"E \min_{t<T} [t]",
    "every": "E[t]",
    "average iterate": "E[avg]",
    "rows": "E[t]",
}


@dataclass(frozen=True)
class Quantity:
    """A measured left-hand side: a column of a run, or a metric, and the place ``over`` which it is
    taken; or a column of an experiment.

    Args:
        column: a column of ``simulate``, the registered name of a metric, or a column of an
            experiment.
        over: the place: "average", "last", "best", "run best" or "every"; of a metric or an
            experiment "rows".
        units: powers of f and x that the numbers have; known of a run's own columns.
        text: the quantity in LaTeX; known of a run's own columns.
        pathwise: it is claimed for every realisation.
        ceiling, floor: bounds on every single value, whatever the algorithm does.
        chance: eps, where it is claimed with probability at least 1 - eps.
        weights: of an average, w_t >= 0 in the symbol t and the statement's own.
        kurtosis: a bound >= 1 on E X^2 / (E X)^2, X the number less its floor.

    ``pathwise`` quantities are claimed for every realisation, those with a ``chance`` eps with
    probability at least 1 - eps, the others in expectation. "best" is a minimum of expectations;
    "run best" is a minimum in each run, which the other kinds speak of, too. "every" with a chance
    speaks of each t by itself.

    Limits of a mean that is estimated from runs rest on what is known of every single one. Without
    ``floor`` it is that of the column, which is 0 for all but the loss, and gaps that may be
    negative; of a user's rows 0 is assumed. -oo says that there is none, and then nothing is
    ``VIOLATED`` by runs. Without ``ceiling`` or ``kurtosis`` nothing ``HOLDS`` by runs, where the
    column has no ceiling of its own. A verdict calls them given.

    Raises:
        ValueError: on an unknown place, or what does not fit together.

    >>> from theorylab.statements import Quantity
    >>> Quantity("loss", "best").units
    (1, 0)
    """

    column: str
    over: str  # one of OVER
    units: tuple[int, int] = None  # type: ignore[assignment]  # filled in
    text: str = ""
    pathwise: bool = False
    ceiling: sp.Expr | None = None
    chance: sp.Expr | None = None
    weights: sp.Expr | None = None
    floor: sp.Expr | None = None
    kurtosis: sp.Expr | None = None

    def __post_init__(self) -> None:
        if self.over not in OVER:
            raise ValueError(f"quantity: over is {self.over!r}; need one of {', '.join(OVER)}")
        if self.pathwise and self.chance is not None:
            raise ValueError("quantity: pathwise and chance came together; need one of them")
        if self.over == "best" and (self.pathwise or self.chance is not None):
            raise ValueError(
                "quantity: over is 'best', the least of the expectations, of a claim about single "
                "runs; need 'run best'"
            )
        if self.weights is not None and self.over not in _WEIGHTED:
            raise ValueError(
                f"quantity: weights came with over {self.over!r}; need {' or '.join(_WEIGHTED)}"
            )
        units, text = _COLUMNS.get(self.column, (None, rf"\mathrm{{{self.column}}}^{{@}}"))
        if self.units is None:
            if units is None:
                raise ValueError(f"quantity: no units of {self.column!r} came; need units (f, x)")
            object.__setattr__(self, "units", units)
        for name in ("chance", "ceiling", "weights", "floor", "kurtosis"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, sp.sympify(value))
        eps = self.chance
        if eps is not None and eps.is_number and not 0 < eps < 1:
            raise ValueError(f"quantity: the chance {eps} is {float(eps)}; need a number in (0, 1)")
        least = self.kurtosis
        if least is not None and least.is_number and not least >= 1:
            raise ValueError(
                f"quantity: kurtosis is {least}; need E X^2 / (E X)^2, which is at least 1"
            )
        if not self.text:
            object.__setattr__(self, "text", self._said(text))

    @property
    def of_runs(self) -> bool:
        """Whether single runs are looked at: an expectation of the column tells nothing of them."""
        single = self.over in ("max", "run best", "average iterate")
        return single or self.pathwise or self.chance is not None

    @property
    def sides(self) -> tuple[sp.Expr, ...]:
        """The expressions beside the claim's own, whose symbols need numbers, too."""
        told = (self.ceiling, self.floor, self.kurtosis, self.chance)
        return tuple(each for each in told if each is not None)

    def _said(self, text: str) -> str:
        place = _SAID[self.over]
        if self.pathwise or self.chance is not None:
            place = place.removeprefix("E ").replace("E[", "[")
        if self.weights is not None:
            weighted = r"\sum_{t<T} w_t"
            place = place.replace(r"\frac{1}{T}\sum_{t<T}", rf"\frac{{1}}{{{weighted}}}{weighted}")
        for at, letter in (("T", "T"), ("t", "t"), ("avg", r"\mathrm{avg}")):
            place = place.replace(f"[{at}]", rf"\left[{text.replace('@', letter)}\right]")
        return place


QUANTITIES: dict[str, Quantity] = {
    "mean_squared_gradient": Quantity(
        "squared_gradient",
        "average",
        (2, -2),
        r"\frac{1}{T}\sum_{t=0}^{T-1} E\|\nabla f(\bar{x}^t)\|^2",
        ceiling=symbols.B**2,
    ),
    "last_suboptimality": Quantity("suboptimality", "last", (1, 0), r"E f(\bar{x}^T) - f^*"),
    "last_consensus": Quantity(
        "consensus", "last", (0, 2), r"\frac{1}{n}\sum_i E\|z_i^T - \bar{x}^T\|^2"
    ),
    "mean_consensus": Quantity(
        "consensus", "average", (0, 2), r"\frac{1}{nT}\sum_{t,i} E\|z_i^t - \bar{x}^t\|^2"
    ),
    "update_residual_line9": Quantity(
        "update_residual_line9",
        "max",
        (0, 1),
        r"\max_{t,i} \|x_i^{t+1/2} - x_i^t + \eta_l \sum_k\sum_{s\leq k}"
        r" \alpha^{k-s} \breve{g}_{i,s}^t\|_\infty",
        pathwise=True,
    ),
}
