"""Studies: exact numbers against a formula, controls, verdicts and bad input."""

import functools
import pathlib
import re

import numpy as np
import pytest

from theorylab.speedup import speedup as whole_speedup
from theorylab.verdicts.arms import Side, judged

SMALL = {"clients": [4, 8, 16], "rounds": 256}
speedup = functools.partial(whole_speedup, transient=False)


def test_the_floor_of_the_complete_network_is_that_of_sgd_on_the_mean_loss():
    # One kind of clients over the complete network: xbar is SGD on f with noise sigma^2 / n, and
    # its covariance solves X = (I - eta H) X (I - eta H) + eta^2 sigma^2 / (n d) I.
    options = {"H": [[[1.0, 0.0], [0.0, 0.4]]], "c": [[1.0, 2.0]], "sigma": 1.0}
    options |= {"mu": None, "L": None, "heterogeneity": None}
    found = speedup(
        "sgp", clients=[1, 2, 5], topology="complete", options={"eta": 0.1}, problem_options=options
    )
    values = np.array([1.0, 0.4])
    for row in found.rows:
        settled = 0.1**2 / (row.n * 2) / (1 - (1 - 0.1 * values) ** 2)
        # 512 rounds leave (1 - .04)^1024 < 1e-18 of the start
        assert row.error[1] == pytest.approx(float(values**2 @ settled), rel=1e-9)


def test_sgp_speeds_up_and_no_control_does():
    found = speedup("sgp", **SMALL)
    assert found.verdict.name == "HOLDS"
    assert found.exact
    assert found.power == -1
    assert [each.passes for each in found.controls] == [True] * 10
    assert found.table()["n"] == [4, 8, 16]


def test_clients_of_one_kind_cannot_tell_for_models_that_never_met_do_as_well():
    found = speedup("sgp", clients=[1, 2, 4, 8], rounds=256)
    assert found.verdict.name == "INCONCLUSIVE"
    assert "speeds up by itself" in found.reason
    over = speedup("sgp", clients=[1, 2, 4, 8], rounds=256, measure="clients")
    assert over.controls[0].passes
    assert over.slope.high < -0.8


def test_training_alone_is_no_speedup():
    found = speedup("local", clients=[1, 2, 4, 8], rounds=1024, measure="clients")
    assert found.verdict.name == "VIOLATED"
    assert found.power == 0


def test_the_protocol_of_deprl_cannot_tell():
    found = speedup("deprl", measure="deprl", step="sqrt", claim=-0.5, **SMALL)
    assert found.power == -0.5
    assert found.verdict.name == "INCONCLUSIVE"
    assert "P = I" in found.reason


def test_a_transient_that_is_not_over_is_no_evidence():
    found = speedup("sgp", clients=[4, 8, 16], rounds=16)
    assert found.verdict.name == "INCONCLUSIVE"
    assert "without noise" in found.reason
    assert all(row.transient[1] is None for row in found.rows)


def test_two_numbers_of_clients_make_no_slope_that_lasts():
    found = speedup("sgp", clients=[4, 8], rounds=256)
    assert found.verdict.name == "INCONCLUSIVE"
    assert "4, 8 clients came; a slope that lasts needs at least 3 numbers of" in found.reason
    assert "such as 4,8,16,32" in found.reason


def test_a_target_that_no_run_reaches_is_said_with_the_best():
    found = speedup("sgp", target=1e-9, **SMALL)
    assert not found.reached
    assert found.best == pytest.approx(min(row.error[1] for row in found.rows), rel=0.01)
    assert all(row.gradients is None for row in found.rows)


@pytest.mark.slow
def test_on_a_ring_the_transient_grows_with_the_power_of_theory():
    found = whole_speedup("sgp", **SMALL)
    low, _, high, theory = found.exponents["ring"]
    # n^3 / gap^4, and the gap of a ring is of order 1/n^2: n^11
    assert low < 11 < high
    assert "10.9 by heterogeneity" in theory


def test_a_metric_over_n_is_refused_though_it_falls():
    values = {n: np.array([1.0]) for n in (4, 8, 16)}
    flat = Side(values, dict.fromkeys(values, 0.0), True)
    falling = Side({n: v / n for n, v in values.items()}, flat.room, True)
    assert judged(-1.0, falling, flat, None).verdict.name == "HOLDS"
    assert judged(-1.0, falling, flat.over_n(), None).verdict.name == "INCONCLUSIVE"
    assert judged(-1.0, flat, flat, None).verdict.name == "VIOLATED"


def test_runs_are_paired_and_sampled_errors_agree_with_exact_ones():
    from dataclasses import replace

    from theorylab.speedup.cells import exact_errors, sampled_errors
    from theorylab.speedup.pattern import Pattern
    from theorylab.speedup.protocol import MAIN, Protocol

    pattern = Pattern("quadratic", {}, 2)
    protocol = Protocol("dpsgd", {"eta": 0.1}, pattern, "ring", rounds=40, smallest=2)
    exact = exact_errors(protocol, 4, MAIN)
    sampled = sampled_errors(protocol, 4, MAIN, range(400), 0)
    error = sampled.values.std(axis=0) / 20
    # each of 40 rounds within 5 standard errors: 2e-5 together
    assert (np.abs(sampled.values.mean(axis=0) - exact.values[0]) < 5 * error).all()
    short = replace(protocol, rounds=20)
    again = sampled_errors(short, 4, MAIN, range(400), 0)
    assert np.array_equal(again.values[:, -1], sampled.values[:, 19])


@pytest.mark.parametrize("clients", [[], [0, 4], [4, 4], [8, 4], [4, 8.5], [4, 8192]])
def test_clients_that_are_none_are_refused(clients):
    with pytest.raises(ValueError, match="need rising whole numbers from 1 to 4096"):
        speedup("sgp", clients=clients)


def test_one_client_is_refused_for_it_averages_with_nobody():
    with pytest.raises(ValueError, match="clients is 1, and one client has nobody to average"):
        speedup("sgp", clients=[1])


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"problem": "mlpp"}, "problem: no 'mlpp'; did you mean mlp?"),
        ({"measure": "median"}, "measure is 'median'; need one of mean, clients"),
        ({"measure": "deprl"}, "need deprl"),
        ({"step": "up"}, "need fixed, sqrt, or a text of n and T"),
        ({"claim": 1.0}, "claim is 1; need a power of n"),
        ({"target": 0.0}, "target is 0; need an error > 0"),
        ({"seeds": 4}, "seeds is 4; need 16 to 4096"),
        ({"rounds": 0}, "rounds is 0; need 1"),
        ({"options": {"etta": 1}}, "unknown option 'etta'"),
        ({"options": {"eta": "1/(1+t)"}}, "eta is a schedule"),
        ({"options": {"eta": 9.0}, "rounds": 2000}, "need"),
        ({"topology": "rung"}, "topology: no 'rung'"),
    ],
)
def test_bad_input_is_one_line(options, line):
    with pytest.raises(ValueError, match=re.escape(line)) as error:
        speedup("sgp", **options)
    assert "\n" not in str(error.value)


def test_the_page_of_the_docs_runs_as_it_stands(capsys):
    page = (pathlib.Path(__file__).parents[2] / "docs/speedup.md").read_text()
    code = re.search(r"<!-- speedup.py -->\n```python\n(.*?)```", page, re.DOTALL).group(1)
    exec(code, {})
    assert capsys.readouterr().out.startswith("HOLDS -0.99")


def test_a_method_that_p_equal_to_i_does_not_change_is_not_judged_by_it():
    values = {n: np.array([1.0 / n]) for n in (4, 8, 16)}
    side = Side(values, dict.fromkeys(values, 0.0), True)
    found = judged(-1.0, side, side, None)
    assert found.verdict.name == "INCONCLUSIVE"
    assert "P = I changes no digit" in found.reason


def test_what_is_left_without_noise_refutes_no_claim():
    """The error is a + b/n with a of some 45 %: it may have any slope between 0 and -1."""
    options = {"heterogeneity": 9}
    found = speedup("sgp", clients=[28, 32, 36], problem_options=options)
    assert found.slope.low > -0.6
    assert found.verdict.name == "INCONCLUSIVE"
    assert "is there without noise" in found.reason


def test_work_is_counted_as_it_is_elsewhere():
    """Ditto trains a model of its own beside the shared one; who trains alone sends nothing."""
    (ditto, *_), (alone, *_) = (speedup(name, **SMALL).rows for name in ("ditto", "local"))
    assert ditto.gradients == 10 * ditto.n * ditto.rounds[1]
    assert (alone.gradients, alone.messages) == (5 * alone.n * alone.rounds[1], 0)


@pytest.mark.parametrize(
    ("network", "problem", "told"),
    [
        ("random-out", "quadratic", "over one draw of random-out,"),
        ("ring", "quadratic", "over ring,"),
        ("random-out", "log-cosh", "over random-out,"),
    ],
)
def test_an_expectation_over_drawn_edges_says_that_they_are_one_draw(network, problem, told):
    found = speedup("sgp", clients=[2, 4], rounds=8, topology=network, problem=problem, seeds=16)
    assert told in found.title


def test_a_sampled_error_is_the_mean_of_the_last_quarter_and_a_ceiling_clips_it():
    small = {"problem": "log-cosh", "clients": [2, 4, 8], "rounds": 32, "seeds": 16}
    found = speedup("sgp", **small)
    for row in found.rows:
        assert row.error[1] == pytest.approx(found.curves[row.n][1][-8:].mean(), rel=1e-12)
    low = found.rows[-1].error[1]
    clipped = speedup("sgp", ceiling=low, **small)
    assert all(row.error[1] <= low for row in clipped.rows)
    assert f"clipped at {low:.4g}, as given" in clipped.limits
    assert clipped.slope.centre > found.slope.centre
