"""A command line that runs a method: what a refusal names where the one that came cannot run."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Mapping
from typing import Any

import numpy as np

from theorylab.algorithms import ALGORITHMS
from theorylab.commands.run.task import built
from theorylab.registry import options_of
from theorylab.runs import DivergedError

_PROBLEMS = ("quadratic", "coupled-quadratic", "mixture")  # whole models, two parts, components
_ROUNDS = 20
_STEP = 0.05  # below 1/L of these three


def example(name: str, given: Mapping[str, Any]) -> str:
    """A command line with the algorithm's needed options, on the first problem that it runs on.

    Its first round was run. Empty for a method that takes the problem that was given and lacks
    nothing, and for one that runs on none of the three.

    Args:
        name: of the algorithm. given: the names that came: "problem", "topology", "rounds" with
            their values, and the algorithm's options.
    """
    if name not in ALGORITHMS or not ALGORITHMS.entry(name).built_in:
        return ""
    needed = [
        option
        for option, each in options_of(ALGORITHMS.find(name)).items()
        if each.default is inspect.Parameter.empty
    ]
    options = {option: _ROUNDS if option == "rounds" else _STEP for option in needed}
    losses = next((each for each in _PROBLEMS if _runs(name, each, options)), "")
    special = losses != _PROBLEMS[0] and given.get("problem") != losses
    lacks = any(given.get(each) is None for each in ("problem", "topology", "rounds", *needed))
    if not losses or not (lacks or special):
        return ""
    words = ["theorylab", "run", name, "--problem", losses, "--topology", "ring"]
    words += ["--clients", "8", "--rounds", str(_ROUNDS)]
    words += [word for option, value in options.items() for word in ("--set", f"{option}={value}")]
    return shlex.join(words)


def _runs(name: str, losses: str, options: Mapping[str, Any]) -> bool:
    document = {
        "algorithm": {"name": name, **options},
        "problem": {"name": losses},
        "topology": {"name": "ring"},
        "clients": 8,
        "rounds": 1,
    }
    try:
        with np.errstate(all="ignore"):
            built(document).simulate()
    except (ValueError, TypeError, DivergedError):
        return False
    return True
