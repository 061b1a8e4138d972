"""How the left side of DFedAlt's and DFedSalt's theorems scales against a bracket, exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from theorylab.experiments._alternating_law import is_one_slope
from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._slope import growth
from theorylab.experiments.alternating_measure import AlternatingMeasure, as_known, caps_used
from theorylab.known import Known

SWEEPS = ("rounds", "clients", "steps_u", "steps_v", "gap", "L_u", "L_v")
CURVATURE = {"L_u": "A", "L_v": "B"}
SAME = ("F_start", "F_star", "L_u", "L_v", "L_vu", "delta", "sigma_u", "sigma_v")
BRACKETS = ("thm1", "thm2", "thm2-appendix", "corrected")
SMALLEST = ("dfedalt_definition", "dfedalt_fresh", "dfedalt_independent", "dfedalt_F_star")


class AlternatingGrowth(Experiment):
    """(1/T) sum_t E[Delta_u/L_u + Delta_v/L_v] over a bracket^exponent, steps c/(L K sqrt T).

    Columns: "ratio", at every value of the sweep; "growth", the factor 10^s per decade, s the
    least-squares slope of log10 (left side over the bracket with its powers of c) against log10
    value. An O(.) of a sum hides a constant a term, and the steps' c is one of them: what is won is
    divided by it, what a step adds has it as a factor. Where another term takes over along a sweep,
    the ratio with equal constants would move from one of these to the other, which is no growth.
    Nor is a window any evidence against an O(.): what "growth" is at least (``Row.least``) is 0,
    but where the limit is proved.

    That is: along T, with noise on u, every A_i = L_u I, no coupling, and no term of the bracket
    that falls as 1/sqrt T. Then ubar - abar is multiplied by (1 - eta_u L_u)^K_u in a round and
    gets the mean noise of K_u steps, so without SAM E||ubar - abar||^2 tends to eta_u sigma_u^2/(m
    L_u (2 - eta_u L_u)) in about sqrt T/c rounds, and the left side times sqrt T to c sigma_u^2/(2
    m K_u L_u) > 0. A radius rho_0/sqrt T moves ubar by no more (``AlternatingMeasure``), which is
    less than T^(-1/4). So the ratio grows as sqrt T without limit.

    Brackets, l = lambda/(1 - lambda), S2 = sigma_u^2 + delta^2:
        thm1   ((F - F*) + sigma_v^2 (L_v+1)/L_v^2 + L_vu^2 S2/L_u^2) / sqrt T
               + S2/(L_u T (1-lambda)^2)
        thm2   ((F - F*) + sigma_v^2 (L_v+1)/L_v^2 + s L_vu^2/(1-lambda)^2)/sqrt T + L_u/T
               + s L_u/(T (1-lambda)^2), s = rho^2/K_v + S2/L_v^2 with the rho of that T
        thm2-appendix   K_u for K_v and L_u for L_v in s, K_u^2 under the last term: (35), (36)
        corrected   ((F - F*) + sigma_v^2/(K_v L_v) + sigma_u^2/(m K_u L_u)) / sqrt T
               + (1 + chi^2) (1 + l^2) (delta^2 + sigma_u^2/K_u + L_u^2 rho^2)/(L_u T)
               + L_u rho^2

    Args:
        problem, topology, clients, x0, algorithm, scale: as for ``AlternatingMeasure``, where it
            is exact. rounds: T.
        sweep: one of ``SWEEPS``; "gap": the values are 1/(1 - lambda) of two clients' W; "L_u",
            "L_v": factors of the problem's A, B. Along the others the losses must not change.
        values: increasing, at least four. follow: T is ``rounds`` times (value/first)^follow; not
            with sweep "rounds". fit: how many of the last values "growth" fits; all if 0.
        exponent: 1 as claimed; more is a control that must fail.
    """

    name = "alternating-growth"
    columns = ("growth", "ratio")
    claim_options = ("bracket", "sweep", "values", "follow", "fit", "scale", "exponent")

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        algorithm: Mapping[str, Any],
        bracket: str,
        sweep: str,
        values: Sequence[float],
        topology: Mapping[str, Any] | None = None,
        clients: int = 2,
        rounds: int = 1,
        x0: Any = 0.0,
        scale: float = 0.1,
        follow: float = 0.0,
        fit: int = 0,
        exponent: float = 1.0,
    ) -> None:
        where, points = self.name, [*values]
        if sweep not in SWEEPS:
            raise ValueError(f"{where}: sweep is {sweep!r}; need one of {', '.join(SWEEPS)}")
        if bracket not in BRACKETS:
            raise ValueError(f"{where}: bracket is {bracket!r}; need one of {', '.join(BRACKETS)}")
        if len(points) < 4 or any(not v >= 1 for v in points) or sorted(set(points)) != points:
            raise ValueError(f"{where}: values is {values!r}; need four or more >= 1, increasing")
        if fit and not 3 <= fit <= len(points):
            raise ValueError(f"{where}: fit is {fit!r}; need 0, or 3 .. {len(points)}")
        if follow and sweep == "rounds":
            raise ValueError(f"{where}: follow came with sweep 'rounds'; need it 0")
        if not (scale > 0 and exponent > 0):
            raise ValueError(f"{where}: scale, exponent are {scale!r}, {exponent!r}; need > 0")
        if (topology is None) != (sweep == "gap"):
            raise ValueError(f"{where}: need a topology, and with sweep 'gap' none")
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "algorithm": dict(algorithm), "bracket": bracket},
            **{"sweep": sweep, "values": points, "clients": clients, "rounds": rounds, "x0": x0},
            **{"topology": None if topology is None else dict(topology), "scale": scale},
            **{"follow": follow, "fit": fit, "exponent": exponent},
        }
        self.made = [self._at(value) for value in points]
        if sweep not in CURVATURE:
            self._same_losses()

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        """Of flags the smallest, of the others the largest along the sweep: it is inside the
        assumptions where these are."""
        found: dict[str, Known] = {}
        caps = 0.0
        for run in self.made:
            known = run.made.known
            caps = max(caps, caps_used(known, *run.steps(run.options["rounds"][0])[:2]))
            for name, entry in known.items():
                if name in ("dfedalt_eta_u", "dfedalt_eta_v", "rho"):
                    continue
                old = found.setdefault(name, entry)
                better = entry.value < old.value if name in SMALLEST else (entry.value > old.value)
                found[name] = entry if better else old
        used = self.options["values"][-self.options["fit"] :]
        return {
            **found,
            "dfedalt_caps": as_known(caps, "largest share of a cap along the sweep"),
            "dfedalt_decades": as_known(math.log10(used[-1] / used[0]), "decades fitted"),
        }

    def _same_losses(self) -> None:
        first, *rest = (run.made.known for run in self.made)
        for name in (f"dfedalt_{symbol}" for symbol in SAME):
            for known in rest:
                a, b = first[name].value, known[name].value
                if not (a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)):
                    raise ValueError(
                        f"{self.name}: {name} is {a:g}, then {b:g} along the sweep; need the same "
                        "losses at every value"
                    )

    def _at(self, value: float) -> AlternatingMeasure:
        o = self.options
        run = {key: o[key] for key in ("problem", "topology", "clients", "x0", "scale")}
        run["algorithm"] = dict(o["algorithm"])
        if o["sweep"] in ("steps_u", "steps_v"):
            run["algorithm"][o["sweep"]] = value
        elif o["sweep"] == "clients":
            run["clients"] = value
        elif o["sweep"] in CURVATURE:
            blocks = CURVATURE[o["sweep"]]
            if blocks not in o["problem"]:
                raise ValueError(
                    f"{self.name}: sweep {o['sweep']!r} came without {blocks}; need it"
                )
            scaled = value * np.asarray(o["problem"][blocks], np.float64)
            run["problem"] = {**o["problem"], blocks: scaled.tolist()}
        elif o["sweep"] == "gap":
            w = 0.5 / value
            edges = [[0, 0, 1 - w], [1, 1, 1 - w], [0, 1, w], [1, 0, w]]
            run |= {"topology": {"name": "edge-list", "edges": edges}, "clients": 2}
        T = value if o["sweep"] == "rounds" else o["rounds"]
        T = round(T * (value / o["values"][0]) ** o["follow"])
        return AlternatingMeasure(**run, rounds=[T])

    def _bracket(self, run: AlternatingMeasure) -> float:
        return sum(term for term, _ in self._terms(run))

    def _terms(self, run: AlternatingMeasure) -> list[tuple[float, int]]:
        """The bracket's terms, each with the power of c that its proof leaves."""
        at = {k.removeprefix("dfedalt_"): v.value for k, v in run.made.known.items()}
        T, rho = run.options["rounds"][0], run.steps(run.options["rounds"][0])[2]
        root, gap = math.sqrt(T), 1 - at["lambda"]
        drop = (at["F_start"] - at["F_star"]) / root
        L_u, L_v, cross = at["L_u"], at["L_v"], at["L_vu"] ** 2
        both = at["sigma_u"] ** 2 + at["delta"] ** 2
        kind = self.options["bracket"]
        if kind == "corrected":
            slow = at["sigma_v"] ** 2 / (at["K_v"] * L_v)
            slow += at["sigma_u"] ** 2 / (at["n"] * at["K_u"] * L_u)
            spread = at["delta"] ** 2 + at["sigma_u"] ** 2 / at["K_u"] + (L_u * rho) ** 2
            fast = (1 + cross / (L_u * L_v)) * (1 + (at["lambda"] / gap) ** 2) * spread
            return [(drop, -1), (slow / root, 1), (fast / (L_u * T), 2), (L_u * rho**2, 0)]
        heads = at["sigma_v"] ** 2 * (L_v + 1) / L_v**2 / root
        if kind == "thm1":
            slow = cross * both / L_u**2 / root
            return [(drop, -1), (heads, 1), (slow, 1), (both / (L_u * T * gap**2), 1)]
        appendix = kind == "thm2-appendix"
        K, L = (at["K_u"], L_u) if appendix else (at["K_v"], L_v)
        s = rho**2 / K + both / L**2
        last = s * L_u / (T * gap**2) / (at["K_u"] ** 2 if appendix else 1)
        return [(drop, -1), (heads, 1), (s * cross / gap**2 / root, 1), (L_u / T, 1), (last, 1)]

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        rows, c = [], self.options["scale"] if column == "growth" else 1.0
        for value, run in zip(self.options["values"], self.made, strict=True):
            found = run.observe("measure", runs, seed)
            (row,) = found.rows
            if not found.exact:
                raise ValueError(
                    f"{self.name}: the left side is sampled; need no noise, or a quadratic with "
                    "isotropic noise and no SAM, or SAM with A_i = L_u I and no coupling"
                )
            # where nothing is drawn, one run: the relative 1e-9 of a row that says nothing else
            off = 1e-9 * float(row.values[0]) if row.rounding is None else row.rounding
            bracket = sum(term * c**power for term, power in self._terms(run))
            if not bracket > 0:
                raise ValueError(f"{self.name}: the bracket is 0; need a term of it above 0")
            bracket **= self.options["exponent"]
            place, label = {"dfedalt_swept": float(value)}, f"{self.options['sweep']}={value:g}"
            rows.append(Row(row.values / bracket, place, label, rounding=off / bracket))
        if column == "ratio":
            return Observation(tuple(rows), True, "dfedalt_swept")
        o = self.options
        row = growth(self.name, o["sweep"], o["values"], rows, o["fit"])
        return Observation((self._as_evidence(row),), True)

    def _as_evidence(self, row: Row) -> Row:
        """A growth along a window tells against an O(.) only where the limit is proved."""
        if self.options["exponent"] != 1:
            return row
        if not self._grows_for_ever():
            why = "no limit is proved here, and a window proves nothing"
            return replace(row, least=0.0, label=f"{row.label} ({why})")
        assert row.most is not None
        label = f"{row.label} (proved: the ratio grows as sqrt T)"
        return replace(row, most=max(row.most, math.sqrt(10)), label=label)

    def _grows_for_ever(self) -> bool:
        """The proof's conditions, see above."""
        run, o = self.made[-1], self.options
        if o["sweep"] != "rounds" or o["bracket"] == "corrected" or not is_one_slope(run.made):
            return False
        falling = {"thm1": 1}.get(o["bracket"], 2)  # how many of its last terms are O(1/T)
        slow = [term for term, _ in self._terms(run)[:-falling]]
        return run.made.known["dfedalt_sigma_u"].value > 0 and not any(slow)
