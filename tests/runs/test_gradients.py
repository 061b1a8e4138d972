"""Gradients of a round, against counts by hand."""

import pytest

from theorylab.runs.configuration import built, configuration
from theorylab.runs.gradients import gradients_a_round

N = 6


def counted(name, problem="quadratic", **changes):
    options = {key: changes.pop(key) for key in [*changes] if key not in ("faults", "seeds")}
    given = {
        "algorithm": {"name": name, "eta": 0.1, **options},
        **{"problem": problem, "topology": "complete", "clients": N, "rounds": 9, "seeds": 3},
    }
    return gradients_a_round(built(configuration(given | changes)))


@pytest.mark.parametrize(
    ("name", "options", "each"),
    [
        ("sgp", {}, 1),
        ("sgp", {"problem": "softmax"}, 1),
        ("osgp", {}, 5),
        ("osgp", {"local_steps": 3, "problem": "softmax"}, 3),
        ("dfedsgpsm", {"alpha": 0.5}, 1),
        ("dfedsgpsm", {"alpha": 0.5, "rho": 0.1, "local_steps": 4}, 8),  # SAM takes two
        ("local", {"local_steps": 2}, 2),
        ("dfedavgm", {"alpha": 0.5}, 5),
    ],
)
def test_every_client_takes_its_local_steps(name, options, each):
    assert counted(name, **options) == each * N


def test_where_clients_do_not_do_the_same_nothing_is_counted():
    assert counted("fedavg") is None  # a tenth takes part
    assert counted("fedavg", fraction=1.0) == 5 * N
    assert counted("osgp", local_steps=[1, 2, 3, 1, 2, 3]) is None
    assert counted("sgp", faults={"stragglers": 0.5}) is None
