"""What is refused of a plan, in one line, before any work."""

import datetime
import re

import pytest

from theorylab.campaigns import Cells, plan
from theorylab.campaigns.plan import read_plan

from .conftest import document

CLAIM = {"claim": "dfedsgpsm.thm1", "check": "worked-example", "axes": {"clients": [2]}}


def checked(given):
    return Cells(plan(given))


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (document(axes={"clients": [2], "gain": [1, 2]}), "axis 'gain' is used by no cell"),
        (document(axes={"clients": [2], "topolgy": ["ring"]}), "did you mean topology"),
        (document(axes={"topology": ["rign"]}), "did you mean ring"),
        (document(axes={"algorithm": ["sgpp"]}), "did you mean sgp"),
        (document(columns=["los"]), "no column 'los'"),
        (document(colums=["loss"]), "did you mean columns"),
        (document(claim="x.y"), "claim and columns came; need one"),
        (document(columns=[]), "none came; need one of"),
        (document(axes={}), "there are no axes"),
        (document(where=["clients > 9"]), "there is no cell that clients > 9 keeps"),
        (document(where=["klients > 9"]), "'klients' is no number"),
        (document(where=["__import__('os')"]), "need comparisons"),
        (document(cells=[{"clients": 2}]), "cells came with axes"),
        (document(axes={}, cells=[{"clients": 2}, {"rounds": 2}]), "different keys"),
        (document(set={"clients": 3}), "clients is set twice"),
        (document(axes={"algorithm.nosuch": [1, 2]}), "no cell can be built"),
        (document(axes={"clients": [-1]}), "no cell can be built"),
        (document(expressions={"algorithm.eta": "1/klients"}), "no cell can be built"),
        (document(expressions={"algorithm.eta": "open('x')"}), "no cell can be built"),
        (document(over="first"), "over is 'first'"),
        (CLAIM | {"claim": "dfedsgpsm.thm9"}, "no statement 'dfedsgpsm.thm9'"),
        (CLAIM | {"claim": "dfedsgpsm.*"}, "need one"),
        (CLAIM | {"claim": "mine.py"}, "data runs no code"),
        (CLAIM | {"version": "printedd"}, "did you mean printed"),
        (CLAIM | {"check": "worked"}, "no check 'worked'"),
        (CLAIM | {"axes": {"claim": ["dfedsgpsm.thm1", "no.such"]}, "claim": ""}, "no statement"),
        ({"metric": "no.metric", "axes": {"clients": [1]}}, "no 'no.metric'"),
        ({"metric": "dfedsgpsm.consensus", "axes": {"budget": [1, 2]}}, "used by no cell"),
        (CLAIM | {"axes": {"seeds": [4, 0]}}, "plan: axis 'seeds': seeds is 0"),
        (CLAIM | {"axes": {"seed": {"low": 0, "high": 2, "count": 5}}}, "axis 'seed': seed is 0.0"),
        (CLAIM | {"axes": {}, "cells": [{"budget": -1.0}]}, "axis 'budget': budget is -1"),
        (CLAIM | {"axes": {"algorithm": ["sgp"]}}, "a claim is about one; need its options"),
        (document(seeds=8), "seeds came, and no cell of a run has it"),
        (CLAIM | {"over": "max"}, "over came, and no cell of a claim has it"),
        (document(axes={"algorithm.eta": [0.1, float("nan")]}), "nan] came; need finite numbers"),
        (document(axes={"problem.seed": [datetime.date(1979, 5, 27)]}), "need finite numbers"),
        (document(set={"x0": float("inf")}), "plan: x0: inf came; need finite numbers"),
        (
            document(axes={}, cells=[{"clients": float("nan")}]),
            "plan: cells: {'clients': nan} came",
        ),
        (document(axes={"a\nb": {"values": [2], "path": "clients"}}), "is no path"),
    ],
)
def test_a_plan_that_is_none_is_refused_in_one_line(given, line):
    with pytest.raises(ValueError, match=re.escape(line)) as caught:
        checked(given)
    assert "\n" not in str(caught.value)


def test_a_grid_whose_cells_can_partly_be_built_is_not_refused():
    assert checked(document(axes={"topology": ["hypercube"], "clients": [3, 4]})).total == 2


def test_toml_that_is_none_says_where(tmp_path):
    file = tmp_path / "plan.toml"
    file.write_text("columns = []\nover = last\n")
    with pytest.raises(ValueError, match="line 2"):
        read_plan(file)


def test_an_axis_may_serve_an_expression_alone():
    given = document(axes={"step": [1, 2]}, expressions={"algorithm.eta": "step / (10 * clients)"})
    etas = [cell.document["instance"]["algorithm"]["eta"] for cell in checked(given)]
    assert etas == [1 / 20, 2 / 20]


def test_an_axis_of_another_name_sets_its_path():
    given = document(axes={"n": {"values": [2, 4], "path": "clients"}})
    assert [cell.document["instance"]["clients"] for cell in checked(given)] == [2, 4]


def test_what_says_the_claim_is_no_axis():
    swept = {"claim": "dfedsgpsm.cor1_rate", "axes": {"sweep.window": [3, 4]}}
    with pytest.raises(ValueError, match="says what is claimed"):
        checked(swept)
