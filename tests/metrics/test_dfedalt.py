"""DFedAlt's and DFedSalt's left-hand sides against plain loops over every sign."""

import functools
import pathlib
import runpy

import numpy as np
import pytest

from theorylab.constants import Bench, paper_constants
from theorylab.metrics import measured, metric
from theorylab.metrics._dfedalt_terms import Played
from theorylab.runs.laws import Enumeration
from theorylab.statements import BUILT_IN
from theorylab.verdicts.instance import built, parsed

REFERENCE = runpy.run_path(str(pathlib.Path(__file__).with_name("_reference_dfedalt.py")))
BY_HAND = functools.cache(REFERENCE["by_hand"])
A, B, C, W = (REFERENCE[name] for name in "ABCW")
QUIET = {
    "name": "coupled-quadratic",
    "A": [[[A]]] * 2,
    "B": [[[B]]] * 2,
    "C": [[[C]]] * 2,
    "a": [[x] for x in REFERENCE["a"]],
    "b": [[x] for x in REFERENCE["b"]],
}
STEPS = {
    **{"eta_u": REFERENCE["ETA_U"], "eta_v": REFERENCE["ETA_V"]},
    **{"steps_u": 2, "steps_v": 1, "batch": "per-step"},
}
PAIR = {
    "problem": {
        **QUIET,
        "sigma_u": REFERENCE["SU"],
        "sigma_v": REFERENCE["SV"],
        "noise": "rademacher",
    },
    "topology": {"name": "edge-list", "edges": [[i, j, W[i][j]] for i in (0, 1) for j in (0, 1)]},
    "clients": 2,
    "algorithm": STEPS,
    "rounds": 1,
    "x0": [list(start) for start in zip(REFERENCE["U0"], REFERENCE["V0"], strict=True)],
}
SCALAR = {
    "problem": {"name": "rippled", "r": 0.0, "a": [[0.0]] * 2, "b": [[0.0]] * 2},
    "topology": {"name": "complete"},
    "clients": 2,
    "algorithm": {**STEPS, "eta_v": 0.1, "steps_u": 1},
    "rounds": 1,
}
CASES = {  # rounds, K_v, rho, batch
    "sam": (2, 1, 0.3, "per-step"),
    "one minibatch a round": (2, 1, 0.3, "per-round"),
    "two steps of the heads": (1, 2, 0.0, "per-step"),
}


def instance(data, **algorithm):
    return {**data, "algorithm": {**data["algorithm"], **algorithm}}


def rows(name, data, law="auto", runs=range(1)):
    """The rows of a metric of DFedAlt's run, or with a rho of DFedSalt's."""
    method = "dfedsalt" if "rho" in data["algorithm"] else "dfedalt"
    made = built("here", parsed("here", data), method)
    bench = Bench(made.problem, made.topology, made.algorithm.options(), made.start, data["rounds"])
    known, kind = paper_constants(method, bench, {"dfedalt_L_u"}), metric(f"dfedalt.{name}")
    numbers = {name: known[name] for name in kind.numbers}
    asked = data.get("at", ())
    return measured(kind, made, numbers, law=law, runs=runs, rounds=asked).rows


def check_case(rounds, K_v, rho, batch):
    data = instance({**PAIR, "rounds": rounds}, steps_v=K_v, batch=batch, rho=rho)
    exact = BY_HAND(rounds, K_v, rho, batch)
    close = {"rel": 1e-11, "abs": 1e-14}  # means over at most 4096 outcomes of numbers near 1
    for name, label in (("drift", "k"), ("head_drift", "i"), ("head_drift_last", "i")):
        for t, numbers in enumerate(exact):
            for j, row in enumerate(r for r in rows(name, data) if f"t={t}," in r.label):
                assert row.label == f"t={t}, {label}={j}"
                assert row.values[0] == pytest.approx(numbers[f"{name} {j}"], **close), row.label
                symbol = "slope" if name == "drift" else f"head {j}"
                at = row.at["dfedalt_G" if name == "drift" else "dfedalt_head"]
                assert at == pytest.approx(numbers[symbol], **close), (name, row.label)
    terms = ("descent", "u_step", "v_step", "wander", "leap", "slope", "head_push", "head_leap")
    for name in (*terms, "spread", "spread_sum"):
        for row, numbers in zip(rows(name, data), exact, strict=True):
            assert row.values[0] == pytest.approx(numbers[name], **close), (name, row.label)
            for symbol in ("Delta_u", "Delta_v", "spread", "wander", "leap", "head_leap"):
                assert row.at[f"dfedalt_{symbol}"] == pytest.approx(numbers[symbol], **close)
            assert row.at["dfedalt_G"] == pytest.approx(numbers["slope"], **close)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_metric_is_the_mean_over_all_signs(case):
    check_case(*case)


def test_a_metric_that_reads_the_wrong_iterate_is_told(monkeypatch):
    right = Played.of

    def late(before, steps, after):
        p = right(before, steps, after)
        return Played(p.t, [*p.us[1:], p.us[-1]], p.vs, p.after)

    monkeypatch.setattr(Played, "of", staticmethod(late))
    with pytest.raises(AssertionError):
        check_case(*CASES["sam"])


@pytest.mark.parametrize("other", ["the minibatch before", "one for all clients"])
def test_a_law_that_hands_out_other_samples_is_told(monkeypatch, other):
    right = Enumeration.assembled

    def wrong(self, t, number, outcomes):
        if other == "one for all clients":
            return np.repeat(right(self, t, number, outcomes)[:, :1], 2, axis=1)
        # what nobody asked for is nan there, which would be told before
        return np.nan_to_num(right(self, t, max(number - 1, 0), outcomes))

    monkeypatch.setattr(Enumeration, "assembled", wrong)
    with pytest.raises(AssertionError):
        check_case(*CASES["two steps of the heads"])


@pytest.mark.parametrize("locator", ["dfedalt.eq19", "dfedsalt.eq33", "dfedalt.lem5"])
def test_only_the_draws_that_a_step_reads_are_outcomes(monkeypatch, locator):
    totals, right = [], Enumeration.chunks

    def spied(self):
        totals.append(self.total)
        return right(self)

    monkeypatch.setattr(Enumeration, "chunks", spied)
    checks = [c for v in BUILT_IN[locator].versions.values() for c in v.checks]
    check = next(c for c in checks if c.name == "signs")
    rows("spread", check.instance, "enumerated")
    # two clients and 4 + 3 steps, one coordinate each, of which a step reads its own part's; or
    # two rounds of three steps on u alone, where the heads have no noise
    assert totals == [2**14 if locator != "dfedalt.lem5" else 2**12]


def test_the_largest_expectation_before_is_kept():
    problem = {**QUIET, "sigma_u": 3.0, "sigma_v": 0.0, "noise": "rademacher"}
    data = instance({**PAIR, "problem": problem, "rounds": 4}, steps_u=1)
    found = rows("spread", data)
    seen = [row.at["dfedalt_G"] for row in found]
    past = [row.at["dfedalt_G_past"] for row in found]
    assert past == pytest.approx([max([0, *seen[:t]]) for t in range(4)], rel=1e-14)
    assert past[0] == 0 < past[1]


@pytest.mark.parametrize("count", [1, 2, 16])
def test_a_random_right_side_is_not_taken_from_a_sample_however_small(count):
    noise = {**QUIET, "sigma_u": 1.0, "sigma_v": 1.0, "noise": "gaussian"}
    with pytest.raises(ValueError, match="every right side is random"):
        rows("descent", {**PAIR, "problem": noise}, runs=range(count))


def test_rounds_asked_for_alone_are_measured():
    data = {**SCALAR, "rounds": 4, "at": [0, 3], "x0": 0.1}
    assert [row.label for row in rows("spread", data)] == ["t=0", "t=3"]


@pytest.mark.parametrize("name", ["drift", "head_drift_last"])
def test_a_step_below_an_ulp_is_not_taken_for_a_drift(name):
    # 1 - .6 * 2^-53 rounds to 1 - 2^-53: the step in floats is 1.7 times the true one
    tiny = 0.6 * 2.0**-53
    row = rows(name, {**instance(SCALAR, eta_u=tiny, eta_v=tiny, steps_u=2), "x0": 1.0})[-1]
    assert row.values[0] > 2 * tiny**2  # what the lemmas' factor 2 would not forgive
    assert row.values[0] - row.rounding <= tiny**2


FAR = instance(SCALAR, eta_u=1e3, steps_u=100)  # where nothing moves rounding alone grows
LEAVING = {
    "underflow of a squared gradient": ("head_drift_last", {  # its gradient is 1e-170
        **instance(SCALAR, eta_v=1e19), "x0": [0.0, 1e-150],
        "problem": {**SCALAR["problem"], "B": 1e-20},
    }),
    "overflow of a square": ("head_leap", {**SCALAR, "x0": [0.0, 1e200]}),
    "growing rounding": ("leap", FAR),
    "overflow on the way": ("spread", {**instance(FAR, steps_u=1000), "x0": 1.0}),
}  # fmt: skip


@pytest.mark.parametrize("case", LEAVING)
def test_what_leaves_float64_is_one_line(case):
    words = r"numbers leave float64|rounding may grow by"
    # the step's own warnings: what judges a statement raises on them, see verdicts.measured
    with pytest.raises(ValueError, match=words) as error, np.errstate(all="ignore"):
        rows(*LEAVING[case])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"momentum": 0.9}, "momentum is 0.9; need 0.0"),
        ({"weight_decay": 0.1}, "weight_decay is 0.1"),
        ({"decay": 0.5}, "decay is 0.5; need 1.0"),
        ({"rho": 0.1, "sam": "both"}, "sam is 'both'; need 'body'"),
        ({"steps_u": [1, 2]}, r"steps_u is \[1, 2\]; need one for all clients"),
    ],
)
def test_another_algorithm_than_the_printed_one_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        rows("drift", instance(PAIR, **options))
