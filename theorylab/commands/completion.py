"""What a shell may complete a word to; read from files, so that nothing heavy is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import typer

from theorylab.registry import table

LETTERS = ("symbols", "quantities", "constants")
_TABLES = {
    "topologies": "topology",
    "problems": "problem",
    "algorithms": "algorithm",
    "metrics": "metric",
    "experiments": "experiment",
}
KINDS = (*_TABLES, "laws", *LETTERS)


def members(kind: str) -> Callable[[str], list[str]]:
    """Completes to the names of theorylab's own algorithms, problems, topologies, ..."""

    def complete(incomplete: str) -> list[str]:
        return _that_start(incomplete, table(kind))

    return complete


def ids(incomplete: str) -> list[str]:
    """Statements."""
    from theorylab.report.listing import ids as known

    return _that_start(incomplete, known())


def ids_and_papers(incomplete: str) -> list[str]:
    """Statements, and the papers that they are of."""
    papers = dict.fromkeys(name.partition(".")[0] for name in ids(""))
    return [*_that_start(incomplete, papers), *ids(incomplete)]


def methods(incomplete: str) -> list[str]:
    """What ``run`` takes: algorithms, and PDBO."""
    return _that_start(incomplete, [*table("algorithm"), "pdbo"])


def methods_and_ids(incomplete: str) -> list[str]:
    """What ``worst`` takes: algorithms and statements."""
    return [*members("algorithm")(incomplete), *ids(incomplete)]


def listed(context: typer.Context, incomplete: str) -> list[str]:
    """What ``theorylab list`` takes: a kind or a statement; after a kind its names."""
    first, *_ = context.params.get("selection") or [""]
    if first in _TABLES:
        return members(_TABLES[first])(incomplete)
    if first in LETTERS:
        from theorylab.commands.list.letters import listed as rows

        return _that_start(incomplete, (row["name"] for row in rows(first)))
    return [*_that_start(incomplete, ("statements", *KINDS)), *ids_and_papers(incomplete)]


def _that_start(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
