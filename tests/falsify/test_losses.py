"""Losses that a search tries stand beside their problems, and a user's own come first."""

import json

import numpy as np
import pytest

from theorylab.falsify.losses import anywhere, is_anywhere, starts
from theorylab.falsify.moves import choices
from theorylab.falsify.structure import structural
from theorylab.problems import FormulaProblem, Moves, Option, Options, Quadratic, problem

FAMILIES = {"huber", "logistic-l2", "piecewise-quadratic", "rosenbrock"}


@pytest.mark.parametrize("personal", [False, True])
@pytest.mark.parametrize("clients", [1, 2, 5])
def test_every_start_can_be_built_and_is_of_the_kind_that_was_asked_for(clients, personal):
    found = dict(starts(clients, personal))
    for options in found.values():
        assert json.loads(json.dumps(options)) == options
        given = dict(options)
        made = problem(given.pop("name"), clients, **given)
        assert (made.shared < made.dim) == personal
    names = {options["name"] for options in found.values()}
    plain = {"quadratic", "log-cosh", "clipped-linear", "pinwheel"}
    heads = {"coupled-quadratic", "sin-sin", "rippled"}
    assert (heads if personal else plain) | FAMILIES == names


def test_the_losses_of_any_number_of_clients_can_be_built_for_three():
    found = {options["name"]: options for options in anywhere()}
    assert FAMILIES | {"quadratic", "log-cosh", "clipped-linear", "sin-sin"} <= set(found)
    for options in found.values():
        assert is_anywhere(options)
        given = dict(options)
        assert problem(given.pop("name"), 3, **given).clients == 3
    assert not is_anywhere({"name": "quadratic"})
    assert not is_anywhere({"name": "unheard-of"})


def valley(**more):
    class Valley(FormulaProblem, name="my-valley", **more):
        options = Options(
            center=Option(0.0, each=True, shape="d", moves=(-0.5, 4.0), length=True),
            steep=Option(2.0, each=True, above=0, moves=(1.0, 8.0), curvature=True),
        )

        @staticmethod
        def client_loss(x, center, steep):
            return steep * np.logaddexp(x - center, center - x).sum()

    return Valley


def test_a_users_own_loss_joins_the_search_before_all_others(registries):
    kind = valley()
    first, *rest = starts(2, False)
    assert first == ("my-valley, as it is", {"name": "my-valley", "center": 0.0, "steep": 2.0})
    own = [options for _, options in rest if options["name"] == "my-valley"]
    lists = [(each["center"], each["steep"]) for each in own]  # within moves, and above 0
    assert lists == [([[1.0], [-0.5]], [2.0, 2.0]), ([[4.0], [-0.5]], [2.0, 2.0])]
    assert kind.moves.ranges == {"center": (-0.5, 4.0), "steep": (1.0, 8.0)}
    run = {"problem": {"name": "quadratic", "dim": 1}, "topology": {"name": "ring"}, "clients": 2,
           "rounds": 3, "algorithm": {"eta": 0.1}}  # fmt: skip
    assert dict(structural(run))["loss: my-valley, apart"]["problem"]["center"] == [[1.0], [-0.5]]
    assert {"name": "my-valley", "center": 0.0, "steep": 2.0} in choices([run])["problem",]
    (personal, *_) = starts(2, True)
    assert personal[1] | {"dim": 2, "shared": 1} == personal[1]


def test_a_class_says_its_own_starts(registries):
    class Flat(Quadratic, name="my-flat"):
        moves = Moves(starts=lambda n, personal: [] if personal else [("flat", {"mu": 1e-3})])

    found = dict(starts(2, False))
    assert found["my-flat, flat"] == {"name": "my-flat", "mu": 1e-3}
    assert not [label for label, _ in starts(2, True) if label.startswith("my-")]
