"""Scripts of a user's own things: every kind of part, of place and of draw."""

import pathlib
import re
import sys

import numpy as np
import pytest

from theorylab import registry
from theorylab.algorithms import Coin
from theorylab.falsify.recheck import recheck
from theorylab.kernels import Stream
from theorylab.problems import problem
from theorylab.scripts import UnscriptedError, _user_script, script, stub
from theorylab.scripts._agreement import agreed, differences
from theorylab.scripts._instance_lines import plain_losses
from theorylab.scripts._outcomes import sample_text
from theorylab.scripts.text import schedule
from theorylab.verdicts import judge_check, selected

FILE = pathlib.Path(__file__).with_name("findings.py")
NAMES = [
    *("last", "every", "mean", "iterate", "best", "lowest", "consensus", "coins", "signs", "worst"),
    *("likely", "points", "seeded", "hits", "made", "schedule", "local", "builtin", "end", "die"),
    *("drift", "proof", "heads", "picks"),
]


@pytest.fixture(scope="module")
def statements():
    with registry.restored():
        yield {each.id: each for each, _ in selected([str(FILE)]).values()}


def judged(statements, name):
    statement = statements[f"findings.{name}"]
    (check,) = statement.versions["claim"].checks
    return statement, judge_check(statement, "claim", check)


def test_every_finding_of_the_file_is_looked_at(statements):
    assert {f"findings.{name}" for name in NAMES} == set(statements)


@pytest.mark.parametrize("name", NAMES)
def test_both_sides_come_out_without_theorylab(statements, name, monkeypatch):
    statement, result = judged(statements, name)
    assert result.verdict == "VIOLATED"
    text = script(statement, result)
    monkeypatch.setitem(sys.modules, "theorylab", None)
    assert differences(text, result) == []
    assert not {"theorylab", "sympy", "drawn"} & {*text.replace(".", " ").split()}


@pytest.mark.parametrize("name", ["last", "mean", "iterate", "lowest", "coins", "end"])
def test_the_script_is_played_in_balls(statements, name):
    statement, result = judged(statements, name)
    again = recheck(statement, "claim", result)
    assert again.holds is True
    assert again.low <= result.measured * (1 + 1e-9)
    assert again.high >= result.measured * (1 - 1e-9)


def test_the_stub_of_the_network_has_at_most_30_lines():
    text = FILE.parents[2].joinpath("theorylab/scripts/stub.py").read_text()
    body = text[text.index("class Net:") : text.index("class RandomNet")]
    assert sum(bool(line.strip()) for line in body.splitlines()) <= 30


def test_numbers_that_a_constructor_draws_are_written_out(statements):
    text = script(*judged(statements, "made"))
    assert "random" not in text  # the file has a constant that is called problem, too
    assert "\nA = np.array([[[" in text


def test_many_numbers_are_left_to_the_text_of_the_generator(statements, monkeypatch):
    for module in ("_user_script", "text"):
        monkeypatch.setattr(f"theorylab.scripts.{module}.MOST_NUMBERS", 5)
    text = script(*judged(statements, "made"))
    assert "draw = np.random.default_rng(seed)" in text
    assert "problem_ = Rows(2, seed=seed, scale=scale)" in text


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("2.0", "2.1", "its text, run alone, differs: measured is "),
        ("bound = small", "bound = 2 * small", "its text, run alone, differs: bound is "),
        ("P_ @", "P_.mixed @", "its text does not run alone: AttributeError: "),
    ],
)
def test_a_script_that_differs_is_not_given_away(statements, old, new, why):
    statement, result = judged(statements, "last")
    text = script(statement, result)
    assert old in text
    with pytest.raises(UnscriptedError) as caught:
        agreed(text.replace(old, new), result)
    assert str(caught.value).startswith(why)
    assert "\n" not in str(caught.value)


def test_outcomes_that_are_too_many_are_one_line(statements, monkeypatch):
    statement, result = judged(statements, "coins")
    monkeypatch.setattr("theorylab.scripts._outcomes.MOST", 64)
    with pytest.raises(UnscriptedError, match="an expectation that is no list of outcomes"):
        script(statement, result)


@pytest.mark.parametrize(
    ("shape", "law", "given"),
    [
        ((), "bernoulli", {"p": 0.3}),
        (3, "sign", {}),
        ((2, 2), "index", {"m": 5}),
        (5, "subset", {"k": 2}),
        (4, "finite", {"values": [-1.0, 7.0, 2.0], "chances": [0.25, 0.0, 0.75]}),
    ],
)
@pytest.mark.parametrize("shared", [False, True])
def test_a_seeded_coin_falls_as_in_the_run(shape, law, given, shared):
    runs, clients = np.array([0, 3, 2**31]), 2
    full = {key: given.get(key) for key in ("p", "m", "k", "values", "chances")}
    coin = Coin.of(shape, law, shared, full)
    net = stub.SampledNet(stub.Problem(clients, 1), [np.eye(2)])
    net.seed, net.runs = 2**40 + 5, runs
    net.begin(7)
    for number in range(2):  # the second call of a round draws anew
        found = net.coins(shape, law, shared=shared, **given)
        wanted = coin.drawn(net.seed, runs, clients, 7, number, np.zeros(0))
        assert np.array_equal(found, wanted)


def test_seeded_words_are_those_of_the_stream():
    stream, runs = Stream(9, "noise"), np.array([0, 6])
    bits = stub.words(9, 1, runs, 3, 4, 2, 5)
    assert np.array_equal(stub.uniform(bits), stream.uniform(runs, 3, 4, 2, 5))
    normal = stub.normal(bits)
    # two readings of AS 241, each right to some 16 units of 2^-53
    assert np.allclose(normal, stream.normal(runs, 3, 4, 2, 5), rtol=32 * 2.0**-53, atol=0)


@pytest.mark.parametrize(
    "options",
    [
        {"field": "gaussian", "sigma": 2.0},
        {"field": "rademacher", "sigma": 2.0},
        {"field": "state", "sigma": 2.0},
        {"field": "two-point", "sigma": 2.0, "chance": 0.3},
    ],
)
def test_seeded_noise_is_that_of_the_problem(options):
    made = problem("noisy", 2, base={"name": "log-cosh", "dim": 3}, **options)
    scope = {name: getattr(stub, name) for name in ("words", "uniform", "normal", "signs")}
    found = eval(sample_text(made), {**scope, "np": np})(5, np.arange(4), 2, 1)
    wanted = made.sample(5, np.arange(4), 2, 1)
    assert np.allclose(found, wanted, rtol=64 * 2.0**-53, atol=0)


@pytest.mark.parametrize("kind", ["aligned", "coordinate", "common"])
def test_noise_that_is_not_written_is_named(kind):
    made = problem("noisy", 2, base={"name": "log-cosh", "dim": 3}, field=kind)
    with pytest.raises(UnscriptedError, match=f"sampled {kind} noise"):
        sample_text(made)


def test_a_step_size_in_t_is_a_function():
    import math

    steps = eval(schedule("2/sqrt(4 + floor(t))"), {"math": math})
    assert steps(5) == 2 / 3
    assert schedule("not one") == "'not one'"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sin-sin", {"seed": 4}),
        ("coupled-quadratic", {"seed": 2}),
        ("rippled", {"A": 1.0, "B": 2.0, "r": 3.0, "a": [[1.0], [0.5]], "b": [[0.0], [2.0]]}),
        ("quadratic", {"dim": 3, "seed": 1}),
        ("log-cosh", {"dim": 2, "center": 0.5}),
        ("clipped-linear", {"dim": 2}),
        ("logistic", {"features": [[1.0, 2.0], [0.5, -1.0], [3.0, 0.0], [0.0, 1.0]], "reg": 0.1,
                      "labels": [0, 1, 1, 0], "owners": [0, 0, 1, 1]}),
    ],
)  # fmt: skip
def test_losses_and_gradients_are_those_of_the_problem(name, options):
    made = problem(name, 2, **options)
    lines = plain_losses(made)
    scope = {"np": np, "x": np.random.default_rng(0).standard_normal((3, 2, made.dim))}
    exec("\n".join(lines.lines), scope)
    for text, wanted in ((lines.gradient("x"), made.gradient), (lines.value("x"), made.loss)):
        # sums of some ten terms, each rounded a few times
        assert np.allclose(eval(text, scope), wanted(scope["x"]), rtol=64 * 2.0**-53, atol=1e-13)


def test_functions_of_the_stub_stand_in_the_same_order_in_every_process():
    names = _user_script._FUNCTIONS  # in the order of a set it would be another with every hash
    texts, _ = _user_script._assembled(_user_script._Parts(), [f"{name}()" for name in names], None)
    defined = [re.split(r"\W", line)[1] for line in texts if line.startswith(("def ", "class "))]
    assert [name for name in defined if name in names] == list(names)
