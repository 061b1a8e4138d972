"""The phases of local steps of a built-in method's round, as it was printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theorylab.algorithms import (
    DePRL,
    DFedAlt,
    DFedPGP,
    DFedSalt,
    Local,
    declared_phases,
    is_schedule,
)
from theorylab.scripts.base import Facts, UnscriptedError

_PRINTED = {
    **{"momentum": 0.0, "weight_decay": 0.0, "decay": 1.0, "sam": "body", "steps_phi": 1},
    "gossip_steps": 1,
}
_COUNTS = ("steps_u", "steps_v", "tau", "local_steps")


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
    return type(facts.setting.algorithm) in (DePRL, DFedAlt, DFedPGP, DFedSalt)


def phases_of(run: Any) -> tuple[list[Phase], bool, bool]:
    """(the phases of a round, whether push-sum's weights travel, whether all steps of a round share
    one sample); UnscriptedError on another method, or options that are not in its listing."""
    options = run.options()
    for name, value in _PRINTED.items():
        if options.get(name, value) != value:
            raise UnscriptedError(f"{run.name} with {name} {options[name]!r}")
    if not all(isinstance(options.get(name, 1), int) for name in _COUNTS):
        raise UnscriptedError("numbers of local steps that differ from client to client")
    if type(run) is DePRL:
        kept = options["tau"] - (run.head == "printed")
        return [Phase("v", kept, "alpha", run.alpha), Phase("u", 1, "beta", run.beta)], False, False
    if type(run) in (DFedAlt, DFedPGP, DFedSalt):
        head = Phase("v", run.steps_v, "eta_v", run.eta_v)
        body = Phase("u", run.steps_u, "eta_u", run.eta_u, rho=options.get("rho", 0.0))
        return [head, body], type(run) is DFedPGP, run.batch == "per-round"
    declared = declared_phases(run)
    if declared is None and type(run) is not Local:
        raise UnscriptedError(f"no script is written for the algorithm {run.name}")
    if is_schedule(options["eta"]):
        raise UnscriptedError("a step size that is a function of the round")
    rho = options.get("rho", 0.0)
    whole = Phase("", options["local_steps"], "eta", options["eta"], options["alpha"], rho)
    return [whole], declared is not None and declared.push_sum, False
