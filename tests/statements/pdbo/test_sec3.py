"""Personal layers: PDBO adds nothing at Eq. (5)'s optimum."""

from theorylab.statements.pdbo.sec3 import STATEMENT


def random_instance(rng):
    problem = {"clients": int(rng.integers(1, 6)), "dim": int(rng.integers(1, 4)), "hyper": 2}
    problem |= {"seed": int(rng.integers(999))}
    network = [{"name": "directed-ring"}, {"name": "sto-d", "seed": int(rng.integers(99))}]
    step = float(10 ** rng.uniform(-3, -0.7))
    return {
        "place": {"problem": problem, "network": network[int(rng.integers(2))], "step": step},
    }


def test_random_instances_hold(never_violated):
    assert never_violated(STATEMENT, "printed", random_instance, range(40)) == 1
