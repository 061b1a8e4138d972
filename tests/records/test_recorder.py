"""A run of four processes, written by the callback, judged beside the same run of the engine."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from theorylab.records import read
from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.symbols import C, L, T, delta, eta, f0, f_star, n, q
from theorylab.topologies import from_matrices
from theorylab.verdicts.judge import judge_check

ROUNDS, DIM = 12, 3
SCRIPT = pathlib.Path(__file__).with_name("sgp_of_four.py")
DRAWN = np.random.default_rng(7)
CURVES = [np.diag(1 + DRAWN.random(DIM)) for _ in range(4)]
CENTRES = DRAWN.normal(size=(4, DIM))


def sent(t):
    """P(t)[to, from] of the script."""
    P, away = np.zeros((4, 4)), 1 + t % 2
    for j in range(4):
        P[j, j], P[(j + away) % 4, j] = (0.5, 0.5) if j == 0 else (0.75, 0.25)
    return P


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The record of a run of four processes."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("gloo")
    data = {"H": [H.tolist() for H in CURVES], "c": CENTRES.tolist()}
    (folder / "data.json").write_text(json.dumps(data))
    command = [sys.executable, str(SCRIPT)]
    started = [
        subprocess.Popen([*command, str(rank), str(folder), str(ROUNDS)], stderr=subprocess.PIPE)
        for rank in range(4)
    ]
    ended = [process.communicate(timeout=300)[1] for process in started]
    assert [process.returncode for process in started] == [0] * 4, ended
    return folder / "run.npz"


def by_hand():
    """Loss, squared gradient, consensus and size of x^0 .. x^T in plain NumPy."""
    x, w, rows = np.ones((4, DIM)), np.ones(4), []
    for t in range(ROUNDS + 1):
        z, mean = x / w[:, None], x.mean(axis=0)
        away = mean - CENTRES
        slopes = np.array([H @ v for H, v in zip(CURVES, away, strict=True)])
        losses = [v @ g / 2 for v, g in zip(away, slopes, strict=True)]
        slope = slopes.mean(axis=0)
        away = ((z - mean) ** 2).sum() / 4
        rows.append((np.mean(losses), slope @ slope, away, np.abs(z).max()))
        own = np.array([H @ (v - c) for H, v, c in zip(CURVES, z, CENTRES, strict=True)])
        x, w = sent(t) @ (x - 0.1 * own), sent(t) @ w
    return np.array(rows)


@pytest.mark.slow
def test_four_processes_write_what_the_run_is_by_hand(written):
    found = read(written)
    table = np.stack([found.columns[k][0] for k in ("loss", "squared_gradient", "consensus")], 1)
    hand = by_hand()
    np.testing.assert_allclose(table, hand[:, :3], rtol=1e-12, atol=1e-15)
    assert found.topology.period == 2
    for t in range(2):
        assert (found.topology.matrix(t).toarray() == sent(t)).all()
    size = pytest.approx(hand[:, 3].max(), rel=1e-12)
    options = {"eta": 0.1, "deterministic": 1, "precision": 2.0**-52}
    assert found.numbers == {**options, "size": size}


@pytest.mark.slow
def test_its_verdict_is_that_of_the_same_run_by_the_engine(written):
    from_matrices([sent(0), sent(1)], name="two-rings-of-four")
    H = np.mean(CURVES, axis=0)
    best = np.linalg.solve(H, np.mean([A @ c for A, c in zip(CURVES, CENTRES, strict=True)], 0))
    least = np.mean([(best - c) @ A @ (best - c) / 2 for A, c in zip(CURVES, CENTRES, strict=True)])
    engine = {
        "problem": {
            "name": "quadratic",
            "H": [A.tolist() for A in CURVES],
            "c": CENTRES.tolist(),
        },
        "topology": {"name": "two-rings-of-four"},
        "clients": 4,
        "rounds": ROUNDS,
        "algorithm": {"eta": 0.1},
        "x0": 1.0,
    }
    terms = {"optimisation": 2 * (f0 - f_star) / (T * eta), "network": L * C * q / (delta * n)}
    version = Version(
        terms=terms,
        assumes=(Assumption("eta <= 1/L", rule=eta * L <= 1),),
        checks=(Check("engine", engine),),
    )
    about = Source("test", "Theorem 1", "a bound with the constants of a network")
    statement = Statement("test.thm1", about, "mean_squared_gradient", {"printed": version}, "sgp")
    steepest = max(float(np.diag(A).max()) for A in CURVES)  # they are diagonal
    given = {"L": steepest, "f_star": float(least)}
    record = {"record": str(written), "given": given}
    ours = judge_check(statement, "printed", Check("engine", engine))
    theirs = judge_check(statement, "printed", Check("record", record))
    assert theirs.verdict == ours.verdict == "HOLDS"
    assert theirs.measured == pytest.approx(ours.measured, rel=1e-9)
    assert theirs.bound == pytest.approx(ours.bound, rel=1e-6)
    for name in ("C", "q", "delta", "n", "T", "eta"):
        assert theirs.constants[name]["value"] == ours.constants[name]["value"]
    assert "L = " in theirs.given
    assert theirs.constants["L"]["source"] == "given: not looked at"
