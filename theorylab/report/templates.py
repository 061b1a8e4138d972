"""The templates of pages: everything that comes in is escaped, and nothing may be missing."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from markupsafe import Markup

from theorylab.words import Verdict

if TYPE_CHECKING:
    from jinja2 import Environment


def _hashed(script: str) -> str:
    """What a page's policy allows: this script and no other."""
    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


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
    script = made.get_template("page.js.j2").render()
    made.globals["script"] = Markup(script)
    made.globals["allowed"] = _hashed(script)
    return made
