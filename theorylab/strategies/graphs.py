"""Graphs over clients 0..n-1, connected by construction."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

from theorylab.strategies._drawn import SMALL, Clients, number

Edge = tuple[int, int]


class Graph(NamedTuple):
    """Edges (from, to) over clients 0..clients-1, sorted, without self-loops or repetition."""

    clients: int
    edges: list[Edge]


def permutations(n: int) -> st.SearchStrategy[list[int]]:
    """A relabelling of 0..n-1; shrinks to the identity."""
    return st.permutations(range(n)).map(list)


@st.composite
def strongly_connected_digraphs(
    draw: st.DrawFn, n: Clients = SMALL, *, max_chords: int | None = None
) -> Graph:
    """A ring over a random order of the clients plus random chords.

    Args:
        n: clients, a number >= 1 or a strategy.
        max_chords: at most this many draws of a chord; 2 n if None.
    """
    size = number(draw, n)
    order = draw(permutations(size))
    ring = {(order[k], order[(k + 1) % size]) for k in range(size)} if size > 1 else set()
    return Graph(size, sorted(ring | draw(chords(size, max_chords))))


@st.composite
def symmetric_graphs(
    draw: st.DrawFn, n: Clients = SMALL, *, max_chords: int | None = None
) -> Graph:
    """A connected graph, every edge in both directions: a random tree plus random chords."""
    size = number(draw, n)
    order = draw(permutations(size))
    parents = [draw(st.integers(0, k - 1)) for k in range(1, size)]
    tree = {(order[k], order[parent]) for k, parent in enumerate(parents, start=1)}
    edges = tree | draw(chords(size, max_chords))
    return Graph(size, sorted(edges | {(b, a) for a, b in edges}))


@st.composite
def chords(draw: st.DrawFn, n: int, most: int | None = None) -> set[Edge]:
    """Edges between different clients: at most ``most`` draws, 2 n if None."""
    if n < 2:
        return set()
    # (from, step): never a self-loop, so none has to be thrown away.
    pairs = st.tuples(st.integers(0, n - 1), st.integers(1, n - 1))
    drawn = draw(st.lists(pairs, max_size=2 * n if most is None else most))
    return {(a, (a + step) % n) for a, step in drawn}
