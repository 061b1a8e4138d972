"""What a worst case is asked of: class, start, metric, and the method's recursion, exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from theorylab.algorithms import Algorithm, declared_phases
from theorylab.exact import rational_text
from theorylab.worst.check_certificate import METRICS, STARTS, Theorem, played
from theorylab.worst.random_gradients import Recursion, Row
from theorylab.worst.rationals import rational, written


@dataclass(frozen=True)
class Functions:
    """A class of functions: every f_i has curvature at least mu and is L-smooth.

    Args:
        mu: the least curvature. >= 0: convex, strongly where > 0, and f = (1/n) sum f_i has a
            minimiser x*. < 0: f_i need not be convex, and f is bounded from below by f*; "-L" means
            no more than smooth.
        L: the largest curvature. None: not smooth, gradients are any subgradients.
        B: |grad f_i| <= B at x* and at every point where a gradient is taken or measured, or None.
        noise: queries are answered by grad f_i + e, where e has mean 0 given all queries before
            it, of all clients, and E |e|^2 <= noise^2; the metric is an expectation. Or None.
        heterogeneity: the root of the mean |grad f_i - grad f|^2 is at most this at every point; it
            is used where the metric and the start look at f. Or None.
        blocks: of methods with personal parts: grad_u F_i and grad_v F_i are each L-Lipschitz in u
            and in v. Conditions that all such F_i meet are used, not all that they meet: a bound.
            False: every F_i is jointly L-smooth.

    Raises:
        ValueError: one line, unless -L <= mu < L, L > 0, B > 0, heterogeneity >= 0.

    >>> Functions(mu=0.1, L=1).mu
    Fraction(1, 10)
    """

    mu: Any = 0
    L: Any = 1
    B: Any = None
    heterogeneity: Any = None
    noise: Any = None
    blocks: bool = False

    def __post_init__(self) -> None:
        for name in ("mu", "L", "B", "heterogeneity", "noise"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, rational(value))
        if self.L is None and self.mu < 0:
            raise ValueError(f"class: mu is {self.mu} without L; need mu >= 0, or an L")
        if self.L is not None and not -self.L <= self.mu < self.L:
            raise ValueError(f"class: mu is {self.mu}, L is {self.L}; need -L <= mu < L")
        if self.B is not None and self.B <= 0:
            raise ValueError(f"class: B is {self.B}; need B > 0")
        for name in ("heterogeneity", "noise"):
            if getattr(self, name) is not None and getattr(self, name) < 0:
                raise ValueError(f"class: {name} is {getattr(self, name)}; need at least 0")

    @property
    def convex(self) -> bool:
        """Whether there is a minimiser x*."""
        return bool(self.mu >= 0)

    @property
    def everywhere(self) -> bool:
        """Whether functions through the points asked are in the class: B and heterogeneity are
        conditions of every point."""
        return self.B is None and self.heterogeneity is None

    def told(self) -> str:
        """In words."""
        parts = []
        if self.mu >= 0:
            parts.append("convex" if not self.mu else f"{self.mu}-strongly convex")
        elif self.mu != -self.L:
            parts.append(f"of curvature at least {self.mu}")
        parts += [] if self.L is None else [f"{self.L}-smooth"]
        if self.B is not None:
            star = " and at x*" if self.convex else ""
            parts.append(f"gradients at most {self.B} where they are taken{star}")
        if self.heterogeneity is not None:
            parts.append(f"mean |grad f_i - grad f|^2 <= {self.heterogeneity**2} at every point")
        if self.noise is not None:
            parts.append(
                f"noise e of mean 0 given all queries before it, E |e|^2 <= {self.noise**2}"
            )
        return ", ".join(parts)


def content(
    kind: str,
    clients: int | None,
    functions: Mapping[str, Any],
    *,
    start: Mapping[str, Any],
    metric: str,
    method: Any,
    about: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A certificate without its claim, multipliers and proof; numbers are rationals or texts."""
    limits = dict.fromkeys(("mu", "L", "B", "heterogeneity", "noise")) | dict(functions)
    return {
        "version": 2,
        "kind": kind,
        "clients": clients,
        "class": {name: None if v is None else str(v) for name, v in limits.items()},
        "start": {name: str(v) for name, v in start.items()},
        "metric": metric,
        "method": method,
        "claim": "0",
        "denominator": 1,
        "multipliers": [],
        "proof": None,
        "about": dict(about or {}),
    }


@dataclass(frozen=True)
class Question:
    """The worst ``metric`` of a recursion over a class and all starts that meet ``start``.

    start: of distance (|x^0 - x*|), gap (f(x^0) - f*) and spread (root of the mean
    |grad f_i(x*)|^2), each at most the given number. method: (P, eta, K, alpha) of local steps and
    push-sum, where the recursion is theirs: a checker makes it anew then (``push_sum_form``).

    Raises ValueError, one line, on an unknown name, a number below 0, or a start that the class has
    not.
    """

    recursion: Recursion
    functions: Functions
    start: Mapping[str, Any]
    metric: str
    about: Mapping[str, Any] = field(default_factory=dict)
    method: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise ValueError(f"metric {self.metric!r} is unknown; need one of {', '.join(METRICS)}")
        made = {}
        for name, value in self.start.items():
            if name not in STARTS:
                raise ValueError(f"start {name!r} is unknown; need some of {', '.join(STARTS)}")
            made[name] = rational(value)
            if made[name] < 0:
                raise ValueError(f"start: {name} is {value}; need at least 0")
        if (self.metric == "squares") != bool(self.recursion.squares):
            raise ValueError("metric squares is that of a recorded left side, and needs one")
        if not {"distance", "gap"} & {*made}:
            raise ValueError("no condition of the start is given; need distance or gap")
        stars = {"distance", "spread"} & {self.metric, *made}
        if stars and not self.functions.convex:
            raise ValueError(
                f"{', '.join(sorted(stars))} speaks of x*, which a class with mu < 0 has not; need "
                "start gap and a metric of gradients or of f"
            )
        if self.metric == "distance" and "distance" not in made and not self.functions.mu:
            raise ValueError("metric distance over convex functions needs a start of that kind")
        object.__setattr__(self, "start", made)
        if self.functions.noise is not None and not self.recursion.fresh:
            raise ValueError(
                "class: noise needs a method that asks for every gradient with its own sample; the "
                "noise of a second gradient has no mean of 0 given what came before"
            )

    @property
    def relaxed(self) -> str:
        """Why the worst value is from above alone; "" where functions attain it."""
        reasons = ["noise is orthogonal to what came before it"] * (
            self.functions.noise is not None
        )
        if any(i < 0 for i, _ in self.recursion.queries):
            reasons.append("SAM's ascent e along g is any with |e| <= rho, <e, g> >= 0")
        return "; ".join(reasons)

    def as_json(self) -> dict[str, Any]:
        """A certificate without its claim and multipliers."""
        r, f = self.recursion, self.functions
        kind = {key: getattr(f, key) for key in ("mu", "L", "B", "heterogeneity", "noise")}
        method = self.method or self.rows()
        return content(
            "finite", r.clients, kind, start=self.start, metric=self.metric, method=method,
            about=self.about,
        )  # fmt: skip

    def rows(self) -> dict[str, Any]:
        """The recursion as rows, which a certificate has where there is no ``method``."""
        return {
            "queries": [[i, _listed(row)] for i, row in self.recursion.queries],
            "averages": [_listed(row) for row in self.recursion.averages],
            **(self._measured() if self.recursion.squares else {}),
        }

    def _measured(self) -> dict[str, Any]:
        r = self.recursion
        return {
            "personal": ("blocks" if self.functions.blocks else "joint") if r.personal else None,
            "squares": [[_text(c), _listed(row)] for c, row in r.squares],
            "places": list(r.places),
        }

    def theorem(self) -> Theorem:
        """The exact forms, as the checker makes them."""
        return Theorem(self.as_json())


def push_sum_form(
    method: Algorithm, recursion: Recursion, fractions: Mapping[float, Fraction]
) -> dict[str, Any] | None:
    """(P, eta, K, alpha) from which a checker makes the recursion anew; None of another one."""
    phases = declared_phases(method)
    if phases is None or not isinstance(phases.steps, int) or phases.rho:
        return None
    with written(fractions):
        etas = {rational(phases.eta(t)) for t in range(recursion.rounds)}
        alpha = rational(phases.alpha)
    P = recursion.P[:1] if all(now == recursion.P[0] for now in recursion.P) else recursion.P
    made = {
        "P": [[[_text(v) for v in row] for row in now] for now in P],
        "eta": _text(min(etas)),
        "alpha": _text(alpha),
        "local_steps": phases.steps,
        "rounds": recursion.rounds,
    }
    try:
        queries, averages = played(made, recursion.clients)
    except ValueError:  # more gradients than a checker reads
        return None
    same = tuple(queries) == recursion.queries and tuple(averages) == recursion.averages
    return made if same else None


def _text(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else rational_text(value)


def _listed(row: Row) -> list[str]:
    """Coefficients in order, up to the last that is not 0."""
    return [_text(row.get(k, Fraction(0))) for k in range(max(row, default=-1) + 1)]
