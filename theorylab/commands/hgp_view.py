"""What ``theorylab hypergradient`` shows: JSON, tables, pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.commands.hgp_errors import Asked, Measured
from theorylab.commands.refusal import refusing, tell
from theorylab.commands.table import print_table
from theorylab.hypergradients import Bilevel
from theorylab.report.atomic import check_writable, write_atomic
from theorylab.report.curves import Curve, Panel, png, svg
from theorylab.report.number import NOTHING, plain
from theorylab.topologies import Topology

Floats = NDArray[np.float64]
FILES = ("hypergradient.json", "hypergradient.svg", "hypergradient.png")
_COLUMNS = (
    *("alpha, beta", ">M", ">|bias|", ">deviation", ">RMSE", ">RMSE / size"),
    *(">quantile", ">bound", "which says"),
)


def content_of(
    problem: Bilevel, graph: Topology, asked: Asked, truth: Floats, radius: float,
    rows: Sequence[Measured],
) -> dict[str, Any]:  # fmt: skip
    return {
        "schema": 1,
        "problem": problem.name, "clients": problem.clients, "dim": problem.dim,
        "hyper": problem.hyper, "topology": graph.describe(), "step": asked.step,
        "variant": asked.variant, "runs": asked.runs, "seed": asked.seed, "eps": asked.eps,
        "hypergradient": truth.tolist(), "size": float(np.linalg.norm(truth)),
        "radius": radius, "second_radius": rows[0].known.second_radius,
        "missing": dict(rows[0].known.missing), "terms": list(asked.terms),
        "weights": [
            {
                "alpha": row.alpha, "beta": row.beta, "law": row.law,
                "bias": row.bias.tolist(), "deviation": row.deviation.tolist(),
                "rmse": row.rmse.tolist(), "quantile": row.quantile.tolist(),
                "bound": [bound.value for bound in row.bounds],
                "reason": row.bounds[0].reason, "above": row.above,
                "says": [_says(row, k, asked) for k in range(len(asked.terms))],
            }
            for row in rows
        ],
    }  # fmt: skip


def _says(row: Measured, k: int, asked: Asked) -> str:
    """Never VIOLATED: the constants are floats of a computed point, and no certificates."""
    if row.bounds[k].value is None:
        return f"no bound: {row.bounds[k].reason}"
    from scipy.stats import beta as law  # slow to import

    share, runs = row.above[k] or 0.0, asked.runs
    count = round(share * runs)
    highest = 1.0 if count == runs else float(law.ppf(0.99, count + 1, runs - count))
    if highest <= asked.eps:
        return "below the bound"
    return f"INCONCLUSIVE: {share:.3g} of the runs are above, at most {highest:.3g} (99 %)"


def print_errors(content: Mapping[str, Any], asked: Asked, rows: Sequence[Measured]) -> None:
    size = content["size"]
    second = content["second_radius"]
    table = [
        (
            f"{row.alpha:g}, {row.beta:g}" if k == 0 else "",
            str(m), plain(row.bias[k]), plain(row.deviation[k]), plain(row.rmse[k]),
            plain(row.rmse[k] / size) if size > 0 else NOTHING, plain(row.quantile[k]),
            NOTHING if row.bounds[k].value is None else plain(row.bounds[k].value),
            _says(row, k, asked),
        )
        for row in rows
        for k, m in enumerate(asked.terms)
    ]  # fmt: skip
    print_table(f"|hypergradient| = {plain(size)}, {asked.runs} runs", _COLUMNS, table)
    tell(f"rho(A_zz) = {content['radius']:.6g}, rho(E[A (x) A]) = "
          f"{'not known' if second is None else f'{second:.6g}'}")  # fmt: skip
    why = rows[0].known.why()
    if why is not None:
        tell(why)
    tell(f"bias, deviation, RMSE: {', '.join(sorted({row.law for row in rows}))}; quantile: of "
          f"the runs' errors, at {1 - asked.eps:g}")  # fmt: skip
    tell("bound: Theorem 1 as corrected (Theorem 10 for 1, 0), an estimate: its constants are")
    tell("norms of Jacobians at a computed point. No verdict VIOLATED rests on it.")


def write(out: Path, text: str, asked: Asked, rows: Sequence[Measured]) -> None:
    drawn = _panels(asked, rows)
    head = f"HGP and VR-HGP, {asked.runs} runs"
    with refusing(f"--out {out}"):
        out.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            check_writable(out / name)
        write_atomic(out / FILES[0], text)
        write_atomic(out / FILES[1], svg(head, "", drawn))
        write_atomic(out / FILES[2], png(head, "", drawn))


def _panels(asked: Asked, rows: Sequence[Measured]) -> list[Panel]:
    at = np.array(asked.terms, dtype=np.float64)
    along = "terms M"

    def curve(name: str, values: Floats) -> Curve:
        return Curve(name, at, values, values, values)

    names = [f"{row.alpha:g}, {row.beta:g}" for row in rows]
    made = [
        Panel(title, [curve(n, getattr(row, of)) for n, row in zip(names, rows, strict=True)],
              True, along)
        for title, of in (("|bias|", "bias"), ("standard deviation", "deviation"), ("RMSE", "rmse"))
    ]  # fmt: skip
    both = [curve(n, row.quantile) for n, row in zip(names, rows, strict=True)]
    for name, row in zip(names, rows, strict=True):
        values = [bound.value for bound in row.bounds]
        if None not in values:
            both.append(curve(f"bound {name}", np.array(values, dtype=np.float64)))
    made.append(Panel(f"quantile {1 - asked.eps:g} of the error, and bound", both, True, along))
    return made
