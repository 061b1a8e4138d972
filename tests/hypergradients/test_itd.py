import numpy as np
import pytest

from theorylab.hypergradients import SGP, QuadraticBilevel, SoftmaxWeights, algorithm2, itd
from theorylab.topologies import topology

EPS = np.finfo(float).eps
N, T = 3, 5
DRAW = np.random.default_rng(2)
SOFTMAX = SoftmaxWeights(
    N,
    reg=0.1,
    batch=3,
    features=2 * DRAW.normal(size=(12, 2)),
    labels=np.arange(12) % 2,
    owners=np.arange(12) // 4,
)
LAM = DRAW.normal(size=(N, 2))
BUILT = topology("sto-d", N, seed=4)


def path(problem, variant, lam, runs=(0, 3)):
    return algorithm2(
        problem, BUILT, SGP(0.5, variant), lam[None], T, seed=6, runs=np.array(runs), keep=True
    )


def differences(problem, variant, run, h=1e-5):
    """The derivative of Fbar(x^(T)) with edges and minibatches held, by running SGP again."""
    found = np.zeros(LAM.shape)
    for index in np.ndindex(LAM.shape):
        e = np.zeros(LAM.shape)
        e[index] = h
        ends = []
        for s in (1, -1):
            lam = LAM + s * e
            x = path(problem, variant, lam, (run,)).x
            ends.append(problem.outer(x, lam[None]).mean())
        found[index] = (ends[0] - ends[1]) / (2 * h)
    return found


@pytest.mark.parametrize("variant", ["4a", "4b"])
@pytest.mark.parametrize("mode", ["forward", "backward"])
def test_eq_42_and_the_backward_mode_with_t_are_the_derivative(mode, variant):
    trained = path(SOFTMAX, variant, LAM)
    for k, run in enumerate((0, 3)):
        made = itd(SOFTMAX, SGP(0.5, variant), LAM, trained.path, mode, run=k)
        plain = differences(SOFTMAX, variant, run)
        # truncation h^2 times third derivatives below 100, rounding 10 eps / h
        assert np.abs(made - plain).max() <= 100 * 1e-10 + 10 * EPS / 1e-5


@pytest.mark.parametrize("variant", ["4a", "4b"])
@pytest.mark.parametrize("mode", ["eq41", "backward-printed"])
def test_eq_41_and_the_printed_backward_mode_are_not(mode, variant):
    trained = path(SOFTMAX, variant, LAM)
    made = itd(SOFTMAX, SGP(0.5, variant), LAM, trained.path, mode)
    plain = differences(SOFTMAX, variant, 0)
    assert np.abs(made - plain).max() > 0.01 * np.abs(plain).max()


def test_where_all_rounds_are_alike_all_four_agree():
    # one client, quadratic: A and B are the same numbers in every round
    problem = QuadraticBilevel([[[1.0]]], [[0.3]], [[[2.0]]], [[1.0]])
    built = topology("complete", 1)
    lam = np.array([[0.7]])
    trained = algorithm2(problem, built, SGP(0.5), lam[None], T, keep=True)
    x = trained.x[0, 0, 0]
    wanted = (x - 1.0) * 2 * (1 - 0.5**T)  # sum of 0.5 * 2 * 0.5^k
    for mode in ("forward", "eq41", "backward", "backward-printed"):
        assert abs(itd(problem, SGP(0.5), lam, trained.path, mode)[0, 0] - wanted) <= 8 * EPS


def test_another_mode_is_refused():
    trained = path(SOFTMAX, "4a", LAM)
    with pytest.raises(ValueError, match="mode is 'sideways'; need one of forward"):
        itd(SOFTMAX, SGP(0.5), LAM, trained.path, "sideways")


def test_a_derivative_that_leaves_float64_is_named_and_never_nan():
    problem = QuadraticBilevel([[[4.0]]], [[0.0]], [[[1.0]]], [[1.0]])
    trained = algorithm2(
        problem, topology("complete", 1), SGP(1e3), np.zeros((1, 1, 1)), 150, keep=True
    )
    for mode in ("forward", "backward", "eq41"):  # (1 - 4000)^150
        with pytest.raises(ValueError, match="itd: the derivative is not finite after T = 150"):
            itd(problem, SGP(1e3), np.zeros((1, 1)), trained.path, mode)


def test_a_run_or_hyperparameters_that_are_not_there_are_named():
    trained = path(SOFTMAX, "4a", LAM)
    with pytest.raises(ValueError, match="itd: run is 2; the path has runs 0 to 1"):
        itd(SOFTMAX, SGP(0.5), LAM, trained.path, run=2)
    with pytest.raises(ValueError, match=r"itd: lam has shape \(2, 2\); need \(3,2\)"):
        itd(SOFTMAX, SGP(0.5), LAM[:2], trained.path)
