"""Figures of rates for all T and of classes of networks: parts of ``verify/worst.py``.

rates      rates for all T, each accepted by ``check_certificate.py``; what quadratics attain
networks   exact products over every sequence of networks; bounds over every sequence and every
           spectrum beside what some network attains
damaged    1,000 damaged or forged certificates of these kinds: none is accepted
"""

from __future__ import annotations

import copy
import itertools
import random
import time
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from theorylab.algorithms import Algorithm, algorithm
from theorylab.topologies import Topology, from_matrices, topology
from theorylab.worst import (
    ColumnStochastic,
    DoublyStochastic,
    Functions,
    Rate,
    check_certificate,
    every_sequence,
    every_spectrum,
    forever,
    worst,
)
from theorylab.worst.products import products

MU, L, HALF = Fraction(1, 10), Fraction(1), Fraction(1, 2)
LARGE, WITHIN = 5.0, 1e-3  # seconds of processor of n = 10; of gradient descent's rate
LEFT_OUT = ("about", "ratio", "mu", "start")  # nothing reads it; smaller classes are true as well
DAMAGED, LONGEST = 1000, 10.0  # files; seconds of processor of one


class HeavyBall(Algorithm):
    """x + beta (x - the one before) - eta g."""

    def __init__(self, eta: float, beta: float) -> None:
        self.eta, self.beta = eta, beta

    def init(self, x0: Any, problem: Any = None) -> Any:
        return replace(super().init(x0, problem), memory={"old": 1 * x0})

    def step(self, state: Any, net: Any) -> Any:
        x, old = state.x, state.memory["old"]
        after = x - self.eta * net.gradient(x) + self.beta * (x - old)
        return net.next(state, x=after, memory={"old": x})


class Nesterov(HeavyBall):
    """y - eta (gradient at y), y = x + beta (x - the one before)."""

    def step(self, state: Any, net: Any) -> Any:
        y = state.x + self.beta * (state.x - state.memory["old"])
        return net.next(state, x=y - self.eta * net.gradient(y), memory={"old": state.x})


class Tracking(Algorithm):
    """Gradient tracking (DIGing)."""

    def __init__(self, eta: float) -> None:
        self.eta = eta

    def init(self, x0: Any, problem: Any = None) -> Any:
        return replace(super().init(x0, problem), memory={"y": 0 * x0, "g": 0 * x0})

    def step(self, state: Any, net: Any) -> Any:
        g = net.gradient(state.x)
        y = net.mix(state.memory["y"]) + g - state.memory["g"]
        return net.next(state, x=net.mix(state.x) - self.eta * y, memory={"y": y, "g": g})


def _cases() -> list[tuple[str, Algorithm, Topology | DoublyStochastic, dict[str, Any]]]:
    alone, lopsided = (
        topology("complete", 1),
        from_matrices([[[1 / 3, 0, 0.5], [1 / 3, 0.5, 0], [1 / 3, 0.5, 0.5]]]),
    )
    ring = [[int(j in (i, (i - 1) % 3)) for j in range(3)] for i in range(3)]
    steps = algorithm("dfedsgpsm", eta=0.25, alpha=0.5, local_steps=2)
    dpsgd, push = algorithm("dpsgd", eta=0.5), algorithm("sgp", eta=0.5)
    every = DoublyStochastic(ring, Fraction(1, 4))
    both = {"spread": True, "noise": True}
    return [
        ("gradient descent, eta 1", algorithm("dpsgd", eta=1.0), alone, {}),
        ("gradient descent, eta 3/2", algorithm("dpsgd", eta=1.5), alone, {}),
        ("heavy ball, beta 1/4", HeavyBall(1.0, 0.25), alone, {}),
        ("heavy ball, beta 1/2", HeavyBall(1.0, 0.5), alone, {}),
        ("Nesterov, beta 1/2", Nesterov(1.0, 0.5), alone, {}),
        *((f"push-sum, ring {n}", push, topology("directed-ring", n), {}) for n in (3, 5, 10)),
        ("push-sum, columns alone, n 3", push, lopsided, {}),
        ("push-sum, K 2, momentum 1/2", steps, lopsided, {}),
        *((f"tracking, path {n}", Tracking(0.1), topology("path", n), {}) for n in (3, 10)),
        ("D-PSGD, path 3", dpsgd, topology("path", 3), both),
        ("push-sum, columns alone", push, lopsided, both),
        ("D-PSGD, every sequence, n 3", dpsgd, every, {"spread": True}),
    ]


def rates() -> bool:
    """GD within ``WITHIN`` of its rate, n = 10 within ``LARGE`` seconds, all accepted."""
    good, exact = True, {"gradient descent, eta 1": 0.9, "gradient descent, eta 3/2": 0.85}
    for label, method, network, options in _cases():
        begun = time.process_time()
        told = forever(method, network, mu=MU, L=L, **options)
        spent = time.process_time() - begun
        begun = time.process_time()
        said = check_certificate.proved(copy.deepcopy(told.certificate))
        checked = time.process_time() - begun
        root, attained = float(told.rate) ** 0.5, told.attained**0.5
        floor = "" if told.floor is None else f"  floor {float(told.floor):.4f}"
        print(
            f"{label:30} {root:.6f} (attained {attained:.6f}){floor}  "
            f"{'PROVED' if said else 'NOT PROVED'}  {spent:.2f} s, check {checked:.2f} s",
            flush=True,
        )
        good = good and root >= attained and (spent <= LARGE or "10" not in label)
        good = good and abs(root - exact.get(label, root)) <= WITHIN
    return good


def _ring(n: int) -> ColumnStochastic:
    return ColumnStochastic(
        [[int(j in (i, (i - 1) % n)) for j in range(n)] for i in range(n)], Fraction(1, 4)
    )


def _attack(n: int, rounds: int) -> float:
    """The largest worst case over the vertices of the first rounds - 1 networks."""
    made = 0.0
    shares = list(itertools.product([0.25, 0.75], repeat=n))
    for chosen in itertools.product(shares, repeat=rounds - 1):
        P = [np.diag(1 - np.array(s)) + np.roll(np.diag(s), 1, 0) for s in chosen]
        answer = worst(
            algorithm("sgp", eta=0.5), from_matrices([*P, P[0]]), rounds=rounds,
            functions=Functions(MU, L), start={"distance": 1, "spread": 1}, metric="distance",
        )  # fmt: skip
        made = max(made, answer.value)
    return made


def networks() -> bool:
    """Known coefficients, and bounds within twice what some network attains."""
    good = True
    for n, rounds, dobrushin in ((3, 3, Fraction(27, 64)), (4, 3, Fraction(13, 16))):
        told = products(_ring(n), rounds)
        print(f"ring {n}, {rounds} rounds: Dobrushin {told.dobrushin}, delta {told.delta}")
        good = good and told.dobrushin == dobrushin
    for n, rounds in ((4, 2), (3, 3)):
        splits = [(0, (j + 1) % n, j, HALF) for j in range(n)] if rounds == 3 else []
        begun = time.process_time()
        bound = every_sequence(_ring(n), rounds, eta=HALF, mu=MU, L=L, splits=splits)
        spent, attained = time.process_time() - begun, _attack(n, rounds)
        print(
            f"push-sum, every sequence, n {n} T {rounds}: PROVED <= {float(bound.claim):.6f}, "
            f"attained {attained:.6f}, ratio {float(bound.claim) / attained:.3f}, {spent:.1f} s",
            flush=True,
        )
        good = good and attained <= bound.claim <= 2 * attained
    for K, end in ((3, HALF), (5, HALF), (10, HALF), (10, Fraction(9, 10))):
        begun = time.process_time()
        told_ = every_spectrum(K, -end, end, ratio=Fraction(1, K))
        spent, scale = time.process_time() - begun, K**0.5
        keep, share = (float((1 + sign * end) / 2) for sign in (-1, 1))  # the eigenvalue -end
        method = algorithm("dpsgd", eta=round(1 / scale, 12), order="mix-then-step")
        answer = worst(
            method, from_matrices([[[keep, share], [share, keep]]]), rounds=K + 1,
            functions=Functions(0, None, 1), start={"distance": 1}, metric="gap-of-mean",
        )  # fmt: skip
        value = float(told_.claim) * scale
        try:
            played = f"replayed {answer.replay().value:.6f}"
        except ArithmeticError as error:
            played = f"not replayed: {error}"
        print(
            f"spectrum [-{end}, {end}], K {K}: PROVED <= {value:.6f} for every n; at "
            f"eigenvalue -{end} the worst case is {answer.value:.6f}, {played}; {spent:.1f} s",
            flush=True,
        )
        good = good and answer.value <= value
    return good


def _entries(at: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where a certificate has a text or a number that something rests on."""
    if isinstance(at, dict):
        pairs = [(key, value) for key, value in at.items() if key not in LEFT_OUT]
    elif isinstance(at, list):
        pairs = list(enumerate(at))
    else:
        return [path]
    return [found for key, value in pairs for found in _entries(value, (*path, key))]


def damaged() -> bool:
    """A claim lowered by 1 % with one more entry changed at random: never accepted."""
    lopsided = _cases()[8]
    told = [
        forever(lopsided[1], lopsided[2], mu=MU, L=L).certificate,
        _floors().certificate,
        every_sequence(_ring(3), 2, eta=HALF, mu=MU, L=L).certificate,
        every_spectrum(3, -HALF, HALF, ratio=Fraction(1, 3)).certificate,
    ]
    draw, accepted, slowest = random.Random(0), 0, 0.0
    for number in range(DAMAGED):
        c = copy.deepcopy(told[number % len(told)])
        c["claim"] = str(Fraction(c["claim"]) * Fraction(99, 100))
        path = draw.choice(_entries(c))
        at = c
        for step in path[:-1]:
            at = at[step]
        if path != ("claim",):
            at[path[-1]] = draw.choice(
                ["0", "1", "-1", "9" * 300, "1/7", None, 0, 2, [], at[path[-1]]]
            )
        begun = time.process_time()
        try:
            check_certificate.proved(c)
            accepted += 1
            print(f"accepted: {path} = {at[path[-1]]!r}"[:150])
        except Exception:
            pass
        slowest = max(slowest, time.process_time() - begun)
    print(f"{DAMAGED} damaged files: {accepted} accepted, the slowest {slowest:.2f} s")
    return not accepted and slowest <= LONGEST


def _floors() -> Rate:
    _, method, network, options = _cases()[12]
    return forever(method, network, mu=MU, L=L, **options)


FIGURES = {"rates": rates, "networks": networks, "damaged": damaged}
