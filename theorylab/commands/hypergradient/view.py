"""What ``theorylab hypergradient`` shows: JSON, CSV, tables, pictures, a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import betaincinv

from theorylab.commands.hypergradient.bound import Bounds
from theorylab.commands.hypergradient.errors import Asked, Errors, Measured
from theorylab.commands.origin import provenance
from theorylab.commands.refusal import refusing, tell
from theorylab.commands.table import print_table
from theorylab.hypergradients import Bilevel, Exact
from theorylab.report.atomic import check_writable, write_atomic
from theorylab.report.curves import Curve, Panel, plots, png, svg
from theorylab.report.number import NOTHING, plain
from theorylab.report.run_page import Table, page
from theorylab.tables import csv_text
from theorylab.topologies import Topology

FILES = (*(f"hypergradient.{kind}" for kind in ("json", "csv", "svg", "png")), "index.html")
_COLUMNS = (
    *("estimate", ">M", ">|bias|", ">deviation", ">RMSE", ">RMSE / size"),
    *(">quantile", ">bound", "which says"),
)


def content_of(
    problem: Bilevel, graph: Topology, asked: Asked, truth: Exact, bounds: Bounds,
    rows: Sequence[Measured],
) -> dict[str, Any]:  # fmt: skip
    return {
        "schema": 2,
        "problem": problem.name, "clients": problem.clients, "dim": problem.dim,
        "hyper": problem.hyper, "topology": graph.describe(), "step": asked.step,
        "variant": asked.variant, "runs": asked.runs, "seed": asked.seed, "eps": asked.eps,
        "hypergradient": truth.gradient.tolist(), "size": float(np.linalg.norm(truth.gradient)),
        "radius": truth.radius, "norm": truth.norm, "residual": truth.residual,
        "point_residual": truth.point.residual,
        "solved_within": bounds.solved_within(truth.residual),
        "second_radius": rows[0].known.second_radius,
        "missing": dict(rows[0].known.missing), "terms": list(asked.terms),
        "weights": [
            {
                "alpha": row.alpha, "beta": row.beta, "law": row.law,
                "bias": row.bias.tolist(), "deviation": row.deviation.tolist(),
                "rmse": row.rmse.tolist(), "quantile": row.quantile.tolist(),
                "bound": [bound.value for bound in row.bounds],
                "bound_of_bias": [bound.rest for bound in row.bounds],
                "rule": row.bounds[-1].rule, "above": row.above, "floor": row.floor,
                "doubt": row.known.doubt(),
                "says": [_says(row, k, asked) for k in range(len(asked.terms))],
            }
            for row in rows
        ],
    }  # fmt: skip


def _says(row: Measured, k: int, asked: Asked) -> str:
    """Never VIOLATED: the constants are floats of a computed point, and no certificates."""
    if row.bounds[k].value is None:
        return "no bound"
    share, runs = row.above[k] or 0.0, asked.runs
    if row.floor == 0 and share == 0:  # nothing is drawn: every run is this one
        return "below the bound"
    count = round(share * runs)
    highest = 1.0 if count == runs else float(betaincinv(count + 1, runs - count, 0.99))
    if highest <= asked.eps:
        return "below the bound"
    return f"INCONCLUSIVE: {share:.3g} of the runs are above, at most {highest:.3g} (99 %)"


def table_of(content: Mapping[str, Any], asked: Asked, rows: Sequence[Measured]) -> Table:
    """What is printed and on the page: ten M of each estimate at most."""
    size = content["size"]
    lines = [
        (
            row.name if k == 0 else "",
            str(asked.terms[k]), plain(row.bias[k]), plain(row.deviation[k]), plain(row.rmse[k]),
            plain(row.rmse[k] / size) if size > 0 else NOTHING, plain(row.quantile[k]),
            NOTHING if row.bounds[k].value is None else plain(row.bounds[k].value),
            _says(row, k, asked),
        )
        for row in rows
        for k in asked.shown
    ]  # fmt: skip
    return Table(f"|hypergradient| = {plain(size)}, {asked.runs} runs", _COLUMNS, lines)


def notes_of(content: Mapping[str, Any], asked: Asked, rows: Sequence[Measured]) -> list[str]:
    """What the numbers are, in lines."""
    second, within = content["second_radius"], content["solved_within"]
    known = "not known" if second is None else f"{second:.6g}"
    lines = [f"rho(A_zz) = {content['radius']:.6g}, rho(E[A (x) A]) = {known}"]
    off = "" if within is None else f", which moves B q by {within:.2g} at most"
    lines.append(
        f"the stationary point is solved to a residual of {content['point_residual']:.2g}, and (I "
        f"- A) q = c there to {content['residual']:.2g}{off}"
    )
    why = rows[0].known.why()
    lines += [] if why is None else [why]
    kinds = ", ".join(sorted({row.law for row in rows}))
    lines.append(f"bias: exact; deviation, RMSE: {kinds}; quantile: of the runs' errors, at "
                 f"{1 - asked.eps:g}")  # fmt: skip
    for row in rows:
        last = row.bounds[-1]
        how = "no bound: " if last.value is None else "there is a bound: "
        floor = "not known" if row.floor is None else plain(row.floor)
        lines.append(
            f"{row.name}: {how}{last.rule}; floor (the deviation that no M removes) {floor}"
        )
        doubt = row.known.doubt()
        lines += [] if doubt is None else [f"{row.name}: {doubt}"]
    lines.append(
        "bound: pdbo's Theorems 1 and 10 as corrected, an estimate: the constants are norms of "
        "Jacobians at a computed point. No verdict VIOLATED rests on it."
    )
    return lines


def print_errors(content: Mapping[str, Any], asked: Asked, rows: Sequence[Measured]) -> None:
    print_table(*table_of(content, asked, rows))
    for line in notes_of(content, asked, rows):
        tell(line)


def write(
    out: Path, text: str, content: Mapping[str, Any], asked: Asked, rows: Sequence[Measured]
) -> None:
    drawn, head = _panels(asked, rows), f"HGP and VR-HGP, {asked.runs} runs"
    notes = Table("How to read it", ("in words",), [[x] for x in notes_of(content, asked, rows)])
    with refusing(f"--out {out}"):
        out.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            check_writable(out / name)
        tables, told = [table_of(content, asked, rows), notes], plots(head, "", drawn)
        shown = page(head, None, FILES[2], tables, text, origin=provenance(), plots=told)
        made: list[str | bytes] = [text, csv_text(Errors(asked.terms, rows))]
        made += [svg(head, "", drawn), png(head, "", drawn), shown]
        for name, part in zip(FILES, made, strict=True):
            write_atomic(out / name, part)


def _panels(asked: Asked, rows: Sequence[Measured]) -> list[Panel]:
    """One panel an estimate."""
    at = np.array(asked.terms, dtype=np.float64)

    def curve(name: str, values: Any) -> Curve:
        line = np.broadcast_to(np.array(values, dtype=np.float64), at.shape)
        return Curve(name, at, line, line, line)

    made = []
    for row in rows:
        lines = [
            curve("|bias|", row.bias), curve("RMSE", row.rmse),
            curve(f"quantile {1 - asked.eps:g}", row.quantile),
        ]  # fmt: skip
        if any(bound.value is not None for bound in row.bounds):
            values = [np.nan if b.value is None else b.value for b in row.bounds]
            lines.append(curve("bound", values))
        if row.floor:
            lines.append(curve("floor", row.floor))
        made.append(Panel(f"{row.name}: error", lines, True, "terms M"))
    return made
