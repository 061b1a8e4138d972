"""PDBO's rows of Tables 1 and 4 against their baselines, run by run (pdbo)."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.algorithms import State, algorithm
from theorylab.experiments._base import Floats
from theorylab.experiments._paired_accuracy import PairedAccuracy
from theorylab.files import named_files
from theorylab.hypergradients import TABLE_ROWS, TableRows, personal_data
from theorylab.hypergradients.table_rows import chosen, scored
from theorylab.problems import Problem, problem
from theorylab.problems._options import count
from theorylab.runs import simulate
from theorylab.runs._columns import own_models
from theorylab.topologies import Topology, topology


class PdboAccuracy(PairedAccuracy, name="pdbo-accuracy"):
    """Leads among the rows of ``hypergradients.TABLE_ROWS`` and ``ALGORITHM_ROWS`` on one network.

    Args:
        clients: n. network: its name and options.
        data: options that all problems share: model, data, root, partition, alpha, concepts, wrong,
            fraction, batch, reg, ...
        rounds, terms, outer_steps, steps, larger, tuning, series, omega, component_rate: of
            ``hypergradients.TableRows``.
        pairs, most_runs, least: of ``PairedAccuracy``.

    Raises:
        ValueError or TypeError: one line, on a bad option, or data that are not there.
    """

    def __init__(
        self,
        *,
        clients: int = 3,
        network: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
        rounds: int = 6,
        terms: int | Sequence[int] = 2,
        outer_steps: int = 1,
        steps: Sequence[float] = (0.2,),
        larger: int = 2,
        tuning: int = 1,
        series: float | Sequence[float] | None = 0.1,
        omega: str = "mean",
        component_rate: float | None = None,
        pairs: Sequence[Sequence[str]] = (("PDBO-DA", "SGP"),),
        most_runs: int = 16,
        least: float = 0.0,
    ) -> None:
        self._paired(pairs, most_runs, least, (*TABLE_ROWS, *ALGORITHM_ROWS))
        clients = count(self.name, "clients", clients)
        network = {"name": "sto-d", **self._options("network", network or {})}
        shared = {
            "rounds": rounds, "terms": terms, "outer_steps": outer_steps, "steps": [*steps],
            "larger": larger, "tuning": tuning, "series": series, "omega": omega,
            "component_rate": component_rate,
        }  # fmt: skip
        data = self._options("data", data or {})
        self.graph = topology(clients=clients, **network)
        self.options = {
            "clients": clients, "network": network, "data": data, **shared,
            "pairs": [list(pair) for pair in self.pairs], "most_runs": self.most_runs,
            "least": self.least,
        }  # fmt: skip
        built = [clients, shared, self.options["data"]]
        self._built = json.dumps([*built, named_files(built)])
        _rows(self._built, 0)  # refused now

    @property
    def test_samples(self) -> int:
        return _rows(self._built, 0).test_samples

    def measured(self, side: str, runs: range, seed: int) -> Mapping[str, Floats]:
        if side in ALGORITHM_ROWS:
            mean, low = _algorithms(self._built, seed).measured(side, self.graph, runs)
            return {"lead": mean, "lead_low": low}
        found = _rows(self._built, seed).entry(side, self.graph, runs)
        return {"lead": found.accuracy, "lead_low": found.low}

    def chosen(self, side: str, seed: int) -> dict[str, Any]:
        rows = _algorithms if side in ALGORITHM_ROWS else _rows
        return rows(self._built, seed).chosen(side, self.graph)


@functools.lru_cache(maxsize=4)
def _rows(built: str, seed: int) -> TableRows:
    """Kept, with what it has chosen, for the checks of one setting."""
    clients, shared, data, _ = json.loads(built)
    return TableRows(clients, data, seed=seed, **shared)


@functools.lru_cache(maxsize=4)
def _algorithms(built: str, seed: int) -> AlgorithmRows:
    return AlgorithmRows(_rows(built, seed))


# By row of Table 1: the algorithm, and what it chooses besides its step size. pdbo names none of
# these options; the values are some of those that the methods' own papers have.
ALGORITHM_ROWS: Mapping[str, tuple[str, Mapping[str, Sequence[Any]]]] = {
    "FedProx": ("fedprox", {"mu": [0.1, 0.01, 1.0], "fraction": [1.0]}),
    "Clustered-FL": ("clustered-fl", {"eps2": [1.6, 0.4, 0.1, 0.025]}),
    "pFedMe": ("pfedme", {"lam": [15.0, 5.0, 1.0], "fraction": [1.0]}),
    "FedEM": ("dfedem", {}),
}
_KNOWN = tuple(inspect.signature(personal_data).parameters)[2:]


class AlgorithmRows:
    """The rows of ``ALGORITHM_ROWS``.

    FedEM has mixtures of as many models as PDBO-MTL has; its weights over the models come from the
    training samples, so that the test samples are unseen, as they are of PDBO. Clustered-FL's eps1
    is a quarter of its eps2, as in its authors' program.

    Raises ValueError, one line, where the models are no softmax regressions, or the network is none
    that the row has: complete, or for FedEM static and doubly stochastic (pdbo, Section 6.2).
    """

    def __init__(self, rows: TableRows) -> None:
        if rows.data.get("model", "softmax") != "softmax":
            raise ValueError(
                f"{', '.join(ALGORITHM_ROWS)}: model is {rows.data['model']!r}; need softmax"
            )
        self.rows = rows
        self._chosen: dict[tuple[str, str], dict[str, Any]] = {}

    def measured(self, row: str, graph: Topology, runs: Sequence[int]) -> tuple[Floats, Floats]:
        """(R,) each: the test accuracy, and its 10th percentile over clients."""
        _check_network(row, graph)
        at = self.chosen(row, graph)
        mean, low = np.transpose([self.accuracy(row, graph, at, run, "test") for run in runs])
        return mean, low

    def chosen(self, row: str, graph: Topology) -> dict[str, Any]:
        """What a row chooses: the best by validation."""
        key = row, repr(graph.describe())
        if key not in self._chosen:
            self._chosen[key] = chosen(
                self.rows, f"{row} on {graph.name}", ALGORITHM_ROWS[row][1],
                lambda at: float(np.mean([
                    self.accuracy(row, graph, at, run, "validation")[0] for run in self.rows.own
                ])),
            )  # fmt: skip
        return self._chosen[key]

    def accuracy(
        self, row: str, graph: Topology, at: Mapping[str, Any], run: int, part: str
    ) -> tuple[float, float]:
        """Of one run on its split, with the options ``at``: as ``scored``."""
        rows, options = self.rows, dict(at)
        if row == "Clustered-FL":
            options["eps1"] = options["eps2"] / 4
        plain = rows.plain
        options["eta"] = functools.partial(_dropped, at["eta"], plain.drop, tuple(plain.drops))
        tested = rows.problem("pdbo-mtl" if row == "FedEM" else "pdbo-da", run)
        base = trained_on(row, rows, run)
        start = base.initial(rows.seed, np.array([run]))
        if row != "FedEM":
            start = np.asarray(tested.initial(rows.seed, np.array([run])))
        seen: list[State] = []
        method = algorithm(ALGORITHM_ROWS[row][0], local_steps=1, **options)
        simulate(
            base, rows.network(graph, run), method,
            rounds=rows.rounds, every=rows.rounds, runs=[run], seed=rows.seed, columns=(),
            x0=start[0], watch=lambda state, count: seen.append(state),
        )  # fmt: skip
        end = seen[-1]
        if row == "FedEM":
            return scored(tested, end.z, end.v, part)
        return scored(tested, own_models(end), np.zeros((1, tested.clients, tested.hyper)), part)


def trained_on(row: str, rows: TableRows, run: int) -> Problem:
    """The training part of a run's split: softmax regression, or FedEM's mixture."""
    options = {k: v for k, v in rows.split(run).items() if k in _KNOWN}
    parts = personal_data(row, rows.clients, **options)
    train = parts.parts["train"]
    flat = train.inputs.reshape(len(train.labels), -1) * parts.source.scale
    ensemble: Any = rows.problem("pdbo-mtl", run)
    shape = {"components": ensemble.options.components} if row == "FedEM" else {}
    return problem(
        "mixture" if row == "FedEM" else "softmax", rows.clients, reg=ensemble.options.reg,
        batch=ensemble.options.batch, features=np.c_[flat, np.ones(len(flat))],
        labels=train.labels, owners=train.owners(), **shape,
    )  # fmt: skip


def _check_network(row: str, graph: Topology) -> None:
    if graph.period is None:
        matrices = []
    else:
        matrices = [graph.matrix(t).toarray() for t in range(graph.period)]
    if row != "FedEM":
        n = graph.clients
        if not matrices or not all(np.allclose(P, 1 / n, rtol=1e-12) for P in matrices):
            raise ValueError(f"{row}: network is {graph.name}; need complete, as Table 1 has it")
    elif not matrices or not all(_is_doubly_stochastic(P) for P in matrices):
        raise ValueError(
            f"FedEM: {graph.name} is not static and doubly stochastic; need such a network, "
            "such as complete or fix-u"
        )


def _is_doubly_stochastic(P: Any) -> bool:
    # roundoff of at most n weights
    return all(bool(np.abs(P.sum(axis=axis) - 1).max() <= 1e-12) for axis in (0, 1))


def _dropped(eta: float, drop: float, drops: tuple[int, ...], t: int) -> float:
    return eta * drop ** sum(t >= each for each in drops)
