"""``theorylab run``: an algorithm on a problem over a topology, kept so that it can go on."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from theorylab.commands.options import Place
from theorylab.commands.refusal import (
    Refused,
    one_line,
    refusing,
    tell,
)
from theorylab.commands.request import overlaid, read_document
from theorylab.commands.run import Run
from theorylab.commands.run.folder import RunFolder
from theorylab.commands.run.rounds import rounds
from theorylab.commands.run.task import built
from theorylab.commands.run.view import page, panels, print_run, title
from theorylab.imports import codes, difference
from theorylab.report.curves import plots, png, svg
from theorylab.runs import DivergedError, Snapshot
from theorylab.runs.configuration import Setting, first_difference
from theorylab.runs.price import Price
from theorylab.runs.record import Record, Saved, record_of, saved
from theorylab.runs.summary import BANDS
from theorylab.runs.task import Task

DIVERGED = 1  # the exit code of a run that overflowed
_EVERY = "10s"
_DEAR = 10**9  # gradients that take minutes or more: such a run says its price first
_SHARE = 20  # writing a checkpoint may take one part in so many of the time


@dataclass(frozen=True)
class Outcome:
    """A run that is over: what run.json says, and the trace."""

    setting: Task
    record: Record
    trace: Saved


def run(asked: Run) -> int:
    """Run it and show it; the exit code. Raises Refused before any round is run."""
    _check(asked)
    out, algorithm = asked.out, asked.algorithm
    folder = None if out is None else RunFolder(out)
    stored = None if folder is None or asked.force else folder.record()
    if folder is not None and stored is not None and asked.resume:
        if asked.config is not None:
            raise Refused("run: --config came with --resume; need one, the folder has its own")
        check_imports(folder.path, stored)
        base = json.loads(stored.configuration.model_dump_json())
    elif asked.resume and algorithm is None and asked.config is None:
        raise Refused(f"run: --out {out}: holds no run; need one to go on with, or an ALGORITHM")
    else:
        base = {} if asked.config is None else read_document(asked.config)
    try:
        setting = settled(overlaid(base, algorithm, asked, "run"), "run")
        ended = performed(setting, folder, stored, asked.resume, asked.checkpoint_every, asked.band)
    except Refused as error:
        line = "" if base else _example(asked)
        raise Refused(f"{error}; {line} runs" if line else str(error)) from error
    if asked.json_target is not None:
        content: dict[str, Any] = json.loads(ended.record.to_json())
        content["trace"] = ended.trace.as_json()
        asked.write_json(content)
    asked.write_csv(ended.trace)
    if asked.speaks:
        print_run(ended.record)
        if out is not None:
            tell(f"{out}: run.json, trace.npz, curves.svg, curves.png, index.html")
    if ended.record.note is not None:
        kept = f"; {out} holds the rounds before" if out is not None else ""
        say(f"theorylab: {ended.record.note}{kept}")
        return DIVERGED
    return 0


def _example(asked: Run) -> str:
    """A command line that runs, where the one that came lacks what the method needs; or ""."""
    from theorylab.commands.run.example import example

    options = (setting.partition("=")[0].removeprefix("algorithm.") for setting in asked.settings)
    given: dict[str, Any] = {"problem": asked.problem, "topology": asked.topology}
    given |= {place.path.rpartition(".")[2]: value for _, place, value in asked.marked(Place)}
    given |= dict.fromkeys(options, True)
    return example(asked.algorithm or "", given)


def settled(document: dict[str, Any], where: str) -> Task:
    """The setting of a document. Raises Refused."""
    with refusing(where), np.errstate(all="ignore"):
        return built(document)


def performed(
    setting: Task,
    folder: RunFolder | None,
    stored: Record | None,
    resume: bool,
    checkpoint_every: str | None,
    band: str,
) -> Outcome:
    """The run as it ended: now, or before, where ``folder`` has it. Raises Refused."""
    if folder is None:
        return _ended(setting, None, None, None)
    found: Snapshot | None = None
    if stored is not None:
        check_stored(folder, stored, setting, resume)
        if stored.status != "running":
            trace = folder.trace(stored)
            say(f"{folder.path}: nothing is left to run")
            return Outcome(setting, stored, trace)
    with folder.prepared():
        if stored is not None:
            found = folder.latest(setting, say)
            say(f"{folder.path}: goes on at {setting.unit} {found.state.t if found else 0}")
        ended = _ended(setting, folder, found, checkpoint_every)
        folder.finish(ended.record, ended.trace, pictures(setting, ended, band))
    return ended


def pictures(setting: Task, ended: Outcome, band: str) -> dict[str, str | bytes]:
    """The curves and the page of a run, by file name; no curves where nothing was recorded."""
    shown = panels({setting.configuration.algorithm["name"]: ended.trace}, band)
    if not shown:
        return {"index.html": page(ended.record, False)}
    runs = ended.trace.runs.size
    head = f"{title(ended.record)}, {runs} run{'s' * (runs != 1)}"
    note = BANDS[band] if runs > 1 else ""
    return {
        "index.html": page(ended.record, True, plots(head, note, shown)),
        "curves.svg": svg(head, note, shown),
        "curves.png": png(head, note, shown),
    }


def _ended(
    setting: Task, folder: RunFolder | None, found: Snapshot | None, every: str | None
) -> Outcome:
    """Run the rounds that are left, with progress and checkpoints."""
    total, due = setting.total, _due(every or _EVERY)
    last, begun, cost = found, found is not None, 0.0
    exact, note = False, None
    given = setting.configuration
    name = f"{given.algorithm['name']} on {given.problem['name']}"
    if isinstance(setting, Setting):
        price = Price.of(setting.problem, setting.algorithm, given.seeds, given.rounds)
        if price.gradients > _DEAR:
            say(f"{name}: {price}; Ctrl-C ends it")
    with rounds(name, total, found.state.t if found else 0, setting.unit) as shown:

        def keep(snapshot: Snapshot) -> None:
            nonlocal last, begun, cost
            last = snapshot
            t = snapshot.state.t
            loss = snapshot.table.get(setting.shown)
            shown.reached(t, None if loss is None else float(loss[:, -1].mean()))
            if folder is None:
                return
            if not begun:  # only now: a run that is refused in its first round leaves no trace
                folder.begin(setting)
                begun = True
            if t < total and due(t, cost):
                began = time.monotonic()
                _keep(folder, setting, snapshot, shown.note)
                cost = time.monotonic() - began

        try:
            # what overflows is reported once, by its column
            with np.errstate(all="ignore"):
                exact = setting.simulate(checkpoint=keep, resume=found).exact
        except DivergedError as error:
            note = str(error)
        except ValueError as error:
            with refusing("run"):
                raise error
        except KeyboardInterrupt:
            if folder is not None and last is not None:
                _keep(folder, setting, last, shown.note)
            raise
    if note is None:
        try:
            trace = saved(setting, last)
        except DivergedError as error:
            note = str(error)
    if note is not None:
        trace = saved(setting, last, end=False)
    return Outcome(setting, record_of(setting, trace, exact, note), trace)


def _keep(
    folder: RunFolder, setting: Task, snapshot: Snapshot, note: Callable[[str], None]
) -> None:
    try:
        folder.keep(setting, snapshot)
    except OSError as error:  # the rounds so far are worth more than their checkpoint
        at, reason = f"{setting.unit} {snapshot.state.t}", error.strerror or error
        note(f"theorylab: {folder.path}: no checkpoint at {at} ({reason})")


def _due(every: str) -> Callable[[int, float], bool]:
    """Whether a checkpoint is due after round t, when the last one took ``cost`` seconds."""
    if not every.endswith("s"):
        step = int(every)
        return lambda t, cost: t % step == 0
    wait, before = float(every[:-1]), time.monotonic()

    def due(t: int, cost: float) -> bool:
        nonlocal before
        now = time.monotonic()
        if now - before < max(wait, _SHARE * cost):
            return False
        before = now
        return True

    return due


def _check(asked: Run) -> None:
    if asked.resume and asked.force:
        raise Refused("run: --resume came with --force; need one of them")
    for name in ("resume", "force", "checkpoint_every"):
        if getattr(asked, name) and asked.out is None:
            flag = f"--{name.replace('_', '-')}"
            raise Refused(f"run: {flag} without --out; need the folder of the run")
    if asked.band not in BANDS:
        raise Refused(f"run: --band is {asked.band!r}; need one of {', '.join(BANDS)}")
    checkpoint_every = asked.checkpoint_every
    if checkpoint_every is not None:
        number = checkpoint_every.removesuffix("s")
        whole = number == checkpoint_every
        try:
            fits = int(number) >= 1 if whole else 0 <= float(number) < float("inf")
        except ValueError:
            fits = False
        if not fits:
            raise Refused(
                f"run: --checkpoint-every is {checkpoint_every!r}; need rounds (50) or seconds "
                "(30s)"
            )


def check_imports(path: Path, stored: Record) -> None:
    """Raise Refused where other code is imported than when ``stored`` was made."""
    told = difference(stored.imports, codes())
    if told is not None:
        raise Refused(f"--out {path}: holds a run with other imports: {told}")


def check_stored(folder: RunFolder, stored: Record, setting: Task, resume: bool) -> None:
    """Raise Refused where ``stored`` is not the run that is asked for, or nobody said --resume."""
    kind = {"running": "an unfinished", "finished": "a finished", "diverged": "a diverged"}
    if not resume:
        raise Refused(
            f"--out {folder.path}: holds {kind[stored.status]} run; need --resume to go on "
            "with it, --force to replace it, or another folder"
        )
    check_imports(folder.path, stored)
    old = json.loads(stored.configuration.model_dump_json())
    difference = first_difference(old, setting.document)
    if difference is not None:
        raise Refused(
            f"--out {folder.path}: holds another run: {difference}; need the same, --force, "
            "or another folder"
        )


def say(line: str) -> None:
    """A line on stderr."""
    tell(one_line(line), file=sys.stderr, flush=True)
