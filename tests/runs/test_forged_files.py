"""A file that a stranger made, with a digest that fits: what is no state or trace is refused."""

import io
import json
import math

import numpy as np
import pytest

from theorylab.runs import Snapshot
from theorylab.runs.checkpoint import check_fits, checkpoint_bytes, checkpoint_from
from theorylab.runs.configuration import built, configuration
from theorylab.runs.record import digest, record_of, saved, trace_from

RUNS, CLIENTS, DIM = 2, 3, 4
TASK = built(
    configuration(
        {
            "algorithm": {"name": "dfedavgm", "eta": 0.1, "alpha": 0.5},
            "problem": {"name": "quadratic", "dim": DIM, "sigma": 0.5},
            "topology": {"name": "ring"},
            "clients": CLIENTS,
            "rounds": 2,
            "seeds": RUNS,
            "columns": ["loss", "consensus"],
        }
    )
)


def honest():
    """The header and the arrays of a checkpoint after the first of two rounds, with a v."""
    kept = []
    TASK.simulate(checkpoint=lambda s: kept.append(Snapshot(s.state, {**s.table})))
    with np.load(io.BytesIO(checkpoint_bytes(TASK.document, kept[0]))) as file:
        arrays = dict(file)
    del arrays["sha256"]
    return json.loads(arrays.pop("header").tobytes()), arrays | {
        "state.v": np.ones((RUNS, CLIENTS, 1))
    }


def read(header, arrays):
    """The snapshot, as it is read where a run goes on; the digest is made to fit."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    arrays = {**arrays, "header": np.frombuffer(text, dtype=np.uint8)}
    mark = np.frombuffer(bytes.fromhex(digest(arrays)), dtype=np.uint8)
    data = io.BytesIO()
    np.savez(data, **arrays, sha256=mark)
    _, snapshot = checkpoint_from(data.getvalue(), TASK.problem)
    check_fits(snapshot, TASK.configuration)
    return snapshot


def test_a_checkpoint_of_the_run_is_taken_at_any_round_with_and_without_a_v():
    header, arrays = honest()
    assert read(header, arrays).state.v.shape == (RUNS, CLIENTS, 1)
    del arrays["state.v"]
    assert read({**header, "t": 0}, arrays).state.t == 0
    single = {name: part.astype(np.float32) for name, part in arrays.items() if "state" in name}
    assert read(header, {**arrays, **single}).state.x.dtype == np.float32


@pytest.mark.parametrize("t", [-1, 1.0, True, "1", None])
def test_a_round_that_is_no_count_is_refused(t):
    header, arrays = honest()
    with pytest.raises(ValueError, match=r"^is no checkpoint: its round is "):
        read({**header, "t": t}, arrays)


@pytest.mark.parametrize("name", ["x", "w", "z", "v"])
def test_a_state_of_other_runs_clients_or_kinds_is_refused(name):
    header, arrays = honest()
    part = arrays[f"state.{name}"]
    wrong = [part[:1], part[:, :1], np.concatenate([part, part]), part[0], part[:, 0]]
    wrong += [part[..., 0], part[..., None], part[None], part.astype(np.int64), part > 0]
    line = rf"^is no checkpoint: {name} is .*; need {3 - (name == 'w')} axes of floats, \(2, 3\) "
    for other in wrong:
        with pytest.raises(ValueError, match=line):
            read(header, {**arrays, f"state.{name}": other})


@pytest.mark.parametrize("name", ["loss", "consensus"])
def test_a_table_without_a_column_of_these_runs_is_refused(name):
    header, arrays = honest()
    column = arrays.pop(f"table.{name}")
    line = rf"^is no checkpoint: it has no column {name} of 2 runs$"
    with pytest.raises(ValueError, match=line):
        read(header, arrays)
    for other in (
        column[:1],
        column[0],
        column[None],
        column[..., None],
        column.astype(np.float32),
    ):
        with pytest.raises(ValueError, match=line):
            read(header, {**arrays, f"table.{name}": other})


def test_a_header_that_is_none_is_refused():
    header, arrays = honest()
    without = [{k: v for k, v in header.items() if k != key} for key in ("configuration", "t")]
    without += [{k: v for k, v in header.items() if k != key} for key in ("torch", "flight")]
    odd = [{**header, "configuration": ["sgp"]}, {**header, "torch": ["y"]}]
    for wrong in (*without, *odd, b"{", b"[]", b"[" * 100_000, b"\xff"):
        with pytest.raises(ValueError, match=r"^is no checkpoint \("):
            read(wrong, arrays)
    for name in ("state.x", "state.w", "state.z"):
        with pytest.raises(ValueError, match=r"^is no checkpoint \(KeyError"):
            read(header, {key: part for key, part in arrays.items() if key != name})
    with pytest.raises(ValueError, match=r"^is no checkpoint \(KeyError"):
        read(header, {**arrays, "other.x": np.ones(1)})


def test_half_a_message_under_way_is_refused():
    header, arrays = honest()
    half = {**arrays, "state.flight.0": np.ones((RUNS, 1, CLIENTS, DIM))}
    with pytest.raises(ValueError, match=r"^is no checkpoint \(KeyError: 'flight\.1'\)"):
        read({**header, "flight": 2}, half)


def test_a_document_with_a_number_that_json_has_not_is_not_written():
    snapshot = read(*honest())
    for number in (math.nan, math.inf):
        with pytest.raises(ValueError, match="not JSON compliant"):
            checkpoint_bytes({"eta": number}, snapshot)


def test_a_trace_that_its_record_speaks_of_is_refused_where_it_is_none():
    kept = []
    TASK.simulate(checkpoint=lambda s: kept.append(Snapshot(s.state, {**s.table})))
    trace = saved(TASK, kept[-1])
    ended, good = record_of(TASK, trace, False, None), trace.arrays()
    one, two = trace.columns

    def again(changed):
        data = io.BytesIO()
        np.savez(data, **changed)
        trace_from(data.getvalue(), ended.model_copy(update={"trace_sha256": digest(changed)}))

    again(good)
    odd = [{name: good[name].astype(np.int32)} for name in ("rounds", "runs")]
    odd += [{name: good[name][None]} for name in ("rounds", "runs")]
    odd += [{name: good[name][:-1]} for name in ("rounds", "runs", one, two)]
    odd += [{one: good[one][:, :-1]}, {two: good[two].astype(np.float32)}, {one: good[one][None]}]
    for changed in odd:
        with pytest.raises(ValueError, match=r"^is no trace: "):
            again({**good, **changed})
    for name in ("rounds", "runs"):
        with pytest.raises(ValueError, match=r"^is no trace: "):
            again({key: part for key, part in good.items() if key != name})
    for changed in ({**good, "more": good[one]}, {k: v for k, v in good.items() if k != two}):
        with pytest.raises(ValueError, match=r"^is no trace of that run: it has other columns$"):
            again(changed)
