"""``theorylab constants --compare``: what the printed formulas give away, as table and picture."""

from __future__ import annotations

import contextlib
import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theorylab.commands.refusal import Refused, refusing, tell
from theorylab.commands.table import print_table
from theorylab.constants import Contraction, Slack, contraction, slack_table
from theorylab.constants.compare import SPECTRUM
from theorylab.known import How, Known
from theorylab.report.atomic import check_writable, write_atomic
from theorylab.report.envelope import Envelope, png, svg
from theorylab.report.number import NOTHING, plain, typeset
from theorylab.topologies import Topology, names, topology

_COLUMNS = (
    *("topology", "envelope", "how", ">log10 C", ">log10 (1-q)"),
    *(">log10 C/(1-q)", ">rounds to 1e-3", ">slack, orders"),
)

_NAMES = {SPECTRUM: "|λ₂|^(t − s)"}


@dataclass(frozen=True)
class Compared:
    """The rows of one topology; ``measured`` where a picture is wanted and there is an M."""

    topology: Topology
    rows: list[Slack]
    measured: Contraction | None

    def as_json(self) -> list[dict[str, Any]]:
        return [
            {
                "topology": self.topology.name,
                "envelope": row.envelope,
                **{
                    key: _finite(getattr(row, key))
                    for key in ("log10_c", "log10_gap", "log10_ratio", "log10_rounds", "orders")
                },
                "how": row.how.value,
                "source": row.source,
            }
            for row in self.rows
        ]


def everything(
    clients: int | None, options: Mapping[str, Any]
) -> tuple[list[Topology], dict[str, str]]:
    """Every topology by name at that number of clients, and why the others are left out.

    An option goes to the topologies that take it. ValueError if none takes it or is left.
    """
    if clients is None:
        raise ValueError("--clients is missing; all needs the number of clients")
    chosen: list[Topology] = []
    left_out: dict[str, str] = {"edge-list": "it needs a file"}
    used: set[str] = set()
    for name in names():
        if name in left_out:
            continue
        try:
            built = topology(name, clients)
            takes = options.keys() & inspect.signature(type(built)).parameters.keys()
            made = topology(name, clients, **{k: options[k] for k in takes})
            used |= takes
            if made.column_stochastic:
                chosen.append(made)
            else:
                left_out[name] = "its rows sum to 1, its columns do not"
        except ValueError as error:
            left_out[name] = str(error)
    for option in options:
        if option not in used:
            told = [reason for name, reason in left_out.items() if option in reason]
            raise ValueError(told[0] if told else f"no topology takes the option {option!r}")
    return chosen, left_out


def compared(
    chosen: Sequence[Topology],
    known: Sequence[Mapping[str, Known]],
    horizon: int,
    run: int,
    measure: bool,
) -> list[Compared]:
    """The slack table of every topology, with its measured side if asked for."""
    table = []
    for built, constants in zip(chosen, known, strict=True):
        measured = None
        if measure:
            with contextlib.suppress(ValueError):  # no M: the table says so
                measured = contraction(built, horizon, run)
        table.append(Compared(built, slack_table(built, constants), measured))
    return table


def print_slack(table: Sequence[Compared], horizon: int, left_out: Mapping[str, str]) -> None:
    """The table on stdout, then why a row has no numbers and a topology no row."""
    rows = [_row(entry.topology.name, row) for entry in table for row in entry.rows]
    print_table(f"slack of the printed formulas, rounds 0..{horizon}", _COLUMNS, rows)
    for entry in table:
        for row in entry.rows:
            if row.log10_c is None:
                tell(f"{entry.topology.name}, {row.envelope}: {row.source}")
    for name, reason in left_out.items():
        tell(f"{name} is left out: {reason}")


def check_folder(out: Path) -> None:
    """Refuse a folder that could not be written, before any work, and without making it."""
    there = out
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        raise Refused(f"--out {out}: {there} is no directory; need one, or a new name")
    with refusing(f"--out {out}"):
        check_writable(there / "probe")


def write_plots(out: Path, table: Sequence[Compared], horizon: int) -> None:
    """``<topology>-<n>.svg`` and ``.png`` for every topology; all are drawn before one is written.

    Raises Refused if a file cannot be written.
    """
    files = {}
    for entry in table:
        if entry.measured is None:
            continue
        built, measured = entry.topology, entry.measured
        title = f"{built.name}, {built.clients} clients, rounds 0..{horizon}: contraction"
        shown = [
            Envelope(
                _NAMES.get(row.envelope, row.envelope),
                row.heights(measured.lags),
                _note(row, built.period),
            )
            for row in entry.rows
        ]
        drawn = (title, measured.norm, measured.lags, measured.log10, shown)
        files[f"{built.name}-{built.clients}.svg"] = svg(*drawn).encode()
        files[f"{built.name}-{built.clients}.png"] = png(*drawn)
    with refusing(f"--out {out}"):
        out.mkdir(parents=True, exist_ok=True)
        for name in files:
            check_writable(out / name)
        for name, content in files.items():
            write_atomic(out / name, content)


def _note(row: Slack, period: int | None) -> str:
    if row.log10_ratio is None:
        return ""
    if row.envelope == SPECTRUM:
        of = "" if period == 1 else " of E[P]" if period is None else " over one period"
        return f"a rate{of}, no bound"
    unproven = "\nits assumptions fail" if row.how is How.ESTIMATE else ""
    value = 10**row.log10_ratio if row.log10_ratio < 5 else None
    return f"C/(1−q) = {typeset(value, row.log10_ratio, digits=3)}{unproven}"


def _row(name: str, row: Slack) -> tuple[str, ...]:
    return (
        name,
        row.envelope,
        row.how.value if row.log10_c is not None else NOTHING,
        _fixed(row.log10_c),
        _fixed(row.log10_gap),
        _fixed(row.log10_ratio),
        NOTHING if row.log10_rounds is None else _power(row.log10_rounds),
        _fixed(row.orders, 1),
    )


def _fixed(log10: float | None, digits: int = 2) -> str:
    return NOTHING if log10 is None else f"{round(log10, digits) + 0.0:.{digits}f}"


def _power(log10: float) -> str:
    """10^log10 as a person reads it."""
    return f"{10**log10:.3g}" if log10 < 5 else plain(math.inf, log10)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
