"""An expression of LaTeX in the letters of theorylab.

A letter is looked up in the table of ``theorylab.symbols``, by what it is written as and by what
papers write for it. One that may be several things, or none, is kept as it is written, and told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from theorylab.latex.alphabet import candidates, phrases, spelled, table
from theorylab.latex.tokens import LatexError, Token, closing

_OPEN = {"(": ")", "[": "]", "{": "}", "|": "|"}
_ENDS = {")", "]", "}", "+", "-", ",", ".", "\\le", "\\ge", "<", ">", "=", ";", ":", "|"}
_FUNCTIONS = {
    "\\exp": sp.exp,
    "\\log": sp.log,
    "\\ln": sp.log,
    "\\min": sp.Min,
    "\\max": sp.Max,
    "\\cos": sp.cos,
    "\\sin": sp.sin,
}
_ACCENTS = ("\\bar", "\\tilde", "\\hat", "\\check", "\\dot", "\\mathcal", "\\mathbb")
_OTHER = {"e": sp.E, "\\pi": sp.pi}


@dataclass
class Letters:
    """The letters that a theorem has, as they are met.

    fixed: what the left side says of a letter. known: by how they are written, the name of
    the one letter of theorylab that they may be.
    asked: those that may be several, their names. unknown: those that are none. first:
    those of the model x_1, which may be the start or the one behind it. slashes: products behind a
    slash, which may be all below it. powers: numbers such as 1.5e-3, which have a power of ten.
    """

    fixed: dict[str, str] = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)
    asked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: dict[str, Token] = field(default_factory=dict)
    first: dict[str, None] = field(default_factory=dict)
    slashes: dict[str, Token] = field(default_factory=dict)
    powers: dict[str, Token] = field(default_factory=dict)

    def symbol(self, written: str, token: Token) -> sp.Symbol:
        """The symbol for a letter; its name is LaTeX until the file names it."""
        taken = {*self.fixed.values()}
        if taken and written not in (
            "T",
            "t",
        ):  # the left side says which letter counts rounds
            taken |= {"T", "t"}
        names = tuple(name for name in candidates(written) if name not in taken)
        if written in self.fixed:
            names = (self.fixed[written],)
        if len(names) == 1:
            self.known[written] = names[0]
        elif names:
            self.asked[written] = names
        else:
            self.unknown.setdefault(written, token)
        return sp.Symbol(written)


def expression(part: Sequence[Token], letters: Letters) -> sp.Expr:
    """The expression that the tokens are; its letters are told to ``letters``.

    Raises LatexError where it cannot be read.
    """
    if not part:
        raise LatexError(Token("", 1, 1), "nothing stands here; need an expression")
    reader = _Reader(part, letters)
    made = reader.sum()
    if reader.k < len(part):
        raise LatexError(part[reader.k], f"{part[reader.k].text} was not expected here")
    return made


class _Reader:
    """Reads sums of products of powers."""

    def __init__(self, part: Sequence[Token], letters: Letters) -> None:
        self.part, self.letters, self.k = part, letters, 0

    @property
    def next(self) -> str:
        return self.part[self.k].text if self.k < len(self.part) else ""

    def here(self) -> Token:
        return self.part[min(self.k, len(self.part) - 1)]

    def ahead(self, steps: int) -> str:
        return self.part[self.k + steps].text if self.k + steps < len(self.part) else ""

    def take(self, text: str) -> None:
        if self.next != text:
            came = self.next or "the end"
            raise LatexError(self.here(), f"{came} came; need {text}")
        self.k += 1

    def sum(self) -> sp.Expr:
        total = self.product(-1 if self.sign() else 1)
        while self.next in ("+", "-"):
            total = total + self.product(-1 if self.sign() else 1)
        return total

    def sign(self) -> bool:
        """Takes a sign, if there is one; whether it is -."""
        minus = self.next == "-"
        self.k += self.next in ("+", "-")
        return minus

    def product(self, sign: int) -> sp.Expr:
        made = self.power() * sign
        while self.next and self.next not in _ENDS:
            if self.next == "/":
                self.k += 1
                start = self.k
                made = made / self.power()
                if self.next not in {"", "/", "\\cdot", *_ENDS}:
                    below = spelled(self.part[start : self.k + 1])
                    self.letters.slashes[f"/{below}"] = self.part[start - 1]
                continue
            self.k += self.next == "\\cdot"
            made = made * self.power()
        return made

    def power(self) -> sp.Expr:
        base = self.atom()
        while self.next == "^":
            self.k += 1
            base = base ** self.group()
        return base

    def group(self) -> sp.Expr:
        """What stands in braces, or one token."""
        if self.next == "{":
            return self.inside("{")
        return self.atom(alone=True)

    def inside(self, opening: str) -> sp.Expr:
        start = self.here()
        self.take(opening)
        made = self.sum()
        if self.next != _OPEN[opening]:
            came = f"{self.next} came" if self.next else "it is never closed"
            raise LatexError(start, f"{opening} opens here, and {came}; need {_OPEN[opening]}")
        self.k += 1
        return sp.Abs(made) if opening == "|" else made

    def atom(self, alone: bool = False) -> sp.Expr:
        phrase = None if alone else self.phrase()
        if phrase is not None:
            return phrase
        token, text = self.here(), self.next
        if not text:
            raise LatexError(token, "it ends here; need a number or a letter")
        if text[0].isdigit() or text[0] == ".":
            self.k += 1
            if "e" in text.lower():
                self.letters.powers[text] = token
            return sp.Rational(text)
        if text == "\\mathbb" and self.ahead(1) == "E" and self.ahead(2):
            self.k += 2  # the mean of a constant is the constant, and another letter is asked
            return self.atom()
        if text in _OPEN:
            return self.inside(text)
        if text == "\\frac":
            self.k += 1
            top = self.group()
            return top / self.group()
        if text == "\\sqrt":
            return self.root()
        if text in _FUNCTIONS:
            return self.function(_FUNCTIONS[text])
        if text in _OTHER and text not in table() and self.ahead(1) != "_":
            self.k += 1
            return _OTHER[text]
        if text == "\\|":
            raise UnreadableError(token, "a norm that is no letter of theorylab")
        if text in ("-", "+", "^", "_", "}", ")", "]", "/", "&", "=", "\\le", "\\ge", ","):
            raise LatexError(token, f"{text} came; need a number or a letter")
        return self.letter(alone)

    def of_letters(self) -> bool:
        """Whether what stands in the parentheses ahead is no factor: one letter, or several."""
        depth, inside = 0, list[str]()
        for token in self.part[self.k :]:
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            if depth == 0:
                break
            inside.append(token.text)
        alone = len(inside) == 2 and inside[1].strip("\\").isalpha()
        return alone or bool({",", ";"} & {*inside})

    def phrase(self) -> Any:
        there = tuple(token.text for token in self.part[self.k : self.k + 28])
        for length in range(len(there), 1, -1):
            name = phrases().get(there[:length])
            if name is not None:
                written = spelled(self.part[self.k : self.k + length])
                self.k += length
                self.letters.known[written] = name
                if re.search(r"[_^](1|\{\(1\)\})", written):
                    self.letters.first[written] = None
                return sp.Symbol(written)
        return None

    def root(self) -> sp.Expr:
        self.k += 1
        degree: Any = 2
        if self.next == "[":
            degree = self.inside("[")
        return self.group() ** (1 / sp.sympify(degree))

    def function(self, made: Any) -> sp.Expr:
        self.k += 1
        if self.next not in ("(", "[", "{"):
            return made(self.power())
        start, opening = self.here(), self.next
        self.k += 1
        given = [self.sum()]
        while self.next == ",":
            self.k += 1
            given.append(self.sum())
        if self.next != _OPEN[opening]:
            raise LatexError(start, f"{opening} opens here; need {_OPEN[opening]}")
        self.k += 1
        return made(*given)

    def letter(self, alone: bool) -> sp.Expr:
        """One letter with its accents, subscripts, and superscripts that are no powers."""
        first, start = self.here(), self.k
        while self.next in _ACCENTS:
            self.k += 1
        text = self.next
        if not (text.isalpha() or (text[:1] == "\\" and text[1:].isalpha())):
            raise LatexError(self.here(), f"{text or 'the end'} came; need a letter")
        if text in _UNREADABLE:
            raise UnreadableError(self.here(), f"{text} is not read here")
        self.k += 1
        while not alone and self.next in ("_", "^"):
            ahead = self.part[self.k + 1 : self.k + 3]
            names = ahead and ahead[0].text in ("*", "0", "\\prime", "\\top")
            round_ = [token.text for token in ahead] == ["{", "("]
            if self.next == "^" and not (names or round_):
                break
            self.k += 1
            if self.next == "{":
                self.k = closing(list(self.part), self.k) + 1
            elif not self.next:
                raise LatexError(self.here(), "it ends here; need what is below or above")
            else:
                self.k += 1
        written = spelled(self.part[start : self.k])
        if self.next == "(" and (text in ("f", "F", "\\nabla") or self.of_letters()):
            raise UnreadableError(first, f"{written}(...) is a function")
        return self.letters.symbol(written, first)


_UNREADABLE = {
    "\\over",
    "\\choose",
    "\\binom",
    "\\lceil",
    "\\lfloor",
    "\\sum",
    "\\prod",
    "\\int",
    "\\nabla",
    "\\mathbb",
    "\\inf",
    "\\sup",
    "\\|",
    "\\text",
}


class UnreadableError(LatexError):
    """It is good LaTeX, and no expression of letters: a sum, a norm, a function of a point."""
