"""How DePRL's left side scales against Corollary 1's O(.), along a sweep over decades, exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from theorylab.constants import deprl_constants
from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._deprl_limit import limit_from_below
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
    consensus distance alone, over no bracket. Both are claims about a limit: along a window a
    bounded ratio may rise over decades before it comes near its limit. So what they are at least
    is 0, but where the limit is proved (``_deprl_limit``).

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
        """Those that do not move along the sweep, the decades of what is fitted, how far K is above
        Corollary 1's number of rounds and the corrected one at every value, the least that it asks
        for along the sweep, and whether what the O(.) hides is the same at every value.

        Of flags the smaller, of upper bounds the larger of both ends: a sweep is inside the
        assumptions where its ends are.
        """
        found = self.first.constants()
        runs = [self._at(value) for value in self.options["values"]]
        places = [(run.at.known, run.options["rounds"][0]) for run in runs]
        asked = [log_asked(known) for known, _ in places]
        room = min(math.log10(K) - log for log, (_, K) in zip(asked, places, strict=True))
        exact = all(known["deprl_L"].how is How.EXACT for known, _ in places)
        same = all(
            math.isclose(known[name].value, places[0][0][name].value, rel_tol=1e-9, abs_tol=1e-12)
            for known, _ in places
            for name in HIDDEN
        )
        speedup = min(_log_room_mixing(*place) for place in places)
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
            # an upper bound on L asks for more rounds
            "deprl_rounds_every": Known(room, How.EXACT if exact else How.LOWER, "K all along"),
            "deprl_rounds_asked": Known(
                min(asked), How.EXACT if exact else How.UPPER, "log10 of the least K asked for"
            ),
            "deprl_rounds_mixing": Known(speedup, How.LOWER, "K all along, by C_2 and q_2"),
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
            row = self._as_evidence(row, alone)
        return Observation((row,), True)

    def _as_evidence(self, row: Row, alone: bool) -> Row:
        """A growth along a window tells against an O(.) only where the limit is proved."""
        limit = limit_from_below(self.first.at, alone) if self.options["sweep"] == "rounds" else 0.0
        if not limit > 0:
            why = "no limit is proved here, and a window proves nothing"
            return replace(row, least=0.0, label=f"{row.label} ({why})")
        assert row.most is not None
        proved = 1.0 if alone else math.sqrt(10)  # the bracket falls as 1/sqrt K
        side = "distance" if alone else "left side"
        label = f"{row.label} (proved: the {side} does not tend below {limit:.6g})"
        return replace(row, most=max(row.most, proved), label=label)


def log_asked(known: Mapping[str, Known]) -> float:
    """log10 of the rounds that Corollary 1 asks for; inf where it does not say how many."""
    p, n, L = (known[name].value for name in ("deprl_p", "n", "deprl_L"))
    if not (p < 1 and math.isfinite(L)):
        return math.inf  # C is not defined at p = 1
    return deprl_constants(int(n), p, L)["deprl_log10_rounds"].value


def _log_room_mixing(known: Mapping[str, Known], rounds: int) -> float:
    """log10 of K over max(N^3 S^4, N L^2 max(1, 4 S^2)), S = C_2 q_2/(1-q_2)."""
    C, q, n, L = (known[name].value for name in ("deprl_C2", "deprl_q2", "n", "deprl_L"))
    if not (math.isfinite(C) and q < 1 and math.isfinite(L)):
        return -math.inf
    S = C * q / (1 - q)
    return math.log10(rounds / max(n**3 * S**4, n * L**2 * max(1.0, 4 * S**2)))
