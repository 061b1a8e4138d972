"""What a state after many rounds may be off by: its formula, and a run in exact fractions."""

import math
import types
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from theorylab import symbols
from theorylab.algorithms import algorithm
from theorylab.known import How, Known
from theorylab.problems import problem
from theorylab.runs import Trace, simulate
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.topologies import topology
from theorylab.verdicts import judge_check, rounding
from theorylab.verdicts.instance import Setting
from theorylab.verdicts.rounding import state_rounding

N, D, T = 3, 5, 7
SMALL = 2.0**-1000  # what squares lose that are no numbers


def setting(f_star=0.0, start=0.0, **known):
    known = {"f_star": f_star, **known}
    constants = {name: Known(value, How.EXACT, "given") for name, value in known.items()}
    losses = types.SimpleNamespace(
        clients=N, dim=D, constants=lambda: constants, smooth_and_convex=("L", "mu")
    )
    return Setting(losses, None, None, {}, T, np.array([[start, 0.0]]))


def allowed(column, size, largest, **options):
    trace = Trace({}, np.arange(2), False, size=largest)
    return state_rounding(setting(**options), trace.size, column)(np.array([size / 2, -size]))


@pytest.mark.parametrize("size", [0.0, 1e-40, 4.0])
@pytest.mark.parametrize("smooth", [0.5, 3.0])
@pytest.mark.parametrize(("largest", "start"), [(9.0, 2.0), (2.0, -9.0), (1e-12, 0.0)])
def test_the_room_is_what_a_move_of_the_state_by_its_rounding_can_change(
    size, smooth, largest, start
):
    def said(column, f_star=0.0):
        return allowed(column, size, largest, L=smooth, f_star=f_star, start=start)

    with mpmath.workdps(60):
        eps, top = mpmath.mpf(2) ** -53, max(largest, abs(start))
        # each of the n d entries moves by 8 roundings a round, n + d of them for the last sums
        move = 8 * eps * (T + N + D) * top * mpmath.sqrt(N * D)
        root = mpmath.sqrt(size)
        # the column is |u|^2, and u moves by so much, or by L of it
        consensus = (root + move) ** 2 - size
        gradient = (root + smooth * move) ** 2 - size
        # L |u|^2 / 2 is as steep at its height as an L-smooth function can be above its infimum
        away = mpmath.sqrt(2 * size / mpmath.mpf(smooth))
        gap = smooth * ((away + move) ** 2 - away**2) / 2
        # and f and f* are sums of n d terms each, of the sizes |f*| + gap and |f*|
        sums = 8 * eps * N * D * (size + 2 * mpmath.mpf(6))
        at_0 = gap + 8 * eps * N * D * size
    few = {"rel": 1e-14, "abs": 0}  # a dozen roundings of 1e-16
    assert said("consensus") == pytest.approx(float(consensus) + SMALL, **few)
    assert said("squared_gradient") == pytest.approx(float(gradient) + SMALL, **few)
    assert said("suboptimality") == pytest.approx(float(at_0) + SMALL, **few)
    for f_star in (6.0, -6.0):
        expected = float(gap + sums) + SMALL
        assert said("suboptimality", f_star) == pytest.approx(expected, **few)
        assert said("squared_gradient", f_star) == said("squared_gradient")
        assert said("consensus", f_star) == said("consensus")


@pytest.mark.parametrize("unknown", [{}, {"L": math.inf}])
def test_without_a_smoothness_the_room_is_a_share_of_all_that_cancels(unknown, monkeypatch):
    few = {"rel": 1e-15, "abs": 0}
    share = 16 * 8 * 2.0**-53 * (T + N + D)  # 16 times the roundings of T rounds
    gap = allowed("suboptimality", 4.0, 3.0, f_star=-6.0, **unknown)
    assert gap == pytest.approx(share * (6 + 4 + 9), **few)
    gradient = allowed("squared_gradient", 4.0, 3.0, f_star=-6.0, **unknown)
    assert gradient == pytest.approx(share * (4 + 9), **few)
    monkeypatch.setattr(rounding, "_MORE", 1e9)
    gradient = allowed("squared_gradient", 4.0, 3.0, f_star=-6.0, **unknown)
    assert gradient == pytest.approx(1e-9 * (4 + 9), **few)  # and never more
    known = allowed("consensus", 4.0, 3.0, L=2.0)
    assert allowed("consensus", 4.0, 3.0, **unknown) == known  # it needs none
    assert allowed("suboptimality", 0.0, 0.0, **unknown) == SMALL


def test_even_0_is_known_no_better_than_the_smallest_squares():
    for column in ("consensus", "squared_gradient", "suboptimality"):
        assert allowed(column, 0.0, 0.0, L=2.0) == SMALL


def test_a_column_in_which_nothing_cancels_has_no_absolute_room():
    assert allowed("weight_min", 4.0, 9.0, L=2.0) == 0.0


BENT = [[1, 3], [2, 1], [4, 2], [1, 2]]  # H_i = diag; these integers are exact
CENTERS = [[1000, 1], [1001, -3], [996, 2], [1004, 5]]
MEAN_BENT = [Fraction(sum(row[k] for row in BENT), 4) for k in range(2)]
BEST = [
    Fraction(sum(h[k] * c[k] for h, c in zip(BENT, CENTERS, strict=True)), 4) / MEAN_BENT[k]
    for k in range(2)
]


def exact(near, rounds):
    """f - f*, |grad f|^2 and the consensus error of x^T, in fractions; near(i, j) exchange."""
    x, eta = [[Fraction(0)] * 2 for _ in range(4)], Fraction(1, 8)
    for _ in range(rounds):
        half = [[x[i][k] - eta * BENT[i][k] * (x[i][k] - CENTERS[i][k]) for k in range(2)]
                for i in range(4)]  # fmt: skip
        with_whom = [[j for j in range(4) if near(i, j)] for i in range(4)]
        x = [[sum(half[j][k] for j in them) / len(them) for k in range(2)] for them in with_whom]
    mean = [sum(each[k] for each in x) / 4 for k in range(2)]
    away = [mean[k] - BEST[k] for k in range(2)]
    return {
        "suboptimality": sum(MEAN_BENT[k] * away[k] ** 2 for k in range(2)) / 2,
        "squared_gradient": sum((MEAN_BENT[k] * away[k]) ** 2 for k in range(2)),
        "consensus": sum((each[k] - mean[k]) ** 2 for each in x for k in range(2)) / 4,
    }


@pytest.mark.parametrize(
    ("graph", "near", "hidden"),
    [
        # all to all it converges to the optimum, where nothing of a gap is left but rounding
        ("complete", lambda i, j: True, {"suboptimality", "squared_gradient"}),
        ("ring", lambda i, j: abs(i - j) != 2, set()),
    ],
)
def test_a_run_is_off_its_exact_one_by_no_more_than_the_room(graph, near, hidden):
    parts = (
        problem("quadratic", 4, H=[np.diag(row) for row in BENT], c=CENTERS),
        topology(graph, 4),
        algorithm("dpsgd", eta=0.125),
    )
    beyond = set()
    for rounds in (1, 10, 100):
        here = Setting(*parts, {}, rounds, np.zeros((4, 2)))
        columns = ["loss", "squared_gradient", "consensus"]
        trace = simulate(*parts, rounds=rounds, runs=1, columns=columns)
        last = {**trace.last, "suboptimality": trace.last["loss"] - parts[0].f_star}
        for column, true in exact(near, rounds).items():
            value, share = float(last[column][0]), Fraction(1, 10**9) * true
            off = abs(Fraction(value) - true)
            # a place has both: the absolute room, and a billionth of itself
            assert (
                off <= Fraction(state_rounding(here, trace.size, column)(np.array([value]))) + share
            )
            if off > share:
                beyond.add(column)
    assert beyond == hidden  # which without the room would be believed


@pytest.mark.parametrize("column", ["mean_consensus", "last_consensus", "worst"])
def test_what_cancels_but_for_rounding_is_no_violation_whenever_it_is_looked_at(column):
    # alike clients never disagree: what float64 measures is rounding, and above a bound of 0
    quantity = Quantity("consensus", "max", (0, 2), "c") if column == "worst" else column
    version = Version(terms={"none": symbols.eta * symbols.sigma_g})
    told = Statement("t.x", Source("t", "x", "x"), quantity, {"printed": version}, "dpsgd")
    alike = {"name": "log-cosh", "dim": 2, "center": 1.0}
    run = {"problem": alike, "topology": {"name": "ring"}, "clients": 12, "rounds": 100}
    run["algorithm"] = {"eta": 0.3}
    result = judge_check(told, "printed", Check("c", run))
    assert result.measured > 0 == result.bound
    assert result.verdict == "INCONCLUSIVE"
    apart = {**run, "problem": {**alike, "spread": 1e-3}}
    assert judge_check(told, "printed", Check("c", apart)).verdict == "HOLDS"


@pytest.mark.parametrize(("over", "network", "noise"), [
    ("average", "path", 0.0), ("max", "path", 0.0), ("last", "path", 0.0),
    ("average", "complete", 1.0), ("every", "complete", 1.0),
])  # fmt: skip
def test_models_that_come_back_were_as_inexact_as_they_were_large(over, network, noise):
    # of alike clients with one start; steps of 50 throw them out to 1e15 before they return
    version = Version(terms={"tiny": 1e-10 * symbols.L * symbols.f0 / symbols.f0})
    told = Statement(
        "t.x", Source("t", "x", "x"), Quantity("consensus", over, (0, 2), "c"),
        {"printed": version}, "dpsgd",
    )  # fmt: skip
    alike = {"name": "quadratic", "mu": 1.0, "L": 1.0, "heterogeneity": 0.0, "sigma": noise}
    run = {"problem": alike, "topology": {"name": network}, "clients": 7, "rounds": 400}
    run |= {"algorithm": {"eta": "50/(1+t)"}, "x0": 1.1}
    assert judge_check(told, "printed", Check("c", run)).verdict != "VIOLATED"
