"""A statement's docstring by its parts: what is printed, how it is read, what fails, what is true.

A part begins on a line of its own with one of the words in ``_HEADS``; what comes before the first
is the head, one sentence that says what the statement is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from theorylab.statements import BUILT_IN

_HEADS = {  # part -> how its first line begins
    "printed": r"(?:It is )?[Pp]rinted\b",
    "readings": r"Readings?\b|Read as\b|Judged\b|`(?:printed|implied)(?:/[a-z0-9-]+)?`",
    "wrong": r"False\b|What is wrong\b|Where (?:it|both|the proof) breaks?\b|It does not\b",
    "corrected": r"`?[Cc]orrected\b",
    "proof": r"Proof(?=[.:]|, )",
}  # fmt: skip
_WITHIN = re.compile(r"(?<=[.:;)]) (?=`?[Cc]orrected[`:.,])")  # a correction in a line's middle
_HEAD = re.compile("|".join(f"(?P<{part}>{words})" for part, words in _HEADS.items()))


@dataclass(frozen=True)
class Account:
    """What a docstring says, by its parts; a part that it lacks is empty.

    Attributes:
        head: the place and what is claimed there.
        printed: the transcription.
        readings: what the words leave open, and how each version takes it.
        wrong: which line fails, and the counterexample in words.
        corrected: the claim that is true.
        proof: of the corrected claim.
    """

    head: str
    printed: str = ""
    readings: str = ""
    wrong: str = ""
    corrected: str = ""
    proof: str = ""


def account(text: str) -> Account:
    """The parts of a docstring; every line of it is in exactly one part, in its order.

    A part that begins twice, as a second correction does, is one text with an empty line between.
    """
    found: dict[str, list[str]] = {"head": []}
    for part, line in _labelled(_WITHIN.sub("\n", text.strip()).splitlines()):
        found.setdefault(part, []).append(line)
    return Account(**{part: "\n".join(lines).strip("\n") for part, lines in found.items()})


def account_of(name: str) -> Account | None:
    """The parts of a built-in statement's docstring; None where there is no such statement."""
    if name not in BUILT_IN:
        return None
    module = BUILT_IN.module(name)
    import_module(module)
    text = sys.modules[module].__doc__
    return None if text is None else account(text)


def _labelled(lines: list[str]) -> Iterator[tuple[str, str]]:
    part = "head"
    seen: set[str] = set()
    for number, line in enumerate(lines):
        found = _HEAD.match(line) if number else None  # the first line says where it stands
        begins = None if found is None else found.lastgroup
        if begins is not None and begins != part:
            if begins in seen:
                yield begins, ""
            part = begins
        seen.add(part)
        yield part, line
