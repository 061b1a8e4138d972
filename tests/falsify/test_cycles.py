"""A method that comes back to where it was is told as a cycle, played in fractions."""

import pathlib
from fractions import Fraction

import pytest

from theorylab.falsify.cycles import cycle_of
from theorylab.statements import Check
from theorylab.verdicts import judge_check
from theorylab.verdicts.catalogue import loaded

FILES = pathlib.Path(__file__).resolve().parents[2] / "verify" / "literature"
BENDS = {"problem": {"name": "literature-bends", "low": 1.0, "high": 25.0}, "rounds": 60}
BENDS |= {"algorithm": {"eta": 1 / 9, "beta": 4 / 9}, "x0": 3.2}


@pytest.fixture
def cycle(registries, tmp_path):
    """Of a file in the place of one of verify/literature, with other parts of its instance."""

    def found(name, *edits, **parts):
        text = (FILES / f"{name}.py").read_text()
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        (statement,) = loaded(str(path)).values()
        instance = dict(statement.versions["printed"].checks[0].instance) | parts
        result = judge_check(statement, "printed", Check("one", instance), seeds=16)
        return cycle_of(statement, result)

    return found


def slope(x):
    """Of Lessard, Recht and Packard."""
    return 25 * x if x < 1 else x + 24 if x < 2 else 25 * x - 24


def test_heavy_ball_goes_round_the_three_points_of_lessard_recht_and_packard(cycle):
    found = cycle("heavy_ball", **BENDS)
    points = [point[0][0] for point in found.points]
    assert len(points) == 3
    eta, beta = Fraction(1, 9), Fraction(4, 9)
    for k, x in enumerate(points):  # three in a row, all of them fractions
        old, after = points[k - 1], points[(k + 1) % 3]
        assert after == x + beta * (x - old) - eta * slope(x)
    assert found.least == min(x * x for x in points)
    assert found.read == {1 / 9: eta, 4 / 9: beta}
    assert "goes round 3 points" in found.words()
    assert "0.111111 as 1/9" in found.words()


def test_sam_goes_to_and_fro(cycle):
    found = cycle("sam", rounds=60)
    eta, rho, h = Fraction(1, 4), Fraction(1, 10), 1
    x = eta * h * rho / (2 - eta * h)
    assert sorted(point[0][0] for point in found.points) == [-x, x]
    assert found.least == x * x


def test_a_rest_point_away_from_the_minimiser_is_a_cycle_of_one(cycle):
    bowls = {"name": "literature-fedavg-bowls", "curvatures": [1.0, 2.0, 1.0]}
    bowls |= {"centers": [2.0, 0.0, -1.0]}
    found = cycle("local_sgd", problem=bowls, rounds=40)
    factors = [(1 - Fraction(h, 4)) ** 3 for h in (1, 2, 1)]
    rest = sum((1 - f) * c for f, c in zip(factors, (2, 0, -1), strict=True))
    rest /= sum(1 - f for f in factors)
    assert found.points == ([[rest]] * 3,)
    assert found.least == (rest - Fraction(1, 4)) ** 2
    assert found.words().startswith(f"the method rests at {rest}, where")


COUNTED = (
    "return net.next(state, x=net.mix(state.x - self.eta * net.gradient(up)))",
    "k = 1 + (0 * state.x if state.v is None else state.v)\n"
    "        x = state.x - self.eta * net.gradient(up)\n"
    "        return net.next(state, x=np.where(k < 9000, x, 0 * x), v=k)",
)
DOUBLED = (
    "return net.next(state, x=net.mix(state.x - self.eta * net.gradient(up)))",
    "return net.next(state, x=np.where(state.x < 0.5, 2 * state.x, 2 * state.x - 1))",
)
AWAY = {"name": "literature-sam-bowls", "curvatures": 1.0, "centers": 0.3}
BY_NAME = (("self.rho)", "self.rho * (getattr(state, 't') < 9000))"),)
READS = (("self.rho)", "self.rho / (1 + state.t - state.t))"),)


@pytest.mark.parametrize(
    ("name", "edits", "parts"),
    [
        ("dgd", (), {}),  # it rests at the minimiser
        ("sam", READS, {"rounds": 60}),
        ("sam", BY_NAME, {"rounds": 60}),
        ("sam", (COUNTED,), {"rounds": 60}),  # its v is no part of x, w and memory
        # .1 -> .2 -> .4 -> .8 -> .6 -> .2: in float64 it comes to 0
        ("sam", (DOUBLED,), {"x0": 0.1, "rounds": 3, "problem": AWAY}),
        ("extra", (), {"algorithm": {"eta": 1.5}, "rounds": 60}),  # it grows
        # 1/70 but for 1e-13, which is no point of a cycle
        ("sam", (), {"algorithm": {"eta": 0.250000000001, "rho": 0.1}, "rounds": 60}),
    ],
    ids=["right", "reads-the-round", "by-name", "counts", "rounding", "grows", "nearly"],
)
def test_what_is_no_cycle_for_ever_is_not_told(cycle, name, edits, parts):
    assert cycle(name, *edits, **parts) is None
