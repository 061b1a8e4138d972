"""``theorylab worst --forever``: a rate for all T in five lines, with its certificate."""

from __future__ import annotations

import math
from fractions import Fraction

from theorylab.commands.refusal import Refused, refusing, tell
from theorylab.commands.worst import Worst
from theorylab.commands.worst.asked import (
    asked_functions,
    asked_method,
    asked_network,
    asked_start,
    check_out,
    kept,
    number,
    span,
)
from theorylab.report.number import decimal
from theorylab.worst import (
    Functions,
    NotCertifiedError,
    NotLinearError,
    Outcome,
    Rate,
    forever,
)

_FINE = 10**9  # of the root of a rate


def shown(asked: Worst) -> int:
    """Print a rate for every number of clients, write what is asked for; the worst exit code.

    Raises Refused on bad input.
    """
    noise, out = asked.noise, asked.out
    for flag, given, default in (("--rounds", asked.rounds, "1"), ("--metric", asked.metric, None)):
        if given != default:
            raise Refused(f"worst: {flag} came with --forever, which is about all T")
    kind = asked.kind or "smooth-strongly-convex"
    functions = asked_functions(asked.replaced(kind=kind, noise=None))
    start = asked_start(asked)
    if set(start) - {"spread"}:
        raise Refused(f"worst: --start {min(set(start) - {'spread'})} with --forever; need spread")
    if functions.L is None or functions.B is not None or functions.heterogeneity is not None:
        raise Refused(
            "worst: --forever is about smooth functions; need --L, and no --B or --heterogeneity"
        )
    sigma = None if noise is None else number("--noise", noise)
    if sigma is not None and sigma < 0:
        raise Refused(f"worst: --noise is {noise}; need at least 0")
    check_out(out)
    method, _, graph = asked_method(asked)
    code, told = 0, []
    for n in span("--clients", asked.clients):
        with refusing("worst"):
            network = asked_network(asked.network, n, graph)
        head = f"{method.name} on {network.name}, n = {n}, for all T"
        lines: list[str]
        try:
            with refusing("worst"):
                rate = forever(
                    method, network, mu=functions.mu, L=functions.L or Fraction(1),
                    spread=bool(start.get("spread")), noise=bool(sigma),
                )  # fmt: skip
        except Refused as error:
            cause = error.__cause__
            if not isinstance(cause, NotLinearError):
                raise
            code, lines = max(code, Outcome.NOT_LINEAR.value.exit), [f"{head}: NOT LINEAR: {cause}"]
        except NotCertifiedError as error:
            code = max(code, Outcome.NOT_CERTIFIED.value.exit)
            lines = [f"{head}: NOT CERTIFIED: {error}"]
        else:
            lines = _told(head, rate, functions, start.get("spread"), sigma)
            told.append({"clients": n, "rate": str(rate.rate), "said": rate.said})
            if out is not None:
                lines.append(kept(rate, out, f"rate-n{n}.json"))
        for line in lines if asked.speaks else ():
            tell(line)
    asked.write_json({"rates": told})
    return code


def _told(
    head: str, rate: Rate, functions: Functions, spread: Fraction | None, sigma: Fraction | None
) -> list[str]:
    """What is proved, in decimals that are not below it."""
    claim = {key: v for key, v in rate.numbers.items() if v is not None}
    first = rate.numbers["first"]
    when = f" from round {first} on" if first else ""
    other = "a fixed point" if rate.certificate["proof"]["values"] else "another run"
    near = Fraction(rate.rate.numerator * _FINE**2, rate.rate.denominator)
    root = Fraction(math.isqrt(math.ceil(near)) + 1, _FINE)
    attained = Fraction(rate.attained) ** Fraction(1, 2) * (1 - 1e-12)
    lines = [head, f"  every f_i {functions.told()}; in every dimension"]
    lines.append(
        f"  PROVED: V of a run and {other} falls by the factor {decimal(rate.rate)} a round{when}, "
        f"its root by {decimal(root)}"
    )
    lines.append(
        f"  some quadratics attain {decimal(Fraction(attained), up=False)}: no root below is true"
    )
    parts, n = [], rate.certificate["clients"]
    if "factor" in claim:
        parts.append(f"{decimal(claim['factor'])} * {decimal(rate.rate)}^T |x^0 - x*|^2")
    elif spread or sigma:
        parts.append(f"V * {decimal(rate.rate)}^(T - {first})")
    if "spread" in claim and spread:
        floor = decimal(claim["spread"] * spread**2)
        parts.append(f"{floor} (root mean |grad f_i(x*)|^2 <= {spread})")
    if "noise" in claim and sigma:
        parts.append(f"{decimal(claim['noise'] * sigma**2)} (noise e)")
    if parts:
        mean = "E |xbar^T - x*|^2" if "noise" in claim else "|xbar^T - x*|^2"
        alone = n > 1 and "spread" not in claim
        where = ", where grad f_i(x*) = 0 for every i" if alone else ""
        lines.append(f"  {mean} <= {' + '.join(parts)}{where}")
    if "noise" in claim and sigma:
        lines.append(
            "  e has mean 0, is independent between clients and between queries, and "
            f"E |e|^2 <= {sigma**2} in all"
        )
    return lines
