"""What a worker does, in this process, in one beside it, or on another machine: chunks of cells."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import pathlib
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import theorylab
from theorylab.campaigns.code import csrc_hash
from theorylab.campaigns.play import Played, played
from theorylab.campaigns.text import Document
from theorylab.files import changed
from theorylab.imports import Source, codes, import_again
from theorylab.processes import as_given

OPEN = 0.2  # seconds after which a chunk is handed in as far as it is
_LOCK = threading.Lock()  # one cell at a time in a process, however many threads it has
Play = Callable[[Document], Played]  # a function of a module, which a worker has by its name


@dataclass(frozen=True)
class Task:
    """A cell on its way: ``about`` and ``document`` are canonical JSON. ``files``: what it names on
    the disk, by its content (see ``theorylab.files``)."""

    key: str
    about: str
    document: str
    files: str = ""


@dataclass(frozen=True)
class Chunk:
    """Some cells; ``stamp`` and ``sources`` say with which code. ``lost``: how often it was.

    play: computes a cell; ``played`` if it is None.
    """

    tasks: tuple[Task, ...]
    stamp: str
    sources: Sequence[Source]
    lost: int = 0
    play: Play | None = None


@dataclass(frozen=True)
class Done:
    """A computed cell; ``texts``: what its row names."""

    key: str
    about: str
    row: str
    texts: Mapping[str, str]
    seconds: float


class OtherCodeError(ValueError):
    """A worker has another theorylab, or another file that a cell names."""


@functools.cache
def stamp() -> str:
    """The version of theorylab in this process, and a hash of all its sources."""
    root = pathlib.Path(theorylab.__file__).parent
    digest = hashlib.sha256(csrc_hash().encode())
    for path in sorted([*root.rglob("*.py"), *root.rglob("*.toml")]):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{theorylab.__version__} {digest.hexdigest()[:16]}"


def compute(chunk: Chunk) -> list[Done]:
    """The cells of a chunk, one after the other, until ``OPEN`` seconds have passed.

    Raises OtherCodeError where this process has another theorylab than the one that asks, or
    where a file that a cell names has another content.
    """
    if stamp() != chunk.stamp:
        raise OtherCodeError(f"a worker has theorylab {stamp()}; need {chunk.stamp}, as here")
    with _LOCK:
        if [code for _, code in chunk.sources] != codes():
            import_again(chunk.sources)
        began, done = time.monotonic(), []
        for task in chunk.tasks:
            made = (chunk.play or played)(json.loads(task.document))
            name = changed(task.files)
            if name is not None:
                raise OtherCodeError(
                    f"{name}: changed while the campaign ran, or is another one at a worker; need "
                    "it unchanged, and the same everywhere"
                )
            done.append(Done(task.key, task.about, made.row, made.texts, made.seconds))
            if time.monotonic() - began > OPEN:
                break
    return done


def alone(parent: int) -> None:
    """Prepare a process of its own: one thread, deaf to Ctrl-C, gone when its parent is gone."""
    from threadpoolctl import threadpool_limits

    from theorylab.kernels import set_threads

    as_given()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    set_threads(1)
    threadpool_limits(1)
    threading.Thread(target=_watched, args=(parent,), daemon=True).start()


def _watched(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
