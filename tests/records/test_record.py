"""Reading the record of a run: what it holds, and the line that says what is wrong with it."""

import json
import re

import numpy as np
import pytest

from theorylab.records import joined, read

RING = np.array([[0.5, 0.0, 0.5], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])  # P[to, from]
FULL = np.full((3, 3), 1 / 3)


def content(matrices, runs=2, **more):
    """The arrays of a record of ``len(matrices)`` rounds, its loss 10 run + t."""
    T = len(matrices)
    t, target, source = np.nonzero(np.array(matrices))
    table = {
        "run": np.repeat(np.arange(runs), T + 1),
        "round": np.tile(np.arange(T + 1), runs),
        "edge_round": t,
        "edge_from": source,
        "edge_to": target,
        "edge_weight": np.array(matrices)[t, target, source],
    }
    table["loss"] = 10.0 * table["run"] + table["round"]
    return table | more


@pytest.fixture
def saved(tmp_path):
    def save(name="run.npz", **arrays):
        path = tmp_path / name
        np.savez(path, **arrays)
        return path

    return save


def test_rows_in_any_order_become_runs_and_rounds(saved):
    table = content([RING] * 3, eta=0.1, dim=5)
    shuffle = np.random.default_rng(0).permutation(len(table["round"]))
    table |= {key: table[key][shuffle] for key in ("run", "round", "loss")}
    found = read(saved(**table))
    assert found.columns["loss"].tolist() == [[0, 1, 2, 3], [10, 11, 12, 13]]
    assert (found.runs, found.rounds, found.numbers) == (2, 3, {"eta": 0.1, "dim": 5})


@pytest.mark.parametrize(
    ("matrices", "period", "words"),
    [
        ([RING] * 4, 1, "static"),
        ([RING, FULL] * 2, 2, "period 2"),
        ([RING, FULL, RING, FULL, RING], 2, "period 2"),
        ([RING, FULL, FULL], 3, "3 matrices listed"),
    ],
)
def test_the_network_is_that_of_every_round(saved, matrices, period, words):
    found = read(saved(**content(matrices)))
    assert (found.topology.period, found.network) == (period, f"3 clients, {words}")
    for t, P in enumerate(matrices):
        assert (found.topology.matrix(t).toarray() == P).all()


def test_lines_of_json_hold_the_same(saved, tmp_path):
    table = content([RING, FULL])
    states = [{k: table[k][i].item() for k in ("run", "round", "loss")} for i in range(6)]
    names = [k for k in table if k.startswith("edge")]
    edges = [{k: table[k][i].item() for k in names} for i in range(len(table["edge_round"]))]
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in [{"eta": 0.1}, *states, *edges]))
    one, other = read(path), read(saved(**table, eta=0.1))
    assert one.columns["loss"].tolist() == other.columns["loss"].tolist()
    assert one.numbers == other.numbers
    assert (one.topology.matrix(1).toarray() == other.topology.matrix(1).toarray()).all()


def test_runs_of_several_files_are_one_record(saved):
    one, other = (read(saved(f"{k}.npz", **content([RING] * 2, runs=1))) for k in (0, 1))
    assert joined([one, other]).columns["loss"].tolist() == [[0, 1, 2], [0, 1, 2]]
    changed = read(saved("2.npz", **content([FULL] * 2, runs=1)))
    with pytest.raises(ValueError, match=r"2.npz: its networks differ from those of 0.npz; need"):
        joined([one, changed])


def without(*names):
    table = content([RING] * 3)
    return {key: value for key, value in table.items() if key not in names}


def changed(**entries):
    """A record with entry k of some arrays another one: ``loss=(k, value)``."""
    table = content([RING] * 3)
    for name, (k, value) in entries.items():
        table[name] = table[name].astype(np.float64)
        table[name][k] = value
    return table


def rows(keep):
    table = content([RING] * 3)
    return table | {key: table[key][keep] for key in ("run", "round", "loss")}


BROKEN = {
    "round 2 of run 0 is missing; need rounds 0 .. 3": rows([0, 1, 3, 4, 5, 6, 7]),
    "round 3 of run 1 is missing; need rounds 0 .. 3": rows([0, 1, 2, 3, 4, 5, 6]),
    "round 1 of run 0 comes twice; need it once": rows([0, 1, 1, 3, 4, 5, 6, 7]),
    "round 1: column 2 of P sums to 0.9; need 1": changed(edge_weight=(7, 0.4)),
    "edge_weight is -0.5 in round 0; need shares": changed(edge_weight=(0, -0.5)),
    "loss has 2 rows and round 8; need as many": content([RING] * 3, loss=np.ones(2)),
    "loss has shape (8, 2); need one number a row": content([RING] * 3, loss=np.ones((8, 2))),
    "edge_weight has shape (); need one number a row": content(
        [RING] * 3, edge_weight=np.array(1.0)
    ),
    "loss has a number that is not finite": changed(loss=(2, np.inf)),
    "loss has dtype complex128; need real numbers": content([RING] * 3, loss=np.ones(8) * 1j),
    "who is an array of objects, and nothing is unpickled": content(
        [RING] * 3, who=np.array([{}, "a"], object)
    ),
    "round has a fraction; need whole numbers": changed(round=(1, 0.5)),
    "run is -1 somewhere; need 0 or more": changed(run=(1, -1)),
    "has no array round; need": without("round"),
    "has no column beside round; need one": without("loss"),
    "has no array edge_weight; need": without("edge_weight"),
    "has no edge in round 1; need": changed(edge_round=(slice(6, 12), 0)),
    "has an edge in round 3; need": changed(edge_round=(17, 3)),
    "an edge of round 0 comes twice": changed(edge_to=(1, 0), edge_from=(1, 0)),
    "squared_gradient is -2 in round 3; need squares, >= 0": content(
        [RING] * 3, squared_gradient=np.array([1.0] * 7 + [-2.0])
    ),
    "deterministic is 0.3; need 0 or 1": content([RING] * 3, deterministic=0.3),
    "dim is 2.5; need a whole number": content([RING] * 3, dim=2.5),
    "clients is 4; need 3, as its edges": content([RING] * 3, clients=4),
    "precision is 2; need eps": content([RING] * 3, precision=2.0),
}


@pytest.mark.parametrize("line", BROKEN)
def test_what_is_wrong_with_a_record_is_one_line(saved, line):
    with pytest.raises(ValueError, match=rf"^run.npz: {re.escape(line)}[^\n]*$") as caught:
        read(saved(**BROKEN[line]))
    assert "need" in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no zip", b"\x93NUMPY"])
def test_what_is_no_archive_is_one_line(tmp_path, data):
    path = tmp_path / "run.npz"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"run.npz: is no readable NPZ file; need"):
        read(path)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{", "line 1 is no JSON; need an object a line"),
        ('{"round": 0, "loss": 1}\n[1]', "line 2 is no object of numbers"),
        ('{"round": 0, "loss": 1}\n{"round": 1}', "line 2 has other names"),
        ('{"round": "0"}', "line 1 is no object of numbers"),
    ],
)
def test_a_line_that_is_no_row_is_named(tmp_path, text, line):
    path = tmp_path / "run.jsonl"
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"^run.jsonl: {line}"):
        read(path)


def test_a_file_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(ValueError, match=r"^gone.npz: is no file; need a record"):
        read(tmp_path / "gone.npz")
