"""``theorylab hypergradient``: its numbers are the library's; its files; and what it refuses."""

import csv
import json
import re
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
STILL = """
import numpy as np
from theorylab.hypergradients import QuadraticBilevel
from theorylab.topologies import topology as made
H, one = np.array([.5, 1., 1.5, .8]), np.ones((4, 1))
problem = QuadraticBilevel(H[:, None, None], one, one[:, :, None], np.arange(4.)[:, None])
topology = made("ring", 4)
"""
TORCH = """
import numpy as np
from theorylab.hypergradients import TorchBilevel
from theorylab.topologies import topology as made
def inner(x, lam, a):
    return ((x - a) ** 2).sum(1).mean() / 2 + lam[0].exp() * (x * x).sum()
problem = TorchBilevel(inner, inner, (np.arange(24.).reshape(3, 4, 2),), 2, 1, batch=2)
topology = made("ring", 3)
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
    files = {f"hypergradient.{kind}" for kind in ("json", "csv", "svg", "png")} | {"index.html"}
    assert {p.name for p in out.iterdir()} == files
    ET.fromstring((out / "hypergradient.svg").read_text())
    content = json.loads((out / "hypergradient.json").read_text())
    table = list(csv.DictReader((out / "hypergradient.csv").read_text().splitlines()))
    assert [line["terms"] for line in table] == ["3", "8"] * 2
    assert "the deviation that no M removes" in (out / "index.html").read_text()
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
        assert row["floor"] > 0
        lines = [line for line in table if float(line["alpha"]) == alpha]
        for name in ("bias", "deviation", "rmse", "quantile", "bound", "bound_of_bias"):
            assert [float(line[name]) for line in lines] == row[name]
        assert {line["floor"] for line in lines} == {repr(row["floor"])}
    assert content["size"] == pytest.approx(np.linalg.norm(truth.gradient), rel=1e-12)
    assert content["radius"] == truth.radius
    assert "VIOLATED" not in done.out.replace("No verdict VIOLATED", "")
    again = run("hypergradient", file, *SMALL, "--weights", "1,0", "--json", "-")
    assert json.loads(again.out)["weights"][0] == content["weights"][0]


def test_on_a_static_network_the_bound_is_one_singular_value(run, tmp_path):
    file, (n, step) = tmp_path / "still.py", (4, 0.4)
    file.write_text(STILL)
    H, t = np.array([0.5, 1.0, 1.5, 0.8]), np.arange(4.0)
    P = (np.eye(n) + np.roll(np.eye(n), 1, 0) + np.roll(np.eye(n), -1, 0)) / 3
    x = np.linalg.solve(np.eye(n) - P + step * np.diag(H), step * np.ones(n))
    A, c = P - step * np.diag(H), (x - t) / n
    a = np.linalg.norm(A, 2)
    assert a < 1
    asked = ["--step", step, "--terms", "1:4,30", "--json", "-", "--runs", "2"]
    content = json.loads(run("hypergradient", file, *asked).out)
    assert content["terms"] == [1, 2, 3, 4, 30]
    truth = step * np.linalg.solve(np.eye(n) - A, c)
    assert np.ravel(content["hypergradient"]) == pytest.approx(truth, rel=1e-9)
    for row in content["weights"]:
        # b is ||B|| = step, with 1 + 1e-10 for LAPACK in each of a, b and |c|
        wanted = [step * np.linalg.norm(c) * a**m / (1 - a) for m in content["terms"]]
        assert row["bound"] == pytest.approx(wanted, rel=1e-8)
        assert (row["rule"], row["floor"]) == ("nothing is drawn", 0)
        assert row["says"] == ["below the bound"] * 5  # two runs alike are enough
        left = [step * np.linalg.matrix_power(A, m) @ np.linalg.solve(np.eye(n) - A, c)
                for m in content["terms"]]  # fmt: skip
        assert row["bias"] == pytest.approx(np.linalg.norm(left, axis=1), rel=1e-6, abs=1e-12)
    assert content["solved_within"] < 1e-13


def test_a_series_that_is_cut_too_early_is_told_with_the_terms_that_it_asks_for(run, tmp_path):
    file = tmp_path / "still.py"
    file.write_text(STILL)
    asked = ["hypergradient", file, "--step", ".001", "--runs", "2"]
    told = run(*asked, "--terms", "20").out
    found = re.search(r"its M-th power 0\.9\d+; M = (\d+) leaves out a tenth", told)
    assert found, told
    needed = int(found[1])
    content = json.loads(run(*asked, "--terms", f"{needed - 1},{needed}", "--json", "-").out)
    above, below = (bias / content["size"] for bias in content["weights"][0]["bias"])
    assert below <= 0.1 < above


def test_of_the_draws_the_bound_takes_the_exact_variance(run, file):
    asked = ["hypergradient", file, "--step", ".5", "--runs", "5", "--terms", "9", "--json", "-"]
    content = json.loads(run(*asked, "--eps", ".25").out)
    assert content["second_radius"] < 1
    for row in content["weights"]:
        assert row["rule"] == "rho(E[A (x) A]) < 1, exact variance"
        noise = row["bound"][0] - row["bound_of_bias"][0]
        assert noise == pytest.approx(row["deviation"][0] / 0.25**0.5, rel=1e-8)


def test_where_there_is_no_bound_the_reason_stands_there(run, file, tmp_path):
    noisy = tmp_path / "noisy.py"
    noisy.write_text(TORCH)
    tied = ["--topology", "sto-u"]
    cases = (
        (file, "1e-4", [], ["max ||A||_2 is up to", "rho(E[A (x) A]) is 1."]),
        (file, "1e-4", tied, ["Assumption 7 fails", "no bound by second moments exists"]),
        (noisy, ".1", [], ["needs the Jacobian of every sample", "torch draws minibatches"]),
    )
    for given, step, graph, words in cases:
        done = run("hypergradient", given, "--step", step, "--terms", "4", "--runs", "3", *graph,
                   "--json", "-")  # fmt: skip
        assert done.code == 0, done.err
        for row in json.loads(done.out)["weights"]:
            assert row["bound"] == [None]
            assert row["says"] == ["no bound"]
            assert all(each in row["rule"] for each in words), row["rule"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no.py"], "no.py: no such file; need a FILE.py with a Bilevel named problem"),
        (["mine.py", "--terms", "3,x"], "--terms is '3,x'"),
        (["mine.py", "--terms", "5:3"], "--terms 5:3 is 0 numbers of terms; need 1..2000"),
        (["mine.py", "--terms", "1:9999"], "--terms 1:9999 is 9999 numbers of terms"),
        (["mine.py", "--terms", "0:4"], "--terms is [0, 1, 2, 3, 4]; need numbers in 1..10^6"),
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
