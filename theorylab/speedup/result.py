"""What a study of linear speedup says: frozen, as rows, and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.tables import Columns, Framed
from theorylab.verdicts import Verdict
from theorylab.verdicts.power import Slope

SCHEMA = 1
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One number of clients; intervals are (low, centre, high).

    Args:
        n: clients. gap: 1 - |lambda_2| of the network, None where its matrices change.
        error: E of the error at the last round. alone: the same without communication.
        quiet: the same without noise. own: E of the clients' own error. handed: the same where
            models are handed round, None where that was not looked at.
        local: slope from the n before to this one.
        transient: first round from which on noise makes at least half of the error; None if it
            never does. rounds: to the target, None if it is not reached (the high end may be).
        gradients, messages: of all clients together in those rounds.
    """

    n: int
    gap: float | None
    error: tuple[float, float, float]
    alone: tuple[float, float, float]
    quiet: float
    own: float
    handed: float | None
    local: Slope | None
    transient: tuple[int | None, int | None, int | None]
    rounds: tuple[int | None, int | None, int | None]
    gradients: float | None
    messages: float | None


@dataclass(frozen=True)
class Control:
    """A run beside the study that must not pass for a speedup. passes: it did not.

    guards: the verdicts that stand only where it passes.
    """

    name: str
    what: str
    slope: Slope | None
    passes: bool
    outcome: str
    guards: tuple[str, ...] = ("HOLDS", "VIOLATED")


@dataclass(frozen=True)
class Transient:
    """Rounds until a network no longer matters at the step c sqrt(n / K), at some n.

    gap: 1 - |lambda_2|. rounds: the first power of two from which on the error is within a tenth of
    the complete network's; None if it is beyond what was looked at.
    """

    network: str
    n: int
    gap: float
    rounds: int | None


@dataclass(frozen=True)
class Speedup(Framed):
    """A study of one algorithm on one problem over one network.

    Args:
        title: the study in words.
        verdict: of ``claim``, that the error falls like n^claim in this window.
        reason: a sentence.
        claim: the power p of n that was judged.
        slope: of log error against log n at the last round.
        power: what the rule makes of the slope.
        exact: errors are expectations up to rounding; else ``runs`` seeds, paired over n.
        limits: what the interval of the slope rests on.
        runs, seed: how many runs were sampled, and of which seed.
        measure: what was measured, see ``speedup``.
        rows: one a number of clients.
        controls: the same on networks where no speed-up may be seen.
        target: the error that the rounds in the rows are counted to.
        best: the least error of all n at any round.
        reached: whether every n reached the target.
        saturates: about the n at which noise and what does not depend on it are alike.
        transients: see ``Transient``; empty where rounds have no exact moments.
        exponents: network -> power of n in its transients, (low, centre, high, what theory says).
        curves: (n, R-mean error at the rounds of ``grid``, low, high) for the picture.
        grid: the rounds of the curves.
        document: what was studied, as plain data.
        needs: about how many runs in all would decide an open study; 0 if none or not known.
        seconds: how long it took.
        work: seconds of processors that its cells took, those included that were kept.

    >>> study = speedup("sgp", clients=[4, 8, 16], transient=False)
    >>> study.table()["n"]
    [4, 8, 16]
    """

    title: str
    verdict: Verdict
    reason: str
    claim: float
    slope: Slope | None
    power: float | None
    exact: bool
    limits: str
    runs: int
    seed: int
    measure: str
    rows: tuple[Row, ...]
    controls: tuple[Control, ...]
    saturates: float | None
    target: float
    best: float
    reached: bool
    transients: tuple[Transient, ...]
    exponents: Mapping[str, tuple[float, float, float, str]]
    grid: tuple[int, ...]
    curves: Mapping[int, tuple[Floats, Floats, Floats]]
    document: Mapping[str, Any]
    needs: int = 0
    seconds: float = 0.0
    work: float = 0.0

    def table(self) -> Columns:
        """One row a number of clients."""
        rows = [self._row(row) for row in self.rows]
        return {name: [row[name] for row in rows] for name in rows[0]}

    @staticmethod
    def _row(row: Row) -> dict[str, Any]:
        made: dict[str, Any] = {"n": row.n, "gap": row.gap}
        for name in ("error", "alone"):
            low, centre, high = getattr(row, name)
            made |= {f"{name}_low": low, name: centre, f"{name}_high": high}
        made |= {"noise_free": row.quiet, "clients_own": row.own, "handed_round": row.handed}
        made |= {"local_slope": row.local and row.local.centre}
        for name in ("transient", "rounds"):
            low, centre, high = getattr(row, name)
            made |= {f"{name}_low": low, name: centre, f"{name}_high": high}
        return made | {"gradients": row.gradients, "messages": row.messages}

    def as_json(self) -> dict[str, Any]:
        """All of it but the seconds, with plain numbers and None where there is none."""
        made = {each.name: getattr(self, each.name) for each in fields(self)}
        made |= {
            "schema": SCHEMA,
            "verdict": self.verdict.name,
            "rows": [self._row(row) for row in self.rows],
            "exponents": _named(("low", "measured", "high", "theory"), self.exponents),
            "curves": _named(("low", "error", "high"), self.curves),
            "study": self.document,
        }
        return {k: _plain(v) for k, v in made.items() if k not in ("seconds", "work", "document")}


def _named(names: tuple[str, ...], parts: Mapping[Any, Any]) -> dict[Any, Any]:
    return {key: dict(zip(names, each, strict=True)) for key, each in parts.items()}


def _plain(value: Any) -> Any:
    """As JSON has it; None for what is not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if is_dataclass(value):
        value = {each.name: getattr(value, each.name) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
