"""The options ``set`` and ``prox`` of a problem: what they make, and how they read."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

from theorylab.problems._domain import Affine, Ball, Domain, Interval, Simplex
from theorylab.problems._options import number

_SETS: dict[str, Callable[..., Domain]] = {
    "box": Interval, "ball": Ball, "simplex": Simplex, "affine": Affine
}  # fmt: skip
_OURS = ("d", "l1", "l2")  # which the caller gives
_TERMS = {"l1": ("weight",), "elastic-net": ("l1", "l2")}


def domain(d: int, set: Any, prox: Any) -> Domain:
    """The domain of the options ``set`` and ``prox`` of a problem, None or {"kind": ..., ...}.

    Raises ValueError or TypeError, one line, on an unknown kind or option, on a number that does
    not fit, and on a term beside a set whose proximal map has no closed form.
    """
    kind, given = _read("set", set, _SETS)
    term, weights = _read("prox", prox, {**_TERMS, "indicator": ("set",)})
    if term == "indicator":
        if kind or [*weights] != ["set"]:
            raise ValueError(
                'prox: an indicator needs one set, as {"kind": "indicator", "set": ..}'
            )
        kind, given = _read("set", weights["set"], _SETS)
        term = ""
    sizes: dict[str, float] = {}
    if term:
        unknown = {*weights} - {*_TERMS[term]}
        if unknown or len(weights) != len(_TERMS[term]):
            raise ValueError(f"prox: {term} has {', '.join(weights) or 'no number'}; need "
                             f"{' and '.join(_TERMS[term])}")  # fmt: skip
        read = [number("prox", name, weights[name], at_least=0) for name in _TERMS[term]]
        sizes = dict(zip(("l1", "l2"), read, strict=False))
        if kind not in ("", "box"):
            raise ValueError(
                f"prox: {term} over a {kind} has no proximal map in closed form; need a box, or "
                "one of the two"
            )
    if not kind:
        return Interval(d, **sizes)
    options = inspect.signature(_SETS[kind]).parameters.items()
    takes = {name: each.default is each.empty for name, each in options if name not in _OURS}
    if {*given} - {*takes} or {name for name, needed in takes.items() if needed} - {*given}:
        came = ", ".join(given) or "nothing"
        raise ValueError(f"set: a {kind} is given by {', '.join(takes)}, and {came} came")
    return _SETS[kind](d, **given, **sizes)


_WORDS = {
    "box": "{low} <= x <= {high}",
    "ball": "|x - {center}| <= {radius}",
    "simplex": "x >= 0 with the sum {total}",
    "affine": "A x = b, A = {A}, b = {b}",
    "l1": "g(x) = {weight} |x|_1",
    "elastic-net": "g(x) = {l1} |x|_1 + {l2} |x|^2/2",
}
_DEFAULTS = {"low": -math.inf, "high": math.inf, "center": 0.0, "total": 1.0}


def domain_words(set: Any, prox: Any, number: Callable[[Any], str]) -> list[str]:
    """The set and the term in words, of what the options say; nothing of what they do not."""
    if isinstance(prox, Mapping) and prox.get("kind") == "indicator":
        set, prox = prox.get("set"), None
    told = []
    for each in (set, prox):
        if isinstance(each, Mapping) and each.get("kind") in _WORDS:
            read = {key: number(value) for key, value in {**_DEFAULTS, **each}.items()}
            try:
                told.append(_WORDS[each["kind"]].format(**read))
            except KeyError:
                told.append(str(each["kind"]))
    return [part.replace("-inf <= ", "").replace(" <= inf", "") for part in told]


def _read(what: str, given: Any, kinds: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    if given is None:
        return "", {}
    if not isinstance(given, Mapping) or given.get("kind") not in kinds:
        raise ValueError(
            f'{what} is {given!r}; need {{"kind": one of {", ".join(kinds)}, and its numbers}}'
        )
    return given["kind"], {key: value for key, value in given.items() if key != "kind"}
