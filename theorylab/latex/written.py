"""The text of a statement's file, from what was read of a theorem."""

from __future__ import annotations

import keyword
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field

import sympy as sp

from theorylab import symbols
from theorylab.latex.quantity import Left
from theorylab.latex.reader import Letters
from theorylab.letters import EVERYWHERE

_WIDE = 84
_NETWORK = re.compile(r"client|agent|node|worker|network|graph|topolog|mixing|gossip|neighbo", re.I)
_FUNCTIONS = ("E", "Eq", "Max", "Min", "S", "cos", "exp", "log", "pi", "sin", "sqrt")
_RUN = """RUN = {{  # TODO an instance that the theorem speaks of
    "problem": {{"name": "quadratic", "dim": 2, "mu": 0.5, "L": 2.0, "seed": 1}},
    "topology": {{"name": "complete"}},
    "clients": 1,
    "rounds": 20,
    "algorithm": {{"eta": 0.25}},
    "x0": 1.0,
{more}}}
STATEMENT = Statement(
    id="{name}",
    source=Source("{paper}", "{title}", "TODO what it says"),
    algorithm="sgp",  # TODO the method: theorylab list algorithms
    quantity={quantity},{ask}
    versions={{"printed": Version({bound}, assumes=ASSUMES, checks=(Check("first", RUN),))}},
)
"""


NO_LEFT = Left('Quantity("suboptimality", "last")')


@dataclass
class Draft:
    """What a file will have.

    names: LaTeX of a letter: its name in the file. todos: what is left to do. pieces: a term that
    was not read: its LaTeX. defined: letters that the text defines, the last one first. rules: text
    of a relation, its sign and sides. order: whether the bound is one up to a factor.
    """

    letters: Letters
    words: str = ""
    title: str = ""
    left: Left = NO_LEFT
    order: bool = False
    names: dict[str, str] = field(default_factory=dict)
    todos: list[str] = field(default_factory=list)
    pieces: dict[str, str] = field(default_factory=dict)
    bound: dict[str, sp.Expr] = field(default_factory=dict)
    defined: dict[str, sp.Expr] = field(default_factory=dict)
    rules: list[tuple[str, str, sp.Expr, sp.Expr]] = field(default_factory=list)

    @property
    def alone(self) -> bool:
        """Whether neither clients nor a network are spoken of."""
        return not _NETWORK.search(self.words) and "n" not in self.letters.known.values()

    def code(self, made: sp.Expr) -> str:
        """An expression as Python, in the names of the file."""
        names = {s: self.names.get(s.name) or identifier(s.name) for s in made.free_symbols}
        renamed = made.xreplace({s: sp.Symbol(name) for s, name in names.items()})
        exact = any(p.exp.is_Rational and p.exp.q > 2 for p in renamed.atoms(sp.Pow))
        plain = renamed.is_Rational and renamed.q > 1
        return str(sp.sstr(renamed, sympy_integers=bool(exact or plain)))


def identifier(written: str) -> str:
    """A name for a letter that is none of theorylab's.

    >>> identifier(r"\\zeta_1"), identifier("B")
    ('zeta_1', 'B_')
    """
    name = re.sub(r"\W+", "_", written).strip("_") or "letter"
    taken = {"t", *EVERYWHERE, *symbols.ABBREVIATIONS, *_FUNCTIONS}
    return f"{name}_" if name in taken or keyword.iskeyword(name) or name[0].isdigit() else name


def written(draft: Draft, name: str) -> str:
    """The file. ``name``: the statement's id."""
    lines = [*_declared(draft), "ASSUMES = (", *_assumed(draft), ")", *_bound(draft)]
    values = ", ".join(f'"{key}": 1.0' for key in (*_unknown(draft), *draft.pieces))
    more = f'    "constants": {{{values}}},  # TODO their values\n' if values else ""
    if draft.order:
        more += '    "sweep": {"parameter": "rounds", "values": [100, 316, 1000]},\n'
    title = _plain(draft.title)
    end = _RUN.format(
        more=more,
        name=name,
        paper=name.partition(".")[0],
        title=title or "Theorem 1",
        quantity=draft.left.code,
        ask=f"  # TODO {draft.left.ask}" if draft.left.ask else "",
        bound="order=BOUND" if draft.order else "TERMS",
    )
    body = "\n".join(lines)
    return "\n".join([*_head(draft, body, title), body, end])


def _head(draft: Draft, body: str, title: str) -> Iterator[str]:
    yield f'"""{title or "A theorem"}: read from LaTeX. TODO: what was not read."""\n'
    used = set(re.findall(r"\w+", re.sub(r'"[^"\n]*"|#.*', "", body)))
    if functions := [each for each in _FUNCTIONS if each in used]:
        yield f"from sympy import {', '.join(functions)}\n"
    if "letters" in used:
        yield "from theorylab import symbols as letters"
    names = {"Check", "Quantity", "Source", "Statement", "Version"} | {"Assumption", "Order"} & used
    yield f"from theorylab.statements import {', '.join(sorted(names))}"
    known = {*draft.letters.known.values(), "n", "symbol"} & used
    if known:
        yield from _listed("from theorylab.symbols import", sorted(known))
    yield ""


def _listed(begin: str, names: list[str]) -> Iterator[str]:
    line = f"{begin} {', '.join(names)}"
    if len(line) <= 100:
        yield line
        return
    yield f"{begin} ("
    yield from textwrap.wrap(", ".join(names) + ",", 96, initial_indent="    ",
                             subsequent_indent="    ")  # fmt: skip
    yield ")"


def _unknown(draft: Draft) -> list[str]:
    return [draft.names[written] for written in draft.letters.unknown]


def _declared(draft: Draft) -> Iterator[str]:
    for letter, several in draft.letters.asked.items():
        others = ", ".join(several[1:])
        yield f"{draft.names[letter]} = letters.{several[0]}  # TODO {letter}: or {others}?"
    for letter in draft.letters.first:
        yield f"# TODO {letter}: is that where the run starts?"
    for letter in draft.letters.unknown:
        name = draft.names[letter]
        yield f'{name} = symbol("{name}", r"{letter}", "TODO: its meaning")  # TODO units'
    for piece, latex in draft.pieces.items():
        yield f'{piece} = symbol("{piece}", r"{latex}", "TODO: it was not read")'
    for head, made in reversed(draft.defined.items()):
        yield f"{draft.names[head]} = {draft.code(made)}"
    yield ""


def _assumed(draft: Draft) -> Iterator[str]:
    for sentence in sentences(draft.words):
        for k, part in enumerate(textwrap.wrap(sentence, _WIDE)):
            yield f"    # {'     ' if k else 'TODO '}{part}"
    for text, sign, one, other in draft.rules:
        first, second = draft.code(one), draft.code(other)
        rule = f"Eq({first}, {second})" if sign == "=" else f"{first} {sign} {second}"
        yield f'    Assumption(r"{text}", rule={rule}),'
    if draft.alone:
        yield '    Assumption("one client", rule=n <= 1),  # TODO no network is spoken of'


def sentences(words: str) -> list[str]:
    """The sentences with words in them."""
    parts = re.split(r"(?<=[a-z$)])\.\s+", words)
    return [part.strip() for part in parts if re.search(r"[a-z]{3}", part)]


def _bound(draft: Draft) -> Iterator[str]:
    total = " + ".join(draft.code(made) for made in draft.bound.values())
    if draft.order:
        total = f"({total})**2" if draft.left.square else total
        yield f"BOUND = Order({total}, slack=0.05)  # TODO the exponent that may be lost"
        return
    yield "TERMS = {"
    if draft.left.square:
        yield f'    "both sides squared": ({total})**2,'
    else:
        for key, made in draft.bound.items():  # a term is an expression of sympy, a 1 as well
            code = draft.code(made)
            yield f'    "{key}": {f"S({code})" if made.is_Integer else code},'
    yield "}"


def _plain(text: str) -> str:
    return " ".join(text.split()).replace('"', "'").replace("\\", "/")
