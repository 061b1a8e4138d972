"""The page of ``theorylab worst --out``: a row a case, as of any other command."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theorylab.commands.options import json_text
from theorylab.commands.origin import provenance
from theorylab.commands.refusal import refusing
from theorylab.report.atomic import write_atomic
from theorylab.report.number import NOTHING, decimal
from theorylab.report.readings import readings
from theorylab.report.run_page import Table
from theorylab.report.run_page import page as html
from theorylab.report.style import INK, MEASURED, saved
from theorylab.worst import Worst
from theorylab.worst.check_certificate import METRICS, up

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE, PICTURE = "index.html", "worst.svg"
_SIZE: dict[str, Any] = {"figsize": (6.5, 4.0), "layout": "constrained"}
_COLUMNS = (">n", ">T", ">worst", ">attained or replayed", ">PROVED at most", "outcome")


def write(out: Path, title: str, tables: Sequence[Table], content: Any, **more: Any) -> None:
    """``index.html``. content: what the JSON has. more: ``picture`` and ``plots``.

    Raises Refused where it cannot be written.
    """
    given = {"picture": None} | more
    text = html(title, None, tables=tables, source=json_text(content), origin=provenance(), **given)
    with refusing(f"--out {out}"):
        out.mkdir(parents=True, exist_ok=True)
        write_atomic(out / PAGE, text)


def write_cases(out: Path, title: str, answers: Sequence[Worst], content: Any) -> None:
    """The page of a method, and where there are several cases their picture."""
    metric = METRICS[answers[0].question.metric] if answers else "case"
    table = Table(f"Worst {metric} of every case", _COLUMNS, [_row(each) for each in answers])
    more: dict[str, Any] = {}
    if len(answers) > 1:
        with refusing(f"--out {out}"):
            write_atomic(out / PICTURE, saved(lambda f: _draw(f, answers), "svg", **_SIZE))
        plots = readings(lambda f: _draw(f, answers), **_SIZE)
        more = {"picture": PICTURE, "plots": plots}
    write(out, title, [table], content, **more)


def _row(answer: Worst) -> list[str]:
    recursion, made = answer.question.recursion, answer.certificate
    try:
        below = decimal(Fraction(answer.replay().value), up=False)
    except (ArithmeticError, ValueError):
        below = NOTHING
    proved = NOTHING if made is None else up(made.claim)
    sizes = [str(recursion.clients), str(recursion.rounds)]
    return [*sizes, f"{answer.value:.6g}", below, proved, answer.outcome.told]


def _draw(figure: Figure, answers: Sequence[Worst]) -> None:
    """The values along T, a curve a number of clients; the same answers, same picture."""
    from matplotlib.ticker import MaxNLocator

    axes = figure.add_subplot()
    sizes = sorted({a.question.recursion.clients for a in answers})
    for k, n in enumerate(sizes):
        own = [a for a in answers if a.question.recursion.clients == n]
        rounds = [a.question.recursion.rounds for a in own]
        shade = 1 - 0.7 * k / max(1, len(sizes) - 1) if len(sizes) > 1 else 1
        values = [a.value for a in own]
        axes.plot(rounds, values, "o-", color=MEASURED, alpha=shade, label=f"n = {n}", ms=4)
    axes.set_yscale("log")
    axes.set_xlabel("rounds T")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel(f"worst {METRICS[answers[0].question.metric]}")
    axes.grid(True, color=INK, alpha=0.13, linewidth=0.6)
    axes.legend(frameon=False)
