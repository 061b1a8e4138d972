"""A run as a document: defaults made explicit, a round trip, and one line for what is wrong."""

import json

import numpy as np
import pytest

from theorylab.runs import simulate
from theorylab.runs.configuration import built, configuration, first_difference

DOCUMENT = {
    "algorithm": {"name": "dfedsgpsm", "eta": 0.1, "local_steps": [1, 2, 3]},
    "problem": {"name": "quadratic", "dim": 2, "sigma": 0.5},
    "topology": {"name": "random-out", "degree": 1, "seed": 4},
    "clients": 3,
    "rounds": 7,
    "seeds": 2,
    "seed": 5,
    "x0": [1, 2],
    "every": 3,
    "columns": ["loss", "consensus"],
    "dtype": "float32",
    "own_graphs": True,
    "faults": {"loss": 0.25, "down": [[1, 2, 3]]},
}
LEAST = {key: DOCUMENT[key] for key in ("algorithm", "problem", "topology", "clients", "rounds")}


def test_a_setting_runs_what_the_document_says():
    made = built(configuration(DOCUMENT))
    trace = made.simulate()
    plain = simulate(
        made.problem, made.topology, made.algorithm, rounds=7, runs=2, seed=5, x0=[1.0, 2.0],
        graph_run=None, columns=("loss", "consensus"), every=3, dtype=np.float32,
        faults=made.faults,
    )  # fmt: skip
    assert list(trace.columns) == ["loss", "consensus"]
    assert trace.final_x.dtype == np.float32
    for name, values in plain.columns.items():
        assert values.shape == (2, 3)
        assert np.array_equal(values, trace.columns[name])
    for name, value in (("dim", 2), ("sigma", 0.5)):
        assert made.problem.describe()[name] == value
    assert made.algorithm.options()["local_steps"] == [1, 2, 3]
    assert (made.topology.seed, made.topology.clients) == (4, 3)
    assert (made.faults.loss, len(made.faults.down)) == (0.25, 1)


@pytest.mark.parametrize("document", [DOCUMENT, LEAST])
def test_a_complete_document_is_its_own_complete_document(document):
    complete = built(configuration(document)).document
    assert complete == json.loads(json.dumps(complete))
    assert built(configuration(complete)).document == complete
    assert set(document) <= set(complete)
    assert complete["every"] is not None
    assert complete["columns"]
    assert "mu" in complete["problem"]
    assert "weights" in complete["topology"]
    assert "alpha" in complete["algorithm"]
    assert complete["faults"] is None or "delay_probability" in complete["faults"]


def test_a_name_may_stand_for_a_part_and_an_edge_list_brings_its_clients(tmp_path):
    path = tmp_path / "g.json"
    path.write_text(json.dumps({"clients": 3, "edges": [[0, 1], [1, 2], [2, 0]]}))
    graph = {"name": "edge-list", "path": str(path)}
    document = {**LEAST, "problem": "log-cosh", "topology": graph}
    del document["clients"]
    made = built(configuration(document))
    assert (made.problem.name, made.problem.clients) == ("log-cosh", 3)
    path.unlink()  # the edges themselves are kept
    assert built(configuration(made.document)).topology.clients == 3


@pytest.mark.parametrize(("rounds", "every"), [(1, 1), (200, 1), (201, 2), (1000, 5), (1001, 6)])
def test_about_two_hundred_rounds_are_recorded_where_nobody_says(rounds, every):
    assert built(configuration({**LEAST, "rounds": rounds})).configuration.every == every


def test_columns_are_what_the_problem_and_the_method_have():
    def columns(**changes):
        return built(configuration({**LEAST, **changes})).configuration.columns

    state = ["squared_gradient", "consensus", "loss", "weight_min", "weight_max"]
    assert columns() == state
    personal = {"name": "dfedpgp", "eta_u": 0.1, "eta_v": 0.1}
    assert columns(problem="coupled-quadratic", algorithm=personal) == [*state, "own_loss"]


def test_a_method_with_a_schedule_over_the_rounds_is_told_how_many_there_are():
    document = {**LEAST, "algorithm": {"name": "dis-pfl", "eta": 0.1}}
    assert built(configuration(document)).document["algorithm"]["rounds"] == 7
    document["algorithm"]["rounds"] = 5
    assert built(configuration(document)).document["algorithm"]["rounds"] == 5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"more": 1}, "no key 'more'; need some of algorithm, "),
        ({"rounds": 0}, "rounds is 0; need at least 1"),
        ({"rounds": "3"}, "rounds is '3'; need a valid integer"),
        ({"rounds": True}, "rounds is True; need a valid integer"),
        ({"rounds": 1.5}, "rounds is 1.5; need a valid integer"),
        ({"rounds": 10**15}, "rounds is 1000000000000000; need at most 4294967296"),
        ({"every": 2**40}, "every is 1099511627776; need at most 4294967296"),
        ({"seeds": 0}, "seeds is 0; need at least 1"),
        ({"seed": -1}, "seed is -1; need at least 0"),
        ({"seed": 2**64}, "seed is 18446744073709551616; need less than"),
        ({"every": 0}, "every is 0; need at least 1"),
        ({"clients": 0}, "clients is 0; need at least 1"),
        ({"clients": None}, "clients is missing; need the number of clients"),
        ({"algorithm": {}}, 'algorithm: need a name, or {"name": ...'),
        ({"problem": 3}, 'problem: need a name, or {"name": ...'),
        ({"algorithm": "sgp"}, "no step size eta is given"),
        ({"algorithm": {"name": "sgp", "eta": 0.1, "x": 1}}, "sgp: unknown option 'x'"),
        ({"problem": {"name": "quadratic", "clients": 4}}, "clients is 4, and 3 outside"),
        ({"x0": float("nan")}, "x0 is nan; need a finite number"),
        ({"x0": [[1], [1, 2]]}, "x0: rows of different lengths"),
        ({"x0": [1, 2, 3, 4, 5]}, r"x0: shape (5,); need a number"),
        ({"columns": []}, "columns is []"),
        ({"columns": ["nope"]}, "columns: no column 'nope'"),
        ({"columns": ["loss", "loss"]}, "columns: 'loss' comes twice"),
        ({"columns": ["accuracy"]}, "accuracy needs test labels"),
        ({"dtype": "float16"}, "dtype: 'float16'; need one of float64, float32"),
        ({"faults": {"odd": 1}}, "faults: no option 'odd'; has loss, "),
        ({"faults": {"loss": 2}}, "faults: loss is 2"),
    ],
)
def test_what_is_wrong_is_one_line_that_names_it(changes, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        built(configuration({**LEAST, **changes}))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", ["algorithm", "problem", "topology", "rounds"])
def test_what_is_missing_is_named(missing):
    with pytest.raises(ValueError, match=f"{missing} is missing; need it"):
        configuration({key: value for key, value in LEAST.items() if key != missing})


def test_the_first_difference_names_the_entry_and_both_values():
    old = {"a": 1, "b": {"c": [1, 2], "d": None}}
    assert first_difference(old, {"b": {"d": None, "c": [1, 2]}, "a": 1.0}) is None
    assert first_difference(old, {**old, "a": 2}) == "a was 1, is 2"
    assert first_difference(old, {**old, "b": {"c": [1], "d": 3}}) == "b.c was [1, 2], is [1]"
    assert first_difference(old, {"a": 1, "b": {"c": [1, 2]}}) == "b.d was null, is not given"
    assert first_difference(old, {**old, "e": "x"}) == 'e was not given, is "x"'
    assert first_difference({"a": 1}, {"a": True}) == "a was 1, is true"
    assert len(first_difference({"a": [0] * 999}, {"a": 1})) < 100
