"""``theorylab speedup``: a study of linear speedup as tables, JSON, a page and a picture."""

from __future__ import annotations

import json
import math
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import theorylab
from theorylab.algorithms import ALGORITHMS
from theorylab.commands.importing import brought_in, only_of
from theorylab.commands.options import json_text
from theorylab.commands.origin import provenance
from theorylab.commands.progress import counting
from theorylab.commands.refusal import (
    Refused,
    refusing,
    tell,
)
from theorylab.commands.request import named_values, parted
from theorylab.commands.speedup import Speedup as Options
from theorylab.commands.table import print_table
from theorylab.imports import codes
from theorylab.problems import PROBLEMS
from theorylab.report.atomic import check_writable, write_atomic
from theorylab.report.number import NOTHING, plain
from theorylab.report.run_page import Table, page
from theorylab.speedup import Slope, Speedup
from theorylab.speedup import speedup as study
from theorylab.speedup.claims import judged_claims
from theorylab.speedup.figure import picture, plots
from theorylab.tables import csv_text

FILES = ("speedup.json", "speedup.csv", "speedup.svg", "speedup.png", "index.html")
_READ_HERE = (  # options that the study does not have by the same name
    *("algorithm", "problem_option", "topology_option", "settings", "claims"),
    *("out", "json_target"),
)
_MEASURES = {
    "mean": "E |grad f|^2 at the mean model",
    "clients": "E |grad f|^2 over the clients' models",
    "deprl": "E M(k) of DePRL's Theorem 1",
}


def speedup(asked: Options) -> int:
    """Print a study; the exit code: 0 where the claim holds, 1 where it is violated, 4 else.

    Raises Refused on bad input, before any work.
    """
    if asked.claims:
        return _claims(asked)
    if asked.algorithm is None:
        raise Refused("speedup: no algorithm came; need a name, FILE.py, or --claims")
    names = {"algorithm": asked.algorithm, "problem": asked.problem or ""}
    files = {part: name for part, name in names.items() if name.endswith(".py")}
    if not files:
        return _studied(asked)
    with brought_in([*dict.fromkeys(files.values())]):
        tables = {"algorithm": ALGORITHMS, "problem": PROBLEMS}
        own: dict[str, Any] = {
            part: only_of("speedup", tables[part], name) for part, name in reversed(files.items())
        }
        return _studied(asked.replaced(**own))


def _studied(asked: Options) -> int:
    """The study of what is known by name."""
    out = asked.out
    every = ((name, getattr(asked, name)) for name in asked.hints())
    given = {name: v for name, v in every if v is not None and name not in _READ_HERE}
    if asked.clients is not None:
        given["clients"] = _sizes(asked.clients)
    where = "speedup: --"
    parts = parted(f"{where}set", asked.settings, ("algorithm", "problem", "topology"))
    parts["problem"] |= named_values(f"{where}problem-option", asked.problem_option)
    parts["topology"] |= named_values(f"{where}topology-option", asked.topology_option)
    with refusing(), counting() as say:
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            for file in FILES:
                check_writable(out / file)
        found = study(
            str(asked.algorithm),
            problem_options=parts["problem"],
            topology_options=parts["topology"],
            options=parts["algorithm"],
            out=out,
            say=say,
            **given,
        )
    text = json_text(_content(found))
    if out is not None:
        _write(out, found, text)
    asked.write_json(text)
    if asked.speaks:
        _print(found)
        if out is not None:
            tell(f"{out}: {', '.join(FILES)}")
    return found.verdict.word.exit


def _claims(asked: Options) -> int:
    if asked.algorithm is not None:
        raise Refused(f"speedup: --claims came with {asked.algorithm}; need one of the two")
    with counting() as say:
        found = judged_claims(say)
    rows = [
        {"id": claim.id, "locator": claim.locator, "text": claim.text, **judged.as_json()}
        for claim, judged in found
    ]
    asked.write_json(rows)
    if asked.speaks:
        print_table(
            "Claims of linear speedup, each under its own protocol",
            ("claim", "where", "protocol and claimed power", ">slope", ">P = I", "verdict"),
            [
                [c.id, c.locator, c.text, _centre(s.slope), _centre(s.controls[0].slope),
                 s.verdict.name]
                for c, s in found
            ],
        )  # fmt: skip
        for claim, judged in found:
            tell(f"{claim.id}, {claim.locator}: {judged.reason}")
    return 0


def _centre(slope: Slope | None) -> str:
    return NOTHING if slope is None else f"{slope.centre:.3f}"


def _sizes(text: str) -> list[int]:
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise Refused(
            f"speedup: --clients is {text!r}; need rising whole numbers, such as 4,8,16,32"
        ) from None


def _content(found: Speedup) -> dict[str, Any]:
    return found.as_json() | {
        "theorylab": theorylab.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
        "imports": [each.model_dump() for each in codes()],
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "seconds": round(found.seconds, 3),
    }


def _write(out: Path, found: Speedup, text: str) -> None:
    with refusing(f"--out {out}"):
        write_atomic(out / FILES[0], text)
        write_atomic(out / FILES[1], csv_text(found))
        write_atomic(out / FILES[2], picture(found, "svg"))
        write_atomic(out / FILES[3], picture(found, "png"))
        tables = [Table(title, columns, rows) for title, columns, rows in tables_of(found)]
        measured = tables[0].title.removeprefix(f"{found.title}; ")  # the page has the rest above
        tables[0] = tables[0]._replace(title=f"Measured: {measured}")
        note = None if found.verdict.word.stands else found.reason
        source = json.dumps(dict(found.document), indent=1)
        title = f"{found.verdict.name}: {found.title}"
        text = page(title, note, FILES[2], tables, source, origin=provenance(), plots=plots(found))
        write_atomic(out / FILES[4], text)


def _print(found: Speedup) -> None:
    for title, columns, rows in tables_of(found):
        print_table(title, columns, rows)
    tell(f"{found.verdict.name}: the error falls like n^{found.claim:g}: {found.reason}")


def tables_of(found: Speedup) -> list[tuple[str, Sequence[str], list[list[str]]]]:
    """What is printed and on the page: (title, columns, rows)."""
    how = "exact" if found.exact else f"{found.runs} paired seeds"
    measure = _MEASURES[found.measure]
    made: list[tuple[str, Sequence[str], list[list[str]]]] = [
        (
            f"{found.title}; {measure}, {how}",
            (">n", ">gap", ">error", "between", ">slope here", ">alone", ">no noise",
             ">clients' own", ">transient", ">rounds", ">gradients", ">messages"),
            [_row(found, k) for k in range(len(found.rows))],
        ),
        (
            "What must not pass for a speedup",
            ("control", "what", "slope against n", "as it must", "outcome"),
            [
                [c.name, c.what, _slope(c.slope), "yes" if c.passes else "NO", c.outcome]
                for c in found.controls
            ],
        ),
        ("What follows", ("what", ">number", "how"), _facts(found)),
    ]  # fmt: skip
    if found.transients:
        made.append(
            (
                "Rounds until the network no longer matters, step c sqrt(n/K), unlike clients "
                "side by side, exact",
                ("network", ">n", ">gap", ">rounds"),
                [
                    [t.network, str(t.n), plain(t.gap), str(t.rounds or "more than 2^32")]
                    for t in found.transients
                ],
            )
        )
    return made


def _row(found: Speedup, k: int) -> list[str]:
    row = found.rows[k]
    low, centre, high = row.error
    return [
        str(row.n),
        NOTHING if row.gap is None else plain(row.gap),
        plain(centre),
        "exact" if found.exact else f"{plain(low)} .. {plain(high)}",
        NOTHING if row.local is None else f"{row.local.centre:.3f}",
        plain(row.alone[1]),
        plain(row.quiet),
        plain(row.own),
        _ends(row.transient),
        _ends(row.rounds),
        _count(row.gradients),
        _count(row.messages),
    ]


def _ends(ends: tuple[int | None, int | None, int | None]) -> str:
    low, centre, high = ("never" if end is None else str(end) for end in ends)
    return centre if low == centre == high else f"{centre} [{low}, {high}]"


def _count(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.6g}"


def _slope(slope: Slope | None) -> str:
    return NOTHING if slope is None else str(slope)


def _facts(found: Speedup) -> list[list[str]]:
    rows = [
        ["slope of log error against log n", _slope(found.slope), found.limits],
        ["power of n", NOTHING if found.power is None else f"{found.power:g}",
         "of 1/2, 0, -1/2, .. -2 the slope's limits, 1/20 wider, contain this one alone"],
        ["saturates at about n", NOTHING if found.saturates is None or math.isinf(found.saturates)
         else f"{found.saturates:.3g}", "what is left without noise is as large as its share"],
        ["target", plain(found.target), "the error that the column rounds counts up to"
         if found.reached else f"no n reaches it; the best error is {plain(found.best)}"],
    ]  # fmt: skip
    if found.needs:
        hours = found.work * found.needs / max(found.runs, 1) / 3600
        rows.append(
            [
                "runs that would decide",
                f"{found.needs}",
                f"if more are like these, in about {hours:.2g} h of one processor; see --seeds",
            ]
        )
    for name, (low, centre, high, theory) in found.exponents.items():
        rows.append(
            [f"power of n in the transient, {name}", f"{centre:.2f} [{low:.2f}, {high:.2f}]",
             f"theory: {theory}"]
        )  # fmt: skip
    return rows
