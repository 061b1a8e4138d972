"""DFedPGP's left side over Corollary 1's bracket, along a sweep over decades, without sampling."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._dfedpgp_instance import increasing
from theorylab.experiments.dfedpgp_measure import DfedpgpMeasure
from theorylab.known import Known

SWEEPS = ("rounds", "clients", "steps_u", "steps_v", "L_u", "L_v")
LAWS = ("corollary", "vanishing", "cap")
BRACKETS = ("printed", "corrected")


class DfedpgpGrowth(Experiment):
    """Columns:
        growth   factor 10^s per decade of the sweep, s the least-squares slope of log10 of (left
                 side / bracket^exponent) against log10 of the value; of 1/value where they fall
        ratio    left side / bracket^exponent, a row a value
        trend    left side, a row a value but the first (dfedpgp_first_value: that of the first)
        share    growth of what the terms in 1/T and 1/T^{3/2} are of the whole bracket

    Args:
        problem, topology, clients, x0: as for ``DfedpgpMeasure``. algorithm: steps_u, steps_v,
            batch.
        rounds: T. sweep: one of ``SWEEPS``; L_u and L_v also move mu_u and mu_v. values: at least
            three, rising or falling. follow: T is rounds (value/first)^follow.
        law: "corollary", eta = c/(L K sqrt T); "vanishing", c/(L K T); "cap", eta_u = c_u times
            Theorem 1's cap with delta = 1 and eta_v as in the corollary. shares: (c_u, c_v).
        bracket: "printed", (4) with (5) and the pair (C_row, q_row), against the printed left side
            at z_i, or at u_i with ``biased``; "corrected", that of ``cor1``, against its own.
        exponent: 1 as claimed; more is a control that must fail.
    """

    name = "dfedpgp-growth"
    columns = ("growth", "ratio", "trend", "share")
    claim_options = (
        *("sweep", "values", "follow", "law", "shares"),
        *("bracket", "biased", "exponent"),
    )

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        topology: Mapping[str, Any],
        algorithm: Mapping[str, Any],
        sweep: str,
        values: Sequence[float],
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
        if sweep not in ("L_u", "L_v"):
            increasing(where, "values", points)
        if not exponent > 0:
            raise ValueError(f"{where}: exponent is {exponent!r}; need > 0")
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "topology": dict(topology), "clients": clients},
            **{"algorithm": dict(algorithm), "rounds": rounds, "x0": x0, "sweep": sweep},
            **{"values": points, "follow": follow, "law": law, "shares": [*shares]},
            **{"bracket": bracket, "biased": biased, "exponent": exponent},
        }

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        return {}

    def _at(self, value: float) -> DfedpgpMeasure:
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
        else:
            T = value
        T = round(T * (value / options["values"][0]) ** options["follow"])
        c_u, c_v = options["shares"]
        if options["law"] == "vanishing":
            c_u, c_v = c_u / math.sqrt(T), c_v / math.sqrt(T)
        made = DfedpgpMeasure(**run, rounds=[T], corollary=(c_u, c_v))
        if options["law"] == "cap":
            L, K = made.at.losses["dfedpgp_L_u"].value, made.at.K_u
            cap = 1 / (4 * math.sqrt(2 * L * K))
            made = DfedpgpMeasure(
                **run, rounds=[T], corollary=(c_u * cap * L * K * math.sqrt(T), c_v)
            )
        return made

    def _point(self, value: float) -> tuple[float, float, float, float]:
        """(left side, its rounding error, bracket, its terms beyond 1/sqrt T)."""
        made, options = self._at(value), self.options
        corrected = options["bracket"] == "corrected"
        column = "descent" if corrected else "stationarity"
        column += "" if corrected or options["biased"] else "_debiased"
        found = made.observe(column, range(1), 0)
        if not found.exact:  # one run's slope says nothing of the expectation's
            raise ValueError(
                f"{self.name}: {column} of {made.at.problem.name} is sampled; need "
                "coupled-quadratic with isotropic noise, or none"
            )
        (row,) = found.rows
        T = made.options["rounds"][0]
        known = {name: known.value for name, known in made.at.known.items()}
        assert row.rounding is not None
        scale = math.sqrt(T) if corrected else 1.0
        if corrected:
            terms = corrected_terms(known, T)
        else:
            terms = printed_terms(known, float(row.at["dfedpgp_f_first"]), T)  # type: ignore[arg-type]
        return float(row.values[0]) * scale, row.rounding * scale, sum(terms), sum(terms[1:])

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        values, sweep = self.options["values"], self.options["sweep"]
        points = np.array([self._point(value) for value in values])
        left, room, bracket, rest = points.T
        if column == "trend":
            place = {"dfedpgp_first_value": float(left[0])}
            rows = [
                Row(left[k : k + 1], place, f"{sweep}={v:g}", rounding=float(room[k] + room[0]))
                for k, v in enumerate(values)
                if k
            ]
            return Observation(tuple(rows), True)
        order = bracket ** self.options["exponent"]
        if column == "ratio":
            rows = [
                Row(left[k : k + 1] / order[k], {"dfedpgp_swept": float(v)}, f"{sweep}={v:g}",
                    rounding=float(room[k] / order[k]))
                for k, v in enumerate(values)
            ]  # fmt: skip
            return Observation(tuple(rows), True, "dfedpgp_swept")
        ratio, error = (rest / bracket, 0 * room) if column == "share" else (left / order, room)
        if not (ratio > error / order).all():
            raise ValueError(f"{self.name}: a number to fit is 0 within rounding; need > 0")
        at = np.log10(np.array(values, np.float64))
        at = at if at[-1] > at[0] else -at
        weights = (at - at.mean()) / ((at - at.mean()) ** 2).sum()
        growth = 10.0 ** float(weights @ np.log10(ratio))
        relative = error / left if column == "growth" else error
        off = float(np.abs(weights) @ -np.log10(1 - relative))
        row = Row(
            np.array([growth]), label=f"{sweep} {values[0]:g} .. {values[-1]:g}",
            rounding=growth * (10.0**off - 1) + 1e-12,
        )  # fmt: skip
        return Observation((row,), True)


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
    root = math.sqrt(T)
    return [(gap + noise) / root, net * both * (1 / L_u + k["L_vu"] ** 2 / (L_u**2 * L_v)) / T]
