"""LaTeX cut into tokens, each with its place; what only changes how it looks is left out."""

from __future__ import annotations

import re
from typing import NamedTuple

_PART = re.compile(
    r"%[^\n]*|\s+|~|\\begin\s*\{[\w*]+\}|\\end\s*\{[\w*]+\}|\\[A-Za-z]+\*?|\\.|(?:\d+\.\d*|\.\d+|\d+)[eE][-+]?\d+|\d+(?:\.\d+)?|\.\d+|\S",
    re.DOTALL,
)
_LOOKS = {  # of the same letter, or of the same page
    *("left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl"),
    *("biggr", "Biggl", "Biggr", "middle", "mathbf", "boldsymbol", "bm", "mathrm", "mathit", "pmb"),
    *("displaystyle", "textstyle", "limits", "nolimits", "quad", "qquad", "nonumber", "notag"),
    *("mathsf", "rm", "bf", "hspace", "tfrac", "dfrac", "underbrace", "operatorname", "textbf"),
}
_SAME = {
    **dict.fromkeys(("\\star", "\\ast", "\\opt"), "*"),
    **dict.fromkeys(("\\lVert", "\\rVert", "\\Vert", "\\norm"), "\\|"),
    **dict.fromkeys(("\\lvert", "\\rvert", "\\vert"), "|"),
    **dict.fromkeys(("\\leq", "\\leqslant"), "\\le"),
    **dict.fromkeys(("\\geq", "\\geqslant"), "\\ge"),
    **dict.fromkeys(("\\overline", "\\widebar"), "\\bar"),
    **dict.fromkeys(("\\cdot", "\\times"), "\\cdot"),
    **dict.fromkeys(("\\lbrack", "\\{", "\\lbrace"), "["),
    **dict.fromkeys(("\\rbrack", "\\}", "\\rbrace"), "]"),
    "\\tfrac": "\\frac",
    "\\dfrac": "\\frac",
    "\\widetilde": "\\tilde",
    "\\widehat": "\\hat",
    "\\varepsilon": "\\epsilon",
    "\\triangleq": "=",
}
_TAKES = {"\\frac": 2, "\\sqrt": 1, "^": 1, "_": 1}
_BLANK = ("\\,", "\\;", "\\!", "\\:", "\\ ", "&", "~", "\\\\")


class Token(NamedTuple):
    """One letter, number, sign or command, and where it stands, from 1."""

    text: str
    line: int
    column: int


class LatexError(ValueError):
    """LaTeX that cannot be read; the line says where."""

    def __init__(self, token: Token, what: str) -> None:
        super().__init__(f"line {token.line}, column {token.column}: {what}")


def tokens(text: str, line: int = 1, column: int = 1) -> list[Token]:
    """The tokens of ``text``, whose first letter stands at ``line`` and ``column``.

    >>> [token.text for token in tokens(r"\\left(\\mathbf{x}^{\\star}\\right)")]
    ['(', 'x', '^', '*', ')']
    """
    found = []
    for part in _PART.finditer(text):
        piece = part[0]
        place = text[: part.start()]
        row = line + place.count("\n")
        at = len(place) - place.rfind("\n") if "\n" in place else column + len(place)
        name = piece[1:].rstrip("*")
        if piece[0] == "%" or piece.isspace() or piece in _BLANK:
            continue
        if piece.startswith(("\\begin", "\\end", "\\label", "\\tag", "\\hspace")):
            found.append(Token("\\drop" if piece[1] in "lth" else "\\page", row, at))
        elif piece[0] == "\\" and name in _LOOKS and name not in ("tfrac", "dfrac"):
            continue
        else:
            found.append(Token(_SAME.get(piece, piece), row, at))
    return _euclidean(_bare(_single(_dropped(found))))


def _single(found: list[Token]) -> list[Token]:
    """What takes one token takes one digit: \\frac12 is a half, and T^23 is T^2 times 3."""
    kept: list[Token] = []
    wanted = 0  # digits that are taken one by one
    for token in found:
        digits = wanted > 0 and token.text.isdigit()
        for k, digit in enumerate(token.text[:wanted] if digits else ""):
            kept.append(Token(digit, token.line, token.column + k))
        rest = token.text[wanted:] if digits else token.text
        if rest:
            kept.append(Token(rest, token.line, token.column + len(token.text) - len(rest)))
        wanted = max(0, wanted - len(token.text)) if digits else _TAKES.get(token.text, 0)
    return kept


def _dropped(found: list[Token]) -> list[Token]:
    """Without labels and tags, braces included, and without the names of environments."""
    kept: list[Token] = []
    k = 0
    while k < len(found):
        if found[k].text == "\\drop":
            k = closing(found, k + 1) + 1 if found[k + 1 : k + 2] else k + 1
        else:
            if found[k].text != "\\page":
                kept.append(found[k])
            k += 1
    return kept


def _bare(found: list[Token]) -> list[Token]:
    """Braces around one token say nothing."""
    kept: list[Token] = []
    for token in found:
        kept.append(token)
        if token.text == "}" and len(kept) > 2 and kept[-3].text == "{" and kept[-2].text != "{":
            kept[-3:] = [kept[-2]]
    return kept


def _euclidean(found: list[Token]) -> list[Token]:
    """A norm's index 2 says nothing: \\|x\\|_2 is \\|x\\|."""
    kept: list[Token] = []
    norms = 0
    for token in found:
        norms += token.text == "\\|"
        kept.append(token)
        ends = norms % 2 == 0 and [each.text for each in kept[-3:]] == ["\\|", "_", "2"]
        if ends:
            del kept[-2:]
    return kept


def closing(found: list[Token], start: int) -> int:
    """Where the brace that opens at ``start`` is closed; LatexError where it is not."""
    depth = 0
    for k in range(start, len(found)):
        depth += {"{": 1, "}": -1}.get(found[k].text, 0)
        if depth == 0:
            return k
    raise LatexError(found[start], "{ is never closed")
