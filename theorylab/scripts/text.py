"""Lines of Python: numbers and plain values as literals, comments, lines that are not too long, and
other names for what lines assign.
"""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import math
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theorylab.arithmetic import evaluated
from theorylab.scripts.base import LONGEST, WIDEST, UnscriptedError

MOST_NUMBERS = 4000  # that a script writes out
MODULES = ("numpy", "itertools", "math", "fractions")
_BUILTINS = {
    *("abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "float", "int"),
    *(
        "len",
        "list",
        "map",
        "max",
        "min",
        "pow",
        "print",
        "range",
        "reversed",
        "round",
        "set",
        "sorted",
    ),
    *("str", "sum", "tuple", "zip"),
}
_FUNCTIONS = ("sqrt", "log", "exp", "floor", "ceil")


def literal(value: Any) -> str:
    """A number, or nested lists of numbers, as Python writes it: the shortest text of every float.

    Raises UnscriptedError where a number is not finite, or no number at all.

    >>> literal([[0.5, 0.25], [1.0, 0.0]])
    '[[0.5, 0.25], [1, 0]]'
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        raise UnscriptedError(f"a number is {type(value).__name__}")
    number = value.item() if isinstance(value, np.number) else value
    if isinstance(number, float):
        if not math.isfinite(number):
            raise UnscriptedError(f"a number is {number}")
        whole = number.is_integer() and abs(number) < 1e15 and math.copysign(1, number) > 0
        return str(int(number)) if whole or number == 0 else repr(number)
    return repr(int(number))


def array(value: Any) -> str:
    """An array of floats: ``np.full`` of equal entries, ``np.eye`` and ``np.diag`` of a diagonal.

    >>> array([[2.0, 0.0], [0.0, 2.0]])
    '2 * np.eye(2)'
    """
    a = np.asarray(value, np.float64)
    if a.size == 0:
        return f"np.zeros({_shape(a)})"
    if (a == a.flat[0]).all():
        first = literal(float(a.flat[0]))
        return (
            f"np.zeros({_shape(a)})"
            if first == "0"
            else f"np.full({_shape(a)}, {literal_float(first)})"
        )
    if a.ndim == 2 and a.shape[0] == a.shape[1] > 1 and (a == np.diag(np.diag(a))).all():
        entries = np.diag(a)
        if (entries == entries[0]).all():
            scale = literal(float(entries[0]))
            return f"np.eye({len(a)})" if scale == "1" else f"{scale} * np.eye({len(a)})"
        return f"np.diag(np.array({_floats(entries)}))"
    return _repeating(a) or f"np.array({_floats(a)})"


def _repeating(a: np.ndarray[Any, Any]) -> str:
    """Many rows of which few are different, over and over, or one and the same from some on."""
    rows = len(a)
    if a.ndim != 2 or rows <= 6:
        return ""
    for few in (1, 2, 3, 4):
        if rows % few == 0 and (a == np.tile(a[:few], (rows // few, 1))).all():
            return f"np.tile(np.array({_floats(a[:few])}), ({rows // few}, 1))"
        if (a[few:] == a[few]).all():
            return f"np.array({literal(a[:few])} + [{literal(a[few])}] * {rows - few}, float)"
    return ""


def literal_float(text: str) -> str:
    """A literal of ``literal`` as a float's."""
    return text if any(c in text for c in ".e") else f"{text}.0"


def _shape(a: np.ndarray[Any, Any]) -> str:
    return str(a.shape[0]) if a.ndim == 1 else str(a.shape)


def _floats(a: np.ndarray[Any, Any]) -> str:
    """A literal, and that it means floats where no entry says so."""
    text = literal(a)
    return text if any(c in text for c in ".e") else f"{text}, float"


def comment(text: str, room: int = WIDEST) -> str:
    """``text`` as the inside of one comment: one line of printable ASCII, cut where it is too long.

    What is no printable ASCII becomes "?", so that no text from elsewhere ends the comment.
    """
    plain = "".join(c if " " <= c <= "~" else ("?" if c.isprintable() else " ") for c in text)
    plain = " ".join(plain.split())
    return plain if len(plain) <= room else plain[: max(0, room - 3)].rstrip() + "..."


def identifier(name: str, taken: Iterable[str] = ()) -> str:
    """A Python name for the constant ``name``: ASCII, no keyword, and not among ``taken``."""
    made = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)
    made = made.lstrip("_") or "constant"  # names with two of them mean something to Python
    if made[0].isdigit():
        made = f"c{made}"
    reserved = {*taken, "np", "math", "itertools", "fractions", "measured", "bound", "left"}
    reserved |= {"right", *keyword.kwlist, *keyword.softkwlist, *dir(builtins)}
    while made in reserved:
        made += "_"
    return made


def _levels(text: str) -> list[int]:
    """How deep in brackets every character stands; a bracket counts as inside."""
    made, depth = [], 0
    for c in text:
        depth += c in "([{"
        made.append(depth)
        depth -= c in ")]}"
    return made


def bare(text: str) -> str:
    """An expression without brackets around all of it."""
    around = text.startswith("(") and min(_levels(text), default=0) > 0
    return bare(text[1:-1]) if around and _levels(text).count(1) >= 2 and _one(text) else text


def _one(text: str) -> bool:
    """Whether the first bracket closes at the end."""
    levels = _levels(text)
    return text.endswith(")") and not any(
        level == 1 and c == ")" for level, c in zip(levels[:-1], text[:-1], strict=True)
    )


def grouped(text: str, method: bool = False) -> str:
    """An expression that may stand as a factor, in brackets where it needs them; ``method``: or in
    front of a method."""
    text = bare(text)
    outer = "".join(c for c, level in zip(text, _levels(text), strict=True) if level == 0)
    low = (" * ", " @ ", " / ") if method else ()
    return f"({text})" if any(op in outer for op in (" + ", " - ", *low)) else text


def wrapped(line: str) -> list[str]:
    """One logical line as lines of at most ``WIDEST`` characters, broken inside of brackets.

    Raises UnscriptedError where there is none to break at.
    """
    if len(line) <= WIDEST:
        return [line]
    code, mark, said = line.partition("  # ")
    if mark:
        lines = wrapped(code)
        room = WIDEST - len(lines[-1]) - 4
        return [*lines[:-1], lines[-1] + (f"  # {comment(said, room)}" if room >= 8 else "")]
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    made: list[str] = []
    rest, depth_before = line, 0
    while len(rest) > WIDEST:
        place, depth = _break(rest, depth_before)
        if place is None:
            raise UnscriptedError(f"a line of the script is too long: {comment(line, 40)}")
        made.append(rest[:place].rstrip())
        rest, depth_before = indent + rest[place:].lstrip(), depth
    return [*made, rest]


def _break(line: str, depth: int) -> tuple[int | None, int]:
    """(the last place to break ``line`` at, how deep in brackets it is there): at a blank, or
    before an operator where no blank is near the end."""
    start = len(line) - len(line.lstrip())
    blank: tuple[int | None, int] = (None, depth)
    operator = blank
    for column, c in enumerate(line[: WIDEST + 1]):
        single = c in "*/" and "*" not in (line[column - 1], line[column + 1 : column + 2])
        if c == " " and depth > 0 and column > start:
            blank = column, depth
        elif single and depth > 0 and column > start:
            operator = column, depth
        depth += (c in "([{") - (c in ")]}")
    near = blank[0] is not None and blank[0] > WIDEST // 2
    return blank if near or operator[0] is None else operator


def packed(numbers: Mapping[str, Any]) -> list[str]:
    """One assignment of several numbers."""
    if not numbers:
        return []
    names, values = ", ".join(numbers), ", ".join(map(literal, numbers.values()))
    return (
        wrapped(f"{names} = {values}")
        if len(names) + len(values) < 96
        else [f"{name} = {literal(value)}" for name, value in numbers.items()]
    )


def indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def repeated(times: str, lines: Sequence[str], index: str = "k") -> list[str]:
    """The lines in a loop."""
    return [f"for {index} in range({times}):", *indented(lines)]


def checked(text: str, long: bool = False) -> str:
    """``text``, a script of few short lines in which every name is its own, NumPy's or a plain
    function of Python's; UnscriptedError with one line where it is not. long: of any length.

    Data only ever enters a script as numbers and comments. This looks at what came out.
    """
    lines = text.splitlines()
    if len(lines) > LONGEST and not long:
        raise UnscriptedError(f"the script has {len(lines)} lines; need at most {LONGEST}")
    if any(len(line) > WIDEST for line in lines) and not long:
        raise UnscriptedError(f"a line of the script has more than {WIDEST} characters")
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {n.name for n in nodes if isinstance(n, ast.FunctionDef)}
    bound |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            came = [a.name for a in node.names]
            source = [node.module] if isinstance(node, ast.ImportFrom) else came
            if not set(source) <= set(MODULES):
                raise UnscriptedError(f"the script imports {', '.join(map(str, source))}")
            bound |= {a.asname or a.name for a in node.names}
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            raise UnscriptedError(f"the script uses {node.attr}")
        if isinstance(node, ast.Name) and node.id not in bound | _BUILTINS:
            raise UnscriptedError(f"the script does not define {comment(node.id, 40)}")
    return text


def tops(texts: Sequence[str]) -> list[str]:
    """Lines that assign what the texts of a script define or import at their top, so that no other
    line takes these names."""
    names: dict[str, None] = {}
    for node in ast.parse("\n".join(texts)).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names[node.name] = None
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= dict.fromkeys(each.asname or each.name for each in node.names)
        elif isinstance(node, ast.Assign):
            found = (n for target in node.targets for n in ast.walk(target))
            names |= dict.fromkeys(n.id for n in found if isinstance(n, ast.Name))
    return [f"{name} = ..." for name in names if name.isidentifier()]


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
