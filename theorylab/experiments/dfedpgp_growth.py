"""DFedPGP's left side over Corollary 1's bracket, along a sweep over decades, without sampling."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._dfedpgp_instance import EPS, DfedpgpInstance, increasing
from theorylab.experiments._slope import growth
from theorylab.known import How, Known
from theorylab.metrics import measured, metric
from theorylab.runs import Setting

SWEEPS = ("rounds", "clients", "steps_u", "steps_v", "L_u", "L_v", "1/delta")
LAWS = ("corollary", "vanishing", "cap")
BRACKETS = ("printed", "corrected", "without-network")
HIDDEN = 32.0  # what an O(.) may hide: a ratio that ends below it shows no growth without end


class DfedpgpGrowth(Experiment):
    """Columns:
        growth   factor 10^s per decade of the sweep, s the least-squares slope of log10 of (left
                 side / bracket^exponent) against log10 of the value; of 1/value where they fall.
                 It is at least the growth of the last step (a transient ends), and only known to
                 be above 1 where the last ratio is above ``HIDDEN``
        ratio    left side / bracket^exponent, a row a value
        bracket  the bracket, a row a value but the first (dfedpgp_first_value: that of the first),
                 with F(ubar^1, V^1) of the first value at all of them
        share    growth of what the terms in 1/T and 1/T^{3/2} are of the whole bracket

    Args:
        problem, topology, clients, x0: of the instance. algorithm: steps_u, steps_v, batch.
        rounds: T. sweep: one of ``SWEEPS``; L_u and L_v also move mu_u and mu_v; 1/delta takes the
            place of topology and clients by ``lopsided``. values: at least three, rising or
            falling. follow: T is rounds (value/first)^follow.
        law: "corollary", eta = c/(L K sqrt T); "vanishing", c/(L K T); "cap", eta_u = c_u times
            Theorem 1's cap with delta = 1 and eta_v as in the corollary. shares: (c_u, c_v).
        bracket: "printed", (4) with (5) and the pair (C_row, q_row), against the printed left side
            at z_i, or at u_i with ``biased``; "corrected", that of ``cor1``, against its own;
            "without-network", the same without its terms in 1/T, a control that must fail.
        exponent: 1 as claimed; more is a control that must fail.

    Constants: dfedpgp_fresh; dfedpgp_steady, 1 if all three sigmas are the same at all values;
    dfedpgp_caps and dfedpgp_printed_caps, the largest share of a cap at any value, of what makes
    the constants of the corrected bound at most ``HIDDEN`` (shares up to 1/2), and of what Theorem
    1 and Lemma 1 ask for.
    """

    name = "dfedpgp-growth"
    columns = ("growth", "ratio", "bracket", "share")
    claim_options = (
        *("sweep", "values", "follow", "law", "shares"),
        *("bracket", "biased", "exponent"),
    )

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        algorithm: Mapping[str, Any],
        sweep: str,
        values: Sequence[float],
        topology: Mapping[str, Any] | None = None,
        clients: int = 1,
        rounds: int = 1,
        x0: Any = 0.0,
        follow: float = 0.0,
        law: str = "corollary",
        shares: Sequence[float] = (1.0, 1.0),
        bracket: str = "printed",
        biased: bool = False,
        exponent: float = 1.0,
    ) -> None:
        where, points = self.name, [*values]
        for what, given, known in (
            ("sweep", sweep, SWEEPS), ("law", law, LAWS), ("bracket", bracket, BRACKETS)
        ):  # fmt: skip
            if given not in known:
                raise ValueError(f"{where}: {what} is {given!r}; need one of {', '.join(known)}")
        steps = np.diff(np.array(points, np.float64))
        if len(points) < 3 or not min(points) > 0 or not ((steps > 0).all() or (steps < 0).all()):
            raise ValueError(
                f"{where}: values is {values!r}; need three or more, rising or falling"
            )
        if sweep not in ("L_u", "L_v", "1/delta"):
            increasing(where, "values", points)
        if (topology is None) != (sweep == "1/delta"):
            raise ValueError(f"{where}: need a topology, and with sweep '1/delta' none")
        if not exponent > 0:
            raise ValueError(f"{where}: exponent is {exponent!r}; need > 0")
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "topology": topology and dict(topology)},
            **{"clients": clients, "algorithm": dict(algorithm), "rounds": rounds, "x0": x0},
            "sweep": sweep,
            **{"values": points, "follow": follow, "law": law, "shares": [*shares]},
            **{"bracket": bracket, "biased": biased, "exponent": exponent},
        }
        self._made: dict[float, DfedpgpInstance] = {}

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        runs = [self._at(value) for value in self.options["values"]]
        used = np.array([shares_of_caps(made) for made in runs]).max(axis=0)
        names = ("dfedpgp_caps", "dfedpgp_printed_caps")
        text = "largest share of a cap along the sweep"
        sigmas = [[made.losses[f"dfedpgp_sigma_{part}"].value for part in "uvg"] for made in runs]
        steady = Known(float(all(s == sigmas[0] for s in sigmas)), How.EXACT, "along the sweep")
        return {
            "dfedpgp_fresh": runs[0].known["dfedpgp_fresh"],
            "dfedpgp_steady": steady,
            **{k: Known(float(v), How.EXACT, text) for k, v in zip(names, used, strict=True)},
        }

    def _hidden(self) -> float:
        """``HIDDEN``, and for small c more: what is transient then lasts 1/c times as long."""
        if self.options["law"] != "corollary":
            return HIDDEN
        return HIDDEN * max(1.0, 1.0 / float(min(self.options["shares"])))

    def _at(self, value: float) -> DfedpgpInstance:
        if value not in self._made:
            self._made[value] = self._run(value)
        return self._made[value]

    def _run(self, value: float) -> DfedpgpInstance:
        options = self.options
        run = {key: options[key] for key in ("topology", "clients", "x0")}
        run |= {key: dict(options[key]) for key in ("problem", "algorithm")}
        sweep, T = options["sweep"], options["rounds"]
        if sweep in ("L_u", "L_v"):
            run["problem"] |= {sweep: value, f"mu_{sweep[-1]}": value}
        elif sweep in ("steps_u", "steps_v"):
            run["algorithm"][sweep] = value
        elif sweep == "clients":
            run["clients"] = value
        elif sweep == "1/delta":
            run |= lopsided(1 / value)
        else:
            T = value
        T = round(T * (value / options["values"][0]) ** options["follow"])
        c_u, c_v = options["shares"]
        if options["law"] == "vanishing":
            c_u, c_v = c_u / math.sqrt(T), c_v / math.sqrt(T)
        parts, steps = (run["problem"], run["topology"], run["clients"]), run["algorithm"]
        ones = {**steps, "eta_u": 1.0, "eta_v": 1.0}
        one = DfedpgpInstance(self.name, *parts, ones, T, run["x0"])
        L_u, L_v = (one.losses[f"dfedpgp_L_{part}"].value for part in "uv")
        eta_u = c_u / (L_u * one.K_u * math.sqrt(T))
        if options["law"] == "cap":
            eta_u = c_u / (4 * math.sqrt(2 * L_u * one.K_u))
        steps |= {"eta_u": eta_u, "eta_v": c_v / (L_v * one.K_v * math.sqrt(T))}
        return DfedpgpInstance(self.name, *parts, steps, T, run["x0"])

    def _point(self, value: float) -> tuple[float, float, float, float]:
        """(left side, its rounding error, bracket, its terms beyond 1/sqrt T)."""
        made, options = self._at(value), self.options
        corrected = options["bracket"] != "printed"
        column = "weighted_stationarity" if corrected else "stationarity"
        column += "" if corrected or options["biased"] else "_debiased"
        found = measured_at(made, column)
        if not found.exact:  # one run's slope says nothing of the expectation's
            raise ValueError(
                f"{self.name}: {column} of {made.problem.name} is sampled; need "
                "coupled-quadratic with isotropic noise, or none"
            )
        (row,) = found.rows
        T = made.horizon
        known = {name: known.value for name, known in made.known.items()}
        assert row.rounding is not None
        scale = math.sqrt(T) if corrected else 1.0
        if corrected:
            terms = corrected_terms(known, T)[: 1 if options["bracket"] == "without-network" else 2]
        else:
            first = row.at["dfedpgp_f_first"]
            terms = printed_terms(known, first.value if isinstance(first, Known) else first, T)
        return float(row.values[0]) * scale, row.rounding * scale, sum(terms), sum(terms[1:])

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "bracket":
            return self._brackets()
        values, sweep = self.options["values"], self.options["sweep"]
        points = np.array([self._point(value) for value in values])
        left, room, bracket, rest = points.T
        # the terms in 1/T and 1/T^{3/2} alone, as a share, are free of rounding that matters
        order = bracket ** (1.0 if column == "share" else self.options["exponent"])
        above, error = (rest, 0 * room) if column == "share" else (left, room)
        if not (order > 0).all():
            raise ValueError(f"{self.name}: the bracket is 0; need a term of it above 0")
        rows = [
            Row(above[k : k + 1] / order[k], {"dfedpgp_swept": float(v)}, f"{sweep}={v:g}",
                rounding=float(error[k] / order[k]))
            for k, v in enumerate(values)
        ]  # fmt: skip
        if column == "ratio":
            return Observation(tuple(rows), True, "dfedpgp_swept")
        row = growth(self.name, sweep, values, rows, 0)
        if column == "growth" and rows[-1].values[0] <= self._hidden() and row.least is not None:
            row = dataclasses.replace(row, least=min(row.least, 1.0))
        return Observation((row,), True)

    def _brackets(self) -> Observation:
        values, sweep = self.options["values"], self.options["sweep"]
        start, found = None, []
        for value in values:
            made = self._at(value)
            if start is None:
                (row,) = measured_at(made, "stationarity_debiased").rows
                start = row.at["dfedpgp_f_first"]
            known = {name: known.value for name, known in made.known.items()}
            first = start.value if isinstance(start, Known) else start
            found.append(sum(printed_terms(known, first, made.horizon)))
        place = {"dfedpgp_first_value": found[0]}
        rows = [  # each a sum of positive terms of some twenty operations
            Row(np.array([b]), place, f"{sweep}={v:g}", rounding=64 * EPS * (b + found[0]))
            for v, b in zip(values[1:], found[1:], strict=True)
        ]
        return Observation(tuple(rows), True)


def lopsided(delta: float) -> dict[str, Any]:
    """Two clients, client 0 of which keeps delta/2 of all weight: lambda_2 = 1/2 for every delta.

    P = [[1-a, b], [a, 1-b]], a + b = 1/2: the weights fall from 1 to 2 b/(a+b) = 4 b.

    Raises ValueError unless 0 < delta <= 1.
    """
    if not 0 < delta <= 1:
        raise ValueError(f"dfedpgp-growth: delta is {delta!r}; need 0 < delta <= 1")
    b = delta / 4
    edges = [[0, 0, 0.5 + b], [1, 0, b], [0, 1, 0.5 - b], [1, 1, 1 - b]]
    return {"topology": {"name": "edge-list", "edges": edges}, "clients": 2}


def measured_at(made: DfedpgpInstance, column: str) -> Observation:
    """The metric's one row, after all rounds of the instance."""
    parts = (made.problem, made.topology, made.algorithm)
    setting = Setting(*parts, {}, made.horizon + 1, made.start)
    return measured(metric(f"dfedpgp.{column}"), setting, made.losses, rounds=[made.horizon])


def shares_of_caps(made: DfedpgpInstance) -> tuple[float, float]:
    """(2 max(1 - zeta, c_u/(delta sqrt T), c_v/sqrt T), of eta_u < delta/(4 sqrt 2 K_u L_u) and
    eta_v <= 1/(2 K_v L_v)), zeta of Theorem 1's corrected bound; inf where it is none.

    Below 1, 1/zeta <= 2, r and r' <= 1/2, beta <= 1/3, and with (e^x - 1)/x <= 1.3 for x <= 1/2
    r^2 <= 7.6 c_u^2/T (1/delta^2 + C^2/(1-q)^2), so that every term of that bound is at most 31
    times its own of ``corrected_terms`` where c_u, c_v <= 1/2.
    """
    k = {name.removeprefix("dfedpgp_"): known.value for name, known in made.known.items()}
    T, K, delta = made.horizon, k["K_u"], k["delta"]
    c_u, c_v = (k[f"eta_{p}"] * k[f"L_{p}"] * k[f"K_{p}"] * math.sqrt(T) for p in "uv")
    x = c_u / math.sqrt(T) / delta if delta > 0 else math.inf
    heads = 2 * c_v / math.sqrt(T)
    printed = max(4 * math.sqrt(2) * x, heads)
    if not (x <= 1 and k["q"] < 1):
        return math.inf, printed
    beta = delta * ((1 + x / K) ** K - 1) * k["C"] * k["q"] / (1 - k["q"])
    if not beta < 1:
        return math.inf, printed
    far, near = (1 + x / K) ** (K - 1) / (1 - beta) - 1, beta / (1 - beta)
    lost = far + c_v / c_u * k["L_vu"] ** 2 / (k["L_u"] * k["L_v"]) * near
    return max(2 * lost, 2 * x, heads), printed


def printed_terms(known: Mapping[str, float], f_first: float, T: int) -> list[float]:
    """Corollary 1, (4): what stands with 1/sqrt T, 1/T and 1/T^{3/2}."""
    k = {name.removeprefix("dfedpgp_"): value for name, value in known.items()}
    L_u, L_v, K_u = k["L_u"], k["L_v"], k["K_u"]
    net = k["C_row"] ** 2 / (1 - k["q_row"]) ** 2
    chi = max(k["L_uv"], k["L_vu"]) / math.sqrt(L_u * L_v)
    both = k["sigma_u"] ** 2 + k["sigma_g"] ** 2
    first = (1 + L_v) * k["sigma_v"] ** 2 + (1 / (K_u * L_u) + L_v * chi**2 * net / L_u) * both
    third = (1 / (K_u * L_u * k["delta"] ** 2) + net / (K_u * L_u)) * both
    root = math.sqrt(T)
    # A loss at its infimum within rounding must not make the bracket negative.
    gap = max(f_first - k["f_best"], 0.0)
    return [(gap + first) / root, net / L_u * both / T, third / (T * root)]


def corrected_terms(known: Mapping[str, float], T: int) -> list[float]:
    """What ``cor1`` has with 1/sqrt T and with 1/T, without its constants."""
    k = {name.removeprefix("dfedpgp_"): value for name, value in known.items()}
    L_u, L_v = k["L_u"], k["L_v"]
    noise = k["sigma_u"] ** 2 / (L_u * k["K_u"]) + k["sigma_v"] ** 2 / (L_v * k["K_v"])
    net = 1 / k["delta"] ** 2 + (k["C"] / (1 - k["q"])) ** 2
    both = k["sigma_u"] ** 2 + k["sigma_g"] ** 2
    gap = max(k["f_start"] - k["f_best"], 0.0)
    start = (L_u * k["C"]) ** 2 * k["start_spread"] / (1 - k["q"] ** 2)
    through = 1 / L_u + k["L_vu"] ** 2 / (L_u**2 * L_v)
    return [(gap + noise) / math.sqrt(T), (net * both + start) * through / T]
