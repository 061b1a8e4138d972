"""What rows of benches have to reach: one table for the benches and for what compares checkouts."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any

_WORDS = {
    "seconds": "{seconds:g} s of the {clock}",
    "ratio": "{ratio:g} of OLD",
    "times": "{times:g} x {peer}",
    "rate": "{rate:g} a second",
    "gain": "{gain:g} x OLD",
}
KINDS = tuple(_WORDS)
_LEAST = ("rate", "gain")  # the others are at most


@functools.cache
def targets() -> dict[str, dict[str, Any]]:
    """Row -> what it has to reach, as ``targets.toml`` has it."""
    text = Path(__file__).with_name("targets.toml").read_text("utf-8")
    table: dict[str, dict[str, Any]] = tomllib.loads(text)
    return table


def target(row: str, kind: str) -> float | None:
    """The number of one kind that a row has to reach; None where it has none."""
    number: float | None = targets().get(row, {}).get(kind)
    return number


def met(kind: str, value: float, goal: float) -> bool:
    """Whether a value is on the right side of what is asked."""
    return value >= goal if kind in _LEAST else value <= goal


def words(row: str, kind: str) -> str:
    """``at most 0.4 s of the processor``."""
    side = "at least" if kind in _LEAST else "at most"
    return f"{side} {_WORDS[kind].format(**{'clock': 'processor', **targets()[row]})}"
