r"""What a paper of one's own takes over: tables of verdicts, and a verdict's BibTeX entry.

The tables are a file to ``\input`` after ``\usepackage{array,booktabs,longtable}``; one longtable a
paper, one row a version.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from theorylab.explain import Explanation
from theorylab.report.groups import Paper, Reading
from theorylab.report.names import safe_names
from theorylab.report.shown import Shown

_SPECIAL = {
    **{c: "\\" + c for c in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "{''}",
}
_POWER = re.compile(r"(?:(-?[\d.]+)e|10\^)([+-]?[\d.]+)")
_RAGGED = r">{\raggedright\arraybackslash}p{0.4\linewidth}"
_HEAD = (
    "% Verdicts of theorylab; needs \\usepackage{array,booktabs,longtable}.\n"
    "% Largest ratio: of the measured side to the bound; a claim that holds has at most 1.\n"
)


def tables(papers: Sequence[Paper]) -> str:
    """The file's text, ASCII. The same papers give the same text."""
    return _HEAD + "".join(map(_table, papers))


def escaped(text: str) -> str:
    """``text`` as LaTeX sets it letter by letter; what is not printable ASCII becomes ``?``."""
    return "".join(_SPECIAL.get(c, c if " " <= c <= "~" else "?") for c in text)


def bibtex(told: Explanation, code: str, day: datetime.date) -> str:
    """The BibTeX entry of a verdict, in ASCII: the finding, its instance, and how to repeat it.

    Args:
        code: the version of theorylab that judged it, and the hash of its sources.
        day: when it was judged.

    The key is made of the id, the version and the check: another verdict has another one.
    """
    result = told.result
    shown = Shown(result)
    (key,) = safe_names([(result.id, result.version, result.check)])
    sentences = " ".join(shown.sentences(told)).strip()
    again = f"Judged on {day.isoformat()} by \\texttt{{{_field(told.command)}}}"
    fields = {
        "author": "{The theorylab developers}",
        "title": f"{{{_field(f'{shown.place}, {shown.how}: {result.verdict}')}}}",
        "year": f"{day.year}",
        "howpublished": _field(f"theorylab {code}"),
        "note": f"{_field(sentences)} {again}",
    }
    lines = "".join(f",\n  {name} = {{{text}}}" for name, text in fields.items())
    return f"@misc{{theorylab:{key}{lines}\n}}\n"


def _field(text: str) -> str:
    """``escaped``, with braces that BibTeX, which counts those after a backslash, does not see."""
    plain = escaped(" ".join(text.split()))
    return plain.replace("\\{", "\\textbraceleft{}").replace("\\}", "\\textbraceright{}")


def number(text: str) -> str:
    """What ``number.plain`` wrote: ``1.5e-07`` as a product with a power of ten."""
    if text == "-":
        return "--"
    found = _POWER.fullmatch(text)
    if found is None:
        return f"${text}$" if re.fullmatch(r"-?[\d.]+", text) else escaped(text)
    mantissa, exponent = found.groups()
    power = f"10^{{{float(exponent):g}}}"
    return f"${power}$" if mantissa is None else f"${mantissa} \\times {power}$"


def _table(paper: Paper) -> str:
    rows = [
        " & ".join(
            (
                escaped(entry.id) if index == 0 else "",
                escaped(reading.version),
                _verdicts(reading),
                "--" if reading.nearest is None else number(Shown(reading.nearest).ratio),
            )
        )
        for entry in paper.entries
        for index, reading in enumerate(entry.readings)
    ]
    lines = " \\\\\n".join(rows)
    title = re.sub(r'"([^"]*)"', r"``\1''", paper.title)
    head = "Statement & Version & Verdicts & Largest ratio \\\\\n\\midrule\n"
    return (
        f"\n\\begin{{longtable}}{{@{{}}ll{_RAGGED}r@{{}}}}\n"
        f"\\caption{{Verdicts: {escaped(title)}}} \\\\\n\\toprule\n{head}\\endfirsthead\n"
        f"\\toprule\n{head}\\endhead\n\\bottomrule\n\\endfoot\n{lines} \\\\\n\\end{{longtable}}\n"
    )


def _verdicts(reading: Reading) -> str:
    """``HOLDS, VIOLATED ($2\\times$)``; a comma may end a line."""
    counts = {**reading.verdicts, "control": reading.controls}
    return ", ".join(
        escaped(name) + (f" (${count}\\times$)" if count > 1 else "")
        for name, count in counts.items()
        if count
    )
