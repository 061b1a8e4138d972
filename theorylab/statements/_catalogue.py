"""Which statements there are, by id: a statement is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from theorylab.statements import deprl, dfedalt, dfedpgp, dfedsalt, dfedsgpsm, pdbo
from theorylab.statements._base import Statement

_PAPERS = {
    "dfedsgpsm": dfedsgpsm,
    "dfedpgp": dfedpgp,
    "dfedalt": dfedalt,
    "dfedsalt": dfedsalt,
    "deprl": deprl,
    "pdbo": pdbo,
}


class Catalogue(Mapping[str, Statement]):
    """Statements by id, "<paper>.<locator>", in the papers' order; read-only.

    >>> BUILT_IN["dfedsgpsm.lem1"].source.paper, len(BUILT_IN) > 200
    ('dfedsgpsm', True)
    """

    def __init__(self) -> None:
        self._modules = {
            f"{name}.{locator}": f"{paper.__name__}.{locator}"
            for name, paper in _PAPERS.items()
            for locator in paper.LOCATORS
        }

    def __getitem__(self, name: str) -> Statement:
        statement: Statement = import_module(self._modules[name]).STATEMENT
        return statement

    def module(self, name: str) -> str:
        """The module of a statement, as ``sys.modules`` has it."""
        return self._modules[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __contains__(self, name: object) -> bool:
        return name in self._modules


BUILT_IN = Catalogue()
# Paper -> locator -> why it is listed and not run.
NOT_RUN: dict[str, dict[str, str]] = {name: paper.NOT_RUN for name, paper in _PAPERS.items()}
