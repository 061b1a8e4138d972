"""What a checker prints is the theorem that it has proved, with all that the theorem assumes."""

import copy
import importlib.util
import pathlib
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from theorylab.algorithms import algorithm
from theorylab.topologies import topology
from theorylab.worst import (
    ColumnStochastic,
    Functions,
    check_certificate,
    every_sequence,
    every_spectrum,
    forever,
    worst,
)
from theorylab.worst.replay import _run

HERE = pathlib.Path(__file__).parent


def loaded(name):
    spec = importlib.util.spec_from_file_location(f"{name}_of_worst", HERE / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


methods, cases = loaded("linear_methods"), loaded("cases")
MU, L, ETA = Fraction(1, 10), Fraction(1), Fraction(1, 2)
ALIKE = "where grad f_i(x*) = 0 for every i"


def rate(n, **options):
    method, network = algorithm("sgp", eta=0.5), topology("directed-ring", n)
    return forever(method, network, mu=MU, L=L, **options)


def test_without_a_spread_the_bound_is_false_of_other_functions_and_says_so():
    """f_i = a_i/2 x^2 - b_i x with sum b = 0: x* = 0, and the mean model ends elsewhere."""
    told = rate(3)
    claim = {"rate": told.rate, "factor": told.numbers["factor"]}
    a, b, x = (L, MU, MU), (10, -10, 0), [Fraction(1)] * 3
    for _ in range(20):
        sent = [x[i] - ETA * (a[i] * x[i] - b[i]) for i in range(3)]
        x = [(sent[i] + sent[i - 1]) / 2 for i in range(3)]
    assert (sum(x) / 3) ** 2 > 10 * claim["factor"] * claim["rate"] ** 20
    assert told.said.endswith(ALIKE)
    assert ALIKE in rate(3, noise=True).said


def test_a_spread_or_one_client_needs_no_such_words():
    assert "(mean |grad f_i(x*)|^2)" in rate(3, spread=True).said
    assert ALIKE not in rate(3, spread=True).said
    assert ALIKE not in rate(1).said


def test_noise_that_all_clients_share_is_above_the_floor_and_excluded_in_words():
    """f_i = x^2/20, one coin of +-1/2 for all: E x^2 tends to (eta/2)^2 / (1 - (1 - eta mu)^2)."""
    told = rate(3, noise=True)
    floor = told.numbers["noise"] / 4
    assert 2 * floor < ETA**2 / 4 / (1 - (1 - ETA * MU) ** 2)
    assert "; E |xbar^T - x*|^2 <= " in told.said
    assert "independent between clients and between queries, and E |e|^2 <= sigma^2" in told.said


def test_the_line_has_clients_class_network_and_the_hash_of_the_recursion():
    c = rate(3).certificate
    said = check_certificate.proved(copy.deepcopy(c))
    assert said.startswith(
        "n = 3, all T, every dimension, every f_i of curvature 1/10 to 1; one x^0 "
    )
    assert "network [[[1/2,0,1/2],[1/2,1/2,0],[0,1/2,1/2]]]" in said
    other = copy.deepcopy(c)
    other["about"] = {"n": 100, "network": "complete"}
    assert check_certificate.proved(other) == said
    other["method"]["starts"] = [["1", "1", "1"], ["0", "0", "0"]]
    assert said.split("SHA-256 ")[1][:64] not in check_certificate.proved(other)


def test_decimals_are_not_below_what_is_proved():
    third = check_certificate.up(Fraction(1, 3))
    assert Fraction(1, 3) <= Fraction(third) <= Fraction(1, 3) + Fraction(1, 10**16)
    near = 1 - Fraction(1, 10**30)
    assert Fraction(check_certificate.up(near)) == near
    assert Fraction(check_certificate.up(Fraction(1, 10**330))) == Fraction(1, 10**330)
    assert check_certificate.up(Fraction(10) ** 320) == "1" + "0" * 320


def test_weights_that_are_followed_for_long_are_refused_before_the_work(monkeypatch):
    n = 100
    P = [[["1/128"] * n for _ in range(n)]]
    for j in range(n):
        P[0][j][j] = "29/128"
    phases = check_certificate.networks(P, n)
    weights = {"limit": ["1"] * n, "width": "1/2", "from": 2000}
    monkeypatch.setattr(check_certificate, "LEFT", [check_certificate.WORK])
    begun = time.process_time()
    with pytest.raises(ValueError, match="too much work"):
        check_certificate.slopes(weights, phases, n)
    assert time.process_time() - begun < 5


def test_the_checker_runs_where_it_lies(tmp_path):
    """No module beside it has the name of one of Python's."""
    file = HERE.parents[1] / "theorylab/worst/check_certificate.py"
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")


def test_a_name_of_a_file_with_an_end_of_line_is_one_line(tmp_path, capsys):
    rate(3).save(tmp_path / "c.json")
    paths = [tmp_path / "a\nPROVED: good.json", tmp_path / "none\nPROVED: b.json"]
    paths[0].write_text((tmp_path / "c.json").read_text())
    assert check_certificate.main([str(path) for path in paths]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["PROVED", "NOT PROVED"]


def bent(metric, functions):
    method, network = algorithm("dpsgd", eta=0.5), topology("path", 2)
    words = {"rounds": 3, "functions": functions, "start": {"gap": 1}, "metric": metric}
    return worst(method, network, **words, certify=True)


def test_heterogeneity_is_of_the_class_and_is_met_where_the_metric_looks():
    found = bent("mean-gradient", Functions(-1, 1, heterogeneity=Fraction(1, 10)))
    c = found.certificate.data
    said = check_certificate.proved(c)
    assert "mean |grad f_i - grad f|^2 <= 1/100 at every point asked; one x^0 at all " in said
    assert "clients, f(x^0) - f* <= 1; " in said
    assert said.startswith("n = 2, T = 3, every dimension, every f_i of curvature -1 to 1, ")
    assert (
        "push-sum of x / w after 1 local steps of length 1/2, momentum 0, networks in turn [[["
        in said
    )
    assert "mean of |grad f(xbar^t)|^2, t < T <= " in said
    played = found.replay()
    P = np.array([[float(Fraction(v)) for v in row] for row in c["method"]["P"][0]])
    x, functions = np.repeat(played.start[None], 2, axis=0), played.problem.functions
    apart, sizes = [], []
    for _ in range(3):
        slopes = np.array([f.at(x.mean(0))[1] for f in functions])
        sizes.append((slopes.mean(0) ** 2).sum())
        apart.append(np.sqrt(((slopes - slopes.mean(0)) ** 2).sum(1).mean()))
        x = P @ (x - 0.5 * np.array([f.at(v)[1] for f, v in zip(functions, x, strict=True)]))
    assert np.mean(sizes) == pytest.approx(played.value, rel=1e-9)
    assert max(apart) <= 0.1 * (1 + 1e-9)


def test_functions_that_leave_the_heterogeneity_of_the_class_are_told():
    """On a directed ring with a chord the worst case uses some of it, more than a hundredth."""
    edges = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [2, 0], [0, 2]]
    words = algorithm("sgp", eta=0.5), topology("edge-list", 3, edges=edges, weights="uniform")
    kinds = [Functions(-1, 1, heterogeneity=Fraction(1, k)) for k in (1, 100)]
    found = worst(*words, rounds=3, functions=kinds[0], start={"gap": 1}, metric="mean-gradient")
    played = found.replay()
    assert played.excess <= 1 + 1e-9
    few = replace(found.question, functions=kinds[1])
    told = _run(few, [f.data for f in played.problem.functions], played.start, *words)
    assert told.excess > 5


def test_a_least_value_that_is_known_from_below_alone_is_not_attained():
    """The functions of this replay are constant near x^0: f - f* of them is about 0."""
    with pytest.raises(ArithmeticError, match=r"f\* of the interpolating functions is known from"):
        bent("gap", Functions(-1, 1, 1)).replay()


def test_every_sequence_and_every_network_are_told_with_their_class():
    support = [[1, 1], [1, 1]]
    made = every_sequence(
        ColumnStochastic(support, Fraction(1, 4)), 1, eta=Fraction(1, 2), mu=MU, L=L
    )
    said = check_certificate.proved(made.certificate)
    assert said.startswith(
        "n = 2, T = 1, every dimension, every f_i of curvature 1/10 to 1; one x^0 "
    )
    assert "; one x^0 at all clients, |x^0 - x*| <= 1, root mean |grad f_i(x*)|^2 <= 1; " in said
    assert "; 2 gradients by push-sum of step 1/2 on every sequence of column-stochastic " in said
    assert "entries of at least 1/4 on [[1, 1], [1, 1]] (SHA-256 " in said
    some = every_spectrum(1, Fraction(-1), Fraction(1), ratio=Fraction(1))
    said = check_certificate.proved(some.certificate)
    assert said.startswith("every n, K = 1, every dimension, every f_i convex with subgradients of")
    assert "alpha^2 B^2 <= 1 R^2; x = W x - alpha g on every symmetric W" in said
    assert Fraction(said.split("f*) <= ")[1].split()[0]) >= some.claim


def test_vertices_without_end_are_refused_before_they_are_listed():
    one = ColumnStochastic([[1]], Fraction(1, 2))
    c = every_sequence(one, 1, eta=Fraction(1, 2), mu=MU, L=L).certificate | {"clients": 6}
    c["method"] |= {"support": [[1] * 6] * 6, "least": "1/10", "rounds": 2}
    with pytest.raises(ValueError, match="too much work"):
        check_certificate.proved(c | {"claim": "2", "multipliers": [[]]})


@pytest.mark.parametrize("damage", [{"version": True}, {"class": {"mu": "0", "L": "1", "B": None}}])
def test_a_flag_or_a_name_more_is_no_certificate_of_sequences(damage):
    made = every_sequence(
        ColumnStochastic([[1, 1], [1, 1]], Fraction(1, 4)), 1, eta=Fraction(1, 2), mu=MU, L=L
    )
    with pytest.raises(ValueError, match=r"reads version 2|other names"):
        check_certificate.proved(made.certificate | damage)


def test_the_line_says_where_gradients_are_bounded():
    """Without a bound at x* f_i of the class go 9 per cent beyond what is PROVED of three clients
    of D-PSGD with eta = 2, T = 3, L = 1 and B = 1/2, from |x^0 - x*| <= 1: 1.8416 over 1.6804."""
    for mu, start, words in ((0, "distance", ", and at x*"), (-1, "gap", "")):
        asked = cases.asked("sgp", functions=Functions(mu, 1, B=0.5), start={start: 1})
        c = worst(*asked[0], **{**asked[1], "metric": "gradient"}).question.as_json()
        said = check_certificate.Theorem(c).said(c, "T = 2", "", "")
        assert f", gradients at most 1/2 in norm where they are asked or measured{words};" in said
