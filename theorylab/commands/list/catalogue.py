"""``theorylab list``: every statement, its versions and their checks.

The built-in ones are read from a file: nothing of them is imported to be listed, or to be missed.
"""

from __future__ import annotations

import fnmatch
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from theorylab.commands.completion import KINDS
from theorylab.commands.list import List
from theorylab.commands.refusal import Refused, refusing, tell
from theorylab.commands.table import paragraph, print_table
from theorylab.registry import matching, meant
from theorylab.report.listing import Listing, entry, ids, kept


def check_selection(selection: Sequence[str]) -> None:
    """Refuse an id or a pattern that is of no built-in statement.

    A user's file passes, and with code that is imported everything: it may state anything.
    """
    if _others():
        return
    names = ids()
    for item in selection:
        if item.endswith(".py") or matching(item, names):
            continue
        if item in ("statements", *KINDS):
            raise Refused(f"{item!r} is no statement, but a list; need theorylab list {item}")
        what = "a paper or an id that list shows"
        raise Refused(f"no statement {item!r}; {meant(item, [*names, *KINDS], what)}")


def opened(selection: Sequence[str]) -> list[str]:
    """The selection with every Python file below a folder in the folder's place, sorted by path.

    What is named like a statement or a paper is that, also where a folder has the same name. Names
    that begin with _ or a dot, and conftest.py, are no theorems: modules that theorems share.

    Raises:
        Refused: nothing is left of a folder, which would be judged as if it held.
    """
    return [file for item in selection for file in _files(item)]


def _files(item: str) -> list[str]:
    if not os.path.isdir(item) or matching(item, ids()):
        return [item]
    folder = Path(item)
    with refusing(item):
        files = [path for path in folder.rglob("*.py") if path.is_file()]
    parts = {path: path.relative_to(folder).parts for path in files}
    theorems = [
        str(path)
        for path in sorted(files)
        if path.name != "conftest.py" and not any(part[0] in "_." for part in parts[path])
    ]
    if not theorems:
        raise Refused(f"{item}: no theorem file in this folder; need a FILE.py in it")
    return theorems


def paper_meant(name: str) -> str | None:
    """The paper of that name, however its letters are written; None where there is none."""
    papers = {each.partition(".")[0] for each in ids()}
    return name.lower() if name.lower() in papers else None


def catalogue(asked: List) -> int:
    """Print papers, the statements of papers, or checks with the verdict that is expected.

    Of a whole paper also what is not run, and why.
    """
    every = asked.selection[:1] == ["statements"]
    selection = opened(asked.selection[every:])
    check_selection(selection)
    known = kept()
    found = _found(selection, known)
    whole = [paper for item in selection if (paper := paper_meant(item))]
    left_out = {
        paper: reasons
        for paper, reasons in known["not_run"].items()
        if reasons
        and any(item == paper or fnmatch.fnmatchcase(f"{paper}.", item)
                for item in [*whole, *selection] or ["*"])
    }  # fmt: skip
    asked.write_json({"statements": found, "not_run": left_out})
    if not asked.speaks:
        return 0
    if not selection and not every:
        _print_papers(known)
        built_in = ids()
        own = [each for each in found if each["id"] not in built_in]
        if own:
            _print_checks(own)
        return 0
    if selection and len(whole) == len(selection):
        rows = [(each["id"], each["false"], f"{each['locator']}: {each['text']}") for each in found]
        print_table("", ("statement", "false", "what it says"), rows)
        for paper, reasons in left_out.items():
            tell(f"{len(reasons)} parts are not run: theorylab list '{paper}.*' says why.")
        return 0
    _print_checks(found)
    for paper, reasons in left_out.items():
        tell()
        print_table("", (paper, "why it is not run"), list(reasons.items()))
    return 0


def _others() -> bool:
    """Whether code of others is imported."""
    module = sys.modules.get("theorylab.imports")  # who imports something has imported it
    return module is not None and bool(module.imported())


def _found(selection: Sequence[str], known: Listing) -> list[Listing]:
    if not any(item.endswith(".py") for item in selection) and not _others():
        by_id = {each["id"]: each for each in known["statements"]}
        names = [name for item in selection or ["*"] for name in matching(item, [*by_id])]
        return [by_id[name] for name in dict.fromkeys(names)]
    from theorylab.verdicts import selected

    with refusing("list"):
        return [entry(statement) for statement, _ in selected(selection).values()]


def _print_papers(known: Listing) -> None:
    """A row a paper, and what else may be listed."""
    columns = known["columns"]
    severities = slice(columns.index(">checks") + 1, columns.index(">empty"))
    shown = (">by another's fault", ">empty", ">corrected", ">not run")
    rows = [
        (
            *counts[: severities.start],
            str(sum(map(int, counts[severities]))),
            *(counts[columns.index(name)] for name in shown),
        )
        for counts in known["counts"].values()
    ]
    heads = (*columns[: severities.start], ">false", ">inherited", *shown[1:])
    print_table("", heads, rows)
    paragraph("False: by a fault in its own lines; inherited: by a fault in other lines alone.")
    paper = next(iter(known["counts"]))
    tell(f"Statements of a paper:    theorylab list {paper}")
    tell(f"What is false in it, why: theorylab explain {paper}")
    tell("Every check of each:      theorylab list statements")
    tell(f"Names and their options:  theorylab list {' | '.join(KINDS)}")


def _print_checks(found: Sequence[Listing]) -> None:
    rows = [
        (
            each["id"],
            version,
            "\n".join(f"{check}: {verdict}" for check, verdict in checks.items()),
            f"{each['locator']}: {each['text']}",
        )
        for each in found
        for version, checks in each["versions"].items()
    ]
    print_table("", ("statement", "version", "check: expected", "what it says"), rows)
