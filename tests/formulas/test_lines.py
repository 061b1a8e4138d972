"""The lines that a formula is computed by, against the function itself on one client at a time."""

import numpy as np
import pytest

from theorylab.formulas import Box, Formula
from theorylab.problems import problem

RNG = np.random.default_rng(1)
WEIGHT = 2.0


def loss(x, A, r, c):
    u, v = x[:2], x[2:]
    return A * r * ((u - c) ** 2).sum() / 2 + r * (np.sin(v) * (A * r)).sum() + (u - c).sum()


def slopes(x, A, r, c):
    u, v = x[:2], x[2:]
    return np.concatenate([A * r * (u - c) + 1, np.cos(v) * (A * r) * r])


def made(n=3):
    data = {"A": 1.5, "r": 0.3, "c": RNG.standard_normal((n, 2))}
    return Formula(loss, data, ("c",), 5, slopes)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_lines_have_the_bits_of_the_function_on_one_client(dtype):
    formula = made()
    x = RNG.standard_normal((4, 3, 5)).astype(dtype)
    value, slope = formula.at(x, formula.value, formula.gradient)
    assert value.dtype == slope.dtype == dtype
    for r, i in np.ndindex(4, 3):
        client = {**formula.of_client(i), "c": formula.data["c"][i].astype(dtype)}
        assert value[r, i] == loss(x[r, i], **client)
        assert (slope[r, i] == slopes(x[r, i], **client)).all()


def test_problems_of_one_function_have_data_of_their_own():
    one, two, x = made(), made(), RNG.standard_normal((2, 3, 5))
    assert one.value is two.value  # one graph
    both = [formula.at(x, formula.value)[0] for formula in (one, two)]
    for formula, value in zip((one, two), both, strict=True):
        assert value[1, 2] == loss(x[1, 2], **formula.of_client(2))


def weighed(x):
    return WEIGHT * x.sum()


def test_what_a_function_reads_beside_its_arguments_may_change(monkeypatch):
    for weight in (2.0, 5.0):
        monkeypatch.setitem(globals(), "WEIGHT", weight)
        formula = Formula(weighed, {}, (), 1)
        assert formula.at(np.ones((1, 1, 1)), formula.value)[0].item() == weight


def test_a_number_that_fills_a_vector_is_summed_as_often_as_it_is_there():
    formula = Formula(
        lambda x, c: (c * (0 * x + 3)).sum() + x[0], {"c": np.array([1.0, 2])}, "c", 3
    )
    assert formula.at(np.zeros((1, 2, 3)), formula.value)[0].tolist() == [[9, 18]]
    (box,) = formula.over(Box(np.zeros(3), np.zeros(3)), formula.value)
    assert box.low.tolist() == box.high.tolist() == [[9, 18]]


def test_what_is_given_out_is_not_what_is_kept():
    formula = Formula(lambda x, c: c @ x, {"c": np.ones((2, 3))}, "c", 3)
    x = np.zeros((1, 2, 3))
    formula.at(x, formula.gradient)[0][:] = 7
    assert (formula.at(x, formula.gradient)[0] == 1).all()


def test_a_sum_of_thousands_of_parts_is_written_in_lines():
    formula = Formula(lambda x: sum(k * x[k % 3] for k in range(3000)), {}, (), 3)
    whole = [sum(range(k, 3000, 3)) for k in range(3)]
    assert formula.at(np.eye(3)[:, None], formula.value)[0].ravel().tolist() == whole


def test_no_text_of_a_function_s_author_becomes_a_line():
    name = "x0):\n    raise SystemExit\n#"
    formula = Formula(lambda x, **data: x.sum() * data[name], {name: np.ones(2)}, (name,), 2)
    assert formula.at(np.ones((1, 2, 2)), formula.value)[0].tolist() == [[2, 2]]


def test_points_of_a_run_that_diverged_are_told_by_their_values():
    p = problem("sin-sin", 2)
    x = np.full((1, 2, 4), np.inf)
    assert not np.isfinite(p.loss(x)).any()
