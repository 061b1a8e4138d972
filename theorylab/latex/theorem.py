"""A theorem's text: its words, its formulas, the inequality that it claims, what it assumes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from theorylab.latex.alphabet import spelled
from theorylab.latex.tokens import LatexError, Token, tokens

_ENVIRONMENT = re.compile(
    r"\\begin\{(theorem|thm|lemma|lem|corollary|cor|proposition|prop)\*?\}(?:\[([^\]]*)\])?(.*?)"
    r"\\end\{\1\*?\}",
    re.DOTALL,
)
_MATH = re.compile(
    r"\$\$(?P<a>.*?)\$\$|\\\[(?P<b>.*?)\\\]"
    r"|\\begin\{(?P<name>equation|align|gather|multline|eqnarray|displaymath)(?P<star>\*?)\}"
    r"(?P<c>.*?)\\end\{(?P=name)(?P=star)\}"
    r"|(?<!\\)\$(?P<d>[^$]*)\$|\\\((?P<e>.*?)\\\)",
    re.DOTALL,
)
ROUGHLY = {"\\lesssim": "\\le", "\\gtrsim": "\\ge"}  # up to a constant
BOUNDS = ("\\le", "<", "\\lesssim")
_ORDER = ("\\mathcal O", "O", "\\tilde O", "\\tilde{\\mathcal O}", "\\mathcal{\\tilde O}")
_RELATIONS = ("\\le", "\\ge", "<", ">", "=", *ROUGHLY)
_STOPS = ("\\text", "\\forall", "\\mbox", "\\qquad", "\\hbox", ":")


@dataclass(frozen=True)
class Formula:
    """A formula of the text: ``sides`` between its ``relations``; where it starts and ends in the
    text; the words that it ends with."""

    sides: list[list[Token]]
    relations: list[str]
    shown: bool
    start: int
    end: int
    rest: str

    @property
    def bounds(self) -> bool:
        return any(relation in BOUNDS for relation in self.relations)


@dataclass(frozen=True)
class Theorem:
    """What was read. ``title``: the option of the environment. ``others``: theorems beside it."""

    words: str
    title: str
    formulas: list[Formula] = field(repr=False)
    claim: Formula
    others: int

    @property
    def others_of_claim(self) -> list[Formula]:
        """All formulas but the claim."""
        return [each for each in self.formulas if each is not self.claim]


def theorem(text: str) -> Theorem:
    """The first theorem of a paper, or the text where it has no environment.

    Raises LatexError where a formula cannot be read, ValueError where nothing is claimed.
    """
    found = list(_ENVIRONMENT.finditer(text))
    body, start, title = text, 0, ""
    if found:
        body, start, title = found[0][3], found[0].start(3), found[0][2]
    formulas = _formulas(body, text, start)
    if not formulas:  # one formula without a dollar
        formulas = [_formula(body, text, start, True, (0, len(body)))]
    claims = [each for each in formulas if each.bounds and len(each.sides) > 1]
    shown = [each for each in claims if each.shown] or claims
    if not shown:
        raise ValueError("no inequality with \\le was found; need a formula that bounds something")
    claim = shown[-1]
    words = " ".join(
        [*body[: claim.start].split(), *claim.rest.split(), *body[claim.end :].split()]
    )
    return Theorem(words, title or "", formulas, claim, max(0, len(found) - 1))


def _formulas(body: str, text: str, start: int) -> list[Formula]:
    found = []
    for math in _MATH.finditer(body):
        kind = next(key for key in "abcde" if math[key] is not None)
        at = start + math.start(kind)
        found.append(_formula(math[kind], text, at, kind in "abc", math.span()))
    return found


def _formula(latex: str, text: str, at: int, shown: bool, span: tuple[int, int]) -> Formula:
    line = text.count("\n", 0, at) + 1
    found = tokens(latex, line, at - text.rfind("\n", 0, at))
    _check_braces(found)
    stop = next((k for k, token in enumerate(found) if _stops(found, k)), len(found))
    rest = _tail(latex, found[stop], line, at - text.rfind("\n", 0, at)) if found[stop:] else ""
    found = found[:stop]
    while found and found[-1].text in (",", ".", ";"):
        found = found[:-1]
    sides: list[list[Token]] = [[]]
    relations = []
    depth = 0
    for token in found:
        depth += {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}.get(token.text, 0)
        if depth <= 0 and token.text in _RELATIONS:
            relations.append(token.text)
            sides.append([])
        else:
            sides[-1].append(token)
    for k, side in enumerate(sides[1:]):  # f = O(g) is a bound
        relations[k] = "\\le" if relations[k] == "=" and order_sign(side) else relations[k]
    return Formula(sides, relations, shown, *span, rest)


def order_sign(side: Sequence[Token]) -> int:
    """How many tokens the O of a side that begins with O(...) has; 0 of another side."""
    most = range(1, min(len(side), 7))
    return next((k for k in most if spelled(side[:k]) in _ORDER and side[k].text in "(["), 0)


def _tail(latex: str, token: Token, line: int, column: int) -> str:
    """The text from the token on, of a formula that starts at ``line`` and ``column``."""
    rows = latex.split("\n")[token.line - line :]
    rows[0] = rows[0][token.column - (column if token.line == line else 1) :]
    return "\n".join(rows)


def _stops(found: Sequence[Token], k: int) -> bool:
    """Whether words begin there: "for all", or a colon that is not that of :=."""
    text, after = found[k].text, [token.text for token in found[k + 1 : k + 2]]
    return text in _STOPS and not (text == ":" and after == ["="])


def _check_braces(found: Sequence[Token]) -> None:
    opened = []
    for token in found:
        if token.text == "{":
            opened.append(token)
        elif token.text == "}" and not opened:
            raise LatexError(token, "} closes nothing")
        elif token.text == "}":
            opened.pop()
    if opened:
        raise LatexError(opened[-1], "{ is never closed")


def terms(side: Sequence[Token]) -> list[list[Token]]:
    """What is added on a side, each with its sign."""
    found: list[list[Token]] = [[]]
    depth = norms = 0
    for token in side:
        norms += token.text == "\\|"
        depth += {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}.get(token.text, 0)
        before = found[-1][-1].text if found[-1] else ""
        sign = token.text in ("+", "-") and before not in ("", "/", "^", "\\cdot")
        if sign and depth == norms % 2 == 0:
            found.append([])
        found[-1].append(token)
    return found
