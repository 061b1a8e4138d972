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

from theorylab.statements._base import Assumption, Check, Version
from theorylab.statements._severity import Severity
from theorylab.statements.dfedalt import _instances as alt
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
from theorylab.statements.dfedalt._descent import CAP_U, CAP_U_SAM, CAP_V
from theorylab.statements.dfedalt._descent import V_STEP as V_CORRECTED
from theorylab.statements.dfedalt._orders import NOISE, NOISE_SAM, RADIUS, STEPS, order_of
from theorylab.statements.dfedalt._theorem1 import LETTER, ONE, TWENTIETH
from theorylab.statements.dfedalt.lem3 import CAP

Terms = Mapping[str, sp.Expr]
Assumptions = tuple[Assumption, ...]
LOST_STEPS = "a factor K_u is lost: no constant helps, however small eta_u"
UNEQUAL: dict[str, Any] = {  # false at t = 0
    "severity": Severity.MISSING_HYPOTHESIS,
    "rests_on": "Algorithm 1's random u_i^0, not all equal; t = 0",
    "inherits": "dfedalt.lem5",
}


def with_ones(
    terms: Terms,
    refuted: Mapping[str, alt.Data],
    held: Mapping[str, alt.Data],
    *,
    assumes: Assumptions = LETTER,
    note: str = "",
    slow: Mapping[str, alt.Data] | None = None,
    **false: Any,
) -> Version:
    """A display with the number 1 in it, or in its cap: where it is false, and where true.

    ``slow``: where it is false, too, at more expense. ``false``: severity, rests_on and inherits.
    """
    return Version(
        terms=terms,
        assumes=assumes,
        note=note,
        **false,
        checks=(
            *(Check(name, {**at, **ONE}, "VIOLATED") for name, at in refuted.items()),
            *(Check(name, {**at, **ONE}) for name, at in held.items()),
            *(Check(k, {**at, **ONE}, "VIOLATED", quick=False) for k, at in (slow or {}).items()),
        ),
    )


def one_step_for_all(
    terms: Terms,
    made: ModuleType,
    *more: Check,
    note: str = "equal starts, eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u)",
    inherits: str = "",
) -> Version:
    """A display that has lost a factor K_u: false for many steps alike."""
    return Version(
        terms=terms,
        assumes=(*PAPER, GRAPH, TOGETHER, CAP),
        note=note,
        severity=Severity.WRONG_ORDER,
        rests_on=LOST_STEPS,
        inherits=inherits,
        checks=(
            Check("many-steps", made.MANY_STEPS, "VIOLATED"),
            *more,
            Check("sin-sin", made.SMALL_STEPS),
        ),
    )


def every_step(
    terms: Terms, made: ModuleType, *between: Check, assumes: Assumptions, note: str,
    last: tuple[Check, ...] = (),
) -> Version:  # fmt: skip
    """The same display with every K_u in its place: any start, any step size."""
    return Version(
        terms=terms,
        assumes=assumes,
        note=note,
        checks=(
            Check("many-steps", made.MANY_STEPS),
            *between,
            Check("sin-sin", made.SINES),
            Check("signs", made.SIGNS),
            Check("starts-apart", made.APART),
            *last,
        ),
    )


def personal_step(made: ModuleType, signs: alt.Data, *more: Check) -> Version:
    """The v-step, (18) and (32) corrected: SAM does not touch it."""
    return Version(
        terms=V_CORRECTED,
        assumes=(SMOOTH, VARIANCE, FRESH, CAP_V),
        note="natural units, any start, the disagreement itself",
        checks=(
            Check("opposed", made.OPPOSED),
            Check("steep-heads", made.STEEP_HEADS),
            Check("sin-sin", made.SMALL_STEPS),
            Check("signs", signs),
            *more,
        ),
    )


def random_starts(terms: Terms, made: ModuleType, inherits: str = "") -> Version:
    """Lemmas 5 and 6 with u_i^0 as they come: false at t = 0 for small steps."""
    return Version(
        terms=terms,
        assumes=(*PAPER, GRAPH),
        note="u_i^0 as Algorithm 1 draws them",
        severity=Severity.MISSING_HYPOTHESIS,
        rests_on=UNEQUAL["rests_on"],
        inherits=inherits,
        checks=(
            Check("starts-apart", made.changed(made.APART, eta_u=1e-4), "VIOLATED"),
            Check("sin-sin", made.SINES),
        ),
    )


def long_rounds(terms: Terms, assumes: Assumptions) -> Version:
    """(13) and (19) with the cap's letter: a gain of eta_u K_u/2 for ever."""
    return with_ones(
        terms,
        {"long-rounds": alt.LONG},
        {"sin-sin": alt.SMALL_STEPS},
        assumes=assumes,
        note="eta_u <= (1-lambda)/(3 sqrt(2 K_u L_u))",
        severity=Severity.WRONG_ORDER,
        rests_on="the cap's root over K_u L_u, in units with L_u = 1e6",
        inherits="dfedalt.eq9",
    )


def tilted_clients(terms: Terms, assumes: Assumptions) -> Version:
    """(13) and (19) with the root over 2 alone: diversity becomes a bias."""
    return with_ones(
        terms,
        {"tilted": alt.TILTED_FAR},
        {"sin-sin": alt.SMALL_STEPS, "signs": alt.SMALL_SIGNS},
        assumes=assumes,
        slow={"tilted-at-shares-of-the-cap": alt.TILTED_SHARES},
        severity=Severity.WRONG_ORDER,
        rests_on="(9)'s lost K_u, at a tenth and a hundredth of the cap",
        inherits="dfedalt.eq9",
        note="eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u), equal starts",
    )


def _ways(sam: bool) -> tuple[Assumption, ...]:
    return (*STEPS, RADIUS) if sam else STEPS


def _swept(sam: bool, **options: Any) -> alt.Data:
    return alt.swept(radius=0.0 if sam else None, **options)


def noise_lost(
    bracket: str, refuted: Mapping[str, alt.Data], sam: bool, note: str = "", inherits: str = ""
) -> Version:
    """A printed order without sigma_u^2/sqrt T: false with noise, true without."""
    return Version(
        terms=TWENTIETH,
        assumes=(*PAPER, GRAPH, BELOW, *_ways(sam)),
        order=order_of(bracket, sam, NOISE_SAM if sam else NOISE),
        note=note,
        severity=Severity.WRONG_ORDER,
        rests_on="the noise of the u-steps is lost; no coupling, no diversity",
        inherits=inherits,
        checks=(
            *(Check(name, alt.swept(**at), "VIOLATED") for name, at in refuted.items()),
            Check("rounds-without-noise", _swept(sam, **alt.QUIET)),
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
        checks=(
            Check("rounds", _swept(sam, **alt.ALONG_ROUNDS)),
            Check("rounds-without-noise", _swept(sam, **alt.QUIET)),
            Check("clients", _swept(sam, **alt.ALONG_CLIENTS)),
            Check("u-steps", _swept(sam, **alt.along_steps("steps_u"))),
            Check("v-steps", _swept(sam, **alt.along_steps("steps_v"))),
            *own,
            Check("gap", _swept(sam, **alt.ALONG_GAP)),
            Check("u-curvature", _swept(sam, **alt.along_curvature("u", "A"))),
            Check("v-curvature", _swept(sam, **alt.along_curvature("v", "B"))),
            *last,
        ),
    )
