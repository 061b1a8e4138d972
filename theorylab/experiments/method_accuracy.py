"""Registered algorithms against each other on each client's own test samples, run by run."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.algorithms import Algorithm, algorithm
from theorylab.experiments._base import Floats
from theorylab.experiments._paired_accuracy import PairedAccuracy
from theorylab.files import named_files
from theorylab.hypergradients._personal_data import PersonalData, personal_data, seed_of_run
from theorylab.hypergradients.table_rows import best_step
from theorylab.problems import problem
from theorylab.problems._data_of_runs import DataOfRuns
from theorylab.problems._network_data import Local
from theorylab.problems._options import count, number
from theorylab.runs import DivergedError, Trace, simulate
from theorylab.runs.price import Price, kept_at_its_price
from theorylab.runs.summary import rounds_to
from theorylab.topologies import Topology, topology

_SIDES = {"DFedAvg": {"name": "dfedavg"}, "Local": {"name": "local"}}
_GIVEN = ("clients", "data", "root", "partition", "alpha", "classes_per_client", "seed")
_TUNING = 1 << 31  # the first of the runs that choose step sizes; no other run has such an id
_CHOOSING = ("rounds", "steps", "larger", "tuning")
# step sizes, by setting and side
_CHOSEN: dict[str, tuple[float, tuple[Price, ...]]] = {}
_MOST_CHOSEN = 1024


class MethodAccuracy(PairedAccuracy, name="method-accuracy"):
    """Leads among methods that train one model a client, each with a step size chosen alike.

    Every run has a split of its own, drawn from ``data``'s seed and the run's number: whose samples
    are whose, and each client's in three, as by ``hypergradients.personal_data``. A method's
    step size is the one with its own best mean validation accuracy after the last round, over runs
    that no row reports. Accuracies are means over the clients.

    Columns, besides those of ``PairedAccuracy``:
        rounds      recorded rounds to the target, the rival's less the method's; who never reaches
                    it counts as one recorded round after the last. So where one of them never does,
                    the lead is understated.

    Args:
        clients: n. rounds: of every run. every: how many rounds are between two that are recorded.
        model: name and options of a problem whose data are given ("mlp", "cnn", ...), but those.
        data: options of ``hypergradients.personal_data``.
        sides: by name, an algorithm's name and options, and besides: ``topology``, its name and
            options, "complete" if left out; ``steps_as``, the options that the chosen step size is
            given to, each times a factor, {"eta": 1} if left out.
        steps: the step sizes to choose from. larger: how many beyond the largest are tried while
            the largest is the best. tuning: runs that choose.
        target: a share of the test samples.
        pairs, most_runs, least: of ``PairedAccuracy``.

    Raises:
        ValueError or TypeError: one line, on a bad option, or data that are not there.
        MissingExtraError: without torch.
    """

    columns = (*PairedAccuracy.columns, "rounds")

    def __init__(
        self,
        *,
        clients: int = 3,
        rounds: int = 4,
        every: int = 1,
        model: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
        sides: Mapping[str, Mapping[str, Any]] | None = None,
        steps: Sequence[float] = (0.1,),
        larger: int = 2,
        tuning: int = 1,
        target: float = 0.8,
        pairs: Sequence[Sequence[str]] = (("DFedAvg", "Local"),),
        most_runs: int = 16,
        least: float = 0.0,
    ) -> None:
        given = self._options("sides", _SIDES if sides is None else sides, ())
        made = {name: self._options(f"sides.{name}", side) for name, side in given.items()}
        self._paired(pairs, most_runs, least, tuple(made))
        for name, value in (("rounds", rounds), ("every", every), ("tuning", tuning)):
            count(self.name, name, value)
        if isinstance(steps, str) or not isinstance(steps, Sequence) or not steps:
            raise ValueError(f"{self.name}: steps is {steps!r}; need step sizes, such as .05, .25")
        for eta in steps:
            number(self.name, "steps", eta, above=0)
        count(self.name, "larger", larger, at_least=0)
        number(self.name, "target", target, above=0)
        self.options = {
            "clients": count(self.name, "clients", clients), "rounds": rounds, "every": every,
            "model": {"name": "mlp", "hidden": [8], **self._options("model", model or {}, _GIVEN)},
            "data": self._options("data", data or {}), "sides": made, "steps": [*steps],
            "larger": larger, "tuning": tuning, "target": target,
            "pairs": [list(pair) for pair in self.pairs], "most_runs": self.most_runs,
            "least": self.least,
        }  # fmt: skip
        for side in self.options["sides"].values():
            self._method(side, steps[0])
            self._graph(side)
        built = [self.options[k] for k in ("clients", "model", "data")]
        self._built = json.dumps([*built, named_files(built)])
        _splits(self._built, (0,))  # refused now
        _problems(self._built, (0,))

    @property
    def test_samples(self) -> int:
        """Of run 0; other splits round otherwise, by a sample a client at most."""
        return len(_splits(self._built, (0,))[0].parts["test"].labels)

    def room(self, column: str) -> float:
        """Half a test sample; of rounds, what rounding does."""
        return 1e-9 if column == "rounds" else super().room(column)

    def largest(self, column: str) -> float:
        """1, or of rounds as many as there are, and those that are never enough."""
        most: int = self.options["rounds"] + self.options["every"]
        return float(most) if column == "rounds" else super().largest(column)

    def lead(self, column: str, method: Floats, rival: Floats) -> Floats:
        """By how much the method is better; fewer rounds are better."""
        return rival - method if column == "rounds" else method - rival

    def measured(self, side: str, runs: range, seed: int) -> Mapping[str, Floats]:
        given = self.options["sides"][side]
        trace = self._run(1, given, self.eta(side, seed), runs, seed)
        last, end = trace.last["accuracy"], self.options["rounds"]
        curve = np.concatenate([trace.columns["accuracy"], last[:, None]], axis=1)
        first = rounds_to(curve, np.append(trace.at, end), self.options["target"], above=True)
        return {
            "lead": last,
            "lead_low": trace.last["accuracy_low"],
            "rounds": np.minimum(first, end + self.options["every"]),
        }

    def chosen(self, side: str, seed: int) -> Mapping[str, float]:
        return {"eta": self.eta(side, seed)}

    def eta(self, side: str, seed: int) -> float:
        """The step size of a side: the best by validation. ValueError where none converges."""
        given, tuning = self.options["sides"][side], self.options["tuning"]
        what = [self._built, given, [self.options[k] for k in _CHOOSING], seed]
        key = json.dumps(what, sort_keys=True)

        def score(eta: float) -> float | None:
            try:
                trace = self._run(0, given, eta, range(_TUNING, _TUNING + tuning), seed)
            except DivergedError:
                return None
            return float(trace.last["accuracy"].mean())

        def best() -> float:
            found = best_step(self.options["steps"], self.options["larger"], score)
            if found is None:
                raise ValueError(
                    f"{self.name}: no step size of {self.options['steps']} converges for {side}; "
                    "need smaller"
                )
            return found

        return kept_at_its_price(_CHOSEN, key, best, _MOST_CHOSEN)

    def _run(
        self, held: int, given: Mapping[str, Any], eta: float, runs: range, seed: int
    ) -> Trace:
        """held: 0, tested on the validation part; 1, on the test part."""
        problems, rounds = _problems(self._built, tuple(runs)), self.options["rounds"]
        return simulate(
            problems[held], self._graph(given), self._method(given, eta), rounds=rounds,
            every=self.options["every"] if held else rounds, runs=list(runs), seed=seed,
            graph_run=None, columns=("accuracy", "accuracy_low"),
        )  # fmt: skip

    def _graph(self, given: Mapping[str, Any]) -> Topology:
        options = {"name": "complete", **given.get("topology", {})}
        return topology(clients=self.options["clients"], **options)

    def _method(self, given: Mapping[str, Any], eta: float) -> Algorithm:
        own = {k: v for k, v in given.items() if k not in ("topology", "steps_as")}
        factors = given.get("steps_as", {"eta": 1.0})
        return algorithm(**own, **{name: eta * by for name, by in factors.items()})


@functools.lru_cache(maxsize=4)
def _splits(built: str, runs: tuple[int, ...]) -> list[PersonalData]:
    clients, _, data, _ = json.loads(built)
    seed = data.pop("seed", 0)
    return [
        personal_data("method-accuracy", clients, **data, seed=seed_of_run(seed, run))
        for run in runs
    ]


@functools.lru_cache(maxsize=4)
def _problems(built: str, runs: tuple[int, ...]) -> tuple[DataOfRuns, DataOfRuns]:
    """Of one setting, tested on the validation parts, and on the test parts."""
    _, model, _, _ = json.loads(built)
    splits = _splits(built, runs)
    validated, tested = (
        DataOfRuns(
            functools.partial(problem, **model),
            [Local(s.source, s.parts["train"], s.parts[part], None) for s in splits],
        )
        for part in ("validation", "test")
    )
    return validated, tested
