"""How DePRL's left side scales against Corollary 1's O(.), along a sweep over decades, exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._slope import growth
from theorylab.experiments.deprl_measure import DeprlMeasure
from theorylab.known import How, Known

SWEEPS = ("rounds", "clients", "tau")
SMALLEST = (
    *("deprl_doubly", "deprl_loops", "deprl_connected", "deprl_independent", "deprl_unbiased"),
    *("deprl_p", "deprl_f_best", "deprl_tau", "deprl_kept", "n"),
)

HIDDEN = ("deprl_f_start", "deprl_f_best", "deprl_L", "deprl_sigma", "deprl_varsigma")


class DeprlGrowth(Experiment):
    """Left side over (1/sqrt(NK) + 1/(K sqrt N) + 1/(tau sqrt(NK)))^exponent, as Corollary 1 runs.

    Columns: "ratio", at every value of the sweep; "growth", the factor 10^s per decade, s the
    least-squares slope of log10 ratio against log10 value; "growth_distance", the same of the
    consensus distance alone, over no bracket. While the left side is below what the O(.) may hide
    at the last value (``hidden``), its growth is no evidence: where losses are nearly flat, a
    bounded ratio rises over decades before it comes near its limit; and so it is below the number
    of rounds that Corollary 1 asks for (with P^m -> J that of its corrected form). So what "growth"
    is at least is 0 there, and "growth_distance", whose last is held against ``hidden`` at the
    first value that is fitted.

    Args:
        problem, topology, clients, x0: as for ``DeprlMeasure``; quadratics only.
        algorithm: tau, head. rounds: K.
        sweep: "rounds", "clients" or "tau". values: increasing, at least four.
        follow: K is ``rounds`` times (value / first value)^follow; not with sweep "rounds".
        fit: how many of the last values "growth" fits, at least 3; all if 0.
        exponent: 1 as printed; more is a control that must fail.
    """

    name = "deprl-growth"
    columns = ("growth", "ratio", "growth_distance")
    claim_options = ("sweep", "values", "follow", "fit", "exponent")

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        topology: Mapping[str, Any],
        algorithm: Mapping[str, Any],
        sweep: str,
        values: Sequence[int],
        clients: int = 2,
        rounds: int = 1,
        x0: Any = 0.0,
        follow: float = 0.0,
        fit: int = 0,
        exponent: float = 1.0,
    ) -> None:
        where, points = self.name, list(values)
        if sweep not in SWEEPS:
            raise ValueError(f"{where}: sweep is {sweep!r}; need one of {', '.join(SWEEPS)}")
        if len(points) < 4 or any(type(v) is not int or v < 1 for v in points):
            raise ValueError(f"{where}: values is {values!r}; need at least four integers >= 1")
        if sorted(set(points)) != points:
            raise ValueError(f"{where}: values is {values!r}; need them increasing")
        if fit and not 3 <= fit <= len(points):
            raise ValueError(f"{where}: fit is {fit!r}; need 0, or 3 .. {len(points)}")
        if not exponent > 0:
            raise ValueError(f"{where}: exponent is {exponent!r}; need > 0")
        if follow and sweep == "rounds":
            raise ValueError(f"{where}: follow came with sweep 'rounds'; need it 0")
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "topology": dict(topology), "clients": clients},
            **{"algorithm": dict(algorithm), "rounds": rounds, "x0": x0, "sweep": sweep},
            **{"values": points, "follow": follow, "fit": fit, "exponent": exponent},
        }
        self.first, self.last = self._at(points[0]), self._at(points[-1])

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        """Those that do not move along the sweep, the decades of what is fitted, and how far K is
        above Corollary 1's number of rounds (first value; both ends) and the corrected one, and
        whether what the O(.) hides is the same at every value.

        Of flags the smaller, of upper bounds the larger of both ends: a sweep is inside the
        assumptions where its ends are.
        """
        found = self.first.constants()
        ends = [(end.constants(), end.options["rounds"][0]) for end in (self.first, self.last)]
        asked = [_log_room(*end) for end in ends]
        exact = all(known["deprl_L"].how is How.EXACT for known, _ in ends)
        losses = [self._at(value).at.known for value in self.options["values"]]
        same = all(
            math.isclose(known[name].value, losses[0][name].value, rel_tol=1e-9, abs_tol=1e-12)
            for known in losses
            for name in HIDDEN
        )
        how = How.EXACT if exact else How.LOWER  # an upper bound on L asks for more rounds
        speedup = min(_log_room_mixing(*end) for end in ends)
        for name, known in self.last.constants().items():
            better = (
                known.value < found[name].value
                if name in SMALLEST
                else (known.value > found[name].value)
            )
            found[name] = known if better else found[name]
        used = self.options["values"][-self.options["fit"] :]
        span = math.log10(used[-1] / used[0])
        return {
            **found,
            "deprl_decades": Known(span, How.EXACT, "decades fitted"),
            "deprl_same": Known(float(same), How.EXACT, "of f(0), f*, L, sigma and varsigma"),
            "deprl_rounds_first": Known(asked[0], how, "K of the first value"),
            "deprl_rounds_every": Known(min(asked), how, "K of both ends"),
            "deprl_rounds_mixing": Known(speedup, How.LOWER, "K of both ends, by C_2 and q_2"),
        }

    def _at(self, value: int) -> DeprlMeasure:
        options = self.options
        run = {key: options[key] for key in ("problem", "topology", "clients", "algorithm", "x0")}
        rounds = options["rounds"]
        if options["sweep"] == "tau":
            run["algorithm"] = {**run["algorithm"], "tau": value}
        elif options["sweep"] == "clients":
            run["clients"] = value
        else:
            rounds = value
        rounds = round(rounds * (value / options["values"][0]) ** options["follow"])
        return DeprlMeasure(**run, rounds=[rounds], corollary=True)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        rows, sweep = [], self.options["sweep"]
        for value in self.options["values"]:
            made = self._at(value)
            alone = column == "growth_distance"
            (row,) = made.observe("distance" if alone else "measure", runs, seed).rows
            assert row.rounding is not None
            K, n, tau = made.options["rounds"][0], made.at.problem.clients, made.at.tau
            order = 1 / math.sqrt(n * K) + 1 / (K * math.sqrt(n)) + 1 / (tau * math.sqrt(n * K))
            bracket = 1.0 if alone else order ** self.options["exponent"]
            place, label = {"deprl_swept": float(value)}, f"{sweep}={value}"
            rows.append(Row(row.values / bracket, place, label, rounding=row.rounding / bracket))
        if column == "ratio":
            return Observation(tuple(rows), True, "deprl_swept")
        row = growth(self.name, sweep, self.options["values"], rows, self.options["fit"])
        if alone or self.options["exponent"] == 1:
            why = self._transient(float(rows[-1].values[0]) * bracket, alone)
            if why:
                row = replace(row, least=0.0, label=f"{row.label} ({why})")
        return Observation((row,), True)

    def _transient(self, left: float, alone: bool) -> str:
        """Why the left side of the last value is no evidence; empty if it is.

        Corollary 1 claims nothing below its number of rounds: before a network has mixed, noise
        piles up. Where K falls along N it is asked for at the first N, as the claim has it.
        """
        used = self.options["values"][-self.options["fit"] :]
        falls = self.options["follow"] < 0
        for value in self.options["values"][:1] if falls else (used[0], used[-1]):
            made = self._at(value)
            known, K = made.at.known, made.options["rounds"][0]
            mixes = known["deprl_C2"].finite and known["deprl_q2"].value < 1
            room = _log_room_mixing if mixes and not falls else _log_room
            if room(known, K) < 0:
                return f"at {self.options['sweep']}={value:g} K is below what Corollary 1 asks for"
        # a distance that is not yet falling is below what was proven for the first value, too
        made = self._at(used[0] if alone else used[-1])
        level = hidden(made.at.known, made.options["rounds"][0])
        return "" if left > level else f"left side {left:.3g}: the order may hide {level:.3g}"


def hidden(known: Mapping[str, Known], rounds: int) -> float:
    """``cor1``'s corrected bound at these steps: what an O(.) for the left side has to allow.

    Its consensus term only where K is so large that it is of the claimed order, too.
    """
    k = {name.removeprefix("deprl_"): value.value for name, value in known.items()}
    n, L, tau, m, sigma = k["n"], k["L"], k["tau"], k["kept"], k["sigma"]
    slow = 4 * max(k["f_start"] - k["f_best"], 0.0) + 2 * L * sigma**2 * (1 + m / tau**2)
    if _log_room_mixing(known, rounds) >= 0:
        slow += 4 * (3 + 2 * m / (tau * math.sqrt(n))) * (L * (sigma + k["varsigma"])) ** 2
    drift = 2 * L**2 * m * (m - 1) * sigma**2 / (tau**3 * rounds * math.sqrt(n))
    return float(slow / math.sqrt(n * rounds) + drift)


def _log_room(known: Mapping[str, Known], rounds: int) -> float:
    """log10 of K over max(18 C^2 L^2 N^3/(1-q)^2, (2 L^2+2)^2/(N L^4), N L^2), in logarithms:
    p^(-N) leaves float64 at N of a few hundred."""
    p, n, L = (known[name].value for name in ("deprl_p", "n", "deprl_L"))
    power = n * math.log10(p)  # of p^N
    if power >= 0 or not math.isfinite(L):
        return -math.inf  # C is not defined at p = 1
    tail = math.log10(-math.expm1(power * math.log(10)))  # of 1 - p^N
    C = math.log10(2) - power + math.log10(1 + 10**power) - tail
    # 1 - q, and p^N / N where p^N has left float64: that is less, and the number of rounds more
    gap = -math.expm1(tail * math.log(10) / n)
    log_gap = math.log10(gap) if gap > 0 else power - math.log10(n)
    asked = (
        math.log10(18 * L**2 * n**3) + 2 * C - 2 * log_gap,
        math.log10((2 * L**2 + 2) ** 2 / (n * L**4)),
        math.log10(n * L**2),
    )
    return math.log10(rounds) - max(asked)


def _log_room_mixing(known: Mapping[str, Known], rounds: int) -> float:
    """log10 of K over max(N^3 S^4, N L^2 max(1, 4 S^2)), S = C_2 q_2/(1-q_2)."""
    C, q, n, L = (known[name].value for name in ("deprl_C2", "deprl_q2", "n", "deprl_L"))
    if not (math.isfinite(C) and q < 1 and math.isfinite(L)):
        return -math.inf
    S = C * q / (1 - q)
    return math.log10(rounds / max(n**3 * S**4, n * L**2 * max(1.0, 4 * S**2)))
