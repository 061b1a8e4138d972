"""Small problems whose constants are known, exactly or from a proven side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from theorylab.problems import Problem, problem
from theorylab.problems._noise import FIELDS
from theorylab.strategies._drawn import Clients, exactly, number

FEW = st.integers(1, 4)
FEATURES = st.integers(0, 4).map(float)
NAMES = (
    *("quadratic", "log-cosh", "clipped-linear", "logistic", "softmax"),
    *("coupled-quadratic", "sin-sin", "noisy"),
)
LAWS = FIELDS  # of noise


@st.composite
def problems_with_known_constants(
    draw: st.DrawFn,
    clients: Clients = FEW,
    *,
    names: Sequence[str] = NAMES,
    max_dim: int = 3,
) -> Problem:
    """A small problem of one of the registered kinds, with noise or minibatches or without.

    Args:
        clients: n, a number >= 1 or a strategy.
        names: kinds to choose from.
        max_dim: d of the first three, and of the base of "noisy"; the number of features of a
            regression, bias included; d_u + d_v of the problems in (u, v), which is at least 2.

    Returns:
        A Hypothesis strategy of problems.

    Raises:
        ValueError: on a name that it has no options for.

    >>> from hypothesis import Phase, find, settings
    >>> first = settings(phases=[Phase.generate], derandomize=True, database=None)
    >>> losses = find(problems_with_known_constants(2), lambda losses: True, settings=first)
    >>> losses.clients, losses.constants()["L"].value > 0
    (2, True)
    """
    known = {
        "quadratic": _quadratic,
        "log-cosh": _separable,
        "clipped-linear": _separable,
        "logistic": _regression,
        "softmax": _regression,
        "coupled-quadratic": _in_two_parts,
        "sin-sin": _in_two_parts,
        "noisy": _noisy,
    }
    for name in names:
        if name not in known:
            raise ValueError(
                f"problems_with_known_constants: no {name!r}; need some of {', '.join(known)}"
            )
    size = number(draw, clients)
    name = draw(st.sampled_from(list(names)))
    return problem(name, size, **known[name](draw, name, size, max_dim))


def _quadratic(draw: st.DrawFn, name: str, n: int, max_dim: int) -> dict[str, Any]:
    d = draw(st.integers(1, max_dim))
    entries = st.integers(-3, 3)
    made: dict[str, Any] = {"sigma": draw(st.sampled_from([0.0, 0.5]))}
    root = np.array(draw(exactly(entries, n * d * d))).reshape(n, d, d)
    if draw(st.booleans()):
        root = np.broadcast_to(root[:1], root.shape)  # equal H_i: sigma_g is finite
    # B^T B + I in integers: symmetric to the bit and positive definite.
    made["H"] = np.matmul(root.transpose(0, 2, 1), root).astype(float) + np.eye(d)
    made["c"] = np.array(draw(exactly(entries, n * d)), float).reshape(n, d)
    return made


def _separable(draw: st.DrawFn, name: str, n: int, max_dim: int) -> dict[str, Any]:
    d = draw(st.integers(1, max_dim))
    centers = draw(exactly(st.integers(-4, 4), n * d))
    made: dict[str, Any] = {
        "centers": np.array(centers, float).reshape(n, d),
        "scale": draw(st.sampled_from([1.0, 0.5, 3.0])),
        "sigma": draw(st.sampled_from([0.0, 0.5])),
    }
    if name == "clipped-linear":
        made["clip"] = draw(st.sampled_from([1.0, 0.25]))
    return made


def _regression(draw: st.DrawFn, name: str, n: int, max_dim: int) -> dict[str, Any]:
    samples = n + draw(st.integers(0, 4))
    columns = max(1, max_dim - 1)
    features = np.array(draw(exactly(FEATURES, samples * columns)))
    bias = np.ones((samples, 1))
    top = 1 if name == "logistic" else 2
    return {
        "features": np.hstack([features.reshape(samples, columns), bias]),
        "labels": draw(exactly(st.integers(0, top), samples)),
        "owners": [j % n for j in range(samples)],
        "batch": draw(st.sampled_from([None, 1, 2])),
        "reg": draw(st.sampled_from([0.0, 0.25])),
    }


def _in_two_parts(draw: st.DrawFn, name: str, n: int, max_dim: int) -> dict[str, Any]:
    d_u = draw(st.integers(1, max(1, max_dim - 1)))
    d_v = draw(st.integers(1, max(1, max_dim - d_u)))
    centers = np.array(draw(exactly(st.integers(-4, 4), n * (d_u + d_v))), float)
    centers = centers.reshape(n, d_u + d_v)
    made: dict[str, Any] = {
        "a": centers[:, :d_u],
        "b": centers[:, d_u:],
        "sigma_u": draw(st.sampled_from([0.0, 0.5])),
        "sigma_v": draw(st.sampled_from([0.0, 2.0])),
        "noise": draw(st.sampled_from(LAWS)),
    }
    made |= {"mu_u": draw(st.sampled_from([0.25, 1.0])), "mu_v": draw(st.sampled_from([0.25, 1.0]))}
    if name == "sin-sin":
        strengths = st.sampled_from([-2.0, -0.1, 0.0, 0.1, 0.5, 2.0])
        made["c"] = np.array(draw(exactly(strengths, n)))
    else:  # convex: coupling^2 < mu_u mu_v
        made["coupling"] = draw(st.sampled_from([0.0, 0.1, 0.2]))
    return made | {"seed": draw(st.integers(0, 3))}


def _noisy(draw: st.DrawFn, name: str, n: int, max_dim: int) -> dict[str, Any]:
    base = draw(st.sampled_from(["quadratic", "log-cosh", "clipped-linear"]))
    kind = _quadratic if base == "quadratic" else _separable
    options = kind(draw, base, n, max_dim) | {"sigma": 0.0}
    return {
        "base": {"name": base, **options},
        "field": draw(st.sampled_from(LAWS)),
        "sigma": draw(st.sampled_from([0.0, 0.5])),
    }
