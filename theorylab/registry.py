"""The one registration: what is found by name, whose it is, and where it was defined.

A class names itself in the class statement, ``class Huber(Problem, name="huber")``; what is no
class is added to the table of its kind. A kind is "problem", "topology", "algorithm", and so on.
"""

from __future__ import annotations

import contextlib
import difflib
import fnmatch
import functools
import importlib
import inspect
import os
import pathlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from theorylab.lazy import waiting

_OWN = pathlib.Path(__file__).resolve().parent
# they make classes for their callers
_MAKERS = ("abc", "dataclasses", "types", "functools", "contextlib")
_NEVER_WRITTEN = ("metric", "experiment")  # kinds that are found by name alone
_LONGEST = 100  # characters of a name
Kind = TypeVar("Kind", covariant=True)


@dataclass(frozen=True)
class Entry(Generic[Kind]):
    """What is registered, and the line that did it. ``title``: a class's own name, else ""."""

    value: Kind
    file: str
    line: int
    module: str
    title: str

    @property
    def place(self) -> str:
        """ "FILE.py, line 3"; the path as seen from the current folder, if it is below."""
        return f"{shown(self.file)}, line {self.line}"

    @property
    def built_in(self) -> bool:
        """Whether theorylab itself defines it."""
        return pathlib.Path(self.file).is_relative_to(_OWN)


class Table(Mapping[str, Kind]):
    """Everything of one kind, by name, sorted. ``waiting``: name -> module, of what theorylab
    defines; it is imported when it is asked for."""

    def __init__(self, kind: str, waiting: Mapping[str, str]) -> None:
        self.kind = kind
        self._entries: dict[str, Entry[Kind]] = {}
        self._waiting = {**waiting}

    def __getitem__(self, name: str) -> Kind:
        return self.entry(name).value

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._entries, *self._waiting}))

    def __len__(self) -> int:
        return len({*self._entries, *self._waiting})

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._waiting

    def find(self, name: object) -> Kind:
        """What is registered as ``name``.

        Raises ValueError in one line, with what may have been meant, where there is none, and
        where a class leaves out a method that its kind needs.
        """
        if not isinstance(name, str) or name not in self:
            raise ValueError(f"{self.kind}: no {_cut(name)}; {meant(name, self)}")
        entry = self.entry(name)
        lacking = ", ".join(sorted(getattr(entry.value, "__abstractmethods__", ())))
        if lacking:
            raise ValueError(f"{self.kind}: {name} ({entry.place}) lacks {lacking}; need it")
        return entry.value

    def entry(self, name: str) -> Entry[Kind]:
        """What is registered as ``name``, and where it was defined; KeyError if nothing is."""
        if name not in self._entries and name in self._waiting:
            importlib.import_module(self._waiting[name])
        return self._entries[name]

    def add(self, name: str, value: Any, title: str = "") -> None:
        """Register ``value``; the line that asked for it is the caller's outside theorylab.

        The same file may be loaded again, and a cell of a notebook run again: the later one is
        kept.

        Raises:
            TypeError: a name that is no text.
            ValueError: a name with blanks or "/", or one that is taken: both places are named.
        """
        file, line, module = _caller()
        where = f"{self.kind}: the name"
        if not isinstance(name, str):
            raise TypeError(f"{where} is {_cut(name)} ({type(name).__name__}); need text")
        if not name.isprintable() or not 0 < len(name) <= _LONGEST or set(name) & set(" /\\="):
            raise ValueError(
                f"{where} is {_cut(name)}; need 1 to {_LONGEST} characters, "
                "none of them a blank, a slash or ="
            )
        if name[0] in "-.":
            raise ValueError(f"{where} is {_cut(name)}; need one that starts with neither - nor .")
        if self._waiting.get(name, module) != module:
            self.entry(name)
        self._waiting.pop(name, None)
        fresh, known = Entry(value, file, line, module, title), self._entries.get(name)
        if known is not None and not _again(known, fresh):
            raise ValueError(
                f"{self.kind}: the name {name!r} is taken: {known.place}, and {fresh.place}; "
                "need two names"
            )
        self._entries[name] = fresh

    @contextlib.contextmanager
    def adopted(self, cls: Any, name: str | None) -> Iterator[str]:
        """Register a class that theorylab made for its caller; where something is raised, not.

        Gives how its messages begin. Without a name it is known to nobody.
        """
        with restored(after=False):
            cls.name = cls.__name__ if name is None else name
            if name is None:
                yield cls.__name__
            else:
                self.add(name, cls)  # no title: two of one file are told apart by their lines
                yield f"{name} ({self.entry(name).place})"

    def made_anew(self, name: str, cls: Any) -> bool:
        """Put ``cls`` in the place of the class that it was made from, and say whether it was.

        ``dataclass(slots=True)`` makes a class anew, without the keywords of its statement.
        """
        known: Any = self._entries.get(name)
        made = known is not None and known.title.rpartition(".")[2] == cls.__name__
        if made and vars(known.value).get("__module__") == cls.__module__:
            self._entries[name] = replace(known, value=cls)
            return True
        return False


class Named:
    """A base of every kind whose members are classes that name themselves.

    A subclass without a name of its own is not registered: its ``name`` is that of the class, so
    that it does not pass for its parent.
    """

    name: ClassVar[str] = ""
    _registered_in: ClassVar[Table[Any]]

    def __init_subclass__(
        cls, *, name: str | None = None, kind: str | None = None, **options: Any
    ) -> None:
        super().__init_subclass__(**options)
        if kind is not None:
            cls._registered_in = table(kind)
            return
        known, written = cls._registered_in, vars(cls).get("name")
        if name is None and isinstance(written, str) and written:
            if known.made_anew(written, cls):
                return
            if known.kind in _NEVER_WRITTEN:  # else nothing would be registered, and nobody told
                raise ValueError(
                    f"{known.kind}: {cls.__name__} has name = {written!r} in its body; need it in "
                    f"the class statement, class {cls.__name__}(..., name={written!r})"
                )
        if name is not None:
            known.add(name, cls, cls.__qualname__)
        if name is not None or written is None:
            cls.name = cls.__name__ if name is None else name


_TABLES: dict[str, Table[Any]] = {}


def table(kind: str) -> Table[Any]:
    """The table of that kind, made where it is asked for first."""
    if kind not in _TABLES:
        _TABLES[kind] = Table(kind, waiting(kind))
    return _TABLES[kind]


def forget(files: Iterable[pathlib.Path]) -> None:
    """Let go of everything that these files registered: they are about to be loaded again."""
    gone = set(map(str, files))
    for each in _TABLES.values():
        for name in [name for name, entry in each._entries.items() if entry.file in gone]:
            del each._entries[name]


@contextlib.contextmanager
def restored(*, after: bool = True) -> Iterator[None]:
    """Put every table back as it was, but for what is theorylab's own: that is imported once.
    With ``after=False`` only where something is raised."""
    before = {kind: dict(each._entries) for kind, each in _TABLES.items()}
    done = False
    try:
        yield
        done = True
    finally:
        if after or not done:
            for kind, each in _TABLES.items():
                own = {name: entry for name, entry in each._entries.items() if entry.built_in}
                each._entries = {**own, **before.get(kind, {})}


@functools.lru_cache(maxsize=1 << 9)  # a signature takes longer than what is built from it
def options_of(made: Any) -> Mapping[str, inspect.Parameter]:
    """What a class, or a function that builds, takes by name; those of a parent, where it hands
    ``**options`` on. The first argument of a topology and of a problem, ``clients``, is none.
    """
    found: dict[str, inspect.Parameter] = {}
    parents = [each for each in getattr(made, "__mro__", ())[1:] if "__init__" in vars(each)]
    for maker in (made, *parents):
        given = inspect.signature(maker).parameters.values()
        for each in given:
            if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD) and each.name != "clients":
                found.setdefault(each.name, each)
        if not any(each.kind is each.VAR_KEYWORD for each in given):
            break
    return MappingProxyType(found)


def meant(name: object, names: Iterable[str], need: str = "") -> str:
    """What to do about an unknown name: "did you mean x?", or ``need``, by default one of them."""
    known = list(names)
    close = _close(name, known)
    return f"did you mean {close[0]}?" if close else f"need {need or near(name, known)}"


def matching(item: str, names: list[str]) -> list[str]:
    """The names that are meant: the one of that name, those of a paper, or those of a pattern."""
    if item in names:
        return [item]
    paper = [name for name in names if name.partition(".")[0].lower() == item.lower()]
    return paper or [name for name in names if fnmatch.fnmatchcase(name, item)]


def near(name: object, names: Iterable[str]) -> str:
    """What is needed in place of an unknown name: all of them, with the one that was meant."""
    known = [str(each) for each in names]
    many = f"one of {', '.join(known)}" if known else "none"
    return f"{many} (did you mean {close[0]}?)" if (close := _close(name, known)) else many


def _close(name: object, known: list[str]) -> list[str]:
    return difflib.get_close_matches(str(name)[:_LONGEST], known, n=1, cutoff=0.6)


def shown(file: str) -> str:
    """A file as messages name it: below the current folder, of theorylab, or its whole path."""
    path = pathlib.Path(file)
    with contextlib.suppress(ValueError, OSError):  # the current folder may be gone
        return str(path.relative_to(_OWN.parent if path.is_relative_to(_OWN) else os.getcwd()))
    return file


def _again(known: Entry[Any], fresh: Entry[Any]) -> bool:
    """Whether it is the same definition: its file loaded again, or a notebook's cell run again."""
    if known.title != fresh.title:
        return False
    if known.module == fresh.module == "__main__":
        return True
    return known.file == fresh.file and (bool(fresh.title) or known.line == fresh.line)


def _caller() -> tuple[str, int, str]:
    """File, line and module of the statement that registers."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        code, module = frame.f_code, frame.f_globals.get("__name__")
        inside = code.co_name != "<module>" and str(module).startswith("theorylab.")
        if not inside and module not in _MAKERS:
            break
        frame = frame.f_back
    file = frame.f_code.co_filename
    if not file.startswith("<"):
        file = str(pathlib.Path(file).resolve())
    return file, frame.f_lineno, str(frame.f_globals.get("__name__"))


def _cut(name: object) -> str:
    text = repr(name)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
