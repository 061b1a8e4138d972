"""Worst cases of methods with personal parts, beside plain runs and closed forms."""

import json
from fractions import Fraction

import numpy as np
import pytest

from theorylab.algorithms import algorithm
from theorylab.metrics import metric
from theorylab.topologies import topology
from theorylab.worst import Functions, check_certificate, worst
from theorylab.worst.program import Program
from theorylab.worst.symmetry import Circulant

ETA_U, ETA_V, T, N = 0.3, 0.2, 2, 3
P = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]]) / 2  # the directed ring of three


def measure(setting):
    return metric("dfedpgp.weighted_stationarity")(setting, {})


def asked(n=N, rounds=T, apart=2, blocks=False, **options):
    method = algorithm("dfedpgp", eta_u=ETA_U, eta_v=ETA_V, steps_u=1, steps_v=1, batch="per-step")
    return worst(
        method, topology("directed-ring", n), rounds=rounds, start={"gap": 1},
        functions=Functions(-1, 1, heterogeneity=apart, blocks=blocks), measure=measure, **options,
    )  # fmt: skip


@pytest.fixture(scope="module")
def answer():
    return asked(certify=True)


def plain_run(H, b, start):
    """The measure of DFedPGP on 1/2 x'H_i x + b_i'x, x = (u, v_i) in R^2 x R^2, and the largest
    diversity of grad_u where it looks."""
    u, v, w = np.tile(start[:2], (N, 1)), start[2:].reshape(N, 2).copy(), np.ones(N)
    total, largest = 0.0, 0.0

    def slopes(points, heads):
        whole = np.concatenate([points, heads], axis=1)
        return np.einsum("iab,ib->ia", H, whole) + b

    for _ in range(T):
        mean = np.tile(u.mean(axis=0), (N, 1))
        heads = slopes(mean, v)[:, 2:]
        v = v - ETA_V * slopes(u / w[:, None], v)[:, 2:]
        shared = slopes(mean, v)[:, :2]
        apart = shared - shared.mean(axis=0)
        largest = max(largest, np.sqrt((apart**2).sum() / N))
        total += 2 * ETA_U * (shared.mean(axis=0) ** 2).sum() + ETA_V * (heads**2).sum() / N
        u = P @ (u - ETA_U * slopes(u / w[:, None], v)[:, :2])
        w = P @ w
    return total / T, largest


def scaled_run(H, draw):
    """``plain_run`` on drawn b and start, scaled to a gap of 1."""
    b, start = draw.standard_normal((N, 4)), draw.standard_normal(2 + 2 * N)
    whole, slope = np.zeros((8, 8)), np.zeros(8)
    for i in range(N):
        place = [0, 1, 2 + 2 * i, 3 + 2 * i]
        whole[np.ix_(place, place)] += H[i] / N
        slope[place] += b[i] / N
    away = start + np.linalg.solve(whole, slope)
    scale = 1 / np.sqrt(away @ whole @ away / 2)
    return plain_run(H, b * scale, start * scale)


def test_no_quadratics_exceed_the_worst_case(answer):
    """Random convex quadratics of largest eigenvalue 1."""
    draw, best = np.random.default_rng(0), 0.0
    for _ in range(200):
        A = draw.standard_normal((N, 4, 4))
        H = np.einsum("iab,icb->iac", A, A)
        H /= np.linalg.eigvalsh(H)[:, -1, None, None]
        value, largest = scaled_run(H, draw)
        if largest <= 2:
            best = max(best, value)
    assert 0.4 * answer.value < best <= answer.value * (1 + 1e-9)


def test_its_worst_functions_are_run_by_the_engine_up_to_the_certified_claim(answer):
    played = answer.replay()
    claim = float(answer.certificate.claim)
    assert answer.value * (1 - 2e-3) <= played.value <= claim <= answer.value * (1 + 1e-5)
    assert played.excess <= 1 + 1e-9
    assert 0 < played.problem.shared < played.problem.dim


def test_a_step_on_one_client_has_the_worst_case_of_a_closed_form():
    """T = 1: 2 eta_u |g_u(v^+)|^2 + eta_v |g_v(v)|^2, where f(v^+) >= |g_u|^2/2 and 1 >= f(v) >=
    f(v^+) + eta_v (1 - eta_v/2) |g_v|^2: all on u, as 4 eta_u > 1/(1 - eta_v/2)."""
    value = asked(n=1, rounds=1).value
    assert value == pytest.approx(2 * ETA_U * 2, rel=1e-6)


def test_the_program_of_a_ring_has_the_value_of_the_whole_program(answer):
    assert isinstance(answer.program, Circulant)
    from theorylab.worst.generation import solved

    whole = solved(Program(answer.question.theorem()))
    assert whole.solution.dual == pytest.approx(answer.value, rel=1e-6)


def test_a_diversity_that_is_smaller_has_a_smaller_worst_case(answer):
    assert asked(apart=Fraction(1, 4)).value < answer.value * (1 - 1e-3)


def damaged(answer, **changes):
    """The file with other parts, of which the method has some."""
    c = json.loads(answer.certificate.text())
    for name, value in changes.items():
        (c if name in c else c["method"])[name] = value
    return c


def refused(c):
    with pytest.raises((ValueError, TypeError, KeyError, IndexError)) as caught:
        check_certificate.proved(c)
    return str(caught.value)


def test_forged_certificates_with_personal_parts_are_not_accepted(answer):
    c = damaged(answer)
    check_certificate.proved(c)
    claim = Fraction(c["claim"])
    assert "claim" in refused(damaged(answer, claim=str(claim * (1 - Fraction(1, 10**5)))))
    assert "has several points" in refused(damaged(answer, places=[9]))  # own models in round 1
    assert "ask all clients" in refused(damaged(answer, places=[1]))
    refused(damaged(answer, personal=None))
    assert "no such class" in refused(damaged(answer, personal="any"))
    negative = [[f"-{weight}", row] for weight, row in c["method"]["squares"]]
    assert "too small" in refused(damaged(answer, squares=negative))
    larger = [[str(Fraction(weight) * 2), row] for weight, row in c["method"]["squares"]]
    refused(damaged(answer, squares=larger))
    refused(damaged(answer, squares=[]))
    kind = {**c["class"], "mu": "0"}
    refused(damaged(answer, **{"class": kind}))


@pytest.fixture(scope="module")
def wider():
    return asked(blocks=True, certify=True)


def test_losses_with_smooth_blocks_are_a_larger_class_than_jointly_smooth_ones(answer, wider):
    assert answer.value < wider.value < 1.2 * answer.value
    check_certificate.proved(damaged(wider))
    assert any(name[0] == "cross" for _, *name in wider.certificate.data["multipliers"])


def test_quadratics_with_smooth_blocks_do_not_exceed_their_worst_case(wider):
    """H_i with blocks of norm at most 1: many have a norm above 1, up to 2."""
    draw, best, wide = np.random.default_rng(1), 0.0, 0
    for _ in range(200):
        A = draw.standard_normal((N, 4, 4))
        H = np.einsum("iab,icb->iac", A, A)
        parts = [H[:, :2, :2], H[:, 2:, 2:], H[:, :2, 2:]]
        H /= np.max([np.linalg.norm(part, 2, axis=(1, 2)) for part in parts], axis=0)[:, None, None]
        wide += bool((np.linalg.eigvalsh(H)[:, -1] > 1.2).any())
        value, largest = scaled_run(H, draw)
        if largest <= 2:
            best = max(best, value)
    assert wide > 100
    assert 0.4 * wider.value < best <= wider.value * (1 + 1e-9)


def test_a_joint_certificate_is_none_of_the_wider_class_nor_the_other_way_round(answer, wider):
    refused(damaged(answer, personal="blocks"))
    refused(damaged(wider, personal="joint"))
