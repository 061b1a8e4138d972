"""A paper's instances beside its statements: ``instances.toml``, read when one is asked for.

An entry is an instance, or a part of one, under a name. In an entry
- the string "$NAME" stands for the entry NAME, and "$NAME.key" for a part of that entry;
- ``like = "NAME"`` takes the keys of that entry, and the keys beside it replace or add;
- beside ``like`` a key with points, "algorithm.eta", replaces that option alone, but not where the
  entry has such keys itself, as a sweep's ``set`` has;
- ``scalars = [clients, A, B]`` is the loss of ``_quadratics.scalars``, with the keys beside it.
An entry of another paper is "dfedalt:NAME".
"""

from __future__ import annotations

import copy
import functools
import tomllib
from importlib.resources import files
from typing import Any

from theorylab.statements._quadratics import Data, scalars

FILE = "instances.toml"


class Entries:
    """The entries of one file by name, each resolved once.

    Args:
        where: the file, as messages call it. text: what it holds.

    Raises:
        ValueError: on what is no TOML.

    >>> entries = Entries("mine.toml", 'A = { eta = 0.1 }\\nB = { like = "A", rounds = 3 }')
    >>> entries["B"]
    {'eta': 0.1, 'rounds': 3}
    """

    def __init__(self, where: str, text: str) -> None:
        self._where = where
        self._resolved: Data = {}
        self._open: list[str] = []
        try:
            self._written = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{where}: {error}") from error

    def __contains__(self, name: str) -> bool:
        return name in self._written

    def __getitem__(self, name: str) -> Any:
        """The entry ``name``. ValueError where an entry names what is not there, or itself."""
        if name not in self._resolved:
            if name in self._open:
                raise self._fault(name, "it stands for itself")
            written = self._written[name]
            self._open.append(name)
            self._resolved[name] = self._value(written)
            self._open.remove(name)
        return self._resolved[name]

    def _fault(self, name: str, what: str) -> ValueError:
        return ValueError(f"{self._where}: {name}: {what}")

    def _part(self, path: str) -> Any:
        paper, colon, rest = path.rpartition(":")
        home = entries_of(f"{__package__}.{paper}") if colon else self
        name, *keys = rest.split(".")
        try:
            value = home[name]
            for key in keys:
                value = value[key]
        except (KeyError, TypeError) as error:
            raise self._fault(self._open[-1], f"there is no entry {path!r}") from error
        return value

    def _value(self, written: Any) -> Any:
        if isinstance(written, str) and written.startswith("$"):
            return self._part(written[1:])
        if isinstance(written, list):
            return [self._value(each) for each in written]
        if not isinstance(written, dict):
            return written
        beside = {key: self._value(each) for key, each in written.items() if key != "like"}
        if "scalars" in beside:
            return scalars(*beside.pop("scalars"), **beside)
        if "like" not in written:
            return beside
        copied = copy.deepcopy(self._part(written["like"]))
        if any("." in key for key in copied):
            return {**copied, **beside}
        for path, value in beside.items():
            *parents, last = path.split(".")
            node = copied
            for key in parents:
                node = node.get(key) if isinstance(node, dict) else None
            if not isinstance(node, dict):
                raise self._fault(self._open[-1], f"{path!r} leads nowhere in {written['like']!r}")
            node[last] = value
        return copied


@functools.cache
def entries_of(package: str) -> Entries:
    """The entries of a paper's folder."""
    return Entries(
        f"{package.rpartition('.')[2]}/{FILE}", files(package).joinpath(FILE).read_text("utf-8")
    )


def entry_of(package: str, name: str) -> Any:
    """One of them, as the attribute of a module: AttributeError where there is none."""
    entries = entries_of(package)
    if name not in entries:
        raise AttributeError(f"{package.rpartition('.')[2]}/{FILE} has no entry {name!r}")
    return entries[name]
