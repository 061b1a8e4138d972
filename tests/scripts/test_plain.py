"""What a metric's class says of its left side in plain NumPy is what the metric measures."""

import pytest
import sympy

from theorylab.metrics import METRICS, Metric
from theorylab.scripts import UnscriptedError, script
from theorylab.scripts.__main__ import violated
from theorylab.scripts._agreement import differences
from theorylab.scripts._columns import written
from theorylab.scripts.base import Facts
from theorylab.statements import BUILT_IN, Check, Quantity, Source, Statement, Version
from theorylab.statements._quantity import OVER
from theorylab.symbols import T, t
from theorylab.verdicts import judge_check

PAIR = {
    "problem": {
        **{"name": "coupled-quadratic", "A": [[[1.0]], [[1.0]]], "B": [[[2.0]], [[2.0]]]},
        **{"C": [[[0.4]], [[-0.4]]], "a": [[1.0], [-2.0]], "b": [[0.5], [3.0]]},
    },
    **{"topology": {"name": "complete"}, "clients": 2, "rounds": 3, "x0": 0.7},
    "algorithm": {"alpha": 0.1, "beta": 0.2, "tau": 2},
}
EDGES = [[0, 1], [0, 2], [1, 0], [2, 0], [1, 2]]  # with push-sum weights that move
PUSHED = {
    "problem": {"name": "log-cosh", "dim": 2, "center": 0.5},
    **{"topology": {"name": "edge-list", "edges": EDGES}, "clients": 3, "rounds": 2},
    **{"x0": [[2.0, 1.0], [0.0, 1.0], [1.0, -3.0]]},
    "algorithm": {"eta": 0.25, "alpha": 0.5, "rho": 0.3, "local_steps": 2},
}
APART = {  # clients begin at points of their own
    **PAIR,
    "x0": [[0.7, 0.2], [-0.5, 1.0]],
    "algorithm": {"eta_u": 0.1, "eta_v": 0.2, "steps_u": 2, "steps_v": 2},
}
SIGNS = {
    **PUSHED,
    "topology": {"name": "complete"},
    "clients": 2,
    "rounds": 1,
    "x0": [[2.0], [0.0]],
}
SIGNS["problem"] = {"name": "noisy", "base": {"name": "log-cosh", "dim": 1}, "sigma": 0.5}
SIGNS["problem"] |= {"field": "state"}
MADE = {  # of left sides that no quick check of a statement has
    "deprl.descent": ("deprl", PAIR),
    "deprl.gradient": ("deprl", PAIR),
    "dfedalt.slope": ("dfedalt", APART),
    "dfedsgpsm.ascent": ("dfedsgpsm", {**PUSHED, "at": [1]}),
    "dfedsgpsm.split_excess": ("dfedsgpsm", SIGNS),
    "dfedsgpsm.split_square": ("dfedsgpsm", SIGNS),
}


def checks():
    """metric -> the checks that are not among those that another file looks at."""
    seen = {statement.quantity_of(statement.versions[version]).column
            for statement, version, _ in violated()}  # fmt: skip
    found = {}
    for statement in BUILT_IN.values():
        for version, content in statement.versions.items():
            name = statement.quantity_of(content).column
            if name in METRICS and name not in seen and name not in MADE:
                quick = [check for check in content.checks if check.quick]
                found.setdefault(name, []).extend((statement, version, each) for each in quick)
    return found


REST = checks()


def says(kind):
    return bool(kind.plain) or kind.written.__func__ is not Metric.written.__func__


def made(name, method, instance, quantity=None):
    check = Check("one", instance, "VIOLATED")
    version = Version({"b": sympy.Float(1e-9)}, (), (check,))
    source = Source("plain", name, "a claim that is false")
    quantity = quantity or Quantity(name, "rows", (0, 0))
    label = f"plain.{name.replace('.', '_')}"
    statement = Statement(label, source, quantity, {"claim": version}, method)
    return statement, judge_check(statement, "claim", check)


@pytest.mark.parametrize("name", [name for name in REST if says(METRICS.find(name))])
def test_the_lines_of_a_left_side_measure_what_the_metric_does(name):
    for statement, version, check in REST[name][:6]:
        result = judge_check(statement, version, check)
        try:
            text = script(statement, result)
        except UnscriptedError:
            continue
        assert differences(text, result) == []
        return
    pytest.fail("no check of it has a script")


def test_every_left_side_has_lines_but_for_three():
    """A script plays rounds by Eq. (3) and Eq. (5), so that both sides would be one text; of
    regret it would need a proof of the least value of a sum of losses."""
    ours = [name for name in METRICS if METRICS.entry(name).built_in]
    bare = {name for name in ours if not says(METRICS.find(name))}
    assert bare == {"dfedsgpsm.pull", "dfedsgpsm.recursion", "regret"}


def test_no_left_side_takes_over_the_lines_of_another_one_unseen():
    same = {"dfedpgp.path_eq14", "dfedpgp.mean_consensus"}  # but for a rate, and an average
    kinds = {name: METRICS.find(name) for name in METRICS if METRICS.entry(name).built_in}
    assert {n for n, kind in kinds.items() if kind.plain and "plain" not in vars(kind)} == same


@pytest.mark.parametrize("name", MADE)
def test_the_lines_of_left_sides_without_a_check_do_so_too(name):
    statement, result = made(name, *MADE[name])
    assert differences(script(statement, result), result) == []


def test_a_place_without_the_client_is_told():
    statement, result = made("dfedsgpsm.ascent", *MADE["dfedsgpsm.ascent"])
    facts = Facts(statement, result.model_copy(update={"place": "t=0, k=0"}))
    with pytest.raises(UnscriptedError, match="names no 'i'"):
        written(facts)


@pytest.mark.parametrize(
    ("name", "over", "weights"),
    [
        *(("suboptimality", over, None) for over in OVER if over != "rows"),
        *(("loss", over, (1 + T) ** t) for over in ("average", "average iterate")),
        ("squared_distance", "average", None),
        ("squared_gradient", "last", None),
        ("consensus", "last", None),
        ("own_loss", "max", None),
        ("weight_min", "average", None),
        ("weight_max", "last", None),
    ],
)
def test_columns_of_a_built_in_method_have_short_scripts(name, over, weights):
    quantity = Quantity(name, over, (1, 0), weights=weights)
    instance = {**PUSHED, "rounds": 3, "problem": {"name": "quadratic", "dim": 2, "seed": 1}}
    statement, result = made(name, "dfedsgpsm", instance, quantity)
    text = script(statement, result)
    assert "class" not in text
    assert differences(text, result) == []


@pytest.mark.parametrize("column", ["own_loss", "consensus"])
@pytest.mark.parametrize(("method", "momentum"), [("dfedpgp", "momentum"), ("dfedavgm-p", "alpha")])
def test_columns_of_shared_and_personal_parts_have_scripts(method, momentum, column):
    algorithm = {**APART["algorithm"], momentum: 0.5}
    statement, result = made(
        column, method, {**APART, "algorithm": algorithm}, Quantity(column, "last", (1, 0))
    )
    text = script(statement, result)
    assert "alpha * Y" in text
    assert differences(text, result) == []
