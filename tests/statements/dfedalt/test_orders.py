"""The brackets that the page shows are those that the experiment divides by."""

import pytest

from theorylab.experiments import experiment
from theorylab.statements import BUILT_IN, evaluate
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt._orders import ORDERS
from theorylab.symbols import BY_NAME

SINE = {"name": "sin-sin", "dim_u": 1, "dim_v": 1, "coupling": 0.5, "seed": 1}
NOISY = {**SINE, "sigma_u": 0.7, "sigma_v": 0.3}


@pytest.mark.parametrize("bracket", list(ORDERS))
def test_the_shown_order_is_the_measured_one(bracket):
    options = {
        "problem": NOISY, "topology": made.pair(0.25), "x0": 1.0,
        "algorithm": {"steps_u": 3, "steps_v": 2, "rho": 2.0},
    }  # fmt: skip
    grown = experiment("alternating-growth", **made.swept(bracket, **options))
    for run in grown.made:
        T = run.options["rounds"][0]
        at = {BY_NAME[k]: v.value for k, v in run.made.known.items() if k in BY_NAME}
        at |= {BY_NAME["T"]: T, BY_NAME["rho"]: run.steps(T)[2]}
        assert float(evaluate(ORDERS[bracket], at)) == pytest.approx(grown._bracket(run), rel=1e-12)


@pytest.mark.parametrize("name", ["dfedalt.thm1", "dfedsalt.thm2"])
def test_no_two_versions_show_the_same_claim(name):
    statement = BUILT_IN[name]
    texts = [statement.quantity_of(v).text for v in statement.versions.values()]
    assert len(set(texts)) == len(texts)


def test_without_sam_no_radius_is_shown():
    assert "rho" not in BUILT_IN["dfedalt.thm1"].quantity_of(
        BUILT_IN["dfedalt.thm1"].versions["corrected"]
    ).text  # fmt: skip
