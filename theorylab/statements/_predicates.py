"""Assumptions that are no relation of constants: properties of every round of an instance.

Each function here makes an ``Assumption``. It asks the instance (a ``runs.Setting``: its topology,
its algorithm, its rounds), and knows none of their classes. ``W(t)`` is ``topology.matrix(t)``,
that of run 0 where edges are drawn. What repeats is looked at for one period, the rest for the
rounds of the run, and the reason says so.

What is met but for the rounding of float64 is met. Its margin is then below 0, which keeps a
violation from resting on it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.known import UNIT
from theorylab.statements._assumption import Assumption, Told

_ROUNDED = 8 * UNIT  # a step, a weight and a quotient of two, each rounded


def doubly_stochastic() -> Assumption:
    """Every W(t) has entries >= 0, and its rows and its columns sum to 1, up to their rounding.

    Returns:
        The assumption, as a ``Version`` takes it in ``assumes``.

    >>> from theorylab.topologies import topology
    >>> from types import SimpleNamespace as Setting
    >>> doubly_stochastic().holds(Setting(topology=topology("ring", 4), rounds=9))[0]
    True
    """

    def holds(setting: Any) -> Told:
        worst, text = 0.0, ""
        for t, W in _matrices(setting):
            room = 8 * W.shape[0] * UNIT  # n numbers, each rounded, and their sum
            low = float(W.data.min(initial=0.0))
            for name, axis in (("row", 1), ("column", 0)):
                sums = np.asarray(W.sum(axis=axis)).ravel()
                k = int(np.abs(sums - 1).argmax())
                off = abs(float(sums[k]) - 1)
                if off > max(room, worst):
                    worst, text = off, f"{name} {k} of W({t}) sums to {sums[k]:.6g}"
            if -low > worst:
                worst, text = -low, f"W({t}) has an entry {low:.6g}"
        return (not text, 0.0 - worst, text or f"rows and columns sum to 1, {_scope(setting)}")

    return Assumption("each W(t) doubly stochastic", holds=holds)


def symmetric() -> Assumption:
    """Every W(t) is its own transpose, bit for bit or up to the rounding of an entry.

    Returns:
        The assumption, as a ``Version`` takes it in ``assumes``.

    >>> from theorylab.topologies import topology
    >>> from types import SimpleNamespace as Setting
    >>> symmetric().holds(Setting(topology=topology("directed-ring", 4), rounds=9))[0]
    False
    """

    def holds(setting: Any) -> Told:
        worst, at = 0.0, 0
        for t, W in _matrices(setting):
            off = float(np.abs((W - W.T).data).max(initial=0.0))
            if off > max(worst, 4 * UNIT):
                worst, at = off, t
        if worst:
            return False, -worst, f"W({at}) and its transpose differ by {worst:.6g}"
        return True, 0.0, f"symmetric, {_scope(setting)}"

    return Assumption("each W(t) symmetric", holds=holds)


def self_loops(least: float = 0.0) -> Assumption:
    """Every W(t)[i, i] is above 0, and at least ``least``.

    Args:
        least: a share in [0, 1]; 0: any that is above 0.

    Returns:
        The assumption, as a ``Version`` takes it in ``assumes``.

    >>> from theorylab.topologies import topology
    >>> from types import SimpleNamespace as Setting
    >>> self_loops(1 / 2).holds(Setting(topology=topology("ring", 4), rounds=9))[0]
    False
    """

    def holds(setting: Any) -> Told:
        lowest, at = math.inf, (0, 0)
        for t, W in _matrices(setting):
            diagonal = W.diagonal()
            if diagonal.min() < lowest:
                lowest, at = float(diagonal.min()), (t, int(diagonal.argmin()))
        text = f"W({at[0]})[{at[1]}, {at[1]}] = {lowest:.6g} is the least"
        fits = lowest > 0 and lowest >= least * (1 - _ROUNDED)
        return fits, lowest - least if least else lowest, f"{text}, {_scope(setting)}"

    name = f"each W(t)[i, i] >= {least:g}" if least else "each client keeps a self-loop"
    return Assumption(name, holds=holds)


def jointly_connected(within: int) -> Assumption:
    """The edges of every ``within`` rounds in a row, together, lead from each client to each.

    Args:
        within: how many rounds, at least 1.

    Raises:
        ValueError: where ``within`` is below 1.

    Returns:
        The assumption, as a ``Version`` takes it in ``assumes``.

    >>> from theorylab.topologies import topology
    >>> from types import SimpleNamespace as Setting
    >>> jointly_connected(1).holds(Setting(topology=topology("ring", 4), rounds=9))[0]
    True
    """
    if within < 1:
        raise ValueError(f"jointly_connected: within is {within}; need at least 1 round")

    def holds(setting: Any) -> Told:
        from scipy.sparse.csgraph import connected_components  # slow to import

        period = setting.topology.period
        last = period if period is not None else setting.rounds - within + 1
        if last < 1:
            return None, None, f"the run has {setting.rounds} rounds, less than {within}"
        for start in range(last):
            union = sum(abs(setting.topology.matrix(t)) for t in range(start, start + within))
            parts = connected_components(union, connection="strong")[0]
            if parts > 1:
                rounds = f"rounds {start}..{start + within - 1}"
                return False, None, f"the edges of {rounds} leave {parts} parts apart"
        return True, None, f"connected in every {within} rounds, {_scope(setting)}"

    return Assumption(f"jointly connected within {within} rounds", holds=holds)


def step_sizes(setting: Any) -> NDArray[np.float64]:
    """eta_t of every round of an instance, (T,), for constants of a bound such as their sum.

    Args:
        setting: what an instance builds: it has ``rounds`` and ``algorithm``.

    Returns:
        The algorithm's ``step_size(t)``, or else its eta(t), or its option eta times decay^t.

    Raises:
        ValueError: where the algorithm tells no step size.

    >>> from types import SimpleNamespace as Some
    >>> step_sizes(Some(rounds=3, algorithm=Some(step_size=lambda t: 1 / (1 + t))))
    array([1.        , 0.5       , 0.33333333])
    """
    steps = [_step(setting.algorithm, t) for t in range(setting.rounds)]
    if any(step is None for step in steps):
        name = setting.algorithm.name
        raise ValueError(f"{name} tells no step size; need an option eta or step_size(t)")
    return np.array(steps, np.float64)


def steps_within(factor: float, every: int) -> Assumption:
    """eta_t <= factor eta_{t + every} at each t of the run, and eta_t never grows.

    eta_t is the algorithm's ``step_size(t)``, or else its eta(t), or its option eta times decay^t.

    Args:
        factor: how much larger the earlier step size may be, a number >= 1.
        every: how many rounds lie between both.

    Returns:
        The assumption, as a ``Version`` takes it in ``assumes``.

    >>> from types import SimpleNamespace as Some
    >>> run = Some(rounds=4, algorithm=Some(step_size=lambda t: 1 / (1 + t)))
    >>> steps_within(2.0, 1).holds(run)[0], steps_within(1.5, 1).holds(run)[0]
    (True, False)
    """

    def holds(setting: Any) -> Told:
        try:
            eta = step_sizes(setting)
        except ValueError as error:
            return None, None, str(error)
        if not (eta > 0).all():
            return False, None, f"eta_t = {eta.min():.6g} at t={int(eta.argmin())}"
        rises = np.flatnonzero(np.diff(eta) > 0)
        if len(rises):
            return False, None, f"eta_t grows at t={int(rises[0]) + 1}"
        if len(eta) <= every:
            return None, None, f"the run has {len(eta)} rounds, no more than {every}"
        shares = eta[:-every] / eta[every:]
        t, most = int(shares.argmax()), float(shares.max())
        text = f"eta_{t} = {most:.6g} eta_{t + every} is the most, in rounds 0..{len(eta) - 1}"
        return most <= factor * (1 + _ROUNDED), (factor - most) / max(factor, most), text

    return Assumption(f"eta_t <= {factor:g} eta_(t+{every}), not growing", holds=holds)


def _matrices(setting: Any) -> Iterator[tuple[int, Any]]:
    topology = setting.topology
    count = setting.rounds if topology.period is None else topology.period
    for t in range(count):
        yield t, topology.matrix(t)


def _scope(setting: Any) -> str:
    if setting.topology.period is None:
        return f"in rounds 0..{setting.rounds - 1} of run 0"
    return "in every round"


def _step(algorithm: Any, t: int) -> float | None:
    own = getattr(algorithm, "step_size", None)
    if callable(own):
        return float(own(t))
    options = algorithm.options()
    eta, decay = options.get("eta", getattr(algorithm, "eta", None)), options.get("decay", 1.0)
    if callable(eta):
        return float(eta(t))
    return None if not isinstance(eta, int | float) else float(eta) * float(decay) ** t
