"""A record of a run is an instance, whose verdict never says more than the record allows."""

import itertools

import numpy as np
import pytest

from theorylab.statements import (
    Assumption,
    Check,
    Quantity,
    Source,
    Statement,
    Version,
    doubly_stochastic,
    jointly_connected,
    steps_within,
)
from theorylab.symbols import B, L, T, eta, f0, f_star, lambda2, n, name_of, q, sigma_l, t
from theorylab.verdicts.judge import judge_check

PATH = np.array([[0.75, 0.5], [0.25, 0.5]])  # P[to, from]
HALF = np.full((2, 2), 0.5)
GIVEN = {"L": 1, "f_star": 0}


@pytest.fixture
def saved(tmp_path):
    """``saved(loss=(R, T + 1), ...)``: the path of a record."""
    numbered = itertools.count()

    def save(matrices=None, **columns):
        tables = {k: np.asarray(v, float) for k, v in columns.items() if np.ndim(v)}
        runs, count = next(iter(tables.values())).shape
        matrices = matrices or [HALF] * (count - 1)
        at, target, source = np.nonzero(np.array(matrices))
        path = tmp_path / f"run{next(numbered)}.npz"
        np.savez(
            path,
            run=np.repeat(np.arange(runs), count),
            round=np.tile(np.arange(count), runs),
            edge_round=at,
            edge_from=source,
            edge_to=target,
            edge_weight=np.array(matrices)[at, target, source],
            **{"eta": 0.5, "precision": 2.0**-52}
            | {k: v for k, v in columns.items() if not np.ndim(v)},
            **{k: v.ravel() for k, v in tables.items()},
        )
        return str(path)

    return save


def judged(path, bound, quantity="mean_squared_gradient", assumes=(), assumed=(), **given):
    version = Version(terms={"bound": bound}, assumes=tuple(assumes), checks=())
    source = Source("test", "Theorem 1", "a bound")
    statement = Statement("test.thm1", source, quantity, {"printed": version}, "sgp")
    record = {"record": path, "given": given}
    record |= {"assumed": list(assumed)} if assumed else {}
    return judge_check(statement, "printed", Check("record", record))


def test_one_run_shows_nothing_of_an_expectation(saved):
    path = saved(squared_gradient=[[4.0, 1.0, 0.0]])
    for bound in (f_star + 1000, f_star + 2):
        found = judged(path, bound, f_star=0)
        assert found.verdict == "INCONCLUSIVE"
        assert "unseen in 1 run" in found.reason


def test_a_run_that_draws_nothing_decides_by_itself(saved):
    path = saved(squared_gradient=[[4.0, 1.0, 0.0]], deterministic=1)
    assert judged(path, f_star + 2.51, f_star=0).verdict == "HOLDS"
    found = judged(path, f_star + 2.49, f_star=0)
    assert (found.verdict, found.measured, found.runs) == ("VIOLATED", 2.5, 1)
    other = saved(squared_gradient=[[4.0, 1.0, 0.0]])
    assert judged(other, f_star + 2.49, f_star=0, deterministic=1).verdict == "VIOLATED"


def test_what_digits_may_be_off_decides_nothing(saved):
    """sqrt(eps) of the largest number of the column, 4: in float64 6e-8, in float32 1.4e-3."""
    for eps, apart in ((2.0**-52, 5e-8), (2.0**-23, 1e-3)):
        run = {"squared_gradient": [[4.0, 1.0, 0.0]], "deterministic": 1, "size": 1}
        path = saved(**run, precision=eps)
        for side in (-1, 1):
            bound = f_star + 1.5 * L + side * apart
            assert judged(path, bound + L, f_star=0, L=1).verdict == "INCONCLUSIVE"
            far = judged(path, bound + L + side * apart, f_star=0, L=1)
            assert far.verdict == ("HOLDS" if side > 0 else "VIOLATED")
            assert (
                f"that rounding moved squared_gradient by at most {4 * eps**0.5:.1e}" in far.given
            )


def test_many_runs_have_limits_and_a_ceiling_closes_them(saved):
    runs = np.tile([[1.0, 0.0], [3.0, 0.0]], (100, 1))  # of mean 2 at round 0
    path = saved(squared_gradient=runs)
    assert judged(path, f_star + 1, f_star=0).verdict == "VIOLATED"
    assert judged(path, f_star + 3, f_star=0).verdict == "INCONCLUSIVE"
    found = judged(path, B + 3, B=100)
    assert found.verdict == "INCONCLUSIVE"
    found = judged(path, 3 + B / 1000, B=2)
    assert (found.verdict, found.runs) == ("HOLDS", 200)
    assert "ceiling 4" in found.interval
    assert "B = 2" in found.given


def test_no_number_of_runs_shows_what_every_realisation_does(saved):
    every = Quantity("squared_gradient", "max", pathwise=True)
    path = saved(squared_gradient=[[1.0, 1.0]] * 300)
    found = judged(path, f_star + 2, every, f_star=0)
    assert found.verdict == "INCONCLUSIVE"
    assert "in 300 runs, and the claim is about every realisation" in found.reason
    assert judged(path, f_star + 0.5, every, f_star=0).verdict == "VIOLATED"
    assert judged(path, f_star + 2, every, f_star=0, deterministic=1).verdict == "HOLDS"


def test_runs_beyond_a_given_bound_are_refused(saved):
    for drawn in (0, 1):
        path = saved(squared_gradient=[[9.0, 1.0], [9.0, 1.0]], deterministic=1 - drawn)
        with pytest.raises(ValueError, match="a run is 9, above the ceiling 4"):
            judged(path, B, Quantity("squared_gradient", "max"), B=2)


@pytest.mark.parametrize(
    ("letter", "value", "line"),
    [
        (T, 1, "T is a number of the run, no option; need its rows and edges alone to tell it"),
        (n, 7, "n is a number of the run, no option"),
        (f0, 9, "f0 is a number of the run, no option"),
        (lambda2, 0.9, "lambda2 is a number of the network, no option"),
        (q, 0.9, "q is a number of the network, no option"),
        (f_star, 0, "f_star is a number of the problem, no option; need --given"),
        (L, 1, "L is a number of the problem, no option; need --given"),
        (eta, -0.5, "eta is -0.5; need a number above 0"),
    ],
)
def test_a_number_of_the_file_is_an_option_and_hides_no_row_or_matrix(saved, letter, value, line):
    path = saved(loss=[[1.0, 1.0]], squared_gradient=[[1.0, 1.0]], **{name_of(letter): value})
    with pytest.raises(ValueError, match=rf"run0.npz: {line}"):
        judged(path, letter + B, B=2)


@pytest.mark.parametrize(
    ("letter", "value", "line"),
    [(L, -1, "L is -1; need a number above 0"), (sigma_l, -1, "a number that is not below 0")],
)
def test_a_given_number_that_its_letter_excludes_is_refused(saved, letter, value, line):
    path = saved(squared_gradient=[[1.0, 1.0]], deterministic=1)
    with pytest.raises(ValueError, match=line):
        judged(path, letter, **{name_of(letter): value})


def test_what_is_said_twice_is_refused(saved):
    path = saved(squared_gradient=[[4.0, 1.0, 0.0]], deterministic=1)
    with pytest.raises(ValueError, match=r"--given: deterministic is in run0.npz; need it there"):
        judged(path, f_star + 2.49, f_star=0, deterministic=0)
    with pytest.raises(ValueError, match=r"run0.npz comes twice; need every run once"):
        judged([path, path], f_star + 2.49, f_star=0)


def test_suboptimality_is_the_loss_less_what_is_given(saved):
    path = saved(loss=[[5.0, 3.0, 2.5]], deterministic=1)
    found = judged(path, (f0 - f_star) / T, "last_suboptimality", f_star=2)
    assert (found.verdict, found.measured) == ("HOLDS", 0.5)
    assert found.bound == pytest.approx(1.5, rel=1e-6)
    with pytest.raises(ValueError, match=r"--given: f_star is 3, above the loss 2.5 of run0.npz"):
        judged(path, (f0 - f_star) / T, "last_suboptimality", f_star=3)


def test_every_round_is_a_place(saved):
    path = saved(consensus=[[8.0, 4.0, 2.0, 1.0]], deterministic=1)
    every = Quantity("consensus", "every")
    assert judged(path, 8 / 2**t + f_star, every, f_star=1e-3).verdict == "HOLDS"
    found = judged(path, 8 / 3**t + f_star, every, f_star=1e-3)
    assert (found.verdict, found.place) == ("VIOLATED", "t=3")


def test_the_network_of_the_file_has_the_constants_of_any_other(saved):
    """P of two clients with eigenvalues 1 and 1/4: q is 1/4 for the least valid pair."""
    path = saved([PATH] * 4, squared_gradient=[[1.0] * 5], deterministic=1)
    found = judged(path, q + n + f_star, f_star=0)
    assert found.constants["n"]["value"] == 2
    assert 0.25 <= found.constants["q"]["value"] < 0.3
    assert judged(path, 4 * lambda2 + f_star, f_star=1e-4).verdict == "HOLDS"
    assert judged(path, 4 * lambda2 - f_star, f_star=1e-4).verdict == "VIOLATED"


def test_assumptions_on_the_matrices_are_checked_and_those_on_the_loss_are_given(saved):
    path = saved([PATH] * 4, squared_gradient=[[1.0] * 5], deterministic=1)
    found = judged(path, 2 + f_star, assumes=[doubly_stochastic()], f_star=0)
    assert found.verdict == "ASSUMPTION_FAILS"
    assert "row 0 of W(0) sums to 1.25" in found.reason
    fits = [jointly_connected(1), steps_within(1.0, 1)]
    assert judged(path, 2 + f_star, assumes=fits, f_star=0).verdict == "HOLDS"
    convex = Assumption("f is convex", holds=lambda setting: setting.problem.convexity > 0)
    found = judged(path, 2 + f_star, assumes=[convex], f_star=0)
    assert found.verdict == "INCONCLUSIVE"
    assert "need --given 'f is convex'" in found.reason
    found = judged(path, 2 + f_star, assumes=[convex], assumed=["f is convex"], f_star=0)
    assert found.verdict == "HOLDS"
    assert "f is convex" in found.given


def test_a_step_beyond_the_cap_fails_an_assumption(saved):
    path = saved(squared_gradient=[[1.0, 1.0]], deterministic=1)
    cap = Assumption("eta <= 1/L", rule=eta * L <= 1)
    found = judged(path, f_star + 0.5, assumes=[cap], f_star=0, L=4)
    assert found.verdict == "ASSUMPTION_FAILS"


def test_runs_that_differ_are_not_deterministic(saved):
    path = saved(squared_gradient=[[1.0, 1.0], [1.0, 2.0]], deterministic=1)
    with pytest.raises(ValueError, match=r"said to be deterministic, and its runs differ by 1"):
        judged(path, f_star + 3, f_star=0)


def test_runs_from_several_starts_have_no_f0(saved):
    path = saved(loss=[[1.0, 1.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match=r"runs start at loss 1 and 2; need one start"):
        judged(path, f0, "last_suboptimality", f_star=0)


@pytest.mark.parametrize(
    ("bound", "quantity", "line"),
    [
        (sigma_l, "mean_squared_gradient", r"nothing tells sigma_l, .* need --given sigma_l=..."),
        (f_star, "last_consensus", r"has no column consensus, which test.thm1 .* it has"),
        (f_star, Quantity("loss", "average iterate"), r"is over 'average iterate', which no rec"),
        (eta, "mean_squared_gradient", r"--given: eta is in run0.npz; need it there alone"),
    ],
)
def test_what_a_record_lacks_is_one_line(saved, bound, quantity, line):
    path = saved(squared_gradient=[[1.0, 1.0]])
    with pytest.raises(ValueError, match=line):
        judged(path, bound, quantity, **({"eta": 1} if bound is eta else {"f_star": 0}))


def test_a_file_that_changed_is_not_the_one_that_was_judged(saved):
    path = saved(squared_gradient=[[1.0, 1.0]], deterministic=1)
    found = judged(path, f_star + 2, f_star=0)
    statement_instance = dict(found.instance)
    assert len(statement_instance["sha256"]) == 1
    np.savez(path, **{**np.load(path), "squared_gradient": np.array([3.0, 3.0])})
    source = Source("test", "Theorem 1", "a bound")
    version = Version(terms={"bound": f_star + 2}, assumes=(), checks=())
    statement = Statement("test.thm1", source, "mean_squared_gradient", {"printed": version}, "sgp")
    with pytest.raises(ValueError, match="the record is not the one of this SHA-256"):
        judge_check(statement, "printed", Check("record", statement_instance))
