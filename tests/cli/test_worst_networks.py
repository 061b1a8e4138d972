"""``theorylab worst`` over classes of networks: proofs, and bad input in one line."""

import json
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

BALL = ("--start", "distance=1", "--start", "spread=1")
EDGES = ("--network", "directed-ring", "--clients", "2")
PUSH = ("worst", "sgp", "--set", "eta=1/2", *EDGES, "--mu", ".1", *BALL, "--every-sequence", "1/4")
MIXED = ("--set", "eta=1/2", "--set", "order=mix-then-step")
DGD = ("worst", "dpsgd", *MIXED, "--start", "distance=1", "--every-spectrum", "-1/2:1/2")


def accepted(folder, name):
    done = subprocess.run(
        [sys.executable, "-I", "-S", "check_certificate.py", name],
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    return done.returncode == 0


def test_no_sequence_of_networks_exceeds_what_is_proved_of_push_sum(run, tmp_path):
    """Quadratics of curvature 1/10 and 1 from distance 1, 400 drawn pairs of networks."""
    out = tmp_path / "out"
    done = run(*PUSH, "--rounds", "2", "--out", out, "--json", tmp_path / "s.json")
    assert (done.code, done.err) == (0, "")
    assert accepted(out, "sequences-n2-T2.json")
    claim = float(Fraction(json.loads((tmp_path / "s.json").read_text())["networks"]["claim"]))
    draw, best = np.random.default_rng(0), 0.0
    for _ in range(400):
        h = draw.choice([0.1, 1.0], 2)
        slope = draw.choice([-1.0, 1.0])  # grad f_i(x*) = (slope, -slope)
        x, w = np.ones(2), np.ones(2)
        for _ in range(2):
            a, b = draw.uniform(0.25, 0.75, 2)
            P = np.array([[a, 1 - b], [1 - a, b]])
            z = x / w
            x, w = P @ (x - 0.5 * (h * z + slope * np.array([1, -1]))), P @ w
        best = max(best, x.mean() ** 2)
    assert 0.3 * claim < best <= claim


def test_the_network_at_the_end_of_the_range_nearly_attains_the_bound_of_a_spectrum(run, tmp_path):
    """f_i = |x| and a W of two clients with the eigenvalue -1/2, both within the bound."""
    out = tmp_path / "out"
    done = run(*DGD, "--rounds", "3", "--out", out, "--json", tmp_path / "s.json")
    assert (done.code, done.err) == (0, "")
    assert accepted(out, "spectrum-T3.json")
    said = json.loads((tmp_path / "s.json").read_text())["networks"]["said"]
    most = float(said.rpartition(" ")[2])
    # one client suffices for a value that no network may exceed: |x| from 1 by steps of 1/2
    x, seen = 1.0, []
    for _ in range(4):
        seen.append(x)
        x -= 0.5 * np.sign(x)
    assert abs(np.mean(seen)) <= most < 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*PUSH, "--rounds", "1:2"), "--rounds is '1:2'; need one number for a class of networks"),
        ((*PUSH[:2], "--set", "eta=1/2", *EDGES, "--every-sequence", "1/4"), "need --start dist"),
        ((*PUSH, "--class", "convex"), "--every-sequence is of smooth functions"),
        ((*PUSH, "--forever"), "--every-sequence came with --forever"),
        ((*PUSH, "--noise", "1"), "--every-sequence came with --noise"),
        ((*PUSH[:-1], "x"), "--every-sequence: 'x' is no number"),
        ((*PUSH[:-1], "0"), "need more than 0 and at most 1/2"),
        ((*PUSH[:-1], "2/3"), "need more than 0 and at most 1/2"),
        (("worst", "dpsgd", *PUSH[2:]), "is about push-sum; need sgp, not dpsgd"),
        (("worst", "osgp", *PUSH[2:]), "is about push-sum; need sgp, not osgp"),
        ((*DGD, "--clients", "3"), "is of every number of clients; need no --clients"),
        ((*DGD, "--mu", ".1"), "needs --class bounded-gradient, and no --mu"),
        ((*DGD[:-1], "1/2"), "is '1/2'; need LOW:HIGH"),
        ((*DGD[:-1], "1/2:-1/2"), "need low <= high"),
        ((*DGD, "--rounds", "99"), "rounds; need low <= high"),
        (("worst", "dpsgd", "--set", "eta=1", *DGD[6:]), "which dpsgd is not here; need dpsgd"),
        (("worst", "dfedsam", "--set", "eta=1", "--set", "rho=1", *DGD[6:]), "dfedsam is not here"),
        (("worst", "dfedsgpsm.thm1", "--every-spectrum", "0:1"), "came with dfedsgpsm.thm1"),
    ],
)
def test_bad_input_about_classes_of_networks_is_one_line(refused, arguments, message):
    assert message in refused(*arguments)
