"""``theorylab compare``: runs drawn together, and their paired differences from the first."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theorylab.algorithms import ALGORITHMS
from theorylab.commands.compare import Compare
from theorylab.commands.compare.alike import alike
from theorylab.commands.compare.content import Member, compared, unlike_work, works
from theorylab.commands.options import json_text
from theorylab.commands.origin import provenance
from theorylab.commands.refusal import Refused, refusing, tell
from theorylab.commands.request import overlaid
from theorylab.commands.run import Runs
from theorylab.commands.run.folder import RUN, RunFolder
from theorylab.commands.run.task import NAME as PDBO
from theorylab.commands.run.task import built
from theorylab.commands.run.view import HEADLINES, compared_tables, panels, print_compared
from theorylab.commands.run.work import DIVERGED, Outcome, check_stored, performed, say, settled
from theorylab.commands.table import paragraph
from theorylab.imports import codes
from theorylab.registry import meant
from theorylab.report.atomic import check_writable, write_atomic
from theorylab.report.curves import MOST, plots, png, svg
from theorylab.report.run_page import page as html
from theorylab.runs.configuration import first_difference
from theorylab.runs.gradients import gradients_a_round
from theorylab.runs.summary import BANDS
from theorylab.runs.task import Task

FILES = ("compare.json", "compare.svg", "compare.png", "index.html")


@dataclass(frozen=True)
class Planned:
    """One of the runs to compare; ``outcome`` is None where it is still to be run."""

    label: str
    setting: Task
    outcome: Outcome | None


def compare(asked: Compare) -> int:
    """Compare folders of runs, and algorithms that are run now; the exit code.

    Raises Refused where they are not of one problem, before any round is run.
    """
    out, resume, force, band = asked.out, asked.resume, asked.force, asked.band
    wanted = [_target(text) for text in asked.target]
    if len(asked.which) > MOST:
        raise Refused(f"compare: {len(asked.which)} runs; need at most {MOST}, one colour each")
    if band not in BANDS:
        raise Refused(f"compare: --band is {band!r}; need one of {', '.join(BANDS)}")
    if (resume or force) and (out is None or resume == force):
        raise Refused("compare: --resume or --force; need one of them, and --out")
    planned = _planned(asked)
    _check_alike(planned)
    shown = _columns(planned, asked.columns, wanted)
    if out is not None:
        _check_out(out, planned, resume, force)
    members = [_member(plan, out, resume, force, band) for plan in planned]
    content = compared(members, shown, wanted)
    unlike = unlike_work(members)
    if unlike is not None:
        say(f"theorylab: {unlike}")
    if len({member.outcome.record.rounds_done for member in members}) > 1:
        say(f"theorylab: not all ran as long; final values are at round {content['round']}")
    if out is not None:
        _write(out, members, content, band)
    asked.write_json(content)
    if asked.speaks:
        print_compared(content)
        for line in alike(members):
            paragraph(f"{line}.")
        if out is not None:
            tell(f"{out}: {', '.join(FILES)}")
    diverged = [m for m in members if m.outcome.record.note is not None]
    for member in diverged:
        say(f"theorylab: {member.label}: {member.outcome.record.note}")
    return DIVERGED if any(member.made for member in diverged) else 0


def _target(text: str) -> tuple[str, float]:
    column, equals, number = text.partition("=")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not equals or not math.isfinite(value):
        raise Refused(f"compare: --target is {text!r}; need COLUMN=NUMBER, such as loss=.3")
    return column.strip(), value


def _planned(asked: Compare) -> list[Planned]:
    """Folders as they are, and the settings of the algorithms that are to be run."""
    which = asked.which
    loaded: dict[int, Outcome] = {}
    settings: dict[int, Task] = {}
    for text in which:  # before what one of them lacks is told
        name = text.partition(":")[0]
        if not _is_folder(text) and name not in (*ALGORITHMS, PDBO):
            raise Refused(
                f"compare: {name}: no folder that run --out has written, and no algorithm; "
                f"{meant(name, ALGORITHMS)}"
            )
    for index, text in enumerate(which):
        name, colon, options = text.partition(":")
        if _is_folder(text):
            loaded[index] = _loaded(Path(text))
            continue
        named = [part for part in options.split(",") if part] if colon else []
        settings[index] = settled(overlaid({}, name, asked, "compare", named), "compare")
    of_runs = (name for name in Runs.hints() if name != "columns")
    if not settings and any(getattr(asked, name) not in (None, ()) for name in of_runs):
        raise Refused("compare: only folders came, with flags of a run; need --columns at most")
    if not loaded and asked.columns is None:
        _widen(settings)
    plain = [
        Path(text).resolve().name if i in loaded else text.partition(":")[0]
        for i, text in enumerate(which)
    ]
    labels = [  # what would come twice gets a number
        name if plain.count(name) == 1 else f"{name}-{plain[: i + 1].count(name)}"
        for i, name in enumerate(plain)
    ]
    return [
        Planned(label, loaded[i].setting if i in loaded else settings[i], loaded.get(i))
        for i, label in enumerate(labels)
    ]


def _is_folder(text: str) -> bool:
    """Whether a run that is kept is meant, and no algorithm."""
    name = text.partition(":")[0]
    return (Path(text) / RUN).is_file() or (name not in ALGORITHMS and _is_path(text))


def _is_path(text: str) -> bool:
    return "/" in text or "\\" in text or Path(text).exists()


def _widen(settings: dict[int, Task]) -> None:
    """Own losses for all where one run has them: they are what personal models are judged by."""
    columns = [s.configuration.columns or [] for s in settings.values()]
    if any("own_loss" in names for names in columns):
        for index, setting in settings.items():
            names = list(dict.fromkeys([*(setting.configuration.columns or []), "own_loss"]))
            settings[index] = built(setting.configuration.model_copy(update={"columns": names}))


def _check_out(out: Path, planned: Sequence[Planned], resume: bool, force: bool) -> None:
    with refusing(f"--out {out}"):
        out.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            check_writable(out / name)
        for plan in planned:
            if (out / plan.label).is_symlink():
                raise ValueError(f"{plan.label} is a link; need a directory, or none")
    for plan in planned:
        folder = RunFolder(out / plan.label)
        stored = None if force or plan.outcome is not None else folder.record()
        if stored is not None:
            check_stored(folder, stored, plan.setting, resume)


def _member(plan: Planned, out: Path | None, resume: bool, force: bool, band: str) -> Member:
    gradients = gradients_a_round(plan.setting)
    if plan.outcome is not None:
        return Member(plan.label, plan.outcome, False, gradients)
    folder = None if out is None else RunFolder(out / plan.label)
    stored = None if folder is None or force else folder.record()
    ended = performed(plan.setting, folder, stored, resume, None, band)
    return Member(plan.label, ended, True, gradients)


def _loaded(path: Path) -> Outcome:
    folder = RunFolder(path)
    record = folder.record()
    if record is None:
        raise Refused(f"compare: {path}: no {RUN} there; need a folder of run --out, or a name")
    if record.status == "running":
        raise Refused(
            f"compare: {path}: the run is unfinished; need theorylab run --resume --out {path}"
        )
    lacking = [code.file for code in record.imports if code not in codes()]
    try:
        with refusing(f"compare: {path}"):
            setting = built(record.configuration)
    except Refused as error:
        if not lacking:
            raise
        raise Refused(f"{error}; the run was made with {', '.join(lacking)}") from error
    return Outcome(setting, record, folder.trace(record))


def _check_alike(planned: Sequence[Planned]) -> None:
    """One problem, or nothing is comparable; other seeds are said, and leave no pairs."""
    first = planned[0]
    old = {"problem": first.setting.document["problem"], "clients": first.setting.topology.clients}
    for plan in planned[1:]:
        new = {
            "problem": plan.setting.document["problem"],
            "clients": plan.setting.topology.clients,
        }
        difference = first_difference(old, new)
        if difference is not None:
            raise Refused(
                f"compare: {first.label} and {plan.label} are of different problems: "
                f"{difference} in {plan.label}; need the same problem"
            )
        if plan.setting.configuration.seed != first.setting.configuration.seed:
            say(f"theorylab: {plan.label} has another seed than {first.label}: runs are no pairs")


def _columns(
    planned: Sequence[Planned], columns: str | None, targets: Sequence[tuple[str, float]]
) -> list[str]:
    """The columns of all runs, or of those the ones asked for."""
    names = [plan.setting.configuration.columns or [] for plan in planned]
    shared = [name for name in names[0] if all(name in others for others in names)]
    asked = None if columns is None else [name.strip() for name in columns.split(",")]
    for name in [*(asked or []), *(name for name, _ in targets)]:
        if name not in shared:
            raise Refused(
                f"compare: no column {name!r} in all runs; need some of {', '.join(shared)}"
            )
    # weights are of the network, the same for all methods: shown where somebody asks
    return asked or [name for name in shared if not name.startswith("weight_")] or shared


def _write(out: Path, members: Sequence[Member], content: dict[str, Any], band: str) -> None:
    traces = {member.label: member.outcome.trace for member in members}
    given = members[0].outcome.setting
    title = f"{given.problem.name}, {given.topology.clients} clients"
    note = BANDS[band] if any(m.outcome.trace.runs.size > 1 for m in members) else ""
    columns = list(dict.fromkeys(row["column"] for row in content["final"]))
    shown = panels(traces, band, columns)
    for along, at in works(members).items():
        shown += panels(traces, band, [name for name in columns if name in HEADLINES], along, at)
    with refusing(f"--out {out}"):
        out.mkdir(parents=True, exist_ok=True)
        write_atomic(out / FILES[0], json_text(content))
        if shown:
            write_atomic(out / FILES[1], svg(title, note, shown))
            write_atomic(out / FILES[2], png(title, note, shown))
        source = json.dumps(content["runs"], indent=1)
        picture, told = (FILES[1], plots(title, note, shown)) if shown else (None, [])
        tables = compared_tables(content)
        text = html(title, None, picture, tables, source, origin=provenance(), plots=told)
        write_atomic(out / FILES[3], text)
