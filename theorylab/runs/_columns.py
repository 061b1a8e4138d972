"""What a round writes into the trace: each column from the state before it, and the one after."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm, LocalStep, State, numbers, step_size
from theorylab.problems import Problem, minimiser
from theorylab.runs.trace import ACCURACY_COLUMNS, COLUMNS, LOCAL_COLUMNS, PERSONAL_COLUMNS, Array

Table = dict[str, NDArray[np.float64]]


class LocalGradients:
    """The gradients that a round's local steps used, ``used[k]`` (R, n, d), and x^{t+1/2}."""

    def __init__(self) -> None:
        self.used: list[Array] = []
        self.half: Array | None = None

    def see(self, step: LocalStep) -> None:
        self.used.append(step.used)
        self.half = step.after


def check_columns(columns: Sequence[str]) -> None:
    """Raise ValueError for a column that no run can record."""
    for name in columns:
        if name not in COLUMNS:
            raise ValueError(f"simulate: no column {name!r}; need one of {', '.join(COLUMNS)}")


def check_first_state(columns: Sequence[str], state: State, problem: Problem) -> None:
    """Raise ValueError for a column that this algorithm or problem cannot give."""
    for name in columns:
        if name in PERSONAL_COLUMNS and state.v is None:
            raise ValueError(
                f"simulate: column {name} needs personal parameters, and this algorithm has none; "
                "need a personalised one (dfedpgp, dfedalt, ...)"
            )
        if name == "squared_distance" and (state.v is not None or minimiser(problem) is None):
            raise ValueError(
                f"simulate: column {name} needs the minimiser of one common model, and "
                f"{problem.name} has none that is known or the algorithm personal parts; need a "
                "loss that is proved to have one minimiser, or an attribute optimum (d,)"
            )
        if name in LOCAL_COLUMNS and state.v is not None:
            raise ValueError(f"simulate: column {name} is of Algorithm 1 of dfedsgpsm; need it")
    labelled = not any(name in ACCURACY_COLUMNS for name in columns) or (
        problem.accuracy(own_models(state)) is not None
    )
    if not labelled:
        raise ValueError(
            f"simulate: column accuracy needs test labels, and {problem.name} has none; "
            "need a classification problem"
        )


def mean_columns(names: Iterable[str], problem: Problem, mean: Array) -> Table:
    """Columns of one common model a run, ``mean`` (R, d)."""
    made: Table = {}
    for name in names:
        if name == "squared_gradient":
            made[name] = _squares(problem.mean_gradient(mean))
        elif name == "loss":
            made[name] = numbers(problem.mean_loss(mean))
        elif name == "squared_distance":
            best = minimiser(problem)
            assert best is not None
            made[name] = _squares(numbers(mean) - best)
    return made


def join(u: Array, v: Array | None) -> Array:
    """The full point (u, v), (R, n, d); u itself where nothing is personal."""
    return u if v is None else array_namespace(u).concat([u, v], axis=2)


def own_models(state: State) -> Array:
    """What each client would deploy, (R, n, d): its own model if it keeps one, else (z, v)."""
    own = state.memory.get("own")
    return join(state.z, state.v) if own is None else own


def mean_model(x: Array) -> Array:
    """The mean over the clients of x (R, n, d), (R, d), added in the order of NumPy: a run on a GPU
    has the host's bits, in float32, too."""
    mean: Array
    if type(x) is np.ndarray:
        mean = x.mean(axis=1)
        return mean
    clients = [x[:, client] for client in range(x.shape[1])]
    total = _added(clients) if x.shape[2] > 1 else _added_pairwise(clients)
    return total / len(clients)


def _added(parts: list[Array]) -> Array:
    total = parts[0] + 0.0
    for part in parts[1:]:
        total += part
    return total


def _added_pairwise(parts: list[Array]) -> Array:
    """As NumPy adds numbers that follow each other in memory: in halves down to 128, of which eight
    sums take every eighth."""
    many = len(parts)
    if many > 128:
        half = many // 2 - many // 2 % 8
        return _added_pairwise(parts[:half]) + _added_pairwise(parts[half:])
    whole = many - many % 8
    if not whole:
        return _added(parts)
    a, b, c, d, e, f, g, h = (_added(parts[first:whole:8]) for first in range(8))
    return _added([((a + b) + (c + d)) + ((e + f) + (g + h)), *parts[whole:]])


def record_state(table: Table, s: int, problem: Problem, state: State, count: int = 1) -> None:
    """Columns of the state alone; ``count`` > 1: of the states of as many recorded rounds from
    number ``s`` on, one below another."""
    here = slice(s, s + count)

    def put(name: str, values: Array) -> None:
        table[name][:, here] = values.reshape(count, -1).T

    mean, problem = mean_model(state.x), problem.of_round(state.t)
    if state.v is None:
        found = mean_columns(table, problem, mean)
    else:
        found = _personal(table.keys(), problem, state, mean)
    for name, values in found.items():
        put(name, values)
    if "consensus" in table:
        away = state.z - mean[:, None, :]
        away *= away
        square = numbers(away.sum(axis=2)).sum(axis=1)
        put("consensus", square / state.w.shape[1])
    if "own_loss" in table:
        put("own_loss", numbers(problem.loss(own_models(state))).mean(axis=1))
    if any(name in table for name in ACCURACY_COLUMNS):
        right = numbers(problem.accuracy(own_models(state)))
        if "accuracy" in table:
            put("accuracy", right.mean(axis=1))
        if "accuracy_low" in table:
            put("accuracy_low", np.percentile(right, 10, axis=1))
    if "weight_min" in table:
        put("weight_min", numbers(state.w).min(axis=1))
    if "weight_max" in table:
        put("weight_max", numbers(state.w).max(axis=1))


def _personal(names: Collection[str], problem: Problem, state: State, mean: Array) -> Table:
    found: Table = {}
    if not {"squared_gradient", "loss", "gradient_v", "gradient_theta"} & set(names):
        return found
    assert state.v is not None
    point = join(_spread(mean, state.x), state.v)
    if "loss" in names:
        found["loss"] = numbers(problem.loss(point)).mean(axis=1)
    if "squared_gradient" in names or "gradient_theta" in names:
        average = problem.gradient(point).mean(axis=1)
        if "squared_gradient" in names:
            found["squared_gradient"] = _squares(average[:, : problem.shared])
        if "gradient_theta" in names:
            found["gradient_theta"] = _squares(average[:, problem.shared :])
    if "gradient_v" in names:
        own = problem.gradient(join(state.z, state.v))[:, :, problem.shared :]
        found["gradient_v"] = _squares(own).mean(axis=1)
    return found


def record_after(
    table: Table, s: int, problem: Problem, state: State, after: State, count: int = 1
) -> None:
    """Columns that also need the state after the round: gradient_u at (ubar^t, V^{t+1})."""
    if "gradient_u" in table:
        assert after.v is not None
        point = join(_spread(mean_model(state.x), state.x), after.v)
        average = problem.gradient(point)[:, :, : problem.shared].mean(axis=1)
        table["gradient_u"][:, s : s + count] = _squares(average).reshape(count, -1).T


def record_local(
    table: Table, s: int, state: State, record: LocalGradients, algorithm: Algorithm
) -> None:
    """dfedsgpsm's Lemma 1, summed literally: sum_k sum_{s<=k} alpha^{k-s} g_s."""
    if record.half is None:
        raise ValueError("simulate: this algorithm does not record Algorithm 1's local steps")
    eta = step_size(algorithm, state.t)
    x, alpha = numbers(state.x), algorithm.options().get("alpha", 0.0)
    if "update_size" in table:
        table["update_size"][:, s] = np.abs(numbers(record.half) - x).max(axis=(1, 2))
    total = np.zeros_like(x)
    size = np.zeros_like(x)
    for k in range(1, len(record.used) + 1):
        for j in range(1, k + 1):
            g = numbers(record.used[j - 1])
            total += alpha ** (k - j) * g
            size += alpha ** (k - j) * np.abs(g)
    if "update_residual_line9" in table:
        residual = np.abs(numbers(record.half) - (x - eta * total))
        table["update_residual_line9"][:, s] = residual.max(axis=(1, 2))
    if "update_magnitude" in table:
        table["update_magnitude"][:, s] = (np.abs(x) + eta * size).max(axis=(1, 2))


def _spread(mean: Array, like: Array) -> Array:
    """(R, d) as (R, n, d)."""
    made: Array = array_namespace(like).broadcast_to(mean[:, None, :], like.shape)
    return made


def _squares(a: Array) -> NDArray[np.float64]:
    """Sum of squares over the last axis, added in float64."""
    made = numbers(a).astype(np.float64, copy=False)
    with np.errstate(over="ignore"):  # whoever reads an infinite column says which and when
        return np.asarray((made * made).sum(axis=-1))
