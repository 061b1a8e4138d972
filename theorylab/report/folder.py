"""The folder that ``verify --out`` leaves behind: results.json, pages, figures, tables.tex."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from theorylab.kernels import read_text
from theorylab.report.atomic import check_regular, check_writable, write_atomic
from theorylab.report.figure import drawable, svg
from theorylab.report.groups import ANCHOR, Paper, papers
from theorylab.report.latex import tables
from theorylab.report.names import Link, links, page_files
from theorylab.report.page import UNJUDGED, overview, paper_page
from theorylab.verdicts.result import NotRun, Report, Result

RESULTS, PAGE, FIGURES, STORE = "results.json", "index.html", "figures", "results.sqlite"
TABLES = "tables.tex"
_OWN = b'<meta name="generator" content="theorylab report">'  # in every page, near its beginning


def prepare(folder: Path, ids: Iterable[str]) -> None:
    """Make the folder and see that everything can be written; asked before hours of work.

    Raises OSError. ids: of the statements that it will hold.
    """
    (folder / FIGURES).mkdir(parents=True, exist_ok=True)
    if (folder / FIGURES).is_symlink():
        raise OSError(f"{folder / FIGURES} is a link; need a directory, or none")
    pages = page_files(list(ids)).values()
    for name in (RESULTS, STORE, TABLES, PAGE, *pages, f"{FIGURES}/probe"):
        check_writable(folder / name)


class Pages:
    """The pages of a report while its checks are judged: a paper's as soon as it is complete.

    Args:
        folder: where they are written, each file whole or not at all.
        ids: of all statements that the report will hold, which its pages link to.
        origin: where the results come from, name by name: what stands under the pages.

    Several processes may write into one folder. The one that is finished last leaves its report,
    and nothing of another one.
    """

    def __init__(
        self, folder: Path, ids: Iterable[str], origin: Mapping[str, str] | None = None
    ) -> None:
        self._folder, self._origin = folder, dict(origin or {})
        self._links = links(list(ids))
        self._written: dict[str, _Written] = {}

    def add(self, results: Sequence[Result]) -> None:
        """Write figures and page of a paper, all of whose results these are. Raises OSError."""
        for paper in papers(results):
            self._write(paper)

    def finish(
        self,
        results: Sequence[Result],
        left_out: Sequence[NotRun] = (),
        told: Callable[[int, int], None] | None = None,
        unjudged: int = 0,
    ) -> None:
        """Write what is left, the overview last; remove what an earlier report left.

        Args:
            results: all of them. left_out: what was not run.
            told: called with the files written so far, and how many there will be.
            unjudged: checks that an interrupt left; the overview and the origin say so.

        A version has one figure, of the check that says most among those that have a curve. Raises
        OSError.
        """
        if unjudged:
            self._origin[UNJUDGED] = f"{unjudged} of the checks, as the command was interrupted"
        report = Report(
            schema=1, results=list(results), not_run=list(left_out), origin=self._origin
        )
        found = papers(results)
        self._links = links([result.id for result in results])
        with _alone(self._folder):
            write_atomic(self._folder / RESULTS, report.to_json())
            left = [paper for paper in found if not self._stands(paper)]
            done, total = 0, sum(len(_shown(paper)) + 1 for paper in left) + 2

            def one_more() -> None:
                nonlocal done
                done += 1
                if told is not None:
                    told(done, total)

            for paper in left:
                self._write(paper, one_more)
            for name, text in (
                (TABLES, tables(found)),
                (PAGE, overview(found, left_out, self._origin)),
            ):
                write_atomic(self._folder / name, text)
                one_more()
            files = {file for each in found for file in self._written[each.name].files}
            _remove_stale(self._folder, files)

    def _write(self, paper: Paper, one_more: Callable[[], None] = lambda: None) -> None:
        drawn: dict[int, str] = {}
        written: dict[str, bytes] = {}

        def write_one(file: str, text: str) -> None:
            write_atomic(self._folder / file, text)
            written[file] = sha256(text.encode()).digest()
            one_more()

        for result, name in _shown(paper):
            drawn[id(result)] = f"{FIGURES}/{name}.svg"
            write_one(drawn[id(result)], svg(result) or "")
        path = lambda result: drawn.get(id(result))  # noqa: E731
        write_one(paper.file, paper_page(paper, self._links, path, self._origin))
        self._written[paper.name] = _Written(paper, self._links, written)

    def _stands(self, paper: Paper) -> bool:
        """Whether the page is written, and no other process has replaced a file of it."""
        written = self._written.get(paper.name)
        if written is None or (written.paper, written.links) != (paper, self._links):
            return False
        return all(_digest(self._folder / file) == d for file, d in written.files.items())


class _Written(NamedTuple):
    """What was written of a paper, and the digest of each file."""

    paper: Paper
    links: tuple[Link, ...]
    files: dict[str, bytes]


def write(
    folder: Path,
    results: Sequence[Result],
    left_out: Sequence[NotRun] = (),
    *,
    origin: Mapping[str, str] | None = None,
    told: Callable[[int, int], None] | None = None,
) -> None:
    """Write everything into ``folder``; see ``Pages``. Raises OSError."""
    (folder / FIGURES).mkdir(exist_ok=True)
    Pages(folder, (result.id for result in results), origin).finish(results, left_out, told)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process finishes a report here.

    The folder itself is locked, so that no file of the lock is left behind, or is a link of a
    stranger's. Where its file system has no locks nobody is waited for.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _digest(path: Path) -> bytes:
    """Of a file; nothing where it cannot be read."""
    try:
        return sha256(path.read_bytes()).digest()
    except OSError:
        return b""


def _shown(paper: Paper) -> list[tuple[Result, str]]:
    """The results of a paper that have a figure, one a reading at most, with their names."""
    readings = [reading for entry in paper.entries for reading in entry.readings]
    pairs = [(reading, reading.drawn) for reading in readings]
    shown = [(reading, r) for reading, r in pairs if r is not None and drawable(r)]
    return [(r, reading.anchor(r).removeprefix(ANCHOR)) for reading, r in shown]


def _remove_stale(folder: Path, files: set[str]) -> None:
    """Remove what an earlier report left; a file that is not this program's stays."""
    for stale in (folder / FIGURES).glob("*--*--*.svg"):
        if f"{FIGURES}/{stale.name}" not in files:
            stale.unlink(missing_ok=True)
    for stale in folder.glob("*.html"):
        if stale.name not in files | {PAGE} and stale.is_file():
            with open(stale, "rb") as file:
                own = _OWN in file.read(1000)
            if own:
                stale.unlink(missing_ok=True)


def load(path: Path) -> Report:
    """Read a results.json.

    Raises:
        ValueError: one line saying what is wrong with the file, or that there is none.
    """
    try:
        check_regular(path)
        text = read_text(path)
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file; need one written by verify --out") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: cannot be read ({error}); need UTF-8 JSON") from None
    try:
        report = Report.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise ValueError(f"{path}: {where}: {first['msg']}; need results of schema 1") from None
    return report
