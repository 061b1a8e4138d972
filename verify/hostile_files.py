"""Damaged files of ``hostile.py``: every kind of file that theorylab reads back, spoilt one by one.

A folder of each kind is finished once. A call copies it, spoils one of its files, and runs a
command that reads it or goes on from it. Bytes are flipped, cut or taken from another file; JSON
has a part replaced; a row of a database gets an odd text under the digest that it has to have.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import pathlib
import random
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from hostile_calls import RUN, Call, changed, damaged

LOST = 96  # the exit code of a call after which something was lost, or another result came
PLAN = """columns = ["loss"]
[instance]
algorithm = {name = "sgp", eta = 0.1}
problem = {name = "quadratic", dim = 2}
topology = {name = "ring"}
rounds = 3
[axes]
clients = [2, 3]
"problem.seed" = [0, 1]
"""
CLAIMS = """claim = "dfedsgpsm.lem1"
version = "corrected"
[axes]
seed = [0, 1]
"""
LONG = [*RUN[:-4], "--rounds", "400", "--eta", "0.01", "--seeds", "2", "--loss", "0.1"]
CHECKPOINTS = ["--checkpoint-every", "50"]
STUDY = ["speedup", "sgp", "--clients", "2", "--rounds", "16", "--no-transient", "--out", "study"]
VERIFY = ["verify", "dfedsgpsm.lem1", "--out", "v"]
ODD = (
    *("null", "[]", "{}", "3", "", "{", "[" * 100_000, '{"schema": 1}', '{"status": {}}', "[[]]"),
    *('{"at": {}}', '{"plan": {"axes": {"a": 3}}, "cells": 2, "code": []}', '{"values": [[]]}'),
    *('{"at": {"clients": {"a": [1e999]}}}', '{"status": "\\ud800"}', '{"kind": "speedup"}'),
)
# Folder, files of it, and commands that read it; the first one goes on from it.
PLACES: dict[str, tuple[tuple[str, ...], tuple[list[str], ...]]] = {
    "one": (
        ("cells.sqlite", "cells.sqlite", "campaign.json"),
        (
            *(["sweep", "plan.toml", "--out", "one"], ["sweep", "show", "one"]),
            *(["sweep", "status", "one"], ["sweep", "export", "one", "--csv", "-", "--out", "w"]),
            *(["sweep", "diff", "one", "claims"], ["sweep", "merge", "one", "--out", "w"]),
        ),
    ),
    "claims": (
        ("cells.sqlite", "cells.sqlite", "campaign.json"),
        (
            *(["sweep", "claims.toml", "--out", "claims"], ["sweep", "show", "claims"]),
            *(["sweep", "export", "claims", "--out", "w"], ["sweep", "diff", "claims", "one"]),
        ),
    ),
    "study": (
        ("cells.sqlite", "cells.sqlite", "campaign.json", "speedup.json"),
        (STUDY, ["sweep", "show", "study"], ["sweep", "plan.toml", "--out", "study"]),
    ),
    "v": (("results.sqlite", "results.json"), (VERIFY, ["report", "v"])),
    "o": (("run.json", "trace.npz"), ([*LONG, "--out", "o", "--resume"], ["compare", "o", "o"])),
    "p": (
        ("run.json", "checkpoint-1.npz", "checkpoint-2.npz"),
        ([*LONG, "--out", "p", "--resume", *CHECKPOINTS],),
    ),
    "kept": (("results-*.sqlite",), (["kept"], ["verify", "dfedsgpsm.lem1"])),
}
HERE = pathlib.Path(tempfile.gettempdir()) / f"hostile-{os.getpid()}-files"


def prepared() -> None:
    """Finish a folder of each kind, in a process of its own: the calls start without threads."""
    HERE.mkdir()
    atexit.register(shutil.rmtree, HERE, ignore_errors=True)
    _forked(_finish)
    _forked(_interrupt)


def _forked(work: Callable[[], int]) -> None:
    pid = os.fork()
    if pid == 0:
        code = 1
        with contextlib.suppress(BaseException):
            os.chdir(HERE)
            for number in (1, 2):
                os.dup2(os.open("told", os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
            os.environ["THEORYLAB_KEPT"] = str(HERE / "kept")
            code = work()
        os._exit(code)
    if os.waitpid(pid, 0)[1]:
        raise SystemExit(f"the folders could not be made: {(HERE / 'told').read_text()[-2000:]}")


def _finish() -> int:
    from theorylab import cli

    pathlib.Path("plan.toml").write_text(PLAN)
    pathlib.Path("claims.toml").write_text(CLAIMS)
    found = [
        cli.run(["sweep", "plan.toml", "--out", "one"]),
        cli.run(["sweep", "claims.toml", "--out", "claims"]),
        0 if cli.run(STUDY) in (0, 1, 4) else 1,
        cli.run(VERIFY),
        cli.run([*LONG, "--out", "o"]),
        cli.run(["verify", "dfedsgpsm.lem1"]),
    ]
    return sum(found)


def _interrupt() -> int:
    """A run that ends, as if killed, once both of its checkpoints are there."""
    from theorylab import cli
    from theorylab.commands.run.folder import RunFolder

    cls: Any = RunFolder
    keep = cls.keep

    def kept(folder: Any, *given: Any) -> None:
        keep(folder, *given)
        if pathlib.Path("p/checkpoint-2.npz").exists():
            os._exit(0)

    cls.keep = kept
    cli.run([*LONG, "--out", "p", *CHECKPOINTS])
    return 1


def drawn(draw: random.Random) -> Call:
    """One file spoilt, and one command."""
    place = draw.choice([*PLACES])
    files, commands = PLACES[place]
    file = draw.choice(files)
    how = draw.choice(("bytes", "bytes", "text", "text", "swap"))
    words = commands[0] if draw.random() < 0.5 else draw.choice(commands)
    seed = draw.randrange(2**32)

    def make(folder: pathlib.Path) -> int:
        from theorylab import cli

        for each in HERE.iterdir():
            copy = shutil.copytree if each.is_dir() else shutil.copy
            copy(each, folder / each.name)
        os.environ["THEORYLAB_KEPT"] = str(folder / "kept")
        want = _result("o" if place == "p" else place)
        (path,) = (folder / place).glob(file)
        believed = _spoil(path, how, random.Random(seed))
        code = _looked_up() if words == ["kept"] else cli.run(words)
        sys.stdout.flush()
        goes_on = words is commands[0] and code in (0, 1, 4)
        if words == ["kept"]:
            return 0 if believed else code
        if not goes_on or believed or (found := _result(place)) == want:
            return code
        print(f"lost: {want}, now {found}", file=sys.stderr)
        return LOST

    return Call("damaged", f"{place}/{file} {how} {seed}: {words}", make, line=None)


def _spoil(path: pathlib.Path, how: str, draw: random.Random) -> bool:
    """Whether what it says now is as good as what it said: a stranger's numbers are believed."""
    if how == "swap":
        others = [each for each in HERE.rglob("*.*") if each.is_file() and each.name != path.name]
        path.write_bytes(draw.choice(sorted(others)).read_bytes())
    elif how == "bytes":
        path.write_bytes(damaged(draw, path.read_bytes()))
    elif path.suffix == ".sqlite":
        _forge(path, draw)
        return True
    elif path.suffix == ".json":
        path.write_text(_other(draw, path.read_text()))
        return path.name == "run.json"  # another run is another run
    else:
        path.write_bytes(draw.randbytes(draw.choice((0, 1, 100, 10_000))))
    return False


def _forge(path: pathlib.Path, draw: random.Random) -> None:
    """Another text in a row, under its right digest."""
    data = sqlite3.connect(path)
    with data:
        if draw.random() < 0.3:
            number, text = data.execute("SELECT id, text FROM eras ORDER BY id DESC").fetchone()
            made = _other(draw, text)
            raw = hashlib.sha256(made.encode("utf-8", "replace")).digest()
            data.execute("UPDATE eras SET text = ?, sha256 = ? WHERE id = ?", (made, raw, number))
        else:
            rows = data.execute("SELECT key, point, row FROM cells ORDER BY key").fetchall()
            key, *texts = draw.choice(rows)
            place = draw.randrange(2)
            texts[place] = _other(draw, texts[place])
            both = "\0".join([key.hex(), *texts]).encode("utf-8", "replace")
            data.execute(
                "UPDATE cells SET point = ?, row = ?, sha256 = ? WHERE key = ?",
                (*texts, hashlib.sha256(both).digest(), key),
            )
    data.close()


def _other(draw: random.Random, text: str) -> str:
    made = draw.choice(ODD) if draw.random() < 0.4 else changed(draw, json.loads(text))
    data = made if isinstance(made, bytes) else made.encode("utf-8", "replace")
    return data.decode("utf-8", "replace").replace("\0", " ")


def _result(place: str) -> Any:
    """What a folder says, but for times, versions and what can be made from the rest."""
    try:
        if place in ("one", "claims"):
            from theorylab.campaigns import Rows

            return Rows.of(pathlib.Path(place)).digest
        if place == "study":
            return json.loads(pathlib.Path("study/speedup.json").read_text())["rows"]
        if place == "v":
            results = json.loads(pathlib.Path("v/results.json").read_text())["results"]
            return [{**each, "seconds": 0} for each in results]
        if place in ("o", "p"):
            return json.loads(pathlib.Path(place, "run.json").read_text())["final"]
    except (OSError, ValueError, KeyError) as error:
        return repr(error)
    return None


def _looked_up() -> int:
    """What a test takes from the results that are kept: what was judged, or nothing."""
    from theorylab.campaigns.kept_results import KeptResults
    from theorylab.report.folder import load
    from theorylab.verdicts import jobs

    kept = KeptResults(pathlib.Path("kept"), print)
    judged = {
        (r.version, r.check): r.measured for r in load(pathlib.Path("v/results.json")).results
    }
    for job in jobs(["dfedsgpsm.lem1"]):
        found = kept.get(job)
        if found is not None and found.measured != judged[found.version, found.check]:
            return LOST
    return 0
