"""Traces: what the columns mean, that batches are their runs, and what is refused."""

import numpy as np
import pytest

from theorylab.algorithms import SGP, Context, DFedSGPSM
from theorylab.kernels import _limits
from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.topologies import topology


def setting(sigma=0.3):
    losses = problem("log-cosh", 4, dim=2, spread=1.0, sigma=sigma, seed=1)
    return losses, topology("random-out", 4, degree=2, seed=6), DFedSGPSM(0.1, 0.5, 0.1, 3)


def test_columns_are_what_they_say():
    losses, graph, method = setting()
    trace = simulate(losses, graph, method, rounds=3, runs=2, seed=9, x0=1.5)
    state = method.init(np.full((2, 4, 2), 1.5))
    for t in range(3):
        for r in range(2):
            mean = sum(state.x[r]) / 4
            everyone = np.tile(mean, (1, 4, 1))
            gradient = losses.gradient(everyone)[0].mean(axis=0)
            away = [sum((state.z[r, i] - mean) ** 2) for i in range(4)]
            expected = {
                "squared_gradient": gradient @ gradient,
                "consensus": sum(away) / 4,
                "loss": losses.loss(everyone)[0].mean(),
                "weight_min": min(state.w[r]),
                "weight_max": max(state.w[r]),
            }
            for name, value in expected.items():
                assert trace.columns[name][r, t] == pytest.approx(value, rel=1e-12, abs=0), name
        context = Context(losses, graph.matrix(t, 0), 9, np.arange(2))
        state = method.step(state, context)
    assert np.array_equal(trace.final_x, state.x)


@pytest.mark.parametrize("graph_run", [0, None])
def test_a_batch_is_its_runs_bit_for_bit(graph_run):
    losses, graph, method = setting()
    options = {"rounds": 5, "seed": 3, "graph_run": graph_run}
    together = simulate(losses, graph, method, runs=[4, 0, 7], **options)
    for row, run in enumerate([4, 0, 7]):
        alone = simulate(losses, graph, method, runs=[run], **options)
        for name, values in together.columns.items():
            assert np.array_equal(values[row], alone.columns[name][0]), name


def test_runs_differ_in_noise_and_where_asked_in_edges():
    losses, graph, method = setting(sigma=0.0)
    shared = simulate(
        losses, graph, method, rounds=6, runs=2, x0=[[0.0, 0], [1, 0], [2, 0], [3, 0]]
    )
    own = simulate(
        losses,
        graph,
        method,
        rounds=6,
        runs=2,
        graph_run=None,
        x0=[[0.0, 0], [1, 0], [2, 0], [3, 0]],
    )
    assert shared.exact
    assert np.array_equal(shared.columns["loss"][0], shared.columns["loss"][1])
    assert not own.exact
    assert not np.array_equal(own.columns["loss"][0], own.columns["loss"][1])


def test_reductions():
    losses, graph, method = setting()
    trace = simulate(losses, graph, method, rounds=7, runs=2)
    loss = trace.columns["loss"]
    assert np.array_equal(trace.reduced("loss", "average"), loss.mean(axis=1))
    assert np.array_equal(trace.reduced("loss", "average", 3), loss[:, :3].mean(axis=1))
    assert np.array_equal(trace.reduced("loss", "last", 3), loss[:, 3])
    assert np.array_equal(trace.reduced("loss", "max"), loss.max(axis=1))
    more = trace.joined(simulate(losses, graph, method, rounds=7, runs=[2]))
    assert np.array_equal(more.runs, [0, 1, 2])


def test_float32_stays_float32():
    losses, graph, method = setting()
    trace = simulate(losses, graph, method, rounds=2, dtype=np.float32)
    assert trace.final_x.dtype == np.float32


def test_a_run_that_overflows_says_when():
    losses = problem("quadratic", 2, dim=1, mu=1.0, L=1.0)
    with pytest.raises(ValueError, match=r"overflowed at round \d+; need a smaller step size"), \
            np.errstate(over="ignore", invalid="ignore"):  # fmt: skip
        simulate(losses, topology("complete", 2), SGP(1e30), rounds=30, x0=1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rounds": 0}, "rounds is 0; need at least 1"),
        ({"rounds": 10**15}, "rounds is 1000000000000000; need at most 4294967296"),
        ({"runs": 2**33}, "runs is 8589934592; need at most 4294967296"),
        ({"runs": 0}, "need distinct ids"),
        ({"runs": [1, 1]}, "need distinct ids"),
        ({"x0": np.zeros(3)}, r"x0: shape \(3,\); need a number, \(2,\) or \(4, 2\)"),
        ({"x0": np.inf}, "x0: holds a NaN or an infinity"),
        ({"columns": ["loess"]}, "no column 'loess'; need one of"),
    ],
)
def test_bad_arguments_are_named(change, message):
    losses, graph, method = setting()
    with pytest.raises(ValueError, match=message):
        simulate(losses, graph, method, **{"rounds": 2, **change})


def test_sizes_must_agree():
    losses, _, method = setting()
    with pytest.raises(ValueError, match="the topology has 5 clients, the problem 4"):
        simulate(losses, topology("complete", 5), method, rounds=2)


def test_what_cannot_be_kept_is_refused_before_the_first_round(monkeypatch, tmp_path):
    losses, graph, method = setting()
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:       4 kB\n")
    monkeypatch.setattr(_limits, "_MEMORY", tmp_path / "meminfo")
    fits = {"rounds": 504, "columns": ["loss"]}  # with 4 x 2 models 512 numbers: 4096 bytes
    assert simulate(losses, graph, method, **fits).rounds == 504
    assert simulate(losses, graph, method, **{**fits, "rounds": 1008}, every=2).rounds == 504
    for more in ({"rounds": 505}, {"columns": ["loss", "consensus"]}, {"runs": 2}):
        with pytest.raises(ValueError, match=r"take .* bytes, and 4.1e\+03 are free; need fewer"):
            simulate(losses, graph, method, **{**fits, **more})
    (tmp_path / "meminfo").unlink()  # a system that does not tell
    assert simulate(losses, graph, method, **fits, runs=2).rounds == 504
