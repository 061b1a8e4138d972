"""The templates of pages: everything that comes in is escaped, and nothing may be missing."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from theorylab.words import Verdict

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> Environment:
    """What renders the templates of this package."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("theorylab", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["words"] = tuple(Verdict)  # the pages' styles have a colour for each
    return made
