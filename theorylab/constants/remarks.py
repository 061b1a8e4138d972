"""How DFedSGPSM and DFedPGP quote the consensus constants of stochastic gradient push.

DFedSGPSM, Remark 1, and DFedPGP, Remark 2, print the same formula,

    q = (1 - a^(Delta B))^(1 / (Delta B + 1)),   "a < 1 is a constant",

and DFedPGP, Lemma 3, the lemma of ``sgp`` with its number K_u of local steps for the delay tau.

What a is, no paper says. Three readings:

1. a = 1/D, taken here. The lemma has 1 - n D^(-Delta B) in this place (tau = 0). Without the factor
   n the base is larger, so q is too: still an upper bound if the lemma is right.
2. a = n^(1/(Delta B)) / D: equal to the lemma; a < 1 as long as its lambda is positive.
3. a = D^-(K_u+1), to match DFedPGP's Lemma 3. Its outer root is 1 / ((K_u+1) Delta B + 1), which
   no a turns into the remark's 1 / (Delta B + 1): remark and lemma of that paper differ.

A delay is how many rounds a message may be late. Local steps delay no message, so Lemma 3 of
DFedPGP is weaker than the lemma it quotes, but no less true.
"""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath

from theorylab.constants._printed import DIGITS, no_rate, rate
from theorylab.constants.sgp import sgp_pair
from theorylab.known import Known

REMARK_1, REMARK_2 = "DFedSGPSM, Remark 1", "DFedPGP, Remark 2"


def dfedsgpsm_remark1(
    max_out_degree: int, diameter: float, window: float, a: float | Fraction | None = None
) -> dict[str, Known]:
    """q_remark and gap_remark = 1 - q_remark, rounded outwards; the remark prints no C.

    Args:
        max_out_degree: D, the self-loop counted. Used for a only.
        diameter: Delta, inf if there is none. window: B, inf if there is none.
        a: the constant of the remark, 0 < a < 1; None is 1/D, see the head of this module.

    Returns:
        An upper bound on q, a lower bound on the gap, as far as the remark is right. inf and 0,
        with the reason in ``source``, where it defines no q < 1.

    Raises:
        ValueError: on a number below its least value, or an ``a`` outside (0, 1).
    """
    return _remark(REMARK_1, max_out_degree, diameter, window, a)


def dfedpgp_remark2(
    max_out_degree: int, diameter: float, window: float, a: float | Fraction | None = None
) -> dict[str, Known]:
    """The same formula in the other paper; see ``dfedsgpsm_remark1``."""
    return _remark(REMARK_2, max_out_degree, diameter, window, a)


def dfedpgp_lemma3(
    clients: int, max_out_degree: int, diameter: float, window: float, local_steps: int, dim: int
) -> dict[str, Known]:
    """C_dfedpgp, q_dfedpgp and gap_dfedpgp of DFedPGP, Lemma 3 (its eq. 14).

    Args:
        clients: n; the paper counts its clients by m and leaves n undefined.
        local_steps: K_u, which stands where the quoted lemma has the delay tau.
        dim: d, the coordinates of the shared part u.

    The others, what comes back and what is raised: as in ``sgp_pair``.
    """
    quoted = sgp_pair(clients, max_out_degree, diameter, window, delay=local_steps, dim=dim)
    return {
        name.replace("_sgp", "_dfedpgp"): Known(
            known.value,
            known.how,
            f"DFedPGP, Lemma 3, tau = K_u = {local_steps}: {known.source}",
            log10_value=known.log10_value,
        )
        for name, known in quoted.items()
    }


def _remark(
    where: str, D: int, diameter: float, window: float, a: float | Fraction | None
) -> dict[str, Known]:
    for what, value, low in (
        ("max_out_degree", D, 1), ("diameter", diameter, 0), ("window", window, 1)
    ):  # fmt: skip
        if not value >= low:
            raise ValueError(f"{where}: {what} is {value}; need at least {low}")
    if a is not None and not 0 < a < 1:
        raise ValueError(f"{where}: a is {a}; need 0 < a < 1")
    base = Fraction(1, D) if a is None else Fraction(a)
    if math.isinf(diameter) or math.isinf(window):
        reason = f"Delta = {diameter}, B = {window}: the network is not connected"
        return no_rate("remark", f"{where} defines no q: {reason}")
    hops = int(diameter) * int(window)
    if base == 1 or hops == 0:
        reason = f"a = {base}, Delta B = {hops}: 1 - a^(Delta B) = 0"
        return no_rate("remark", f"{where} defines no q < 1: {reason}")
    with mpmath.workdps(DIGITS):
        log_a = mpmath.log(base.numerator) - mpmath.log(base.denominator)
        log_q = mpmath.log1p(-mpmath.exp(hops * log_a)) / (hops + 1)
        shown = f"1/D = {base}" if a is None else f"{float(base):.6g}"
        return rate("remark", log_q, f"{where}, as printed: a={shown}, Delta B={hops}")
