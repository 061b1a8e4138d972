"""What a paper prints, in its own letters, and where that fails."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module


@dataclass(frozen=True)
class Printed:
    """A claim as the paper has it; of a false one also which line fails, and what mends it.

    Attributes:
        formula: LaTeX, the paper's own letters and order; empty where it says it in words.
        words: quoted from the paper, where the claim is no formula.
        fails: the line of the paper that fails, quoted or by its number, and why.
        repair: what to write there instead.
    """

    formula: str = ""
    words: str = ""
    fails: str = ""
    repair: str = ""


def printed(name: str) -> Printed | None:
    """What the paper prints at the statement ``<paper>.<locator>``; None where it is not kept."""
    from theorylab.statements._catalogue import BUILT_IN

    if name not in BUILT_IN:
        return None
    return _of_paper(BUILT_IN.module(name).rpartition(".")[0]).get(name.partition(".")[2])


@functools.cache
def _of_paper(package: str) -> Mapping[str, Printed]:
    kept: Mapping[str, Printed] = import_module(f"{package}._printed").PRINTED
    return kept
