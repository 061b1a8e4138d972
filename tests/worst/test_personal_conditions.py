"""The conditions of a certificate with personal parts, on losses that are of the class."""

import itertools
import json

import numpy as np
import pytest

from theorylab.algorithms import algorithm
from theorylab.metrics import metric
from theorylab.topologies import topology
from theorylab.worst import Functions, check_certificate, worst

N, D = 2, 2  # clients; coordinates of u, and of v


@pytest.fixture(scope="module", params=[False, True], ids=["joint", "blocks"])
def answer(request):
    method = algorithm("dfedpgp", eta_u=0.3, eta_v=0.2, steps_u=2, steps_v=1, batch="per-step")
    return worst(
        method, topology("directed-ring", N), rounds=2, start={"gap": 1}, certify=True,
        functions=Functions(-1, 1, heterogeneity=1, blocks=request.param),
        measure=lambda s: metric("dfedpgp.weighted_stationarity")(s, {}),
    )  # fmt: skip


def losses(draw, blocks):
    """Hessians (N, 2 D, 2 D) of norm 1, or with blocks of norm 1, not definite, and slopes."""
    A = draw.standard_normal((N, 2 * D, 2 * D))
    H = A + A.transpose(0, 2, 1)
    if not blocks:
        return H / np.linalg.norm(H, 2, axis=(1, 2))[:, None, None], draw.standard_normal((N, 4))
    for k, m in itertools.product(range(2), range(2)):
        part = np.s_[:, D * k : D * k + D, D * m : D * m + D]
        H[part] /= np.linalg.norm(H[part], 2, axis=(1, 2))[:, None, None]
    return H, draw.standard_normal((N, 4))


class Played:
    """Every element of the basis, and every value, of a theorem on given losses."""

    def __init__(self, theorem, H, b):
        self.theorem, self.at, self.values = theorem, {}, {}
        nodes = [(min(self.row(g)), i, x, g, f) for i, own in enumerate(theorem.nodes)
                 for x, g, f in own]  # fmt: skip
        for first, i, x, _, f in sorted(nodes, key=lambda node: node[0]):
            point = self.vector(x)
            slope = H[i] @ point + b[i]
            self.at[first] = np.concatenate([slope[:D], np.zeros(D)])
            self.at[first + 1] = np.concatenate([np.zeros(D), slope[D:]])
            (number,) = f
            self.values[number] = point @ H[i] @ point / 2 + b[i] @ point

    def row(self, combination):
        return check_certificate.over(combination, self.theorem.vectors)

    def vector(self, combination):
        return sum((float(v) * self.at[k] for k, v in self.row(combination).items()), np.zeros(4))

    def excess(self, *name):
        """By how much an inequality is missed."""
        terms, levels, most = self.theorem.inequality(*name)
        form = sum(float(c) * (self.vector(p) @ self.vector(q)) for c, p, q in terms)
        return form + sum(float(v) * self.values[k] for k, v in levels.items()) - float(most)


def test_pairs_of_points_meet_their_inequalities(answer):
    theorem, draw = answer.question.theorem(), np.random.default_rng(0)
    kinds = set()
    for _ in range(8):
        played = Played(theorem, *losses(draw, theorem.blocks))
        for i, own in enumerate(theorem.nodes):
            for a, b in itertools.permutations(range(len(own)), 2):
                moved = len(theorem.moved(i, a, b))
                kinds.add(moved)
                assert played.excess("pair", i, a, b) <= 1e-9
                if theorem.blocks and moved == 1:
                    assert played.excess("cross", i, a, b) <= 1e-9
    assert kinds == {1, 2}


def test_values_stay_above_the_least_one_by_what_a_step_gains(answer):
    """Convex losses; F* = min F of u and all v_i, at which F is set to 0. The first are
    (u + v - c)^2/2, whose blocks are 1 and whose norm is 2, or |(u, v) - c|^2/2, up to little."""
    theorem, draw = answer.question.theorem(), np.random.default_rng(1)
    for k in range(8):
        H, b = losses(draw, theorem.blocks)
        H = np.einsum("iab,icb->iac", H, H)
        if not k:
            tight = np.kron(np.ones((2, 2)), np.eye(D)) if theorem.blocks else np.zeros((4, 4))
            H = np.array([tight + (1e-6 if theorem.blocks else 1) * np.eye(4)] * N)
            b = np.einsum("iab,ib->ia", H, np.tile(draw.standard_normal(4), (N, 1)))
        norms = [
            np.linalg.norm(H[:, :D, :D], 2, axis=(1, 2)),
            np.linalg.norm(H[:, D:, D:], 2, axis=(1, 2)),
        ]
        size = np.max(norms, axis=0) if theorem.blocks else np.linalg.norm(H, 2, axis=(1, 2))
        H, b = H / size[:, None, None], b / size[:, None]
        played = Played(theorem, H, b)
        whole, slope = np.zeros((D + N * D, D + N * D)), np.zeros(D + N * D)
        for i in range(N):
            place = [*range(D), *range(D + i * D, D + i * D + D)]
            whole[np.ix_(place, place)] += H[i] / N
            slope[place] += b[i] / N
        least = -slope @ np.linalg.solve(whole, slope) / 2
        played.values = {k: v - least for k, v in played.values.items()}
        for j in range(len(theorem.everywhere)):
            assert played.excess("above", j) <= 1e-9
            if theorem.blocks:
                assert played.excess("heads", j) <= 1e-9


def test_inequalities_of_one_half_are_none_of_points_that_differ_in_both(answer):
    theorem = answer.question.theorem()
    for i, own in enumerate(theorem.nodes):
        for a, b in itertools.permutations(range(len(own)), 2):
            if len(theorem.moved(i, a, b)) == 2 or not theorem.blocks:
                with pytest.raises(ValueError, match=r"both halves move|no such inequality"):
                    theorem.inequality("cross", i, a, b)
    if not theorem.blocks:
        with pytest.raises(ValueError, match="no such inequality"):
            theorem.inequality("heads", 0)


def test_both_halves_of_the_form_are_decided(answer):
    """Left sides with more weight on one half alone."""
    for half in range(2):
        c = json.loads(answer.certificate.text())
        for square in c["method"]["squares"]:
            if any(v != "0" and k % 2 == half for k, v in enumerate(square[1])):
                square[0] = str(4 * check_certificate.rational(square[0]))
        with pytest.raises(ValueError, match="not positive semidefinite"):
            check_certificate.proved(c)
