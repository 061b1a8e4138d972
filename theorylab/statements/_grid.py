"""The cells of a grid of instances."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

KEY = "grid"  # of an instance
MOST = 1000  # cells


def cells(
    where: str, instance: Mapping[str, Any]
) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """(label, {path: value}, the instance there) of every cell.

    A path names an option from the top of the instance, as in ``algorithm.eta``; the last word may
    be new. Raises ValueError, one line that starts with ``where``.
    """
    given = instance.get(KEY)
    axes = list(given.items()) if isinstance(given, Mapping) else []
    if not axes or not all(isinstance(values, list | tuple) and values for _, values in axes):
        raise ValueError(f"check {where!r}: {KEY} is {given!r}; need {{path: [values]}}")
    count = 1
    for _, values in axes:
        count *= len(values)
    if count > MOST:
        raise ValueError(f"check {where!r}: {KEY} has {count} cells; need at most {MOST}")
    words = [path.rpartition(".")[2] for path, _ in axes]
    names = [w if words.count(w) == 1 else path for w, (path, _) in zip(words, axes, strict=True)]
    rest = {key: value for key, value in instance.items() if key != KEY}
    for values in itertools.product(*(values for _, values in axes)):
        made = copy.deepcopy(rest)
        for (path, _), value in zip(axes, values, strict=True):
            _put(where, made, path, value)
        label = " ".join(f"{name}={value}" for name, value in zip(names, values, strict=True))
        yield label, {path: value for (path, _), value in zip(axes, values, strict=True)}, made


def _put(where: str, made: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = path.split(".")
    node: Any = made
    for part in parents:
        node = node.get(part) if isinstance(node, dict) else None
    if not isinstance(node, dict):
        raise ValueError(f"check {where!r}: {KEY}: the instance has no {path!r}; need a path in it")
    node[last] = value
