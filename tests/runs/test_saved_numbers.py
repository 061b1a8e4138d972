"""Numbers of a saved run that were changed are seen, and those that stand are the runs' own."""

import io
import json
import os
import statistics
import types

import numpy as np
import pytest

from theorylab.algorithms import State
from theorylab.runs import Snapshot
from theorylab.runs.checkpoint import checkpoint_bytes, checkpoint_from
from theorylab.runs.configuration import built, configuration
from theorylab.runs.record import (
    Record,
    Saved,
    arrays_of,
    digest,
    npz,
    record,
    record_of,
    saved,
    trace_bytes,
    trace_from,
)


def setting(**changes):
    document = {
        "algorithm": {"name": "sgp", "eta": 0.1},
        "problem": {"name": "quadratic", "dim": 2, "sigma": 0.5},
        "topology": {"name": "ring"},
        "clients": 3,
        "rounds": 4,
        "seeds": 5,
        "every": 1,
    }
    return built(configuration(document | changes))


def snapshots(made):
    kept = []
    made.simulate(checkpoint=lambda s: kept.append(Snapshot(s.state, {**s.table})))
    return kept


def test_a_checkpoint_whose_numbers_were_changed_is_refused_though_the_file_is_whole():
    made = setting(rounds=2)
    with np.load(io.BytesIO(checkpoint_bytes(made.document, snapshots(made)[0]))) as file:
        arrays = dict(file)
    assert set(arrays) > {"state.x", "table.loss", "header", "sha256"}

    def again(changed):
        data = io.BytesIO()
        np.savez(data, **changed)
        return checkpoint_from(data.getvalue(), made.problem)

    again(arrays)
    for name in arrays:
        other = np.array(arrays[name])
        other.flat[0] += 1
        for changed in ({**arrays, name: other}, {k: v for k, v in arrays.items() if k != name}):
            with pytest.raises(ValueError, match="is damaged: its arrays do not have the SHA-256"):
                again(changed)
    with pytest.raises(ValueError, match="is damaged: its arrays do not have the SHA-256"):
        again({**arrays, "state.more": np.zeros(1)})


class Opened:
    """Unpickled, it makes a folder."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_a_file_with_pickled_objects_is_refused_before_they_are_made(tmp_path):
    made = setting(rounds=1)
    ended = record_of(made, saved(made, snapshots(made)[-1]), False, None)
    data = io.BytesIO()
    np.savez(data, **{"state.x": np.array([Opened(tmp_path / "x")], dtype=object)})
    with pytest.raises(ValueError, match="is damaged: it is no readable NPZ file"):
        checkpoint_from(data.getvalue(), made.problem)
    with pytest.raises(ValueError, match="is damaged: it is no readable NPZ file"):
        trace_from(data.getvalue(), ended)
    assert not (tmp_path / "x").exists()


def test_a_file_that_unpacks_to_more_than_it_is_is_refused_packed(monkeypatch):
    arrays = {"a": np.zeros(10**5)}
    assert arrays_of(npz(arrays))["a"].tolist() == arrays["a"].tolist()
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    assert len(packed.getvalue()) < arrays["a"].nbytes / 100
    unpacked = []
    monkeypatch.setattr(np, "load", unpacked.append)
    with pytest.raises(ValueError, match="no readable NPZ file"):
        arrays_of(packed.getvalue())
    assert unpacked == []


def test_a_state_without_momentum_or_messages_has_none_afterwards():
    x = np.ones((1, 2, 3))
    state = State(5, x, np.ones((1, 2)), x, None, None, {})
    data = checkpoint_bytes({"a": 1}, Snapshot(state, {}))
    header, again = checkpoint_from(data, None)
    assert (again.state.v, again.state.flight, again.state.memory) == (None, None, {})
    assert again.table == {}
    assert (header["configuration"], header["t"], header["torch"]) == ({"a": 1}, 5, [])
    assert checkpoint_bytes({"a": 1}, Snapshot(state, {})) == data


def test_a_trace_that_was_changed_is_not_that_of_its_record():
    made = setting()
    trace = saved(made, snapshots(made)[-1])
    ended = record_of(made, trace, False, None)
    assert ended.trace_sha256 == digest(trace.arrays())
    assert set(trace_from(trace_bytes(trace), ended).columns) == set(trace.columns)
    for name in trace.columns:
        other = {**trace.columns, name: trace.columns[name] * (1 + 2.0**-52)}
        with pytest.raises(ValueError, match="its SHA-256 differs"):
            trace_from(trace_bytes(Saved(other, trace.at, trace.runs)), ended)
    with pytest.raises(ValueError, match="its SHA-256 differs"):
        trace_from(trace_bytes(Saved(trace.columns, trace.at + 1, trace.runs)), ended)


def test_a_record_says_the_quantiles_of_its_runs():
    made = setting()
    trace = saved(made, snapshots(made)[-1])
    final = record_of(made, trace, False, None).final["loss"]
    row = sorted(trace.columns["loss"][:, -1].tolist())
    # five runs: a tenth lies .4 of the way from the first to the second
    assert final.p10 == pytest.approx(row[0] + 0.4 * (row[1] - row[0]), rel=1e-14)
    assert final.p90 == pytest.approx(row[3] + 0.6 * (row[4] - row[3]), rel=1e-14)
    assert final.median == row[2]
    assert final.mean == pytest.approx(statistics.fmean(row), rel=1e-14)
    assert final.low < final.mean < final.high
    assert final.round == 4
    alone = setting(seeds=1, columns=["loss"])
    one = record_of(alone, saved(alone, snapshots(alone)[-1]), False, None).final["loss"]
    assert (one.low, one.high) == (None, None)  # one random run says nothing of the spread
    assert one.p10 == one.median == one.p90 == one.mean
    same = record_of(alone, saved(alone, snapshots(alone)[-1]), True, None)
    assert same.exact
    assert same.final["loss"].low == same.final["loss"].high == same.final["loss"].mean


def test_a_column_that_no_run_has_everywhere_is_reported_where_all_have_it_last():
    made = setting()
    trace = saved(made, snapshots(made)[-1])
    holes = np.array(trace.columns["loss"])
    holes[2, -1] = np.nan
    nowhere = np.full_like(holes, np.nan)
    found = Saved({"loss": holes, "none": nowhere}, trace.at, trace.runs)
    final = record_of(made, found, False, None).final
    assert set(final) == {"loss"}
    assert final["loss"].round == 3
    rows = found.as_json()
    assert rows["columns"]["loss"][2][-1] is None
    assert rows["columns"]["loss"][2][:-1] == holes[2, :-1].tolist()
    assert rows["columns"]["none"] == [[None] * 5] * 5
    assert (rows["rounds"], rows["runs"]) == ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4])


def test_a_run_that_reports_a_round_of_its_own_is_reported_there():
    made = setting()
    trace = saved(made, snapshots(made)[-1])
    at = np.array([0, 1, 2, 3, 3])
    task = types.SimpleNamespace(
        configuration=made.configuration, chosen=lambda columns: at, shown="loss"
    )
    holes = np.array(trace.columns["loss"])
    holes[0, 1] = np.nan  # not where that run reports
    some = np.array(holes)
    some[4, 3] = np.nan  # where one of them does
    odd = {"loss": holes, "some": some, "none": holes * np.nan}
    found = Saved({**trace.columns, **odd}, trace.at, trace.runs)
    chosen = record_of(task, found, False, None).selected
    assert chosen.rounds == [0, 1, 2, 3, 3]
    assert set(chosen.columns) == set(trace.columns)
    mean = statistics.fmean(holes[r, at[r]] for r in range(5))
    assert chosen.columns["loss"].mean == pytest.approx(mean, rel=1e-14)
    assert record_of(made, found, False, None).selected is None


def test_a_run_without_a_round_has_an_empty_trace_and_a_note():
    made = setting()
    trace = saved(made, None)
    assert {values.shape for values in trace.columns.values()} == {(5, 0)}
    assert (trace.at.tolist(), trace.runs.tolist()) == ([], [0, 1, 2, 3, 4])
    assert trace.at.dtype == np.int64
    task = types.SimpleNamespace(configuration=made.configuration, chosen=pytest.fail)
    ended = record_of(task, trace, False, "overflowed at once")
    assert (ended.status, ended.note, ended.rounds_done) == ("diverged", "overflowed at once", 0)
    assert (ended.final, ended.selected, ended.exact) == ({}, None, False)
    whole = record_of(made, saved(made, snapshots(made)[-1]), False, None)
    assert (whole.status, whole.note, whole.rounds_done) == ("finished", None, 4)


def test_a_run_that_has_only_begun_has_a_record_without_numbers():
    begun = Record(theorylab="0", status="running", configuration=setting().configuration)
    assert (begun.rounds_done, begun.exact, begun.runs, begun.final) == (0, False, [], {})
    assert (begun.note, begun.selected, begun.trace_sha256) == (None, None, None)
    assert record(begun.to_json()) == begun


def test_a_record_is_indented_text_that_ends_with_a_line():
    made = setting()
    text = record_of(made, saved(made, snapshots(made)[-1]), False, None).to_json()
    assert text.startswith('{\n "schema": 1,\n "theorylab": ')
    assert text.endswith("\n}\n")
    content = json.loads(text)
    assert record(text).runs == [0, 1, 2, 3, 4]
    for part in ("final", "configuration"):
        odd = {**content, part: {**content[part], "odd": {"more": 1}}}
        with pytest.raises(ValueError, match=r"need a run\.json of schema 1$"):
            record(json.dumps(odd))
    odd = json.loads(text)
    odd["final"]["loss"]["more"] = 1
    with pytest.raises(ValueError, match="more"):
        record(json.dumps(odd))


@pytest.mark.parametrize("scale", [2.0**-40, 1.0])
def test_a_loss_that_ends_a_million_times_above_its_median_is_told_as_diverged(scale):
    made = setting()

    def note(*losses, name="loss"):
        rows = scale * np.array([[1.0] * len(losses), losses])
        found = Saved({name: rows}, np.arange(len(losses)), np.arange(2))
        return record_of(made, found, False, None).note

    assert note(0.5, 1.0, 1e6).startswith(f"simulate: loss grew from {0.5 * scale:.3g} to ")
    assert note(-1.0, -1.0, 1e6) == note(-1.0, 1.0, 1e6)  # its size, whatever its sign
    assert note(0.5, 1.0, np.nextafter(1e6, 0)) is None
    assert note(0.0, 0.0, 1e9) is None  # of 0 everything is far above
    assert note(1.0, 1.0, 1.0, 3e6, 2e6) is None  # it is on its way back
    assert note(1.0, 1.0, 1e9, name="consensus") is None
    assert note() is None
