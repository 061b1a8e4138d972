"""What is run at every number of clients, and the arms that run beside it."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from theorylab.algorithms import ALGORITHMS, Algorithm, algorithm, is_schedule
from theorylab.arithmetic import evaluated
from theorylab.problems import PROBLEMS, Problem
from theorylab.registry import near, options_of
from theorylab.speedup.pattern import Pattern
from theorylab.speedup.sizes import StepSizes, step_sizes
from theorylab.topologies import Topology, from_matrices, topology

MEASURES = ("mean", "clients", "deprl")
STEPS = ("fixed", "sqrt")
FINER = 4  # by how much the step is smaller where a study is looked at once more
# Options that a method has to have in a study, and that its class leaves open or sets apart.
_CHOSEN: dict[str, dict[str, Any]] = {
    "dfedsgpsm": {"local_steps": 5, "alpha": 0.9},
    "dfedsgpsm-s": {"local_steps": 5, "alpha": 0.9},
    "dfedsalt": {"rho": 0.05},
}
# The fields of a protocol that JSON has as they are.
_PLAIN = (*("method", "rounds", "measure", "step", "smallest", "points", "average", "horizon"),)


class Arm(NamedTuple):
    """One way to run a protocol.

    noise: gradients are stochastic. alone: no client hears of another, P = I. grows: step sizes
    are multiplied by sqrt(n / n_0), n_0 the smallest number of clients. handed: models are handed
    round, P a permutation, so that none ever meets another.
    """

    noise: bool = True
    alone: bool = False
    grows: bool = False
    handed: bool = False


MAIN, ALONE, QUIET = Arm(), Arm(alone=True), Arm(noise=False)
HANDED = Arm(handed=True)
GROWING, GROWING_ALONE = Arm(grows=True), Arm(alone=True, grows=True)


@dataclass(frozen=True)
class Protocol:
    """An algorithm on a pattern of losses over a network, and what is measured of it.

    points: how many rounds are looked at.
    measure: "mean", the squared gradient of f at the mean model, or "clients", its mean over the
        models of all clients; 0 at the common minimiser alone. Of a method with personal parts it
        is the gradient in the shared part, and every client keeps its own part. "deprl" is M(k) of
        DePRL's Theorem 1: to that at the mean it adds alpha tau / beta times the mean over clients
        of the squared gradient in the own part.
    step: "fixed", "sqrt": in every arm the step size of the shared part grows like sqrt(n / n_0),
        or a text of n and T that gives it, such as "sqrt(n/T)"; T is ``horizon``.
    average: the mean over the rounds before in place of the last round.
    """

    method: str
    options: Mapping[str, Any]
    pattern: Pattern
    network: str
    network_options: Mapping[str, Any] = field(default_factory=dict)
    rounds: int = 512
    measure: str = "mean"
    step: str = "fixed"
    smallest: int = 1
    points: int = 32
    average: bool = False
    horizon: int = 0

    @property
    def every(self) -> int:
        """Rounds between two that are looked at, ``points`` in all, or as many as rounds."""
        return max(1, self.rounds // self.points)

    @property
    def grid(self) -> list[int]:
        """The rounds that are looked at; the last one is the last round."""
        return sorted({*range(self.every, self.rounds + 1, self.every), self.rounds})

    @property
    def end(self) -> int:
        """How many of these rounds, the last ones, a sampled error is the mean of."""
        return max(1, len(self.grid) // 4)

    def losses(self, clients: int, arm: Arm) -> Problem:
        return self.pattern.losses(clients, arm.noise)

    @functools.cached_property
    def reference(self) -> Problem:
        """The losses of each kind once: the same f as of n clients."""
        return self.pattern.losses(self.pattern.kinds, noise=False)

    def topology(self, clients: int, arm: Arm) -> Topology:
        if arm.alone:
            return from_matrices([np.eye(clients)])
        if arm.handed:
            return from_matrices([np.roll(np.eye(clients), 1, axis=0)])
        return topology(self.network, clients, **self.network_options)

    @functools.cached_property
    def step_sizes(self) -> StepSizes:
        """The options that scale the method's steps."""
        return step_sizes(self.method, self.options, self.reference)

    def scaled(self, by: float, names: Collection[str | None]) -> dict[str, Any]:
        """The options, with those of these names times ``by``."""
        known = options_of(ALGORITHMS.find(self.method))
        sizes = {name: self.options.get(name, known[name].default) for name in names if name}
        return {**self.options, **{name: by * value for name, value in sizes.items()}}

    def finer(self) -> Protocol | None:
        """A quarter of the step and as many rounds more, over the same network; None where no
        option scales the step. A text of n and T, of order T^-1/2 in every theorem, has 16 T."""
        given, names = self.step not in STEPS, self.step_sizes.names
        if not given and not names:
            return None
        times = FINER**2 if given else FINER
        return replace(
            self,
            options=self.options if given else self.scaled(1 / FINER, names),
            rounds=self.rounds * times,
            horizon=self.horizon * times,
        )

    def algorithm(self, clients: int, arm: Arm) -> Algorithm:
        scale = 1.0
        if arm.grows or self.step == "sqrt":
            scale = (clients / self.smallest) ** 0.5
        if scale == 1 and self.step in STEPS:
            return algorithm(self.method, **self.options)
        name = self.step_sizes.shared
        if name is None:
            if self.step == "fixed":
                return algorithm(self.method, **self.options)
            raise ValueError(
                f"speedup: step is {self.step!r}, and no option of {self.method} scales its step; "
                "need fixed"
            )
        given = self.scaled(scale, [name])
        if self.step not in STEPS:
            given[name] = scale * self._size(clients)
        return algorithm(self.method, **given)

    def _size(self, clients: int) -> float:
        try:
            size = evaluated(self.step, {"n": clients, "T": self.horizon})
        except ValueError as error:
            raise ValueError(
                f"speedup: step is {self.step!r} ({error}); need {', '.join(STEPS)}, or a text of "
                "n and T"
            ) from None
        if not 0 < size < math.inf:
            raise ValueError(f"speedup: step is {self.step!r}, {size:g} at n = {clients}; need > 0")
        return size

    def document(self, clients: int, arm: Arm) -> dict[str, Any]:
        """A cell as JSON: all that decides its numbers but for the seeds."""
        plain = {name: getattr(self, name) for name in _PLAIN}
        return {
            **plain,
            "options": dict(self.options),
            "pattern": self.pattern.document,
            "network": {"name": self.network, **self.network_options},
            "clients": clients,
            "arm": arm._asdict(),
        }

    @staticmethod
    def of(document: Mapping[str, Any]) -> Protocol:
        """The protocol of a cell's ``document``."""
        network = dict(document["network"])
        return Protocol(
            options=document["options"],
            pattern=Pattern(**document["pattern"]),
            network=network.pop("name"),
            network_options=network,
            **{name: document[name] for name in _PLAIN},
        )


def chosen_options(method: str, family: str, given: Mapping[str, Any], rounds: int) -> Any:
    """Every option of a method in a study: what is given, then what a study sets.

    A step size that nobody gives is the ``way`` of the problem's study over the local steps,
    counted as momentum weighs them. Of a method that lets some clients take part, all do.

    Raises ValueError, one line, on an unknown method or option.
    """
    known = options_of(ALGORITHMS.find(method))
    for name in given:
        if name not in known:
            raise ValueError(f"{method}: unknown option {name!r}; need {near(name, known)}")
    made = {k: v for k, v in _CHOSEN.get(method, {}).items() if k in known} | dict(given)
    if "fraction" in known:
        made.setdefault("fraction", 1.0)
    if "rounds" in known:
        made.setdefault("rounds", rounds)
    empty = inspect.Parameter.empty
    local = {**{name: each.default for name, each in known.items()}, **made}
    steps = next((local[name] for name in ("steps_u", "local_steps") if local.get(name)), 1)
    momentum = float(local.get("momentum") or (local.get("alpha") if method != "deprl" else 0) or 0)
    size = PROBLEMS.find(family).study.way / _weight(int(np.max(steps)), momentum)
    for name, each in known.items():
        if each.default is empty and name not in made:
            made[name] = size
    for name, came in made.items():
        if not (known[name].default is empty or isinstance(known[name].default, Real)):
            continue  # a choice among words, or a text
        if isinstance(came, str) and came.strip().lstrip("+-").lower() in ("nan", "inf"):
            raise ValueError(f"speedup: {name} is {came}; need a finite number")
        if is_schedule(came):
            raise ValueError(f"speedup: {name} is a schedule; need a number, the same at every n")
    return made


def _weight(steps: int, momentum: float) -> float:
    """How often a round counts a gradient: sum_{k<=K} sum_{s<=k} momentum^{k-s}."""
    return float(sum(momentum**s * (steps - s) for s in range(steps)))


def is_personal(method: str, options: Mapping[str, Any]) -> bool:
    """Whether a method splits a point in a shared and a personal part.

    It is asked with a problem that has no personal part, which such a method refuses.
    """
    whole = Pattern("quadratic", {}, 1).losses(1)
    made = algorithm(method, **options)
    try:
        return made.init(whole.initial(0, np.arange(1)), whole).v is not None
    except ValueError as error:
        if "personal part" in str(error):
            return True
        raise
