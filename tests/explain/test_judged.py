"""The judged inequality in the letters of a keyboard."""

from types import SimpleNamespace

import pytest
import sympy as sp

from theorylab import symbols
from theorylab.explain import judged, put_in
from theorylab.statements import BUILT_IN

LONG = ("dfedpgp.cor1", "printed/eq32-debiased")


def lines(name, version="printed"):
    result = SimpleNamespace(version=version, relation="<=", terms={})
    return judged(BUILT_IN[name], result)


def test_a_power_is_a_caret_and_a_paper_s_name_is_left_out():
    told = "body_drift <= 32*K_u*eta_u^2*(sigma_g^2 + sigma_u^2 + own_gradient)"
    assert lines("dfedpgp.lem2") == [told]


def test_what_comes_twice_in_a_long_bound_has_a_name_and_every_name_is_told():
    told = lines(*LONG)
    head, *terms = told[: told.index("where")]
    assert head == "stationarity_debiased <= the sum of"
    assert all(term.startswith("  ") and term.endswith("]") for term in terms)
    names = [line.split(" = ")[0].strip() for line in told[told.index("where") + 1 :]]
    assert names == [f"s{k}" for k in range(1, len(names) + 1)]
    used = " ".join(told)
    assert all(used.count(name) > 1 for name in names)


@pytest.mark.parametrize(("name", "version"), [("dfedsgpsm.thm1", "printed"), LONG])
def test_the_lines_say_what_the_bound_says(name, version):
    terms = BUILT_IN[name].versions[version].terms
    told = lines(name, version)
    cut = told.index("where") if "where" in told else len(told)
    texts = [line.rpartition("  [")[0] for line in told[1:cut]]
    free = sorted({s for t in terms.values() for s in t.free_symbols}, key=str)
    paper = f"{name.partition('.')[0]}_"
    numbers = {s: sp.Float(0.1 + 0.03 * k, 60) for k, s in enumerate(free)}
    values = {symbols.name_of(s).removeprefix(paper): x for s, x in numbers.items()}
    for line in told[cut + 1 :]:
        letter, _, text = line.strip().partition(" = ")
        values[letter] = sp.sympify(text, locals=values)
    for text, term in zip(texts, terms.values(), strict=True):
        both = sp.sympify(text, locals=values), term.xreplace(numbers)
        assert complex(both[0]) == pytest.approx(complex(both[1]), rel=1e-12)


def test_numbers_stand_in_brackets_where_a_product_or_a_power_needs_them():
    eta, alpha, L = symbols.eta, symbols.alpha, symbols.L
    values = {"eta": 1e-6, "alpha": -0.5, "L": 2.0}
    version = SimpleNamespace(order=None, bound=L**2 * eta**alpha)
    statement = SimpleNamespace(versions={"claim": version})
    result = SimpleNamespace(
        version="claim", relation="<=", measured=3.0, bound=4000.0,
        constants={name: {"value": value} for name, value in values.items()},
    )  # fmt: skip
    assert put_in(statement, result) == "3 <= 2^2*(1e-06)^(-.5) = 4000"
    result.constants["L"]["value"] = None  # infinite
    assert put_in(statement, result) == ""
