"""A record as an instance, in plain data, and what of it an assumption may ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from theorylab.records import Record
from theorylab.registry import near
from theorylab.verdicts.case import Case
from theorylab.verdicts.evidence import constant_name

# Numbers of a record that are no constants of a bound.
OWN_NUMBERS = ("precision", "deterministic", "dim", "clients")


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


class RecordedSetting:
    """What a predicate of an assumption may ask of a record: the network, T, numbers of the
    method."""

    def __init__(self, record: Record, algorithm: str) -> None:
        options = {k: v for k, v in record.numbers.items() if k not in OWN_NUMBERS}
        self.topology, self.rounds = record.topology, record.rounds
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
