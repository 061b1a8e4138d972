"""LaTeX to one inline SVG per summand: browsers render no LaTeX, and a report has no script.

A long bound is split at its top-level plus and minus signs, so that a page can wrap it. The outline
of a letter stands once in a page (``outlines``), however often formulas use it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from markupsafe import Markup

_SIZE = 20.0  # in CSS pixels
_TOKEN = re.compile(
    r"\\left(?![a-z])|\\right(?![a-z])|\\begin|\\end|\\.|[{}]|[+-]|[^\\{}+-]+", re.S
)

# What LaTeX writes and mathtext does not know, in mathtext's words: the argument of an accent or a
# font needs its braces there.
_IN_MATHTEXT = (
    (re.compile(r"\\([lg])e(?![A-Za-z])"), r"\\\1eq"),
    (re.compile(r"\\(?:begin|end)\{cases\}"), ""),
    (re.compile(r"& \\text\{for\}\\: (.*?)\\\\"), r"\\ \\mathrm{if}\\ \1,\\ "),
    (re.compile(r"& \\text\{otherwise\}"), r"\\ \\mathrm{else}"),
    (re.compile(r"\\(text|display|script)style(?![A-Za-z])\s*"), ""),
    (re.compile(r"\\[td]frac(?![A-Za-z])"), r"\\frac"),
    (re.compile(r"\\frac\s*(\w)\s*(\w)"), r"\\frac{\1}{\2}"),
    (re.compile(r"\\frac\s*(\w)\s*(?=[{\\])"), r"\\frac{\1}"),
    (re.compile(r"\\sqrt\s*(\w)"), r"\\sqrt{\1}"),
    (re.compile(r"\\[Bb]igg?[lmr]?(?![A-Za-z])\s*"), ""),
    (
        re.compile(
            r"\\(math(?:bf|rm|cal|bb|it)|bar|hat|tilde|breve|overline)"
            r"(?:\s+|(?=\\))(\\[A-Za-z]+|\w)"
        ),
        r"\\\1{\2}",
    ),
)


def summands(latex: str) -> list[str]:
    """``latex`` cut before every + or - that stands outside of braces and brackets.

    ``a + \\frac{b - c}{d} - e`` gives ``a``, ``+ \\frac{b - c}{d}``, ``- e``. A sign that opens the
    formula or follows an operator stays where it is.
    """
    parts, depth, current = [], 0, ""
    for token in _TOKEN.findall(latex):
        opens = token in ("{", r"\left", r"\begin")
        depth += opens - (token in ("}", r"\right", r"\end"))
        binary = re.search(r"[\w})\]|'\s]$", current) and not re.search(
            r"(\\(cdot|times|leq|geq)|[=<>_^(,])\s*$", current
        )
        if token in "+-" and depth == 0 and current.strip() and binary:
            parts.append(current.strip())
            current = ""
        current += token
    return [*parts, current.strip()] if current.strip() else parts


@lru_cache(maxsize=512)
def formula(latex: str) -> Markup:
    """``latex`` as HTML: SVG with the source as its title, or the escaped source in ``<code>``.

    Never raises: what mathtext cannot parse is shown as it was written.
    """
    try:
        drawn = [_draw(part) for part in summands(latex)]
    except Exception:  # mathtext has many ways to refuse; none may cost the report
        return Markup('<code class="latex">{}</code>').format(latex)
    return Markup(
        '<span class="formula" role="img" aria-label="{0}" title="{0}">{1}</span>'
    ).format(latex, Markup(" ").join(drawn))


def mathtext(latex: str) -> str:
    """``latex`` in the words that matplotlib's mathtext knows."""
    for written, known in _IN_MATHTEXT:
        latex = written.sub(known, latex)
    return latex


def outlines(page: str) -> Markup:
    """The outlines of all letters that the formulas in ``page`` use, each once.

    To be placed in that page: a formula's letters refer to it.
    """
    used = sorted({name for name in _REFERENCE.findall(page) if name in _OUTLINES})
    paths = [Markup('<path id="{}" d="{}"/>').format(name, _OUTLINES[name]) for name in used]
    return Markup(
        '<svg width="0" height="0" style="position:absolute" aria-hidden="true">'
        "<defs>{}</defs></svg>"
    ).format(Markup("\n").join(paths))


_OUTLINES: dict[str, str] = {}  # of every letter drawn so far, in 1/100 of the font's size
_REFERENCE = re.compile(r'href="#(tex-[A-Za-z0-9-]+)"')


@lru_cache(maxsize=4096)  # the versions of a statement share most of their terms
def _draw(latex: str) -> Markup:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family="DejaVu Sans", math_fontfamily="stix", size=_SIZE)
    source = re.sub(r"^([+-])\s+", r"\1\\; ", latex)  # a sign that opens a line is still binary
    source = f"${mathtext(source)}$"
    width, height, descent = text_to_path.get_text_width_height_descent(source, font, ismath=True)
    letters, shapes, rules = text_to_path.get_glyphs_mathtext(font, source)
    drawn = []
    for letter, x, y, size in letters:
        name = "tex-" + re.sub(r"[^A-Za-z0-9]+", "-", str(letter))
        if name not in _OUTLINES:
            _OUTLINES[name] = _steps(*shapes[letter])
        place = f"translate({x:.0f} {y:.0f})" + ("" if size == 1 else f"scale({size:.3g})")
        drawn.append(Markup('<use href="#{}" transform="{}"/>').format(name, place))
    if rules:  # fraction bars
        drawn.append(Markup('<path d="{}"/>').format("".join(_steps(*rule) for rule in rules)))
    scale = _SIZE / text_to_path.FONT_SCALE
    pad = 1.0
    return Markup(
        '<svg class="tex" width="{0:.1f}" height="{1:.1f}" viewBox="{2} {2} {0:.2f} {1:.2f}" '
        'style="vertical-align:{3:.2f}px" aria-hidden="true">'
        '<g transform="translate(0 {4:.2f}) scale({5:g} -{5:g})">{6}</g></svg>'
    ).format(
        width + 2 * pad, height + 2 * pad, -pad, -descent - pad, height - descent, scale,
        Markup("").join(drawn),
    )  # fmt: skip


def _steps(vertices: Any, codes: Any) -> str:
    """An outline as SVG path data."""
    from matplotlib.path import Path

    letters = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}
    steps = []
    for points, code in Path(vertices, codes).iter_segments(simplify=False, curves=True):
        if code == Path.CLOSEPOLY:
            steps.append("Z")
            continue
        steps.append(
            letters[code] + " ".join(f"{value:.1f}".removesuffix(".0") for value in points)
        )
    return "".join(steps)
