"""Which parts of an instance a claim names: by its symbols, its assumptions and its constants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import sympy as sp

from theorylab.statements import Version
from theorylab.symbols import meaning_of, name_of

_WORDS = {
    "noise": r"nois|(?<!in)varianc|stochastic grad|(?<!number of )sampl|\bdraw|\bcoins?\b"
    r"|sigma_?l\b|\bsigma\b",
    "clients": r"\bclients?\b|\bworkers?\b|\bnodes?\b|\bagents?\b|\bmachines?\b|\bdevices?\b",
    "network": r"network|topolog|\bgraph|mixing|gossip|consensus|connect|doubly|\bW\(t\)|self.loop"
    r"|lambda_?2|^gap$|spectral.gap|^(?!.*(?i:hessian|curvature|loss|smooth|quadratic)).*"
    r"(spectral|eigenvalue|\bmatrix\b)",
    "start": r"(?<!re)start|initial|\bx0\b|\bx\^?_?\{?\(?0|\bf0\b",
    "starts": r"\bstarts\b|x_i\^0|x0_spread|x0_sq",
}  # fmt: skip
_SYMBOLS = {
    "noise": {"sigma_l", "noise_clients", "L_sample"},
    "clients": {"n", "noise_clients"},
    "network": {
        *("C", "q", "delta", "window", "self_loops", "uniform_out_degree", "matrix_rounding"),
        *("lambda2", "sigma2", "mixing_time", "max_out_degree", "diameter"),
    },
    "start": {"f0", "x0_sq", "x0_spread"},
    "starts": {"x0_sq", "x0_spread"},
}
_STEP = (-1, 2)  # the units of a step size
_COUNTED = {"local_steps": "K", "steps_u": "K_u", "steps_v": "K_v"}  # what theorems call them
_IMPLIES = {"network": "clients", "starts": "start"}


def named(version: Version) -> set[str]:
    """The parts (loss, noise, clients, network, start, starts) that the claim's text names.

    The text is the bound with its labels, the names and the rules of the assumptions, the meaning
    of every symbol, and the names that a function of ``constants`` or of an assumption uses. A
    network has clients, so whoever names a network names these.
    """
    found = {part for part, names in _SYMBOLS.items() if names & {name_of(s) for s in version.free}}
    texts = [*_texts(version)]
    found |= {p for p, words in _WORDS.items() if any(re.search(words, each) for each in texts)}
    if any(_of_the_loss(symbol) for symbol in version.free):
        found.add("loss")
    return found | {_IMPLIES[part] for part in found if part in _IMPLIES}


def names_option(version: Version, option: str) -> bool:
    """Whether a symbol of the claim stands for the option, or its text has the option's name."""
    if stands_for(version, option):
        return True
    names = (option, _COUNTED.get(option, option))
    words = [rf"\b{re.escape(each.replace('_', ' '))}\b" for each in names if len(each) > 1]
    texts = [text.replace("_", " ") for text in _texts(version)]
    return any(re.search(word, text) for word in words for text in texts)


def stands_for(version: Version, option: str) -> bool:
    """Whether a symbol of the claim has the option's name, or the letter of theorems for it."""
    called = (option, _COUNTED.get(option, option))
    names = {name_of(symbol) for symbol in version.free}
    return any(name == each or name.endswith(f"_{each}") for name in names for each in called)


def _texts(version: Version) -> Iterator[str]:
    """What a reader of the claim reads, each with blanks for the underscores of a program."""
    built_in = {name for names in _SYMBOLS.values() for name in names}
    for symbol in version.free:
        yield name_of(symbol)
        if name_of(symbol) not in built_in:  # these were told apart one by one
            yield meaning_of(symbol).text
    yield from version.terms
    for assumption in version.assumes:
        yield assumption.name
        yield from _used(assumption.holds)
    for constant in version.constants.values():
        yield from [constant] if isinstance(constant, str) else _used(constant)


def _used(function: Any) -> Iterator[str]:
    """The names that a function's code uses, its inner functions' too."""
    code = getattr(function, "__code__", None)
    codes = [] if code is None else [code]
    while codes:
        code = codes.pop()
        yield from (name.replace("_", " ") for name in (*code.co_names, *code.co_freevars))
        codes += [each for each in code.co_consts if hasattr(each, "co_names")]


def _of_the_loss(symbol: sp.Symbol) -> bool:
    meaning = meaning_of(symbol)
    text = f"{name_of(symbol)} {meaning.text}"
    if meaning.units[0] == 0:
        return re.search(r"condition|smooth|convex|kappa", text) is not None
    return meaning.units != _STEP and re.search(_WORDS["noise"], text) is None
