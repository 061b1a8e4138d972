"""Benches: each measures own code and its peers in one interleaved run, beside the machine's floor.

``BENCHES[name](quick=...)`` returns a JSON-able record and ``render(record)`` a table of it.
A wheel times own kernels, a copy and NumPy; peers of other libraries are in a checkout.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.table import Table

from theorylab.bench._checkout import beside
from theorylab.bench.engine import render as _render_engine
from theorylab.bench.engine import run as _run_engine
from theorylab.bench.glm_hvp import render as _render_glm_hvp
from theorylab.bench.glm_hvp import run as _run_glm_hvp
from theorylab.bench.gpu import NoGpuError as NoGpuError
from theorylab.bench.push_mix import render as _render_push_mix
from theorylab.bench.push_mix import run as _run_push_mix
from theorylab.bench.rounds import render as _render_rounds
from theorylab.bench.rounds import run as _run_rounds

BENCHES: dict[str, Callable[..., dict[str, Any]]] = {
    "engine": _run_engine,
    "glm_hvp": _run_glm_hvp,
    "push_mix": _run_push_mix,
    "rounds": _run_rounds,
}
_RENDER: dict[str, Callable[[dict[str, Any]], Table]] = {
    "engine": _render_engine,
    "glm_hvp": _render_glm_hvp,
    "push_mix": _render_push_mix,
    "rounds": _render_rounds,
}

for _name in (
    "judge",
    "networks",
    "start",
):  # of the program, and not of a kernel: a checkout has them
    if (_module := beside(_name)) is not None:
        BENCHES[_name], _RENDER[_name] = _module.run, _module.render
BENCHES = {name: BENCHES[name] for name in sorted(BENCHES)}


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
