r"""The terms that the proofs of Appendix C.2 bound one by one, and what is true of them.

D_t = (1/m) sum_i E||u_i^t - ubar^t||^2, a_k of Lemma 3's (with SAM 4's) corrected version.

T_1,u is eta_u L_u^2/2 times ``WANDER``, T_2,u is L_u/2 times ``LEAP``, T_2,v is L_v/2 times
``HEAD_LEAP``, T_3,v is L_vu^2/2 times D_t. Both sides of the displays are divided by that: on the
measured side a constant that is only a bound would prove nothing.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Quantity
from theorylab.statements.dfedalt._assumptions import APART, FRESH, PAPER
from theorylab.statements.dfedalt._symbols import (
    Delta_u,
    G,
    K_u,
    L_u,
    delta,
    eta_u,
    sigma_u,
    spread,
    wander,
)
from theorylab.statements.dfedsgpsm._symbols import local_step as k
from theorylab.symbols import n

DRIFT = Quantity("dfedalt.drift", "rows", (0, 2), r"\frac1m\sum_i E\|u_i^{t,k}-u_i^t\|^2")
WANDER = Quantity(
    "dfedalt.wander", "rows", (0, 2), r"\frac1m\sum_i\sum_{k<K_u} E\|u_i^{t,k}-\bar u^t\|^2"
)
LEAP = Quantity("dfedalt.leap", "rows", (0, 2), r"E\|\bar u^{t+1}-\bar u^t\|^2")
HEAD_LEAP = Quantity("dfedalt.head_leap", "rows", (0, 2), r"\frac1m\sum_i E\|v_i^{t+1}-v_i^t\|^2")
U_STEP = Quantity(
    "dfedalt.u_step", "rows", (1, 0), r"E[F(\bar u^{t+1},V^{t+1})-F(\bar u^t,V^{t+1})]"
)
V_STEP = Quantity("dfedalt.v_step", "rows", (1, 0), r"E[F(\bar u^t,V^{t+1})-F(\bar u^t,V^t)]")
ONE_U_STEP = (*PAPER, FRESH, APART)


def walked(parts: int, **more: sp.Expr) -> dict[str, sp.Expr]:
    """a_k^2 of Lemma 3 (``lem3``), in as many squares as its sum has ``parts``: 3; 4 with SAM.

    ``more``: what goes with k^2 besides delta^2 and G.
    """
    factor = parts * (1 + eta_u * L_u) ** (2 * k) * eta_u**2
    return {
        **{name: factor * k**2 * part for name, part in more.items()},
        "noise": factor * k * sigma_u**2,
        "diversity": factor * k**2 * delta**2,
        "gradient": factor * k**2 * G,
    }


def wandered(drift: sp.Expr, noise: sp.Expr, pull: sp.Expr) -> dict[str, sp.Expr]:
    """||u_i^{t,k} - ubar^t||^2 <= 2 ||u_i^t - ubar^t||^2 + 2 a_k^2, summed over k.

    sum k^2 <= K^3/3 and sum k <= K^2/2, so ``drift`` and ``noise`` are 2/3 and 1 times the number
    of parts of a_k^2 (3; 4 with SAM), and ``pull`` is what goes with k^2 there.
    """
    grown = (1 + eta_u * L_u) ** (2 * K_u) * eta_u**2
    return {
        "apart": 2 * K_u * spread,
        "drift": drift * grown * K_u**3 * pull,
        "noise": noise * grown * K_u**2 * sigma_u**2,
    }


def leapt(parts: int, sharpness: sp.Expr) -> dict[str, sp.Expr]:
    """E||sum_k (h_k + p_k + n_k)||^2 <= 2 K sum_k E||h_k + p_k||^2 + 2 K sigma_u^2/m.

    h_k is the mean of the clients' gradients, p_k of SAM's changes; ||h_k + p_k||^2 <= ``parts``
    (Delta_u + L_u^2 (mean of ||u_i^{t,k} - ubar||^2) + ``sharpness``): 2 without SAM, 3 with.
    """
    each = 2 * parts * eta_u**2 * K_u
    return {
        "gradient": each * K_u * Delta_u,
        "wander": each * L_u**2 * wander,
        "sharpness": each * K_u * sharpness,
        "noise": 2 * eta_u**2 * K_u * sigma_u**2 / n,
    }
