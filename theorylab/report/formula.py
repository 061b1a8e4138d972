"""LaTeX to one MathML formula per summand: browsers render no LaTeX, and a report has no script.

A long bound is split at its top-level plus and minus signs, so that a page can wrap it.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from xml.etree import ElementTree

from markupsafe import Markup

_TOKEN = re.compile(
    r"\\left(?![a-z])|\\right(?![a-z])|\\begin|\\end|\\.|[{}]|[+-]|[^\\{}+-]+", re.S
)

_TITLE = 300  # characters of LaTeX that a page also gives as a title
_OPERATORS = (r"\cdot", r"\times", r"\leq", r"\geq", *"=<>_^(,")
_ALIGNED = re.compile(r"\\begin\{(aligned|split)\}(.*)\\end\{\1\}", re.S)
_ROWS = re.compile(r"\\begin\{\w+\}|\\end\{\w+\}|\\.|[{}&]|[^\\{}&]+", re.S)

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
_IN_MATHML = (  # what latex2mathml reads otherwise, or not; it knows the first four
    *_IN_MATHTEXT[4:],
    (re.compile(r"\\\\(?=\\)"), r"\\\\ "),  # a row that begins with a command
    (re.compile(r"\\not\s*\\leadsto"), r"\\nrightarrow"),
)


def summands(latex: str) -> list[str]:
    """``latex`` cut before every + or - that stands outside of braces and brackets.

    ``a + \\frac{b - c}{d} - e`` gives ``a``, ``+ \\frac{b - c}{d}``, ``- e``. A sign that opens the
    formula or follows an operator stays where it is.
    """
    parts, depth, current = [], 0, ""
    for token in _TOKEN.findall(latex):
        opens = token in ("{", r"\{", r"\left", r"\begin")
        depth += opens - (token in ("}", r"\}", r"\right", r"\end"))
        if token in "+-" and depth == 0 and current.strip() and _ends_a_term(current):
            parts.append(current.strip())
            current = ""
        current += token
    return [*parts, current.strip()] if current.strip() else parts


def _ends_a_term(latex: str) -> bool:
    """Whether a sign after ``latex`` stands between two terms."""
    ends = latex[-1].isspace() or re.fullmatch(r"[\w})\]|']", latex[-1])
    return bool(ends) and not latex.rstrip().endswith(_OPERATORS)


@lru_cache(maxsize=512)
def formula(latex: str) -> Markup:
    """``latex`` as HTML: MathML with the source as its title, or the escaped source in ``<code>``.

    Never raises: what cannot be written as MathML is shown as it was written.
    """
    try:
        lines = [_line(row) for row in rows(latex)]
    except Exception:  # the converter has many ways to refuse; none may cost the report
        return Markup('<code class="latex">{}</code>').format(latex)
    title = Markup(' title="{}"').format(latex) if len(latex) <= _TITLE else ""
    inner = Markup("<br>").join(lines)
    return Markup('<span class="formula"{}>{}</span>').format(title, inner)


def rows(latex: str) -> list[str]:
    """The lines of an aligned display, without their marks of alignment; else the formula."""
    found = _ALIGNED.fullmatch(latex.strip())
    if found is None:
        return [latex]
    depth, current, lines = 0, "", []
    for token in _ROWS.findall(found.group(2)):
        depth += token.startswith((r"\begin", "{")) - token.startswith((r"\end", "}"))
        if depth == 0 and token == r"\\":
            lines.append(current.strip())
            current = ""
        elif depth > 0 or token != "&":
            current += token
    return [line for line in (*lines, current.strip()) if line and not line.isspace()]


def _line(latex: str) -> Markup:
    """A row, cut where a page may wrap it; whole where a cut would part a pair of brackets."""
    try:
        return Markup(" ").join(_mathml(part) for part in summands(latex))
    except ValueError:
        raise
    except Exception:
        return _mathml(latex)


def mathtext(latex: str) -> str:
    """``latex`` in the words that matplotlib's mathtext knows."""
    return _in_words(latex, _IN_MATHTEXT)


def _in_words(latex: str, words: Iterable[tuple[re.Pattern[str], str]]) -> str:
    for written, known in words:
        latex = written.sub(known, latex)
    return latex


# What a formula needs. Others, such as a link, or a style, do not get through.
_TAGS = {
    *(
        "math",
        "mrow",
        "mi",
        "mn",
        "mo",
        "ms",
        "mtext",
        "mspace",
        "msub",
        "msup",
        "msubsup",
        "mfrac",
    ),
    *("msqrt", "mroot", "mover", "munder", "munderover", "mtable", "mtr", "mtd", "mstyle"),
    "mpadded",
}
_ATTRIBUTES = {
    *("displaystyle", "scriptlevel", "mathvariant", "stretchy", "fence", "form"),
    *("accent", "accentunder", "largeop", "minsize", "maxsize", "movablelimits", "columnalign"),
    *("rowspacing", "columnspacing", "linethickness", "width", "height", "depth", "lspace"),
    "rspace",
}
_ALPHABETS = {  # browsers read no other mathvariant than "normal", so the letters themselves change
    "bold": "BOLD",
    "script": "SCRIPT",
    "bold-script": "BOLD SCRIPT",
    "double-struck": "DOUBLE-STRUCK",
    "fraktur": "FRAKTUR",
    "sans-serif": "SANS-SERIF",
}
_BRACKETS = {*"()[]{}"}
_SUMS = {*"∑∏"}  # a display has their limits below and above them
_LIMITS = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
_ALONE = re.compile(r"<mrow>(<m[ion](?: [^>]*)?>[^<]*</m[ion]>)</mrow>")  # groups nothing
_UNKNOWN = re.compile(r"\\|^\$$")


@lru_cache(maxsize=4096)  # the versions of a statement share most of their terms
def _mathml(latex: str) -> Markup:
    from latex2mathml.converter import convert_to_element

    if latex.count("{") != latex.count("}"):
        raise ValueError(f"{latex!r}: braces do not match")
    tree = convert_to_element(_in_words(latex, _IN_MATHML))
    del tree.attrib["xmlns"]  # HTML knows the element by its name
    del tree.attrib["display"]
    tree.set("displaystyle", "true")
    for part in tree.iter():
        text = html.unescape(part.text or "")
        if part.tag not in _TAGS or not set(part.attrib) <= _ATTRIBUTES or _UNKNOWN.search(text):
            raise ValueError(f"{latex!r}: {part.tag} {text!r} is no part of a formula")
        alphabet = _ALPHABETS.get(part.attrib.get("mathvariant", ""))
        if alphabet is not None:
            text = "".join(_in_alphabet(letter, alphabet) for letter in text)
            part.attrib.pop("mathvariant")
        part.text = text
        if text in _BRACKETS and part.attrib.get("stretchy") == "true":
            part.attrib.pop("stretchy")  # they do by themselves
        if part.tag in _LIMITS and html.unescape(part[0].text or "") in _SUMS:
            part.tag = _LIMITS[part.tag]
        for known in ("fence", "form"):  # browsers know them by the operator
            part.attrib.pop(known, None)
    text = ElementTree.tostring(tree, encoding="unicode")  # what is text is escaped
    return Markup(_ALONE.sub(r"\1", text))


def _in_alphabet(letter: str, alphabet: str) -> str:
    """The letter of Unicode's mathematical alphabets; itself where there is none."""
    try:
        name = re.sub("LATIN |GREEK |LETTER ", "", unicodedata.name(letter))
    except ValueError:
        return letter
    for prefix in ("MATHEMATICAL ", ""):  # a few, such as the reals, are older and named without
        try:
            return unicodedata.lookup(f"{prefix}{alphabet} {name}")
        except KeyError:
            continue
    return letter
