"""What was found of one thing: rows of a table, and how an exception becomes one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

from theorylab.extras import MissingExtraError
from theorylab.user_file import UserFaultError, blamed

TRUE = "holds"  # nothing that was looked at speaks against it
LIE = "LIE"  # what is declared is not so: a proof, or a chance below 1e-9
DOUBT = "doubtful"  # what was seen speaks against it, and proves nothing
LACKS = "lacks"  # it cannot do this, and does not say that it can
RAISES = "raises"  # it cannot be built, so nothing else was looked at
UNCHECKED = "not checked"


@dataclass(frozen=True)
class Finding:
    """One check of one thing.

    how: what was compared with what. result: one of the words above. by: by how much, or why.
    """

    kind: str
    name: str
    checked: str
    how: str
    result: str
    by: str = ""

    def as_json(self) -> dict[str, str]:
        """The fields, all texts."""
        return asdict(self)


@dataclass
class Sheet:
    """The findings of one thing, in the order of the checks."""

    kind: str
    name: str
    findings: list[Finding] = field(default_factory=list)

    def add(self, checked: str, how: str, result: str, by: str = "") -> None:
        """One row."""
        self.findings.append(Finding(self.kind, self.name, checked, how, result, by))

    def judge(self, checked: str, how: str, true: bool, by: str = "") -> None:
        """A row that holds, or a lie."""
        self.add(checked, how, TRUE if true else LIE, by)

    @contextlib.contextmanager
    def asking(self, checked: str, how: str) -> Iterator[None]:
        """What is raised inside is a lie: the thing does not do what its kind does. An extra that
        is not installed says nothing of the thing."""
        try:
            yield
        except MissingExtraError as error:
            self.add(checked, how, UNCHECKED, said(error))
        except Exception as error:
            self.add(checked, how, LIE, said(error))


def said(error: BaseException) -> str:
    """What was raised, in one line, with the user's file and line where it is theirs."""
    if isinstance(error, UserFaultError):
        return str(error)
    line = blamed(error)
    if line is not None:
        return line
    text = str(error).splitlines()
    if text and isinstance(error, (ValueError, RuntimeError, MissingExtraError)):
        return text[0]
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
