"""In how many files each built-in loss is named, and how long the largest tellings are.

    python verify/loss_places.py [NAME ...]

A place is a file of theorylab or csrc that names the loss by its registered name or its class, or
imports its module; in csrc also one that has the module's name as a word. The file of the loss
itself is the first. A word of prose in Python, as "quadratic" is, names no loss. Left out are
statements and lists, whose instances name losses as data, and the packages' lists of names. Tests
are counted apart.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from theorylab.own import is_own
from theorylab.problems import PROBLEMS

ROOT = Path(__file__).resolve().parents[1]


def files() -> dict[Path, str]:
    """The text of each file in which a place is looked for."""
    found = [*(ROOT / "theorylab").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    sources = {".c", ".cpp", ".cu", ".cuh", ".h", ".hpp"}
    found += [path for path in (ROOT / "csrc").rglob("*") if path.suffix in sources]
    plain = (path for path in found if path.name != "__init__.py")
    return {path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in plain}


def places(name: str, texts: dict[Path, str]) -> tuple[list[Path], int]:
    """(the files outside of the tests that name a loss, its own first; how many tests do)."""
    title = PROBLEMS[name].__name__
    module = PROBLEMS.entry(name).module.rpartition(".")[2]
    imported = rf"problems\.{module}\b|from theorylab\.problems import .*\b{module}\b"
    named = rf'"{re.escape(name)}"|\b{title}\b|{imported}'
    word = rf"{named}|\b{module}\b"
    found = [path for path, text in texts.items()
             if re.search(named if path.suffix == ".py" else word, text)]  # fmt: skip
    tests = [path for path in found if path.parts[0] == "tests"]
    data = ("theorylab", "statements")
    code = [path for path in found if path not in tests and path.parts[:2] != data]
    return sorted(code, key=lambda path: (path.stem != module, path)), len(tests)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    asked = parser.parse_args(arguments).names
    ours = [name for name in PROBLEMS if is_own(PROBLEMS[name])]
    if unknown := [name for name in asked if name not in ours]:
        print(f"loss_places: no {unknown[0]!r}; has {', '.join(ours)}", file=sys.stderr)
        return 2
    texts = files()
    for name in asked or ours:
        code, tests = places(name, texts)
        told = "one function" if hasattr(PROBLEMS[name], "client_loss") else "code"
        print(f"{name}: {len(code)} files, {tests} tests, {told}")
        if asked:
            print("\n".join(f"    {path}" for path in code))
    return 0


if __name__ == "__main__":
    sys.exit(main())
