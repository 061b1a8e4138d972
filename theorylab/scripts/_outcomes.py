"""What is drawn on the way to a result, as lines of a script.

Every outcome with its chance, points whose mean is the expectation, or the runs of a seed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import UNSEEDED, Coin
from theorylab.problems import Draw
from theorylab.runs import Setting, algorithm_draws
from theorylab.runs._sealed import DrawsError
from theorylab.runs.likeliest import likeliest
from theorylab.runs.rounds import states
from theorylab.scripts.base import Facts, UnscriptedError
from theorylab.scripts.text import MOST_NUMBERS, constant

MOST = 1 << 16  # outcomes
MOST_POINTS = 20_000  # of a mean of points
MOST_DRAWN = 1_000_000  # numbers that are drawn again
LIKELY = "# the likeliest outcomes, as where they differ from the first: a row of faces each."
_LIKELY = [
    f"{LIKELY} No run is",
    "# below 0, so that what is left out makes the mean no smaller",
]
_QUIET = "net.noise = lambda k: None  # gradients are exact"
Floats = NDArray[Any]


@dataclass(frozen=True)
class Law:
    """How the runs of a script stand for an expectation.

    kind: "one" run where nothing is drawn; "listed" outcomes; "points" whose mean is that of every
    quadratic; "sampled" runs. net: which stub the step is given. lines: they assign ``faces`` and
    what the stub takes the draws from; ``set_up``: what the network is told. runs: R as text.
    """

    kind: str
    net: str = "Net"
    runs: str = "1"
    lines: list[str] = field(default_factory=list)
    set_up: list[str] = field(default_factory=list)

    @property
    def random(self) -> bool:
        return self.net != "Net"

    def expectation(self, values: str, facts: Facts) -> str:
        """What is claimed of ``values``, (R,): their mean, or the one that breaks it first."""
        if facts.quantity.chance is not None:
            return self._quantile(values, facts)
        if self.kind == "one":
            return f"float({values}[0])"
        if facts.quantity.pathwise:
            return f"{values}.{facts.reduction}()"
        return f"chances @ {values}" if self.kind == "listed" else f"{values}.mean()"

    def _quantile(self, values: str, facts: Facts) -> str:
        """The number that a run exceeds with no more than the claimed chance."""
        try:
            eps = float(facts.quantity.chance)  # type: ignore[arg-type]
        except TypeError:
            raise UnscriptedError("a quantile whose chance is a formula") from None
        sign = "" if facts.version.relation == "<=" else "-"
        chances = {"one": "np.ones(1)", "listed": "chances"}.get(self.kind)
        if self.kind == "points":
            raise UnscriptedError("a quantile of what is drawn")
        if chances is None:
            return f'{sign}np.quantile({sign}{values}, 1 - {eps!r}, method="inverted_cdf")'
        return f"{sign}quantile({sign}{values}, {chances}, {eps!r})"


@dataclass
class _Asked:
    """Hands out some samples and coins, and notes the order in which a round asks for them."""

    setting: Setting
    rounds: dict[int, list[tuple[str, int, Coin | None]]] = field(default_factory=dict)

    def sample(self, t: int, number: int, part: str) -> Any:
        noted = self.rounds.setdefault(t, [])
        if part and self.setting.problem.stochastic:
            raise UnscriptedError("a gradient of one part of a model, with noise")
        if ("sample", number, None) not in noted:
            noted.append(("sample", number, None))
        return self.setting.problem.sample(0, np.zeros(1, np.int64), t, number)

    def coins(self, t: int, number: int, coin: Coin) -> Any:
        self.rounds.setdefault(t, []).append(("coin", number, coin))
        clients = self.setting.problem.clients
        return coin.drawn(0, np.zeros(1, np.int64), clients, t, number, np.zeros(0))


def law_of(facts: Facts, setting: Setting) -> Law:
    """How the expectation of ``setting``'s rounds is written; UnscriptedError, one line, where it
    is not."""
    result, draws = facts.result, algorithm_draws(setting.algorithm)
    if draws:
        if result.runs == 1:
            raise UnscriptedError(f"{setting.algorithm.name} draws by itself")
        return Law("sampled", runs=str(result.runs), set_up=[f"net.seed = {facts.seed}"])
    asked = _Asked(setting)
    try:
        for _ in states(setting, np.zeros(1, np.int64), UNSEEDED, asked, None):
            pass
    except DrawsError:  # what the class does not say; its runs are those of the seed
        if result.runs == 1:
            raise UnscriptedError(f"{setting.algorithm.name} draws by itself") from None
        return Law("sampled", runs=str(result.runs), set_up=[f"net.seed = {facts.seed}"])
    noisy = setting.problem.stochastic and any(
        kind == "sample" for each in asked.rounds.values() for kind, *_ in each
    )
    tossed = [each[2] for row in asked.rounds.values() for each in row if each[2] is not None]
    if not noisy and not tossed:
        return Law("one")
    likely = re.search(r"by the (\d+) likeliest outcomes", result.interval)
    if likely is not None:
        return _listed(asked, setting, noisy, int(likely[1])) or _sampled(asked, facts, noisy)
    if result.runs > 1:
        return _sampled(asked, facts, noisy)
    return _listed(asked, setting, noisy) or _points(asked, setting, bool(tossed))


def _sampled(asked: _Asked, facts: Facts, noisy: bool) -> Law:
    """The runs of the seed, with the text of the generator."""
    problem: Any = facts.setting.problem
    rows = sum(len(row) for row in asked.rounds.values())
    count = facts.result.runs * rows * problem.clients * problem.dim
    if count > MOST_DRAWN:
        raise UnscriptedError(f"{facts.result.runs} runs with some {count} draws")
    lines = [f"# {facts.result.runs} runs of seed {facts.seed}"]
    set_up = [f"net.seed = {facts.seed}", *([] if noisy else [_QUIET])]
    return Law("sampled", "SampledNet", str(facts.result.runs), lines, set_up)


def sample_text(problem: Any) -> str:
    """The noise of a built-in problem as a function of seed, runs, round and step."""
    if getattr(problem, "schedule", None) is not None:
        raise UnscriptedError("noise of another size in each round is not written out")
    n, d = problem.clients, problem.dim
    field: Any = getattr(problem, "field", None)
    kind = "gaussian" if field is None else str(field.kind)
    scale = np.sqrt(problem.noise_variance / d) if field is None else field.scale
    same = np.ndim(scale) == 0 or (scale == scale[0]).all()
    text = constant(float(np.ravel(scale)[0])) if same else constant(scale)
    extra = 1 if kind == "two-point" else 0
    bits = f"words(seed, 1, runs, {n}, t, k, {d + extra})"
    if kind == "gaussian":
        return f"lambda seed, runs, t, k: {text} * normal({bits})"
    if kind not in ("rademacher", "state", "two-point") or (extra and len(field.parts) > 1):
        raise UnscriptedError(f"sampled {kind} noise")
    made = f"lambda seed, runs, t, k: {text} * signs(uniform({bits}))"
    if extra:
        return f"{made[: -len(')')]}, {field.chance!r})"
    return made


def _listed(asked: _Asked, setting: Setting, noisy: bool, count: int = 0) -> Law | None:
    """Every outcome, or the ``count`` likeliest; None where they cannot be listed."""
    draws = setting.problem.finite_noise() if noisy else ()
    if draws is None:
        return None
    coins = _coins(asked)
    n = setting.problem.clients
    each_round: list[list[tuple[Floats, int]]] = []
    for t in range(setting.rounds):
        row: list[tuple[Floats, int]] = []
        for kind, _, coin in asked.rounds.get(t, []):
            if coin is not None:
                if coin.outcomes > MOST:
                    return None
                row.append((coin.listed()[1], (1 if coin.shared else n) * coin.entries))
            elif noisy and kind == "sample":
                row += [(draws[0].chances, n * len(draws))]
        each_round.append(row)
    total = sum(k * math.log2(len(p)) for row in each_round for p, k in row)
    if not count and total > math.log2(MOST) + 1e-9:
        return None
    lines = [
        "# every outcome of all draws is a row of faces; its chance is that of its draws",
        f"laws = {_laws(each_round)}",
        "faces = np.array(list(itertools.product(*[range(len(p)) for p in laws])))",
        "chances = np.prod([np.array(p)[faces[:, j]] for j, p in enumerate(laws)], axis=0)",
    ]
    if count:
        found = likeliest([p for row in each_round for p, k in row for _ in range(k)], count)
        if found is None:
            return None
        lines = [*_LIKELY, lines[1], *_table(found[0]), lines[3]]
    set_up = ["net.faces, net.used = faces, 0"]
    if coins:
        set_up.append(f"net.coin_values = {constant_arrays([c.listed()[0] for c in coins])}")
    if not noisy:
        set_up.append(_QUIET)
    else:
        values, shape = _noise(draws, setting)
        set_up.append(f"net.noise_values, net.noise_shape = {constant(values)}, {shape!r}")
    return Law("listed", "ListedNet", "len(faces)", lines, set_up)


def _table(table: NDArray[np.int64]) -> list[str]:
    """Rows of faces, as where they differ from the first."""
    first = table[0]
    hits = [{int(j): int(row[j]) for j in np.flatnonzero(row != first)} for row in table]
    if sum(map(len, hits)) > MOST_NUMBERS:
        raise UnscriptedError(f"{len(hits)} outcomes of {len(first)} draws")
    return [
        f"hits = {constant(hits)}",
        f"faces = np.tile({constant(first.tolist())}, (len(hits), 1))",
        "for row, each in enumerate(hits):",
        "    faces[row, [*each]] = [*each.values()]",
    ]


def constant_arrays(arrays: Sequence[Floats]) -> str:
    """A list of arrays."""
    return f"[{', '.join(map(constant, arrays))}]"


def _laws(each_round: list[list[tuple[Floats, int]]]) -> str:
    """The chances of every draw, in order, as a list of lists."""

    def one(row: list[tuple[Floats, int]]) -> str:
        parts = [f"[{constant(p.tolist())}]{f' * {k}' if k > 1 else ''}" for p, k in row if k]
        return " + ".join(parts) or "[]"

    texts = [one(row) for row in each_round]
    if len(set(texts)) == 1 and len(texts) > 1:
        factor = f"({texts[0]})" if "+" in texts[0] or "*" in texts[0] else texts[0]
        return f"{factor} * {len(texts)}"
    return " + ".join(text for text in texts if text != "[]") or "[]"


def _coins(asked: _Asked) -> list[Coin]:
    """The coins of a round, in order of the calls; all rounds have to toss the same."""
    tables = [
        [coin for *_, coin in row if coin is not None] for _, row in sorted(asked.rounds.items())
    ]
    longest = max(tables, key=len, default=[])
    if any(row != longest[: len(row)] for row in tables):
        raise UnscriptedError("coins that differ from round to round")
    return longest


def _noise(draws: Sequence[Draw], setting: Setting) -> tuple[Floats, tuple[int, ...]]:
    """(values of a draw, shape of a client's sample), where all draws of a sample are alike."""
    first, width = draws[0], draws[0].values[0].size
    alike = all(
        np.array_equal(each.values, first.values) and np.array_equal(each.chances, first.chances)
        for each in draws
    )
    if first.place is None:
        return first.values, ()
    ends = [each.place for each in draws]
    placed = ends == [(k * width, (k + 1) * width) for k in range(len(draws))]
    if not alike or not placed:
        raise UnscriptedError("noise whose draws are unlike each other")
    values = first.values[:, 0] if width == 1 else first.values
    return values, (len(draws) * width,)


def _points(asked: _Asked, setting: Setting, tossed: bool) -> Law:
    """Points whose mean is the expectation of a quadratic of rounds that are affine: the noise is
    one of its coordinates alone, of either sign, times the root of how many there are."""
    variances = setting.problem.noise_variances()
    if variances is None or tossed:
        raise UnscriptedError("an expectation that is no list of outcomes")
    size = setting.problem.clients * setting.problem.dim
    count = size * sum(len(row) for row in asked.rounds.values())
    if count * 2 > MOST_POINTS:
        raise UnscriptedError(f"the moments of {count} numbers of noise")
    lines = [
        f"# {count} numbers of noise of mean 0, uncorrelated: a round is affine and what is",
        "# measured quadratic, so its mean over these points is its expectation",
        f"N = {count}",
    ]
    scale = np.sqrt(variances)
    text = constant(float(scale[0])) if (scale == scale[0]).all() else constant(scale)
    return Law(
        "points", "PointsNet", "2 * N", lines, [f"net.scale, net.used = {text} * np.sqrt(N), 0"]
    )
