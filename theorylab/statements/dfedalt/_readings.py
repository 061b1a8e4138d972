"""Versions that come twice: for a display of DFedAlt, and for its twin with SAM.

``made`` is the paper's ``_instances``: DFedSalt's have the names of DFedAlt's, and a rho. What a
version says is in the file that calls; here are the places that it is checked at, which are the
same as the reason why it is true or false is.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

import sympy as sp

from theorylab.statements._base import Assumption, Check, Version
from theorylab.statements.dfedalt import _instances as alt
from theorylab.statements.dfedalt._assumptions import (
    APART,
    BELOW,
    CAP_V,
    FRESH,
    GRAPH,
    PAPER,
    SMOOTH,
    TOGETHER,
    VARIANCE,
)
from theorylab.statements.dfedalt._symbols import caps
from theorylab.statements.dfedalt._theorem1 import LETTER, ONE, TWENTIETH, V_CORRECTED
from theorylab.statements.dfedalt.lem3 import CAP

Terms = Mapping[str, sp.Expr]
Assumptions = tuple[Assumption, ...]


def with_ones(
    terms: Terms,
    refuted: Mapping[str, alt.Data],
    held: Mapping[str, alt.Data],
    *,
    assumes: Assumptions = LETTER,
    note: str = "",
) -> Version:
    """A display with the number 1 in it, or in its cap: where it is false, and where true."""
    return Version(
        terms=terms,
        assumes=assumes,
        note=note,
        checks=(
            *(Check(name, {**at, **ONE}, "VIOLATED") for name, at in refuted.items()),
            *(Check(name, {**at, **ONE}) for name, at in held.items()),
        ),
    )


def one_step_for_all(
    terms: Terms,
    made: ModuleType,
    *more: Check,
    note: str = "equal starts, eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u)",
) -> Version:
    """A display that has lost a factor K_u: false for many steps alike."""
    return Version(
        terms=terms,
        assumes=(*PAPER, GRAPH, TOGETHER, CAP),
        note=note,
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
        note="a sixth of the gain, natural units, any start",
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
    )


def tilted_clients(terms: Terms, assumes: Assumptions) -> Version:
    """(13) and (19) with the root over 2 alone: diversity becomes a bias."""
    return with_ones(
        terms,
        {"tilted": alt.TILTED},
        {"sin-sin": alt.SMALL_STEPS, "signs": alt.SMALL_SIGNS},
        assumes=assumes,
        note="eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u), equal starts",
    )


INSIDE = Assumption("corrected: the steps are below the caps", rule=caps <= 1)


def noise_lost(bracket: str, note: str = "") -> Version:
    """A printed order without sigma_u^2/sqrt T: false with noise, true without."""
    return Version(
        terms=TWENTIETH,
        assumes=(*PAPER, GRAPH, BELOW),
        note=note,
        checks=(
            Check("rounds", alt.swept(bracket), "VIOLATED"),
            Check("rounds-without-noise", alt.swept(bracket, **alt.QUIET)),
        ),
    )


def true_order(*own: Check, last: tuple[Check, ...] = ()) -> Version:
    """The corrected order, along every parameter that it names."""
    return Version(
        terms=TWENTIETH,
        assumes=(*PAPER, GRAPH, BELOW, TOGETHER, FRESH, APART, INSIDE),
        note="sigma_u^2/(m K_u L_u sqrt T) is there",
        checks=(
            Check("rounds", alt.swept("corrected", **alt.ALONG_ROUNDS)),
            Check("rounds-without-noise", alt.swept("corrected", **alt.QUIET)),
            Check("clients", alt.swept("corrected", **alt.ALONG_CLIENTS)),
            Check("u-steps", alt.swept("corrected", **alt.ALONG_STEPS, sweep="steps_u")),
            Check("v-steps", alt.swept("corrected", **alt.ALONG_STEPS, sweep="steps_v")),
            *own,
            Check("gap", alt.swept("corrected", **alt.ALONG_GAP)),
            Check("u-curvature", alt.swept("corrected", **alt.ALONG_CURVATURE, sweep="L_u")),
            Check("v-curvature", alt.swept("corrected", **alt.ALONG_CURVATURE, sweep="L_v")),
            *last,
        ),
    )
