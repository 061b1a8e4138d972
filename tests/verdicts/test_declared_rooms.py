"""What a declaration may be off by: barely true is taken, barely false is refused."""

import math

import numpy as np
import pytest

from theorylab.known import How, Known
from theorylab.problems import Problem
from theorylab.verdicts.declared import check_declared


class Given(Problem):
    """Losses and gradients as given; ``noise(x, k)`` is added to step k's stochastic gradient."""

    name = "test-given"

    def __init__(self, clients, dim, loss, gradient, noise=None, stochastic=True, **constants):
        super().__init__(clients, dim, noise is not None and stochastic)
        self.loss, self.gradient, self.noise = loss, gradient, noise
        self.known = constants

    loss = gradient = describe = measured_noise = None  # the first two are of the instance

    def sample(self, seed, runs, round, step):
        return step

    def stochastic_gradient(self, x, sample):
        return self.gradient(x) + (0.0 if self.noise is None else self.noise(x, sample))

    def constants(self):
        return {
            name: value if isinstance(value, Known) else Known(value, How.EXACT, "by hand")
            for name, value in self.known.items()
        }


def taken(problem, start=None):
    """Whether it is; what is refused is refused in one line that names it."""
    line = ""
    try:
        check_declared(
            problem, np.zeros((problem.clients, problem.dim)) if start is None else start
        )
    except ValueError as error:
        line = str(error)
    assert not line or (line.startswith("problem test-given: ") and "\n" not in line)
    return not line


def linear(slopes, said=None, **rest):
    """f_i(x) = a_i . x, whose gradient is said to be ``said``."""
    a = np.array(slopes, dtype=float)
    told = a if said is None else np.array(said, dtype=float)
    gradient = lambda x: np.broadcast_to(told, x.shape).copy()  # noqa: E731
    return Given(*a.shape, lambda x: (x * a).sum(axis=-1), gradient, **rest)


BENT, CENTERS = np.array([1.0, 2.0, 6.0]), np.array([[3.0, 0.0], [-3.0, 1.0], [1.0, 5.0]])
LOWEST = BENT @ CENTERS / 9  # the minimiser of f, and what f is there
HEIGHT = float(BENT @ ((LOWEST - CENTERS) ** 2).sum(axis=1)) / 6


def bowls(**constants):
    """f_i = a_i |x - c_i|^2 / 2."""
    return Given(
        *(3, 2),
        lambda x: BENT * ((x - CENTERS) ** 2).sum(axis=-1) / 2,
        lambda x: BENT[:, None] * (x - CENTERS),
        **constants,
    )


SLOPES = [[3.0, 4.0], [0.0, 1.0], [1.0, 0.0]]  # their mean is (4, 5) / 3
TRUE = {
    "L": (bowls, 6.0, -1),
    "mu": (bowls, 3.0, 1),
    "f_star": (bowls, HEIGHT, 1),
    "B": (lambda **known: linear(SLOPES, **known), 5.0, -1),
    "sigma_g": (lambda **known: linear(SLOPES, **known), math.hypot(5, 7) / 3, -1),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_constant_may_be_off_by_a_millionth_of_itself_and_by_no_more(name):
    problem, true, wrong_way = TRUE[name]
    start = np.tile(LOWEST, (3, 1))
    for share, expected in ((-1.0, True), (0.999e-6, True), (1.001e-6, False), (0.5, False)):
        assert taken(problem(**{name: true * (1 + wrong_way * share)}), start) == expected, share


def test_a_constant_of_0_may_be_off_by_2_to_the_minus_40_of_the_largest_gradient():
    # the clients' gradients are (off, 1024) and (-off, 1024), and their mean is (0, 1024)
    for off, expected in ((2.0**-30, True), (np.nextafter(2.0**-30, 1), False)):
        assert taken(linear([[off, 1024.0], [-off, 1024.0]], sigma_g=0.0)) == expected


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("L", Known(5.0, How.CERTIFIED, "x", lower=4.0, upper=6.5), True),
        ("L", Known(5.0, How.CERTIFIED, "x", lower=4.0, upper=5.5), False),
        ("L", Known(5.0, How.CERTIFIED, "x", lower=4.0), False),
        ("L", Known(5.0, How.UPPER, "x", upper=7.0), False),
        ("L", Known(5.0, How.LOWER, "x"), True),
        ("L", Known(5.0, How.ESTIMATE, "x"), True),
        ("mu", Known(4.0, How.CERTIFIED, "x", lower=2.5, upper=5.0), True),
        ("mu", Known(4.0, How.CERTIFIED, "x", lower=3.5, upper=5.0), False),
        ("mu", Known(4.0, How.CERTIFIED, "x", upper=5.0), False),
        ("mu", Known(4.0, How.LOWER, "x", lower=1.0), False),
        ("mu", Known(4.0, How.UPPER, "x"), True),
        ("mu", Known(4.0, How.ESTIMATE, "x"), True),
    ],
)
def test_a_constant_is_held_to_the_side_that_it_is_declared_from(name, known, expected):
    # L is 6 and mu is 3
    assert taken(bowls(**{name: known})) == expected


# Each room alone is as large as the slope that is said too much: a slope s is refused where
# s > s / 1000 + room, so s = room is taken and s = 1.002 room is not.
ROOMS = {
    "the largest gradient": lambda c: linear([[1e8], [0.0], [0.0]], [[1e8], [c], [c]]),
    "the smoothness": lambda c: Given(
        *(3, 1),
        lambda x: np.zeros(x.shape[:2]),
        lambda x: c * 1e-6 * (1 + np.abs(x)),  # over a step of 1e-6 (1 + |x|)
        L=1.0,
    ),
    "the digits of the losses": lambda c: Given(
        *(3, 1),
        lambda x: np.full(x.shape[:2], 2.0**47),  # two of them, to 2^-48 each
        lambda x: c * 1e6 / (1 + np.abs(x)),
    ),
    "itself": lambda c: linear(  # a thousandth of the larger: 1 / 999 of the smaller
        *([[1.0], [-2.0], [4.0]], np.array([[1.0], [-2.0], [4.0]]) * (1 + 1.0005e-3 * c))
    ),
}


@pytest.mark.parametrize("room", ROOMS)
def test_a_slope_may_be_off_by_the_room_of(room):
    assert taken(ROOMS[room](0.5))
    assert taken(ROOMS[room](1.0))
    assert not taken(ROOMS[room](1.002))
    assert not taken(ROOMS[room](-1.002))


def looked_at(problem, start=None):
    """The points at which the losses of the problem are asked for, (4, n, d) first."""
    points, loss = [], problem.loss
    problem.loss = lambda x: (points.append(x.copy()), loss(x))[1]
    assert taken(problem, start)
    return points


def test_the_points_lie_as_far_away_as_the_start_is_large_and_1_more():
    start = np.ones((60, 50))
    start[0, 0] = -3.0
    points = looked_at(linear(start), start)[0]
    assert np.array_equal(points[0], start)
    spread = np.sqrt(((points[1:] - start) ** 2).mean())
    # of 9000 normal numbers it is known to 1 / sqrt(18000) of itself: five times that
    assert spread == pytest.approx(4.0, rel=5 / 18000**0.5)


def test_the_least_that_f_bends_by_between_two_points_counts():
    bent = np.array([1.0, 3.0])

    def bowl(**known):
        return Given(2, 2, lambda x: (bent * x**2).sum(axis=-1) / 2, lambda x: bent * x, **known)

    common = looked_at(bowl())[0][:, 0]  # every client's f at the points of the first
    lines = np.diff(common, axis=0)
    bends = (bent * lines**2).sum(axis=1) / (lines**2).sum(axis=1)
    assert taken(bowl(mu=bends.min()))
    assert not taken(bowl(mu=(bends.min() + bends.max()) / 2))


def test_a_gradient_may_be_wrong_at_half_of_the_points_of_a_client_and_at_no_more():
    points = looked_at(linear([[1.0], [1.0], [1.0]]))[0]
    for count, expected in ((1, True), (2, True), (3, False), (4, False)):
        kinks = points[:count, 1]  # of client 1 alone
        made = linear([[1.0], [1.0], [1.0]])
        made.gradient = lambda x, kinks=kinks: 1.0 + np.isin(x, kinks) * np.array([[0], [9], [0]])
        assert taken(made) == expected
    with pytest.raises(ValueError, match=r"the gradient of client 1 has slope -?10 along .* -?1; "):
        check_declared(made, np.zeros((3, 1)))


def test_a_run_alone_may_differ_by_a_billionth_of_the_largest_loss_and_no_more():
    level = np.array([2.0**30, 0.0, 0.0])  # of client 1 the loss is off
    for share, expected in ((0.999e-9, True), (1.001e-9, False)):
        off = np.array([0.0, share * 2**30, 0.0])
        made = linear(np.zeros((3, 2)))
        made.loss = lambda x, off=off: np.tile(level, (len(x), 1)) + off * (len(x) == 1)
        assert taken(made) == expected


def resting(noise, **rest):
    """f_i = |x|^2 / 2, of gradient 0 at the start: there is no room for rounding."""
    return Given(3, 2, lambda x: (x**2).sum(axis=-1) / 2, lambda x: x.copy(), noise, **rest)


def test_noise_may_be_four_times_what_is_declared_and_no_more():
    sizes = np.array([[3.0, 4.0], [0.0, 1.0], [0.0, 0.0]])  # 5, 1 and 0, up and down in turn
    for sigma, expected in ((1.25, True), (np.nextafter(1.25, 0), False)):
        assert taken(resting(lambda x, k: sizes * (-1) ** k, sigma_l=sigma)) == expected


def test_the_mean_of_the_noise_may_be_half_of_what_is_declared_and_no_more():
    # a mean of 16 is further than 2 sigma / 4 from its own with chance 1/4 at most; all 17 are
    always = np.array([[0, 0], [3, 4], [0, 0]])
    for sigma, expected in ((10.0, True), (np.nextafter(10.0, 0), False)):
        assert taken(resting(lambda x, k: always, sigma_l=sigma)) == expected


def test_a_bias_that_a_rare_event_may_undo_is_taken():
    always = np.array([[0.0, 0.0], [0.03, 0.04], [0.0, 0.0]])
    assert taken(resting(lambda x, k: always, sigma_l=1.0))
    assert taken(resting(lambda x, k: 1e9 * always))  # and without a sigma_l anything may


def test_the_noise_is_looked_at_where_the_runs_start():
    def biased_at(place):
        return resting(lambda x, k: 1.0 * (x == place), sigma_l=1.0)

    assert not taken(biased_at(0.0))
    assert not taken(biased_at(7.0), np.full((3, 2), 7.0))
    assert taken(biased_at(0.0), np.full((3, 2), 7.0))


def test_noise_may_be_off_by_a_billionth_of_the_largest_gradient_and_no_more():
    slopes, least = [[1e9, 0.0], [1.0, 0.0]], 2.0**-20  # 1e9 + 2^-20 is a number
    first = np.array([[1.0, 0.0], [0.0, 0.0]])

    def off_by(size, **rest):
        return linear(slopes, noise=lambda x, k: size * first, **rest)

    for off, expected in ((1.0, True), (1.0 + least, False)):
        assert taken(off_by(off, stochastic=False)) == expected
        assert taken(off_by(off, sigma_l=0.0)) == expected
    # a bias b is its own size: b > 3/4 b + 1, and b > 6 / 2 + 1, from b = 4 on
    for off, expected in ((4.0, True), (4.0 + 4 * least, False)):
        assert taken(off_by(off, sigma_l=6.0)) == expected


def test_a_problem_that_declares_nothing_is_held_to_nothing():
    assert taken(bowls())
    assert taken(linear(SLOPES))
