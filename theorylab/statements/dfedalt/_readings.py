"""Versions that come twice: for a display of DFedAlt, and for its twin with SAM.

``made`` is the paper's ``_instances``: DFedSalt's have the names of DFedAlt's, and a rho. What a
version says is in the file that calls; here are the places that it is checked at, which are the
same as the reason why it is true or false is.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import sympy as sp

from theorylab.statements import Assumption, Cause, Check, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import (
    APART,
    BELOW,
    CAP_TRAVEL,
    FRESH,
    GRAPH,
    MIXES,
    PAPER,
    SMOOTH,
    TOGETHER,
    VARIANCE,
)
from theorylab.statements.dfedalt._causes import (
    LOST_LOCAL,
    LOST_NOISE,
    LOST_SQUARE,
    STARTS,
    UNITS,
)
from theorylab.statements.dfedalt._descent import CAP_U, CAP_U_SAM, CAP_V
from theorylab.statements.dfedalt._descent import V_STEP as V_CORRECTED
from theorylab.statements.dfedalt._orders import NOISE, NOISE_SAM, RADIUS, STEPS, order_of
from theorylab.statements.dfedalt._theorem1 import LETTER, ONE, TWENTIETH
from theorylab.statements.dfedalt.lem3 import CAP

Terms = Mapping[str, sp.Expr]
Assumptions = tuple[Assumption, ...]
Causes = tuple[Cause, ...]
AT_ZERO = "at t = 0"


def with_ones(
    terms: Terms,
    refuted: Mapping[str, cases.Data],
    held: Mapping[str, cases.Data],
    *,
    assumes: Assumptions = LETTER,
    note: str = "",
    slow: Mapping[str, cases.Data] | None = None,
    causes: Causes = (),
    mends: Causes = (),
    carries: str = "",
) -> Version:
    """A display with the number 1 in it, or in its cap: where it is false, and where true.

    ``slow``: where it is false, too, at more expense.
    """

    def false(places: Mapping[str, cases.Data], quick: bool = True) -> tuple[Check, ...]:
        return tuple(
            Check(name, {**at, **ONE}, "VIOLATED", quick=quick, carries=carries)
            for name, at in places.items()
        )

    return Version(
        terms=terms,
        assumes=assumes,
        note=note,
        causes=causes,
        mends=mends,
        checks=(
            *false(refuted),
            *(Check(name, {**at, **ONE}) for name, at in held.items()),
            *false(slow or {}, quick=False),
        ),
    )


def one_step_for_all(
    terms: Terms,
    made: ModuleType,
    *more: Check,
    causes: Causes,
    note: str = "equal starts, eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u)",
) -> Version:
    """A display that has lost a factor K_u: false for many steps alike."""
    return Version(
        terms=terms,
        assumes=(*PAPER, GRAPH, TOGETHER, CAP),
        note=note,
        causes=causes,
        checks=(
            Check("many-steps", made.MANY_STEPS, "VIOLATED", causes=causes[:1]),
            *more,
            Check("sin-sin", made.SMALL_STEPS),
        ),
    )


def every_step(
    terms: Terms, made: ModuleType, *between: Check, assumes: Assumptions, note: str, mends: Causes,
    last: tuple[Check, ...] = (),
) -> Version:  # fmt: skip
    """The same display with every K_u in its place: any start, any step size."""
    return Version(
        terms=terms,
        assumes=assumes,
        note=note,
        mends=mends,
        checks=(
            Check("many-steps", made.MANY_STEPS),
            *between,
            Check("sin-sin", made.SINES),
            Check("signs", made.SIGNS),
            Check("starts-apart", made.APART),
            *last,
        ),
    )


def personal_step(made: ModuleType, signs: cases.Data, *more: Check) -> Version:
    """The v-step, (18) and (32) corrected: SAM does not touch it."""
    return Version(
        terms=V_CORRECTED,
        assumes=(SMOOTH, VARIANCE, FRESH, CAP_V),
        note="natural units, any start, the disagreement itself",
        mends=(STARTS,),
        checks=(
            Check("opposed", made.OPPOSED),
            Check("steep-heads", made.STEEP_HEADS),
            Check("sin-sin", made.SMALL_STEPS),
            Check("signs", signs),
            *more,
        ),
    )


def random_starts(terms: Terms, made: ModuleType) -> Version:
    """Lemmas 5 and 6 with u_i^0 as they come: false at t = 0 for small steps."""
    return Version(
        terms=terms,
        assumes=(*PAPER, GRAPH),
        note="u_i^0 as Algorithm 1 draws them",
        causes=(STARTS,),
        checks=(
            Check(
                "starts-apart",
                made.changed(made.APART, eta_u=1e-4),
                "VIOLATED",
                carries=AT_ZERO,
            ),
            Check("sin-sin", made.SINES),
        ),
    )


def long_rounds(terms: Terms, assumes: Assumptions) -> Version:
    """(13) and (19) with the cap's letter: a gain of eta_u K_u/2 for ever."""
    return with_ones(
        terms,
        {"long-rounds": cases.LONG},
        {"sin-sin": cases.SMALL_STEPS},
        assumes=assumes,
        note="eta_u <= (1-lambda)/(3 sqrt(2 K_u L_u))",
        causes=(LOST_LOCAL, LOST_SQUARE),
        carries="not free of units: the cap's root over K_u L_u, where L_u = 1e6",
    )


def tilted_clients(terms: Terms, assumes: Assumptions) -> Version:
    """(13) and (19) with the root over 2 alone: diversity becomes a bias."""
    return with_ones(
        terms,
        {"tilted": cases.TILTED_FAR},
        {"sin-sin": cases.SMALL_STEPS, "signs": cases.SMALL_SIGNS},
        assumes=assumes,
        slow={"tilted-at-shares-of-the-cap": cases.TILTED_SHARES},
        causes=(UNITS, LOST_LOCAL, LOST_SQUARE),
        carries="L_u = 1.1e9, at a tenth and a hundredth of the cap",
        note="eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u), equal starts",
    )


def _ways(sam: bool) -> tuple[Assumption, ...]:
    return (*STEPS, RADIUS) if sam else STEPS


def _swept(sam: bool, **options: Any) -> cases.Data:
    return cases.swept(radius=0.0 if sam else None, **options)


def noise_lost(
    bracket: str, refuted: Mapping[str, cases.Data], sam: bool, note: str = ""
) -> Version:
    """A printed order without sigma_u^2/sqrt T: false with noise, true without."""
    return Version(
        terms=TWENTIETH,
        assumes=(*PAPER, GRAPH, BELOW, *_ways(sam)),
        order=order_of(bracket, sam, NOISE_SAM if sam else NOISE),
        note=note,
        causes=(LOST_NOISE,),
        checks=(
            *(Check(name, cases.swept(**at), "VIOLATED") for name, at in refuted.items()),
            Check("rounds-without-noise", _swept(sam, **cases.QUIET)),
        ),
    )


def true_order(*own: Check, sam: bool, last: tuple[Check, ...] = ()) -> Version:
    """The corrected order, along every parameter that it names."""
    return Version(
        terms=TWENTIETH,
        order=order_of("corrected", sam),
        assumes=(
            *(*PAPER, GRAPH, BELOW, *_ways(sam), TOGETHER, FRESH, APART, MIXES),
            *(CAP_U_SAM if sam else CAP_U, CAP_V, CAP_TRAVEL),
        ),
        note="sigma_u^2/(m K_u L_u sqrt T) is there",
        mends=(LOST_NOISE,),
        checks=(
            Check("rounds", _swept(sam, **cases.ALONG_ROUNDS)),
            Check("rounds-without-noise", _swept(sam, **cases.QUIET)),
            Check("clients", _swept(sam, **cases.ALONG_CLIENTS)),
            Check("u-steps", _swept(sam, **cases.ALONG_STEPS_U)),
            Check("v-steps", _swept(sam, **cases.ALONG_STEPS_V)),
            *own,
            Check("gap", _swept(sam, **cases.ALONG_GAP)),
            Check("u-curvature", _swept(sam, **cases.ALONG_CURVATURE_U)),
            Check("v-curvature", _swept(sam, **cases.ALONG_CURVATURE_V)),
            *last,
        ),
    )
