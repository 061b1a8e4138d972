"""Prose with letters of mathematics in it, as statements write them in ASCII, set for a page.

``eta_l < delta / (8 L K)`` becomes Greek letters and indices. Only whole tokens change, so words
stay words, and everything is escaped: nothing of the text is markup.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from markupsafe import Markup, escape

_GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν",
    "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "ϕ",
    "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Delta": "Δ", "Phi": "Φ",
    "Psi": "Ψ", "Omega": "Ω", "Sigma": "Σ", "varsigma": "ς", "grad": "∇",
}  # fmt: skip
_END = re.compile(r"""(?:(?<=\.)|(?<=\."))(?<!\bEq\.)(?<!\bal\.)\s+(?=[A-Z"`(])""")
_MARKS = {"bar": "̄", "hat": "̂", "tilde": "̃", "breve": "̆"}
_RAISED = re.compile(
    r"\^(\{[^{}\s]{1,24}\}|-?\w[\w+*]*|\*|T\b)|_(\{[^{}\s]{1,24}\}|\w+?(?=[_^]|\b))"
)
_BASE = rf"(?:{'|'.join(_GREEK)}|sum|[A-Za-z])"
_TOKEN = re.compile(
    rf"(?<![\w\\`.]){_BASE}(?:bar|-(?:bar|hat|tilde|breve)\b|~)?"
    r"(?:[_^](?:\{[^{}\s]{1,24}\}|-?\w+|\*))+(?![\w])"
    rf"|(?<![\w\\`.])(?:{'|'.join(_GREEK)})(?:bar\b|~|-bar\b|\b)(?!-\w)"
    r"|(?<![\w\\`.])[a-z](?:bar\b|~)"
    r"|(?<![\w\\`.])[A-Za-z]-(?:bar|hat|breve)\b"
    r"|<=|>=|!=|->|\|\|\^2|\)\^2|\|\|_2\b|\|\||\bsqrt\(|(?<= )\.\.(?= )"
)
_SIGNS = {
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "->": "→",
    "||": "‖",
    "||^2": "‖²",
    "||_2": "‖₂",
    ")^2": ")²",
    "sqrt(": "√(",
    "..": "…",
}


@lru_cache(maxsize=4096)
def prose(text: str) -> Markup:
    """``text`` escaped, its letters of mathematics set; the same text gives the same markup."""
    parts: list[Markup] = []
    end = 0
    for found in _TOKEN.finditer(text):
        parts += [escape(text[end : found.start()]), _letter(found.group())]
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])


def _letter(token: str) -> Markup:
    if token in _SIGNS:
        return Markup("{}").format(_SIGNS[token])
    cut = re.search(r"[_^]", token)
    base, rest = (token, "") if cut is None else (token[: cut.start()], token[cut.start() :])
    indices = [
        Markup("<{0}>{1}</{0}>").format("sup" if up else "sub", _plain((up or low).strip("{}")))
        for up, low in _RAISED.findall(rest)
    ]
    return Markup("<i>{}</i>").format(_plain(base)) + Markup("").join(indices)


def _plain(text: str) -> str:
    """A name as letters: ``sigma`` as its letter, ``xbar`` and ``a~`` with their marks."""
    mark = ""
    if text.endswith("~"):
        text, mark = text[:-1], _MARKS["tilde"]
    else:
        for name, sign in _MARKS.items():
            if text != name and text.removesuffix(f"-{name}") != text:
                text, mark = text.removesuffix(f"-{name}"), sign
    if text.endswith("bar") and (text[:-3] in _GREEK or len(text) == 4):
        text, mark = text[:-3], _MARKS["bar"]
    text = text.replace("<=", "≤")
    letter = "∑" if text == "sum" else _GREEK.get(text, text)
    return unicodedata.normalize("NFC", letter + mark)


def first_sentence(text: str) -> str:
    """Up to the first full stop that a new sentence follows."""
    whole = text.strip()
    for found in _END.finditer(whole):
        if whole.count('"', 0, found.start()) % 2 == 0:  # not within a quotation
            return whole[: found.start()]
    return whole
