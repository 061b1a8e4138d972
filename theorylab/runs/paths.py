"""One option of an instance by its path, as in ``algorithm.eta`` or ``rounds.0``."""

from __future__ import annotations

import json
from typing import Any

from theorylab.registry import near


def put(where: str, instance: dict[str, Any], path: str, value: Any, whole: bool = False) -> None:
    """Set what stands at ``path``, in place; a number in a path is a place in a list.

    The last word may be new: whoever builds the instance knows what it can have.

    Args:
        whole: where the instance has an integer, a float is rounded to one.

    Raises:
        ValueError: one line that starts with ``where``, on a path that leads nowhere.

    >>> made = {"algorithm": {"eta": 0.1}}
    >>> put("here", made, "algorithm.eta", 0.2)
    >>> made
    {'algorithm': {'eta': 0.2}}
    """
    *parents, last = path.split(".")
    node: Any = instance
    try:
        for part in parents:
            node = node[int(part)] if isinstance(node, list) else node[part]
        key: Any = int(last) if isinstance(node, list) else last
        old = node[key] if isinstance(node, list) else node.get(key)
        node[key] = round(value) if whole and type(old) is int and type(value) is float else value
    except (KeyError, IndexError, ValueError, TypeError, AttributeError):
        if isinstance(node, list):
            need = f"a place 0 .. {len(node) - 1}" if node else "a path to what is there"
        elif isinstance(node, dict):
            need = near(part, node)
        else:
            need = f"a path to what is there, {json.dumps(node)}"
        raise ValueError(f"{where}: the instance has no {path!r}; need {need}") from None


def named_part(where: str, kind: str, old: Any, named: Any) -> dict[str, Any]:
    """The part ``old`` of a document, or the one that is ``named`` (a name, or an object with one),
    which replaces one of another name, and an edge list one of another file.

    Raises ValueError: one line that starts with ``where``, where ``old`` is no part.
    """
    old = {"name": old} if isinstance(old, str) else old
    if old is not None and not isinstance(old, dict):
        raise ValueError(f"{where}: {kind} is {old!r}; need a name, or an object with one")
    new = {"name": named} if isinstance(named, str) else named
    if new is None or (old is not None and all(old.get(key) == new[key] for key in new)):
        return dict(old or {})
    return dict(new)
