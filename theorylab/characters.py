"""Characters that a terminal obeys, or that show a text in another order, as what they are.

A stranger's name may hold the escapes that clear a screen, or marks that turn the rest of a line
around. Where people read a text, each of these is shown; where programs read it, it stays itself.
"""

from __future__ import annotations

import re

# All that str.isprintable refuses: controls, marks of direction, halves of pairs, odd blanks.
_ASCII = re.compile(r"[\n\x20-\x7e]*")


def printable(text: str) -> str:
    r"""What would move a terminal's cursor, change its colours, or turn a line around, by its
    escape; a line break stays.

    >>> printable("a\x1b[2Jb\u202ec")
    'a\\x1b[2Jb\\u202ec'
    """
    if _ASCII.fullmatch(text):
        return text
    return "".join(
        c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text
    )


def json_printable(text: str) -> str:
    r"""JSON that says the same, in which every such character is a JSON escape.

    >>> json_printable('"a\u202eb"')
    '"a\\u202eb"'
    """
    if _ASCII.fullmatch(text):
        return text
    return "".join(c if c.isprintable() or c == "\n" else _units(c) for c in text)


def _units(character: str) -> str:
    data = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{data[k : k + 2].hex()}" for k in range(0, len(data), 2))
