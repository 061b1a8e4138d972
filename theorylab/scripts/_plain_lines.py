"""The lines of a script from what an experiment says of a number (``experiments.Plain``)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from theorylab.experiments import AsRun, Plain
from theorylab.metrics import metric
from theorylab.scripts._columns import of_text
from theorylab.scripts._instance_lines import matrix, personal_losses, plain_losses
from theorylab.scripts._names_read import loads
from theorylab.scripts.base import WIDEST, Facts, UnscriptedError
from theorylab.scripts.text import array, literal, wrapped


def emitted(facts: Facts) -> list[str]:
    """The lines of an experiment's number; UnscriptedError where nothing writes it."""
    try:
        found = facts.experiment.plain(facts)
    except ValueError as error:  # UnwrittenError, or an option that the experiment refuses
        raise UnscriptedError(str(error)) from None
    if not isinstance(found, AsRun):
        return plain_lines(found)
    run = replace(facts, result=facts.result.model_copy(update={"instance": found.instance}))
    return of_text(run, metric(found.metric).plain)


def _with_losses(plain: Plain) -> tuple[list[str], str]:
    """The data of the losses that the lines call, and the lines with their gradients."""
    if plain.problem is None:
        return [], plain.text
    if "heads(U, V)" in plain.text:
        personal = personal_losses(plain.problem)
        heads = personal.heads("U", "V") or "0.0 * V"
        return personal.lines, plain.text.replace("heads(U, V)", heads)
    losses = plain_losses(plain.problem)
    text = re.sub(r"\bgrad\((\w+)\)", lambda call: losses.gradient(call[1]), plain.text)
    return losses.lines, text


def plain_lines(plain: Plain) -> list[str]:
    """The numbers and the pieces that are read, and the lines that read them."""
    data, text = _with_losses(plain)
    pieces: list[str] = []
    needed = {*loads(ast.parse(text))}
    for piece in reversed(plain.pieces):
        tree = ast.parse(piece)
        if needed & _assigned(tree):
            pieces.insert(0, piece)
            needed |= {*loads(tree)}
    told = next((f"# {line}" for name, line in plain.about.items() if name in needed), "")
    numbers = {name: value for name, value in plain.numbers.items()
               if needed & {*re.findall(r"\w+", name)}}  # fmt: skip
    body = filter(str.strip, "\n".join([*pieces, text]).splitlines())
    lines = [*_literals(numbers, plain.told), *data, *body]
    return fitted([*([told] if told else []), *lines])


def _assigned(tree: ast.Module) -> set[str]:
    """The names that lines assign or define at their top."""
    targets = [each for n in tree.body if isinstance(n, ast.Assign) for each in n.targets]
    names = {n.id for each in targets for n in ast.walk(each) if isinstance(n, ast.Name)}
    names |= {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
    return names | {n.name for n in ast.walk(tree) if isinstance(n, ast.alias)}


def _literals(numbers: Mapping[str, Any], told: Mapping[str, str]) -> list[str]:
    """Numbers in one line, rows of one length in another one, and a line for each other array."""
    plain = {k: value for k, value in numbers.items() if not np.ndim(value) and k not in told}
    made = [f"{', '.join(plain)} = {', '.join(map(literal, plain.values()))}"] if plain else []
    rows = {name: value for name, value in numbers.items() if np.ndim(value) == 1}
    together = len(rows) > 1 and len({*map(len, rows.values())}) == 1
    if together:
        made.append(f"{', '.join(rows)} = {array([*rows.values()])}")
    for name, value in numbers.items():
        if name not in plain and not (together and name in rows):
            write = matrix if name == "P" else array if np.ndim(value) else literal
            text = write(value)
            made.append(f"{name} = {text}" + (f"  # {told[name]}" if name in told else ""))
    return made


def fitted(lines: Iterable[str]) -> list[str]:
    """``lines`` broken where they are too long; a comment after one stays where there is room."""
    made: list[str] = []
    for line in lines:
        if line.lstrip().startswith("#"):
            made.append(line[:WIDEST])  # broken, its rest would be code
            continue
        code, mark, told = line.partition("  # ")
        made += wrapped(code)
        if mark and len(made[-1]) + len(mark + told) <= WIDEST:
            made[-1] += mark + told
    return made
