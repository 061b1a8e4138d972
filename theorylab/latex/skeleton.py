"""The skeleton of a statement, from a theorem in LaTeX. What was not read for certain is a TODO.

A letter that may be several things, or none of theorylab's, a term that is no expression of
letters, a left side of another shape, and every assumption in words stand in the file as TODO with
the text of the paper: nothing is guessed in silence.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from theorylab import symbols
from theorylab.latex.alphabet import candidates, spelled
from theorylab.latex.quantity import Left, left_side, rounds_of
from theorylab.latex.reader import Letters, UnreadableError, expression
from theorylab.latex.theorem import BOUNDS, ROUGHLY, Theorem, order_sign, terms, theorem
from theorylab.latex.tokens import LatexError, Token
from theorylab.latex.written import Draft, identifier, sentences, written

_PLUS = Token("+", 0, 0)
_RELATION = {"\\le": "<=", "\\ge": ">=", "<": "<", ">": ">", "=": "="}


def skeleton(text: str, name: str = "paper.thm1") -> tuple[str, list[str]]:
    """A statement's file from a theorem in LaTeX, and what is left to do in it.

    Args:
        text: a paper with a theorem environment (the first one is read), a theorem, or one
            inequality.
        name: the statement's id.

    Raises:
        LatexError: with line and column, where a formula cannot be read.
        ValueError: where nothing is bounded.

    >>> print(skeleton(r"f(x_T) - f^* \\le \\frac{L R^2}{2 T}")[0].split("TERMS")[1].split("}")[0])
     = {
        "term1": L*R2/(2*T),
    <BLANKLINE>
    """
    read = theorem(text)
    claim = read.claim
    k = max(i for i, relation in enumerate(claim.relations) if relation in BOUNDS)
    right = terms(claim.sides[k + 1])
    found = [_order(term) for term in right]
    order = any(inside is not None for inside in found)
    left = left_side(claim.sides[0])
    if order and left is not None and left.now:  # an order is one in T
        left = left._replace(code=left.code.replace("every", "last"), rounds=left.now, now="")
    fixed = _of_rounds(left, rounds_of(claim.sides[0]))
    draft = Draft(Letters(fixed=fixed), read.words, read.title, order=order)
    if left is not None:
        draft.left = left
    else:
        asked = f"which left side is {spelled(claim.sides[0])}?"
        draft.left = draft.left._replace(ask=asked)
    if read.others:
        draft.todos.append(f"{read.others} more theorems stand in the text; the first was read")
    for term, inside in zip(right, found, strict=True):
        if order and inside is None:
            draft.todos.append(f"{spelled(term)} stands beside O(...), and was left out")
        if inside is not None and any(token.text == "\\tilde" for token in term):
            draft.todos.append(f"{spelled(term)} hides powers of logarithms: which?")
    signs = {sign for formula in read.formulas for sign in formula.relations if sign in ROUGHLY}
    draft.todos += [f"{sign} leaves a constant out: which?" for sign in sorted(signs)]
    brackets = [terms([_PLUS, *inside]) for inside in found if inside is not None]
    _read_terms(draft, [term for bracket in brackets for term in bracket] if order else right)
    _read_rules(draft, read)
    _read_definitions(draft, read)
    _name_letters(draft)
    if k:
        between = " and ".join(spelled(side) for side in claim.sides[1 : k + 1])
        draft.todos.append(f"{between} stands between the two sides, and was left out")
    draft.todos += [f"assumed in words: {each}" for each in sentences(read.words)]
    if draft.left.ask:
        draft.todos.append(f"the left side: {draft.left.ask}")
    return written(draft, name), draft.todos


def _of_rounds(left: Left | None, rounds: str) -> dict[str, str]:
    """The letters that the left side says the meaning of."""
    if left is None:
        return {rounds: "T"} if rounds else {}
    return {letter: name for letter, name in ((left.rounds, "T"), (left.now, "t")) if letter}


def _order(term: list[Token]) -> list[Token] | None:
    """What stands in O(...), of a term that is no more than that; else None."""
    term = term[1:] if term[:1] and term[0].text == "+" else term
    k = order_sign(term)
    if not k:
        return None
    depth = 0
    for j, token in enumerate(term[k:], k):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token.text, 0)
        if depth == 0:
            return term[k + 1 : j] if j == len(term) - 1 else None
    raise LatexError(term[k], f"{term[k].text} opens here, and it is never closed")


def _read_terms(draft: Draft, parts: list[list[Token]]) -> None:
    for count, part in enumerate(parts, 1):
        mine = draft.letters
        trial = replace(mine, unknown=dict(mine.unknown), first=dict(mine.first))
        try:
            draft.bound[f"term{count}"] = expression(part, trial)
        except UnreadableError as error:
            piece = f"piece{count}"
            draft.pieces[piece] = spelled(part).removeprefix("+")
            draft.bound[f"term{count}"] = sp.Symbol(piece)
            draft.todos.append(f"{piece}: {error}")
        else:
            draft.letters = trial


def _read_rules(draft: Draft, read: Theorem) -> None:
    """Relations of letters that the words have."""
    for formula in read.others_of_claim:
        for k, relation in enumerate(formula.relations):
            sides = formula.sides[k : k + 2]
            if relation == "=" and "eta" not in candidates(spelled(sides[0])):
                continue  # a definition; but "with eta = ..." chooses the step
            trial = Letters(fixed=draft.letters.fixed)
            try:
                one, other = (expression(side, trial) for side in sides)
            except LatexError:
                continue
            every_round = "t" in trial.known.values()
            if every_round or trial.unknown or not (one - other).free_symbols:
                continue
            draft.letters.known |= trial.known
            draft.letters.asked |= trial.asked
            sign = _RELATION[ROUGHLY.get(relation, relation)]
            text = f"{spelled(sides[0])} {sign} {spelled(sides[1])}"
            draft.rules.append((text, sign, one, other))


def _read_definitions(draft: Draft, read: Theorem) -> None:
    """Letters of the bound that are none of theorylab's, and that the text defines."""
    for formula in read.others_of_claim:
        head = spelled(formula.sides[0]).removesuffix(":")
        if formula.relations[:1] == ["="] and head in draft.letters.unknown:
            try:
                draft.defined[head] = expression(formula.sides[1], draft.letters)
            except LatexError:
                continue
            del draft.letters.unknown[head]
            draft.names[head] = identifier(head)


def _name_letters(draft: Draft) -> None:
    letters = draft.letters
    draft.names |= letters.known
    draft.todos += [f"{written}: is that where the run starts?" for written in letters.first]
    for below, token in letters.slashes.items():
        where = f"line {token.line}, column {token.column}"
        draft.todos.append(f"{below} ({where}): the first alone was divided by; all of it?")
    for number, token in letters.powers.items():
        where = f"line {token.line}, column {token.column}"
        draft.todos.append(f"{number} ({where}) was read as {float(number):g}; is e no letter?")
    for letter, name in letters.known.items():
        meaning = symbols.MEANING.get(symbols.BY_NAME.get(name, sp.Dummy()))
        if draft.alone and meaning is not None and meaning.by == "the network":
            draft.todos.append(f"{letter}: is it {_told(name)}? No network is spoken of")
    for letter, several in letters.asked.items():
        draft.names[letter] = identifier(letter)
        draft.todos.append(f"{letter} may be {' or '.join(map(_told, several))}")
    for letter, token in letters.unknown.items():
        draft.names[letter] = identifier(letter)
        where = f"line {token.line}, column {token.column}"
        draft.todos.append(f"{letter} ({where}) is no letter of theorylab: what is it?")


def _told(name: str) -> str:
    short = symbols.ABBREVIATIONS.get(name)
    text = symbols.meaning_of(symbols.BY_NAME[name]).text if short is None else short.text
    return f"{name} ({text})"
