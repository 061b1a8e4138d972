"""Which laws and algorithms dfedpgp's metrics take, and what a place of a pathwise claim is."""

import pathlib
import runpy

import pytest

from theorylab.metrics import measured, metric
from theorylab.runs import laws
from theorylab.verdicts.instance import built, parsed

HERE = runpy.run_path(str(pathlib.Path(__file__).with_name("_instances_dfedpgp.py")))
QUIET, SIGNS, constants, rows = (HERE[name] for name in ("QUIET", "SIGNS", "constants", "rows"))


def test_numbers_beyond_float64_are_one_line_and_no_measurement():
    # u grows by some 1e160 a step: its square is no float64, though what bounds it may be
    far = {**QUIET, "algorithm": {**QUIET["algorithm"], "eta_u": 1e160, "steps_u": 2}}
    for column in ("square", "body_drift"):
        with pytest.raises(ValueError, match="leave float64") as caught:
            rows(column, **far)
        assert "\n" not in str(caught.value)


def test_each_path_has_its_own_right_side_and_its_own_place():
    loud = {**SIGNS, "problem": {**SIGNS["problem"], "sigma_u": 20.0, "sigma_v": 20.0}}
    found = rows("descent", {"paths": True}, **loud)
    assert [row.label for row in found] == [f"t=0, run {r}" for r in range(8)]
    for row in found:  # curvature 1 in both parts, no coupling: Taylor's formula ends there
        linear, u, v = (row.at[f"dfedpgp_{x}"] for x in ("linear_part", "moved_u", "moved_v"))
        assert abs(float(row.values[0]) - (linear + (u + v) / 2)) <= row.rounding
    # the largest left side against the mean right side would refute a true inequality
    (mean,) = rows("descent", **loud)
    assert max(float(row.values[0]) for row in found) > mean.at["dfedpgp_linear_part"]
    with pytest.raises(ValueError, match=r"right side at 't=0' is random; need one number where a"):
        rows("descent", {"keep": True}, **loud)


@pytest.mark.parametrize("column", ["head_product", "local_square", "bias", "descent"])
def test_outcomes_that_come_in_chunks_change_nothing(column, monkeypatch):
    how = {"paths": column == "descent"}
    whole = rows(column, how, **SIGNS)
    monkeypatch.setattr(laws, "CHUNK", 7)
    for one, many in zip(whole, rows(column, how, **SIGNS), strict=True):
        # 32 outcomes, each of some dozen roundings of numbers below 1
        assert float(many.values[0]) == pytest.approx(float(one.values[0]), rel=1e-13, abs=1e-15)
        if column != "bias":  # of which the right side is the rounding itself
            assert many.at == pytest.approx(one.at, rel=1e-13)


BAD = {
    "outcomes": ({**SIGNS, "rounds": 4}, {"law": "enumerated"}, "more than 65536 outcomes"),
    "gaussian": (
        {**SIGNS, "problem": {**SIGNS["problem"], "noise": "gaussian"}},
        {"law": "enumerated"},
        "no outcomes that could be listed",
    ),
    "a norm of a mean, sampled": (SIGNS, {"law": "sampled"}, "a norm of a mean"),
    **{
        name: (
            {**QUIET, "algorithm": {**QUIET["algorithm"], name: value}},
            {},
            f"{name} is {value}",
        )
        for name, value in (("momentum", 0.5), ("weight_decay", 0.1), ("decay", 0.9))
    },
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_measured_is_one_line(case):
    options, how, text = BAD[case]
    with pytest.raises(ValueError, match=text) as caught:
        rows("bias", how, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("column", ["path", "memory", "path_eq14", "memory_eq14"])
def test_a_random_right_side_that_is_not_linear_needs_a_run_without_noise(column):
    with pytest.raises(ValueError, match=f"metric dfedpgp.{column}: its right side is random"):
        rows(column, **SIGNS)


def test_an_algorithm_with_other_steps_is_refused():
    other = built("here", parsed("here", {**QUIET, "algorithm": {"eta": 0.1}}), "sgp")
    with pytest.raises(ValueError, match="eta_u of sgp is None; need one number"):
        measured(metric("dfedpgp.square"), other, constants(**QUIET))
