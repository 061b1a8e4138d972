"""What is measured, as lines of a script: a column of the run, or a metric by its own text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from theorylab import symbols
from theorylab.metrics import METRICS
from theorylab.own import is_own
from theorylab.problems import minimiser
from theorylab.runs import Setting
from theorylab.scripts._columns import told
from theorylab.scripts._literals import constant
from theorylab.scripts._outcomes import Law
from theorylab.scripts._parts import numbers_of
from theorylab.scripts._source import Bundle
from theorylab.scripts.base import Facts, UnscriptedError
from theorylab.scripts.bound import formula, value_text
from theorylab.symbols import name_of

_ALL = "values = np.array(values).{}(0)"
_OVER = {
    "average": _ALL.format("mean"),
    "run best": _ALL.format("min"),
    "max": _ALL.format("max"),
}


@dataclass(frozen=True)
class Seen:
    """The lines before the rounds, before and after each of them, and after all.

    They leave ``values``, one number a run, or (``best``) a list of such. rounds: how many are
    played. metric: a class whose text is carried; ``local`` where it looks at local steps. keep:
    lists of them that the lines read.
    """

    facts: Facts
    rounds: int
    before: list[str] = field(default_factory=list)
    each_before: list[str] = field(default_factory=list)
    each_after: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    numbers: dict[str, Any] = field(default_factory=dict)
    metric: Any = None
    keep: set[str] = field(default_factory=set)

    @property
    def local(self) -> bool:
        return bool(self.metric is not None and self.metric.local)

    def shortened(self, setting: Setting) -> Setting:
        return replace(setting, rounds=self.rounds)

    def measured(self, law: Law) -> str:
        if self.facts.quantity.over == "best":
            return f"min({law.expectation('v', self.facts)} for v in values)"
        return law.expectation("values", self.facts)


def seen_of(facts: Facts) -> Seen:
    """The measured side of a run; UnscriptedError, one line, where it is not written."""
    quantity, rounds = facts.quantity, facts.setting.rounds
    if quantity.over == "every":
        rounds = facts.at("t")
    if facts.column in METRICS and is_own(METRICS.find(facts.column)):
        lines = told(facts)
        return Seen(facts, lines.rounds, lines.before, [], lines.each, lines.after,
                    lines.numbers, keep=lines.keep)  # fmt: skip
    if facts.column in METRICS:
        return _metric(facts, rounds)
    made = _column(facts)
    over = quantity.over
    if over in ("last", "every"):
        return Seen(facts, rounds, after=[f"values = {made('state.x.mean(1)')}"])
    if over == "average iterate":
        weights, numbers = _weights(facts)
        mean = "np.array(bars).mean(0)"
        if weights:
            mean = "sum(p * v for p, v in zip(shares, bars))"
        return Seen(
            facts,
            rounds,
            ["bars = []"],
            ["bars.append(state.x.mean(1))"],
            after=[*_shares(weights), f"bar = {mean}", f"values = {made('bar')}"],
            numbers=numbers,
        )
    each = [f"values.append({made('state.x.mean(1)')})"]
    after, numbers = _reduced(facts)
    return Seen(facts, rounds, ["values = []"], each, after=after, numbers=numbers)


def _reduced(facts: Facts) -> tuple[list[str], dict[str, Any]]:
    """From a list of ``values`` of all rounds to one number a run."""
    over = facts.quantity.over
    if over == "best":
        return [], {}
    weights, numbers = _weights(facts) if over == "average" else ("", {})
    if weights:
        return [*_shares(weights), "values = sum(p * v for p, v in zip(shares, values))"], numbers
    if over not in _OVER:
        raise UnscriptedError(f"no script is written for {facts.column}, {over}")
    return [_OVER[over]], {}


def _shares(weights: str) -> list[str]:
    """The shares of an average, which sum to 1, where it has weights."""
    if not weights:
        return []
    return [f"weights = {weights}", "shares = [p / sum(weights) for p in weights]"]


def _weights(facts: Facts) -> tuple[str, dict[str, Any]]:
    """The weights of an average over the rounds, and the numbers that they are made of."""
    expr = facts.quantity.weights
    if expr is None:
        return "", {}
    names = {symbols.t: "t"}
    numbers: dict[str, Any] = {}
    for symbol in sorted(symbols.symbols_of(expr) - {symbols.t}, key=str):
        plain = name_of(symbol)
        if plain not in facts.result.constants:
            raise UnscriptedError("an average whose weights are not known")
        names[symbol] = plain
        numbers[plain] = float(value_text(symbol, facts.result.constants[plain], plain))
    return f"[{formula(expr, names)} for t in range(T)]", numbers


def _column(facts: Facts) -> Callable[[str], str]:
    """The column of a run as a function of its mean model (R, d): (R,)."""
    name, setting = facts.column, facts.setting
    if name == "suboptimality":
        best = repr(float(setting.problem.constants()["f_star"].value))
        less = "" if best in ("0.0", "-0.0") else f" - {best}"
        less = less.replace("- -", "+ ")
        return lambda bar: f"problem.mean_loss({bar}){less}"
    if name == "squared_distance":
        best_x = minimiser(setting.problem)
        assert best_x is not None
        away = f" - {constant(best_x)}" if best_x.any() else ""
        return lambda bar: f"(({bar}{away}) ** 2).sum(-1)"
    made: dict[str, Callable[[str], str]] = {
        "loss": lambda bar: f"problem.mean_loss({bar})",
        "squared_gradient": lambda bar: f"(problem.mean_gradient({bar}) ** 2).sum(-1)",
        "consensus": lambda bar: f"((state.z - {bar}[:, None]) ** 2).sum(-1).mean(-1)",
        "own_loss": lambda bar: 'problem.loss(state.memory.get("own", state.z)).mean(-1)',
        "weight_min": lambda bar: "state.w.min(-1)",
        "weight_max": lambda bar: "state.w.max(-1)",
    }
    if name not in made:
        raise UnscriptedError(f"no script is written for {name} of a user's file")
    return made[name]


def _metric(facts: Facts, rounds: int) -> Seen:
    """A metric's own text, as a fold."""
    kind, quantity = METRICS.find(facts.column), facts.quantity
    place, at = facts.result.place, facts.parsed.at
    if quantity.pathwise and ", run " in place:
        raise UnscriptedError("a right side that differs from run to run")
    name = kind.__name__
    known = numbers_of(facts)
    read = Bundle({name: kind}, {"rows", "start", "last", "see"}).read
    before = [f"metric = {name}({'setting' if 'setting' in read else None}, "
              f"{'known' if 'known' in read else None})"]  # fmt: skip
    if "setting" in read:
        method = "algorithm" if "algorithm" in read else "None"
        told = f"problem=problem, rounds=T, start=x0[0], algorithm={method}"
        before = [f"setting = SimpleNamespace({told})".replace(", algorithm=None", ""), *before]
    if "known" in read:
        before = [f"known = {_known(known)}", *before]
    start, last = (
        any(part in vars(each) for each in kind.__mro__ if not is_own(each))
        for part in ("start", "last")
    )
    before += ["metric.start(state)"] if start else []
    if quantity.over == "rows":
        take = [f"if row.label == {place!a}:", "    values = row.values"]
        over: list[str] = []
        numbers: dict[str, Any] = {}
    elif quantity.over in ("last", "every"):
        take, over, numbers = ['rows[row.at["t"]] = row.values'], ["values = rows[T]"], {}
    else:
        take = ['rows[row.at["t"]] = row.values']
        over, numbers = _reduced(facts)
        over = ["values = [rows[t] for t in range(T)]", *over]
    before += ["rows = {}"] if take[0].startswith("rows") else []
    inside = [f"    {line}" for line in take]
    after = ["for row in metric.last(state):", *inside] if last else []
    rounds = min(rounds, max(at) + 1) if at else rounds
    return Seen(
        facts,
        rounds,
        before,
        each_after=["for row in metric.rows(before, state):", *inside],
        after=[*after, *over],
        numbers=numbers,
        metric=kind,
    )


def _known(known: dict[str, Any]) -> str:
    parts = ", ".join(f"{k!a}: SimpleNamespace(value={v!r})" for k, v in known.items())
    return f"{{{parts}}}"
