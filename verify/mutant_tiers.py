"""Which tests ``mutants.py`` may run: those of the daily tier, and those near the mutants."""

from __future__ import annotations

import itertools
import pathlib
import subprocess
import sys
from collections.abc import Iterator, Sequence

from mutant_graph import nearest
from mutant_summary import room_of


def daily_tests(tree: pathlib.Path) -> set[str]:
    """The tests that the daily tier runs of this very tree, as pytest lists them.

    Raises:
        ValueError: pytest lists none; one line, its last one.
    """
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--tier", "daily", "--collect-only", "-q",
         "-p", "no:cacheprovider"],
        cwd=tree, capture_output=True, text=True,
    )  # fmt: skip
    listed = itertools.takewhile(str.strip, done.stdout.splitlines())
    found = {line for line in listed if "::" in line}
    if done.returncode != 0 or not found:
        told = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise ValueError(f"pytest lists no daily tests: {told[-1] if told else 'it says nothing'}")
    return found


def wanted_files(
    tree: pathlib.Path, modules: Sequence[str], named: Sequence[str] | None, most: int
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Of each room the files of tests to watch: the nearest of each of its modules in turn; and of
    each module those that import it, the nearest first.

    A file that two rooms want is watched once, for the room that wants it more. named: the files
    and folders of tests to take, which are wanted last where they import none of the modules.
    """
    paths = [tree / name for name in named or ["tests"]]
    tests = {
        path for each in paths for path in ([each] if each.is_file() else each.rglob("test_*.py"))
    }
    near = nearest(tree, sorted(set(modules)), sorted(tests))
    rooms: dict[str, dict[str, None]] = {}
    for module in modules:
        rooms.setdefault(room_of(module), {})[module] = None
    rest = sorted(str(path.relative_to(tree)) for path in tests) if named else []
    queues = {
        room: itertools.chain(_in_turn([near[module] for module in own]), rest)
        for room, own in rooms.items()
    }
    found: dict[str, list[str]] = {room: [] for room in rooms}
    taken: set[str] = set()
    for _ in range(most):
        for room, queue in queues.items():
            name = next((name for name in queue if name not in taken), None)
            if name is not None:
                taken.add(name)
                found[room].append(name)
    return found, near


def _in_turn(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for names in itertools.zip_longest(*rows):
        yield from (name for name in names if name is not None)
