r"""Algorithm 1 of deprl written out again in Arb balls, its M(k) and what the other claims measure.

m times theta_i -= alpha grad_theta F_i(phi_i, theta_i); with the last theta_i,
phi_i -= beta grad_phi F_i(phi_i, theta_i);  phi_i = sum_j P_ij phi_j.
m is tau, or tau - 1 where line 10 is read literally; every gradient may have a kick, its noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import flint

from theorylab.algorithms import DePRL
from theorylab.falsify._balls import (
    ZERO,
    Ball,
    Point,
    Vector,
    Weights,
    ball,
    gap,
    less,
    mean,
    mixed,
    square,
    total,
    vector,
    weights_of,
)
from theorylab.falsify._personal_balls import Losses, losses_of, parts_of
from theorylab.runs import Setting

Kick = Callable[[int, int], Vector | None]  # (step, worker) -> noise; the m-th step is phi's
MOST_NUMBERS = 100  # in y: matrices of balls of this size take a second a product


@dataclass(frozen=True)
class Method:
    """The losses and the options: ``count`` head steps, tau in M(k). each: M(k) by blocks, with
    the factor L^2 before the distance."""

    losses: Losses
    P: Weights
    alpha: Ball
    beta: Ball
    count: int
    tau: int
    each: bool
    factor: Ball

    def round(self, phi: Point, theta: Point, kick: Kick | None = None) -> tuple[Point, Point]:
        """(phi(k+1), theta(k+1))."""
        workers, now = range(len(phi)), theta
        for s in range(self.count):
            now = [
                less(now[i], self.alpha, self._slope(i, phi[i], now[i], 1, s, kick))
                for i in workers
            ]
        half: Point = [
            less(phi[i], self.beta, self._slope(i, phi[i], now[i], 0, self.count, kick))
            for i in workers
        ]
        return mixed(self.P, half), now

    def _slope(
        self, i: int, phi: Vector, theta: Vector, part: int, s: int, kick: Kick | None
    ) -> list[Ball]:
        g = self.losses.gradient(i, phi, theta)[part]
        noise = None if kick is None else kick(s, i)
        return g if noise is None else [a + b for a, b in zip(g, noise, strict=True)]

    def parts(self, phi: Point, theta: Point, after: Point) -> list[Ball]:
        """The vector whose squared length is M(k), Eq. (10)."""
        middle, n = mean(phi), len(phi)
        body = mean([self.losses.gradient(i, middle, after[i])[0] for i in range(n)])
        heads = [self.losses.gradient(i, middle, theta[i])[1] for i in range(n)]
        if self.each:
            root = (self.alpha * self.count / self.beta / n).sqrt()
            seen = [flint.arb(2).sqrt() * g for g in body]
            seen += [root * g for head in heads for g in head]
        else:
            root = (self.alpha * self.tau / self.beta).sqrt()
            seen = body + [root * g for g in mean(heads)]
        return seen + self.distance(phi)

    def distance(self, phi: Point) -> list[Ball]:
        """The vector whose squared length is factor / N sum_i ||phi_i - phibar||^2."""
        middle, root = mean(phi), (self.factor / len(phi)).sqrt()
        return [root * g for one in phi for g in gap(one, middle)]


def head_steps(run: DePRL) -> int:
    """m, of the theta_i(k+1) that follows."""
    assert isinstance(run.tau, int)
    return run.tau - (run.head == "printed")


def method_of(setting: Setting, losses: Losses, L: float | None) -> Method:
    """L: of M(k) by blocks; None: as printed."""
    run, P = setting.algorithm, setting.topology.matrix(0)
    assert isinstance(run, DePRL)
    assert isinstance(run.tau, int)
    steps = ball(run.alpha), ball(run.beta), head_steps(run), run.tau
    factor = flint.arb(1) if L is None else ball(L) ** 2
    return Method(losses, weights_of(P), *steps, L is not None, factor)


def played(method: Method, setting: Setting, rounds: int, alone: bool) -> Ball:
    """(1/K) sum_{k<K} M(k) without noise, K = ``rounds``; ``alone``: its distance only."""
    phi, theta = parts_of(setting.start, setting.problem.shared)
    found = ZERO
    for _ in range(rounds):
        after = method.round(phi, theta)
        found += square(method.distance(phi) if alone else method.parts(phi, theta, after[1]))
        phi, theta = after
    return found / rounds


def expected(method: Method, setting: Setting, rounds: int, alone: bool) -> Ball:
    """(1/K) sum_{k<K} E M(k) on quadratics with independent isotropic noise, or none.

    A round is an affine map of y = (1, phi, theta) and of all kicks: it is played with y one unit
    vector after the other, and once for each kick. With S = E y y^T, S -> A S A^T + N; a sum over
    k rounds, tr(Q S) + c, is doubled and lengthened by one along K's binary digits.
    """
    phi, theta = parts_of(setting.start, setting.problem.shared)
    y = [flint.arb(1), *_flat(phi), *_flat(theta)]
    n, du, dv = len(phi), len(phi[0]), len(theta[0])

    def image(z: Vector, kick: Kick | None = None) -> tuple[list[Ball], list[Ball]]:
        u: Point = [list(z[1 + i * du : 1 + (i + 1) * du]) for i in range(n)]
        rest = z[1 + n * du :]
        v: Point = [list(rest[i * dv : (i + 1) * dv]) for i in range(n)]
        new_u, new_v = method.round(u, v, kick)
        seen = method.distance(u) if alone else method.parts(u, v, new_v)
        return [z[0], *_flat(new_u), *_flat(new_v)], seen

    origin = [flint.arb(1)] + [ZERO] * (len(y) - 1)
    base = image(origin)
    columns = [base]
    for k in range(1, len(y)):
        moved = image([flint.arb(1 if j in (0, k) else 0) for j in range(len(y))])
        columns.append((gap(moved[0], base[0]), gap(moved[1], base[1])))
    kicked = [image(origin, kick) for kick in _kicks(method, setting.problem, n, du, dv)]
    rows = [(gap(a, base[0]), gap(b, base[1])) for a, b in kicked]
    A = flint.arb_mat([c for c, _ in columns]).transpose()
    L = flint.arb_mat([seen for _, seen in columns]).transpose()
    noise = flint.arb_mat([a for a, _ in rows]) if rows else flint.arb_mat(1, len(y))
    N, Q, c = noise.transpose() * noise, L.transpose() * L, total(square(b) for _, b in rows)
    power, spread, form, constant = A, N, Q, c
    for digit in bin(rounds)[3:]:
        form, constant, spread = (
            form + power.transpose() * form * power,
            2 * constant + (form * spread).trace(),
            power * spread * power.transpose() + spread,
        )
        power = power * power
        if digit == "1":
            form = form + power.transpose() * Q * power
            constant = constant + c + (Q * spread).trace()
            spread = A * spread * A.transpose() + N
            power = A * power
    start = flint.arb_mat([y])
    return ((start * form * start.transpose()).trace() + constant) / rounds


def _flat(points: Point) -> list[Ball]:
    return [number for one in points for number in one]


def _kicks(method: Method, problem: Any, n: int, du: int, dv: int) -> Iterator[Kick]:
    """Every coordinate of every gradient's noise, sigma / sqrt d, alone."""
    sigma_u, sigma_v = (part.sigma for part in problem.field.parts)
    for step in range(method.count + 1):
        d, sigma = (dv, sigma_v) if step < method.count else (du, sigma_u)
        if not sigma:
            continue
        size = ball(sigma) / flint.arb(d).sqrt()
        for i in range(n):
            for c in range(d):
                yield _one(step, i, [size if j == c else ZERO for j in range(d)])


def _one(step: int, worker: int, noise: Vector) -> Kick:
    return lambda s, i: noise if (s, i) == (step, worker) else None


def head_gradient(problem: Any, point: Any, column: str) -> Ball:
    """||df/d(theta_1, ..., theta_N)||^2 at (phi, theta_i), or of one shift of all heads."""
    losses = losses_of(problem)
    assert losses is not None
    phi, theta = parts_of(point, problem.shared)
    g = [losses.gradient(i, phi[i], theta[i])[1] for i in range(len(phi))]
    if column == "common_shift":
        return square(mean(g))
    return total(square(one) for one in g) / len(g) ** 2


def mixing(P: Any, k: int) -> Ball:
    """max_ij |(P^k)_ij - 1/N|."""
    made = flint.arb_mat([vector(row) for row in P.toarray()]) ** k
    found = [abs(entry - flint.fmpq(1, made.nrows())) for entry in made.entries()]
    largest = found[0]
    for one in found[1:]:
        largest = largest.max(one)
    return largest


def decades(rounds: int) -> int:
    return max(1, math.ceil(math.log2(rounds)))
