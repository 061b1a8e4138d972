"""Whether a network is what it says: its matrices, their sums, its period, what it depends on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import issparse

from theorylab.conformance._compare import given_to, rebuilt
from theorylab.conformance._sheet import DOUBT, LIE, RAISES, TRUE, UNCHECKED, Finding, Sheet, said
from theorylab.known import EPS
from theorylab.topologies import TOPOLOGIES, Topology, from_function, topology

SIZES = (6, 4, 8, 5, 3, 2, 9, 16, 7, *range(10, 65), 1)  # of a network that has one size only
_FUNCTION = from_function.__module__
_PHASES, _DRAWN, _RUNS = 12, (0, 1, 2, 7, 100), (0, 1, 3)


def check_topology(name: str, given: Mapping[str, Any], clients: int | None) -> list[Finding]:
    """The findings of the network registered as ``name``; see ``checked``."""
    sheet, made = Sheet("topology", name), TOPOLOGIES.find(name)
    options, guesses, missing = given_to(made, given)
    if missing:
        sheet.add("everything", "", UNCHECKED, f"needs option {', '.join(missing)}")
        return sheet.findings
    first, network = "", None
    for n in SIZES if clients is None else (clients,):
        try:
            network = topology(name, n, **options)
            break
        except Exception as error:
            first = first or said(error)
    if network is None:
        sheet.add("everything", "the constructor", RAISES, first)
        return sheet.findings
    n = network.clients
    with sheet.asking("matrices", f"P(t), {n} clients"):
        if network.networks:
            for part in network.networks.values():
                _matrices(sheet, part)
        else:
            _matrices(sheet, network)
            _period(sheet, network)
        _alone(sheet, network, lambda: topology(name, n, **options))
    rebuilt(
        sheet,
        "describe()",
        options,
        made,
        lambda some: topology(name, n, **some),
        lambda one: one.describe(),
        lambda told: topology(**told),
        lambda one: [P.toarray() for _, _, P in _seen(one)],
    )
    if guesses:
        sheet.findings[:] = [
            Finding(f.kind, f.name, f.checked, f"{f.how}; {', '.join(guesses)}", f.result, f.by)
            for f in sheet.findings
        ]
    return sheet.findings


def _seen(network: Topology) -> list[tuple[int, int, Any]]:
    """(round, run, matrix) of the rounds that are looked at; of several networks, of each."""
    if network.networks:
        return [each for part in network.networks.values() for each in _seen(part)]
    if network.period is None:
        return [(t, run, network.matrix(t, run)) for t in _DRAWN for run in _RUNS]
    return [(t, 0, network.matrix(t)) for t in range(min(network.period, _PHASES))]


def _matrices(sheet: Sheet, network: Topology) -> None:
    n, seen = network.clients, _seen(network)
    shapes = [(t, P.shape) for t, _, P in seen if not issparse(P) or P.shape != (n, n)]
    text = f"t={shapes[0][0]}: shape {shapes[0][1]}; need ({n}, {n})" if shapes else ""
    sheet.judge("square", f"{len(seen)} matrices against {n} clients", not shapes, text)
    if shapes:
        return
    low = min(((float(P.toarray().min()), t) for t, _, P in seen), key=lambda pair: pair[0])
    finite = all(np.isfinite(P.data).all() for _, _, P in seen)
    text = f"least entry {low[0]:.3g} at t={low[1]}" if finite else "nan or inf"
    sheet.judge(
        "entries >= 0", f"every entry of {len(seen)} matrices", finite and low[0] >= 0, text
    )
    word, axis = ("columns", 0) if network.column_stochastic else ("rows", 1)
    worst, text = 0.0, ""
    for t, run, P in seen:
        sums = np.asarray(P.sum(axis=axis)).ravel()
        k = int(np.argmax(np.abs(sums - 1)))
        if not abs(sums[k] - 1) <= worst:
            worst = abs(float(sums[k]) - 1)
            text = f"t={t}, run {run}: {word[:-1]} {k} sums to {sums[k]:.6g}"
    room = 2 * n * EPS  # n entries, each and every sum rounded
    true = worst <= room
    by = f"off by {worst:.1e}, room {room:.1e}" if true else f"{text}; need 1"
    sheet.judge(f"{word} sum to 1", f"every one of {len(seen)} matrices", true, by)


def _period(sheet: Sheet, network: Topology) -> None:
    """Whether P(t + p) is P(t).

    ``matrix`` asks ``_build`` for the rounds of one period only, and repeats them by force. A
    function of t was given as the whole sequence, so another matrix after the period is a lie. A
    class may write its rule for one period, as in 2^t modulo n, so there it is a doubt.
    """
    p = network.period
    if p is None:
        sheet.add("period", "none is declared", TRUE)
        return
    forced, meant = [], []
    for t in range(min(p, _PHASES)):
        now = network.matrix(t).toarray()
        for later in (t + p, t + 2 * p):
            if not np.array_equal(network.matrix(later).toarray(), now):
                forced.append(later)
            try:
                own = network._build(later, 0)
            except Exception:  # it knows no round after the period, and none is asked of it
                continue
            if not np.array_equal(own.toarray(), now):
                meant.append(later)
    whole = type(network).__module__ == _FUNCTION
    how = f"P(t + {p}) and P(t + {2 * p}) against P(t), by matrix() and by _build"
    for wrong, result in ((forced, LIE), (meant, LIE if whole else DOUBT)):
        if wrong:
            why = f"P({wrong[0]}) is another matrix than P({wrong[0] % p})"
            more = "; matrix() repeats the first ones" if result == DOUBT else ""
            sheet.add("period", how, result, why + more)
            return
    sheet.add("period", how, TRUE)


def _alone(sheet: Sheet, network: Topology, build: Any) -> None:
    """Whether P(t) is a function of t, and of (seed, run) where it is drawn."""
    first = _seen(network)
    other, wrong = build(), ""
    pairs = [(network, other)] if not network.networks else []
    pairs += [(part, other.networks[name]) for name, part in network.networks.items()]
    for old, fresh in pairs:
        for t, run, P in reversed(_seen(old)):
            if not np.array_equal(fresh.matrix(t, run).toarray(), P.toarray()):
                wrong = wrong or f"t={t}, run {run}: another one builds another matrix"
    for (t, run, P), (_, _, again) in zip(first, _seen(network), strict=True):
        if not np.array_equal(P.toarray(), again.toarray()):
            wrong = wrong or f"t={t}, run {run}: asked again, it gives another matrix"
    of = "t" if network.period is not None else "(seed, run, t)"
    sheet.judge(
        f"P a function of {of}", "asked again, and of a second one backwards", not wrong, wrong
    )
