"""Which left side of theorylab a formula is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from theorylab.latex.alphabet import spelled
from theorylab.latex.tokens import Token

_X = r"(?P<bar>\\bar |\\hat |\\tilde )?(?:x|w|\\theta|u|z)"
_INDEX = r"[_^](?:\{\(?(?P<i>[\w+-]+)\)?\}|(?P<j>\w))"
_BEST = r"(?:x|w|\\theta|u|z)[_^]\*"
_F = r"(?:f|F|\\mathcal L)"
_LEAST = rf"(?:{_F}[_^]\*|{_F}\({_BEST}\)|{_F}[_^]\{{?\\?inf\}}?|{_F}[_^]\{{?\\?min\}}?)"
_SHAPES = {
    "squared_gradient": rf"\\\|\\nabla {_F}\({_X}(?:{_INDEX})?\)\\\|\^2",
    "suboptimality": rf"\(?{_F}\({_X}(?:{_INDEX})?\)-{_LEAST}\)?",
    "squared_distance": rf"\\\|{_X}(?:{_INDEX})?-{_BEST}\\\|(?P<square>\^2)?",
    "loss": rf"{_F}\({_X}(?:{_INDEX})?\)",
}
_SUM = r"\\sum_(?:\{[^{}]*\}|\w)(?:\^(?:\{[^{}]*\}|\w))?"
_AVERAGE = re.compile(rf"\\frac(?:1(?P<top>\w)|\{{1\}}(?P<top2>\w)|1\{{(?P<top3>\w)\+1\}}){_SUM}")
_LEAST_OF = re.compile(r"\\min_(?:\{[^{}]*\}|\w)(?:\^\{[^{}]*\})?|\\inf_(?:\{[^{}]*\}|\w)")
_CONSENSUS = re.compile(
    r"\\frac1(?P<n>n|m|N)\\sum_\{?i[^\\]*\}?(?:\^\w)?"
    r"\\\|(?:x|w|z)[_^]i[_^](?:\{?(?P<i>\w)\}?)-\\bar "
)
_APART = r"(?:x|w|z)[_^]i[_^](?:\{[^{}]*\}|\w)-\\bar (?:x|w|z)[_^](?:\{[^{}]*\}|\w)"
_NEAR = r"\\bar (?:x|w|z)[_^](?:\{[^{}]*\}|\w)-(?:x|w|z)[_^]i[_^](?:\{[^{}]*\}|\w)"
_MEAN_CONSENSUS = re.compile(
    rf"\\frac1\{{(?:[nmN] (?P<T>\w)|(?P<T2>\w) [nmN])\}}{_SUM}{_SUM}\\\|(?:{_APART}|{_NEAR})\\\|\^2"
)
_MODELS = re.compile(r"(?:\\le|<) ?(?P<all>\w)\}$|[,\\le<. ]+(?P<but>\w)-1\}$|\^\{(?P<top>\w)-1\}$")


class Left(NamedTuple):
    """code: as a statement names it. rounds: what the text calls T. now: what it calls t.

    square: both sides are to be squared. ask: what the file has to say, "" where nothing is open.
    """

    code: str
    rounds: str = ""
    now: str = ""
    square: bool = False
    ask: str = ""


def left_side(side: Sequence[Token]) -> Left | None:
    """The quantity that the left side of a claim is; None where no shape fits."""
    text = re.sub(
        r"\\mathbb E(?:_\{[^{}]*\}|_\w|_\\\w+)?|\\E\b|(?<!\w)E(?=[\[\\])", "", spelled(side)
    )
    mean = text != spelled(side)
    text = text.replace("[", "").replace("]", "").strip()
    while text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    if found := _CONSENSUS.match(text):
        return _placed("consensus", found["i"] or "", text, mean)
    if found := _MEAN_CONSENSUS.fullmatch(text):
        ask = _from_one(text.replace("i=1", ""))  # clients are counted from 1
        return Left('"mean_consensus"', rounds=found["T"] or found["T2"], ask=ask)
    average = _AVERAGE.match(text)
    least = _LEAST_OF.match(text)
    rest = text[average.end() :] if average else text[least.end() :] if least else text
    for column, shape in _SHAPES.items():
        found = re.fullmatch(shape, rest)
        if found is None:
            continue
        if average:
            return Left(_of(column, "average"), rounds=_rounds(average), ask=_from_one(text))
        if least:
            code = _of(column, "run best" if mean and text != rest else "best")
            return Left(code, *_models(least[0]))
        squared = "square" in found.re.groupindex and not found["square"]
        placed = _placed(column, found["i"] or found["j"] or "", rest, mean, squared)
        bar = found["bar"] and column == "suboptimality" and placed.rounds
        ask = "an average of the iterates? then over is 'average iterate'" if bar else placed.ask
        return placed._replace(ask=ask)
    if text.startswith(("f(", "F(")) and "\\sum" in text:
        top = re.search(r"\\frac1(\w)", text)
        over = _of("suboptimality", "average iterate")
        return Left(over, rounds=top[1] if top else "", ask=_from_one(text))
    return None


def rounds_of(side: Sequence[Token]) -> str:
    """The number of rounds that a side is the average over, as it is written; "" of another."""
    found = _AVERAGE.match(spelled(side))
    return "" if found is None else _rounds(found)


def _models(least: str) -> tuple[str, str, bool, str]:
    """The letter of the number of rounds in a minimum, as ``Left`` has it, and what to ask."""
    found = _MODELS.search(least)
    if found is None:
        return "", "", False, "the least of which models? here they are x^0 .. x^(T-1)"
    last = found["all"] if "<" not in found[0] else ""
    ask = f"it looks at x_0 .. x_{last}, and T here counts models: {last} is T - 1" if last else ""
    return found["all"] or found["but"] or found["top"], "", False, ask


def _rounds(found: re.Match[str]) -> str:
    return found["top"] or found["top2"] or found["top3"]


def _from_one(text: str) -> str:
    one = re.search(r"\\sum_\{\w=1\}", text)
    return "it sums from 1; here the first of T models is x^0, where the run starts" if one else ""


def _of(column: str, over: str) -> str:
    return f'Quantity("{column}", "{over}")'


def _placed(column: str, index: str, text: str, mean: bool, square: bool = False) -> Left:
    """At the round ``index``: a capital is the last one, a small letter any."""
    ask = ""
    if square and mean:
        ask = "of the mean of a norm nothing follows for the mean of its square"
    if index[:1].islower():
        return Left(_of(column, "every"), now=index, square=square, ask=ask)
    ask = ask or ("" if index else "at which round?")
    return Left(_of(column, "last"), rounds=index, square=square, ask=ask)
