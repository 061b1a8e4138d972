"""The lines of a script from what an experiment says of a number (``experiments.Plain``)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from theorylab.experiments import Plain
from theorylab.scripts._scope import loads
from theorylab.scripts.base import WIDEST
from theorylab.scripts.text import array, literal, wrapped


def plain_lines(plain: Plain) -> list[str]:
    """The numbers and the pieces that are read, and the lines that read them."""
    pieces: list[str] = []
    needed = {*loads(ast.parse(plain.text))}
    for piece in reversed(plain.pieces):
        tree = ast.parse(piece)
        if needed & _assigned(tree):
            pieces.insert(0, piece)
            needed |= {*loads(tree)}
    told = next((f"# {line}" for name, line in plain.about.items() if name in needed), "")
    numbers = {name: value for name, value in plain.numbers.items()
               if needed & {*re.findall(r"\w+", name)}}  # fmt: skip
    texts = (*pieces, plain.text)
    lines = [*_literals(numbers, plain.told), *filter(str.strip, "\n".join(texts).splitlines())]
    return fitted([*([told] if told else []), *lines])


def _assigned(tree: ast.Module) -> set[str]:
    """The names that lines assign or define at their top."""
    targets = [each for n in tree.body if isinstance(n, ast.Assign) for each in n.targets]
    names = {n.id for each in targets for n in ast.walk(each) if isinstance(n, ast.Name)}
    return names | {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}


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
            text = array(value) if np.ndim(value) else literal(value)
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
