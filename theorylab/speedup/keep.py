"""Cells of a study in the folder of a campaign: a killed study goes on where it was."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from theorylab.campaigns import Store, Stored, canonical, schema, stamp
from theorylab.files import changed, named_files
from theorylab.imports import codes, imported
from theorylab.registry import Table
from theorylab.speedup.cells import ENDS, Errors

_ARRAYS = ("values", "room", "ends", "ends_room")


def check_code(known: Table[Any], name: str) -> None:
    """Raises ValueError of a class whose code no key would hold."""
    entry = known.entry(name)
    if not entry.built_in and not any(str(each.path) == entry.file for each in imported()):
        raise ValueError(
            f"speedup: out came with {entry.value.__name__}, whose file was not imported, so that "
            "an edit of it would not be seen; need --import FILE.py, or no out"
        )


class Cells:
    """What ``Study`` keeps its cells in: a row a cell, under a key of all that decides it.

    Another theorylab, another file that is imported, or another option is another key, so that
    nothing old is taken for new.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        code = [stamp(), *(each.model_dump() for each in codes())]
        self.code = canonical(code)
        self.era = store.era(canonical({"plan": {"speedup": code}, "code": code, "cells": 0}))
        self.known = {row.key: row for row in store.rows()}

    def get(self, document: Mapping[str, Any], make: Callable[[], Errors]) -> Errors:
        """The cell as it is kept, or made now and kept."""
        point = canonical({"at": dict(document)})
        files = _files(document)
        text = "\0".join([self.code, point, *([files] if files else [])])
        key = hashlib.sha256(text.encode()).hexdigest()
        row = self.known.get(key)
        kept = None if row is None else _errors(row.row, document)
        if kept is not None:
            return kept
        began = time.monotonic()
        made = make()
        arrays = {name: getattr(made, name).tolist() for name in _ARRAYS}
        text = canonical({**arrays, "exact": made.exact})
        seconds = time.monotonic() - began
        name = changed(files)
        if name is not None:
            raise ValueError(f"speedup: {name} changed meanwhile; need it unchanged")
        with self.store.group():
            self.store.put(self.era, [Stored(key, point, text, seconds, int(time.time()))], [])
        return made


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
