"""DePRL's left sides against plain loops written from Algorithm 1 and Eq. (10), (12)."""

import pathlib
import runpy

import pytest

from theorylab.constants import Bench, deprl_instance_constants
from theorylab.metrics import measured, metric
from theorylab.verdicts.instance import built, parsed

HERE = runpy.run_path(str(pathlib.Path(__file__).with_name("_reference_deprl.py")))
RUN, algorithm_1, M, f = (HERE[name] for name in ("RUN", "algorithm_1", "M", "f"))
g_phi, g_theta = HERE["g_phi"], HERE["g_theta"]


def rows(column, how=(), **options):
    s = built("here", parsed("here", options), "deprl")
    bench = Bench(s.problem, s.topology, s.algorithm.options(), s.start, s.rounds)
    return measured(metric(f"deprl.{column}"), s, deprl_instance_constants(bench), **dict(how))


@pytest.mark.parametrize("law", ["moments", "exact"])
@pytest.mark.parametrize("head", ["all-steps", "printed"])
@pytest.mark.parametrize("column", ["measure", "measure_each", "distance", "gradient"])
def test_the_left_sides_are_those_of_plain_loops(column, head, law):
    options = {**RUN, "algorithm": {**RUN["algorithm"], "head": head}}
    found = rows(column, {"rounds": [1, 2, 5], "law": law}, **options)
    assert found.exact
    m = 3 - (head == "printed")
    total, kept = 0.0, {}
    for k, (phi, theta, new, _) in enumerate(algorithm_1(5, 0.1, 0.2, 3, head), start=1):
        if column == "distance":
            total += sum((v - sum(phi) / 3) ** 2 for v in phi) / 3
        elif column == "gradient":
            total += (sum(g_phi(i, sum(phi) / 3, new[i]) for i in range(3)) / 3) ** 2
        else:
            total += M(phi, theta, new, column == "measure_each", 0.1, 0.2, 3, m, 2.0)
        kept[k] = total / k
    # some hundred roundings of numbers of the size of the sum, and of squares of models below 3
    assert [float(r.values[0]) for r in found.rows] == pytest.approx(
        [kept[1], kept[2], kept[5]], rel=1e-12, abs=1e-15
    )
    assert [r.at["T"] for r in found.rows] == [1, 2, 5]


def test_descent_and_its_four_braces_are_those_of_plain_loops():
    found = rows("descent", **RUN).rows
    assert len(found) == 5
    L = 2.0  # of the blocks: A = 1, B = 2, C = .5
    for row, (phi, theta, new, after) in zip(
        found, algorithm_1(5, 0.1, 0.2, 3, "all-steps"), strict=True
    ):
        bar, later = sum(phi) / 3, sum(after) / 3
        G = sum(g_phi(i, bar, new[i]) for i in range(3)) / 3
        turned = [new[i] - theta[i] for i in range(3)]
        expected = {
            "deprl_C1": G * (later - bar),
            "deprl_C2_term": L / 2 * (later - bar) ** 2,
            "deprl_C3": sum(g_theta(i, bar, theta[i]) * turned[i] for i in range(3)) / 3,
            "deprl_C4": L / 2 * sum(t * t for t in turned) / 3,
        }
        for name, number in expected.items():
            assert row.at[name] == pytest.approx(number, rel=1e-11, abs=1e-15), name
        change = f(later, new) - f(bar, theta)
        assert abs(float(row.values[0]) - change) <= row.rounding + 1e-15


def test_a_noisy_run_is_one_value_a_run_and_a_batch_is_its_runs():
    noisy = {**RUN, "problem": {**RUN["problem"], "sigma_u": 0.5, "sigma_v": 0.5}}
    how = {"law": "sampled", "seed": 7}
    batch = rows("measure", {"runs": range(4), **how}, **noisy)
    assert not batch.exact
    for run in range(4):
        alone = rows("measure", {"runs": range(run, run + 1), **how}, **noisy)
        for one, many in zip(alone.rows, batch.rows, strict=True):
            assert one.values[0] == many.values[run]


def test_each_path_has_its_own_braces():
    noisy = {**RUN, "problem": {**RUN["problem"], "sigma_u": 0.5, "sigma_v": 0.5}}
    found = rows("descent", {"runs": range(16), "seed": 7, "paths": True}, **noisy).rows
    assert [row.label for row in found[:9]] == [*(f"k=0, run {r}" for r in range(8)), "k=1, run 0"]
    for run in range(2):
        alone = {"runs": range(run, run + 1), "seed": 7, "paths": True}
        for one, many in zip(rows("descent", alone, **noisy).rows, found[run::8], strict=True):
            assert one.values[0] == many.values[0]
            assert one.at == many.at


@pytest.mark.parametrize("law", ["moments", "exact"])
def test_a_metric_that_reads_the_wrong_heads_fails_these_tests(law, monkeypatch):
    kind = metric("deprl.measure")
    right = kind.vectors
    monkeypatch.setattr(kind, "vectors", lambda self, before, after: right(self, after, after))
    for column in ("measure", "measure_each"):
        with pytest.raises(AssertionError):
            test_the_left_sides_are_those_of_plain_loops(column, "all-steps", law)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"momentum": 0.5}, "momentum is 0.5; need 0"),
        ({"decay": 0.5}, "decay is 0.5; need 1"),
        ({"steps_phi": 2}, "steps_phi is 2; need 1"),
    ],
)
def test_what_algorithm_1_does_not_print_is_refused(change, message):
    with pytest.raises(ValueError, match=message) as error:
        rows("descent", **{**RUN, "algorithm": {**RUN["algorithm"], **change}})
    assert "\n" not in str(error.value)


def test_an_algorithm_without_tau_is_refused():
    other = built("here", parsed("here", {**RUN, "algorithm": {"eta": 0.1}}), "sgp")
    with pytest.raises(ValueError, match="tau of sgp is 0; need one number of steps"):
        measured(metric("deprl.descent"), other, {})
