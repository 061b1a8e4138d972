"""The tables of docs/letters.md, which are those that ``theorylab list`` shows."""

from __future__ import annotations

from theorylab.commands.list.letters import LISTED, listed

TITLES = {"symbols": "Symbols", "quantities": "Left sides", "constants": "Constants"}


def rewritten(text: str) -> str:
    """The page with its tables anew; what stands before them stays."""
    parts = [text.partition(f"\n## {TITLES['symbols']}\n")[0]]
    for kind, columns in LISTED.items():
        parts.append(f"\n## {TITLES[kind]}\n\n")
        parts.append("| " + " | ".join(head for _, head in columns) + " |\n")
        parts.append("|" + "---|" * len(columns) + "\n")
        for row in listed(kind):
            parts.append("| " + " | ".join(_cell(key, row[key]) for key, _ in columns) + " |\n")
    return "".join(parts)


def _cell(key: str, value: object) -> str:
    """Markdown of a cell; a bar inside would end it."""
    if isinstance(value, list):
        return ", ".join(_cell("latex", each) for each in value)
    text = str(value).replace("|", "\\|")
    return f"`{text}`" if key in ("name", "latex") else text
