"""Noise and SAM in worst cases: closed forms, exact moments and runs that are never above."""

import importlib.util
import itertools
import pathlib
from fractions import Fraction

import numpy as np
import pytest

from theorylab.topologies import topology
from theorylab.worst import Functions, check_certificate, worst

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("cases_of_worst", HERE / "cases.py")
cases = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cases)
ONE, MU = topology("complete", 1), Fraction(1, 10)
NOISY = Functions(MU, 1, noise=Fraction(1, 2))
RING = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]]) / 2


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_noise_adds_its_variance_to_the_contraction_of_gradient_descent(rounds):
    """q^T R^2 + eta^2 sigma^2 (1 + q + ... + q^(T-1)), q = (1 - mu eta)^2, on f = mu x^2/2."""
    eta, q = Fraction(1, 2), (1 - MU / 2) ** 2
    form = q**rounds + eta**2 * Fraction(1, 4) * sum(q**k for k in range(rounds))
    found = cases.proved(
        "dpsgd", rounds=rounds, network=ONE, functions=NOISY, start={"distance": 1}
    )
    assert form <= found.certificate.claim <= form * (1 + Fraction(1, 10**6))


def test_noises_of_clients_are_averaged():
    """After one round of n clients the mean model has eta^2 sigma^2 / n more."""
    words = {"rounds": 1, "network": topology("complete", 2)}
    plain, noisy = (cases.proved("dpsgd", functions=f, **words) for f in (cases.STRONG, NOISY))
    assert noisy.value == pytest.approx(plain.value + 0.25 * 0.25 / 2, rel=1e-7)


def moments(P, eta, rounds, curvatures, slopes, x0, sigma):
    """E |mean x^T|^2 of push-sum on f_i = h_i x^2/2 + s_i x, with noise of variance sigma^2."""
    n, (mean, S), w = len(P), (np.full(len(P), x0), np.zeros((len(P),) * 2)), np.ones(len(P))
    for _ in range(rounds):
        A = P @ (np.eye(n) - eta * np.diag(curvatures / w))
        mean = A @ mean - eta * P @ slopes
        S = A @ S @ A.T + eta**2 * sigma**2 * P @ P.T
        w = P @ w
    return mean.mean() ** 2 + S.mean()


@pytest.mark.parametrize("rounds", [2, 3])
def test_no_moments_of_push_sum_on_quadratics_are_above_the_claim(rounds):
    network = topology("directed-ring", 3)
    found = cases.proved(rounds=rounds, functions=NOISY, network=network)
    draw, most = np.random.default_rng(rounds), 0.0
    for _ in range(300):
        slopes = draw.normal(size=3)
        slopes -= slopes.mean()  # x* = 0
        slopes *= np.sqrt(3) / np.linalg.norm(slopes)
        ends = draw.choice([0.1, 1.0], size=3)
        most = max(most, moments(RING, 0.5, rounds, ends, slopes, draw.choice([-1, 1]), 0.5))
    assert 0.9 * float(found.certificate.claim) < most <= float(found.certificate.claim)


def sam_run(P, eta, rounds, curvatures, slopes, x0, rho):
    """|mean x^T|^2 of x = P (x - eta grad f(x + rho g/|g|)) on quadratics, slopes (n, d) at 0."""
    x = np.repeat(x0[None], len(P), axis=0)
    for _ in range(rounds):
        g = curvatures * x + slopes
        g = curvatures * (x + rho * g / np.linalg.norm(g, axis=1, keepdims=True)) + slopes
        x = P @ (x - eta * g)
    return float((x.mean(axis=0) ** 2).sum())


@pytest.mark.parametrize("rounds", [1, 2])
def test_sam_of_one_client_is_between_its_runs_and_the_triangle_inequality(rounds):
    rho = 0.25
    found = cases.proved(
        "dfedsam", rounds=rounds, network=ONE, start={"distance": 1}, rho=rho, local_steps=1
    )
    far, most, draw = 1.0, 0.0, np.random.default_rng(0)
    for _ in range(rounds):  # |x - eta grad f(x)| <= (1 - mu eta)|x|, and e moves it by eta L rho
        far = 0.95 * far + 0.5 * rho
    for _ in range(300):
        x0 = draw.normal(size=2)
        ends = draw.choice([0.1, 1.0], size=(1, 2))
        x0 /= np.linalg.norm(x0)
        most = max(most, sam_run(np.eye(1), 0.5, rounds, ends, np.zeros((1, 2)), x0, rho))
    assert most <= float(found.certificate.claim) < far**2
    assert found.value > 1.0001 * 0.95 ** (2 * rounds)  # the ascent does something


def test_no_run_of_sam_on_quadratics_is_above_the_claim():
    found = cases.proved(
        "dfedsam", rounds=2, network=topology("ring", 3), rho=0.25, local_steps=1, eta=0.25
    )
    draw, W = np.random.default_rng(1), np.full((3, 3), 1 / 3)
    for _ in range(300):
        slopes = draw.normal(size=(3, 2))
        slopes -= slopes.mean(axis=0)
        slopes *= np.sqrt(3) / np.linalg.norm(slopes)
        x0, ends = draw.normal(size=2), draw.uniform(0.1, 1, size=(3, 2))
        met = sam_run(W, 0.25, 2, ends, slopes, x0 / np.linalg.norm(x0), 0.25)
        assert met <= float(found.certificate.claim)
    assert found.replay().value <= float(found.certificate.claim)


def test_a_noise_that_two_gradients_share_is_refused():
    words, more = cases.asked(
        "dfedsam", functions=NOISY, network=ONE, start={"distance": 1}, rho=0.25
    )
    with pytest.raises(ValueError, match="asks for every gradient with its own sample"):
        worst(*words, **more)


def test_noise_is_orthogonal_to_what_came_before_it_and_to_nothing_else():
    """Gradient k + 1 is taken at a point that noise k has moved."""
    words, more = cases.asked(
        "dpsgd", rounds=3, network=ONE, functions=NOISY, start={"distance": 1}
    )
    theorem = worst(*words, **more).question.theorem()
    taken = {}
    for k, b in itertools.product(range(3), range(len(theorem.basis))):
        try:
            theorem.inequality("past", k, b)
            taken[k] = [*taken.get(k, []), b]
        except (ValueError, IndexError):
            continue
    # x^0 - x*, then gradient and noise of each query, in turn
    assert taken == {0: [0, 1], 1: [0, 1, 2, 3], 2: [0, 1, 2, 3, 4, 5]}


@pytest.mark.parametrize(("L", "past"), [("1", True), (None, False)])
def test_a_subgradient_that_is_asked_again_may_depend_on_the_noise_before(L, past):
    """The point is x^0 both times; a smooth function has one gradient there, which is shared."""
    words, more = cases.asked("dpsgd", rounds=1, network=ONE, functions=NOISY)
    c = worst(*words, **more).question.as_json()
    c["class"] = {**c["class"], "mu": "0", "L": L}
    c["method"] = {"queries": [[0, []], [0, []]], "averages": [[], ["-1", "-1"]]}
    theorem = check_certificate.Theorem(c)
    (_, gradient, _), (number,) = theorem.nodes[0][-1], theorem.nodes[0][-1][1]
    (b,) = theorem.vectors[number]
    assert gradient == theorem.basis[b]
    if past:
        assert theorem.inequality("past", 0, b)[1:] == ({}, 0)
    else:
        with pytest.raises(ValueError, match="not of the past"):
            theorem.inequality("past", 0, b)


@pytest.mark.parametrize(("name", "key"), [("dpsgd", "noise"), ("dfedsam", "radius")])
def test_a_certificate_of_less_noise_or_a_smaller_radius_is_not_proved(name, key):
    """The same multipliers, with a claim below what is attained, or conditions that are others."""
    options = {"rho": 0.25, "local_steps": 1} if name == "dfedsam" else {}
    functions = NOISY if key == "noise" else cases.STRONG
    found = cases.proved(
        name, rounds=2, network=ONE, functions=functions, start={"distance": 1}, **options
    )
    c = found.certificate.data
    check_certificate.proved(c)
    lower = {**c, "claim": str(found.certificate.claim * (1 - Fraction(1, 10**5)))}
    with pytest.raises(ValueError, match="the claim is too small"):
        check_certificate.proved(lower)
    signed = [m for m in c["multipliers"] if m[1] not in ("past",)]
    turned = [[-m[0], *m[1:]] for m in signed[:1]] + c["multipliers"][1:]
    with pytest.raises(ValueError, match="an integer is not in its range"):
        check_certificate.proved({**c, "multipliers": turned})
    kept = [m for m in c["multipliers"] if m[1] not in ("error",)]
    with pytest.raises(ValueError, match="not positive semidefinite"):
        check_certificate.proved({**c, "multipliers": kept})


def test_an_ascent_is_within_its_radius_and_on_the_side_of_its_gradient():
    words, more = cases.asked(
        "dfedsam", rounds=1, network=ONE, start={"distance": 1}, rho=0.25, local_steps=1
    )
    theorem = worst(*words, **more).question.theorem()

    def met(name, g, e):  # the basis is x^0 - x*, the gradient, the ascent, a later gradient
        terms, values, most = theorem.inequality(name, 1)
        assert values == {}
        place = {number: next(iter(row)) for number, row in enumerate(theorem.vectors)}
        sizes = {1: g, 2: e}
        each = [c * sizes[place[min(p)]] * sizes[place[min(q)]] for c, p, q in terms]
        return sum(each) <= most

    assert [met("error", 3, e) for e in (-0.25, 0.25, 0.2501)] == [True, True, False]
    assert [met("along", 3, e) for e in (-0.1, 0, 0.1)] == [False, True, True]


@pytest.mark.parametrize(
    ("name", "functions", "options", "words"),
    [
        ("dpsgd", NOISY, {}, ", noise e of mean 0 given all queries before it, E |e|^2 <= 1/4; "),
        ("dpsgd", NOISY, {}, ", in expectation (SHA-256 of the method "),
        (
            "dfedsam",
            cases.STRONG,
            {"rho": 0.25, "local_steps": 1},
            "2 gradients by the recursion of the file, 1 ascents e of SAM along g, <e, g> >= 0, "
            "|e| <= 1/4 (SHA",
        ),
    ],
)
def test_the_checker_tells_what_noise_and_ascents_it_allows(
    name, functions, options, words, tmp_path, capsys
):
    found = cases.proved(
        name, rounds=1, network=ONE, functions=functions, start={"distance": 1}, **options
    )
    found.certificate.save(tmp_path / "c.json")
    assert check_certificate.main([str(tmp_path / "c.json")]) == 0
    assert words in capsys.readouterr().out


def test_noise_may_pick_the_subgradient_of_what_is_asked_after_it():
    """f = |x| from x^0 = x* = 0: of two queries there the second answers by the first's sign."""
    coins = itertools.product((10, -10), repeat=2)
    met = sum((1 + a + np.sign(a) + b) ** 2 for a, b in coins) / 4
    kinds = {"mu": "0", "L": None, "B": "1", "heterogeneity": None, "noise": "10"}
    steps = {"queries": [[0, []], [0, []]], "averages": [[], ["-1", "-1"]]}
    c = cases.proved(rounds=1, network=ONE).certificate.data
    c |= {"class": kinds, "start": {"distance": "0"}, "method": steps, "clients": 1}
    before = [(0, 1), (1, 1), (1, 2), (1, 3), (0, 3)]  # noise of a query, what it is orthogonal to
    told = [[2, "bounded", 0, 1], [2, "bounded", 0, 2], [1, "error", 0], [1, "error", 1]]
    told = [[10**6 * y + 1, *name] for y, *name in told] + [[10**12, "distance"]]
    told += [[2 * 10**6, "past", *at] for at in before]
    told += [[-2 * 10**6, "past", k, 0] for k in range(2)]
    c |= {"multipliers": told, "denominator": 10**6, "claim": "204001/1000"}
    assert met > Fraction(c["claim"])
    with pytest.raises(ValueError, match="it is not of the past"):
        check_certificate.proved(c)
