"""Planted errors are refuted; true instances are never VIOLATED."""

import dataclasses

import numpy as np
import pytest

from theorylab.statements import Check, evaluate
from theorylab.statements.dfedalt import _symbols as alt
from theorylab.symbols import n, rho
from theorylab.verdicts import judge_check


def _planted(statement, version, change):
    """The statement with this version alone, changed.

    ``change``: a function of each term, other terms by name, or other fields by name.
    """
    content = statement.versions[version]
    if callable(change):
        change = {name: change(term) for name, term in content.terms.items()}
    fields = change if change.keys() & {"terms", "assumes", "order"} else {"terms": change}
    return dataclasses.replace(
        statement, versions={version: dataclasses.replace(content, checks=(), **fields)}
    )


@pytest.fixture
def planted():
    """planted(statement, version, change): the statement with that version alone, changed."""
    return _planted


@pytest.fixture
def missed():
    def run(statement, version, faults, extra=(), at=None, **options):
        """The names of the faults that no true instance refutes.

        ``faults``: a change by name, or a change and the one instance that has to refute it.
        Without that ``at`` has to refute each; without both, one of the version's quick checks
        that HOLD or of ``extra``, which have to hold of the true version, too.
        """
        content = statement.versions[version]
        more = [Check(f"extra-{k}", instance) for k, instance in enumerate(extra)]
        for check in more:
            assert judge_check(statement, version, check).verdict == "HOLDS", check.name
        places = [*more, *(c for c in content.checks if c.quick and c.expect == "HOLDS")]

        def refuted(change, place):
            wrong = _planted(statement, version, change)
            where = places if place is None else [Check("planted", place)]
            return any(
                judge_check(wrong, version, check, **options).verdict == "VIOLATED"
                for check in where
            )

        pairs = {k: f if isinstance(f, tuple) else (f, at) for k, f in faults.items()}
        return {name for name, pair in pairs.items() if not refuted(*pair)}

    return run


@pytest.fixture
def left_open():
    def run(statement, instance, versions=None):
        """Rounding must leave these versions (all of them) INCONCLUSIVE at ``instance``."""
        for name in versions or statement.versions:
            far = Check("far away", instance)
            found = judge_check(statement, name, far, seeds=16, exactly=False)
            assert found.verdict == "INCONCLUSIVE", (name, found.reason)
            assert "hides a difference" in found.reason, (name, found.reason)

    return run


@pytest.fixture
def never_violated():
    def run(statement, version, make, seeds):
        """How many of the random instances HOLD; none may be VIOLATED."""
        held = 0
        for seed in seeds:
            instance = make(np.random.default_rng(seed))
            found = judge_check(statement, version, Check(f"random {seed}", instance), seeds=16)
            assert found.verdict != "VIOLATED", (seed, instance, found.reason)
            held += found.verdict == "HOLDS"
        return held / len(seeds)

    return run


def _network(draw, clients):
    kind = ("ring", "complete", "path", "star")[int(draw.integers(4))]
    return {"name": kind, **({} if kind == "complete" else {"weights": "metropolis"})}


@pytest.fixture
def random_rounds():
    def make(draw, *, cap=None, together=True, sam=False):
        """Sines without noise, or two clients' quadratics with signs; steps below ``cap``/(K L)."""
        noisy = bool(draw.integers(2))
        K_u, K_v = (int(k) for k in draw.integers(1, 3 if noisy else 6, 2))
        n = 2 if noisy else int(draw.integers(2, 6))
        top = 10 ** draw.uniform(-1, 1)
        share = 10 ** draw.uniform(-2, 0, 2) * (3.0 if cap is None else cap) * 0.99
        if noisy:
            problem = {
                "name": "coupled-quadratic",
                "A": [[[top]]] * n,
                "B": [[[top]]] * n,
                "C": [[[0.0]]] * n,
                "a": draw.normal(size=(n, 1)).tolist(),
                "b": draw.normal(size=(n, 1)).tolist(),
                "sigma_u": float(10 ** draw.uniform(-1, 1)),
                "sigma_v": float(10 ** draw.uniform(-1, 1)),
                "noise": "rademacher",
            }
            L = top
        else:
            c = float(top * draw.uniform(0, 1))
            kind = {"name": "sin-sin", "dim_u": 1, "dim_v": 1, "coupling": c}
            problem = {**kind, "L_u": top, "L_v": top, "mu_u": top, "mu_v": top}
            problem["seed"] = int(draw.integers(1000))
            L = top + c
        made = {
            "problem": problem,
            "topology": _network(draw, n),
            "clients": n,
            "algorithm": {
                "eta_u": float(share[0] / (K_u * L)),
                "eta_v": float(share[1] / (K_v * L)),
                "steps_u": K_u,
                "steps_v": K_v,
                "batch": "per-step",
            },
            "rounds": 1 if noisy else 6,
            "x0": float(draw.normal() * 2),
        }
        if sam:
            made["algorithm"]["rho"] = float(10 ** draw.uniform(-2, 1))
        if not together:
            made["x0"] = (draw.normal(size=(n, 2)) * 2).tolist()
        return made

    return make


@pytest.fixture
def holds_in_rounds(never_violated, random_rounds):
    def run(statement, version, seeds, **options):
        """The smaller share of ``never_violated``, with equal starts and with starts apart."""
        return min(
            never_violated(
                statement, version, lambda d, x=x: random_rounds(d, together=x, **options), seeds
            )
            for x in (True, False)
        )

    return run


@pytest.fixture
def one_round():
    """Numbers for the symbols of a round of DFedAlt and DFedSalt."""
    return {
        **{alt.eta_u: 0.5, alt.eta_v: 0.25, alt.K_u: 3, alt.K_v: 2, n: 4, rho: 1.5, alt.unit: 1},
        **{alt.L_u: 2, alt.L_v: 4, alt.L_vu: 5, alt.L_sample: 3, alt.lam: 0.5},
        **{alt.sigma_u: 6, alt.sigma_v: 7, alt.delta: 8, alt.Delta_u: 9, alt.Delta_v: 10},
        **{alt.spread: 11, alt.G: 12, alt.wander: 13, alt.leap: 14, alt.head_leap: 15},
    }


@pytest.fixture
def read_again(one_round):
    def run(terms, by_hand):
        """Each named term at ``one_round`` is the number by hand; a few roundings apart."""
        for name, number in by_hand.items():
            found = float(evaluate(terms[name], one_round))
            assert found == pytest.approx(number, rel=1e-14), name

    return run


@pytest.fixture
def scaling():
    def of(terms):
        """The terms with factors by name; _ in a factor's name for a space or a comma."""
        spoken = {name: name.replace(" ", "_").replace(",", "_") for name in terms}

        def scaled(**factors):
            assert set(factors) <= set(spoken.values()), factors
            return {name: term * factors.get(spoken[name], 1) for name, term in terms.items()}

        return scaled

    return of


@pytest.fixture
def changed_entry():
    def run(statement, version, row, column, entry="9.87"):
        """The verdict on the version's one table with another entry at one place."""
        (check,) = statement.versions[version].checks
        table = {name: dict(entries) for name, entries in check.instance["table"].items()}
        assert column in table[row]
        table[row][column] = entry
        other = Check("changed", {**check.instance, "table": table})
        return judge_check(statement, version, other).verdict

    return run
