"""Averages over rounds of DFedAlt and DFedSalt: by hand over every sign, and in closed forms."""

import dataclasses
import math
import pathlib
import runpy

import numpy as np
import pytest

from theorylab.algorithms import DFedSalt
from theorylab.constants import Bench, paper_constants
from theorylab.metrics import measured, metric
from theorylab.runs.rounding import squared_room
from theorylab.verdicts.instance import built, parsed

REFERENCE = runpy.run_path(str(pathlib.Path(__file__).with_name("_reference_dfedalt.py")))
A, B, C, W = (REFERENCE[name] for name in "ABCW")
PROBLEM = {
    "name": "coupled-quadratic", "A": [[[A]]] * 2, "B": [[[B]]] * 2, "C": [[[C]]] * 2,
    "a": [[x] for x in REFERENCE["a"]], "b": [[x] for x in REFERENCE["b"]],
}  # fmt: skip
SIGNS = {
    "problem": {**PROBLEM, "sigma_u": REFERENCE["SU"], "sigma_v": REFERENCE["SV"],
                "noise": "rademacher"},
    "topology": {"name": "edge-list", "edges": [[i, j, W[i][j]] for i in (0, 1) for j in (0, 1)]},
    "clients": 2,
    "algorithm": {"eta_u": REFERENCE["ETA_U"], "eta_v": REFERENCE["ETA_V"], "steps_u": 2,
                  "steps_v": 1, "batch": "per-step"},
    "rounds": 2,
    "x0": [list(start) for start in zip(REFERENCE["U0"], REFERENCE["V0"], strict=True)],
    "at": [1, 2],
}  # fmt: skip
QUIET = {**SIGNS, "problem": PROBLEM, "rounds": 7, "at": [1, 2, 7]}
NOISY = {**QUIET, "problem": {**PROBLEM, "sigma_u": 0.5, "sigma_v": 0.7}}
ONE_SLOPE = {**SIGNS, "problem": {**SIGNS["problem"], "C": [[[0.0]]] * 2}}
WEIGHTS = {  # of Delta_u and Delta_v
    "measure": (1 / A, 1 / B),
    "weighted": (REFERENCE["ETA_U"] * 2, REFERENCE["ETA_V"] * 1),
}


def instance(data, problem=None, **algorithm):
    changed = {"problem": {**data["problem"], **(problem or {})}}
    return {**data, **changed, "algorithm": {**data["algorithm"], **algorithm}}


def rows(name, data, law="auto", runs=range(1), change=None):
    """The rows of DFedAlt's run, or with a rho of DFedSalt's."""
    method = "dfedsalt" if "rho" in data["algorithm"] else "dfedalt"
    made = built("here", parsed("here", data), method)
    bench = Bench(made.problem, made.topology, made.algorithm.options(), made.start, made.rounds)
    known, kind = paper_constants(method, bench, {"dfedalt_L_u"}), metric(f"dfedalt.{name}")
    made = made if change is None else change(made)
    numbers = {key: known[key] for key in kind.numbers}
    return measured(kind, made, numbers, law=law, runs=runs, rounds=data.get("at", ())).rows


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize(
    ("rho", "batch", "law"),
    [
        (0.0, "per-step", "moments"),
        (0.0, "per-round", "moments"),
        (0.0, "per-step", "enumerated"),
        (0.3, "per-step", "auto"),
        (0.3, "per-round", "auto"),
    ],
)
def test_it_is_the_mean_over_all_signs_and_rounds(name, rho, batch, law):
    exact, (u, v) = REFERENCE["by_hand"](2, 1, rho, batch), WEIGHTS[name]
    each = [u * round_["Delta_u"] + v * round_["Delta_v"] for round_ in exact]
    found = rows(name, instance(SIGNS, batch=batch, **({"rho": rho} if rho else {})), law)
    assert [row.label for row in found] == ["T=1", "T=2"]
    for row, T in zip(found, (1, 2), strict=True):
        # means over at most 4096 outcomes of numbers near 1
        assert row.values[0] == pytest.approx(sum(each[:T]) / T, rel=1e-11)
        assert 0 <= row.rounding < 1e-7


@pytest.mark.parametrize("name", WEIGHTS)
def test_the_rounds_by_moments_are_those_played_one_by_one(name):
    pairs = zip(rows(name, QUIET, "moments"), rows(name, QUIET, "exact"), strict=True)
    for one, other in pairs:
        assert (one.label, one.at) == (other.label, other.at)
        assert one.values[0] == pytest.approx(other.values[0], rel=1e-12)
        assert abs(one.values[0] - other.values[0]) <= one.rounding + other.rounding


@pytest.mark.parametrize("law", ["moments", "exact"])
def test_without_places_asked_for_the_last_round_is_one(law):
    (row,) = rows("measure", {**QUIET, "at": []}, law)
    assert row.label == "T=7"


def test_expectations_are_the_mean_of_many_runs():
    exact = rows("measure", NOISY)[2]
    runs = rows("measure", NOISY, "sampled", range(4000))[2].values
    # five standard errors of the mean
    off = 5 * runs.std() / np.sqrt(len(runs))
    assert abs(runs.mean() - exact.values[0]) < off < 0.05 * exact.values[0]


def test_the_noise_of_the_heads_is_seen_in_the_first_round():
    quiet, noisy = (
        rows("measure", instance(data, steps_v=2))[0].values[0] for data in (QUIET, NOISY)
    )
    # G = mean_i C v_i + ..., two head steps of factor 1 - .2 * 2 with noise .2 * .7 each
    variance = 0.4**2 * (0.2 * 0.7) ** 2 * (1 + 0.6**2) / 2
    assert noisy - quiet == pytest.approx(variance, rel=1e-9)


def test_the_noise_of_u_leaves_the_stationary_variance():
    middle = {"C": [[[0.0]]] * 2, "a": [[0.0]] * 2, "b": [[0.0]] * 2, "sigma_u": 2.0}
    data = instance({**QUIET, "rounds": 10**7, "at": [], "x0": 0.0}, middle, steps_u=3)
    (row,) = rows("measure", data)
    # three steps of factor .9 and noise .1 * 2, averaged over two clients
    step = (0.1 * 2) ** 2 / 2
    stationary = step * (1 + 0.9**2 + 0.9**4) / (1 - 0.9**6)
    assert row.values[0] == pytest.approx(stationary, rel=1e-5)


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("rho", [0.01, 0.3])
def test_sam_beside_noise_is_enclosed(name, rho):
    without = rows(name, instance(ONE_SLOPE, rho=0.0), "moments")
    exact = rows(name, instance(ONE_SLOPE, rho=rho), "enumerated")
    for row, bare, true in zip(
        rows(name, instance(ONE_SLOPE, rho=rho)), without, exact, strict=True
    ):
        assert row.values == bare.values
        reach = math.sqrt(WEIGHTS[name][0]) * A * rho
        top = bare.values[0] + bare.rounding
        assert row.rounding == pytest.approx(2 * reach * top**0.5 + reach**2, rel=1e-9)
        away = abs(row.values[0] - true.values[0])
        assert away <= row.rounding
        if row.label == "T=2":  # SAM is there, and rounding would not cover it
            assert away > 1e3 * (bare.rounding + true.rounding)


class Further(DFedSalt):
    """A user's own step: SAM's radius is doubled."""

    def phases(self, t):
        head, body = super().phases(t)
        return head, dataclasses.replace(body, rho=2 * body.rho)


def further(setting):
    return dataclasses.replace(setting, algorithm=Further(**setting.algorithm.options()))


UNEVEN = {"name": "edge-list", "edges": [[0, 0, 0.9], [0, 1, 0.1], [1, 0, 0.4], [1, 1, 0.6]]}
NOT_ENCLOSED = {
    "coupled": (instance(SIGNS, rho=0.3), None),
    "two slopes": (instance(ONE_SLOPE, {"A": [[[1.0]], [[2.0]]]}, rho=0.3), None),
    "a step above 1/L": (instance(ONE_SLOPE, rho=0.3, eta_u=1.01), None),
    "a W that is no average": (instance({**ONE_SLOPE, "topology": UNEVEN}, rho=0.3), None),
    "noise that bends": (
        instance(ONE_SLOPE, {"noise": "state", "length": 0.5}, rho=0.3), None
    ),
    "a step of the user's own": (instance(ONE_SLOPE, rho=0.3), further),
    "no noise": (instance(ONE_SLOPE, {"sigma_u": 0.0, "sigma_v": 0.0}, rho=0.3), None),
    "a radius that rounding hides": (instance(SIGNS, rho=1e-14), None),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_ENCLOSED)
def test_any_other_sam_is_played(case):
    data, change = NOT_ENCLOSED[case]
    with pytest.raises(ValueError, match=r"law 'moments': .*rho"):
        rows("measure", data, "moments", change=change)
    played = "exact" if case == "no noise" else "enumerated"
    one, other = (rows("measure", data, law, change=change)[-1] for law in ("auto", played))
    assert one.values == other.values
    assert one.rounding == other.rounding < 1e-7


def test_a_played_row_s_rounding_is_of_both_parts():
    (row,) = rows("measure", {**QUIET, "rounds": 1, "at": []}, "exact")
    # a gradient of these sizes is right to some 100 units of its last digit, and weighs 1 + 1/2
    assert squared_room(row.values[0], 1e-15) < row.rounding < squared_room(row.values[0], 1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"momentum": 0.9}, "momentum is 0.9; need 0.0"),
        ({"rho": 0.1, "sam": "both"}, "sam is 'both'; need 'body'"),
        ({"steps_u": [1, 2]}, r"steps_u is \[1, 2\]; need one for all clients"),
    ],
)
def test_another_algorithm_than_the_printed_one_is_one_line(change, message):
    with pytest.raises(ValueError, match=message) as error:
        rows("weighted", instance(QUIET, **change))
    assert "\n" not in str(error.value)


def test_no_slope_at_all_is_no_scale():
    flat = {"A": [[[0.0]]] * 2, "C": [[[0.0]]] * 2}
    with pytest.raises(ValueError, match=r"L_u, L_v are \[0.0, 2.0\]; need finite numbers above"):
        rows("measure", instance(QUIET, flat))
    assert rows("weighted", instance(QUIET, flat))[0].values[0] > 0


def test_no_round_after_the_last_that_is_asked_for_is_played(monkeypatch):
    played, right = [], DFedSalt.step

    def counted(self, state, context):
        played.append(state.t)
        return right(self, state, context)

    monkeypatch.setattr(DFedSalt, "step", counted)
    data = instance({**QUIET, "rounds": 50, "at": [1, 3]}, rho=0.3)
    assert [row.label for row in rows("measure", data)] == ["T=1", "T=3"]
    # the mean over t < 3 is told as round 3 is
    assert max(played) == 3
