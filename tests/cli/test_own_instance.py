"""``verify`` on an instance of one's own: what is judged, shown, and said by the exit code."""

import json
import math
import pathlib

import pytest

from theorylab.commands.verify.terminal import meaning
from theorylab.report.standing import exit_code
from theorylab.statements import BUILT_IN
from theorylab.verdicts import Job, NotRun, Report, judge

OWN = (pathlib.Path(__file__).parents[1] / "verdicts" / "user_theorem.py").read_text()
FALSE = OWN.replace("2 * (f0", "(f0 - f_star) / (T * eta) / 1000 + 0 * (f0")
RUN = {
    "problem": {"name": "quadratic", "dim": 3, "mu": 0.1, "L": 2.0, "seed": 0},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 200,
    "algorithm": {"eta": 0.25},
    "x0": 1.0,
}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return path


def results(done):
    return {r.version: r for r in Report.model_validate_json(done.out).results}


def test_one_check_is_its_row_of_the_catalogue(run):
    done = run("verify", "dfedsgpsm.lem1", "--check", "momentum", "--json", "-")
    (result,) = Report.model_validate_json(done.out).results
    job = Job("dfedsgpsm.lem1", "corrected", "momentum", None, 64, 0)
    whole = {"rows", "seconds"}
    assert result.model_dump(exclude=whole) == judge(job).model_dump(exclude=whole)
    assert (result.expected, done.code) == ("HOLDS", 0)
    (row,) = result.rows  # one place
    assert (row.measured, row.bound, row.ratio) == (result.measured, result.bound, result.ratio)


def test_a_version_alone_is_a_part_of_the_catalogue(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    done = run("verify", "pdbo.eq34", "--version", "printed", "--quick")
    assert done.out.splitlines()[-1].startswith(f"{len(quick('pdbo.eq34', 'printed'))} checks: ")
    assert "constant" not in done.out


def quick(name, version):
    return [check for check in BUILT_IN[name].versions[version].checks if check.quick]


def test_a_change_reaches_the_bound_and_the_rest_stays(run, file):
    done = [
        results(run("verify", file, *more, "--json", "-"))["printed"]
        for more in (["--set", "rounds=200"], ["--set", "rounds=800"])
    ]
    # the bound is 2 (f0 - f*) / (T eta): four times the rounds is a fourth of it
    assert done[1].bound == pytest.approx(done[0].bound / 4, rel=1e-12)
    assert done[1].log10_bound == pytest.approx(done[0].log10_bound - math.log10(4), abs=1e-12)
    assert done[1].log10_terms["optimisation"] == done[1].log10_bound
    assert [each.instance["rounds"] for each in done] == [200, 800]
    for key in ("problem", "topology", "clients", "algorithm", "x0"):
        assert done[1].instance[key] == RUN[key]


def test_margins_are_told_inside_and_beyond(run, file):
    # eta L = 1/2 of the cap 1, then 3/2: 50 % of the cap are left, then a third of 3/2 is too much
    done = run("verify", file, "--set", "algorithm.eta=.25")
    assert (done.code, "50 % inside" in done.out) == (0, True)
    done = run("verify", file, "--set", "algorithm.eta=.75")
    assert (done.code, "33 % beyond" in done.out) == (0, True)
    assert "L*eta = 1.5 exceeds 1 by 0.5" in " ".join(done.out.split())
    assert "1 ASSUMPTION_FAILS. Exit code 0" in done.out.splitlines()[-1]


def test_a_violated_version_is_exit_code_1_whatever_its_check_expects(run, file):
    file.write_text(FALSE.replace('"HOLDS"', '"VIOLATED"'))
    assert run("verify", file, "--check", "one-quadratic").code == 0  # as expected
    done = run("verify", file, "--set", "clients=1")
    assert done.code == 1
    assert done.out.splitlines()[-1] == (
        "1 version: 1 VIOLATED. Exit code 1: a version is VIOLATED on this instance."
    )


@pytest.mark.parametrize(
    ("verdicts", "absent", "code", "line"),
    [
        (["HOLDS", "INCONCLUSIVE"], 0, 4, "2 versions: 1 HOLDS, 1 INCONCLUSIVE. Exit code 4"),
        (["VIOLATED", "INCONCLUSIVE"], 0, 1, "2 versions: 1 VIOLATED, 1 INCONCLUSIVE. Exit"),
        (["VACUOUS"], 1, 0, "2 versions: 1 VACUOUS, 1 not judged. Exit code 0: no version"),
        (["UNSATISFIABLE"], 0, 0, "1 version: 1 UNSATISFIABLE. Exit code 0"),
    ],
)
def test_the_exit_code_is_said(make, verdicts, absent, code, line):
    found = [make(verdict=verdict, expected="") for verdict in verdicts]
    found += [NotRun(id="a.b", version="v", check="own", extra="sdp", reason="no")] * absent
    assert exit_code(found) == code
    assert meaning(found, own=True).startswith(line)


def test_a_file_is_judged_as_it_stands_and_what_comes_out_can_go_in_again(run, file, tmp_path):
    instance = tmp_path / "mine.json"
    instance.write_text(json.dumps({**RUN, "rounds": 50}))
    first = run("verify", file, "--instance", instance, "--json", tmp_path / "out.json")
    assert f"Instance: that of {instance.name}." in first.out
    found = Report.model_validate_json((tmp_path / "out.json").read_text()).results[0]
    again = results(run("verify", file, "--instance", tmp_path / "out.json", "--json", "-"))
    whole = {"seconds"}
    assert again["printed"].model_dump(exclude=whole) == found.model_dump(exclude=whole)
    assert found.instance["rounds"] == 50


def test_a_counterexample_that_another_version_found_is_an_instance(run):
    kept = pathlib.Path(__file__).parents[1] / "falsify/counterexamples/dfedalt.eq12_printed.json"
    done = run("verify", "dfedalt.eq12", "--instance", kept, "--json", "-")
    assert {name: r.verdict for name, r in results(done).items()} == {
        "printed": "VIOLATED", "corrected": "HOLDS",
    }  # fmt: skip
    assert done.code == 1


def test_an_experiment_takes_its_options_and_measures_there(run):
    done = run("verify", "pdbo.eq34", "--clients", 6, "--set", "network.name=ring", "--json", "-")
    (result,) = results(done).values()
    assert (result.verdict, done.code) == ("HOLDS", 0)
    # what is measured is n, up to the rounding that the statement's own term allows
    assert abs(result.measured - 6) <= result.terms["rounding"]
    assert (result.instance["clients"], result.instance["network"]["name"]) == (6, "ring")


def test_an_order_shows_its_sweep_and_only_what_the_sweep_leaves_alone_can_change(run, refused):
    args = ("verify", "dfedsgpsm.cor1_growth", "--version", "corrected")
    done = run(*args, "--set", "problem.dim=1", "--json", "-")
    (result,) = results(done).values()
    assert len(result.rows) == len(result.instance["sweep"]["values"]) > result.places == 1
    line = refused(*args, "--set", "sweep.values=[1,2,3]")
    assert "sweep says what dfedsgpsm.cor1_growth claims" in line
    path = next(iter(result.instance["sweep"]["set"]))
    line = refused(*args, "--set", f"{path}=7")
    assert f"{path} is what the sweep of this instance sets" in line


def test_what_the_sweep_of_a_claim_sets_cannot_change_either_where_a_check_has_none(run, refused):
    """Versions share instances: the one that is asked for may be from a check without the sweep."""
    line = refused("verify", "dfedalt.thm1", "--set", "rounds=300")
    assert "dfedalt.thm1 [printed]: rounds is what the sweep of this instance sets" in line
    args = ("verify", "dfedalt.thm1", "--set", "rounds=300", "--version", "corrected")
    (result,) = results(run(*args, "--json", "-")).values()
    assert (result.instance["rounds"], result.verdict) == (300, "HOLDS")


def test_every_version_keeps_what_it_claims(run):
    # one estimator, read in two ways: an option of the experiment says which
    args = ("verify", "pdbo.eq9", "--check", "sto-d", "--set", "place.step=.2", "--json", "-")
    done = results(run(*args))
    assert {name: r.instance["reading"] for name, r in done.items()} == {
        "printed": "eq9", "corrected": "eq10",
    }  # fmt: skip
    assert {name: r.verdict for name, r in done.items()} == {
        "printed": "VIOLATED", "corrected": "HOLDS",
    }  # fmt: skip


def test_a_control_says_nothing_of_a_version(run):
    # the paper claims it of undirected edges; all checks of the other reading are controls
    done = run("verify", "pdbo.eq11", "--check", "sto-d", "--set", "place.step=.2")
    assert "[printed/directed] own: control: VIOLATED" in done.out
    assert done.code == 0
    # nor does what is made of a control
    args = ("dfedsgpsm.asm1", "--check", "one-peer-window-2", "--set", "clients=16")
    done = run("verify", *args)
    text = " ".join(done.out.split())
    assert "that of the control (outside what is claimed) one-peer-window-2" in text
    assert ("own: control: VIOLATED" in text, done.code) == (True, 0)


def test_the_first_check_that_can_be_changed_is_taken_and_named(run):
    done = run("verify", "dfedpgp.lem3", "--clients", 4, "--topology", "ring")
    text = " ".join(done.out.split())
    # the first one gives its matrices for three clients
    assert "the check sin-sin [corrected], the first that can be changed so, topology ring" in text


def test_places_are_first_worst_and_last_and_long_shows_all(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    args = ("verify", "dfedalt.eq19", "--version", "corrected", "--set", "rounds=6")
    (result,) = results(run(*args, "--json", "-")).values()
    short, whole = run(*args), run(*args, "--long")
    assert len(result.rows) == result.places == 6
    shown = [sum(row.place in done.out for row in result.rows) for done in (short, whole)]
    assert shown[0] <= 3 < shown[1] == 6
    for done in (short, whole):
        assert all(len(line) <= 80 for line in done.out.splitlines()[:-1])
    worst = max(result.rows, key=lambda row: -1 if row.ratio is None else row.ratio)
    table = short.out[short.out.index(" place ") :].split("First, worst and last of 6 places")[0]
    assert all(row.place in table for row in (result.rows[0], worst, result.rows[-1]))
    assert result.place in {row.place for row in result.rows}


def test_out_writes_pages_and_the_same_command_finds_them(run, file, tmp_path):
    args = ("verify", file, "--set", "rounds=100", "--out", tmp_path / "out")
    assert run(*args).code == 0
    page = (tmp_path / "out" / "textbook.html").read_text()
    assert "textbook.thm1" in page
    assert ": expected" not in page  # nothing is
    assert "1 without an expectation" in (tmp_path / "out" / "index.html").read_text()
    assert "the expected one" not in (tmp_path / "out" / "index.html").read_text()
    assert "(stored)" in run(*args, "--long").err
    other = (*args[:3], "rounds=101", *args[4:])
    assert "(stored)" not in run(*other, "--long").err


def test_a_network_can_be_an_edge_list(run, tmp_path):
    graph = tmp_path / "ring.json"
    graph.write_text(json.dumps({"clients": 2, "edges": [[0, 0], [1, 1], [0, 1], [1, 0]]}))
    args = ("verify", "dfedsgpsm.thm1", "--check", "worked-example", "--version", "corrected")
    done = run(*args, "--topology", graph, "--set", "rounds=50", "--json", "-")
    (result,) = results(done).values()
    assert result.instance["topology"] == {"name": "edge-list", "path": str(graph)}
    assert result.instance["clients"] == 2  # the file says it itself
    assert result.verdict in ("HOLDS", "VACUOUS")
