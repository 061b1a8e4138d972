"""``python -m theorylab.scripts [ID ...]``: every VIOLATED check with the length of its script, or
why it has none."""

from __future__ import annotations

import sys

from theorylab.scripts.tally import tally


def main(selection: list[str]) -> None:
    """Print a line a check, and how many have a script."""
    found = covered = 0
    statements: dict[str, bool] = {}
    for each in tally(selection):
        print(f"{each.label}: {each.told}", flush=True)
        found, covered = found + 1, covered + bool(each.text)
        statements[each.statement.id] = statements.get(each.statement.id, False) or bool(each.text)
    whole = sum(statements.values())
    print(f"{covered} of {found} checks, {whole} of {len(statements)} statements have a script")


if __name__ == "__main__":
    main(sys.argv[1:])
