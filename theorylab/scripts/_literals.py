"""Values of a user's file as Python text, and other names for what a script assigns."""

from __future__ import annotations

import ast
import io
import math
import tokenize
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theorylab.arithmetic import evaluated
from theorylab.scripts.base import UnscriptedError
from theorylab.scripts.text import MOST_NUMBERS, comment


def constant(value: Any) -> str:
    """A plain value as Python writes it: numbers, texts, arrays, and lists, tuples, sets and
    dictionaries of them.

    Raises UnscriptedError, one line, for anything else, and for too many numbers.

    >>> constant({"a": (1, 2.0)})
    "{'a': (1, 2.0)}"
    """
    if isinstance(value, np.ndarray):
        if value.size > MOST_NUMBERS:
            raise UnscriptedError(f"{value.size} numbers are too many for a script")
        if value.ndim == 1 and len(value) > 4 and (value == np.arange(len(value))).all():
            return f"np.arange({len(value)}{'' if value.dtype.kind == 'i' else '.0'})"
        kind = "" if value.dtype in (np.float64, np.int64) else f', dtype="{value.dtype.name}"'
        if value.dtype.kind not in "fiub" or value.size == 0:
            raise UnscriptedError(f"an array of {value.dtype.name} is not written out")
        return f"np.array({constant(value.tolist())}{kind})"
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | complex):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f'float("{value}")'
    if isinstance(value, str):
        return ascii(value)
    if isinstance(value, Fraction):
        return f"Fraction({value.numerator}, {value.denominator})"
    if isinstance(value, range):
        return repr(value)
    if isinstance(value, list | tuple | set | frozenset | dict) and len(value) > MOST_NUMBERS:
        raise UnscriptedError(f"{len(value)} numbers are too many for a script")
    if type(value) is dict:
        pairs = (f"{constant(key)}: {constant(each)}" for key, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    if type(value) is list and len(value) > 4 and all(each is value[0] or each == value[0]
                                                      for each in value):  # fmt: skip
        return f"[{constant(value[0])}] * {len(value)}"
    if type(value) in (list, tuple, set, frozenset):
        inside = ", ".join(map(constant, sorted(value) if type(value) is set else value))
        if type(value) is list:
            return f"[{inside}]"
        if type(value) is tuple:
            return f"({inside}{',' * (len(value) == 1)})"
        return f"{type(value).__name__}([{inside}])"
    raise UnscriptedError(f"a value of type {comment(type(value).__name__, 40)} is not written out")


_FUNCTIONS = ("sqrt", "log", "exp", "floor", "ceil")


def schedule(text: str) -> str:
    """A step size in t, as "1/(10 + t)", as a function of t; any other text as a text.

    >>> schedule("1/sqrt(1 + t)")
    'lambda t: 1 / math.sqrt(1 + t)'
    """
    try:
        evaluated(text, {"t": 1.0})
        tree = ast.parse(text.strip(), mode="eval")
    except ValueError:
        return constant(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in _FUNCTIONS:
            node.id = f"math.{node.id}"
    return f"lambda t: {ast.unparse(tree)}"


def renamed(lines: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """The lines with other names for these: not of attributes, of options, and inside of texts."""
    if not names:
        return [*lines]
    made, depth = [*"\n".join(lines).splitlines()], 0
    places: list[tuple[int, int, str]] = []
    start = tokenize.TokenInfo(tokenize.NL, "", (0, 0), (0, 0), "")
    tokens = [start, *tokenize.generate_tokens(io.StringIO("\n".join(made) + "\n").readline)]
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        depth += (before.string in "([{") - (before.string in ")]}") if before.string else 0
        option = depth > 0 and after.string == "="
        if token.type == tokenize.NAME and token.string in names and before.string != ".":
            places += [] if option else [(*token.start, token.string)]
    for row, column, name in reversed(places):
        line = made[row - 1]
        made[row - 1] = line[:column] + names[name] + line[column + len(name) :]
    return made
