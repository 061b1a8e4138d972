"""The rows of pdbo's Tables 1 and 4: test accuracies with step sizes that are chosen alike.

All rows have one data split, one number of rounds, and one set of step sizes to choose from. A
baseline's step size is the one with its own best mean validation accuracy, over runs that no row
reports; PDBO gets no choice: it has that of SGP (PDBO-DA) or of the uniform ensemble (the others).
HGP's series has a smaller step of its own: at the step that trains best it diverges.

    SGP, SGP-MTL       one model, or K with equal weights: PDBO-DA's and PDBO-MTL's first training
    Local, Local-MTL   the same without messages
    FedAvg+            SGP, then an epoch on one's own data (the paper: on full communication)
    PDBO-...           Adam, Table 2's rates, at the outer step with the best validation accuracy
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.hypergradients._bilevel import Bilevel, Floats
from theorylab.hypergradients._step_grid import best_step
from theorylab.hypergradients.outer_loop import SELECTS, at_selected, pdbo, selected
from theorylab.hypergradients.pdbo import PDBO
from theorylab.hypergradients.personal import bilevel
from theorylab.problems._options import count, number
from theorylab.topologies import Topology, topology

METHODS = {"PDBO-DA": "pdbo-da", "PDBO-MTL": "pdbo-mtl", "PDBO-MTL&DA": "pdbo-mtl-da"}
_BASELINES = {"SGP": "pdbo-da", "SGP-MTL": "pdbo-mtl", "Local": "pdbo-da", "Local-MTL": "pdbo-mtl"}
TABLE_ROWS = (*_BASELINES, "FedAvg+", *METHODS)
_COLUMNS = ("validation_accuracy", "test_accuracy", "test_accuracy_low")
_TUNING = 1 << 31  # the first of the runs that choose step sizes; no other run has such an id


@dataclass(frozen=True)
class Entry:
    """What one row comes to. accuracy, low: (R,), the mean over clients with weights proportional
    to their test samples, and the 10th percentile over clients.

    eta: the step size of the training. steps: (R,), the outer step that each run reports. curves:
    means over the runs, by outer step, of the test accuracy (PDBO's rows alone).
    """

    accuracy: Floats
    low: Floats
    eta: float
    steps: NDArray[np.int64]
    curves: Mapping[str, list[float]] = field(default_factory=dict)


class TableRows:
    """The problems, which all rows share, and the sizes.

    Args:
        clients: n. data: options of ``bilevel`` that all of its problems have.
        rounds: T. terms: M. outer_steps: S.
        steps: the step sizes that every baseline chooses from. larger: how many beyond the largest
            are tried while the largest is the best. tuning: runs that choose.
        series, omega, descent: ``series_eta``, ``omega`` and ``descent`` of ``PDBO``.
        component_rate: hyper-learning rate of the ensembles' numbers; None: Table 2's, 1 on a
            static network and .1 on others.
        seed: of the minibatches and the first models. tell: gets a line where a step size diverges,
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
        terms: int,
        outer_steps: int,
        steps: Sequence[float],
        larger: int = 0,
        tuning: int = 2,
        series: float | None = 0.1,
        omega: str = "mean",
        component_rate: float | None = None,
        descent: str = "off",
        seed: int = 0,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self.rounds = count("table rows", "rounds", rounds)
        self.tuning = count("table rows", "tuning", tuning)
        self.larger = count("table rows", "larger", larger, at_least=0)
        if isinstance(steps, str) or not isinstance(steps, Sequence) or not steps:
            raise ValueError(f"table rows: steps is {steps!r}; need step sizes, such as .05, .25")
        self.steps = [number("table rows", "steps", eta, above=0) for eta in steps]
        self.tell = tell or (lambda line: None)
        self.component_rate = component_rate
        if component_rate is not None:
            number("table rows", "component_rate", component_rate, above=0)
        data = dict(data or {})
        self.seed, self.batch = seed, data.get("batch")
        cuts = sorted({5 * rounds // 6, 11 * rounds // 12} - {0})
        self.plain = PDBO(outer_steps=0, terms=terms, drops=cuts, together=True, descent="off")
        self.full = replace(
            self.plain, outer_steps=outer_steps, series_eta=series, omega=omega, descent=descent
        )
        self.problems: dict[str, Bilevel] = {
            name: bilevel(name, clients, **data) for name in METHODS.values()
        }
        self._eta: dict[tuple[str, str], float] = {}

    @property
    def test_samples(self) -> int:
        """Of all clients together."""
        return int(self.problems["pdbo-da"].sizes_of("test").sum())

    def entry(self, row: str, graph: Topology, runs: Sequence[int]) -> Entry:
        """One of ``TABLE_ROWS`` on a network, of the runs with these ids.

        Raises ValueError on another row, or where no step size converges.
        """
        if row not in TABLE_ROWS:
            raise ValueError(f"table rows: no row {row!r}; need one of {', '.join(TABLE_ROWS)}")
        eta = self.eta(row, graph)
        if row == "FedAvg+":
            return self._tuned_on_own(graph, eta, runs)
        if row in _BASELINES:
            table = self._baseline(row, graph, eta, runs)
            first = np.zeros(len(runs), np.int64)
            return Entry(table[_COLUMNS[1]][:, 0], table[_COLUMNS[2]][:, 0], eta, first)
        table = self._pdbo(row, graph, eta, runs)
        best = at_selected(table)
        curves = {_COLUMNS[1]: table[_COLUMNS[1]].mean(axis=0).tolist()}
        return Entry(best[_COLUMNS[1]], best[_COLUMNS[2]], eta, selected(table), curves)

    def eta(self, row: str, graph: Topology) -> float:
        """The step size of a row: its own best by validation, or that of the row it starts as."""
        base = {"PDBO-DA": "SGP", "FedAvg+": "SGP"}.get(
            row, row if row in _BASELINES else "SGP-MTL"
        )
        key = (base, "" if base.startswith("Local") else repr(graph.describe()))
        if key not in self._eta:
            runs = range(_TUNING, _TUNING + self.tuning)

            def score(eta: float) -> float | None:
                try:
                    table = self._baseline(base, graph, eta, runs)
                except ValueError as error:  # this step size diverges
                    self.tell(f"{base} on {graph.name} with step {eta:g}: {error}")
                    return None
                return float(table[SELECTS].mean())

            best = best_step(self.steps, self.larger, score)
            if best is None:
                raise ValueError(
                    f"{base} on {graph.name}: no step size of {self.steps} converges; need smaller"
                )
            self._eta[key] = best
        return self._eta[key]

    def _baseline(
        self, row: str, graph: Topology, eta: float, runs: Sequence[int]
    ) -> Mapping[str, Floats]:
        """lambda = 0."""
        graph = silent(graph.clients) if row.startswith("Local") else graph
        return self._trained(_BASELINES[row], graph, replace(self.plain, eta=eta), runs)

    def _pdbo(
        self, row: str, graph: Topology, eta: float, runs: Sequence[int]
    ) -> Mapping[str, Floats]:
        name, moved = METHODS[row], self.component_rate
        if moved is None:
            moved = 1.0 if graph.period == 1 else 0.1
        rates: dict[str, Any] = {  # Table 2
            "pdbo-da": 0.1,
            "pdbo-mtl": moved,
            "pdbo-mtl-da": {"components": moved, "labels": 0.1},
        }
        return self._trained(name, graph, replace(self.full, eta=eta, rate=rates[name]), runs)

    def _trained(
        self, name: str, graph: Topology, method: PDBO, runs: Sequence[int]
    ) -> Mapping[str, Floats]:
        """The runs of one row, all together."""
        return pdbo(
            self.problems[name], graph, method, rounds=self.rounds, runs=list(runs),
            seed=self.seed, columns=_COLUMNS, tell=self.tell,
        ).table  # fmt: skip

    def _tuned_on_own(self, graph: Topology, eta: float, runs: Sequence[int]) -> Entry:
        """The models of SGP, then an epoch at each client alone."""
        problem, method = self.problems["pdbo-da"], replace(self.plain, eta=eta)
        ids = np.asarray(runs, np.int64)
        method = method.settled(problem, graph)
        start = method.init(problem, self.seed, ids)
        shared = method.train(problem, graph, start, self.rounds, self.seed, ids)
        sizes = problem.sizes_of("train")
        epoch = max(1, math.ceil(float(sizes.mean()) / self.batch)) if self.batch else 1
        after = replace(start, s=1, z=shared.x, omega=np.ones_like(shared.omega))
        alone = replace(method, drops=(), eta=eta * method.drop ** len(method.drops))
        own = alone.train(problem, silent(graph.clients), after, epoch, self.seed, ids)
        test = problem.sizes_of("test").astype(float)
        right = problem.accuracy(problem.points(own.x), problem.points(start.lam), part="test")
        mean = (right * test).sum(axis=1) / test.sum()
        return Entry(mean, np.percentile(right, 10, axis=1), eta, np.zeros(len(ids), np.int64))


def silent(clients: int) -> Topology:
    """No messages: every client keeps its own."""
    return topology("edge-list", clients, edges=[], weights="uniform", allow_disconnected=True)
