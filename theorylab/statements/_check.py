"""An instance of a claim, and the verdict that it must get."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from theorylab.exact import plain
from theorylab.statements._cause import Cause
from theorylab.statements._grid import cells
from theorylab.words import EXPECTED


@dataclass(frozen=True)
class Check:
    """An instance of a claim, and the verdict that it must get.

    Args:
        name: of letters and digits, one a version.
        instance: plain data: problem, topology, clients, rounds, algorithm, x0 ..., see
            ``theorylab.verdicts.Instance``. Of a claim about runs it may leave out ``algorithm``,
            where the method has no options, and ``topology``, where there is one client.
        expect: the word of the verdict, "HOLDS" or "VIOLATED" ...
        quick: whether ``theorylab verify --quick`` judges it, too.
        control: it lies outside the claim, and its verdict shows that the measurement can tell.
        causes: which of the version's causes a verdict against it shows, where it has several.
        carries: the numbers of the instance that carry such a verdict, "L_u = 1.1e9".

    Raises:
        ValueError: on a verdict that there is not.

    >>> run = {"problem": {"name": "huber"}, "clients": 1, "rounds": 9, "algorithm": {"eta": 0.5}}
    >>> Check("one-huber", run, "HOLDS").instance["rounds"]
    9
    """

    name: str
    instance: Mapping[str, Any]
    expect: str = "HOLDS"
    quick: bool = True  # also part of `verify --quick`
    control: bool = False
    causes: tuple[Cause, ...] = ()
    carries: str = ""

    @classmethod
    def grid(
        cls,
        name: str,
        instance: Mapping[str, Any],
        expect: str | Callable[[dict[str, Any]], str] = "HOLDS",
        **options: Any,
    ) -> tuple[Check, ...]:
        """A check for every cell of the instance's ``grid``, {path: values}, the last path fastest.

        Args:
            expect: of every cell; or a function of a cell, {path: value}. options: of every check.

        Raises:
            ValueError: on a grid that is none, or a path that leads nowhere.
        """
        return tuple(
            cls(
                f"{name} {label}",
                made,
                expect if isinstance(expect, str) else expect(cell),
                **options,
            )
            for label, cell, made in cells(name, instance)
        )

    def __post_init__(self) -> None:
        object.__setattr__(self, "instance", plain(self.instance))
        if self.expect not in EXPECTED:
            raise ValueError(
                f"check {self.name!r}: expect is {self.expect!r}; need one of {EXPECTED}"
            )

    def of_runs(self) -> Check:
        """This check with what a run's instance may leave out."""
        given: Mapping[str, Any] = self.instance
        if not isinstance(given, Mapping):  # the line that says so is that of its judge
            return self
        missing: dict[str, Any] = {}
        if "problem" in given and "algorithm" not in given:
            missing["algorithm"] = {}
        if "problem" in given and "topology" not in given and given.get("clients") == 1:
            missing["topology"] = {"name": "complete"}
        return replace(self, instance={**given, **missing}) if missing else self
