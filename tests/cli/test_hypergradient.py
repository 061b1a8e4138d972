"""``theorylab hypergradient``: its numbers are the library's; its files; and what it refuses."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from theorylab.hypergradients import (
    SGP,
    Linear,
    QuadraticBilevel,
    coefficient_law,
    edge_law,
    exact,
    moments,
)
from theorylab.topologies import topology

TEXT = """
import numpy as np
from theorylab.hypergradients import QuadraticBilevel
from theorylab.topologies import topology as made
problem = QuadraticBilevel.random(6, 2, 2, mu=1.9, L=2.1, seed=1)
topology = made("sto-d", 6, seed=2)
"""
SMALL = ["--step", ".5", "--variant", "4a", "--terms", "3,8", "--runs", "60", "--eps", ".2"]


@pytest.fixture
def file(tmp_path):
    made = tmp_path / "mine.py"
    made.write_text(TEXT)
    return made


def test_the_numbers_are_those_of_the_moments_and_below_the_bound(run, file, tmp_path):
    out = tmp_path / "out"
    done = run("hypergradient", file, *SMALL, "--weights", "1,0", "--weights", ".95,.2", "--out",
               out)  # fmt: skip
    assert done.code == 0, done.err
    assert {p.name for p in out.iterdir()} == {f"hypergradient.{e}" for e in ("json", "svg", "png")}
    ET.fromstring((out / "hypergradient.svg").read_text())
    content = json.loads((out / "hypergradient.json").read_text())
    problem = QuadraticBilevel.random(6, 2, 2, mu=1.9, L=2.1, seed=1)
    graph, lam = topology("sto-d", 6, seed=2), np.zeros((6, 2))
    sgp = SGP(0.5, "4a")
    truth = exact(problem, edge_law(graph), sgp, lam)
    point = truth.point
    at = Linear(problem, sgp, point.x[None], point.omega[None], lam[None])
    for row, (alpha, beta) in zip(content["weights"], ((1.0, 0.0), (0.95, 0.2)), strict=True):
        found = moments(at, coefficient_law(graph), 8, reading="appendix-b", alpha=alpha, beta=beta)
        wanted = found.rmse(truth.gradient)[[3, 8]]
        assert row["rmse"] == pytest.approx(wanted, rel=1e-9)
        assert row["law"] == "exact"
        assert row["says"] == ["below the bound"] * 2
        assert all(q < b for q, b in zip(row["quantile"], row["bound"], strict=True))
    assert content["size"] == pytest.approx(np.linalg.norm(truth.gradient), rel=1e-12)
    assert content["radius"] == truth.radius
    assert "VIOLATED" not in done.out.replace("No verdict VIOLATED", "")
    again = run("hypergradient", file, *SMALL, "--weights", "1,0", "--json", "-")
    assert json.loads(again.out)["weights"][0] == content["weights"][0]


def test_where_the_bound_does_not_apply_the_reason_stands_there(run, file):
    asked = ["hypergradient", file, "--step", ".1", "--terms", "4", "--runs", "9", "--json", "-"]
    reasons = {}
    for name, weights, graph in (
        ("large", "1,0", []),
        ("edge", "0,.5", []),
        ("tied", "1,0", ["--topology", "random-out", "--topology-option", "degree=2"]),
    ):
        done = run(*asked, "--weights", weights, *graph)
        assert done.code == 0, done.err
        (row,) = json.loads(done.out)["weights"]
        assert row["bound"] == [None]
        reasons[name] = row["says"][0]
    assert "max ||A||_2 is up to" in reasons["large"]
    assert "Theorem 1 needs 0 < alpha, beta < 1" in reasons["edge"]
    assert "Assumption 7 fails" in reasons["tied"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no.py"], "no.py: no such file; need a FILE.py with a Bilevel named problem"),
        (["mine.py", "--terms", "3,x"], "--terms is '3,x'"),
        (["mine.py", "--terms", "0"], "--terms is [0]; need numbers in 1..10^6"),
        (["mine.py", "--weights", "1"], "need pairs, such as .9,.1"),
        (["mine.py", "--weights", "2,0"], "--weights is 2.0,0.0; need both in 0..1"),
        (["mine.py", "--runs", "1"], "--runs is 1; need 2..10^6"),
        (["mine.py", "--eps", "1"], "--eps is 1.0; need 0 < eps < 1"),
        (["mine.py", "--step", "9"], "rho(A_zz) is "),
        (["mine.py", "--topology", "nope"], "topology: no 'nope'"),
        (["mine.py", "--topology", "fix-u", "--variant", "5"], "variant is '5'"),
        (["bad.py"], "bad.py: problem is a int; need a Bilevel"),
        (["wide.py"], "wide.py: lam has shape (1, 1); need finite (6,2)"),
        (["raises.py"], "raises.py"),
    ],
)
def test_bad_input_is_one_line(refused, file, monkeypatch, arguments, words):
    monkeypatch.chdir(file.parent)
    (file.parent / "bad.py").write_text("problem = 3\n")
    (file.parent / "wide.py").write_text(TEXT + "lam = np.zeros((1, 1))\n")
    (file.parent / "raises.py").write_text("1 / 0\n")
    assert words in refused("hypergradient", *arguments)
