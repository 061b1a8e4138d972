"""``theorylab constants``: what is known of a topology, and how."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from theorylab.commands.refusal import Refused, check_target, refusing, write_target
from theorylab.commands.table import print_table
from theorylab.constants import topology_constants
from theorylab.known import Known
from theorylab.report.number import NOTHING, plain
from theorylab.topologies import Topology, names, topology


def constants(
    name: str,
    clients: int | None,
    *,
    options: dict[str, Any],
    horizon: int,
    run: int,
    dim: int,
    json_target: str | None,
) -> int:
    """Print the constants of a topology given by name, or by the path of an edge list."""
    check_target("--json", json_target)
    with refusing("constants"):
        built = _built(name, clients, options)
        known = topology_constants(built, horizon=horizon, run=run, dim=dim)
    if json_target is not None:
        content = {
            "topology": built.describe(),
            "clients": built.clients,
            "constants": {key: value.as_json() for key, value in known.items()},
        }
        write_target("--json", json_target, json.dumps(content, indent=1, allow_nan=False) + "\n")
    if json_target != "-":
        rows = [_row(key, value) for key, value in known.items()]
        title = f"{built.name}, {built.clients} clients, rounds 0..{horizon}"
        print_table(title, ("name", ">value", ">log10", "how", "source"), rows)
    return 0


def parsed_options(given: Sequence[str]) -> dict[str, Any]:
    """``name=value`` each; a value that is JSON is taken as such, else as text."""
    options: dict[str, Any] = {}
    for item in given:
        name, equals, text = item.partition("=")
        if not equals or not name.isidentifier():
            raise Refused(f"constants: --option is {item!r}; need NAME=VALUE")
        try:
            options[name] = json.loads(text)
        except (json.JSONDecodeError, RecursionError):
            options[name] = text
    return options


def _built(name: str, clients: int | None, options: dict[str, Any]) -> Topology:
    if name not in names() and (name.endswith(".json") or Path(name).is_file()):
        return topology("edge-list", clients, path=name, **options)  # type: ignore[arg-type]
    if clients is None and name in names():
        raise ValueError(f"--clients is missing; {name} needs the number of clients")
    return topology(name, clients or 1, **options)


def _row(name: str, known: Known) -> tuple[str, ...]:
    none = not known.finite and known.log10 is None
    value = "none finite" if none else plain(known.value, known.log10)
    if known.lower is not None and known.upper is not None:
        value += f" in [{plain(known.lower, digits=7)}, {plain(known.upper, digits=7)}]"
    log10 = NOTHING if known.log10 is None else plain(known.log10)
    return name, value, log10, known.how.value, known.source
