"""Statements about a run: what is measured, with which constants, and when it is measured again."""

import numpy as np
import pytest

from theorylab.algorithms import algorithm as method
from theorylab.problems import problem
from theorylab.runs import mean_interval, simulate
from theorylab.statements import Check, Source, Statement, Version
from theorylab.symbols import BY_NAME, K, L, T, d, eta, f0, f_star, n, symbol, x0_sq
from theorylab.topologies import topology
from theorylab.verdicts import Instance, judge_check, measure
from theorylab.verdicts.instance import given_constants

nowhere = symbol("q_test_measure", "q_0", "a number that nothing defines")
CENTERS = [[1.0, 0.0], [0.0, 2.0], [3.0, -1.0]]
START = [[1.0, 2.0], [0.5, -1.0], [4.0, 0.0]]
RUN = {
    "problem": {"name": "quadratic", "dim": 2, "mu": 0.5, "L": 2.0, "seed": 1, "sigma": 0.5},
    "topology": {"name": "ring"},
    "clients": 3,
    "rounds": 8,
    "algorithm": {"eta": 0.1},
    "x0": START,
}
NOISY = {**RUN, "problem": {"name": "log-cosh", "centers": CENTERS, "sigma": 0.5}}


def judged(quantity, term, run=RUN, algorithm="sgp", seeds=32, seed=0):
    statement = Statement(
        id="test.runs",
        source=Source("test", "none", "runs"),
        algorithm=algorithm,
        quantity=quantity,
        versions={"printed": Version({"bound": term}, ())},
    )
    return judge_check(statement, "printed", Check("one", run), seeds=seeds, seed=seed)


@pytest.mark.parametrize("option", [{"law": "moments"}, {"at": [1]}])
def test_a_metrics_options_are_none_of_a_column(option):
    with pytest.raises(ValueError, match=r"law or at came; need neither") as error:
        judged("mean_squared_gradient", L * (f0 - f_star), {**RUN, **option})
    assert "\n" not in str(error.value)


def test_the_constants_of_a_run_are_those_of_its_instance():
    # f^* is not 0 here, the clients start apart, and n, d, T and K all differ
    run = {**RUN, "algorithm": {"eta": 0.1, "alpha": 0.5, "local_steps": 4}}
    term = (f0 - f_star) / (T * eta) * n * d * K + x0_sq * L**2
    found = judged("mean_squared_gradient", term, run, "dfedsgpsm")
    values = {name: constant["value"] for name, constant in found.constants.items()}
    losses = problem("quadratic", 3, dim=2, mu=0.5, L=2.0, seed=1)
    start = np.array(START)
    assert {name: values[name] for name in ("T", "n", "d", "K", "eta")} == {
        **{"T": 8, "n": 3, "d": 2, "K": 4, "eta": 0.1}
    }
    assert values["f0"] == losses.mean_loss(start.mean(axis=0)[None])[0]
    assert values["x0_sq"] == pytest.approx((start**2).sum() / 3, rel=1e-15)
    assert values["f_star"] == losses.f_star > 0.1
    assert {constant["how"] for constant in found.constants.values()} == {"exact"}
    assert found.instance["algorithm_name"] == "dfedsgpsm"
    assert found.instance["x0"] == START
    plain = judged("mean_squared_gradient", (f0 - f_star) / (T * eta) * K)
    assert plain.constants["K"]["value"] == 1  # sgp takes one step a round
    parts = {"name": "coupled-quadratic", "dim_u": 2, "dim_v": 2}
    steps = {"eta_u": 0.1, "eta_v": 0.1, "steps_u": 3}
    personal = {**RUN, "problem": parts, "algorithm": steps, "x0": 0.5}
    other = judged("last_consensus", 1e9 * x0_sq * K, personal, "dfedalt")
    assert other.constants["K"]["value"] == 1  # it has no local steps, but steps of u and of v


def test_the_last_loss_is_measured_above_the_infimum_where_that_is_exact():
    found = judged("last_suboptimality", (f0 - f_star) * 9 + 0 * BY_NAME["roundoff"])
    parts = problem("quadratic", 3, dim=2, mu=0.5, L=2.0, seed=1, sigma=0.5)
    assert (found.verdict, found.runs, found.interval[:17]) == ("HOLDS", 1, "exact expectation")
    trace = simulate(
        parts, topology("ring", 3), method("sgp", eta=0.1), rounds=8, runs=2000, x0=START,
        columns=["loss"],
    )  # fmt: skip
    last = trace.last["loss"] - parts.f_star
    error = last.std() / np.sqrt(len(last))
    assert abs(found.measured - last.mean()) < 6 * error < 0.1 * found.measured
    away = {**RUN, "problem": {"name": "sin-sin", "dim_u": 2, "dim_v": 2}, "x0": 0.5}
    with pytest.raises(ValueError, match="last_suboptimality: f"):
        judged("last_suboptimality", f0, away)


def test_at_the_optimum_the_gap_is_none_and_not_below_0():
    losses = problem("quadratic", 3, dim=2, mu=0.5, L=2.0, seed=1)
    still = {**RUN["problem"], "sigma": 0.0}
    run = {**RUN, "problem": still, "x0": losses.optimum.tolist(), "topology": {"name": "complete"}}
    run["rounds"] = 1
    found = judged("last_suboptimality", f0, run)
    assert 0 <= found.measured <= 1e-15


def test_a_sampled_mean_has_the_limits_of_its_own_runs():
    found = judged("mean_squared_gradient", f0 * 1e9 * L, NOISY)
    assert (found.runs, found.interval[:24]) == (16, "betting confidence seque")
    again = judged("mean_squared_gradient", f0 * 1e9 * L, NOISY, seed=1)
    assert again.measured != found.measured
    few = judged("mean_squared_gradient", f0 * 1e9 * L, NOISY, seeds=5)
    assert few.runs == 5
    # the first runs are the same whatever follows them
    quantity = judged("last_consensus", 1e9 * x0_sq, NOISY, seeds=1)
    assert quantity.runs == 1
    assert quantity.ci[1] is None  # one run has no upper limit where no ceiling is known


def test_what_is_not_random_is_run_once():
    still = {**NOISY, "problem": {**NOISY["problem"], "sigma": 0.0}}
    found = judged("last_consensus", 1e9 * x0_sq, still)
    assert (found.verdict, found.runs) == ("HOLDS", 1)
    assert found.curve.lower == found.curve.measured


def test_an_identity_is_measured_on_every_run_against_its_own_rounding():
    run = {**NOISY, "algorithm": {"eta": 0.1, "alpha": 0.5, "local_steps": 2}}
    bound = 1e3 * BY_NAME["roundoff"] * BY_NAME["magnitude"]
    found = judged("update_residual_line9", bound, run, "dfedsgpsm", seeds=8)
    assert (found.verdict, found.runs, found.curve) == ("HOLDS", 8, None)
    assert found.interval == "largest of 8 realisations"
    assert found.ci == (found.measured, found.measured)
    assert found.constants["roundoff"]["value"] == 2.0**-53
    size = found.constants["magnitude"]
    assert size["how"] == "upper"
    trace = simulate(
        problem("log-cosh", 3, centers=CENTERS, sigma=0.5), topology("ring", 3),
        method("dfedsgpsm", eta=0.1, alpha=0.5, local_steps=2), rounds=8, runs=8, x0=START,
        columns=["update_residual_line9", "update_magnitude"],
    )  # fmt: skip
    assert found.measured == trace.columns["update_residual_line9"].max()
    assert size["value"] == trace.columns["update_magnitude"].max() * (1 + 1e-9)
    exact = judged("update_residual_line9", bound, {**RUN, "rounds": 3}, "dfedsgpsm", seeds=4)
    assert exact.runs == 4  # moments say nothing of every realisation


def test_runs_are_kept_for_other_versions_and_for_nothing_else(monkeypatch):
    calls = []
    runs = measure._new_runs

    def counted(*arguments):
        calls.append(arguments[3])
        return runs(*arguments)

    monkeypatch.setattr(measure, "_new_runs", counted)
    monkeypatch.setattr(measure, "_KEPT", {})
    bound = f0 * 1e-9 * L + 1e9 * f0 * L
    judged("mean_squared_gradient", bound, NOISY)
    judged("mean_squared_gradient", bound * 2, NOISY)
    assert calls == [range(16)]
    for other in (
        {"seed": 1},
        {"run": {**NOISY, "rounds": 9}},
        {"run": {**NOISY, "algorithm": {"eta": 0.2}}},
        {"algorithm": "osgp"},
    ):
        judged("mean_squared_gradient", bound, **{"run": NOISY, **other})
    judged("last_consensus", 1e9 * x0_sq, NOISY)
    assert len(calls) == 6
    for rounds in range(20, 40):
        judged("mean_squared_gradient", bound, {**NOISY, "rounds": rounds})
    assert len(measure._KEPT) == measure._MOST_KEPT


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"clients": 0}, r"clients: input should be greater than or equal to 1 \(came 0\)$"),
        ({"rounds": 0}, "rounds: input should be greater than or equal to 1"),
        ({"rounds": 1.5}, "rounds: input should be a valid integer"),
        ({"more": 1}, "more: extra inputs are not permitted"),
        ({"problem": {"dim": 2}}, r"problem has no name; need {'name': \.\.\.}"),
        ({"topology": {}}, "topology has no name"),
        ({"constants": {"own": {"value": "x"}}}, r"constants\.own is .* need a number or {value"),
        ({"constants": {"own": {"value": 1.0, "how": "so"}}}, r"constants\.own is "),
        ({"constants": {"own": {"how": "exact"}}}, r"constants\.own is "),
    ],
)
def test_a_wrong_instance_is_one_line(changed, line):
    with pytest.raises(ValueError, match=line) as caught:
        judged("last_consensus", x0_sq, {**RUN, **changed})
    assert str(caught.value).startswith("test.runs [printed] one: ")
    assert "\n" not in str(caught.value)


def test_a_constant_that_nothing_defines_is_one_line_with_those_there_are():
    line = (
        r"one: nothing defines the constant 'q_test_measure'; need it under constants, or .*x0_sq"
    )
    with pytest.raises(ValueError, match=line):
        judged("last_consensus", x0_sq * nowhere)


def test_what_is_missing_did_not_come():
    with pytest.raises(ValueError, match=r"one: clients: field required$"):
        judged("last_consensus", x0_sq, {k: v for k, v in RUN.items() if k != "clients"})


def test_the_smallest_instance_is_one_and_has_defaults():
    small = {**RUN, "clients": 1, "rounds": 1, "topology": {"name": "complete"}, "x0": 1.0}
    assert judged("last_consensus", x0_sq + 0 * eta, small).verdict == "HOLDS"
    del small["x0"]
    assert Instance(**small).x0 is None  # where the problem says
    assert Instance(**small).constants == {}
    with pytest.raises(ValueError, match="frozen"):
        Instance(**small).clients = 2


def test_given_constants_are_exact_unless_they_say_otherwise():
    given = given_constants("x", {"a": 3, "b": {"value": 2, "how": "upper", "source": "seen"}})
    assert (given["a"].value, given["a"].how.value) == (3.0, "exact")
    assert given["a"].source == "given with the instance"
    assert (given["b"].value, given["b"].how.value, given["b"].source) == (2.0, "upper", "seen")
    with pytest.raises(ValueError, match=r"x: constants is 3; need {name: value}"):
        given_constants("x", 3)


def test_mean_and_limits_of_many_runs_are_of_all_batches_together():
    parts = problem("log-cosh", 3, centers=CENTERS, sigma=0.5), topology("ring", 3)
    rest = {"rounds": 8, "runs": 32, "x0": START, "columns": ["squared_gradient"]}
    trace = simulate(*parts, method("sgp", eta=0.1), **rest)
    values = trace.columns["squared_gradient"].mean(axis=1)
    seen = judged("mean_squared_gradient", f0 * L, NOISY).constants
    share = float(values.mean()) / (seen["f0"]["value"] * seen["L"]["value"])
    found = judged("mean_squared_gradient", f0 * L * share, NOISY)  # a bound as large as the mean
    assert (found.verdict, found.runs) == ("INCONCLUSIVE", 32)
    assert found.measured == values.mean()
    assert 0 < mean_interval(values).low - found.ci[0] < 1e-12  # what rounding can do
