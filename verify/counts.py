"""Every count in the pages, and every list that is made of the sources, written where it stands.

    python verify/counts.py [--check]

It writes the numbers of statements, checks, verdicts, gallery files, campaign cells and GPU
generations in README.md, CHANGELOG.md and docs/, the severities that README names, the public names
of docs/api.md, and whole docs/errata.md. Lines that differ are printed. Nothing is judged: verdicts
are those that checks expect. What was measured (seconds, slopes, shares) is no count, and stays.

With --check nothing is written. Exit code 0 if all is as it has to be, or was written; 1 if a line
is old under --check, or a sentence that holds a count is not there; 2 on bad input.

A count is found by the sentence around it (``count_places.py``): a new one is one line there.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from count_places import LostError, RefusedError, places, read

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "python verify/counts.py"
LONGEST, MOST = 150, 12  # characters of a line that is printed, lines of a file


def compared(root: Path) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Every file that has to change, as it is and as it has to be; and what cannot be written."""
    pages: dict[str, tuple[str, str]] = {}
    lost = []
    for page, rewrite in places(root):
        if page not in pages:
            pages[page] = (read(root, page),) * 2
        before, now = pages[page]
        try:
            pages[page] = (before, rewrite(now))
        except LostError as error:
            lost.append(f"{page}: {error}; mend the page, or its line in verify/count_places.py")
    return {page: texts for page, texts in pages.items() if texts[0] != texts[1]}, lost


def told(page: str, before: str, now: str) -> Iterator[str]:
    """A line for each line that differs, cut to where it does."""
    old, new = before.splitlines(), now.splitlines()
    shown = []
    for kind, i, j, k, m in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if kind != "equal":
            start = _apart(old[i], new[k]) if kind == "replace" else 0
            shown += [f"{page}:{i + 1}: - {line[start:]}" for line in old[i:j]]
            shown += [f"{page}:{k + 1}: + {line[start:]}" for line in new[k:m]]
    if not shown:
        shown = [f"{page}: the ends of its lines differ"]
    for line in shown[:MOST]:
        yield line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."
    if len(shown) > MOST:
        yield f"{page}: and {len(shown) - MOST} more"


def _apart(old: str, new: str) -> int:
    """Where to cut both, so that the first letter in which they differ is shown."""
    alike = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    return max(0, alike - LONGEST // 3)


def checked(root: Path) -> list[str]:
    """What ``--check`` prints of what differs; empty where all is as it has to be."""
    old, lost = compared(root)
    return [*(line for page in old for line in told(page, *old[page])), *lost]


def main(arguments: Sequence[str], root: Path = ROOT) -> int:
    """The exit code."""
    if {"-h", "--help"} & {*arguments}:
        print(__doc__)
        return 0
    try:
        if [*arguments] not in ([], ["--check"]):
            raise RefusedError(f"got {' '.join(arguments)}; need no argument, or --check")
        check_tree(root)
        old, lost = compared(root)
        for page, (before, now) in old.items():
            print(*told(page, before, now), sep="\n")
        if not arguments:
            write(root, {page: now for page, (_, now) in old.items()})
    except (RefusedError, OSError) as error:
        print(f"counts: {error}", file=sys.stderr)
        return 2
    print(*lost, sep="\n", end="\n" if lost else "")
    if old:
        pages = ", ".join(old)
        end = f"old: {pages}; {COMMAND} writes them" if arguments else f"written: {pages}"
        print(f"counts: {end}")
    elif not lost:
        print("counts: all are as they have to be")
    return 1 if lost or (old and arguments) else 0


def check_tree(root: Path) -> None:
    """Raise RefusedError where theorylab is not that of this tree."""
    if not (root / "README.md").is_file():
        raise RefusedError("there is no README.md beside this folder; need a tree of the sources")
    import theorylab

    where = Path(theorylab.__file__).resolve().parent
    if where != ROOT / "theorylab":
        raise RefusedError(f"theorylab is imported from {where}; need that of {ROOT}")


def write(root: Path, pages: Mapping[str, str]) -> None:
    """Write all of the pages, or, where one cannot be written, none. Raises OSError."""
    from theorylab.report.atomic import check_writable, write_atomic

    for page in pages:
        check_writable(root / page)
    for page, content in pages.items():
        write_atomic(root / page, content)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
