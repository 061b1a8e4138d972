"""``theorylab worst --every-sequence``, ``--every-spectrum``: a bound over a class of networks."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theorylab.algorithms import Algorithm, declared_phases
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
    told_method,
)
from theorylab.report.number import decimal
from theorylab.topologies import from_matrices
from theorylab.worst import (
    ColumnStochastic,
    Functions,
    NotCertifiedError,
    NotLinearError,
    Outcome,
    every_sequence,
    every_spectrum,
    record,
)
from theorylab.worst.certificate import Bound
from theorylab.worst.rationals import rational, written

_KEEP, _SHARE = 0.7, 0.3  # a network of two, on which a step tells that it is W x - eta g
_LOOKED = 3  # rounds of it
_BALL = {"distance": 1, "spread": 1}


def over_sequences(asked: Worst, least: str) -> int:
    """Push-sum on every sequence of column-stochastic networks on the edges of one.

    Raises Refused on bad input.
    """
    n, T = _one("--clients", asked.clients), _one("--rounds", asked.rounds)
    functions, start = _class(asked, "smooth-strongly-convex"), asked_start(asked)
    if functions.L is None or functions.B is not None or functions.heterogeneity is not None:
        raise Refused("worst: --every-sequence is of smooth functions; need --L, no --B")
    if start != _BALL or asked.metric not in (None, "distance"):
        raise Refused(
            "worst: --every-sequence bounds |xbar^T - x*|^2; need --start distance=1 --start "
            "spread=1"
        )
    method, fractions, graph = asked_method(asked)
    eta = _push_sum(method, T, fractions)
    with refusing("worst"):
        network = asked_network(asked.network, n, graph)
        if network.period != 1:
            raise ValueError(f"{network.name} changes from round to round; need the edges of one")
    support = [[int(entry != 0) for entry in row] for row in network.matrix(0).toarray()]
    networks = ColumnStochastic(support, number("--every-sequence", least))
    most = max(map(sum, zip(*support, strict=True)))
    if not 0 < networks.least * most <= 1:
        raise Refused(
            f"worst: --every-sequence is {least}; need more than 0 and at most 1/{most}, as a "
            f"client sends to {most}"
        )
    label = told_method(asked, method, fractions)
    head = (
        f"{label} on every sequence of column-stochastic networks with the edges of {network.name} "
        f"and entries of at least {networks.least}, n = {n}, T = {T}"
    )

    def bound() -> tuple[Bound, str]:
        mu, L = functions.mu, functions.L
        assert L is not None
        made = every_sequence(networks, T, eta=eta, mu=mu, L=L)
        return made, f"|xbar^T - x*|^2 <= {decimal(made.claim)}"

    said = f"{functions.told()}; |x^0 - x*| <= 1, root mean |grad f_i(x*)|^2 <= 1"
    return _shown(head, said, bound, f"sequences-n{n}-T{T}.json", asked)


def over_spectra(asked: Worst, ends: str) -> int:
    """Decentralized subgradient descent on every symmetric network with eigenvalues in a range.

    Raises Refused on bad input.
    """
    if asked.clients != "1" or asked.network != "complete":
        raise Refused("worst: --every-spectrum is of every number of clients; need no --clients")
    K, (low, high) = _one("--rounds", asked.rounds), _ends(ends)
    functions, start = _class(asked, "bounded-gradient"), asked_start(asked)
    if functions.L is not None or functions.mu or functions.B is None or functions.heterogeneity:
        raise Refused("worst: --every-spectrum needs --class bounded-gradient, and no --mu, --L")
    if set(start) != {"distance"} or asked.metric not in (None, "gap-of-mean"):
        raise Refused(
            "worst: --every-spectrum bounds f - f* at the mean of all models; need --start "
            "distance=R"
        )
    method, fractions, _ = asked_method(asked)
    eta, R = _mixes_then_steps(method, fractions), start["distance"]
    label = told_method(asked, method, fractions)
    head = (
        f"{label} on every symmetric network whose rows sum to 1 and whose other eigenvalues are "
        f"in [{low}, {high}], every n, {K} rounds"
    )

    def bound() -> tuple[Bound, str]:
        assert functions.B is not None
        made = every_spectrum(K, low, high, ratio=(eta * functions.B / R) ** 2)
        most = decimal(made.claim * R * R / eta)
        return made, f"f - f* at the mean of all models of rounds 0, ..., {K} <= {most}"

    said = f"{functions.told()}; |x^0 - x*| <= {R}"
    return _shown(head, said, bound, f"spectrum-T{K}.json", asked)


def _shown(head: str, said: str, bound: Any, name: str, asked: Worst) -> int:
    out = asked.out
    check_out(out)
    lines, code, content = [head, f"  every f_i {said}; in every dimension"], 0, {}
    try:
        with refusing("worst"):
            made, claim = bound()
    except NotCertifiedError as error:
        code = Outcome.NOT_CERTIFIED.value.exit
        lines.append(f"  NOT CERTIFIED: {error}")
    else:
        lines.append(f"  PROVED: {claim}")
        content = {"claim": str(made.claim), "said": claim}
        if out is not None:
            lines.append(kept(made, out, name))
    for line in lines if asked.speaks else ():
        tell(line)
    asked.write_json({"networks": content})
    return code


def _one(flag: str, text: str) -> int:
    numbers = span(flag, text)
    if len(numbers) > 1:
        raise Refused(f"worst: {flag} is {text!r}; need one number for a class of networks")
    return numbers[0]


def _class(asked: Worst, name: str) -> Functions:
    return asked_functions(asked.replaced(kind=asked.kind or name))


def _ends(text: str) -> tuple[Fraction, Fraction]:
    low, colon, high = text.partition(":")
    if not colon:
        raise Refused(f"worst: --every-spectrum is {text!r}; need LOW:HIGH, such as -1/2:1/2")
    return number("--every-spectrum", low), number("--every-spectrum", high)


def _push_sum(method: Algorithm, rounds: int, fractions: dict[float, Fraction]) -> Fraction:
    """eta of one gradient step a round and push-sum; Refused where the method is another."""
    phases = declared_phases(method)
    fits = phases is not None and phases.push_sum and phases.steps == 1
    if phases is None or not fits or phases.alpha or phases.rho:
        raise Refused(f"worst: --every-sequence is about push-sum; need sgp, not {method.name}")
    with written(fractions):
        etas = {rational(phases.eta(t)) for t in range(rounds)}
    if len(etas) > 1:
        raise Refused("worst: --every-sequence needs one step size for all rounds")
    return etas.pop()


def _mixes_then_steps(method: Algorithm, fractions: dict[float, Fraction]) -> Fraction:
    """eta of x_i = sum_j W_ij x_j - eta g_i; Refused where the method does something else."""
    two = from_matrices([[[_KEEP, _SHARE], [_SHARE, _KEEP]]])
    with refusing("worst"):
        try:
            made = record(method, two, _LOOKED, fractions)
        except NotLinearError as error:
            raise ValueError(f"NOT LINEAR: {error}") from None
    eta = -made.averages[1].get(0, Fraction(0)) * 2
    x: list[dict[int, Fraction]] = [{}, {}]
    queries = []
    for t in range(_LOOKED):
        queries += [(i, x[i]) for i in range(2)]
        mixed = []
        for i in range(2):
            row = {k: sum(made.P[t][i][j] * x[j].get(k, 0) for j in range(2)) for k in range(2 * t)}
            row[2 * t + i] = -eta
            mixed.append({k: Fraction(v) for k, v in row.items() if v})
        x = mixed
    if made.queries != tuple(queries) or not eta:
        raise Refused(
            f"worst: --every-spectrum is about x_i = sum_j W_ij x_j - eta g_i, which {method.name} "
            "is not here; need dpsgd with --set order=mix-then-step"
        )
    return eta
