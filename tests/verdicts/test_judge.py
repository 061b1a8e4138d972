"""Every verdict can come out, each for its reason, and only then."""

import pathlib
import re
import sys
import textwrap

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.statements import BUILT_IN, Check
from theorylab.topologies import Topology
from theorylab.verdicts import Verdict, jobs, judge, judge_check
from theorylab.verdicts.catalogue import statement_of

HERE = pathlib.Path(__file__).parent
TEXT = (HERE / "user_theorem.py").read_text()


def judged(tmp_path, *edits, exactly=True, **options):
    """The textbook theorem with edits (old, new) applied to its file."""
    text = TEXT
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    file = tmp_path / "edited.py"
    file.write_text(text)
    (job,) = jobs([str(file)], **options)
    if exactly:
        return judge(job)
    content = statement_of(job.id, job.source_file)
    return judge_check(content, "printed", *content.versions["printed"].checks, exactly=False)


def test_a_true_theorem_holds(tmp_path):
    result = judged(tmp_path)
    assert result.verdict == "HOLDS"
    assert result.as_expected
    assert 0 < result.ratio < 1
    assert result.curve.rounds[0] == 1
    assert result.curve.rounds[-1] == 200
    assert result.curve.measured[-1] == result.measured


def test_a_bound_that_is_too_small_is_violated(tmp_path):
    result = judged(tmp_path, ("2 * (f0 - f_star)", "2 * (f0 - f_star) / 50"))
    assert result.verdict == "VIOLATED"
    assert not result.as_expected


def test_a_step_above_the_cap_fails_the_assumption_and_runs_nothing(tmp_path):
    result = judged(tmp_path, ('"eta": 0.25', '"eta": 0.75'))
    assert result.verdict == "ASSUMPTION_FAILS"
    assert "eta <= 1/L" in result.reason
    # eta L = 1.5 against 1: a third of the larger side
    assert [a.margin for a in result.assumptions if a.holds is False] == [pytest.approx(-1 / 3)]
    assert result.runs == 0


def test_a_bound_above_the_trivial_one_is_vacuous(tmp_path):
    result = judged(
        tmp_path,
        ("    versions={", "    trivial=(f0 - f_star) * L / 4,\n    versions={"),
        ("2 * (f0 - f_star) / (T * eta)", "(f0 - f_star) * L"),
    )  # fmt: skip
    assert result.verdict == "VACUOUS"


def bounded_by(value, how="exact"):
    """Edits that make the claim "the quantity is at most M", with M given."""
    return [
        (
            "from theorylab.symbols import L, T, eta, f0, f_star, n",
            "from theorylab.symbols import L, Side, eta, n, symbol\n\n"
            "M = symbol('M_judge_test', 'M', 'a bound', (2, -2), Side.UPPER)",
        ),
        ("2 * (f0 - f_star) / (T * eta)", "M"),
        (
            '"x0": 1.0,',
            '"x0": 1.0, "constants": {"M_judge_test": '
            f"{{'value': {value!r}, 'how': {how!r}}}}},",
        ),
    ]


@pytest.mark.parametrize(
    ("how", "verdict"),
    [("lower", "INCONCLUSIVE"), ("estimate", "INCONCLUSIVE"), ("upper", "VIOLATED")],
)
def test_a_constant_known_from_the_wrong_side_proves_nothing(tmp_path, how, verdict):
    # an M sampled from data is a lower bound: with it this false claim must not be VIOLATED
    result = judged(tmp_path, *bounded_by(1e-9, how))
    assert result.verdict == verdict
    assert ("M_judge_test" in result.reason) == (verdict == "INCONCLUSIVE")


@pytest.mark.parametrize(
    ("excess", "verdict"),
    [(1.5e-9, "INCONCLUSIVE"), (3e-9, "VIOLATED"), (-0.5e-9, "INCONCLUSIVE"), (-2e-9, "HOLDS")],
)
def test_an_exact_run_is_known_to_a_billionth_and_so_is_its_bound(tmp_path, excess, verdict):
    # either may be off by a relative 1e-9; a violation needs room for both
    measured = judged(tmp_path).measured
    found = judged(tmp_path, *bounded_by(measured * (1 - excess)), exactly=False)
    assert found.verdict == verdict
    decided = "VIOLATED" if excess > 0 else "HOLDS"
    assert judged(tmp_path, *bounded_by(measured * (1 - excess))).verdict == decided
    if verdict == "INCONCLUSIVE":
        told = re.search(r"rounding of up to (\S+) hides a difference of (\S+)$", found.reason)
        room, hidden = map(float, told.groups())
        # besides, a mean of squared gradients is off by what the models are rounded by
        assert 0.995 < room / ((1 + (excess > 0)) * 1e-9 * measured) < 1.01
        assert hidden == pytest.approx(abs(excess) * measured, rel=5e-3)


NOISY = [
    (
        '"quadratic", "dim": 3, "mu": 0.1, "L": 2.0, "seed": 0',
        '"log-cosh", "dim": 3, "center": 1.0, "sigma": 2.0',
    ),
    ('"rounds": 200', '"rounds": 20'),
]


def test_a_straddled_bound_is_inconclusive_and_says_how_many_runs(tmp_path):
    loose = judged(tmp_path, *NOISY, *bounded_by(2.0), seeds=32)
    assert loose.verdict == "HOLDS"
    close = judged(tmp_path, *NOISY, *bounded_by(loose.measured * 1.02), seeds=32)
    assert close.verdict == "INCONCLUSIVE"
    assert "straddles" in close.reason
    assert "more runs would decide" in close.reason
    assert close.runs == 32


LONG = "sp.Sum(1 / sp.Symbol('k'), (sp.Symbol('k'), 1, 300))"


@pytest.mark.parametrize(
    ("edit", "bound"),
    [
        (("2 * (f0 - f_star)", f"{LONG} * (f0 - f_star)"), False),
        (("rule=eta * L <= 1", f"rule=eta * L <= {LONG}"), True),
    ],
)
def test_sums_of_more_terms_than_a_check_may_add_are_inconclusive(
    tmp_path, monkeypatch, edit, bound
):
    edits = (('"""\n\n', '"""\n\nimport sympy as sp\n'), edit)
    assert judged(tmp_path, *edits).verdict == "HOLDS"
    # the sums are known by now, and count all the same
    monkeypatch.setattr(sys.modules["theorylab.verdicts.judge"], "MOST_TERMS", 299)
    result = judged(tmp_path, *edits)
    assert result.verdict == "INCONCLUSIVE"
    assert "the sums of a check have more than 299 terms together" in result.reason
    assert (result.bound is not None) == (result.curve is not None) == bound
    assert result.measured > 0


def test_runs_are_added_only_until_it_is_decided(tmp_path):
    result = judged(tmp_path, *NOISY, ("2 * (f0 - f_star) / (T * eta)", "L * (f0 - f_star) * 10"))
    assert result.runs == 16
    assert result.ci[0] < result.measured < result.ci[1]


def test_a_closer_bound_takes_twice_the_runs(tmp_path):
    first = judged(tmp_path, *NOISY, *bounded_by(2.0))
    # sixteen runs leave the upper limit near 0.9 of the ceiling's share; aim inside that gap
    close = judged(tmp_path, *NOISY, *bounded_by(0.9 * first.ci[1]))
    assert first.runs == 16
    assert close.verdict == "HOLDS"
    assert close.runs == 32


def test_the_same_job_gives_the_same_result_but_for_seconds(tmp_path):
    first, second = (judged(tmp_path, *NOISY, seeds=16) for _ in range(2))
    assert first.model_dump(exclude={"seconds"}) == second.model_dump(exclude={"seconds"})
    other = judged(tmp_path, *NOISY, seeds=16, seed=1)
    assert other.measured != first.measured


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (('"rounds": 200', '"rounds": 0'), "rounds: input should be greater than or equal to 1"),
        (('"clients": 1', '"client": 1'), "clients: field required"),
        (('"eta": 0.25', '"eta": -1'), "eta is -1; need a step size > 0"),
        (('"name": "complete"', '"name": "compleat"'), "compleat"),
        (('"x0": 1.0,', '"x0": 1.0, "constants": {"L": 3.0},'), "constants.L is computed"),
        (('"x0": 1.0,', '"x0": 1.0, "constants": {"M": "big"},'), "constants.M"),
        (('id="textbook.thm1"', 'id="Theorem 1"'), "need <paper>.<locator>"),
        (
            ('quantity="mean_squared_gradient"', 'quantity="loss"'),
            "quantity is 'loss'; need one of",
        ),
        (("STATEMENT = ", "CLAIM = "), "defines no STATEMENT"),
        (("L, T, eta", "L, T,, eta"), "edited.py, line 4: SyntaxError"),
        (("RUN = {", "RUN = 1 / 0, {"), "edited.py, line 6: ZeroDivisionError: division by zero"),
        (("rule=eta * L <= 1", "rule=eta * L"), "need <, <=, >, >= or Eq"),
        (("rule=n <= 1", "rule=None"), "says nothing; need a rule, finite=(...)"),
        (("2 * (f0 - f_star) / (T * eta)", "1"), "term 'optimisation' is 1; need a sympy"),
        (('RUN, "HOLDS"', '7, "HOLDS"'), "input should be a valid dictionary"),
        (('RUN, "HOLDS"', 'RUN, "TRUE"'), "expect is 'TRUE'; need one of"),
    ],
)
def test_a_wrong_file_gives_one_line(tmp_path, edit, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        judged(tmp_path, edit)
    assert "\n" not in str(caught.value)


def test_the_verdicts_are_sentences():
    for verdict in Verdict:
        assert len(verdict.value.split()) > 5


def test_the_example_is_about_thirty_lines():
    assert len(textwrap.dedent(TEXT).splitlines()) <= 35


def shares(reach):
    """A network of a user's file: each time it is loaded, the class has the same name."""

    class Shares(Topology, name="test-shares"):
        def __init__(self, clients):
            super().__init__(clients, period=1, options={})

        def _build(self, t, run):
            stays = np.eye(self.clients)
            parts = [np.roll(stays, k, axis=0) for k in range(reach + 1)]
            return csr_array(sum(parts) / len(parts))


@pytest.mark.usefixtures("registries")
def test_a_file_that_is_loaded_again_is_run_again():
    statement = BUILT_IN["dfedsgpsm.thm1"]
    instance = {
        "problem": {"name": "log-cosh", "centers": [[5.0], [0.0], [-1.0]]},
        "topology": {"name": "test-shares"},
        "clients": 3,
        "rounds": 6,
        "algorithm": {"eta": 0.002, "alpha": 0.5, "rho": 0.0, "local_steps": 2},
    }
    found = []
    for reach in (1, 2):
        shares(reach)
        found.append(judge_check(statement, "printed", Check("c", instance)))
    assert [result.runs for result in found] == [1, 1]
    assert found[0].measured != found[1].measured
    assert found[0].constants["q"]["value"] != found[1].constants["q"]["value"]
