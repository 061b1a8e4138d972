"""The script of a result: what it claims, the measured side, the bound, and both printed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from theorylab.scripts._agreement import SIDES, agreed, ran, rightly_printed
from theorylab.scripts.base import LONGEST, WIDEST, Facts, UnscriptedError
from theorylab.scripts.bound import (
    ROOMS,
    constant_lines,
    constants_of,
    formula_lines,
    names_of,
)
from theorylab.scripts.left_side import emitted
from theorylab.scripts.sweeps import Ordered, alone, merged
from theorylab.scripts.text import checked, comment, tops, wrapped
from theorylab.statements import Statement, one_sided
from theorylab.verdicts import Result
from theorylab.verdicts.sweep import is_swept


def script(statement: Statement, result: Result, seed: int = 0, long: bool = False) -> str:
    """A NumPy script of at most 47 lines that computes both sides of ``result`` and prints them.

    It does not use theorylab. The constants of the bound are literals, each with a comment that
    says how it is known; nothing in ``statement`` or ``result`` becomes code but numbers.

    Args:
        statement: the claim.
        result: one of its checks, or another instance, as ``judge`` gives it.
        seed: that it was measured with.
        long: with as many lines as it takes, of any width: what ``play.played`` takes.

    Returns:
        The text of the script, which NumPy alone runs.

    Raises:
        UnscriptedError: one line that says why there is none: runs were sampled, an algorithm or a
            problem has no lines, or the script is too long.

    >>> from theorylab.statements import BUILT_IN
    >>> from theorylab.verdicts import judge_check
    >>> claim = BUILT_IN["dfedsgpsm.lem4"]
    >>> text = script(claim, judge_check(claim, "printed", claim.versions["printed"].checks[0]))
    >>> text.splitlines()[-1].startswith("print(")
    True
    """
    if result.version not in statement.versions:
        raise UnscriptedError(f"{statement.id} has no version {comment(result.version, 40)}")
    statement = one_sided(statement, result.version, result.relation)
    if result.measured is None:
        raise UnscriptedError(f"nothing was measured: {comment(result.reason, 200)}")
    order = statement.versions[result.version].order
    if order is None and is_swept(statement, result.version, result.instance):
        result = alone(statement, result)
    text, texts = _whole(statement, result, seed, long, False)
    if long and not texts:
        return checked(text, long)
    text = agreed(text, result, texts) if texts else checked(text)
    if long:
        return text
    return rightly_printed(_shorter(statement, result, seed, text) if texts else text, result)


def _shorter(statement: Statement, result: Result, seed: int, whole: str) -> str:
    """The script of a user's classes without these, where that has the very same two sides."""
    try:
        text, texts = _whole(statement, result, seed, False, True)
        found, wanted = ran(agreed(text, result, texts)), ran(whole)
    except Exception:  # of a user's text that needs its classes: any
        return whole
    same = all(float(found[side]) == float(wanted[side]) for side in ("measured", "bound"))
    return text if same else whole


def _whole(
    statement: Statement, result: Result, seed: int, long: bool, short: bool
) -> tuple[str, list[str]]:
    """(the script, the texts of a user's classes in it)."""
    if statement.versions[result.version].order is None:
        facts = Facts(statement, result, seed=seed, long=long, short=short)
        texts, measured = emitted(facts)
        write: Callable[[int], list[str]] = functools.partial(_of_bound, facts, texts, measured)
    else:
        ordered = Ordered(statement, result, seed, long, short)
        write = ordered.lines
        write(0)
        texts = ordered.texts
    if long and not texts:
        body = write(0)
        return "\n".join([*_imports(body), *body, *_ending(result, body)]) + "\n", []
    for tight in range(1 if texts else len(ROOMS)):
        body = merged(write(tight)) if tight else write(tight)
        head = _header(statement, result)[: 2 if tight > 2 else 3]
        imports = [line for line in _imports([*texts, *body]) if line not in texts]
        lines = [*body, *_ending(result, body)]
        if not long:
            lines = [part for line in lines for part in wrapped(line)]
        head = [part for line in (*head, *imports) for part in wrapped(line)]
        lines = [*head, *texts, *lines]
        if len(lines) <= LONGEST:
            break
    return "\n".join(lines) + "\n", texts


def _of_bound(facts: Facts, texts: Sequence[str], measured: Sequence[str], tight: int) -> list[str]:
    """The measured side, the constants of the bound, and the bound."""
    terms = facts.version.terms
    found = constants_of(terms.values(), facts.result.constants, [*tops(texts), *measured])
    bound = formula_lines("bound", terms, names_of(found), tight)
    return [*measured, *constant_lines(found, tight), *bound]


def _header(statement: Statement, result: Result) -> list[str]:
    """Which claim, what is compared, and on what, in words; the data stand in the code."""
    version = statement.versions[result.version]
    quantity = statement.quantity_of(version)
    instance, place = result.instance, f", at {result.place}" if result.place else ""
    if statement.experiment:
        where = f"the experiment {statement.experiment}, check {result.check}"
    else:
        names = [str(instance.get(part, {}).get("name", "")) for part in ("problem", "topology")]
        where = f"{statement.algorithm} on {names[0]} losses, {names[1]} network, "
        where += f"{instance.get('clients')} clients"
    over = "" if quantity.over == "rows" else f" ({quantity.over})"
    growth = "the growth, along the sweep, of " if version.order is not None else ""
    compared = f"Claimed: {growth}{quantity.column}{over} {version.relation} the bound below."
    text = f"{statement.id} [{result.version}], {statement.source.locator}: {statement.source.text}"
    lines = (text, compared, f"Here: {where}{place}.")
    return [f"# {comment(line, WIDEST - 2)}" for line in lines]


def _imports(body: Sequence[str]) -> list[str]:
    whole = "\n".join(body)
    plain = [f"import {name}" for name in ("itertools", "math") if f"{name}." in whole]
    return [*plain, "import numpy as np"]


def _ending(result: Result, body: Sequence[str]) -> list[str]:
    made = []
    if any(line.startswith(("left = ", "left, right = ")) for line in body):
        made.append(SIDES)
    claim = f"measured {{measured:.15g}} {result.relation} bound {{bound:.15g}} is claimed"
    ratio = "; ratio {measured / bound:.6g}" if result.bound and result.bound > 0 else ""
    return [*made, f'print(f"{claim}{ratio}")']
