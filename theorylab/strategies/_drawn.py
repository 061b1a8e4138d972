"""What several strategies draw: a number or a strategy for it, lists of one length."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Clients = int | st.SearchStrategy[int]
SMALL = st.integers(1, 6)


def number(draw: st.DrawFn, n: Clients) -> int:
    """``n`` itself, or a draw of it."""
    return n if isinstance(n, int) else draw(n)


def exactly(elements: st.SearchStrategy[Any], length: int) -> st.SearchStrategy[list[Any]]:
    """Lists of ``length`` elements."""
    return st.lists(elements, min_size=length, max_size=length)
