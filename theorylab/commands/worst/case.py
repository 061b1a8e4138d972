"""``theorylab worst``: the worst case over a class in five lines, with its certificate."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from theorylab.commands.options import json_text
from theorylab.commands.refusal import (
    Refused,
    one_line,
    refusing,
    tell,
    tell_over,
    write_target,
)
from theorylab.commands.worst import Worst as Asked
from theorylab.commands.worst.asked import (
    MOST,
    asked_functions,
    asked_method,
    asked_network,
    asked_start,
    check_out,
    kept,
    number,
    span,
    told_method,
)
from theorylab.commands.worst.page import PAGE, PICTURE, write_cases
from theorylab.report.atomic import write_atomic
from theorylab.report.number import decimal
from theorylab.worst import (
    NotLinearError,
    NotSolvedError,
    Outcome,
    TooLargeError,
    UnboundedError,
    Worst,
    check_certificate,
    worst,
)
from theorylab.worst.check_certificate import METRICS, STARTS, up
from theorylab.worst.script import script

_VERSION = 2  # of certificates
_JSON = "worst.json"


def checked(paths: Sequence[Path]) -> int:
    """What the standalone checker says of certificates; the exit code.

    Raises Refused on a certificate of another version.
    """
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                version = check_certificate.read(file.read(check_certificate.SIZE))["version"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue  # the checker says what is wrong
        if type(version) is int and version != _VERSION:
            raise Refused(f"worst: {path} is a certificate of version {version}; need {_VERSION}")
    return check_certificate.main([str(path) for path in paths])


def shown(asked: Asked) -> int:
    """Print five lines a case, write what is asked for; the exit code of the worst outcome.

    Raises Refused on bad input.
    """
    out, script_target = asked.out, asked.script_target
    bound = None if asked.bound is None else number("--bound", asked.bound)
    if not 1e-12 <= asked.margin <= 1:
        raise Refused(f"worst: --margin is {asked.margin}; need 1e-12 to 1")
    check_out(out, _JSON, PAGE, PICTURE)
    answers, code = [], 0
    method, fractions, _ = asked_method(asked)
    label = told_method(asked, method, fractions)
    for answer in _answers(asked, bound):
        if isinstance(answer, Worst):
            answers.append(answer)
            code = max(code, answer.outcome.value.exit)
            told = _told(answer, label)
        else:
            outcome, told = answer[0], [answer[1]]
            code = max(code, outcome.value.exit)
        for line in told if asked.speaks else ():
            tell(line)
    content = {"worst": [answer.as_json() for answer in answers]}
    if out is not None:
        for line in _kept(out, label, answers, content):
            if asked.speaks:
                tell(line)
    asked.write_json(content)
    if script_target is not None:
        file = sys.stdout if asked.speaks else sys.stderr
        tell(_scripted(answers, script_target), file=file)
    return code


def _scripted(answers: Sequence[Worst], target: str) -> str:
    """Write the script of the first VIOLATED answer, else of the last; the line about it."""
    violated = [answer for answer in answers if answer.outcome is Outcome.VIOLATED]
    try:
        (chosen,) = [*violated, *answers[-1:]][:1]
        text = script(chosen)
    except (ArithmeticError, ValueError) as error:
        return f"{target}: no script was written: {one_line(error)}."
    write_target("--script", target, text)
    T = chosen.question.recursion.rounds
    return f"{target}: the functions and their run of {T} rounds in NumPy, without theorylab."


def _answers(asked: Asked, bound: Fraction | None) -> Iterator[Worst | tuple[Outcome, str]]:
    """The answer of every number of clients and rounds, or how it ended."""
    clients, rounds = span("--clients", asked.clients), span("--rounds", asked.rounds)
    if len(clients) * len(rounds) > MOST:
        raise Refused(f"worst: {len(clients) * len(rounds)} cases are asked; need at most {MOST}")
    method, fractions, graph = asked_method(asked)
    functions, start = asked_functions(asked), asked_start(asked)
    cases = [(n, T) for n in clients for T in rounds]
    for k, (n, T) in enumerate(cases):
        if len(cases) > 1 and sys.stderr.isatty():
            tell_over(f"[{k + 1}/{len(cases)}] {n} clients, {T} rounds")
        with refusing("worst"):
            network = asked_network(asked.network, n, graph)
        head = f"{method.name}, n = {n}, T = {T}"
        try:
            with refusing("worst"):
                yield worst(
                    method, network, rounds=T, start=start, functions=functions,
                    metric=asked.metric, certify=asked.certify, margin=asked.margin, bound=bound,
                    fractions=fractions,
                )  # fmt: skip
        except Refused as error:
            cause = error.__cause__
            if isinstance(cause, TooLargeError):
                raise Refused(f"worst: TOO LARGE: {cause}") from None
            if not isinstance(cause, NotLinearError):
                raise
            yield Outcome.NOT_LINEAR, f"{head}: NOT LINEAR: {cause}"
        except UnboundedError as error:
            yield Outcome.UNBOUNDED, f"{head}: UNBOUNDED: {error}"
        except NotSolvedError as error:
            yield Outcome.NOT_CERTIFIED, f"{head}: NOT CERTIFIED: {error}"
    if len(cases) > 1 and sys.stderr.isatty():
        tell_over("")


def _told(answer: Worst, label: str) -> list[str]:
    """Five lines; label: the method."""
    asked, recursion = answer.question, answer.question.recursion
    start = ", ".join(f"{STARTS[name]} <= {most}" for name, most in asked.start.items())
    lines = [
        f"{label} on {answer.network.name}, n = {recursion.clients}, T = {recursion.rounds}",
        f"  every f_i {asked.functions.told()}; {start}; in every dimension",
        f"  worst {METRICS[asked.metric]}: {answer.value:.6g} (a solver's float)",
    ]
    if asked.relaxed:
        mean = "" if asked.functions.noise is None else "in expectation "
        lines[-1] = (
            f"  worst {mean}{METRICS[asked.metric]}: at most {answer.value:.6g} (a solver's float; "
            f"from above alone: {asked.relaxed})"
        )
    everywhere = asked.functions.everywhere
    try:
        replay = answer.replay()
        lines.append(
            f"  {'attained' if everywhere else 'replayed'} {replay.value:.6g} by functions of "
            f"{replay.problem.dim} coordinates that the engine has run"
            f"{'' if asked.functions.noise is None else ', without noise'}"
            f"{'' if everywhere else '; they are in the class at the points asked alone'}"
        )
    except (ArithmeticError, ValueError) as error:
        lines.append(f"  not attained: {error}")
    if answer.certificate is not None:
        lines.append(f"  PROVED: at most {up(answer.certificate.claim)}, {_margin(answer)}")
    elif answer.outcome is Outcome.ESTIMATE:
        lines.append("  not proved: --certify makes a certificate")
    if answer.outcome is Outcome.NOT_CERTIFIED:
        lines.append(f"  NOT CERTIFIED: {answer.reason}")
    return lines if answer.bound is None else [*lines, *_against(answer)]


def _against(answer: Worst) -> list[str]:
    """What is said of the bound, and of how it is repaired."""
    bound, factor = answer.bound, answer.factor
    assert bound is not None
    least = "" if factor is None else decimal(factor)
    if answer.outcome is Outcome.PROVED:
        return [f"  the bound {bound} is PROVED, and so it is multiplied by {least} or more"]
    if answer.outcome is not Outcome.VIOLATED:
        return []
    lines = [f"  VIOLATED: the functions exceed the bound {bound}"]
    if factor is not None:
        less = factor * Fraction(99, 100)
        lines.append(f"  multiplied by {least} or more the bound is PROVED")
        if answer.exceeds(bound * less):
            lines[-1] += f"; by {decimal(less, up=False)}, one per cent less, it is exceeded"
    return lines


def _margin(answer: Worst) -> str:
    made = answer.certificate
    assert made is not None
    return f"{made.margin:.1e} above the value, by a certificate of {len(made.text())} characters"


def _kept(out: Path, label: str, answers: Sequence[Worst], content: dict[str, Any]) -> list[str]:
    """Write certificates, functions, page and picture; a line for every certificate."""
    lines = []
    with refusing(f"--out {out}"):
        out.mkdir(parents=True, exist_ok=True)
        for answer, row in zip(answers, content["worst"], strict=True):
            recursion = answer.question.recursion
            name = f"n{recursion.clients}-T{recursion.rounds}"
            try:
                row["functions"] = answer.replay().as_json()
            except (ArithmeticError, ValueError) as error:
                row["functions"] = str(error)
            if answer.certificate is not None:
                lines.append(kept(answer.certificate, out, f"certificate-{name}.json"))
        write_atomic(out / _JSON, json_text(content))
    write_cases(out, label, answers, content)
    return lines
