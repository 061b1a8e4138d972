"""What is measured, as lines of a script: a column of the run, or a metric by its own text."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from theorylab.metrics import METRICS
from theorylab.own import is_own
from theorylab.runs import Setting
from theorylab.scripts._column_texts import ENDS, weights_of
from theorylab.scripts._columns import told
from theorylab.scripts._outcomes import Law
from theorylab.scripts._parts import numbers_of
from theorylab.scripts._source import Bundle
from theorylab.scripts.base import Facts, UnscriptedError


@dataclass(frozen=True)
class Seen:
    """The lines before the rounds, after each of them, and after all.

    They leave ``values``, one number a run, or (``best``) a list of such. rounds: how many are
    played. metric: a class whose text is carried; ``local`` where it looks at local steps. keep:
    lists of them that the lines read.
    """

    facts: Facts
    rounds: int
    before: list[str] = field(default_factory=list)
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
    if facts.column in METRICS and not is_own(METRICS.find(facts.column)):
        return _metric(facts, rounds)
    lines = told(facts)
    return Seen(facts, lines.rounds, lines.before, lines.each, lines.after,
                lines.numbers, keep=lines.keep)  # fmt: skip


def _reduced(facts: Facts) -> tuple[list[str], dict[str, Any]]:
    """From a list of ``values`` of all rounds to one number a run."""
    over = facts.quantity.over
    weights, numbers = weights_of(facts) if over == "average" else ("", {})
    if over not in ENDS:
        raise UnscriptedError(f"no script is written for {facts.column}, {over}")
    if weights:
        shares = [f"weights = {weights}", "shares = [p / sum(weights) for p in weights]"]
        return [*shares, "values = sum(p * v for p, v in zip(shares, values))"], numbers
    end = "np.array(values).mean(0)" if over == "average" else ENDS[over]
    return [] if over == "best" else [f"values = {end}"], {}


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
