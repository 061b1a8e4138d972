"""The folder that ``verify --out`` leaves behind: results.json, pages, figures, tables.tex."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from theorylab.kernels import read_text
from theorylab.report.atomic import check_regular, check_writable, write_atomic
from theorylab.report.figure import drawable, svg
from theorylab.report.groups import Paper, papers
from theorylab.report.latex import tables
from theorylab.report.names import check_names, page_files
from theorylab.report.page import overview, paper_page
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


def write(
    folder: Path,
    results: Sequence[Result],
    left_out: Sequence[NotRun] = (),
    *,
    origin: Mapping[str, str] | None = None,
    told: Callable[[int, int], None] | None = None,
) -> None:
    """Write everything into ``folder``, each file whole or not at all.

    A version has one figure, of the check that says most among those that have a curve. Figures
    and pages of results that are no longer there are removed. Raises OSError.

    Args:
        origin: where the results come from, name by name: what stands under the pages.
        told: called with the files written so far, and how many there will be.
    """
    source = dict(origin or {})
    report = Report(schema=1, results=list(results), not_run=list(left_out), origin=source)
    write_atomic(folder / RESULTS, report.to_json())
    found = papers(results)
    names = dict(zip(map(id, results), check_names(results), strict=True))
    figures = folder / FIGURES
    figures.mkdir(exist_ok=True)
    drawn: dict[int, str] = {}
    shown = {paper.name: _shown(paper) for paper in found}
    total, done = sum(map(len, shown.values())) + len(found) + 2, 0

    def written(name: str, text: str) -> None:
        nonlocal done
        write_atomic(folder / name, text)
        done += 1
        if told is not None:
            told(done, total)

    path = lambda result: drawn.get(id(result))  # noqa: E731
    for paper in found:
        for result in shown[paper.name]:
            drawn[id(result)] = f"{FIGURES}/{names[id(result)]}.svg"
            written(drawn[id(result)], svg(result) or "")
        written(paper.file, paper_page(paper, found, path, source))
    written(TABLES, tables(found))
    written(PAGE, overview(found, left_out, source))
    _remove_stale(folder, {paper.file for paper in found}, set(drawn.values()))


def _shown(paper: Paper) -> list[Result]:
    """The results of a paper that have a figure, one a reading at most."""
    readings = (reading for entry in paper.entries for reading in entry.readings)
    return [each.drawn for each in readings if each.drawn is not None and drawable(each.drawn)]


def _remove_stale(folder: Path, pages: set[str], figures: set[str]) -> None:
    """Remove what an earlier report left; a file that is not this program's stays."""
    for stale in (folder / FIGURES).glob("*--*--*.svg"):
        if f"{FIGURES}/{stale.name}" not in figures:
            stale.unlink()
    for stale in folder.glob("*.html"):
        if stale.name not in pages | {PAGE} and stale.is_file():
            with open(stale, "rb") as file:
                own = _OWN in file.read(1000)
            if own:
                stale.unlink()


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
