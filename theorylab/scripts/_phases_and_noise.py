"""The phases of a built-in method's round, and the noise of its gradients."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from theorylab.algorithms import Local, PartialMethod, declared_phases, is_schedule
from theorylab.metrics import metric
from theorylab.problems import Problem
from theorylab.scripts.base import Facts, UnscriptedError
from theorylab.verdicts.measured import number_table

LAWS = (
    "gaussian",
    "rademacher",
    "skewed",
    "two-point",
    "coordinate",
)  # isotropic, whatever the point
SIGNS = ("rademacher", "state")  # a fair sign a coordinate
MOST_SIGNS = 14  # 2^14 outcomes
MOST_PICKS = 2**15  # outcomes of samples, of a few coordinates each
LONGEST_LOOP = 300_000  # rounds that a script plays one after the other
_PRINTED = {
    **{"weight_decay": 0.0, "decay": 1.0, "sam": "body", "steps_phi": 1},
    **{"gossip_steps": 1, "update": "alternating"},
}
_COUNTS = ("steps_u", "steps_v", "tau", "local_steps")


@dataclass(frozen=True)
class Noise:
    """kind: of ``NoiseField``. sigma: (low, high, root of E|xi|^2) of each part of a model. length:
    of "state"."""

    kind: str
    sigma: tuple[tuple[int, int, float], ...]
    length: float = 1.0

    def scale(self, part: int) -> float:
        """The root of the variance of one coordinate."""
        low, high, sigma = self.sigma[part]
        return sigma / math.sqrt(high - low)


def noise_of(problem: Problem) -> Noise | None:
    """None where there is no noise; UnscriptedError where it is none of the built-in fields."""
    if not problem.stochastic:
        return None
    if getattr(problem, "schedule", None) is not None:
        raise UnscriptedError("noise of another size in each round is not written out")
    found: Any = problem
    field = getattr(found, "field", None)
    if field is not None and hasattr(field, "parts"):
        return Noise(field.kind, tuple(map(tuple, field.parts)), field.length)
    if hasattr(found, "noise_variance"):
        return Noise("gaussian", ((0, problem.dim, math.sqrt(found.noise_variance)),))
    raise UnscriptedError(f"the noise of {problem.name} is not written out")


def check_exact(facts: Facts) -> None:
    """UnscriptedError where the measured side rests on sampled runs."""
    result, quantity = facts.result, facts.quantity
    several = result.runs > 1
    told = f"{result.runs} runs were sampled, and their law is not listed"
    if several or "confidence" in result.interval or "betting" in result.interval:
        raise UnscriptedError(told)
    if (
        facts.setting.problem.stochastic
        and quantity.pathwise
        and "realisation" not in result.interval
    ):
        raise UnscriptedError(told)


def numbers_of(facts: Facts, *names: str) -> dict[str, float]:
    """Constants that the measured side is made with, by name."""
    setting, instance = facts.setting, facts.parsed
    wanted = {*names, *metric(facts.column).numbers}
    table = number_table(facts.statement.algorithm, instance, setting, wanted)
    missing = [name for name in sorted(wanted) if name not in table]
    if missing:
        raise UnscriptedError(f"nothing defines {', '.join(missing)}")
    return {name: float(table[name].value) for name in sorted(wanted)}


@dataclass(frozen=True)
class Phase:
    """``count`` local steps of one part: "v", "u", or "" of a whole model. eta: the name of its
    step size. alpha, rho: momentum, SAM's radius."""

    part: str
    count: int
    eta: str
    size: float
    alpha: float = 0.0
    rho: float = 0.0

    @property
    def model(self) -> str:
        return self.part.upper() or "X"

    @property
    def of_part(self) -> str:
        """What a name of this part ends in."""
        return f"_{self.part}" if self.part else ""


def is_split(facts: Facts) -> bool:
    """Whether the method knows shared and personal parts."""
    return isinstance(facts.setting.algorithm, PartialMethod)


def is_told(run: Any) -> bool:
    """Whether an algorithm may declare its phases; the text of another one's class is carried."""
    return isinstance(run, PartialMethod | Local) or hasattr(run, "round_phases")


def phases_of(run: Any) -> tuple[list[Phase], bool, bool]:
    """(the phases of a round, whether push-sum's weights travel, whether all steps of a round share
    one sample); UnscriptedError on another method, or options that are not in its listing."""
    options = run.options()
    for name, value in _PRINTED.items():
        if options.get(name, value) != value:
            raise UnscriptedError(f"{run.name} with {name} {options[name]!r}")
    if not all(isinstance(options.get(name) or 1, int) for name in _COUNTS):
        raise UnscriptedError("numbers of local steps that differ from client to client")
    if isinstance(run, PartialMethod):
        parts: Any = run.phases(0)
        if "alpha" in run.step_sizes and parts[0].momentum:  # a script's name of the momentum
            raise UnscriptedError(f"{run.name} with momentum {parts[0].momentum!r}")
        found = [
            Phase(each.part, each.steps, eta, getattr(run, eta), each.momentum, each.rho)
            for each, eta in zip(parts, run.step_sizes, strict=True)
        ]
        return found, run.push_sum, parts[0].fixed
    declared = declared_phases(run)
    if declared is None and type(run) is not Local:
        raise UnscriptedError(f"no script is written for the algorithm {run.name}")
    if is_schedule(options["eta"]):
        raise UnscriptedError("a step size that is a function of the round")
    rho = options.get("rho", 0.0)
    whole = Phase("", options["local_steps"], "eta", options["eta"], options["alpha"], rho)
    return [whole], declared is not None and declared.push_sum, False
