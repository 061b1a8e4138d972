"""Geometric rates, slacks that are exponents, grids of instances, and claims that mix units."""

import re

import numpy as np
import pytest
import sympy as sp

from theorylab.statements import Assumption, Check, Floor, Order, Source, Statement, Version
from theorylab.symbols import K, L, T, eta, f0, f_star, mu, sigma_l, symbol
from theorylab.verdicts import jobs, judge, judge_check
from theorylab.verdicts.growth import Limits, growth

lam = symbol("rate_lambda", r"\lambda", "a rate", positive=True)
GAP, SLACK = f0 - f_star, sp.Rational(1, 100)
# f = x^2 / 2 with eta = .1: f(x_T) - f* = .9^(2T) (f(x_0) - f*), to the digit
FLOOR = Floor((1 - mu * eta) ** (2 * T) * GAP, along=T, assumes=(sp.Le(L, mu),))
RUN = {
    "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
    "topology": {"name": "complete"}, "clients": 1, "rounds": 10, "x0": 1.0,
    "algorithm": {"eta": 0.1},
    "sweep": {"parameter": "rounds", "values": [20, 40, 60, 80]},
}  # fmt: skip


def judged(version, instance=RUN, quantity="last_suboptimality", **options):
    check = Check("one", instance)
    claim = Statement(
        "test.rates", Source("test", "1", "a rate"), quantity, {"claim": version},
        algorithm="sgp",
    )  # fmt: skip
    return judge_check(claim, "claim", check, **options)


def geometric(rate, **options):
    """The claim f(x_T) - f* = O(rate^T)."""
    version = Version(order=Order(lam**T, rate=lam, fixed=(L, mu), slack=SLACK, **options))
    return judged(version, {**RUN, "constants": {"rate_lambda": rate}})


def test_a_geometric_fit_is_numpys_and_per_unit():
    values, ratios = [3.0, 5.0, 8.0, 9.0], [2.0, 9.0, 4.0, 50.0]
    slope = np.polyfit(values, np.log10(ratios), 1)[0]
    limits = [Limits(r * (1 - 1e-12), r, r * (1 + 1e-12), True) for r in ratios]
    assert growth("w", values, limits, geometric=True).centre == pytest.approx(10**slope, rel=1e-13)


def test_a_true_linear_rate_holds_and_what_it_loses_is_an_exponent():
    found = geometric(0.81)
    assert (found.verdict, found.bound) == ("HOLDS", pytest.approx(0.81**-0.01, rel=1e-12))
    assert found.measured == pytest.approx(1.0, rel=1e-9)
    assert found.quantity.startswith(r"\text{growth per unit of }")
    assert geometric(0.809).verdict == "HOLDS"  # .809^(.99 T) is still above .81^T
    assert geometric(0.807).verdict == "INCONCLUSIVE"


def test_a_false_rate_is_refuted_by_a_proof_or_in_a_window_and_by_nothing_else():
    open_one = geometric(0.7)
    assert open_one.verdict == "INCONCLUSIVE"
    assert re.search(r"it grows by 1\.1571\d at least here: a proved lower bound would", (
        open_one.reason
    ))  # fmt: skip
    assert geometric(0.7, floors=(FLOOR,)).verdict == "VIOLATED"
    assert geometric(0.81, floors=(FLOOR,)).verdict == "HOLDS"
    assert geometric(0.7, window=True).verdict == "VIOLATED"
    assert geometric(0.82, window=True).verdict == "HOLDS"


@pytest.mark.parametrize(("power", "expected"), [(1.0, "HOLDS"), (1.3, "INCONCLUSIVE")])
def test_a_slack_of_a_power_is_an_exponent(power, expected):
    """eta = 1/T: f(x_T) - f* tends to e^-2 / 2, and T^-(power - 1) is what the order asks."""
    sweep = {
        "parameter": "rounds",
        "values": [100, 316, 1000],
        "set": {"algorithm.eta": "1/rounds"},
    }
    version = Version(order=Order(T ** sp.Float(1 - power), slack=sp.Rational(1, 4)))
    found = judged(version, {**RUN, "sweep": sweep})
    assert found.bound == pytest.approx(10**0.25, rel=1e-12)
    assert found.verdict == expected


def test_a_grid_is_a_check_for_every_cell():
    plain = {key: value for key, value in RUN.items() if key != "sweep"}
    given = {**plain, "grid": {"clients": [1, 2], "algorithm.eta": [0.1, 0.5, 3.0]}}
    given["problem"] = {"name": "quadratic", "dim": 2, "mu": 1.0, "L": 1.0, "seed": 0}
    checks = Check.grid(
        "grid", given, lambda cell: "VIOLATED" if cell["algorithm.eta"] > 2 else "HOLDS",
        quick=False,
    )  # fmt: skip
    assert [check.name for check in checks] == [
        f"grid clients={n} eta={step}" for n in (1, 2) for step in (0.1, 0.5, 3.0)
    ]
    assert checks[-1].instance["algorithm"] == {"eta": 3.0}
    assert given["algorithm"] == {"eta": 0.1}
    assert not checks[0].quick
    version = Version({"start": GAP * sp.Rational(2)}, (), checks)
    assert [judged(version, c.instance).verdict for c in checks] == [c.expect for c in checks]


def test_a_claim_that_mixes_units_is_judged_and_says_both():
    plain = {key: value for key, value in RUN.items() if key != "sweep"}
    found = judged(Version({"speed": GAP / sp.sqrt(K), "noise": L + sigma_l * eta}), plain)
    assert found.verdict == "HOLDS"
    assert found.reason.endswith(
        "; judged in the units of this instance: the term 'noise' has the units f x^-2 + x, "
        "suboptimality has f"
    )
    false = judged(Version({"one": GAP**2 / 100}), plain)
    assert false.verdict == "VIOLATED"
    assert "the term 'one' has the units f^2, suboptimality has f" in false.reason
    assert "units" not in judged(Version({"right": GAP}), plain).reason


def test_an_assumption_that_mixes_units_is_told_too():
    plain = {key: value for key, value in RUN.items() if key != "sweep"}
    found = judged(Version({"right": GAP}, (Assumption("small", rule=eta <= 1),)), plain)
    assert found.verdict == "HOLDS"
    assert "the assumption 'small' compares f^-1 x^2 with 1" in found.reason


FILE = """
from theorylab.statements import Check, Order, Source, Statement, Version
from theorylab.symbols import T, f0

STATEMENT = Statement("mine.thm1", Source("mine", "1", "a"), "last_suboptimality", {{
    "claim": Version({version})}}, algorithm="sgp")
"""


@pytest.mark.parametrize(
    ("version", "line"),
    [
        ("{}, (), (Check('a', {}),)", "line 6: .*no term came; need terms, or an order with a sl"),
        ("{'a': f0 / f0}, order=Order(1 / T, slack=1)", "line 6: .*terms and an order with a sl"),
        ("order=Order(1 / T, slack=-1)", "line 6: .*slack is -1; need an exponent >= 0"),
        ("{'a': f0}, (), Check.grid('g', {})", "line 6: .*grid is None; need {path: .values.}"),
        ("{'a': f0}, (), Check.grid('g', {'grid': {'a.b': [1]}})", "line 6: .*has no 'a.b'; need"),
        ("{'a': f0}, (), Check.grid('g', {'grid': {'a': list(range(2000))}})", "has 2000 cells"),
    ],
)
def test_what_is_no_claim_is_one_line(tmp_path, version, line):
    (tmp_path / "own.py").write_text(FILE.format(version=version))
    with pytest.raises(ValueError, match=line) as caught:
        judge(jobs([str(tmp_path / "own.py")])[0])
    assert str(caught.value).startswith("own.py, line 6")
    assert "\n" not in str(caught.value)
