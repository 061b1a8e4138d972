"""The folder that ``verify --out`` leaves behind: results.json, figures, index.html."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import ValidationError

from theorylab.report.atomic import write_atomic
from theorylab.report.figure import png, svg
from theorylab.report.page import page
from theorylab.verdicts.result import Report, Result

RESULTS, PAGE, FIGURES, STORE = "results.json", "index.html", "figures", "results.sqlite"
_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]+")
_LONGEST = 180  # bytes of a file name, below the 255 of every common file system


def figure_names(results: Sequence[Result]) -> list[str]:
    """``<id>--<version>--<check>`` of every result, as file names without the ending.

    What a file name cannot hold becomes ``-``; a name that is cut or would come twice gets a few
    digits of its own hash.
    """
    plain = []
    for result in results:
        parts = (result.id, result.version, result.check)
        plain.append("--".join(_UNSAFE.sub("-", part).strip("-.") or "x" for part in parts))
    seen = Counter(name.lower() for name in plain)  # some file systems fold the case
    names = []
    for result, name in zip(results, plain, strict=True):
        if seen[name.lower()] > 1 or len(name) > _LONGEST:
            full = "\0".join((result.id, result.version, result.check))
            digest = hashlib.sha256(full.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            name = f"{name[:_LONGEST]}-{digest}"
        names.append(name)
    return names


def write(folder: Path, results: Sequence[Result], each: Callable[[], None] = lambda: None) -> None:
    """Write everything into ``folder``, each file whole or not at all; ``each`` counts figures.

    Figures of results that are no longer there are removed. Raises OSError.
    """
    write_atomic(folder / RESULTS, Report(schema=1, results=list(results)).to_json())
    figures = folder / FIGURES
    figures.mkdir(exist_ok=True)
    written = set()
    for result, name in zip(results, figure_names(results), strict=True):
        for ending, content in (("svg", svg(result)), ("png", png(result))):
            if content is not None:
                write_atomic(figures / f"{name}.{ending}", content)
                written.add(f"{name}.{ending}")
        each()
    for stale in [*figures.glob("*--*--*.svg"), *figures.glob("*--*--*.png")]:
        if stale.name not in written:
            stale.unlink()
    write_atomic(folder / PAGE, page(results))


def load(path: Path) -> Report:
    """Read a results.json.

    Raises:
        ValueError: one line saying what is wrong with the file, or that there is none.
    """
    try:
        text = path.read_text("utf-8")
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
