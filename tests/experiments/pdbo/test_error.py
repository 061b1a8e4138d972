"""The law of HGP's error, against a plain enumeration of (17) to (19), and its means."""

import itertools

import numpy as np
import pytest

from theorylab.experiments import experiment

TABLE = [[1, 0.3], [0.7, 1]]
OPTIONS = {
    "network": {"name": "sto-d", "probabilities": TABLE},
    "samples": 2,
    "alpha": 0.6,
    "beta": 0.3,
    "terms": [1, 2],
}


def plain(maps, alpha, beta, terms, law):
    """(17) to (19) for every edge pattern and every sample: [(chance, v)], loops only."""
    n, d = maps.c_y.shape
    rounds = list(itertools.product((0, 1), (0, 1), (0, 1), (0, 1)))  # edges 0->1, 1->0; samples

    def drawn(case, phi, psi):
        rows = phi.shape[2]
        out = np.zeros((n * rows, n * d))
        for j, i in itertools.product(range(n), range(n)):  # block (j, i), from j's Jacobian
            there = 1 if i == j else (case[1] if j == 0 else case[0])  # i -> j
            often = 1 if i == j else TABLE[j][i]
            block = there / often * law.mean[i, j] * phi[j, case[2 + j]]
            if i == j:
                block = block + psi[j, case[2 + j]]
            out[j * rows : (j + 1) * rows, i * d : (i + 1) * d] = block
        return out

    def chance(case):
        return np.prod([
            TABLE[1][0] if case[0] else 1 - TABLE[1][0],
            TABLE[0][1] if case[1] else 1 - TABLE[0][1],
            0.25,
        ])  # fmt: skip

    found = []
    for path in itertools.product(rounds, repeat=2 * terms - 1):
        c = maps.c_y.ravel()
        v, u, w = np.zeros(maps.c_lam.size), c, c
        for m in range(terms):
            B = drawn(path[2 * m], maps.phi_lam, maps.psi_lam)
            v = alpha * (v + B @ u) + (1 - alpha) * B @ w
            if m + 1 < terms:
                A = drawn(path[2 * m + 1], maps.phi_y, maps.psi_y)
                u = A @ u
                w = beta * (A @ w + c) + (1 - beta) * (w + u)
        found.append((np.prod([chance(case) for case in path]), v))
    return found


def test_the_law_is_that_of_a_plain_enumeration():
    at = experiment("hgp-error", **OPTIONS)
    rows = at.observe("error", range(1), 0).rows
    for terms, row in zip((1, 2), rows, strict=True):
        wanted = plain(at.local, 0.6, 0.3, terms, at.edges)
        errors = sorted((np.linalg.norm(v - at.truth.ravel()), p) for p, v in wanted)
        found = sorted(zip(row.values, row.weights, strict=True))
        assert len(found) == len(errors) == 16 ** (2 * terms - 1)
        # 20 products of numbers below 1 in size
        gaps = np.abs(np.array(found)[:, 0] - np.array(errors)[:, 0])
        assert gaps.max() <= 100 * 2.0**-53
        for level in (0.5, 0.9):
            chances = [
                sum(p for e, p in law if e > level * found[-1][0]) for law in (found, errors)
            ]
            assert abs(chances[0] - chances[1]) <= 1e-12  # 4096 chances added in another order


@pytest.mark.parametrize("weights", [(0.6, 0.3), (1.0, 0.0)])
def test_the_law_s_mean_is_the_truncated_series(weights):
    options = {**OPTIONS, "alpha": weights[0], "beta": weights[1]}
    made = experiment("hgp-error", **options)
    for row in made.observe("bias_of_sum", range(1), 0).rows:
        assert row.values[0] <= 1e-13
    both = [made.observe(name, range(1), 0).rows for name in ("bias_law", "truncation")]
    for one, other in zip(*both, strict=True):
        assert abs(one.values[0] - other.values[0]) <= 1e-13


def test_bounded_maps_attain_the_norms_of_assumption_8_and_no_more():
    at = experiment("hgp-error", eta_A=0.7, eta_B=3.0, samples=3)
    tops = [np.linalg.norm(part, 2, axis=(-2, -1)).max() for part in at.local.parts]
    kappa = at.kappa.value
    assert tops == pytest.approx([0.35 / kappa, 0.35 / kappa, 1.5 / kappa, 1.5 / kappa], rel=1e-12)
    known = at.constants()
    assert 0.7 < known["eta_A"].value < 0.7 * (1 + 1e-9)
    assert known["op_A"].value <= known["eta_A"].value


def test_the_operator_norm_from_the_parts_is_an_upper_bound_on_the_listed_one():
    sgp, problem = {"step": 0.4, "variant": "4a"}, {"noise": 0.2}
    at = experiment("hgp-error", maps="sgp", sgp=sgp, problem=problem)
    listed, summed = at.operators(), at.operators_from_parts()
    assert all(listed[name].value <= summed[name].value for name in ("op_A", "op_B"))


def test_sgp_s_truth_is_the_library_s_hypergradient():
    from theorylab.hypergradients import SGP, QuadraticBilevel, edge_law, exact
    from theorylab.topologies import topology

    at = experiment("hgp-error", maps="sgp", clients=3, sgp={"step": 0.2, "variant": "4b"}, seed=5)
    problem = QuadraticBilevel.random(3, dim=2, hyper=2, seed=5)
    law = edge_law(topology("sto-d", 3))
    wanted = exact(problem, law, SGP(0.2, "4b"), np.ones((3, 2))).gradient
    assert np.abs(at.truth + at.local.c_lam - wanted).max() <= 1e-11  # a residual of 1e-12 each


def test_drawn_runs_do_not_depend_on_their_neighbours():
    made = experiment("hgp-error", **{**OPTIONS, "law": "sample", "terms": [5]})
    both = made.observe("error", range(6), 3).rows[0].values
    for run in (0, 4):
        assert made.observe("error", range(run, run + 1), 3).rows[0].values[0] == both[run]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"maps": "free"}, "hgp-error: maps is 'free'; need one of"),
        ({"terms": [0]}, "hgp-error: terms is [0]; need integers >= 1"),
        ({"law": "guess"}, "hgp-error: law is 'guess'; need one of"),
        ({"eps_chance": 1.0}, "hgp-error: eps_chance is 1.0; need 0 <"),
        ({"eta_A": -1.0}, "hgp-error: eta_A is -1.0, eta_B 1.0; need > 0"),
        ({"dim": 0}, "hgp-error: dim is 0; need an integer >= 1"),
    ],
)
def test_bad_options_get_one_line(options, message):
    with pytest.raises(ValueError, match="hgp-error") as caught:
        experiment("hgp-error", **options)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["random-out", "random-in", "random-symmetric"])
def test_the_law_of_clients_that_draw_their_edges_is_unbiased(name):
    # E over 8 patterns of three clients, 512 outcomes: HGP needs no independence of edges
    network = {"name": name, "degree": 1}
    made = experiment("hgp-error", clients=3, network=network, terms=[1, 2], alpha=1.0, beta=0.0)
    for row in made.observe("bias_of_sum", range(1), 0).rows:
        assert row.values[0] <= 1e-13
    assert made.observe("floor_A", range(1), 0).rows[1].values[0] > 0.01  # something is random


def test_too_many_outcomes_get_one_line():
    made = experiment("hgp-error", clients=3, terms=[9])
    with pytest.raises(ValueError, match="more than 131072 outcomes; need fewer terms"):
        made.observe("error", range(1), 0)


def test_kappa_and_the_spread_pair_what_is_sent_with_the_other_way_s_frequency():
    made = experiment("hgp-error", **OPTIONS)
    P, known = made.edges.mean, made.constants()
    ratios = [P[i, j] / TABLE[j][i] for i in range(2) for j in range(2)]  # pbar_ji / dbar_{i->j}
    assert known["kappa"].value == pytest.approx(sum(ratios), rel=1e-14)
    assert known["edge_spread"].value == pytest.approx(sum(r * r for r in ratios), rel=1e-14)


def test_the_blocks_errors_add_up_to_the_whole_error():
    made = experiment("hgp-error", **OPTIONS)
    whole = made.observe("error", range(1), 0).rows
    blocks = made.observe("block_error", range(1), 0).rows
    for k, row in enumerate(whole):
        total = blocks[2 * k].values ** 2 + blocks[2 * k + 1].values ** 2
        assert np.abs(total - row.values**2).max() <= 1e-14 * total.max()
