"""A paper's data beside its statements, read when asked for: instances, causes, symbols.

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

import sympy as sp

from theorylab.statements._cause import Cause, Line
from theorylab.statements._quadratics import Data, scalars
from theorylab.symbols import Side, symbol

FILE, CAUSES, SYMBOLS = "instances.toml", "causes.toml", "symbols.toml"
Chain = tuple[tuple[str, str], ...]  # file and name of each entry that stands for the next one


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
        self._written = _parsed(where, text)

    def __contains__(self, name: str) -> bool:
        return name in self._written

    def __getitem__(self, name: str) -> Any:
        """The entry ``name``. ValueError where an entry names what is not there, or itself."""
        return self._entry(name, ())

    def _entry(self, name: str, above: Chain) -> Any:
        """The entry ``name``, which stands in the last of ``above``.

        The chain is an argument: a second thread, or a second call after a fault, sees no part of
        it.
        """
        if name not in self._resolved:
            written, link = self._written[name], (self._where, name)
            chain = (*above, link)
            if link in above:
                raise _fault(chain, "it stands for itself")
            try:
                value = self._value(written, chain)
            except (AttributeError, TypeError) as error:  # as of scalars, or of like = 3
                raise _fault(chain, str(error)) from error
            self._resolved.setdefault(name, value)
        return self._resolved[name]

    def _part(self, path: str, chain: Chain) -> Any:
        paper, colon, rest = path.rpartition(":")
        home = entries_of(f"{__package__}.{paper}") if colon else self
        name, *keys = rest.split(".")
        try:
            value = home._entry(name, chain)
            for key in keys:
                value = value[key]
        except (KeyError, TypeError) as error:
            raise _fault(chain, f"there is no entry {path!r}") from error
        return value

    def _value(self, written: Any, chain: Chain) -> Any:
        if isinstance(written, str) and written.startswith("$"):
            return self._part(written[1:], chain)
        if isinstance(written, list):
            return [self._value(each, chain) for each in written]
        if not isinstance(written, dict):
            return written
        beside = {key: self._value(each, chain) for key, each in written.items() if key != "like"}
        if "scalars" in beside:
            return scalars(*beside.pop("scalars"), **beside)
        if "like" not in written:
            return beside
        copied = copy.deepcopy(self._part(written["like"], chain))
        if any("." in key for key in copied):
            return {**copied, **beside}
        for path, value in beside.items():
            *parents, last = path.split(".")
            node = copied
            for key in parents:
                node = node.get(key) if isinstance(node, dict) else None
            if not isinstance(node, dict):
                raise _fault(chain, f"{path!r} leads nowhere in {written['like']!r}")
            node[last] = value
        return copied


def _fault(chain: Chain, what: str) -> ValueError:
    where, name = chain[-1]
    return ValueError(f"{where}: {name}: {what}")


def _text(package: str, file: str) -> tuple[str, str]:
    """The file of a paper as messages call it, and what it holds."""
    return f"{package.rpartition('.')[2]}/{file}", files(package).joinpath(file).read_text("utf-8")


def _parsed(where: str, text: str) -> Data:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{where}: {error}") from error


def _attribute(held: Any, package: str, file: str, name: str) -> Any:
    if name not in held:
        raise AttributeError(f"{package.rpartition('.')[2]}/{file} has no {name!r}")
    return held[name]


@functools.cache
def entries_of(package: str) -> Entries:
    """The entries of a paper's folder."""
    return Entries(*_text(package, FILE))


def entry_of(package: str, name: str) -> Any:
    """One of them, as the attribute of a module: AttributeError where there is none."""
    return _attribute(entries_of(package), package, FILE, name)


@functools.cache
def causes_of(package: str) -> dict[str, Cause]:
    """The causes of a paper's folder by name."""
    where, text = _text(package, CAUSES)
    return {name: cause(where, name, record) for name, record in _parsed(where, text).items()}


def cause(where: str, name: str, record: Data) -> Cause:
    """A record of ``causes.toml``: the parts of a ``Cause``, and a table a line, by statement.

    Any run of white space in a text is one blank.

    Raises:
        ValueError: on a part that is missing, or that no cause has.
    """
    try:
        parts: Data = {key: _flat(text) for key, text in record.items() if key != "lines"}
        lines = tuple(
            Line(statement, **{key: _flat(text) for key, text in line.items()})
            for statement, line in record.get("lines", {}).items()
        )
        return Cause(**parts, lines=lines)
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{where}: {name}: {error}") from error


def cause_of(package: str, name: str) -> Cause:
    """A cause of a paper, as the attribute of a module: AttributeError where there is none."""
    record: Cause = _attribute(causes_of(package), package, CAUSES, name)
    return record


@functools.cache
def _symbols(package: str) -> dict[str, sp.Symbol]:
    where, text = _text(package, SYMBOLS)
    written = _parsed(where, text)
    prefix = written.pop("prefix")
    return {key: _symbol(where, prefix, key, record) for key, record in written.items()}


def _symbol(where: str, prefix: str, key: str, record: Data) -> sp.Symbol:
    """A record of ``symbols.toml``: the arguments of ``symbol``, with a name that is not the prefix
    and the key. ValueError on others."""
    given = {"name": prefix + key, **record, "side": record.get("side", "exact").upper()}
    try:
        return symbol(**{**given, "side": Side[given["side"]]})
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{where}: {key}: {error}") from error


def symbol_of(package: str, name: str) -> sp.Symbol:
    """A letter of a paper, as the attribute of a module: AttributeError where there is none."""
    return _attribute(_symbols(package), package, SYMBOLS, name)


def _flat(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{text!r} came; need a text")
    return " ".join(text.split())
