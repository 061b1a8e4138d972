"""theorylab worst: from a method's file to a certificate, and what is refused in one line."""

import json
import subprocess
import sys

import pytest

MINE = """
from dataclasses import dataclass, replace
from theorylab.algorithms import Algorithm


@dataclass(frozen=True)
class Tracking(Algorithm, name="tracking-of-a-file"):
    eta: float

    def init(self, x0, problem=None):
        first = super().init(x0, problem)
        return replace(first, memory={"y": 0 * first.x, "g": 0 * first.x})

    def step(self, state, net):
        y, old = state.memory["y"], state.memory["g"]
        g = net.gradient(state.x)
        y = net.mix(y) + g - old
        x = net.mix(state.x) - self.eta * y
        return net.next(state, x=x, memory={"y": y, "g": g})
"""
BALL = ("--start", "distance=1", "--start", "spread=1")
SMALL = ("--clients", "2", "--rounds", "2", "--mu", ".1", *BALL)


def test_a_users_file_becomes_a_certificate_that_python_alone_accepts(run, tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    out = tmp_path / "out"
    done = run("worst", tmp_path / "mine.py", "--set", "eta=1/3", *SMALL, "--certify", "--out", out)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "tracking-of-a-file (eta = 1/3) on complete, n = 2, T = 2"
    assert "every f_i 1/10-strongly convex, 1-smooth; |x^0 - x*| <= 1" in lines[1]
    assert lines[4].startswith("  PROVED: at most ")
    checked = subprocess.run(
        [sys.executable, "-I", "-S", "check_certificate.py", "certificate-n2-T2.json"],
        cwd=out,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0
    assert checked.stdout.startswith("PROVED: 'certificate-n2-T2.json': n = 2, T = 2, ")
    kept = json.loads((out / "worst.json").read_text())["worst"][0]
    assert kept["outcome"] == "PROVED"
    assert len(kept["functions"]["functions"]) == 2
    third = json.loads((out / "certificate-n2-T2.json").read_text())["method"]["queries"][2][1]
    assert third[0] == "-1/3"  # eta as it was written
    again = run("worst", "--check", out / "certificate-n2-T2.json")
    assert (again.code, again.out[:8]) == (0, "PROVED: ")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--B", "1"), "  replayed "),
        (("--heterogeneity", "1/10"), "; they are in the class at the points asked alone"),
        (("--heterogeneity", "1/10"), "mean |grad f_i - grad f|^2 <= 1/100 at every point"),
        (("--metric", "gap"), "  not attained: f* of the interpolating functions is known from"),
    ],
)
def test_what_is_no_side_of_the_class_is_not_called_attained(run, more, words):
    words_of = ("--clients", "2", "--rounds", "2", "--class", "nonconvex", "--start", "gap=1")
    done = run("worst", "dpsgd", "--set", "eta=1/2", *words_of, *more)
    assert (done.code, done.err) == (0, "")
    assert words in done.out
    assert "  attained" not in done.out


def test_a_step_that_is_not_linear_is_told_with_its_query(run, tmp_path):
    (tmp_path / "mine.py").write_text(MINE.replace("self.eta * y\n", "self.eta * y * y\n"))
    done = run("worst", tmp_path / "mine.py", "--set", "eta=1/3", *SMALL)
    assert (done.code, done.err) == (4, "")
    assert "NOT LINEAR: tracking-of-a-file is not linear: query 2 is no fixed comb" in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("dfedsam", "--set", "eta=.1", "--set", "rho=.1", "--set", "local_steps=1", *SMALL), 0,
         "from above alone: SAM's ascent e along g is any with |e| <= rho, <e, g> >= 0)"),
        (("sgp", "--set", "eta=.1", "--noise", "1/2", *SMALL), 0,
         "  worst in expectation |xbar^T - x*|^2: at most 0.9"),
        (("sgp", "--set", "eta=.1", "--clients", "3", "--start", "distance=1", "--mu", ".1",
          "--rounds", "2", "--network", "directed-ring"), 4,
         "UNBOUNDED: distance has no bound without spread"),
        (("dpsgd", "--set", "eta=1", "--start", "distance=1", "--margin", "1e-12", "--certify"), 0,
         "PROVED"),
    ],
)  # fmt: skip
def test_an_outcome_is_told_with_its_exit_code(run, arguments, code, words):
    done = run("worst", *arguments)
    assert done.code == code
    assert words in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "worst: no METHOD is given"),
        (("nothing", *SMALL), "nothing"),
        (("sgp", *SMALL), "sgp: no step size eta is given"),
        (("sgp", "--set", "eta=.1", "--mu", "2", *BALL), "mu is 2, L is 1; need -L <= mu < L"),
        (("sgp", "--set", "eta=.1", "--mu", "x", *BALL), "'x' is no number"),
        (("sgp", "--set", "eta=.1", "--class", "nice", *BALL), "--class is 'nice'; need one of"),
        (("sgp", "--set", "eta=.1", "--noise", "-1", *BALL), "noise is -1; need at least 0"),
        (("dfedsam", "--set", "eta=.1", "--noise", "1", *BALL), "noise needs a method that asks"),
        (("sgp", "--set", "eta=.1"), "no condition of the start is given"),
        (("sgp", "--set", "eta=.1", "--start", "distance"), "need NAME=VALUE"),
        (("sgp", "--set", "eta=.1", "--start", "luck=1"), "start 'luck' is unknown"),
        (("sgp", "--set", "eta=.1", "--heterogeneity", "-1", *BALL), "heterogeneity is -1; need"),
        (("sgp", "--set", "eta=.1", "--metric", "luck", *BALL), "metric 'luck' is unknown"),
        (("sgp", "--set", "eta=.1", "--rounds", "0", *BALL), "--rounds is '0'"),
        (("sgp", "--set", "eta=.1", "--rounds", "5:2", *BALL), "--rounds is '5:2'"),
        (("sgp", "--set", "eta=.1", "--clients", "x", *BALL), "--clients is 'x'"),
        (("sgp", "--set", "eta=.1", "--network", "nowhere", *BALL), "nowhere"),
        (("sgp", "--set", "eta=.1", "--margin", "2", *BALL), "--margin is 2.0; need"),
        (("sgp", "--set", "eta=.1", "--rounds", "200", "--clients", "3", *BALL),
         "TOO LARGE: sgp asks 600 gradients in 200 rounds"),
        (("fedavg", "--set", "eta=.1", *SMALL), "fedavg draws by itself"),
        (("sgp", "--set", "eta=.1", "--network", "random-out", "--set", "topology.degree=1",
          "--clients", "3", *BALL), "drawn anew every round"),
        (("sgp", "--set", "eta=.1", "--network", "random-in", "--set", "topology.degree=1",
          "--clients", "3", *BALL), "drawn anew every round"),
        (("sgp", "--check", "c.json"), "sgp came with --check"),
        (("sgp", "--set", "eta=.1", "--json", "missing/x.json", *BALL), "missing is no directory"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(refused, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in refused("worst", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_certificate_of_another_version_is_refused(refused, tmp_path):
    (tmp_path / "c.json").write_text('{"version": 1, "kind": "finite"}')
    told = refused("worst", "--check", tmp_path / "c.json")
    assert "c.json is a certificate of version 1; need 2" in told


def test_a_file_that_is_no_certificate_is_not_proved(run, tmp_path):
    (tmp_path / "c.json").write_text("{}")
    done = run("worst", "--check", tmp_path / "c.json", "--check", tmp_path / "none.json")
    assert done.code == 1
    assert [line[:12] for line in done.out.splitlines()] == ["NOT PROVED: "] * 2


FOREVER = (
    "worst",
    "sgp",
    "--set",
    "eta=1/2",
    "--network",
    "directed-ring",
    "--mu",
    ".1",
    "--forever",
)


def test_a_rate_for_all_rounds_is_a_certificate_that_python_alone_accepts(run, tmp_path):
    floors = ("--start", "spread=2", "--noise", "1/2")
    done = run(*FOREVER, "--clients", "3", *floors, "--out", tmp_path / "new")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "sgp on directed-ring, n = 3, for all T"
    assert lines[2].startswith("  PROVED: V of a run and another run falls by the factor 0.90")
    assert lines[3] == "  some quadratics attain 0.949999: no root below is true"
    assert lines[4].startswith("  E |xbar^T - x*|^2 <= 1.0000")
    assert "(root mean |grad f_i(x*)|^2 <= 2) + 0.2" in lines[4]
    assert lines[5] == (
        "  e has mean 0, is independent between clients and between queries, and "
        "E |e|^2 <= 1/4 in all"
    )
    checked = subprocess.run(
        [sys.executable, "-I", "-S", "check_certificate.py", "rate-n3.json"],
        cwd=tmp_path / "new",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stderr) == (0, "")
    again = run("worst", "--check", tmp_path / "new/rate-n3.json")
    assert (again.code, again.out[:8]) == (0, "PROVED: ")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--L", "5"), 4, "for all T: NOT CERTIFIED: sgp: no V falls in every round"),
        (("--clients", "2"), 0, "PROVED: V of a run and another run"),
        (("--clients", "2"), 0, "^T |x^0 - x*|^2, where grad f_i(x*) = 0 for every i"),
    ],
)
def test_how_a_rate_ends_is_told_with_its_exit_code(run, arguments, code, words):
    done = run(*FOREVER, *arguments)
    assert (done.code, done.err) == (code, "")
    assert words in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*FOREVER, "--rounds", "3"), "--rounds came with --forever, which is about all T"),
        ((*FOREVER, "--metric", "gap"), "--metric came with --forever, which is about all T"),
        ((*FOREVER, "--start", "distance=1"), "--start distance with --forever; need spread"),
        ((*FOREVER, "--noise", "-1"), "--noise is -1; need at least 0"),
        ((*FOREVER, "--mu", "1"), "class: mu is 1, L is 1; need -L <= mu < L"),
        ((*FOREVER, "--class", "convex"), "need --L, and no --B or --het"),
        ((*FOREVER, "--clients", "4", "--network", "random-out"), "drawn anew every round"),
    ],
)
def test_bad_input_about_all_rounds_is_one_line(refused, arguments, message):
    assert message in refused(*arguments)


def test_a_theorem_is_shown_beside_the_worst_case_of_its_class(run, refused, tmp_path):
    words = ("worst", "dfedsgpsm.thm1", "--clients", "2", "--rounds", "1:2")
    done = run(*words, "--out", tmp_path / "out", "--json", tmp_path / "t.json")
    assert done.code == 0
    assert done.out.count("corrected") == 3  # two rows, and where the factor is lost
    rows = json.loads((tmp_path / "t.json").read_text())["triangles"]
    assert [(row["rounds"], row["proved"]) for row in rows] == [(1, True), (2, True)]
    assert (tmp_path / "out/certificate-n2-T2.json").exists()
    assert "dfedpgp.lem1 has no class here" in refused("worst", "dfedpgp.lem1")
    assert "--start: dfedsgpsm.thm1 says it" in refused(
        "worst", "dfedsgpsm.thm1", "--start", "gap=1"
    )
