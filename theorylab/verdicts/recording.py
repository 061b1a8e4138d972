"""A record as an instance, in plain data, and what of it an assumption may ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp
from pydantic import BaseModel, ConfigDict

from theorylab import symbols
from theorylab.known import Known
from theorylab.records import Record
from theorylab.registry import near
from theorylab.verdicts.case import Case
from theorylab.verdicts.evidence import constant_name

# Numbers of a record that are no constants of a bound.
OWN_NUMBERS = ("precision", "size", "deterministic", "dim", "clients")
_OF_METHODS = "an option of the algorithm"
_STEP_UNITS = (-1, 2)


class Recording(BaseModel):
    """An instance that is a record.

    record: its file, or several with runs of one method over one network. given: constants that
    the user knows, as in an instance's ``constants``. assumed: names of assumptions that ask the
    loss or the method, and that the user says hold. sha256: of the files, where they have to be
    these.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    record: str | list[str]
    given: dict[str, Any] = {}
    assumed: list[str] = []
    sha256: list[str] = []

    @property
    def files(self) -> list[str]:
        """The paths."""
        return [self.record] if isinstance(self.record, str) else self.record


class NotRecordedError(AttributeError):
    """What no record has was asked for."""


class _Nothing:
    """A problem or a method, of which a record knows its numbers alone."""

    def __init__(self, kind: str, **known: Any) -> None:
        self.__dict__ |= known
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        raise NotRecordedError(f"a record has no {self._kind}.{name}")


class _Listed:
    """A network of which a record lists every matrix: it does not begin again after the last."""

    period = None

    def __init__(self, topology: Any) -> None:
        self._topology = topology

    def __getattr__(self, name: str) -> Any:
        return getattr(self._topology, name)


class RecordedSetting:
    """What a predicate of an assumption may ask of a record: the network, T, numbers of the
    method."""

    def __init__(self, record: Record, algorithm: str) -> None:
        options = {k: v for k, v in record.numbers.items() if k not in OWN_NUMBERS}
        self.topology: Any = record.topology
        if record.rounds > 1 and record.topology.period == record.rounds:
            self.topology = _Listed(record.topology)
        self.rounds = record.rounds
        self.algorithm = _Nothing("algorithm", name=algorithm, options=lambda: dict(options))

    def __getattr__(self, name: str) -> Any:
        raise NotRecordedError(f"a record has no {name}")


def check_given(names: Mapping[str, Any], assumed: Sequence[str], cases: Sequence[Case]) -> None:
    """ValueError, one line, for a letter or an assumption that none of the cases asks for."""
    letters = {constant_name(case.version, s) for case in cases for s in case.wanted}
    letters |= {"deterministic", "f_star"}
    for name in names:
        if name not in letters:
            raise ValueError(
                f"--given: nothing asks for {name!r}; need {near(name, sorted(letters))}"
            )
    asks = {a.name for case in cases for a in case.version.assumes if a.holds is not None}
    for name in assumed:
        if name not in asks:
            raise ValueError(
                f"--given: {name!r} is no NAME=VALUE, and no assumption that asks the loss; need "
                f"{near(name, sorted(asks)) if asks else 'NAME=VALUE'}"
            )


def check_numbers(record: Record) -> None:
    """ValueError, one line, for a number of the file that is a letter of something else than the
    method: what the record's rows and matrices show stands there, and what nobody can look at, as
    L, has to be called given."""
    for name in record.numbers:
        letter = symbols.BY_NAME.get(name)
        if letter is None or symbols.meaning_of(letter).by == _OF_METHODS:
            continue
        of = symbols.meaning_of(letter).by
        need = "--given" if of == "the problem" else "its rows and edges alone to tell it"
        raise ValueError(f"{record.name}: {name} is a number of {of}, no option; need {need}")


def check_signs(
    where: str, names: Mapping[sp.Symbol, str], known: Mapping[sp.Symbol, Known]
) -> None:
    """ValueError, one line, for a number that its letter excludes."""
    for letter, constant in known.items():
        value, step = constant.value, symbols.meaning_of(letter).units == _STEP_UNITS
        if value <= 0 and (letter.is_positive or step):
            need = "a number above 0"
        elif value < 0 and letter.is_nonnegative:
            need = "a number that is not below 0"
        elif letter.is_integer and value != int(value):
            need = "a whole number"
        else:
            continue
        raise ValueError(f"{where}: {names[letter]} is {value:.6g}; need {need}")
