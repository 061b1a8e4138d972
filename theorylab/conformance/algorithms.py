"""Whether an algorithm is what it says: pure, run by run, drawing by counter, keeping mass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from theorylab.algorithms import (
    ALGORITHMS,
    Algorithm,
    Coin,
    MassError,
    State,
    algorithm,
)
from theorylab.conformance._bench import (
    CLIENTS,
    SEED,
    Bench,
    arrays,
    benches,
    first_difference,
    last,
    with_network,
)
from theorylab.conformance._compare import gap, given_to, rebuilt
from theorylab.conformance._sheet import (
    DOUBT,
    LACKS,
    LIE,
    RAISES,
    TRUE,
    UNCHECKED,
    Finding,
    Sheet,
    said,
)
from theorylab.own import is_own
from theorylab.problems import Problem
from theorylab.runs import Faults, Setting, algorithm_draws
from theorylab.runs.generators import global_draws
from theorylab.runs.noticed import noticed
from theorylab.topologies import topology

_ROUNDS, _LONG = 4, 20
_ROOM = 2.0**-36  # of a batch and its runs: sums in another order, some rounds on
_ROOM32 = 2.0**-12


def check_algorithm(name: str, given: Mapping[str, Any], clients: int | None) -> list[Finding]:
    """The findings of the algorithm registered as ``name``; ``clients`` is not looked at."""
    sheet, made = Sheet("algorithm", name), ALGORITHMS.find(name)
    options, guesses, missing = given_to(made, given)
    if missing:
        sheet.add("everything", "", UNCHECKED, f"needs option {', '.join(missing)}")
        return sheet.findings
    try:
        method = algorithm(name, **options)
    except Exception as error:
        sheet.add("everything", "the constructor", RAISES, said(error))
        return sheet.findings
    bench, why, fault = _bench_of(method)
    told = f"{', '.join(guesses)}; " if guesses else ""
    if bench is None:
        refused = RAISES if "net.coins: " in why else UNCHECKED  # no instance is at fault there
        sheet.add("step", f"{told}small losses and networks", LIE if fault else refused, why)
        return sheet.findings
    how = f"{told}{_LONG} rounds of {bench.name}"
    for check in (_finite, _pure, _draws, _runs_alone, _noticed, _float32, _faults):
        with sheet.asking(check.__name__.strip("_").replace("_", " "), how):
            check(sheet, method, bench)
    sheet.findings[0] = Finding("algorithm", name, "states finite", how, *_end(sheet.findings[0]))
    rebuilt(
        sheet,
        "options()",
        options,
        made,
        lambda some: algorithm(name, **some),
        lambda one: one.options(),
        lambda told: algorithm(name, **told),
        lambda one: [*arrays(bench.played(one, bench.start(2), [0, 1], 2)).values()],
    )
    return sheet.findings


def _end(finding: Finding) -> tuple[str, str]:
    return finding.result, finding.by


def _bench_of(method: Algorithm) -> tuple[Bench | None, str, bool]:
    """The first instance that it plays on, why there is none, and whether that is a fault.

    A ValueError refuses an instance; one that names the step's own result is a fault, and so is
    whatever else is raised.
    """
    first, fault = "", False
    for bench in benches():
        here: Bench | None = bench
        while here is not None:
            try:
                here.played(method, here.start(2), [0, 1], 2)
                return here, "", False
            except Exception as error:
                own = str(error).startswith(f"{method.name}: step gave")
                wrong = own or isinstance(error, MassError) or not isinstance(error, ValueError)
                if wrong or not first:
                    first = said(error) if wrong >= fault else first
                fault = fault or wrong
                here = with_network(here, error) if isinstance(error, ValueError) else None
    return None, first, fault


def _finite(sheet: Sheet, method: Algorithm, bench: Bench) -> None:
    state = bench.played(method, bench.start(), [0, 1, 2], _LONG)
    bad = [k for k, v in arrays(state).items() if v.dtype.kind == "f" and not np.isfinite(v).all()]
    sheet.judge("states finite", "", not bad, f"{bad[0]} is nan or inf" if bad else "")
    network = bench.topology
    weights = arrays(state)["w"]
    if network.networks or not network.column_stochastic:
        return
    n = bench.problem.clients
    off = float(np.abs(weights.sum(axis=1) - n).max())
    room = 16 * _LONG * n * n * 2.0**-52
    how = f"sums of what is exchanged (net.mix), and of the weights, over {network.name}"
    by = f"weights off by {off:.1e}, room {room:.1e}" if off else "weights stay 1 in the mean"
    sheet.judge("mass kept", how, off <= room, by)


def _pure(sheet: Sheet, method: Algorithm, bench: Bench) -> None:
    x, ids = bench.start(), [0, 1, 2]
    own = x.copy()
    first = method.init(bench.problem.points(own), bench.problem)
    changed = "" if np.array_equal(own, x) else "init changes the models that it is given"
    play = bench.rounds(method, ids)
    state = last(play, first, 1)  # memory, weights and models of their own
    drawn: list[str] = []
    for each in (first, state):
        kept = {name: np.array(value) for name, value in arrays(each).items()}
        with global_draws(drawn):
            one = arrays(play.play(each))
            kept_one = {name: np.array(value) for name, value in one.items()}
            other_way = first_difference(kept, arrays(each))
            two = arrays(play.play(each))
        if other_way:
            changed = changed or f"step changes {other_way} of the state that it is given"
        elif first_difference(kept_one, two):
            changed = changed or f"{first_difference(kept_one, two)} differs from call to call"
    inputs = "changes" in changed
    sheet.judge("inputs", "the state before and after step, bit for bit", not inputs, changed)
    twice = not changed or inputs
    why = f"it draws from {drawn[0]}" if drawn else "" if twice else changed
    sheet.judge("draws by counter", "step twice on one state; global generators", not why, why)


class _Handed:
    """The problem's own draws, handed out: the seed of such a context raises when it is read."""

    def __init__(self, problem: Problem, ids: Any) -> None:
        self.problem, self.ids = problem, ids

    def sample(self, t: int, number: int, part: str) -> Any:
        return self.problem.sample(SEED, self.ids, t, number)

    def coins(self, t: int, number: int, coin: Coin) -> Any:
        return coin.drawn(SEED, self.ids, self.problem.clients, t, number, np.zeros(0))


def _draws(sheet: Sheet, method: Algorithm, bench: Bench) -> None:
    how = "a round whose samples are handed out, and whose seed raises"
    if algorithm_draws(method):
        sheet.add("draws", how, TRUE, "draws = True is declared")
        return
    ids = np.arange(2)
    play = bench.rounds(method, [0, 1], samples=_Handed(bench.problem, ids))
    try:
        last(play, bench.first(method, bench.start(2)), 2)
    except ValueError as error:
        if "draws by itself" not in str(error):
            raise
        sheet.judge("draws", how, False, "it reads net.seed; need draws = True on the class")
        return
    sheet.judge("draws", how, True, "none are declared, and none are made")


def _runs_alone(sheet: Sheet, method: Algorithm, bench: Bench) -> None:
    x, ids = bench.start(), [4, 0, 7]
    whole = arrays(bench.played(method, x, ids, _ROUNDS))
    bits, worst, where = True, 0.0, ""
    for r, run in enumerate(ids):
        alone = arrays(bench.played(method, x[r : r + 1], [run], _ROUNDS))
        for name, value in whole.items():
            one = alone.get(name)
            off, size = (np.inf, 1.0) if one is None or len(one) != 1 else gap(one[0], value[r])
            bits = bits and off == 0
            if off > worst * size:
                worst, where = off / max(size, 1e-300), f"{name} of run {run} is off by {off:.3g}"
    by = "the same bits" if bits else where
    sheet.judge(
        "a batch is its runs", f"each of 3 runs alone, {_ROUNDS} rounds", worst <= _ROOM, by
    )


_NOTICED = {  # kind of notice -> the row, what was looked at, what it is called
    "shared draws": ("draws of its own", "64 runs that start alike, 3 rounds of 3 seeds", LIE),
    "step size": ("step_size", "the first step of one client on a quadratic", LIE),
    "mass": ("mass of x", "rounds whose gradients are 0", DOUBT),
    "server": ("edges", "whom a client's model moves in one round of a ring", DOUBT),
}


def _noticed(sheet: Sheet, method: Algorithm, bench: Bench) -> None:
    if is_own(type(method)):
        return
    ring = bench.topology if bench.topology.networks else topology("ring", CLIENTS)
    start = bench.start(1)[0]
    seen = {
        each.kind: each.text
        for each in noticed(Setting(bench.problem, ring, method, {}, _ROUNDS, start))
    }
    for kind, (row, how, result) in _NOTICED.items():
        if kind in seen:
            sheet.add(row, how, result, seen[kind])
        elif kind in ("mass", "server"):
            sheet.add(row, how, TRUE)


def _float32(sheet: Sheet, method: Algorithm, bench: Bench) -> None:
    x, how = bench.start().astype(np.float32), f"{_ROUNDS} rounds in float32"
    try:
        small = arrays(bench.played(method, x, [0, 1, 2], _ROUNDS))
    except (ValueError, TypeError) as error:
        sheet.add("float32", how, LACKS, said(error))
        return
    wide = arrays(bench.played(method, x.astype(np.float64), [0, 1, 2], _ROUNDS))
    off, size = gap(small["x"], wide["x"])
    kinds = [k for k, v in small.items() if v.dtype == np.float64]
    if kinds:
        sheet.add("float32", how, LACKS, f"{kinds[0]} comes out as float64")
    elif not off <= _ROOM32 * size:  # a threshold may tip either way: no proof
        sheet.add("float32", how, DOUBT, f"x is off by {off:.2g} from float64")
    else:
        sheet.add("float32", how, TRUE, f"x is off by {off:.1e}, room {_ROOM32 * size:.1e}")


def _faults(sheet: Sheet, method: Algorithm, bench: Bench) -> None:
    ways = {
        "delay": Faults(delay=2),
        "faults": Faults(loss=0.2, failing=0.2, stragglers=0.3),
    }
    for word, faults in ways.items():
        how = f"{_ROUNDS} rounds with {'late messages' if word == 'delay' else 'losses, failures'}"
        try:
            state = _faulty(method, bench, faults)
        except ValueError as error:
            sheet.add(word, how, LACKS, said(error))
        except Exception as error:
            sheet.add(word, how, LIE, said(error))
        else:
            good = all(np.isfinite(v).all() for v in arrays(state).values() if v.dtype.kind == "f")
            sheet.judge(word, how, good, "" if good else "a state is nan or inf")


def _faulty(method: Algorithm, bench: Bench, faults: Faults) -> State:
    play = bench.rounds(method, [0, 1], faults)
    return last(play, bench.first(method, bench.start(2)), _ROUNDS)
