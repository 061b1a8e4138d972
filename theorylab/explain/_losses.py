"""Losses as formulas, from the options of a problem."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from theorylab.files import named_files
from theorylab.formulas import Formula, FormulaError, read
from theorylab.kept import kept
from theorylab.problems import PROBLEMS, Problem
from theorylab.problems._domain_options import domain_words
from theorylab.registry import options_of

_LONG = 60  # characters of a text
_MOST = 6  # numbers of a list that are written out
_CLIENTS = 8  # of drawn data: more than the numbers that are written out
_BUILT = 1_000_000  # numbers of Hessians, the most that are drawn to be told
_MOST_TOLD = 256  # losses
_LAWS = ("field", "noise")  # options that name the law of the noise
_TOLD: dict[tuple[type[Problem], str], list[str] | None] = {}


def number(value: Any) -> str:
    """``.1``, ``2``, ``1e-07``: as short as it reads; what is no number as its text, cut."""
    try:
        text = f"{float(value):.6g}"
    except (TypeError, ValueError, OverflowError):
        return one_line(str(value))
    if text.startswith("0."):
        return text[1:]
    return "-" + text[2:] if text.startswith("-0.") else text


def vector(values: Any) -> str:
    """``(1, 2, 3)``, ``((1, 0), (0, 1))``, ``1, alike``; long ones by their length."""
    if not isinstance(values, list):
        return number(values)
    flat = _flat(values)
    alone = all(isinstance(v, list) and len(v) == 1 for v in values)
    if alone and values:
        return vector([v[0] for v in values])
    if len(values) > 3 and all(v == values[0] for v in values) and not isinstance(values[0], list):
        return f"{vector(values[0])} for all"
    if any(isinstance(v, dict) for v in values):
        return f"{len(values)} of them"
    if len(flat) > _MOST:
        return f"({', '.join(_one(v) for v in values[:2])}, ..., {len(values)} of them)"
    return f"({', '.join(vector(v) if isinstance(v, list) else _one(v) for v in values)})"


def one_line(text: str, longest: int = _LONG) -> str:
    """Printable ASCII, without line ends, and not longer than ``longest``."""
    clean = " ".join(text.encode("ascii", "backslashreplace").decode().split())
    clean = "".join(letter if letter.isprintable() else "?" for letter in clean)
    return clean if len(clean) <= longest else f"{clean[: longest - 3]}..."


def losses(problem: Mapping[str, Any], clients: Any = _CLIENTS, swept: Collection[str] = ()) -> str:
    """``f_i(x) = ...`` of a problem by its options; its name and options where it has no formula.

    The formula is the loss's own function. Numbers that all clients have stand in it; the data of
    each client follow, or, where they are drawn, what they are drawn from; then the noise. What an
    option that is ``swept`` sets stays a letter.
    Whatever the options are, the answer is one line of text: it is for reading, and judges nothing.
    """
    name = str(problem["name"])
    given = {key: value for key, value in problem.items() if key != "name"}
    told: list[str] | None = None
    base, beside = given.get("base"), [given.pop(key, None) for key in ("set", "prox")]
    if name == "composite" and isinstance(base, Mapping) and "name" in base:
        told = [losses(base, clients, swept)]
    elif name in PROBLEMS:
        if isinstance(base, Mapping) and "name" in base and "field" in options_of(PROBLEMS[name]):
            law = {"field": given.get("field", "gaussian")}
            noise = {key: value for key, value in (given | law).items() if key != "base"}
            told = [losses(base, clients, swept), *(_option(k, v) for k, v in noise.items())]
        else:
            told = _read(PROBLEMS[name], given, clients, swept)
    if told is None:
        options = ", ".join(f"{key} = {vector(value)}" for key, value in list(given.items())[:8])
        told = [f"{one_line(name)} losses" + (f" ({options})" if options else "")]
    return ", ".join([*told, *domain_words(beside[0], beside[1], vector)])


def _read(
    kind: type[Problem], given: Mapping[str, Any], clients: Any, swept: Collection[str]
) -> list[str] | None:
    """``_of_function``, which the versions of a statement ask of the same loss."""

    def read_it() -> list[str] | None:
        return _of_function(kind, given, clients, swept)

    try:
        options = json.dumps([given, clients, *swept])
        options += named_files({"problem": {**given, "name": kind.name}})
    except (TypeError, ValueError):  # no plain data: nothing names it
        return read_it()
    return kept(_TOLD, (kind, options), read_it, _MOST_TOLD)


def _of_function(
    kind: type[Problem], given: Mapping[str, Any], clients: Any, swept: Collection[str]
) -> list[str] | None:
    """A loss that is one function, read; None where it is none, or its options are wrong."""
    if kind.formula is Problem.formula:
        return None
    swept = sorted({*swept} | ({"t"} if kind.drifts else set()))  # a sentence has one order
    try:
        made = built(kind, given, clients)
        formula: Any = getattr(made, "_formula" if kind.drifts else "formula", None)
        if made is None or formula is None:
            return None
        drawn = _drawn(kind, made.clients, given, formula)
        of_y = formula.maximised
        cut = made.dim - of_y if of_y else made.shared if made.shared < made.dim else 0
        moved = set().union(*(_letters(kind, key) for key in swept)) & set(formula.data)
        plain, value = _value(formula, cut, drawn | moved)
    except (ArithmeticError, TypeError, ValueError):
        return None
    letters = {key: f"{key}_i" if key in formula.each else key for key in formula.data}
    parts = {"u": cut, "v": made.dim - cut} if cut else {"x": made.dim}
    shown = {"u": "x", "v": "y"} if of_y else {part: part for part in parts}
    text = read(value, {**letters, **shown}, number)
    parts = {shown[part]: size for part, size in parts.items()}
    told = [f"f_i({', '.join(parts)}) = {text}"]
    told += ["min over x and max over y, by the field (grad_x f_i, -grad_y f_i)"] * (of_y > 0)
    told += [f"{part} in R^{size}" for part, size in parts.items() if size > 1]
    left = {key: values for key, values in formula.data.items() if key not in plain}
    for letter in sorted(moved):
        by = [key for key in swept if letter in _letters(kind, key) and key != letter]
        told += [f"{letter} by {', '.join(by)}"] if by else []
        left.pop(letter, None)
    drawn -= moved
    return [*told, *_data(given, left, drawn, kind), *_options(given, formula, drawn, kind)]


def built(kind: type[Problem], given: Mapping[str, Any], clients: Any) -> Problem | None:
    """The loss of a few clients with these options; None where it would be large."""
    lists = [value for key, value in given.items() if key in kind.moves.each]
    sizes = [len(value) for value in lists if isinstance(value, list)]
    n = sizes[0] if sizes else min(clients, _CLIENTS)
    dim = sum(value for key, value in given.items() if key.startswith("dim"))
    return kind(n, **given) if n * dim * dim <= _BUILT else None


def _drawn(kind: type[Problem], n: int, given: Mapping[str, Any], formula: Formula) -> set[str]:
    """The data that are others with another seed."""
    if "seed" not in options_of(kind):
        return set()
    other = kind(n, **{**given, "seed": given.get("seed", 0) + 1}).formula
    assert other is not None
    return {key for key, v in formula.data.items() if not np.array_equal(v, other.data[key])}


def _value(formula: Formula, cut: int, drawn: set[str]) -> tuple[Mapping[str, Any], Any]:
    """What is one given number of all clients, and the loss with these."""
    plain = {name: node for name, node in formula.plain.items() if name not in drawn}
    try:
        return plain, formula.retraced(cut, plain)[0]
    except FormulaError:  # a multiple of the identity, where its entries are looked at
        plain = {name: node for name, node in plain.items() if node.op == "const"}
        return plain, formula.retraced(cut, plain)[0]


def _data(
    given: Mapping[str, Any], left: Mapping[str, Any], drawn: set[str], kind: type[Problem]
) -> Iterator[str]:
    """The data that are letters in the formula; many drawn ones by their letters alone."""
    few = sum(np.size(left[letter]) for letter in drawn) <= _MOST
    for letter, values in left.items():
        lists = [given[key] for key in given if letter in _letters(kind, key)]
        shown = next((value for value in lists if isinstance(value, list)), None)
        if letter not in drawn or few:
            yield f"{letter} = {vector(np.asarray(values).tolist() if shown is None else shown)}"
    if drawn and not few:
        yield f"{', '.join(letter for letter in left if letter in drawn)} drawn"


def _options(
    given: Mapping[str, Any], formula: Formula, drawn: set[str], kind: type[Problem]
) -> Iterator[str]:
    """What data are drawn from, and what is no data: noise, and a user's own options."""
    known = options_of(kind)
    for key, value in given.items():
        letters = _letters(kind, key) & set(formula.data)
        declared = known.get(key)  # none of a class with a constructor of its own
        differs = key != "seed" and (declared is None or value != declared.default)
        if key.startswith("dim") or key == "shared" or isinstance(value, list):
            continue
        if letters & drawn or (key == "seed" and drawn) or (not letters and differs):
            yield _option(key, value)


def _letters(kind: type[Problem], key: str) -> set[str]:
    return set(kind.moves.letters.get(key, key).split())


def _option(key: str, value: Any) -> str:
    return f"{vector(value)} noise" if key in _LAWS else f"{key} = {vector(value)}"


def _one(value: Any) -> str:
    return vector(value) if isinstance(value, list) else number(value)


def _flat(values: Any) -> list[Any]:
    if not isinstance(values, list):
        return [values]
    return [inner for value in values for inner in _flat(value)]
