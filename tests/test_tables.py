"""Rows of results, traces and constants: as a DataFrame, as CSV, and as HTML."""

import csv
import html.parser
import io
import math
import sys

import numpy as np
import pytest

import theorylab
from theorylab.constants import topology_constants
from theorylab.explain import explained
from theorylab.known import Constants, How, Known
from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.statements import BUILT_IN
from theorylab.tables import csv_text, html_table
from theorylab.topologies import topology
from theorylab.verdicts import Report

SIGNS = "<script>alert('&')</script>"


@pytest.fixture(scope="module")
def trace():
    from theorylab.algorithms import DFedSGPSM

    losses = problem("log-cosh", 4, sigma=0.5)
    return simulate(losses, topology("ring", 4), DFedSGPSM(eta=0.1), rounds=5, runs=3)


@pytest.fixture
def results(judged):
    kept = judged(BUILT_IN["dfedsgpsm.thm1"])
    return [kept["printed", "worked-example"], kept["printed", "step-above-cap"]]


class Tables(html.parser.HTMLParser):
    """The cells of a page by row; every tag that is opened is closed, and none is a script."""

    def __init__(self, text):
        super().__init__()
        self.open, self.rows = [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert tag in ("table", "caption", "thead", "tbody", "tr", "th", "td", "p")
        assert {name for name, _ in attrs} <= {"style"}
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def test_a_frame_of_results_has_one_row_a_check(results):
    frame = theorylab.to_frame(results)
    assert frame["verdict"].tolist() == ["VIOLATED", "ASSUMPTION_FAILS"]
    assert frame["check"].tolist() == ["worked-example", "step-above-cap"]
    first = results[0]
    assert frame.loc[0, ["low", "high"]].tolist() == list(first.ci)
    assert (frame.loc[0, "ratio"], frame.loc[0, "bound"]) == (first.ratio, first.bound)
    assert math.isnan(frame.loc[1, "measured"])
    assert Report(schema=1, results=results).to_frame().equals(frame)


def test_a_curve_is_a_frame_of_its_own(results):
    curve = results[0].curve
    frame = curve.to_frame()
    assert list(frame) == ["T", "measured", "lower", "upper", "bound"]
    assert frame["T"].tolist() == curve.rounds
    assert frame["bound"].tolist() == curve.bound


def test_a_frame_of_a_trace_has_every_run_and_round_and_the_state_after_the_last(trace):
    frame = trace.to_frame()
    assert frame["run"].tolist() == [r for r in range(3) for _ in range(6)]
    assert frame["round"].tolist() == [0, 1, 2, 3, 4, 5] * 3
    for name, values in trace.columns.items():
        shown = frame[name].to_numpy().reshape(3, 6)
        assert np.array_equal(shown[:, :5], values), name
        after = trace.last.get(name, np.full(3, np.nan))
        assert np.array_equal(shown[:, 5], after, equal_nan=True), name


def test_rounds_that_were_left_out_are_left_out_of_the_frame():
    from theorylab.algorithms import SGP

    trace = simulate(problem("log-cosh", 4), topology("ring", 4), SGP(0.1), rounds=9, every=4)
    assert trace.to_frame()["round"].tolist() == trace.at.tolist() == [0, 4, 8]


def test_a_frame_of_constants_says_how_each_is_known():
    constants = topology_constants(topology("directed-ring", 5), horizon=9)
    frame = constants.to_frame().set_index("name")
    assert list(frame.index) == list(constants)
    assert frame.loc["delta", "value"] == constants["delta"].value
    assert frame.loc["delta", "how"] == constants["delta"].how
    assert theorylab.to_frame(problem("quadratic", 3).constants())["name"].tolist()[0] == "L"


def test_without_pandas_there_is_one_line(trace, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pandas is not installed.*theorylab\[frames\]") as told:
        trace.to_frame()
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("what", [3, "text", [1], {"a": 2.0}], ids=str)
def test_what_has_no_rows_is_one_line(what):
    with pytest.raises(TypeError, match=r"to_frame: \w+ came; need results, a trace") as told:
        theorylab.to_frame(what)
    assert "\n" not in str(told.value)


def test_csv_holds_every_float_in_full_and_nothing_where_there_is_none(trace, results):
    rows = list(csv.DictReader(io.StringIO(csv_text(trace))))
    kept = [float(row["loss"]) for row in rows if row["round"] != "5"]
    assert kept == trace.columns["loss"].ravel().tolist()
    told = list(csv.DictReader(io.StringIO(csv_text(results))))
    assert [row["measured"] for row in told] == [repr(results[0].measured), ""]
    assert told[0]["reason"] == results[0].reason


def test_csv_leaves_empty_what_a_state_alone_does_not_have():
    from theorylab.algorithms import DFedSGPSM

    losses, columns = problem("log-cosh", 4, center=2.0), ["loss", "update_size"]
    method = DFedSGPSM(eta=0.1)
    trace = simulate(losses, topology("ring", 4), method, rounds=2, columns=columns)
    rows = list(csv.DictReader(io.StringIO(csv_text(trace))))
    assert [row["update_size"] != "" for row in rows] == [True, True, False]
    assert all(row["loss"] for row in rows)


def test_csv_quotes_what_would_end_a_cell(results):
    text = 'a, "b"\nc'
    odd = results[0].model_copy(update={"reason": text})
    assert next(csv.DictReader(io.StringIO(csv_text([odd]))))["reason"] == text


def test_a_result_shows_its_verdict_and_escapes_every_text(results):
    told = results[0].model_copy(update={"reason": SIGNS, "check": SIGNS, "expected": "HOLDS"})
    rows = dict(Tables(told._repr_html_()).rows)
    assert rows["verdict"] == "VIOLATED"
    assert rows["expected"] == "HOLDS"
    assert rows["reason"] == SIGNS
    assert rows["measured"] == f"{told.measured:.4g}"
    assert "expected" not in dict(Tables(results[0]._repr_html_()).rows)
    assert rows["assumptions that hold"] == str(len(told.assumptions))
    broken = dict(Tables(results[1]._repr_html_()).rows)
    assert [name for name, cell in broken.items() if cell == "fails"] == [
        a.name for a in results[1].assumptions if a.holds is False
    ]
    every = Tables(Report(schema=1, results=[told, *results])._repr_html_()).rows
    first, last = (line.partition(": ") for line in explained(told).lines[::2])
    assert (rows[first[0]], rows[last[0]]) == (first[2], last[2])
    assert [row[3] for row in every] == ["verdict", "VIOLATED", "VIOLATED", "ASSUMPTION_FAILS"]


def test_a_trace_shows_means_over_its_runs(trace):
    rows = {row[0]: row[1:] for row in Tables(trace._repr_html_()).rows}
    means = trace.columns["loss"].mean(axis=0)
    shown = [means[0], means[-1], means.min(), means.max()]
    assert rows["loss"] == [f"{mean:.4g}" for mean in shown]
    assert "3 runs, rounds 0 to 4" in trace._repr_html_()


def test_constants_show_powers_of_ten_that_no_float_holds():
    far = Known(math.inf, How.UPPER, SIGNS, log10_value=412.34)
    shown = Constants(C=far, q=Known(0.5, How.EXACT, "a rate"))
    rows = Tables(shown._repr_html_()).rows
    assert rows[1:] == [["C", "10^412.3", "upper", SIGNS, ""], ["q", "0.5", "exact", "a rate", ""]]
    assert shown == {"C": far, "q": shown["q"]}


def test_a_long_table_is_cut_and_says_so():
    text = html_table("many", {"n": [*range(70)]})
    assert len(Tables(text).rows) == 61
    assert "10 rows more" in text
