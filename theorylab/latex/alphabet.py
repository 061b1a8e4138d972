"""How letters are written: the table of ``theorylab.symbols``, and pieces that are one letter."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

from theorylab import symbols
from theorylab.latex.tokens import Token, tokens
from theorylab.letters import EVERYWHERE

_STARTS = ("_0", "^0", "_1", "^1", "^{(0)}", "^{(1)}")
_BEST = ("^*", "_*", "^{*}")
_SPACES = ("x", "w", r"\theta", "u", "z")


def candidates(written: str) -> tuple[str, ...]:
    """The names of the letters that may be written so, the one that prints so first.

    >>> candidates("L"), candidates(r"\\sigma")[0]
    (('L',), 'sigma_l')
    """
    return table().get(written, ())


def spelled(part: Sequence[Token]) -> str:
    """Tokens as LaTeX again."""
    text = ""
    for token in part:
        space = text[-1:].isalpha() and "\\" in text.split(" ")[-1] and token.text[0].isalpha()
        text += (" " if space else "") + token.text
    return text


@functools.cache
def table() -> dict[str, tuple[str, ...]]:
    """Names of letters by how they are written."""
    kept = {}
    own: dict[str, list[tuple[int, str]]] = {}  # how far down its list, in order of declaration
    written = [
        (n, (s.name, *symbols.meaning_of(s).also))
        for n, s in symbols.BY_NAME.items()
        if n in EVERYWHERE
    ]
    written += [(n, (a.latex, *a.also)) for n, a in symbols.ABBREVIATIONS.items()]
    for name, several in written:
        for place, latex in enumerate(several):
            own.setdefault(spelled(tokens(latex)), []).append((place, name))
    for latex, names in own.items():
        kept[latex] = tuple(n for _, n in sorted(names, key=lambda each: each[0]))
    return kept


@functools.cache
def phrases() -> dict[tuple[str, ...], str]:
    """Pieces of several tokens that are one letter: the start's loss, the least one, R2."""
    kept: dict[tuple[str, ...], str] = {}
    for x, bar, start in itertools.product(_SPACES, ("", r"\bar "), _STARTS):
        point = f"{bar}{x}{start}"
        for f in ("f", "F", r"\mathcal L"):
            _add(kept, f"{f}({point})", "f0")
        for best in _BEST:
            for one, other in ((point, x + best), (x + best, point)):
                _add(kept, rf"\|{one}-{other}\|^2", "R2")
                _add(kept, rf"\|{one}-{other}\|", "start_distance")
    for f, best in itertools.product(("f", "F", r"\mathcal L"), _BEST):
        _add(kept, f"{f}{best}", "f_star")
        for x in _SPACES:
            _add(kept, f"{f}({x}{best})", "f_star")
    for written in (r"f_{\inf}", r"f^{\inf}", r"f_{\min}", r"F_{\inf}", r"f_{inf}", r"f^{inf}"):
        _add(kept, written, "f_star")
    for mean, x in itertools.product((r"\frac{1}{n}\sum_{i=1}^n", r"\frac{1}{n}\sum_i"), "xz"):
        _add(kept, rf"{mean}\|{x}_i^0\|^2", "x0_sq")
        _add(kept, rf"{mean}\|{x}_i^0-\bar {x}^0\|^2", "x0_spread")
    for written, name in ((r"|\lambda_2|", "lambda2"), ("R^2", "R2"), ("R_0^2", "R2")):
        _add(kept, written, name)
    return kept


def _add(kept: dict[tuple[str, ...], str], latex: str, name: str) -> None:
    kept[tuple(token.text for token in tokens(latex))] = name
