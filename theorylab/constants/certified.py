"""Certified constants: enclosures in exact integers and ball arithmetic (FLINT).

``how = certified`` is given here and nowhere else. Which matrix is meant is said in ``source``: the
weights as exact fractions where they can be read back (1/3 is no float64), else the float64 entries
with columns made to sum to exactly 1; see ``_certified_matrix``.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

from flint import arb, arb_mat, ctx

from theorylab.constants import mixing
from theorylab.constants._certified_matrix import ExactMatrix, ExactSequence, above, below
from theorylab.constants._certified_norms import RefusedError
from theorylab.constants._certified_pair import ROUNDS, envelopes
from theorylab.constants._certified_spectrum import CHARPOLY, second_modulus, second_singular
from theorylab.constants.consensus import consensus_pairs, never
from theorylab.constants.sequence import delta as float_delta
from theorylab.known import How, Known
from theorylab.topologies import Topology

BITS = 192
WORK = 2 * 10**8  # horizon n^2 of delta: some 10 s


def certified_constants(topology: Topology, horizon: int, run: int = 0) -> dict[str, Known]:
    """Enclosures [lower, upper] of the mixing constants; floats rounded outwards.

    - ``lambda2``, ``spectral_gap``, ``sigma2``: of P, or of the product over one period; absent
      for a drawn sequence. Up to n = 128 from the exact characteristic polynomial, the first two
      up to 1024 from powers. ``value`` is the float64 nearest to the middle.
    - ``delta``: smallest w_i(t), 0 <= t <= horizon.
    - ``C``, ``q`` (2-norm), ``C_row``, ``q_row`` (row norm), up to n = 32: q is a chosen float64
      (lower = value = upper); C is enclosed, the smallest constant with
      ||M(t, s)|| <= C q^(t - s) for all 0 <= s <= t <= horizon (for all lags where every P(t)
      is doubly stochastic). ``value`` is the upper end, so that (C.value, q.value) is an
      envelope; another q gives another C.

    What cannot be certified is returned as the float path knows it, with that ``how``, and the
    reason in ``source``.

    Args:
        horizon: last round, at least 1.
        run: the run of a drawn topology.

    Raises:
        ValueError: if ``horizon`` < 1.
    """
    if horizon < 1:
        raise ValueError(f"certified_constants: horizon is {horizon}; need at least 1")
    sequence = ExactSequence(topology, run)
    found: dict[str, Known] = {}
    if topology.period is not None:
        found |= certified_spectrum(topology, sequence)
    found["delta"] = _delta(topology, sequence, horizon, run)
    return found | _pairs(topology, sequence, horizon, run)


def certified_spectrum(
    topology: Topology, sequence: ExactSequence | None = None
) -> dict[str, Known]:
    """``lambda2``, ``spectral_gap`` and ``sigma2`` of ``certified_constants`` alone.

    sequence: the exact matrices, where they are at hand.

    Raises ValueError for a drawn topology: it has no one matrix.
    """
    if topology.period is None:
        raise ValueError(f"certified_spectrum: {topology.name} is drawn; need one period")
    sequence = ExactSequence(topology, 0) if sequence is None else sequence
    period = topology.period
    product: ExactMatrix = reduce(
        lambda later, t: sequence.at(t) @ later, range(1, period), sequence.at(0)
    )
    of = "" if period == 1 else f"of the product over one period of {period} rounds: "
    try:
        (low, high), source = second_modulus(product)
    except ValueError as reason:
        floats = reduce(
            lambda later, t: topology.matrix(t) @ later, range(1, period), topology.matrix(0)
        )
        floats.sort_indices()
        second = _uncertified(mixing.lambda2(floats), f"{of}{reason}")
        return {"lambda2": second, "spectral_gap": mixing.spectral_gap(second)}
    source = f"{of}{source}; {product.rule}"
    with ctx.workprec(BITS):
        found = {
            "lambda2": _enclosed(low, high, source),
            "spectral_gap": _enclosed(1 - high, 1 - low, f"1 - |lambda_2|; {source}"),
        }
        if product.clients <= CHARPOLY:
            low, high = second_singular(product)
            source = f"{of}roots of the exact characteristic polynomial of P^T P; {product.rule}"
            found["sigma2"] = _enclosed(low, high, source)
        return found


def _enclosed(low: Any, high: Any, source: str) -> Known:
    """A certified constant between two balls, with the float64 nearest to the middle as value."""
    lower, upper = max(0.0, below(low)), above(high)
    middle = float(((low + high) / 2).mid())
    return Known(min(max(middle, lower), upper), How.CERTIFIED, source, lower, upper)


def _delta(topology: Topology, sequence: ExactSequence, horizon: int, run: int) -> Known:
    scope = f"0 <= t <= {horizon}" + ("" if topology.period else f", run {run}")
    n, rounds = topology.clients, min(horizon, topology.period or horizon)
    work = n**2 * horizon
    if work > WORK:
        reason = f"n^2 horizon is {work:.2g}; need at most {WORK:.0e}"
        return _uncertified(float_delta(topology, horizon, run), reason)
    if all(sequence.at(t).doubly_stochastic() for t in range(rounds)):
        source = f"all row sums are 1, {scope}; {sequence.rule}"
        return Known(1.0, How.CERTIFIED, source, 1.0, 1.0)
    with ctx.workprec(BITS):
        w = arb_mat(n, 1, [1] * n)
        smallest = arb(1)
        for t in range(horizon):
            P = sequence.at(t)
            w = arb_mat(P.numerators) * w / P.denominator
            for v in w.entries():
                smallest = smallest.min(v)
        source = f"min of P(t-1)...P(0) 1 over {scope}, {BITS}-bit balls; {sequence.rule}"
        return _enclosed(smallest, smallest, source)


def _pairs(topology: Topology, sequence: ExactSequence, horizon: int, run: int) -> dict[str, Known]:
    names = {"spectral": ("C", "q"), "row": ("C_row", "q_row")}
    found = {}
    within = f"rounds 0..{horizon}" + ("" if topology.period else f", run {run}")
    scope = f"0 <= s <= t <= {horizon}" + ("" if topology.period else f", run {run}")
    try:
        if topology.period is not None:
            # Any horizon has some q < 1, but it would say nothing about the next one.
            if reason := never(topology, horizon, run):
                raise RefusedError(reason)
            if all(sequence.at(t).doubly_stochastic() for t in range(topology.period)):
                horizon, within, scope = ROUNDS, "", "0 <= s <= t"  # all weights are 1
        certified = envelopes(sequence, horizon, topology.period, topology.clients)
    except RefusedError as reason:
        pairs = consensus_pairs(topology, horizon, run)
        for norm, (C, q) in names.items():
            found[C], found[q] = (_uncertified(known, str(reason)) for known in pairs[norm])
        return found
    for norm, (C, q) in names.items():
        pair = certified[norm]
        what = {"row": "largest row sum of |M|", "spectral": "||M||_2"}[norm]
        tail = "all lags" if pair.whole else f"lags 0..{pair.lags}, the rest from ||N|| <= q^lags"
        source = f"{what} <= C q^(t-s), {scope}; {tail}; {sequence.rule}"
        found[C] = Known(
            pair.upper,
            How.CERTIFIED,
            f"smallest C for this q: {source}",
            pair.lower,
            pair.upper,
            within=within,
        )
        found[q] = Known(pair.q, How.CERTIFIED, f"chosen: {source}", pair.q, pair.q, within=within)
    return found


def _uncertified(known: Known, reason: str) -> Known:
    return replace(known, source=f"{known.source}; not certified: {reason}")
