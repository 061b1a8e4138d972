"""What ``pins.py --runs`` keeps besides checks, as lines: a name, and what belongs to it.

Seeded searches, by a clock that counts the search's looks at it; replays of what these found; the
judgements of every claimed speed-up; the bits of every kernel; exit codes of commands. All of it is
run by a process of its own at each number of threads.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import itertools
import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

SEARCHES, LOOKS = 200, 60.0
THREADS = (1, 2)
COMMANDS = (
    ("verify", "dfedsgpsm.lem4", "--version", "printed/sgp", "--jobs", "1"),
    ("verify", "dfedpgp.eq23", "--quick", "--jobs", "1"),
    ("verify", "dfedsgpsm.lem4", "--version", "printed", "--clients", "2"),
    ("verify", "no.such"),
    ("explain", "dfedsgpsm.lem5_last"),
    ("constants", "ring", "--clients", "4"),
    ("falsify", "dfedpgp.eq23", "--budget", "1"),
    ("falsify", "dfedpgp.eq23", "--budget", "0"),
    ("worst", "--help"),
    ("list",),
    ("list", "nothing"),
    ("replay", "no.json"),
    ("run", "--problem", "nothing"),
)


def _few(name: str, one_in: int) -> bool:
    """Whether it is in a sample of one in so many: the same on every machine."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) % one_in == 0


def _searched(one_in: int) -> Iterator[tuple[str, str]]:
    from theorylab.falsify import Counterexample, falsify, score
    from theorylab.statements import BUILT_IN

    setattr(score, "at_most", lambda *_, **__: contextlib.nullcontext())  # noqa: B010
    versions = [(each.id, name) for each in BUILT_IN.values() for name in each.versions]
    count = itertools.count()
    for number in range(SEARCHES):
        name, version = versions[number * len(versions) // SEARCHES]
        title = f"search {name} [{version}] seed {number}"
        if not _few(title, one_in):
            continue
        try:
            found = falsify(
                BUILT_IN[name], version, budget=LOOKS, seed=number, known=False,
                clock=lambda: float(next(count)),
            )  # fmt: skip
            kept = json.loads(Counterexample.of(found, LOOKS, None, None).to_json())
        except ValueError as error:
            yield title, str(error)
            continue
        kept["search"]["seconds"] = 0.0
        kept |= {"theorylab": "", "imports": []}
        yield title, json.dumps(kept, sort_keys=True)


def _replayed(found: dict[str, str]) -> Iterator[tuple[str, str]]:
    """What was found, once more: the lines say what differs."""
    import theorylab
    from theorylab.falsify import Counterexample, replay

    for title, text in found.items():
        if not title.startswith("search") or not text.startswith("{"):
            continue
        kept = {**json.loads(text), "theorylab": theorylab.__version__}
        try:
            told = replay(Counterexample.parsed(json.dumps(kept))).differences
        except ValueError as error:
            told = (str(error),)
        yield title.replace("search", "replay"), "; ".join(told) or "same"


def _judged() -> Iterator[tuple[str, str]]:
    from theorylab.speedup.claims import judged_claims

    for claim, found in judged_claims():
        yield f"speed-up {claim.id}: {claim.text}", f"{found.verdict.name}: {found.reason}"


def _bits() -> Iterator[tuple[str, str]]:
    import bits

    for line in bits.lines():
        name, _, digest = line.rpartition(" ")
        yield f"kernel {' '.join(name.split())}", digest


def _codes() -> Iterator[tuple[str, str]]:
    from theorylab import cli

    for words in COMMANDS:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.run([*words])
        yield f"exit code of {' '.join(words)}", str(code)


def pinned(one_in: int, before: dict[str, dict[str, str]] | None = None) -> dict[str, Any]:
    """By the number of threads, the lines of a process that has as many. before: lines that were
    kept: what their searches found is replayed."""
    every = {}
    for threads in THREADS:
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        done = subprocess.run(
            [sys.executable, __file__, str(one_in)],
            input=json.dumps((before or {}).get(str(threads), {})),
            capture_output=True,
            text=True,
            env=environment,
        )
        if done.returncode:
            raise ValueError(f"with {threads} threads: {done.stderr.splitlines()[-1]}")
        every[str(threads)] = json.loads(done.stdout)
    return every


def differing(old: dict[str, dict[str, str]], new: dict[str, dict[str, str]]) -> list[str]:
    """A line for each difference, and for each between the threads."""
    told = []
    for threads, lines in old.items():
        for name, text in lines.items():
            now = new[threads].get(name, "nothing")
            if now != text:
                told.append(f"{name}, {threads} threads: it was {text}, is {now}")
    first, *others = new.items()
    for threads, lines in others:
        told += [
            f"{name}: {first[0]} and {threads} threads differ"
            for name, text in lines.items()
            if first[1].get(name) != text
        ]
    return told


def main() -> None:
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    one_in, before = int(sys.argv[1]), json.load(sys.stdin)
    parts = [_bits(), _codes(), _searched(one_in)]
    if one_in == 1:
        parts.append(_judged())
    lines = dict(itertools.chain(*parts))
    lines |= dict(_replayed(before or lines))
    json.dump(lines, sys.stdout)


if __name__ == "__main__":
    main()
