"""The instances that DePRL's statements are checked on: ``instances.toml`` has them."""

from __future__ import annotations

from typing import Any

from theorylab.statements._entries import entry_of
from theorylab.statements._quadratics import Data as Data
from theorylab.statements._quadratics import changed as changed
from theorylab.statements._quadratics import scalars as scalars


def __getattr__(name: str) -> Any:
    return entry_of(__package__, name)


def after(*counts: int) -> Data:
    """The rounds of an instance that is looked at after each of ``counts``."""
    return {"rounds": counts[-1], "at": list(counts)}


def chosen(*counts: int) -> Data:
    """The rounds of Corollary 1 at each of ``counts``."""
    steps = entry_of(__package__, "CHOSEN")
    sweep = {"parameter": "rounds", "values": list(counts), "set": steps}
    return {"rounds": counts[0], "law": "moments", "sweep": sweep}


def fewer(values: list[int], rounds: float, window: int = 0) -> Data:
    """A sweep along N with K = ``rounds`` times first N over N."""
    return {
        "parameter": "clients",
        "values": values,
        "set": {
            "rounds": f"{rounds:g}*{values[0]}/clients",
            **entry_of(__package__, "CHOSEN"),
        },
        "window": window,
    }


def of_128(network: Data) -> Data:
    """Corollary 1 on 128 workers."""
    part = {"problem": entry_of(__package__, "DRAWN"), "topology": network, "clients": 128}
    return {**entry_of(__package__, "COROLLARY"), **part, **chosen(200)}
