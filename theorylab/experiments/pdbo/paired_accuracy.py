"""PDBO's rows of Tables 1 and 4 against their baselines, run by run (pdbo)."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from theorylab.experiments._base import Floats
from theorylab.experiments._paired_accuracy import PairedAccuracy
from theorylab.experiments.pdbo._algorithm_rows import ALGORITHM_ROWS, AlgorithmRows
from theorylab.files import named_files
from theorylab.hypergradients import TABLE_ROWS, TableRows
from theorylab.problems._options import count
from theorylab.topologies import topology


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
