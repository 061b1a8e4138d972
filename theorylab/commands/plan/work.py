"""``theorylab plan``: promise and need, shown and written."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from theorylab.commands.options import json_text
from theorylab.commands.plan import Plan as Asked
from theorylab.commands.refusal import Refused, refusing, tell
from theorylab.commands.request import one_statement
from theorylab.commands.table import print_table
from theorylab.commands.verify.own_instance import own_jobs
from theorylab.promises import Plan, Row
from theorylab.promises import plan as planned
from theorylab.promises.plan import version_of
from theorylab.report.number import NOTHING, plain
from theorylab.tables import csv_text
from theorylab.verdicts.catalogue import MOST_SEEDS

_MOST_COUNT = 10_000  # local steps a round


def plan(asked: Asked) -> int:
    """Plan one statement, show it, and write what was asked for; the exit code.

    Raises Refused: one line.
    """
    counts, target, out = _counts(asked.local_steps), asked.target, asked.out
    seeds, seed, budget = asked.seeds, asked.seed, asked.budget
    if not (1 <= seeds <= MOST_SEEDS and 0 <= seed < 2**64 and 0 < budget < float("inf")):
        raise Refused("plan: need --seeds of at least 1, a --seed of 0 or more, a --budget above 0")
    with refusing("plan"):
        statement, _ = one_statement([asked.name])
        chosen = version_of(statement, asked.version)
    own = own_jobs([asked.name], asked, [chosen])
    instance = json.loads(own.jobs[0].instance)
    with refusing("plan"):
        promised = planned(
            statement, chosen, instance, target,
            counts=counts, curve=out is not None, seeds=seeds, seed=seed, budget=budget,
        )  # fmt: skip
    text = json_text(promised.as_json())
    if out is not None:
        _write(out, promised, text)
    asked.write_json(text)
    asked.write_csv(promised)
    code = 0 if promised.reached else 1
    if not asked.speaks:
        tell(_last(promised), file=sys.stderr)
        return code
    faults = "; known to be false in part: its promise need not be kept"
    known = faults if statement.versions[chosen].causes else ""
    named = f"{promised.id} [{promised.version}]"
    tell(f"{named}: least T with a bound of at most {plain(target)}{known}")
    tell(f"Instance: {own.origin}. Left side (LaTeX): {promised.quantity}")
    _show(promised)
    tell(_last(promised))
    return code


def _counts(text: str) -> list[int]:
    try:
        counts = sorted({int(part) for part in text.split(",")})
    except ValueError:
        counts = []
    if not counts or counts[0] < 1 or counts[-1] > _MOST_COUNT:
        raise Refused(
            f"plan: --local-steps is {text!r}; need whole numbers from 1 to {_MOST_COUNT}, as 1,2,4"
        )
    return counts


def _write(out: Path, made: Plan, text: str) -> None:
    from theorylab.promises.figure import picture
    from theorylab.report.atomic import write_atomic

    with refusing(f"--out {out}"):
        out.mkdir(parents=True, exist_ok=True)
        write_atomic(out / "plan.json", text)
        write_atomic(out / "plan.csv", csv_text(made))
        write_atomic(out / "plan.svg", picture(made, "svg"))


def _show(made: Plan) -> None:
    names = list(made.rows[0].promise.options)
    columns = (*(f">{name}" for name in names), ">T", ">K T", ">bound", "largest term")
    print_table("", columns, [_row(row, names) for row in made.rows])
    fewest = made.fewest
    if fewest.promise.reached:
        bound = float(fewest.promise.at.bound)
        terms = [
            (term, plain(float(value)), f"{100 * float(value) / bound:.0f} %" if bound else NOTHING)
            for term, value in fewest.promise.at.terms.items()
        ]
        print_table("", ("term at the fewest rounds", ">value", ">share"), terms)
    if made.curve:
        rows = [_point(row) for row in made.curve]
        print_table("", (">target", ">promised", ">needed"), rows)


def _row(row: Row, names: list[str]) -> list[str]:
    at = row.promise.at
    options = [f"{row.promise.options.get(name, 0):g}" for name in names]
    if at.fails:
        return [*options, NOTHING, NOTHING, NOTHING, at.fails]
    term, share = at.largest
    rounds = f"{at.rounds:,}" if row.promise.reached else "never"
    cost = NOTHING if row.cost is None else f"{row.cost:,}"
    return [*options, rounds, cost, plain(float(at.bound)), f"{term}, {100 * share:.0f} %"]


def _point(row: Row) -> list[str]:
    promised = f"{row.promise.at.rounds:,}" if row.promise.reached else "never"
    need = row.need
    if need is None or need.why:
        return [plain(row.target), promised, NOTHING]
    needed = f"more than {need.within:,}" if need.rounds is None else f"{need.rounds:,}"
    return [plain(row.target), promised, needed]


def _last(made: Plan) -> str:
    if not made.reached:
        return f"Not promised: {made.floor}."
    best, need = made.fewest, made.fewest.need
    options = ", ".join(f"{name} = {value:g}" for name, value in best.promise.options.items())
    options = options or "the options of the instance"
    kind = "the least T" if best.promise.least else "a T that suffices"
    lines = [f"Promised: T = {best.promise.at.rounds:,} with {options} ({kind} for these)."]
    if made.cheapest is not best:
        other = made.cheapest.promise
        told = ", ".join(f"{name} = {value:g}" for name, value in other.options.items())
        lines.append(f"Fewest local steps: K T = {made.cheapest.cost:,}, T = {other.at.rounds:,} "
                     f"with {told}.")  # fmt: skip
    if need is None or need.why:
        lines.append(f"What a run needs was not measured: {'' if need is None else need.why}.")
    elif need.rounds is None:
        lines.append(f"A run needs more than {need.within:,} rounds, which were measured.")
    else:
        times = best.promise.at.rounds / need.rounds
        how = "exact expectation"
        if need.runs > 1:
            ends = [NOTHING if end is None else f"{end:,}" for end in (need.low, need.high)]
            how = f"mean of {need.runs} runs; half of all runs need {ends[0]} to {ends[1]}, 99 %"
        lines.append(f"Needed: {need.rounds:,} rounds ({how}), {times:.3g} times fewer.")
    return "\n".join(lines)
