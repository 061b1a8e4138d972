"""Measured sides of dfedpgp, dfedalt, dfedsalt and deprl: metrics of a round, and averages."""

from __future__ import annotations

from collections.abc import Callable

from theorylab.scripts._laws import deterministic, moment_lines, outcome_lines
from theorylab.scripts._parts import indented, numbers_of, packed, repeated
from theorylab.scripts._personal import Run, long
from theorylab.scripts.base import Facts, UnscriptedError, emitter
from theorylab.scripts.text import grouped

Side = Callable[[Run], list[str]]  # the lines after the round: they end with value
_BAR = "{0}.mean(-2, keepdims=True)"


def bar(name: str) -> str:
    """The average over the clients."""
    return _BAR.format(name)


def _apart(U: str, W: str) -> str:
    return f"(({U} - {W}) ** 2).sum(-1).mean(-1)"


def _change(run: Run, first: tuple[str, str], last: tuple[str, str]) -> str:
    new, old = run.losses.value(*last), run.losses.value(*first)
    return f"{new} - {old}"


def _slope(run: Run, U: str, V: str) -> str:
    """grad_u F at one u for all clients."""
    return f"{grouped(run.losses.body(U, V) or f'0.0 * {U}', True)}.mean(-2)"


def _heads(run: Run, U: str, V: str) -> str:
    return grouped(run.losses.heads(U, V) or f"0.0 * {V}", True)


_CHANGES = {
    "dfedalt.descent": (("bar0", "V0"), ("bar1", "V")),
    "dfedalt.u_step": (("bar0", "V"), ("bar1", "V")),
    "dfedalt.v_step": (("bar0", "V0"), ("bar0", "V")),
    "dfedpgp.descent": (("bar0", "V0"), ("bar1", "V")),
    "dfedpgp.body_descent": (("bar0", "V"), ("bar1", "V")),
    "dfedpgp.head_descent": (("bar0", "V0"), ("bar0", "V")),
}


def _changes(run: Run) -> list[str]:
    first, last = _CHANGES[run.facts.column]
    used = {name for pair in (first, last) for name in pair}
    made = [f"bar0 = {bar('U0')}"] if "bar0" in used else []
    made += [f"bar1 = {bar('U')}"] if "bar1" in used else []
    new, old = run.losses.value(*last), run.losses.value(*first)
    return [*made, f"after = {new}", f"before = {old}", "value = after - before"]


def _drift(run: Run) -> list[str]:
    local = f"Us[{run.facts.at('k')}]"
    return [f"value = {_apart(local, 'U0')}"]


def _square(run: Run) -> list[str]:
    return [f"value = {_apart(bar('U'), bar('U0'))}"]


def _spread(run: Run) -> list[str]:
    n = run.shape[0]
    times = f"{n} * " if run.facts.column.endswith("_sum") else ""
    return [f"value = {times}{_apart('U0', bar('U0'))}"]


def _wander(run: Run) -> list[str]:
    over = " / w0" if run.weighted else ""
    return [
        f"bar0 = {bar('U0')}",
        f"value = sum({_apart(f'each{over}', 'bar0')} for each in Us[:-1])",
    ]


def _push(run: Run) -> list[str]:
    return [
        f"bar0 = {bar('U0')}",
        f"value = ({_heads(run, 'bar0', 'V0')} * (V - V0)).sum(-1).mean(-1)",
    ]


def _heads_moved(run: Run) -> list[str]:
    return [f"value = {_apart('V', 'V0')}"]


def _head_drift(run: Run) -> list[str]:
    at, i = -1 if run.facts.column.endswith(("last", "all")) else -2, run.facts.at("i")
    return [f"value = ((Vs[{at}] - Vs[0]) ** 2).sum(-1)[..., {i}]"]


def _at_z(run: Run) -> list[str]:
    i = run.facts.at("i")
    Z = "Z" if run.weighted else "U0"
    return [
        f"z = {Z}[..., {i}:{i + 1}, :]",
        f"value = ({_slope(run, 'z', 'V')} ** 2).sum(-1)",
    ]


def _bias(run: Run) -> list[str]:
    """E of a step's gradient less E of the exact one: of the noise alone."""
    place, part = run.facts.result.place, "v" if ", v," in run.facts.result.place else "u"
    i, k = run.facts.at("i"), run.facts.at("k")
    noise = run.noise
    if noise is None or noise.kind != "state":
        raise UnscriptedError(f"the noise has mean 0 at {place!r}")
    over = " / w0" if run.weighted else ""
    U = "U0" if part == "v" else f"Us[{k}]"
    U = f"({U}{over})" if over else U
    V = f"Vs[{k}]" if part == "v" else "V"
    drawn = f"xi_{part}" if run.method.fixed else f"xi_{part}[..., {k}, :, :]"
    if (run.method.steps_v if part == "v" else run.method.steps_u) == 1:
        drawn = f"xi_{part}"
    point = V if part == "v" else U
    exact = (run.losses.heads if part == "v" else run.losses.body)(U, V)
    return [
        f"exact = {exact}",
        f"drawn = exact + {drawn} * np.cos({point} / {noise.length!r})",
        f"left, right = drawn.mean(0)[{i}], exact.mean(0)[{i}]",
        "value = np.linalg.norm(left - right)",
    ]


_ROUNDS: dict[str, tuple[Side, tuple[str, ...]]] = {
    **dict.fromkeys(_CHANGES, (_changes, ("old",))),
    "dfedalt.drift": (_drift, ("old", "Us")),
    "dfedpgp.body_drift": (_drift, ("old", "Us")),
    "dfedalt.leap": (_square, ("old",)),
    "dfedpgp.square": (_square, ("old",)),
    "dfedalt.spread": (_spread, ("old",)),
    "dfedalt.spread_sum": (_spread, ("old",)),
    "dfedalt.wander": (_wander, ("old", "Us")),
    "dfedpgp.body_away": (_wander, ("old", "Us", "away")),
    "dfedalt.head_push": (_push, ("old",)),
    "dfedpgp.head_product": (_push, ("old",)),
    "dfedalt.head_leap": (_heads_moved, ("old",)),
    "dfedpgp.heads_moved": (_heads_moved, ("old",)),
    "dfedalt.head_drift": (_head_drift, ("Vs",)),
    "dfedalt.head_drift_last": (_head_drift, ("Vs",)),
    "dfedpgp.head_drift": (_head_drift, ("Vs",)),
    "dfedpgp.head_drift_all": (_head_drift, ("Vs",)),
    "dfedpgp.gradient_at_z": (_at_z, ("old", "Z")),
    "dfedpgp.bias": (_bias, ("old", "Us", "Vs", "away")),
}


@emitter(*_ROUNDS)
def of_round(facts: Facts) -> list[str]:
    """A metric of round t, of client i or of local step k, as the place says."""
    t = facts.at("t")
    run = Run.of(facts, t + 1)
    side, keep = _ROUNDS[facts.column]
    value = side(run)
    random = not deterministic(run)
    if random and t:
        raise UnscriptedError("the outcomes of several rounds of noise are too many")
    outcomes = outcome_lines(run) if random else []
    one = run.round(frozenset(keep))
    if run.weighted and "away" in keep:
        one = ["w0 = w", *one]
    only = facts.column.endswith("spread") and not t
    if only:
        one = ["U0 = U"]
    # of a place that the exchange does not touch, it is left out where it is the last
    play = one if t == 0 else repeated("rounds", one, "t")
    if not facts.quantity.pathwise:
        how = "np.mean(value)" if random else "value"
    else:
        how = f"np.{facts.reduction}(value)"
    value[-1] = value[-1].replace("value =", "measured =", 1) if how == "value" else value[-1]
    ends = [] if how == "value" else [f"measured = {how}"]
    numbers = [] if only else run.numbers(t + 1 if t else None, "rounds")
    data = [] if only else run.data()
    return [*numbers, *data, *run.start(), *outcomes, *play, *value, *ends]


def _look(run: Run) -> list[tuple[str, str]]:
    """(weight, vector) of what an average is a sum of; vectors as expressions after a round."""
    column, facts = run.facts.column, run.facts
    bar0 = bar("U0")
    name = column.partition(".")[2]
    if column.startswith("deprl"):
        apart = (f"1 / {run.shape[0]}", f"(U0 - {bar0})")
        if name == "distance":
            return [apart]
        ratio = facts.setting.algorithm.options()
        share = f"{ratio['tau']} * alpha / beta"
        slope, heads = _slope(run, bar0, "V"), _heads(run, bar0, "V0")
        if name == "measure":
            return [("1", slope), (share, f"{heads}.mean(-2)"), apart]
        L = numbers_of(facts, "deprl_L")["deprl_L"]
        weight = f"{run.method.steps_v} * alpha / beta / {run.shape[0]}"
        return [("2", slope), (weight, heads), (f"{L!r} ** 2 / {run.shape[0]}", apart[1])]
    paper = column.partition(".")[0]
    smooth = numbers_of(facts, f"{paper}_L_u", f"{paper}_L_v")
    U = "Z" if name == "stationarity_debiased" and run.weighted else "U0"
    L_u, L_v = (smooth[f"{paper}_L_{part}"] for part in "uv")
    n = run.shape[0]
    share = f"1 / (L_v * {n})" if n > 1 else "1 / L_v"
    del L_u, L_v
    return [("1 / L_u", _slope(run, bar0, "V")), (share, _heads(run, U, "V0"))]


_AVERAGES = {
    "deprl.distance": 0,
    "deprl.measure": 0,
    "deprl.measure_each": 0,
    "dfedalt.measure": 0,
    "dfedpgp.stationarity": 1,
    "dfedpgp.stationarity_debiased": 1,
}


@emitter(*_AVERAGES)
def of_average(facts: Facts) -> list[str]:
    """A mean over T rounds of expected squared vectors."""
    first, T = _AVERAGES[facts.column], facts.at("T")
    run, note = _without_sam(Run.of(facts, T + first))
    parts = [(w, v) for w, v in _look(run) if "0.0 * " not in v]
    numbers: dict[str, float] = {}
    if any("L_u" in w or "L_v" in w for w, _ in parts):
        paper = facts.column.partition(".")[0]
        smooth = numbers_of(facts, f"{paper}_L_u", f"{paper}_L_v")
        used = " ".join(w for w, _ in parts)
        numbers = {f"L_{p}": smooth[f"{paper}_L_{p}"] for p in "uv" if f"L_{p}" in used}
    head = [*note, *run.numbers(T), *packed(numbers), *run.data(), *run.start()]
    if not deterministic(run) or long(run, T):
        look = [f"(({w}) ** 0.5 * {v})" if w != "1" else v for w, v in parts]
        return [*head, *moment_lines(run, look, T, first, True)]
    one = run.round(frozenset({"old", "Z"}))
    squares = [f"total += {'' if w == '1' else f'{w} * '}np.sum({v} ** 2)" for w, v in parts]
    if first:
        squares = [f"if t >= {first}:", *indented(squares)]
    times = f"T + {first}" if first else "T"
    return [*head, "total = 0.0", *repeated(times, [*one, *squares], "t"),
            "measured = total / T"]  # fmt: skip


def _without_sam(run: Run) -> tuple[Run, list[str]]:
    """Noise and SAM: the run without SAM, from which the theorem's own proof bounds the way."""
    from dataclasses import replace

    if not run.method.rho or deterministic(run):
        return run, []
    note = ["# without SAM: rho only moves the root of this sum, by at most L_u rho / sqrt(L_u)"]
    return replace(run, method=replace(run.method, rho=0.0)), note


@emitter("dfedpgp.consensus")
def of_consensus(facts: Facts) -> list[str]:
    """(1/m) sum_i E||ubar^T - z_i^T||^2."""
    T = facts.at("T")
    run = Run.of(facts, T)
    Z = "Z" if run.weighted else "U0"
    head = [*run.numbers(T), *run.data(), *run.start()]
    if not deterministic(run) or long(run, T):
        vector = f"(({Z} - {bar('U0')}) / {run.shape[0] ** 0.5!r})"
        return [*head, *moment_lines(run, [vector], T, 0, False)]
    over = "U / w" if run.weighted else "U"
    measured = f"measured = {_apart(over, bar('U'))}"
    return [*head, *repeated("T", run.round(), "t"), measured]


@emitter("dfedpgp.path", "dfedpgp.path_eq14", "dfedpgp.memory", "dfedpgp.memory_eq14")
def of_path(facts: Facts) -> list[str]:
    """||ubar^t - z_i^t||, or the sum of a client's updates from round 1 on, fading by q a round."""
    t, i = facts.at("t"), facts.at("i")
    memory = "memory" in facts.column
    run = Run.of(facts, t + 1)
    if not deterministic(run):
        raise UnscriptedError("a path of random rounds")
    if not memory:
        over = "U / w" if run.weighted else "U"
        play = repeated("rounds", run.round(), "t") if t else []
        head = [*run.numbers(t, "rounds"), *run.data()] if t else []
        value = f"measured = np.linalg.norm(({over} - {bar('U')})[{i}])"
        return [*head, *run.start(), *play, value]
    rate = "q_dfedpgp" if facts.column.endswith("eq14") else "q_row"
    q = min(numbers_of(facts, rate)[rate], 1.0)
    one = [*run.round(frozenset({"old", "half"})),
           f"memory = fade * memory + (t > 0) * np.linalg.norm((U0 - half)[{i}])"]  # fmt: skip
    head = [*run.numbers(t + 1, "rounds"), *packed({"fade": q}), *run.data(), *run.start()]
    return [*head, "memory = 0.0", *repeated("rounds", one, "t"), "measured = memory"]
