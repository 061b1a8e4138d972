"""Peers, where they are installed: PEPit's values, and Clarabel on the very same program."""

import importlib
import importlib.util
import pathlib

import numpy as np
import pytest
from scipy import sparse

from theorylab.worst import worst
from theorylab.worst.program import Program

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("cases_of_worst", HERE / "cases.py")
cases = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cases)

P = np.array([[1 / 3, 0, 1 / 2], [1 / 3, 1 / 2, 0], [1 / 3, 1 / 2, 1 / 2]])  # of ``cases.chord``


def pepit_push_sum(pepit, functions, rounds, eta=0.5, mu=0.1):
    """The worst |xbar^T - x*|^2 of push-sum over P, by a model that is written out here."""
    problem = pepit.PEP()
    fs = [problem.declare_function(functions.SmoothStronglyConvexFunction, mu=mu, L=1.0) for _ in P]
    xs = pepit.Point()
    slopes = [pepit.Point(), pepit.Point()]
    slopes.append(-1 * (slopes[0] + slopes[1]))
    for f, g in zip(fs, slopes, strict=True):
        f.add_point((xs, g, pepit.Expression()))
    problem.set_initial_condition(sum(g**2 for g in slopes) / 3 <= 1)
    x0 = problem.set_initial_point()
    problem.set_initial_condition((x0 - xs) ** 2 <= 1)
    x, w = [x0] * 3, np.ones(3)
    for _ in range(rounds):
        half = [x[i] - eta * fs[i].gradient((1 / w[i]) * x[i]) for i in range(3)]
        x = [sum((P[i, j] * half[j] for j in range(3) if P[i, j]), 0 * x0) for i in range(3)]
        w = P @ w
    problem.set_performance_metric(((1 / 3) * (x[0] + x[1] + x[2]) - xs) ** 2)
    return problem.solve(wrapper="cvxpy", solver="CLARABEL", verbose=0)


@pytest.mark.filterwarnings("ignore")
def test_pepit_has_the_same_worst_case_of_push_sum():
    pepit = pytest.importorskip("PEPit")
    functions = importlib.import_module("PEPit.functions")
    words, more = cases.asked(rounds=3)
    # PEPit's float is off by its solver's tolerance, on either side
    assert worst(*words, **more).value == pytest.approx(
        pepit_push_sum(pepit, functions, 3), rel=1e-6
    )


def test_clarabel_has_the_same_value_of_the_same_program():
    clarabel = pytest.importorskip("clarabel")
    words, more = cases.asked(rounds=2)
    found = worst(*words, **more)
    program = Program(found.question.theorem())
    block = program.block([*program.always, *program.pairs])
    d, m = program.size, len(block.b)
    low = [(i, j) for j in range(d) for i in range(j + 1)]  # the upper triangle by columns
    forms = np.array([block.adjoint(e)[0] for e in np.eye(m)])
    twice = np.array([1.0 if i == j else 2.0 for i, j in low])
    A = np.array([[form[i, j] for i, j in low] for form in forms]) * twice
    top = np.hstack([A, block.E])
    root = np.array([1.0 if i == j else np.sqrt(2.0) for i, j in low])
    cone = np.hstack([-np.diag(root), np.zeros((len(low), block.E.shape[1]))])
    metric = np.array([program.M[0][i, j] for i, j in low]) * twice
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((len(metric) + block.E.shape[1],) * 2),
        -np.append(metric, program.level),
        sparse.csc_matrix(np.vstack([top, cone])),
        np.append(block.b, np.zeros(len(low))),
        [clarabel.NonnegativeConeT(m), clarabel.PSDTriangleConeT(d)],
        settings,
    )
    assert -solver.solve().obj_val == pytest.approx(found.value, rel=1e-7)
