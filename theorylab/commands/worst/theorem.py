"""``theorylab worst ID``: replayed <= PROVED <= bound of a theorem, a line a case."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from theorylab.commands.refusal import Refused, refusing, tell
from theorylab.commands.request import named_values
from theorylab.commands.table import print_table
from theorylab.commands.worst import Worst
from theorylab.commands.worst.asked import MOST, asked_network, check_out, kept, span
from theorylab.commands.worst.page import PAGE, write
from theorylab.report.number import NOTHING, decimal, percent
from theorylab.report.run_page import Table
from theorylab.worst import NotSolvedError, Outcome, UnboundedError
from theorylab.worst.theorems import THEOREMS
from theorylab.worst.triangle import Triangle, triangles

_COLUMNS = (">n", ">T", "version", ">replayed", ">PROVED", ">bound", ">PROVED/bound", "outcome")


def theorem(asked: Worst) -> int:
    """Print the triangles of every number of clients and rounds; 0 where all bounds are PROVED.

    Raises Refused on bad input.
    """
    out = asked.out
    check_out(out, PAGE)
    if asked.name not in THEOREMS:
        *others, last = THEOREMS
        need = f"{', '.join(others)} or {last}"
        raise Refused(f"worst: {asked.name} has no class here; need {need}, or a METHOD")
    flags = {"--class": asked.kind, "--mu": asked.mu, "--metric": asked.metric}
    flags |= {"--heterogeneity": asked.heterogeneity, "--noise": asked.noise}
    given = [flag for flag, value in flags.items() if value is not None]
    if given or asked.start:
        raise Refused(f"worst: {[*given, '--start'][0]}: {asked.name} says it; need --set")
    clients, rounds = span("--clients", asked.clients), span("--rounds", asked.rounds)
    if len(clients) * len(rounds) > MOST:
        raise Refused(f"worst: {len(clients) * len(rounds)} cases are asked; need at most {MOST}")
    settings = named_values("worst: --set", asked.settings, paths=True)
    graph = {k.partition(".")[2]: v for k, v in settings.items() if k.startswith("topology.")}
    options = {k: v for k, v in settings.items() if not k.startswith("topology.")}
    for key, text in (("L", asked.smooth), ("B", asked.gradients)):
        if text is not None:
            options[key] = float(text)
    # "complete" is what comes where none is given
    name = THEOREMS[asked.name].network if asked.network == "complete" else asked.network
    rows, told, content = [], [], []
    cases: list[tuple[int, int, Triangle, float | None]] = []
    for n in clients:
        with refusing("worst"):
            network = asked_network(name, n, graph)
        for T in rounds:
            try:
                with refusing("worst"):
                    made = triangles(asked.name, network, T, options)
            except (NotSolvedError, UnboundedError) as error:
                told.append(f"n = {n}, T = {T}: NOT CERTIFIED: {error}")
                continue
            for each in made:
                replayed = _replayed(each)
                cases.append((n, T, each, replayed))
                rows.append(_row(n, T, each, replayed))
                content.append(_json(n, T, each, replayed))
                if out is not None and each.answer.certificate is not None:
                    kept(each.answer.certificate, out, f"certificate-n{n}-T{T}.json")
    asked.write_json({"triangles": content})
    title = f"{asked.name}: replayed <= PROVED <= bound"
    if out is not None:
        write(out, title, [Table("Every case", _COLUMNS, rows)], {"triangles": content})
    if asked.speaks:
        print_table(title, _COLUMNS, rows)
        for line in told:
            tell(line)
        for line in [*_repaired(cases), *_lost(cases)]:
            tell(line)
        tell("PROVED/bound is the least factor of the bound that is still PROVED of the class.")
    return 0 if not told and all(row["proved"] for row in content) else 4


def _replayed(each: Triangle) -> float | None:
    try:
        return each.replay().value
    except (ArithmeticError, ValueError):
        return None


def _repaired(cases: Sequence[tuple[int, int, Triangle, float | None]]) -> list[str]:
    """Of every bound that the class exceeds, by what it is repaired."""
    lines = []
    for n, T, each, replayed in cases:
        if each.answer.certificate is None or each.factor <= 1:
            continue
        line = f"[{each.version}], n = {n}, T = {T}: multiplied by {decimal(Fraction(each.factor))}"
        less = 0.99 * each.factor
        line += " or more the bound is PROVED"
        if replayed is not None and replayed > less * each.bound.value:
            near = decimal(Fraction(less), up=False)
            line += f"; multiplied by {near}, one per cent less, the replayed functions exceed it"
        lines.append(f"{line}.")
    return lines


def _lost(cases: Sequence[tuple[int, int, Triangle, float | None]]) -> list[str]:
    """Of the last case of every version, where a factor below 1 is lost."""
    lines = {}
    for n, T, each, _ in cases:
        names, share, alone = each.lost
        if each.proved and len(each.terms) > 1:
            lines[each.version] = (
                f"[{each.version}], n = {n}, T = {T}: the largest term, in {names}, is "
                f"{percent(share)} of the bound; multiplied by {decimal(Fraction(alone))} or more, "
                "this term alone, the bound is still PROVED."
            )
    return [*lines.values()]


def _row(n: int, T: int, each: Triangle, replayed: float | None) -> tuple[str, ...]:
    made = each.answer.certificate
    proved = None if made is None else made.claim
    ending = (Outcome.PROVED if each.proved else each.answer.outcome).told
    if proved is not None and not each.proved:
        ending = "the class exceeds it"
    above = NOTHING if proved is None else decimal(proved)
    bound = decimal(each.least, up=False)
    below = NOTHING if replayed is None else decimal(Fraction(replayed), up=False)
    factor = decimal(Fraction(each.factor))
    return (str(n), str(T), each.version, below, above, bound, factor, ending)


def _json(n: int, T: int, each: Triangle, replayed: float | None) -> dict[str, Any]:
    answer = each.answer.as_json()
    return {
        **{"clients": n, "rounds": T, "version": each.version, "replayed": replayed},
        **{"bound": each.bound.as_json(), "factor": each.factor, "proved": each.proved},
        "lost": dict(zip(("constants", "share", "factor"), each.lost, strict=True)),
        "worst": answer,
    }
