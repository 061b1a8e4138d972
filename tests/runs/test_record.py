"""A saved run: checkpoints that continue to the same bits, damage that is seen, no pickles."""

import dataclasses
import io
import json
import math
import statistics

import numpy as np
import pytest

from theorylab.algorithms import ALGORITHMS, State
from theorylab.runs import DivergedError, Snapshot
from theorylab.runs.checkpoint import check_fits, checkpoint_bytes, checkpoint_from
from theorylab.runs.configuration import built, configuration
from theorylab.runs.record import (
    digest,
    record,
    record_of,
    saved,
    trace_bytes,
    trace_from,
)

STUDENT_3 = 3.182446305284263  # 0.975 quantile of Student's t with 3 degrees of freedom, tables


def setting(**changes):
    document = {
        "algorithm": {"name": "dfedsgpsm", "eta": 0.1, "alpha": 0.5},
        "problem": {"name": "coupled-quadratic", "dim_u": 3, "dim_v": 2, "sigma_u": 0.3},
        "topology": {"name": "random-out", "degree": 2},
        "clients": 4,
        "rounds": 9,
        "seeds": 3,
        "every": 2,
        "own_graphs": True,
    }
    return built(configuration(document | changes))


def snapshots(made):
    kept = []
    made.simulate(checkpoint=lambda s: kept.append(Snapshot(s.state, {**s.table})))
    return kept


def same(a, b):
    return np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True)


def agree_after_resuming(made):
    """Resume from every checkpoint, through bytes; every column and the last model must agree."""
    kept = snapshots(made)
    whole = saved(made, kept[-1])
    for middle in kept[:-1]:
        header, again = checkpoint_from(checkpoint_bytes(made.document, middle), made.problem)
        assert header["configuration"] == made.document
        assert header["t"] == middle.state.t
        check_fits(again, made.configuration)
        last = []
        trace = made.simulate(checkpoint=last.append, resume=again)
        assert same(trace.final_x, kept[-1].state.x)
        for name, values in saved(made, last[-1]).columns.items():
            assert same(values, whole.columns[name]), (name, middle.state.t)


@pytest.mark.parametrize("name", [n for n in ALGORITHMS if ALGORITHMS.entry(n).built_in])
def test_every_algorithm_goes_on_from_a_checkpoint_to_the_same_bits(name):
    needed = [f for f in dataclasses.fields(ALGORITHMS[name]) if f.default is dataclasses.MISSING]
    steps = {f.name: 0.1 for f in needed if f.name != "rounds"}  # that one is known
    mixed = {"problem": {"name": "mixture", "components": 2}} if name in ("fedem", "dfedem") else {}
    agree_after_resuming(setting(algorithm={"name": name, **steps}, **mixed))


def test_messages_under_way_are_part_of_a_checkpoint():
    faults = {"loss": 0.2, "delay": 3, "stragglers": 0.5}
    made = setting(faults=faults)
    assert snapshots(made)[4].state.flight is not None
    agree_after_resuming(made)


def test_a_network_of_torch_goes_on_to_the_same_bits():
    problem = {"name": "mlp", "hidden": [4]}
    made = setting(problem=problem, clients=3, rounds=4, seeds=2, every=1)
    kept = snapshots(made)
    _, again = checkpoint_from(checkpoint_bytes(made.document, kept[1]), made.problem)
    assert type(again.state.x) is type(kept[1].state.x)
    assert (again.state.x.dtype, again.state.x.device) == (
        kept[1].state.x.dtype,
        kept[1].state.x.device,
    )
    agree_after_resuming(made)


def test_everything_a_state_can_hold_comes_back():
    draw = np.random.default_rng(0).normal
    mask = np.array([[True, False]])
    memory = {"mask": mask, "own": draw(size=(1, 2, 3)), "k": np.array([7])}
    x, z, v = draw(size=(1, 2, 3)), draw(size=(1, 2, 3)), draw(size=(1, 2, 1))
    flight = draw(size=(1, 4, 2, 3)), draw(size=(1, 4, 2))
    state = State(5, x, np.ones((1, 2)), z, v, flight, memory)
    data = checkpoint_bytes({}, Snapshot(state, {"loss": np.array([[1.0, math.nan]])}))
    _, again = checkpoint_from(data, None)
    assert again.state.t == 5
    for name in "xwzv":
        assert same(getattr(again.state, name), getattr(state, name)), name
    assert all(same(a, b) for a, b in zip(again.state.flight, state.flight, strict=True))
    assert set(again.state.memory) == set(memory)
    for name, part in memory.items():
        assert same(again.state.memory[name], part)
        assert again.state.memory[name].dtype == part.dtype
    assert same(again.table["loss"], [[1.0, math.nan]])


def test_a_changed_or_missing_byte_is_seen_or_changes_nothing():
    made = setting(rounds=2)
    snapshot = snapshots(made)[0]
    data = checkpoint_bytes(made.document, snapshot)
    seen = 0
    for position in range(0, len(data), 7):
        changed = bytearray(data)
        changed[position] ^= 0x41
        try:
            _, again = checkpoint_from(bytes(changed), made.problem)
        except ValueError as error:
            seen += str(error).startswith("is damaged: ")
        else:
            assert same(again.state.x, snapshot.state.x)
            assert same(again.state.z, snapshot.state.z)
            assert same(again.table["loss"], snapshot.table["loss"])
    assert seen > len(data) / 7 / 2  # the rest are fields of the zip file that nobody reads
    for size in range(0, len(data), 97):
        with pytest.raises(ValueError, match="is damaged"):
            checkpoint_from(data[:size], made.problem)


def test_a_digest_knows_names_kinds_shapes_and_numbers():
    given = np.arange(6.0)
    others = [{"b": given}, {"a": given.reshape(2, 3)}, {"a": given.view(np.int64)},
              {"a": given + 1}, {"a": given, "b": given}, {}]  # fmt: skip
    marks = {digest(arrays) for arrays in [{"a": given}, *others]}
    assert len(marks) == 7
    assert digest({"a": given, "b": given[:2]}) == digest({"b": given[:2], "a": given})


def test_python_objects_are_never_written():
    made = setting(rounds=1)
    (snapshot,) = snapshots(made)
    for odd in (np.array([{}], dtype=object), {"a": 1}):
        state = State(1, snapshot.state.x, snapshot.state.w, snapshot.state.z, memory={"odd": odd})
        with pytest.raises(TypeError, match=r"checkpoint: memory\.odd"):
            checkpoint_bytes(made.document, Snapshot(state, {}))


def test_the_trace_ends_with_the_columns_after_the_last_round():
    made, longer = setting(every=3), setting(every=3, rounds=10)
    trace = saved(made, snapshots(made)[-1])
    assert trace.at.tolist() == [0, 3, 6, 9]
    after = saved(longer, snapshots(longer)[-1])
    assert after.at.tolist() == [0, 3, 6, 9, 10]
    for name, values in trace.columns.items():
        assert values.shape == (3, 4)
        assert same(values, after.columns[name][:, :4]), name


def test_a_column_of_a_rounds_work_has_no_value_at_the_end():
    made = setting(
        algorithm={"name": "dfedpgp", "eta_u": 0.1, "eta_v": 0.1}, columns=["loss", "gradient_u"]
    )
    trace = saved(made, snapshots(made)[-1])
    assert np.isnan(trace.columns["gradient_u"][:, -1]).all()
    assert np.isfinite(trace.columns["gradient_u"][:, :-1]).all()
    assert np.isfinite(trace.columns["loss"]).all()
    final = record_of(made, trace, False, None).final
    assert (final["gradient_u"].round, final["loss"].round) == (8, 9)


def test_a_record_says_mean_interval_and_quantiles_of_the_last_round():
    made = setting(seeds=4)
    trace = saved(made, snapshots(made)[-1])
    ended = record(record_of(made, trace, False, None).to_json())
    assert (ended.status, ended.rounds_done, ended.runs) == ("finished", 9, [0, 1, 2, 3])
    for name, values in trace.columns.items():
        last = [float(x) for x in values[:, -1]]
        final, mean = ended.final[name], statistics.fmean(last)
        half = STUDENT_3 * statistics.stdev(last) / 2
        exact = {"rel": 1e-12, "abs": 1e-15 * abs(mean)}  # a few roundings of numbers near mean
        assert final.mean == pytest.approx(mean, **exact)
        assert final.low == pytest.approx(mean - half, **exact)
        assert final.high == pytest.approx(mean + half, **exact)
        assert final.median == pytest.approx(statistics.median(last), **exact)


def test_a_trace_comes_back_and_another_one_is_refused():
    made = setting()
    trace = saved(made, snapshots(made)[-1])
    ended = record_of(made, trace, False, None)
    data = trace_bytes(trace)
    assert trace_bytes(trace) == data
    again = trace_from(data, ended)
    assert same(again.at, trace.at)
    assert same(again.runs, trace.runs)
    assert list(again.columns) == list(trace.columns)
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        assert set(file.files) == {"rounds", "runs", *trace.columns}
    other = setting(seed=1)
    with pytest.raises(ValueError, match=r"is not the trace that run\.json speaks of"):
        trace_from(trace_bytes(saved(other, snapshots(other)[-1])), ended)
    with pytest.raises(ValueError, match="is damaged"):
        trace_from(data[:-30], ended)
    rows = trace.as_json()
    json.dumps(rows, allow_nan=False)
    assert rows["columns"]["loss"] == trace.columns["loss"].tolist()


def test_the_same_run_gives_the_same_record_and_a_record_has_a_schema():
    made = setting()
    texts = [
        record_of(made, saved(made, snapshots(made)[-1]), False, None).to_json() for _ in range(2)
    ]
    assert texts[0] == texts[1]
    content = json.loads(texts[0])
    assert built(configuration(content["configuration"])).document == content["configuration"]
    for wrong, message in (
        ({"schema": 2}, "schema is 2"),
        ({"more": 1}, "no key 'more'"),
        ({"status": "odd"}, "status is 'odd'"),
        ({"rounds_done": "9"}, "rounds_done is '9'"),
    ):
        with pytest.raises(ValueError, match=message):
            record(json.dumps(content | wrong))


def test_a_last_round_that_overflowed_is_no_end():
    made = setting(algorithm={"name": "sgp", "eta": 0.1})
    last = snapshots(made)[-1]
    huge = State(last.state.t, last.state.x * 1e200, last.state.w, last.state.z * 1e200)
    with np.errstate(all="ignore"), pytest.raises(DivergedError, match="overflowed at round 9"):
        saved(made, Snapshot(huge, last.table))
    assert saved(made, Snapshot(huge, last.table), end=False).at.tolist() == [0, 2, 4, 6, 8]
