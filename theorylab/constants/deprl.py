"""The consensus constants of DePRL, its step-size caps and its number of rounds.

DePRL, Theorem 1: alpha <= (1 + 36 tau^2) / (tau L),

    beta <= min(1/L, N/2, (1-q) / (3 sqrt(2) C L N)),   C := 2 (1 + p^-N) / (1 - p^N),
    q := (1 - p^N)^(1/N),   p = arg min P_ij over P_ij > 0.

DePRL, Corollary 1: alpha = 1/(tau sqrt(K)), beta = sqrt(N/K), and

    K >= max(18 C^2 L^2 N^3 / (1-q)^2, (2 L^2 + 2)^2 / (N L^4), N L^2).

"arg min" is read as the smallest positive entry: the place of an entry is no number. As printed:

- The exponents are those of Nedic and Ozdaglar (2009), Prop. 1, with N in place of N - 1, which
  only enlarges C and q. Their |Phi(t,s)_ij - 1/N| <= C q^(t-s) needs P_ii > 0. DePRL counts i
  among its own neighbours but asks no P_ii > 0: P_ij = 1/2 between neighbours on a ring of four
  is doubly stochastic and connected, and never mixes, while the formula says q < 1.
- The cap on alpha grows with tau. At tau = 1 it is 37/L, where gradient descent on a quadratic
  diverges from 2/L on. Presumably a misprint.
- The second number under Corollary 1 says sqrt(N/K) <= N / (2 + 2/L^2), so the theorem's N/2 has
  lost a 1 + 1/L^2, unless the corollary has one too many.
"""

from __future__ import annotations

import math
from typing import Any

import mpmath

from theorylab.constants._printed import DIGITS, above, below, no_rate, nothing, rate
from theorylab.known import How, Known

THEOREM, COROLLARY = "DePRL, Theorem 1, as printed", "DePRL, Corollary 1, as printed"


def deprl_constants(
    clients: int, p: float, L: float = 1.0, local_steps: int = 1
) -> dict[str, Known]:
    """What DePRL prints, in 50 digits, rounded outwards.

    Args:
        clients: N. p: smallest positive entry of P, 0 < p <= 1, taken as the float64 it is.
        L: Lipschitz constant of the partial gradients (its Assumption 2).
        local_steps: tau, steps of a local head in a round.

    Returns:
        C_deprl, q_deprl (upper bounds), gap_deprl = 1 - q (lower bound); deprl_step_cap (the cap
        on beta, at most what the theorem allows), deprl_head_step_cap (on alpha), deprl_rounds
        (at least the K that the corollary asks for); deprl_log10_step_cap and deprl_log10_rounds,
        whose ``value`` is the logarithm itself. ``source`` names the term that binds. For p = 1
        there is no C: inf, no gap and no step.

    Raises:
        ValueError: on a number outside its range.
    """
    for what, value, fits, need in (
        ("clients", clients, clients >= 1, "at least 1"),
        ("p", p, 0 < p <= 1, "0 < p <= 1"),
        ("L", L, 0 < L < math.inf, "0 < L < inf"),
        ("local_steps", local_steps, local_steps >= 1, "at least 1"),
    ):
        if not fits:
            raise ValueError(f"deprl_constants: {what} is {value}; need {need}")
    with mpmath.workdps(DIGITS):
        given, length, N = f"N={clients}, p={p:.6g}", mpmath.mpf(L), mpmath.mpf(clients)
        head = mpmath.log((1 + 36 * mpmath.mpf(local_steps) ** 2) / (local_steps * length))
        fixed = {
            "deprl_head_step_cap": below(
                head, f"{THEOREM}: (1 + 36 tau^2)/(tau L), tau={local_steps}, L={L:.6g}"
            )
        }
        if p == 1:
            return _none(f"p = 1, so 1 - p^N = 0 ({given})") | fixed
        power = mpmath.mpf(p) ** clients
        log_q = mpmath.log1p(-power) / N
        log_C = mpmath.log(2 * (1 + 1 / power)) - mpmath.log1p(-power)
        log_gap = mpmath.log(-mpmath.expm1(log_q))
        pair = f"{THEOREM}: {given}"
        found = {"C_deprl": above(log_C, pair), **rate("deprl", log_q, pair)} | fixed
        log_L, log_N = mpmath.log(length), mpmath.log(N)
        cap, binds = min(
            (-log_L, "1/L"),
            (log_N - mpmath.log(2), "N/2"),
            (
                log_gap - mpmath.log(3 * mpmath.sqrt(2)) - log_C - log_L - log_N,
                "(1-q)/(3 sqrt(2) C L N)",
            ),
        )
        found |= _both("step_cap", below(cap, f"beta <= {binds}; {THEOREM}: {given}, L={L:.6g}"))
        rounds, binds = max(
            (
                mpmath.log(18) + 2 * log_C + 2 * log_L + 3 * log_N - 2 * log_gap,
                "18 C^2 L^2 N^3/(1-q)^2",
            ),
            (2 * mpmath.log(2 * length**2 + 2) - log_N - 4 * log_L, "(2 L^2 + 2)^2/(N L^4)"),
            (log_N + 2 * log_L, "N L^2"),
        )
        return found | _both(
            "rounds", above(rounds, f"K >= {binds}; {COROLLARY}: {given}, L={L:.6g}")
        )


def _both(what: str, known: Known) -> dict[str, Known]:
    log: Any = known.log10
    return {
        f"deprl_{what}": known,
        f"deprl_log10_{what}": Known(log, known.how, f"log10: {known.source}"),
    }


def _none(reason: str) -> dict[str, Known]:
    told = f"DePRL, Theorem 1, defines no constants: {reason}"
    no_step = Known(0.0, How.EXACT, told)
    return {
        "C_deprl": nothing(told),
        **no_rate("deprl", told),
        "deprl_step_cap": no_step,
        "deprl_log10_step_cap": Known(-math.inf, How.EXACT, told),
        "deprl_rounds": nothing(told),
        "deprl_log10_rounds": nothing(told),
    }
