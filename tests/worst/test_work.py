"""Files that would take long are refused before their work is done, whatever kind they are of."""

import json
import time
from fractions import Fraction

import pytest

from theorylab.worst import check_certificate as checker

KIND = {"mu": "1/10", "L": "1", "B": None, "heterogeneity": None, "noise": None}
LONG = "9" * 399


def head(kind, method, n=1, **more):
    c = {"version": 2, "kind": kind, "clients": n, "class": KIND, "start": {}, "about": {}}
    c |= {"metric": "distance", "claim": "1/2", "denominator": 1, "multipliers": [], "proof": None}
    return c | {"method": method} | more


def local(P, K, T, alpha="0", eta="1/3"):
    return {"P": P, "eta": eta, "alpha": alpha, "local_steps": K, "rounds": T}


def even(n):
    return [[[f"1/{n}"] * n] * n]


def rate(n=1, graph=None, weights=None, count=1, E=1, starts=1, V=1, sends=0, **long):
    """x+ = x - g/2 of one client, with lists that are longer than what it needs."""
    m = long.get("m", 1)
    unit = [["0"] * k + ["1"] for k in range(m)]
    method = {"owners": [0] * count, "queries": [["1"]] * count, "sends": [[]] * sends}
    method |= {"after": [[*row] for row in unit], "starts": [["1"]] * starts}
    method |= {"networks": graph or [[["1"]]], "weights": weights}
    full = [["1/3"] * m] * m
    proof = {"V": [[["1"]] * V], "span": full if m > 1 else [["1"]], "values": None}
    proof |= {"coordinates": full if m > 1 else [["1"], *[[]] * (E - 1)], "spread": None}
    return head("forever", method, n, multipliers=[[[]]], proof=proof | {"noise": None})


def sequence(n, T, splits=(), least="1/20"):
    method = {"support": [[1] * n] * n, "least": least, "eta": "1/2", "rounds": T}
    start = {"distance": "1", "spread": "1"}
    pieces = [[]] * 2 ** len(splits)
    return head("sequences", method | {"splits": [*splits]}, n, start=start, multipliers=pieces)


def spectrum(K):
    method = {"rounds": K, "low": "-" + LONG, "high": LONG, "ratio": "1"}
    ends = {"start": {"distance": "1"}, "metric": "gap", "clients": None}
    full = [["1/" + str(10**398 + 7 * (a + b)) for a in range(K - 1)] for b in range(K - 1)]
    c = head("spectral", method, proof={"network": full, "symmetric": full}) | ends
    return c | {"class": KIND | {"mu": "0", "L": None}}


def chain(n, T):
    """Rows without an end of what they use, all gradients by all that are known."""
    row = [f"1/{2 * k + 3}" for k in range(T)]
    method = {"queries": [[0, row[:k]] for k in range(T)], "averages": [[], row]}
    many = [[1, "pair", 0, a, b] for a in range(T) for b in range(min(T, 25)) if a != b]
    return head("finite", method, n, start={"distance": "1"}, claim="9" * 9, multipliers=many)


WEIGHTS = {"limit": ["1"] * 60, "width": "1/2", "from": 2000}
SLANTED = [[[f"{1 + (i == j)}/61" for j in range(60)] for i in range(60)]]
CUTS = [(0, i, i, f"{10**45 + i}/{10**46 + 7 * i + 1}") for i in range(8)]
FILES = {
    "powers of a momentum": (head("finite", local([[["1"]]], 400, 1, "9" * 90)), "too long"),
    "all clients to all": (head("finite", local(even(40), 1, 10), 40), "too much work"),
    "gradients": (head("finite", local([[["1"]]], 20, 21)), "too many gradients"),
    "gradients of the metric": (
        head("finite", {"queries": [[0, []]] * 300, "averages": [[]] * 200}, start={"gap": "1"})
        | {"class": KIND | {"mu": "0", "L": None}, "metric": "mean-gradient"},
        "too many gradients",
    ),
    "rounds": (head("finite", local([[["1"]]], 1, 10**9)), "not in its range"),
    "numbers": (head("finite", local([[["1"]]], 1, 1, eta="9" * 401)), "too long"),
    "denominators": (chain(1, 400), "too long|too much work|too many"),
    "multipliers": (
        head("finite", local([[["1"]]], 1, 2), start={"distance": "1"})
        | {"multipliers": [[1, "pair", 0, 1, k] for k in range(10_001)]},
        "too many multipliers",
    ),
    "what is sent": (rate(sends=401), "too many rows"),
    "starts": (rate(starts=401), "too many rows"),
    "coordinates": (rate(E=401), "too many rows"),
    "forms": (rate(V=401), "too many rows"),
    "queries": (rate(count=401), "too many rows"),
    "states of all": (rate(m=90), "too much work"),
    "weights for long": (rate(60, SLANTED, WEIGHTS), "too much work"),
    "weights for ever": (rate(1, None, {"limit": ["1"], "width": "0", "from": 2001}), "range"),
    "networks": (rate(1, [[["1"]]] * 401), "no network"),
    "vertices of a class": (
        rate(7, {"support": [["1"] * 7] * 7, "least": "0"}),
        "too much work|shorter|no such",
    ),
    "clients of a class": (
        rate(8, {"support": [["1"] * 8] * 8, "least": "0"}),
        "entries 0 and 1",
    ),
    "sequences": (sequence(6, 2), "too much work"),
    "rounds of sequences": (sequence(2, 12), "too many"),
    "corners of long cuts": (sequence(8, 2, CUTS), "too much work"),
    "pieces": (sequence(2, 2, [(0, 0, 0, "1/2")] * 13), "a piece has no proof"),
    "spectra": (spectrum(20), "too long|too much work"),
    "rounds of spectra": (spectrum(21), "not in its range"),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_takes_long_is_refused_by_its_size(kind, monkeypatch):
    c, why = FILES[kind]
    monkeypatch.setattr(checker, "WORK", 20_000)
    with pytest.raises(ValueError, match=why):
        checker.proved(c)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_takes_long_is_refused_within_ten_seconds(kind, tmp_path, capsys):
    path = tmp_path / "c.json"
    path.write_text(json.dumps(FILES[kind][0]))
    begun = time.process_time()
    assert checker.main([str(path)]) == 1
    assert time.process_time() - begun < 10
    assert capsys.readouterr().out.startswith("NOT PROVED: ")


def test_a_form_of_long_numbers_or_many_vectors_is_refused(monkeypatch):
    monkeypatch.setattr(checker, "LEFT", [checker.WORK])
    wide = [{k: 1} for k in range(400)]
    with pytest.raises(ValueError, match="too much work"):
        checker.definite(wide, 400, {(k, k): 2 ** (3000 + k) for k in range(400)})


def test_a_file_that_is_too_long_is_not_read(monkeypatch):
    monkeypatch.setattr(checker, "SIZE", 10)
    with pytest.raises(ValueError, match="too long"):
        checker.read('{"a": 1234567890}')


def test_denominators_without_end_are_not_multiplied():
    with pytest.raises(ValueError, match="denominators are too long"):
        checker.common([Fraction(1, p**3000) for p in (3, 5, 7, 11)])


@pytest.mark.parametrize(
    "work",
    [
        lambda v: checker.plus((1, {0: v})),
        lambda v: checker.corners([v / 4, v / 4], [v / 2, v / 2 + 1 / (2 * v)]),
    ],
)
def test_long_numbers_count_for_more_work(work, monkeypatch):
    spent = []
    for v in (Fraction(1), Fraction(2**900, 2**900 - 1)):
        monkeypatch.setattr(checker, "LEFT", [10**9])
        work(v)
        spent.append(10**9 - checker.LEFT[0])
    assert spent[1] > spent[0]


def test_numbers_twice_as_wide_are_four_times_the_work(monkeypatch):
    told = []
    monkeypatch.setattr(checker, "charge", told.append)
    work = []
    for bits in (40_000, 80_000):
        told.clear()
        assert checker.definite([{0: Fraction(1 << bits)}], 1, {(0, 0): Fraction(1)})
        work.append(max(told))
    assert 3.5 < work[1] / work[0] < 4.5
