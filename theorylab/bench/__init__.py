"""Benches: each measures own code and its peers in one interleaved run, beside the machine's floor.

``BENCHES[name](quick=...)`` returns a JSON-able record and ``render(record)`` a table of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.table import Table

from theorylab.bench.engine import render as _render_engine
from theorylab.bench.engine import run as _run_engine
from theorylab.bench.glm_hvp import render as _render_glm_hvp
from theorylab.bench.glm_hvp import run as _run_glm_hvp
from theorylab.bench.gpu import NoGpuError as NoGpuError
from theorylab.bench.judge import render as _render_judge
from theorylab.bench.judge import run as _run_judge
from theorylab.bench.push_mix import render as _render_push_mix
from theorylab.bench.push_mix import run as _run_push_mix
from theorylab.bench.rounds import render as _render_rounds
from theorylab.bench.rounds import run as _run_rounds
from theorylab.bench.start import render as _render_start
from theorylab.bench.start import run as _run_start

BENCHES: dict[str, Callable[..., dict[str, Any]]] = {
    "engine": _run_engine,
    "glm_hvp": _run_glm_hvp,
    "judge": _run_judge,
    "push_mix": _run_push_mix,
    "rounds": _run_rounds,
    "start": _run_start,
}
_RENDER: dict[str, Callable[[dict[str, Any]], Table]] = {
    "engine": _render_engine,
    "glm_hvp": _render_glm_hvp,
    "judge": _render_judge,
    "push_mix": _render_push_mix,
    "rounds": _render_rounds,
    "start": _render_start,
}


def render(record: dict[str, Any]) -> Table:
    """The table of a record that a bench returned, for ``rich.print``.

    Raises:
        ValueError: no bench writes such a record.
    """
    name = record.get("bench")
    if name not in _RENDER:
        raise ValueError(f"bench: record of {name!r} came; need one of {', '.join(_RENDER)}")
    return _RENDER[name](record)


__all__ = [
    "BENCHES", "NoGpuError", "render",
]  # fmt: skip
