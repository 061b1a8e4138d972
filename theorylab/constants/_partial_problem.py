"""Block constants of the problems, with their coordinates split into shared u and own v."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from theorylab.constants.personalised import PartialQuadratic, derived
from theorylab.known import How, Known
from theorylab.problems import Problem, plain

Mask = NDArray[np.bool_]
WHOLE = ("L", "mu", "B", "sigma_l")  # of F(u, V), or known to the problem itself


def partial_constants(made: Problem, shared: Mask) -> dict[str, Known]:
    """L_u, ..., partial_delta of a problem by formula; see ``personalised`` for the definitions.

    Raises:
        TypeError: if no formula is known for the problem. ValueError: if it is known only for
            another cut.
    """
    if not plain(made, object):
        raise TypeError(f"loss_constants: no formula is known for the losses of {made.name}")
    found = {}
    if made.square_form is not None:
        found = PartialQuadratic.of(made, shared).constants()
        for name in WHOLE:
            del found[name]
    found |= {"sigma_u": made.part_sigma(shared), "sigma_v": made.part_sigma(~shared)}
    found |= made.block_constants(shared)
    found |= derived(found)
    if found["chi"].how is How.ESTIMATE and made.convexity is not None:
        # H_i >= 0, so |a^T H_uv b|^2 <= (a^T H_uu a) (b^T H_vv b) at every point.
        source = "convex f_i: ||H_uv||^2 <= ||H_uu|| ||H_vv||; of the least L_u, L_v, L_uv"
        found["chi"] = Known(1.0, How.UPPER, source)
    if "partial_delta" not in found:
        found["partial_delta"] = _mean_square(found["partial_sigma_g"])
    return found


def _mean_square(largest: Known) -> Known:
    """delta from sigma_g: the mean over the clients is at most the largest."""
    if largest.value == 0 or math.isinf(largest.value):  # n times the mean is at least the largest
        return largest
    return Known(largest.value, How.UPPER, f"at most partial_sigma_g: {largest.source}")
