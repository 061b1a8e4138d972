"""Cells of a study: kept in the folder of a campaign, and computed where a campaign's are."""

from __future__ import annotations

import functools
import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.campaigns import Loop, Played, Store, Stored, Task, canonical, schema, stamp
from theorylab.campaigns.backends import Backend, Here
from theorylab.files import named_files
from theorylab.imports import codes, imported
from theorylab.registry import Table
from theorylab.speedup.cells import ENDS, Cell, Errors
from theorylab.speedup.protocol import Arm, Protocol

_ARRAYS = ("values", "room", "ends", "ends_room")


def check_code(known: Table[Any], name: str) -> None:
    """Raises ValueError of a class whose code no key would hold, and no worker would have."""
    entry = known.entry(name)
    if not entry.built_in and not any(str(each.path) == entry.file for each in imported()):
        raise ValueError(
            f"speedup: out or jobs came with {entry.value.__name__}, whose file was not imported, "
            "so that no key or worker has its code; need --import FILE.py, or neither"
        )


def played(document: dict[str, Any]) -> Played:
    """A cell as a worker computes it; ``fault`` says in a line why there is none."""
    began = time.process_time()
    try:
        parts = {name: document.pop(name) for name in ("clients", "arm", "runs", "seed", "exact")}
        protocol = _protocol(canonical(document), tuple(each.model_dump_json() for each in codes()))
        runs = tuple(range(*parts.pop("runs")))
        cell = Cell(protocol, arm=Arm(**parts.pop("arm")), runs=runs, **parts)
        row = _row(cell.errors())
    except ValueError as error:
        row = canonical({"fault": str(error)})
    return Played(row, {}, time.process_time() - began)


@functools.lru_cache(2)  # a study, and that at a smaller step: a problem may have its data
def _protocol(text: str, code: tuple[str, ...]) -> Protocol:
    return Protocol.of(json.loads(text))


class Cells:
    """What ``Study`` has its cells from.

    Of a store a cell is a row under a key of all that decides it. Another theorylab, another file
    that is imported, or another option is another key, so that nothing old is taken for new.

    Args:
        store: keeps every cell; None keeps nothing.
        backend: computes several at once; None: this process, one after the other.
    """

    def __init__(self, store: Store | None = None, backend: Backend | None = None) -> None:
        self.store, self.backend, self.seconds = store, backend, 0.0
        if store is not None or backend is not None:
            code = [stamp(), *(each.model_dump() for each in codes())]
            self.code = canonical(code)
        if store is not None:
            self.era = store.era(canonical({"plan": {"speedup": code}, "code": code, "cells": 0}))

    def all(self, cells: Sequence[Cell]) -> Iterator[tuple[Cell, Errors]]:
        """Each cell with its errors, as soon as it is there; ``seconds`` adds what processors took.

        Raises ValueError, one line, where a run diverges, or a file that is named has changed.
        """
        if self.store is None and self.backend is None:
            for cell in cells:
                began = time.process_time()
                errors = cell.errors()
                self.seconds += time.process_time() - began
                yield cell, errors
            return
        tasks: dict[str, tuple[Cell, Task]] = {}
        for cell in cells:
            task = self._task(cell)
            row = None if self.store is None else self.store.get(task.key)
            kept = None if row is None else _errors(row.row, cell.document)
            if row is not None and kept is not None:
                self.seconds += row.seconds
                yield cell, kept
            else:
                tasks[task.key] = cell, task
        fault, backend = "", self.backend or Here()
        for done in Loop([task for _, task in tasks.values()], backend, _say, played):
            for each in done:
                cell, task = tasks[each.key]
                made = _errors(each.row, cell.document)
                if made is None:
                    fault = fault or str(json.loads(each.row)["fault"])
                    continue
                self.seconds += each.seconds
                if self.store is not None:
                    now = int(time.time())
                    row = Stored(task.key, task.about, each.row, each.seconds, now)
                    self.store.put(self.era, [row])
                yield cell, made
        if fault:
            raise ValueError(fault)

    def _task(self, cell: Cell) -> Task:
        document = cell.document
        point, files = canonical({"at": document}), _files(document)
        text = "\0".join([self.code, point, *([files] if files else [])])
        key = hashlib.sha256(text.encode()).hexdigest()
        return Task(key, point, canonical(document), files)


def _say(line: str) -> None:
    """Cells of a worker that is gone are computed again; a study says nothing of it."""


def _row(made: Errors) -> str:
    arrays = {name: getattr(made, name).tolist() for name in _ARRAYS}
    return canonical({**arrays, "exact": made.exact})


def _errors(text: str, document: Mapping[str, Any]) -> Errors | None:
    """What a row says; None where it is no row of this cell, and is made again."""
    try:
        found = schema.row(text, schema.SPEEDUP)
        values, room, ends, ends_room = (np.array(found[name], np.float64) for name in _ARRAYS)
    except ValueError:
        return None
    first, last = document["runs"]
    rounds, every = document["rounds"], max(1, document["rounds"] // document["points"])
    places = len({*range(every, rounds + 1, every), rounds})
    fits = values.shape == (last - first, places) and room.shape == (places,)
    fits = fits and ends.shape == (last - first, len(ENDS)) and ends_room.shape == (len(ENDS),)
    fits = fits and (found["exact"] or not document["exact"])
    return Errors(values, room, ends, ends_room, found["exact"]) if fits else None


def _files(document: Mapping[str, Any]) -> str:
    """What a cell names on the disk, by its content."""
    pattern = document["pattern"]
    method = {**document["options"], "name": document["method"]}
    problem = {**pattern["options"], "name": pattern["name"]}
    return named_files({"algorithm": method, "problem": problem, "topology": document["network"]})
