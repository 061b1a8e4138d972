"""How an O(.) claim scales: the left side over the claimed bracket, along one swept parameter.

An O(.) names no constant, so no single run can refute it. What it does say is that the left side
over the bracket stays bounded as each parameter goes to its extremes. One parameter is swept over
decades, others follow it by powers (a step size 1/sqrt(T)), and the growth of the ratio per decade
is fitted: 10^s for the least-squares slope s of log10 ratio against log10 parameter. Bounded ratios
have growth 1 or below in the long run; a ratio that grows like the p-th power has 10^p.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from theorylab.algorithms import algorithm
from theorylab.experiments._base import Experiment, Floats, Observation, Row, check_column
from theorylab.experiments._hidden import theorem1
from theorylab.experiments._slope import lasting, steepest, weights_of
from theorylab.known import How, Known
from theorylab.problems import problem
from theorylab.runs import (
    expected_trace,
    has_exact_moments,
    initial_models,
    mean_interval,
    simulate,
)
from theorylab.topologies import topology

_PARTS = ("algorithm", "problem", "topology")


class Rate(Experiment):
    """Growth per decade of (left side / bracket) along a sweep.

    Args:
        algorithm, problem, topology: options with a name each. clients, rounds, x0: as for a run.
        measured, over: a column of a trace and its reduction over the rounds.
        sweep: "rounds", "clients", or an option such as "algorithm.local_steps", "problem.L".
        values: its values, increasing, at least four.
        coupled: options that follow: path -> exponent e, option = given * (value / values[0])^e.
        bracket: the claimed order in the swept parameter, a list of [coefficient, exponent]. What
            else an O(.) has in it must not move: along "clients" the losses have the same L, B,
            sigma_g, sigma, mu, f^* and f(x^0) at every value, or ValueError says which moves.
        fit: how many of the last values are fitted, all if 0: what comes before is transient.

    Columns: "growth", of the expected left side; where that is sampled, the slope is between what
    the confidence limits of the means allow, all of which hold together (the upper ones
    asymptotically), and that is the row's rounding; where the last step is less steep, that is the
    lower limit: see ``_slope.lasting``; and where the last ratio is below what the order may hide
    (``_hidden``), the growth is no evidence and that limit 0. "ratio", rows (left side / bracket)
    at every value, one number a run, with the value as ``sweep_value``.
    """

    name = "rate"
    columns = ("growth", "ratio")
    claim_options = ("measured", "over", "sweep", "values", "bracket", "coupled", "fit")

    def __init__(
        self,
        *,
        algorithm: Mapping[str, Any],
        problem: Mapping[str, Any],
        topology: Mapping[str, Any],
        clients: int,
        rounds: int,
        measured: str,
        over: str,
        sweep: str,
        values: Sequence[float],
        bracket: Sequence[Sequence[float]],
        coupled: Mapping[str, float] | None = None,
        x0: Any = 0.0,
        fit: int = 0,
    ) -> None:
        self.options: dict[str, Any] = {
            "algorithm": dict(algorithm),
            "problem": dict(problem),
            "topology": dict(topology),
            "clients": clients,
            "rounds": rounds,
            "measured": measured,
            "over": over,
            "sweep": sweep,
            "values": [*values],
            "bracket": [[*term] for term in bracket],
            "coupled": dict(coupled or {}),
            "x0": x0,
            "fit": fit,
        }
        for part in _PARTS:
            if "name" not in self.options[part]:
                raise ValueError(f"rate: {part} has no name; need {{'name': ...}}")
        points = np.array(self.options["values"], np.float64)
        if points.ndim != 1 or len(points) < 4 or not (points > 0).all():
            raise ValueError(f"rate: values is {values!r}; need at least four numbers > 0")
        if not (np.diff(points) > 0).all():
            raise ValueError(f"rate: values is {values!r}; need an increasing list")
        if fit and not 3 <= fit <= len(points):
            raise ValueError(f"rate: fit is {fit!r}; need 0, or 3 .. {len(points)}")
        if not bracket or any(len(term) != 2 or not term[0] > 0 for term in bracket):
            raise ValueError(f"rate: bracket is {bracket!r}; need [[coefficient > 0, exponent], .]")
        for path in (sweep, *self.options["coupled"]):
            _check_path(path)
        for path in self.options["coupled"]:
            _get(self.options, path)

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        used = self.options["values"][-self.options["fit"] :]
        return {
            "decades": Known(
                float(np.log10(used[-1] / used[0])), How.EXACT, f"of {self.options['sweep']} fitted"
            )
        }

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        options = self.options
        points = np.array(options["values"], np.float64)
        exact, rows = True, []
        if options["sweep"] == "clients":
            self._check_losses()
        for value in options["values"]:
            left, known = self._left(value, runs, seed)
            rows.append(left / self._bracket(value))
            exact &= known
        if column == "ratio":
            return Observation(
                tuple(
                    Row(each, {"sweep_value": float(value)}, f"{options['sweep']}={value:g}")
                    for value, each in zip(points, np.broadcast_arrays(*rows), strict=True)
                ),
                exact,
                "sweep_value",
            )
        last = options["fit"] or len(points)
        label = f"{options['sweep']} {points[-last]:g} .. {points[-1]:g}"
        if not exact:
            label += f", rounding: what {max(len(row) for row in rows)} runs leave open"
        row = _growth(points[-last:], rows[-last:], label)
        hidden = self._hidden()
        if _least(rows[-1]) <= hidden:
            why = f"the order may hide {hidden:.3g}" if hidden < math.inf else "no bound is proven"
            label += f" (last ratio {float(rows[-1].mean()):.3g}: {why})"
            row = replace(row, least=0.0, label=label)
        return Observation((row,), exact=True)

    def _hidden(self) -> float:
        """What the order may hide: ``_hidden.theorem1`` over the bracket, at the first value.

        With small steps or flat losses the left side stays as it is over decades, and a bounded
        ratio rises until it is near its limit; so does one whose noise, drift or disagreement is
        not there from the start. inf where no bound is proven: for other left sides, and where one
        of the values has steps that are too long for it.
        """
        o = self.options
        if (o["measured"], o["over"]) != ("squared_gradient", "average"):
            return math.inf
        runs = [self._made(value) for value in o["values"]]
        parts = [self._parts(made) for made in runs]
        networks = [(each[1], int(made["rounds"])) for each, made in zip(parts, runs, strict=True)]
        bounds = [
            theorem1(each[0], each[2], networks, int(made["rounds"]), o["x0"])
            for each, made in zip(parts, runs, strict=True)
        ]
        return bounds[0] / self._bracket(o["values"][0]) if max(bounds) < math.inf else math.inf

    def _start(self, losses: Any) -> float:
        """f(x^0), at the average of the clients' first models."""
        start = initial_models(losses, 1, np.asarray(self.options["x0"])).mean(axis=1)
        return float(losses.mean_loss(losses.points(start))[0])

    def _bracket(self, value: float) -> float:
        return float(sum(factor * value**power for factor, power in self.options["bracket"]))

    def _check_losses(self) -> None:
        """ValueError unless what an O(.) hides is the same for every number of clients."""
        first: dict[str, float] = {}
        for value in self.options["values"]:
            rest = dict(self.options["problem"])
            losses = problem(rest.pop("name"), int(value), **rest)
            found = {name: known.value for name, known in losses.constants().items()}
            found["f(x^0)"] = self._start(losses)
            for name, number in (first := first or found).items():
                if not math.isclose(found[name], number, rel_tol=1e-9, abs_tol=1e-12):
                    raise ValueError(
                        f"rate: {name} is {number:g} with {self.options['values'][0]:g} clients "
                        f"and {found[name]:g} with {value:g}; need losses that do not change"
                    )

    def _made(self, value: float) -> dict[str, Any]:
        """The options of the run at one value of the sweep."""
        options = self.options
        made = {key: options[key] for key in ("clients", "rounds")}
        made |= {part: dict(options[part]) for part in _PARTS}
        _set(made, options["sweep"], value)
        for path, exponent in options["coupled"].items():
            base = _get(options, path)
            moved = base * (value / options["values"][0]) ** exponent
            _set(made, path, round(moved) if isinstance(base, int) else moved)
        return made

    def _parts(self, made: Mapping[str, Any]) -> list[Any]:
        """Problem, topology, algorithm."""
        clients, made = int(made["clients"]), {part: dict(made[part]) for part in _PARTS}
        return [
            problem(made["problem"].pop("name"), clients, **made["problem"]),
            topology(made["topology"].pop("name"), clients, **made["topology"]),
            algorithm(made["algorithm"].pop("name"), **made["algorithm"]),
        ]

    def _left(self, value: float, runs: range, seed: int) -> tuple[Floats, bool]:
        """The left side, one a run, or (1,) and True where it is known without sampling."""
        options, made = self.options, self._made(value)
        parts = self._parts(made)
        start, rounds = np.asarray(options["x0"]), int(made["rounds"])
        alone = not parts[0].stochastic
        if has_exact_moments(parts[0], parts[2]):
            trace = expected_trace(*parts, rounds=rounds, x0=start)
        else:
            trace = simulate(
                *parts,
                rounds=rounds,
                runs=[0] if alone else runs,
                seed=seed,
                x0=start,
                columns=[options["measured"]],
            )
        return trace.reduced(options["measured"], options["over"]), trace.exact or alone


def _growth(points: Floats, rows: Sequence[Floats], label: str) -> Row:
    """10^s with the least-squares slope s of log10 ratio, and how far off it can be."""
    lows, means, highs = [], [], []
    for value, row in zip(points, rows, strict=True):
        if not (row > 0).all():
            raise ValueError(f"rate: the left side is 0 at {label.split()[0]}={value:g}; need > 0")
        one = len(row) == 1
        limits = None if one else mean_interval(row, share=1 / len(points))
        means.append(float(row.mean()))
        lows.append(means[-1] if limits is None else limits.low)
        highs.append(means[-1] if limits is None else limits.high)
    x = np.log10(points)
    weight = weights_of(x)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        low, middle, high = (np.log10(np.array(row)) for row in (lows, means, highs))
        # The slope is linear in the logarithms: each goes to the end that moves it furthest.
        least = 10.0 ** float(weight @ np.where(weight > 0, low, high))
        most = 10.0 ** float(weight @ np.where(weight > 0, high, low))
    centre = 10.0 ** float(weight @ middle)
    faded = 10.0 ** (lasting(x, middle))
    if all(len(row) == 1 for row in rows):
        steep = 10.0 ** (steepest(x, middle))
        return Row(np.array([centre]), label=label, least=faded, most=steep)
    room = max(centre - least, most - centre)
    room = room if np.isfinite(room) else np.inf
    return Row(np.array([centre]), label=label, rounding=room, least=faded)


def _least(row: Floats) -> float:
    """The lower confidence limit of the mean, or the one number itself."""
    return float(row[0]) if len(row) == 1 else mean_interval(row).low


def _check_path(path: str) -> None:
    part, _, key = path.partition(".")
    if path in ("clients", "rounds") or (part in _PARTS and key):
        return
    raise ValueError(
        f"rate: {path!r} cannot be swept; need clients, rounds, or an option such as "
        "algorithm.eta, problem.L, topology.degree"
    )


def _get(options: Mapping[str, Any], path: str) -> float:
    part, _, key = path.partition(".")
    if key and key not in options[part]:
        raise ValueError(f"rate: {path} is coupled, but has no base value; need it in {part}")
    found: float = options[part][key] if key else options[part]
    return found


def _set(options: dict[str, Any], path: str, value: float) -> None:
    part, _, key = path.partition(".")
    if key:
        options[part][key] = value
    else:
        options[part] = value
