"""The site: ``pip install -e '.[docs]' && sphinx-build -W docs site``. Links that lead nowhere, and
docstrings that do not parse, are errors."""

import re

import theorylab

project = "theorylab"
author = "The theorylab developers"
release = version = theorylab.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown"}
exclude_patterns: list[str] = []
html_theme = "furo"
html_title = f"theorylab {release}"
html_show_copyright = False
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
autodoc_typehints = "description"
autodoc_member_order = "bysource"
suppress_warnings = ["ref.python"]  # two packages may have a name in common


_SECTION = re.compile(r"(Args|Raises|Returns|Yields|Attributes|Examples?):$")


def _text(app, what, name, obj, options, lines):  # type: ignore[no-untyped-def]
    """Docstrings are written for people: a display is indented, |lambda_2| is a modulus."""
    made: list[str] = []
    section = display = False
    for line in lines:
        indented = line.startswith(" ")
        if line and not indented:
            section, ends = bool(_SECTION.match(line)), display
            made += [""] * ends
            display = False
        elif indented and not section and not display:
            made += ["", "::", ""]
            display = True
        parts = [line] if display else line.split("``")  # every second one is literal
        if not display:
            parts[::2] = [re.sub(r"([|*])", r"\\\1", part) for part in parts[::2]]
        made.append("``".join(parts))
    lines[:] = made


def setup(app):  # type: ignore[no-untyped-def]
    app.connect("autodoc-process-docstring", _text, priority=400)  # before napoleon's
