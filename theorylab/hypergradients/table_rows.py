"""The rows of pdbo's Tables 1 and 4: test accuracies with step sizes that are chosen alike.

Every run has a data split of its own, and a network of its own where networks are drawn (FixU's
edges, the chances of StoU's and StoD's); all rows have the same. All have one number of rounds, and
one rule by which they choose (``best_choice``): what has the best mean validation accuracy, over
runs that no row reports. A baseline so chooses its step size; PDBO its step size, the step of HGP's
series, and M, the number of its terms.

    SGP, SGP-MTL       one model, or K with equal weights: PDBO-DA's and PDBO-MTL's first training
    Local, Local-MTL   the same without messages
    FedAvg+            SGP, then an epoch on one's own data (the paper: on full communication)
    PDBO-...           Adam, Table 2's rates, at the outer step with the best validation accuracy

HGP's series has a step of its own, as at the step that trains best it may diverge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.hypergradients._bilevel import Bilevel, Floats
from theorylab.hypergradients._personal_data import seed_of_run
from theorylab.hypergradients.outer_loop import SELECTS, at_selected, pdbo, selected
from theorylab.hypergradients.pdbo import PDBO
from theorylab.hypergradients.personal import bilevel
from theorylab.problems._options import count, number
from theorylab.topologies import Topology, topology

METHODS = {"PDBO-DA": "pdbo-da", "PDBO-MTL": "pdbo-mtl", "PDBO-MTL&DA": "pdbo-mtl-da"}
_BASELINES = {"SGP": "pdbo-da", "SGP-MTL": "pdbo-mtl", "Local": "pdbo-da", "Local-MTL": "pdbo-mtl"}
TABLE_ROWS = (*_BASELINES, "FedAvg+", *METHODS)
_COLUMNS = ("validation_accuracy", "test_accuracy", "test_accuracy_low")
_TUNING = 1 << 31  # the first of the runs that choose; no other run has such an id
_MOST_KEPT = 96  # problems: three a run, of a block of runs and those that choose


@dataclass(frozen=True)
class Entry:
    """What one row comes to. accuracy, low: (R,), the mean over clients with weights proportional
    to their test samples, and the 10th percentile over clients.

    chosen: what the row chose, "eta" and its other options. steps: (R,), the outer step that each
    run reports. curves: means over the runs, by outer step, of the test accuracy (PDBO's rows
    alone).
    """

    accuracy: Floats
    low: Floats
    chosen: Mapping[str, float]
    steps: NDArray[np.int64]
    curves: Mapping[str, list[float]] = field(default_factory=dict)


class TableRows:
    """The problems, which all rows share, and the sizes.

    Args:
        clients: n. data: options of ``bilevel`` that all of its problems have; its ``seed`` is
            that of the splits.
        rounds: T. terms: M, or several to choose from. outer_steps: S.
        steps: the step sizes to choose from. larger: how many beyond the largest are tried while
            the largest is the best. tuning: runs that choose.
        series: ``series_eta`` of ``PDBO``, or several to choose from. omega, descent: its own.
        component_rate: hyper-learning rate of the ensembles' numbers; None: Table 2's, 1 on a
            static network and .1 on others.
        seed: of the minibatches and the first models. tell: gets a line where a choice diverges,
            and as ``pdbo``.

    Raises:
        ValueError or TypeError: one line, on a bad option.
    """

    def __init__(
        self,
        clients: int,
        data: Mapping[str, Any] | None = None,
        *,
        rounds: int,
        terms: int | Sequence[int],
        outer_steps: int,
        steps: Sequence[float],
        larger: int = 0,
        tuning: int = 2,
        series: float | Sequence[float] | None = 0.1,
        omega: str = "mean",
        component_rate: float | None = None,
        descent: str = "off",
        seed: int = 0,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self.clients, self.rounds = clients, count("table rows", "rounds", rounds)
        self.tuning = count("table rows", "tuning", tuning)
        self.larger = count("table rows", "larger", larger, at_least=0)
        if isinstance(steps, str) or not isinstance(steps, Sequence) or not steps:
            raise ValueError(f"table rows: steps is {steps!r}; need step sizes, such as .05, .25")
        self.steps = [number("table rows", "steps", eta, above=0) for eta in steps]
        self.tell = tell or (lambda line: None)
        self.component_rate = component_rate
        if component_rate is not None:
            number("table rows", "component_rate", component_rate, above=0)
        self.others = {"series_eta": _several("series", series), "terms": _several("terms", terms)}
        self.data = dict(data or {})
        self.seed, self.batch = seed, self.data.get("batch")
        cuts = sorted({5 * rounds // 6, 11 * rounds // 12} - {0})
        self.plain = PDBO(outer_steps=0, terms=1, drops=cuts, together=True, descent="off")
        first = {name: values[0] for name, values in self.others.items()}
        self.full = replace(
            self.plain, outer_steps=outer_steps, omega=omega, descent=descent, **first
        )
        for name, values in self.others.items():
            for value in values:
                replace(self.full, **{name: value})  # refused now
        self._networks: dict[str, Topology] = {}
        self._problems: dict[tuple[str, int], Bilevel] = {}
        self._chosen: dict[tuple[str, str], dict[str, Any]] = {}
        self.problem("pdbo-mtl-da", 0)  # refused now

    @property
    def test_samples(self) -> int:
        """Of all clients together in run 0; other splits round otherwise, by one a client."""
        return int(self.problem("pdbo-da", 0).sizes_of("test").sum())

    def split(self, run: int) -> dict[str, Any]:
        """The options of the data of a run, as ``personal_data`` and ``bilevel`` take them."""
        return {**self.data, "seed": seed_of_run(self.data.get("seed", 0), run)}

    def network(self, graph: Topology, run: int) -> Topology:
        """``graph`` as it is drawn for a run: with a seed of the run's own, where it has one."""
        options = graph.describe()
        if "seed" not in options:
            return graph
        options["seed"] = seed_of_run(options["seed"], run)
        key = repr(options)
        if key not in self._networks:
            self._networks[key] = topology(**options)
        return self._networks[key]

    def problem(self, name: str, run: int) -> Bilevel:
        """One of ``METHODS``' problems on the split of a run."""
        if (name, run) not in self._problems:
            if len(self._problems) >= _MOST_KEPT:
                del self._problems[next(iter(self._problems))]
            self._problems[name, run] = bilevel(name, self.clients, **self.split(run))
        return self._problems[name, run]

    def entry(self, row: str, graph: Topology, runs: Sequence[int]) -> Entry:
        """One of ``TABLE_ROWS`` on a network, of the runs with these ids.

        Raises ValueError on another row, or where no step size converges.
        """
        if row not in TABLE_ROWS:
            raise ValueError(f"table rows: no row {row!r}; need one of {', '.join(TABLE_ROWS)}")
        chosen = self.chosen(row, graph)
        if row == "FedAvg+":
            found = [self._tuned_on_own(graph, chosen["eta"], r, "test") for r in runs]
            mean, low = np.transpose(found)
            return Entry(mean, low, chosen, np.zeros(len(runs), np.int64))
        table = self._trained(row, graph, chosen, runs)
        best = at_selected(table)
        curves = {_COLUMNS[1]: table[_COLUMNS[1]].mean(axis=0).tolist()} if row in METHODS else {}
        return Entry(best[_COLUMNS[1]], best[_COLUMNS[2]], chosen, selected(table), curves)

    def chosen(self, row: str, graph: Topology) -> dict[str, Any]:
        """What a row chooses, "eta" and PDBO's other options: the best by validation."""
        key = (row, "" if row.startswith("Local") else repr(graph.describe()))
        if key not in self._chosen:

            def score(at: dict[str, Any]) -> float:
                if row == "FedAvg+":
                    each = [self._tuned_on_own(graph, at["eta"], r, "validation") for r in self.own]
                    return float(np.mean([mean for mean, _ in each]))
                seen = self._trained(row, graph, at, self.own)
                return float(seen[SELECTS].max(axis=1).mean())

            others = self.others if row in METHODS else {}
            self._chosen[key] = chosen(self, f"{row} on {graph.name}", others, score)
        return self._chosen[key]

    @property
    def own(self) -> range:
        """The runs that choose."""
        return range(_TUNING, _TUNING + self.tuning)

    def _trained(
        self, row: str, graph: Topology, at: Mapping[str, Any], runs: Sequence[int]
    ) -> dict[str, Floats]:
        """``pdbo``'s columns of a row, each run on its split; lambda stays 0 in a baseline."""
        if row in _BASELINES:
            graph = silent(graph.clients) if row.startswith("Local") else graph
            method = replace(self.plain, eta=at["eta"])
        else:
            method = replace(self.full, rate=self._rate(row, graph), **at)
        name = _BASELINES.get(row) or METHODS[row]
        tables = [
            pdbo(
                self.problem(name, run), self.network(graph, run), method, rounds=self.rounds,
                runs=[run], seed=self.seed, columns=_COLUMNS, tell=self.tell,
            ).table
            for run in runs
        ]  # fmt: skip
        return {each: np.concatenate([table[each] for table in tables]) for each in _COLUMNS}

    def _rate(self, row: str, graph: Topology) -> Any:
        """Table 2."""
        moved = self.component_rate
        if moved is None:
            moved = 1.0 if graph.period == 1 else 0.1
        both = {"components": moved, "labels": 0.1}
        return {"PDBO-DA": 0.1, "PDBO-MTL": moved, "PDBO-MTL&DA": both}[row]

    def _tuned_on_own(
        self, graph: Topology, eta: float, run: int, part: str
    ) -> tuple[float, float]:
        """The models of SGP, then an epoch at each client alone; as ``scored``."""
        graph = self.network(graph, run)
        problem, method = self.problem("pdbo-da", run), replace(self.plain, eta=eta)
        ids = np.array([run], np.int64)
        method = method.settled(problem, graph)
        start = method.init(problem, self.seed, ids)
        shared = method.train(problem, graph, start, self.rounds, self.seed, ids)
        sizes = problem.sizes_of("train")
        epoch = max(1, math.ceil(float(sizes.mean()) / self.batch)) if self.batch else 1
        after = replace(start, s=1, z=shared.x, omega=np.ones_like(shared.omega))
        alone = replace(method, drops=(), eta=eta * method.drop ** len(method.drops))
        own = alone.train(problem, silent(graph.clients), after, epoch, self.seed, ids)
        return scored(problem, own.x, start.lam, part)


def scored(problem: Bilevel, x: Any, lam: Any, part: str) -> tuple[float, float]:
    """Of one run, x (1, n, d): the accuracy on a part, with weights proportional to the clients'
    samples, and its 10th percentile over clients."""
    sizes = problem.sizes_of(part).astype(float)
    right = problem.accuracy(problem.points(x), problem.points(lam), part=part)
    right = np.asarray(right)[0]
    return float((right * sizes).sum() / sizes.sum()), float(np.percentile(right, 10))


def chosen(
    rows: TableRows,
    who: str,
    others: Mapping[str, Sequence[Any]],
    score: Callable[[dict[str, Any]], float],
) -> dict[str, Any]:
    """What ``who`` chooses by ``score``, which raises ValueError where a choice diverges.

    Raises ValueError, one line, where none converges.
    """

    def seen(at: dict[str, Any]) -> float | None:
        try:
            return score(at)
        except ValueError as error:
            rows.tell(f"{who} with {at}: {error}")
            return None

    best = best_choice(rows.steps, rows.larger, others, seen)
    if best is None:
        raise ValueError(f"{who}: no step size of {rows.steps} converges; need smaller")
    return best


def silent(clients: int) -> Topology:
    """No messages: every client keeps its own."""
    return topology("edge-list", clients, edges=[], weights="uniform", allow_disconnected=True)


def _several(name: str, given: Any) -> list[Any]:
    """A value, or the values to choose from, as a list."""
    values = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    if not values:
        raise ValueError(f"table rows: {name} is {given!r}; need a number, or some to choose from")
    return values


def best_step(
    steps: Sequence[float], larger: int, score: Callable[[float], float | None]
) -> float | None:
    """The size with the highest score, the first of equals; None where none has a score.

    A size at the edge says nothing of those beyond. So while the largest size tried is the best,
    twice that size is tried, ``larger`` times at most.

    Args:
        steps: sizes to try, above zero, in any order.
        score: of a size; None where it diverges.
    """
    sizes = sorted({float(eta) for eta in steps})
    found = {eta: value for eta in sizes if (value := score(eta)) is not None}
    for _ in range(larger):
        if not found or max(found, key=lambda eta: found[eta]) != sizes[-1]:
            break
        sizes.append(2 * sizes[-1])
        value = score(sizes[-1])
        if value is not None:
            found[sizes[-1]] = value
    return max(found, key=lambda eta: found[eta]) if found else None


def best_choice(
    steps: Sequence[float],
    larger: int,
    others: Mapping[str, Sequence[Any]],
    score: Callable[[dict[str, Any]], float | None],
) -> dict[str, Any] | None:
    """The step size as ``eta``, and each option of ``others``; None where no size has a score.

    First the size, with the first value of every option; then one option after the other, each with
    what was chosen before it. So a grid of all values is not tried.

    >>> def far(at):
    ...     return -abs(at["eta"] - 2) - abs(at["mu"] - 1)
    >>> best_choice([0.5, 1.0], 2, {"mu": [0.0, 1.0, 3.0]}, far)
    {'eta': 2.0, 'mu': 1.0}
    """
    chosen = {name: values[0] for name, values in others.items()}
    eta = best_step(steps, larger, lambda size: score({"eta": size, **chosen}))
    if eta is None:
        return None
    chosen = {"eta": eta, **chosen}
    for name, values in others.items():
        if len(values) > 1:
            found = {value: seen for value in values
                     if (seen := score({**chosen, name: value})) is not None}  # fmt: skip
            chosen[name] = max(found, key=lambda value: found[value])
    return chosen
