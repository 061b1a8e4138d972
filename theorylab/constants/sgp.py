"""The consensus constants of stochastic gradient push as its authors print them.

Assran, Loizou, Ballas, Rabbat, "Stochastic Gradient Push", ICML 2019, Lemma 3:

    lambda = 1 - n D^(-(tau+1) Delta B),   q = lambda^(1 / ((tau+1) Delta B + 1)),
    C < 2 sqrt(d) D^((tau+1) Delta B) / lambda^(((tau+1) Delta B + 2) / ((tau+1) Delta B + 1)).
"""

from __future__ import annotations

import math

import mpmath

from theorylab.constants._printed import DIGITS, above, no_rate, nothing, rate
from theorylab.known import Known

LEMMA = "Assran et al. 2019, Lemma 3"


def sgp_pair(
    clients: int, max_out_degree: int, diameter: float, window: float, delay: int = 0, dim: int = 1
) -> dict[str, Known]:
    """C_sgp, q_sgp and gap_sgp = 1 - q_sgp of the lemma.

    Evaluated with logarithms in 50 digits: D^(Delta B) leaves float64 at once and 1 - q is below
    the spacing of floats near 1, so use ``log10`` of C_sgp and gap_sgp. Rounded outwards.

    Args:
        clients: n. max_out_degree: D, the self-loop counted.
        diameter: Delta, inf if there is none. window: B, inf if there is none.
        delay: tau. dim: d, the coordinates of a model.

    Returns:
        Upper bounds on C and q and a lower bound on the gap, as far as the lemma is right. Where
        lambda <= 0 the formula defines no constants: C and q are inf, the gap 0, and ``source``
        says so.

    Raises:
        ValueError: on a number below its least value.
    """
    for what, value, low in (
        ("clients", clients, 1),
        ("max_out_degree", max_out_degree, 1),
        ("diameter", diameter, 0),
        ("window", window, 1),
        ("delay", delay, 0),
        ("dim", dim, 1),
    ):
        if not value >= low:
            raise ValueError(f"sgp_pair: {what} is {value}; need at least {low}")
    if math.isinf(diameter) or math.isinf(window):
        return _none(f"Delta = {diameter}, B = {window}: the network is not connected")
    hops = (delay + 1) * int(diameter) * int(window)
    with mpmath.workdps(DIGITS):
        share = clients * mpmath.mpf(max_out_degree) ** -hops
        if share >= 1:
            return _none(
                f"lambda = 1 - {clients} * {max_out_degree}^-{hops} = "
                f"{mpmath.nstr(1 - share, 6)} <= 0"
            )
        log_lambda = mpmath.log1p(-share)
        log_C = (
            mpmath.log(2)
            + mpmath.log(dim) / 2
            + hops * mpmath.log(max_out_degree)
            - log_lambda * (hops + 2) / (hops + 1)
        )
        source = (
            f"{LEMMA}, as printed: n={clients}, D={max_out_degree}, (tau+1) Delta B={hops}, d={dim}"
        )
        return {"C_sgp": above(log_C, source), **rate("sgp", log_lambda / (hops + 1), source)}


def _none(reason: str) -> dict[str, Known]:
    reason = f"{LEMMA} defines no constants: {reason}"
    return {"C_sgp": nothing(reason), **no_rate("sgp", reason)}
