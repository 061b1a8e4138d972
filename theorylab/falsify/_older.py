"""Instances of counterexample files from before a sweep was data of its own, in today's form.

Orders were judged by experiments with options of their own. ``OLDER`` says which statements, and
how their options are said now. The measured numbers are the same up to the last digits; the limits
of a growth were a little wider.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Instance = dict[str, Any]


def today(statement: str, instance: Mapping[str, Any]) -> Instance:
    """The instance as ``statement`` takes it now.

    Raises ValueError, one line, where the file claims what no version claims any more.
    """
    if statement not in OLDER or isinstance(instance.get("sweep"), Mapping):
        return dict(instance)
    return OLDER[statement](dict(instance))


def _deprl(old: Instance) -> Instance:
    """Of the experiment ``deprl-growth``."""
    if old.get("exponent", 1.0) != 1:
        raise ValueError(
            f"the file is of a control with the bracket to the power {old['exponent']}; need 1"
        )
    path = {"rounds": "rounds.0", "tau": "algorithm.tau", "clients": "clients"}[old["sweep"]]
    sweep: Instance = {"parameter": path, "values": old["values"], "window": old.get("fit", 0)}
    rounds, power = old.get("rounds", 1), old.get("follow", 0.0)
    if power:
        word, first = path.rpartition(".")[2], old["values"][0]
        sweep["set"] = {"rounds.0": f"{rounds}*({word}/{first})**({power})"}
    kept: Instance = {
        k: old[k] for k in ("problem", "topology", "algorithm", "x0", "constants") if k in old
    }
    run = {"clients": old.get("clients", 2), "rounds": [rounds], "corollary": True}
    return {**kept, **run, "sweep": sweep}


def _gone(old: Instance) -> Instance:
    """Of ``rate``, ``corollary-growth`` and ``alternating-growth``: a bracket was an option, a run
    in closed form, a sweep of curvature or of 1/(1-lambda) built in."""
    raise ValueError(
        f"the file is of an experiment with its own bracket ({', '.join(sorted(old))}), which is "
        "gone; need a search of today's statement"
    )


OLDER: dict[str, Callable[[Instance], Instance]] = {
    "deprl.cor1_rate": _deprl,
    "deprl.cor1_speedup": _deprl,
    "deprl.cor1_consensus": _deprl,
    "dfedsgpsm.cor1_rate": _gone,
    "dfedsgpsm.cor1_growth": _gone,
    "dfedalt.thm1": _gone,
    "dfedsalt.thm2": _gone,
}
