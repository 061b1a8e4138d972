"""FedEM beside PDBO's rows: it trains on the training part, and is tested on the test part."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.algorithms import algorithm
from theorylab.experiments._base import Floats
from theorylab.hypergradients import TableRows, personal_data
from theorylab.hypergradients._step_grid import best_step
from theorylab.problems import Problem, problem
from theorylab.runs import DivergedError, simulate
from theorylab.topologies import Topology

_TUNING = 1 << 31  # the first of the runs that choose step sizes; no other run has such an id


class FedEMRow:
    """Mixtures of as many models as PDBO-MTL has, with its data, first models, rounds and drops.

    A round has one step, as one of SGP has. The step size is FedEM's own best by validation, from
    the steps that every baseline has. The weights over the models come from the training samples,
    so that the test samples are unseen, as they are of PDBO.

    Raises ValueError, one line, where the models are no softmax regressions, or the network is no
    static doubly stochastic one, which FedEM needs (pdbo, Section 6.2).
    """

    def __init__(self, rows: TableRows, clients: int, data: Mapping[str, Any]) -> None:
        if data.get("model", "softmax") != "softmax":
            raise ValueError(f"FedEM: model is {data['model']!r}; need softmax")
        known = tuple(inspect.signature(personal_data).parameters)[2:]
        parts = personal_data("FedEM", clients, **{k: v for k, v in data.items() if k in known})
        train = parts.parts["train"]
        flat = train.inputs.reshape(len(train.labels), -1) * parts.source.scale
        self.rows, self.ensemble = rows, rows.problems["pdbo-mtl"]
        options: Any = self.ensemble
        self.mixture: Problem = problem(
            "mixture", clients, components=options.options.components, reg=options.options.reg,
            batch=options.options.batch, features=np.c_[flat, np.ones(len(flat))],
            labels=train.labels, owners=train.owners(),
        )  # fmt: skip
        self.eta: dict[str, float] = {}

    def measured(self, graph: Topology, runs: Sequence[int]) -> tuple[Floats, Floats]:
        """(R,) each: the test accuracy, and its 10th percentile over clients."""
        if graph.period is None or not all(
            _is_doubly_stochastic(graph.matrix(t)) for t in range(graph.period)
        ):
            raise ValueError(
                f"FedEM: {graph.name} is not static and doubly stochastic; need such a network, "
                "such as complete or fix-u"
            )
        return self._accuracies(graph, self._eta(graph), runs, "test")

    def _eta(self, graph: Topology) -> float:
        name, rows = repr(graph.describe()), self.rows
        if name not in self.eta:
            tuning = range(_TUNING, _TUNING + rows.tuning)

            def score(eta: float) -> float | None:
                try:
                    return float(self._accuracies(graph, eta, tuning, "validation")[0].mean())
                except DivergedError:
                    return None

            best = best_step(rows.steps, rows.larger, score)
            if best is None:
                raise ValueError(f"FedEM: no step size of {rows.steps} converges; need smaller")
            self.eta[name] = best
        return self.eta[name]

    def _accuracies(
        self, graph: Topology, eta: float, runs: Sequence[int], part: str
    ) -> tuple[Floats, Floats]:
        plain = self.rows.plain
        step = functools.partial(_dropped, eta, plain.drop, tuple(plain.drops))
        end = simulate(
            self.mixture, graph, algorithm("dfedem", eta=step, local_steps=1),
            rounds=self.rows.rounds, runs=list(runs), seed=self.rows.seed, columns=(),
        )  # fmt: skip
        ensemble, sizes = self.ensemble, self.ensemble.sizes_of(part).astype(float)
        right = ensemble.accuracy(
            ensemble.points(np.asarray(end.final_x)), ensemble.points(np.asarray(end.final_v)),
            part=part,
        )  # fmt: skip
        mean = (right * sizes).sum(axis=1) / sizes.sum()
        return np.asarray(mean), np.asarray(np.percentile(right, 10, axis=1))


def _is_doubly_stochastic(P: Any) -> bool:
    sums = [np.asarray(P.sum(axis=axis)).ravel() for axis in (0, 1)]
    return all(np.abs(each - 1).max() <= 1e-12 for each in sums)  # roundoff of at most n weights


def _dropped(eta: float, drop: float, drops: tuple[int, ...], t: int) -> float:
    return eta * drop ** sum(t >= each for each in drops)
