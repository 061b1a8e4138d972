"""Step sequences in place of one step: a step that falls, and one that repeats itself.

A claim about a constant step has no value there, and such an instance is refused at once. One that
speaks of any step, or of all below a cap, has to hold along a sequence, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from theorylab.falsify.moves import Move
from theorylab.falsify.products import STEPS

_SEQUENCES = (
    ("falls as 1/t", "{}/(1 + t)"),
    ("falls as 1/sqrt t", "{}/sqrt(1 + t)"),
    ("is small in every other round", "{}*(101 + 99*(-1)**t)/200"),
    ("falls by half", "{}/2**t"),
)


def schedules(instance: Mapping[str, Any]) -> Iterator[Move]:
    """Labels and instances: every step size of the algorithm as a sequence in t."""
    options = instance.get("algorithm")
    for key, value in options.items() if isinstance(options, Mapping) else ():
        if key in STEPS and isinstance(value, float):
            for label, text in _SEQUENCES:
                made = {**options, key: text.format(repr(value))}  # type: ignore[dict-item]
                yield f"steps: {key} {label}", {**instance, "algorithm": made}
