"""``theorylab constants``: what is known of a topology, and how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from theorylab.commands.constants import Constants
from theorylab.commands.constants.slack import (
    Compared,
    check_folder,
    compared,
    everything,
    print_slack,
    write_plots,
)
from theorylab.commands.refusal import Refused, refusing
from theorylab.commands.request import named_values, parted
from theorylab.commands.table import print_table
from theorylab.constants import topology_constants
from theorylab.known import Known
from theorylab.report.number import NOTHING, plain
from theorylab.topologies import Topology, names, topology

ALL = "all"


def constants(asked: Constants) -> int:
    """Print the constants of a topology given by name, or by the path of an edge list.

    With ``--compare`` also the slack of the printed formulas, and pictures into ``--out``. The name
    ``all`` is every topology there is at that number of clients, compared.
    """
    name, clients, out, horizon = asked.topology, asked.clients, asked.out, asked.horizon
    options = named_values("constants: --option", asked.option)
    options |= parted("constants: --set", asked.settings, ("topology",))["topology"]
    drawn = {"degree": asked.degree, "seed": asked.seed}
    options |= {key: value for key, value in drawn.items() if value is not None}
    if out is not None and not asked.compare:
        raise Refused(f"constants: --out {out} without --compare; need both, it draws the table")
    if name == ALL and not asked.compare:
        raise Refused("constants: all without --compare; need --compare, or one topology")
    if out is not None:
        check_folder(out)
    with refusing("constants"):
        if name == ALL:
            chosen, left_out = everything(clients, options)
        else:
            chosen, left_out = [_built(name, clients, options)], {}
        known = [_known(built, asked) for built in chosen]
        table: list[Compared] = []
        if asked.compare:
            table = compared(chosen, known, horizon, asked.run, out is not None)
    content: dict[str, Any] = {"topology": ALL, "clients": clients}
    if name != ALL:
        content = {
            "topology": chosen[0].describe(),
            "clients": chosen[0].clients,
            "constants": {key: value.as_json() for key, value in known[0].items()},
        }
    if asked.compare:
        content["compare"] = [row for entry in table for row in entry.as_json()]
        content |= {"left_out": left_out} if left_out else {}
    if out is not None:
        write_plots(out, table, horizon)
    asked.write_json(content)
    if not asked.speaks:
        return 0
    if name != ALL:
        rows = [_row(key, value) for key, value in known[0].items()]
        title = f"{chosen[0].name}, {chosen[0].clients} clients, rounds 0..{horizon}"
        print_table(title, ("name", ">value", ">log10", "how", "source"), rows)
    if asked.compare:
        print_slack(table, horizon, left_out)
    return 0


def _built(name: str, clients: int | None, options: dict[str, Any]) -> Topology:
    if name not in names() and (name.endswith(".json") or Path(name).is_file()):
        return topology("edge-list", clients, path=name, **options)  # type: ignore[arg-type]
    if clients is None and name in names():
        raise ValueError(f"--clients is missing; {name} needs the number of clients")
    return topology(name, clients or 1, **options)


def _known(built: Topology, asked: Constants) -> dict[str, Known]:
    known = topology_constants(built, horizon=asked.horizon, run=asked.run, dim=asked.dim)
    return known | _certified(built, asked.horizon, asked.run) if asked.certify else known


def _certified(built: Topology, horizon: int, run: int) -> dict[str, Known]:
    try:
        from theorylab.constants._certified_spectrum import POWERS
        from theorylab.constants.certified import certified_constants
    except ModuleNotFoundError as error:
        raise Refused(
            f"constants: --certify: there is no module {error.name!r}; need python-flint"
        ) from error
    if built.clients > POWERS:  # nothing but the trivial would be left
        raise ValueError(f"--certify: clients is {built.clients}; need at most {POWERS}")
    return certified_constants(built, horizon, run)


def _row(name: str, known: Known) -> tuple[str, ...]:
    none = not known.finite and known.log10 is None
    value = "none finite" if none else plain(known.value, known.log10)
    if known.lower is not None and known.upper is not None:
        value += f" in [{plain(known.lower, digits=7)}, {plain(known.upper, digits=7)}]"
    log10 = NOTHING if known.log10 is None else plain(known.log10)
    return name, value, log10, known.how.value, known.source
