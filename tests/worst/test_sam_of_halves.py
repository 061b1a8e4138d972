"""SAM on one part of personal methods: runs of DFedSalt are never above, and its conditions."""

import copy
from fractions import Fraction

import numpy as np
import pytest

from theorylab.algorithms import algorithm
from theorylab.metrics import metric
from theorylab.topologies import topology
from theorylab.worst import Functions, NotLinearError, check_certificate, record, worst
from theorylab.worst.check_certificate import over

ETA_U, ETA_V, RHO, N, T = 0.3, 0.2, 0.25, 2, 2
QUARTER = Fraction(1, 4)


def method(rho, sam="body"):
    options = {"eta_u": ETA_U, "eta_v": ETA_V, "steps_u": 1, "steps_v": 1, "batch": "per-step"}
    return algorithm("dfedsalt", rho=rho, sam=sam, **options)


def asked(rho=RHO, certify=True, blocks=True):
    return worst(
        method(rho), topology("complete", N), rounds=T, start={"gap": 1}, certify=certify,
        functions=Functions(-1, 1, heterogeneity=2, blocks=blocks),
        measure=lambda setting: metric("dfedalt.weighted")(setting, {}),
    )  # fmt: skip


@pytest.fixture(scope="module")
def answer():
    return asked()


def run(H, b, start):
    """The measure of DFedSalt on 1/2 x'H_i x + b_i'x, x = (u, v_i) in R^2 x R^2, and the largest
    diversity of grad_u where it looks."""
    u, v = np.tile(start[:2], (N, 1)), start[2:].reshape(N, 2).copy()
    total, apart = 0.0, 0.0

    def slopes(points, heads):
        whole = np.einsum("iab,ib->ia", H, np.concatenate([points, heads], axis=1)) + b
        return whole[:, :2], whole[:, 2:]

    for _ in range(T):
        heads, center = slopes(u, v)[1], np.tile(u.mean(axis=0), (N, 1))
        v = v - ETA_V * heads
        shared = slopes(center, v)[0]
        apart = max(apart, np.sqrt(((shared - shared.mean(axis=0)) ** 2).sum() / N))
        total += ETA_U * (shared.mean(axis=0) ** 2).sum() + ETA_V * (heads**2).sum() / N
        g = slopes(u, v)[0]
        ascent = RHO * g / np.linalg.norm(g, axis=1, keepdims=True)
        u = np.tile((u - ETA_U * slopes(u + ascent, v)[0]).mean(axis=0), (N, 1))
    return total / T, apart


def scaled(draw):
    """Convex quadratics with blocks of norm at most 1 whose start is 1 above their least value."""
    A = draw.standard_normal((N, 4, 4)) * draw.choice([0.05, 1], (N, 1, 4))
    H = np.einsum("iab,icb->iac", A, A)
    parts = [H[:, :2, :2], H[:, 2:, 2:], H[:, :2, 2:]]
    H /= np.max([np.linalg.norm(part, 2, axis=(1, 2)) for part in parts], axis=0)[:, None, None]
    start, whole, b = draw.standard_normal(2 + 2 * N), np.zeros((6, 6)), np.zeros((N, 4))
    for i in range(N):
        place = [0, 1, 2 + 2 * i, 3 + 2 * i]
        whole[np.ix_(place, place)] += H[i] / N
    return H, b, start / np.sqrt(start @ whole @ start / 2)


def test_no_run_of_dfedsalt_on_quadratics_is_above_the_claim(answer):
    draw, best, claim = np.random.default_rng(0), 0.0, float(answer.certificate.claim)
    for _ in range(300):
        value, apart = run(*scaled(draw))
        if apart <= 2:
            best = max(best, value)
    assert 0.5 * claim < best <= claim


def test_the_ascent_makes_the_worst_case_larger_and_less_so_the_smaller_it_is(answer):
    values = [asked(rho=rho, certify=False).value for rho in (1e-4, 0.1)]
    assert values[0] < values[1] * (1 - 1e-4) < answer.value * (1 - 2e-4)


def test_the_engines_run_on_worst_functions_is_below_the_joint_class():
    joint = asked(blocks=False, certify=False)
    assert 0.9 * joint.value < joint.replay().value <= joint.value * (1 + 1e-6)


def test_an_ascent_has_a_radius_and_a_side_in_each_space(answer):
    theorem = answer.question.theorem()
    k = min(theorem.errors)
    e, g, size = theorem.errors[k]
    assert size == RHO
    values = {}  # every element of the basis by a number of its own
    for row in theorem.vectors:
        values |= {j: j + 1 for j in row}

    def length(combination, space):
        row = over(combination, theorem.vectors)
        return sum(v * values[j] for j, v in row.items() if j % 2 == space)

    for space in range(2):
        far, along = (theorem.inequality(name, k, space) for name in ("error", "along"))
        for (terms, level, most), said in zip(
            (far, along), (length(e, space) ** 2, -length(e, space) * length(g, space)), strict=True
        ):
            made = sum(c * sum(length(p, h) * length(q, h) for h in range(2)) for c, p, q in terms)
            assert (made, level) == (said, {})
            assert most == (RHO**2 if terms is far[0] else 0)
    for at in ((k,), (k, 2), (k, 0, 0)):
        for name in ("error", "along"):
            with pytest.raises(ValueError, match="no such place"):
                theorem.inequality(name, *at)


def test_the_checker_says_so_and_accepts_neither_another_radius_nor_a_lower_claim(answer):
    c = answer.certificate.data
    said = check_certificate.proved(copy.deepcopy(c))
    assert "4 ascents e of SAM along g, in u and in v alone, <e, g> >= 0, |e| <= 1/4" in said
    wider = copy.deepcopy(c)
    for query in wider["method"]["queries"]:
        if query[0] < 0:
            query[1] = ["13/50"]
    with pytest.raises(ValueError, match="the claim is too small"):
        check_certificate.proved(wider)


@pytest.mark.parametrize(("sam", "ascents"), [("body", N), ("head", N), ("both", 2 * N)])
def test_the_recorder_follows_the_part_that_ascends(sam, ascents):
    """It raises where the engine, on random gradients, asks elsewhere than its rows tell."""
    made = record(method(RHO, sam), topology("complete", N), 1)
    assert sum(i < 0 for i, _ in made.queries) == ascents
    assert {row[0] for i, row in made.queries if i < 0} == {QUARTER}


def test_an_ascent_of_both_parts_at_once_is_not_linear():
    with pytest.raises(NotLinearError, match="ascends in both parts at once"):
        record(method(RHO, "whole"), topology("complete", N), 1)


def test_a_method_with_personal_parts_needs_a_measure_of_its_own():
    with pytest.raises(ValueError, match="dfedsalt keeps personal parts; need the ID of a theorem"):
        worst(method(RHO), topology("complete", N), rounds=1, start={"gap": 1},
              functions=Functions(-1, 1))  # fmt: skip
