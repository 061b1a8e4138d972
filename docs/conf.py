"""The site: ``pip install -e '.[docs]' && sphinx-build -W docs site``. Links that lead nowhere, and
docstrings that do not parse, are errors. Each object that api.md calls stable gets a page of its
own in ``reference/``, which no commit holds."""

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import theorylab
from theorylab.report.formula import formula

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "verify"))

import stability

project = "theorylab"
author = "The theorylab developers"
release = version = theorylab.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown"}
exclude_patterns: list[str] = []
html_theme = "furo"
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["formulas.css"]
html_title = f"theorylab {release}"
html_show_copyright = False
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_member_order = "bysource"
suppress_warnings = ["ref.python"]  # two packages may have a name in common


_SECTION = re.compile(r"(Args|Raises|Returns|Yields|Attributes|Examples?):$")
_BULLET = re.compile(r"(\*|\d+\.) ")


def _escaped(line: str) -> str:
    """|lambda_2| is a modulus, and no substitution; what is literal stays."""
    parts = line.split("``")  # every second one is literal
    parts[::2] = [re.sub(r"([|*])", r"\\\1", part) for part in parts[::2]]
    return "``".join(parts)


def _text(app, what, name, obj, options, lines):  # type: ignore[no-untyped-def]
    """Docstrings are written for people: what is indented is a display, but below a heading or a
    bullet; and who refers to another method says so below its own options."""
    made: list[str] = []
    kind = ""  # of what is open: "section", "bullet", "display", "example"
    for line in lines:
        bullet = _BULLET.match(line)
        if line.startswith(">>> "):
            kind = "example"
        elif not line:
            kind = "" if kind == "example" else kind
        elif kind == "section" and line.startswith("    Otherwise as "):
            made += ["", _escaped(line.lstrip())]
            continue
        elif not line.startswith(" ") and kind != "example":
            made += [""] * (kind == "display" or (kind == "bullet") != bool(bullet))
            kind = "section" if _SECTION.match(line) else "bullet" if bullet else ""
        elif not kind:
            made += ["", "::", ""]
            kind = "display"
        if kind in ("display", "example"):
            made.append(line)
        elif bullet:
            made.append(bullet[0] + _escaped(line[bullet.end() :]))
        else:
            made.append(_escaped(line))
    lines[:] = made


_FOLDER = Path(__file__).resolve().parent / "reference"
_SHARED = "Options that several have"


def _page(title: str, module: str, *directives: str) -> str:
    blocks = "\n".join(directives)
    return f"# {title}\n\n```{{eval-rst}}\n.. currentmodule:: {module}\n\n{blocks}```\n"


def _first(thing: object) -> str:
    """The first sentence of a docstring, as Markdown."""
    text = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    sentence = re.split(r"(?<=[.:]) (?=[A-Z])", text)[0].rstrip(":")
    parts = sentence.split("``")  # every second one is literal
    parts[::2] = [re.sub(r"([|*_<])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def _objects() -> Iterator[tuple[str, str, str, str]]:
    """(package, name, its page, the page's text) of every stable object."""
    stems: set[str] = set()
    for package, names in stability.stable((_FOLDER.parent / "api.md").read_text()).items():
        module = stability.module_of(package)
        for name in sorted(names, key=lambda each: (each[0].isupper(), each)):
            thing = getattr(importlib.import_module(module), name)
            kind, members = "autofunction", ""
            if inspect.isclass(thing):
                kind, members = "autoclass", "   :members:\n   :show-inheritance:\n"
            elif not callable(thing):
                kind, members = "autodata", "   :no-value:\n"
            stem = f"{package}.{name}"
            stem += "-class" * (stem.lower() in stems)  # some file systems see no capitals
            stems.add(stem.lower())
            title = f"{module}.{name}"
            yield package, name, stem, _page(title, module, f".. {kind}:: {name}\n{members}")


def _kinds() -> Iterator[tuple[str, str]]:
    """(package, the text of a page with each class that is found by name)."""
    for package, members in stability.by_name().items():
        bases = [base for each in members.values() for base in each.__mro__]
        shared = [each for each in dict.fromkeys(bases) if "Args:" in (each.__doc__ or "")]
        shared = [each for each in shared if each not in members.values()]
        blocks = [f".. autoclass:: {each.__module__}.{each.__name__}\n" for each in shared]
        text = f"# {package.capitalize()} by name\n"
        for title, directives in [
            (_SHARED, blocks),
            *((name, [f".. autoclass:: {each.__name__}\n"]) for name, each in members.items()),
        ]:
            text += "\n#" + _page(title, f"theorylab.{package}", *directives)
        yield package, text


def _write(app):  # type: ignore[no-untyped-def]
    """Write the pages below ``reference``, those that changed, and take away what is old."""
    pages = {stem: text for _, _, stem, text in _objects()}
    pages |= {f"{package}-by-name": text for package, text in _kinds()}
    _FOLDER.mkdir(exist_ok=True)
    for path in _FOLDER.glob("*.md"):
        if path.stem not in pages:
            path.unlink()
    for stem, text in pages.items():
        path = _FOLDER / f"{stem}.md"
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)


def _tables(app, page, source):  # type: ignore[no-untyped-def]
    """Put a line an object, and a line a kind, where reference.md has its marks."""
    if page != "reference":
        return
    lines, before = [], ""
    for package, name, stem, _ in _objects():
        module = stability.module_of(package)
        if package != before:
            lines += ["", f"## {module}", ""]
            before = package
        about = _first(getattr(importlib.import_module(module), name))
        lines.append(f"- [{name}](reference/{stem}.md): {about}")
    kinds = [f"- [{each}](reference/{each}-by-name.md)" for each in stability.by_name()]
    source[0] = source[0].replace("<!-- objects -->", "\n".join(lines))
    source[0] = source[0].replace("<!-- kinds -->", "\n".join(kinds))


def _written(visitor, node):  # type: ignore[no-untyped-def]
    """Formulas are MathML, as in reports: the site is read without a network or a script."""
    from docutils import nodes  # of the extra "docs": tests load this file without it

    written = str(formula(node.astext()))
    block = isinstance(node, nodes.math_block)
    visitor.body.append(f'<div class="math">{written}</div>' if block else written)
    raise nodes.SkipNode


def setup(app):  # type: ignore[no-untyped-def]
    app.add_html_math_renderer("mathml", (_written, None), (_written, None))
    app.connect("builder-inited", _write)
    app.connect("source-read", _tables)
    app.connect("autodoc-process-docstring", _text, priority=400)  # before napoleon's
