"""A certificate that is damaged, or that proves another theorem than it states, is not accepted."""

import copy
import importlib.util
import json
import pathlib
import random
import time
from fractions import Fraction

import pytest

from theorylab.worst import check_certificate

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("cases_of_worst", HERE / "cases.py")
cases = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cases)


@pytest.fixture(scope="module")
def good():
    """Certificates by what they are of: rows, (P, eta, K, alpha), and a class without x*."""
    rows = cases.proved()
    data = rows.certificate.data | {"method": rows.question.rows()}
    bent = cases.proved(
        "dfedsgpsm",
        functions=cases.Functions(-1, 1, B=1),
        start={"gap": Fraction(1, 10)},
        local_steps=2,
        alpha=0.5,
        eta=0.2,
    )
    made = {"rows": data, "method": rows.certificate.data}
    heavy = cases.proved("dfedsgpsm", local_steps=2, alpha=0.5, eta=0.2)
    return {**made, "bent": bent.certificate.data, "heavy": heavy.certificate.data}


def refused(c, capsys, tmp_path):
    """Whether the program says NOT PROVED, in one line, soon, without a traceback."""
    path = tmp_path / "c.json"
    path.write_text(c if isinstance(c, str) else json.dumps(c))
    begun = time.process_time()
    code = check_certificate.main([str(path)])
    told = capsys.readouterr()
    assert time.process_time() - begun < 10
    assert told.err == ""
    assert told.out.count("\n") == 1
    return code == 1 and told.out.startswith("NOT PROVED: ")


def test_the_certificates_are_accepted_before_they_are_damaged(good):
    for c in good.values():
        check_certificate.proved(json.loads(json.dumps(c)))


def lower(c, share=Fraction(1, 10**5)):
    c["claim"] = str(Fraction(c["claim"]) * (1 - share))


def put(*path):
    """A damage that puts the last of ``path`` where the others lead."""

    def damage(c):
        *keys, last, value = path
        for key in keys:
            c = c[key]
        c[last] = value

    return damage


def renamed(c):
    """A multiplier is given to the pair the other way round."""
    pair = max((m for m in c["multipliers"] if m[1] == "pair"), key=lambda m: m[0])
    pair[3], pair[4] = pair[4], pair[3]


def moved(c):
    c["denominator"] = c["denominator"] * 1_000_001 // 1_000_000


FORGED = {
    "a claim that is lowered": ("rows", lower),
    "a claim of a text": ("rows", put("claim", "1e-3")),
    "a claim of a float": ("rows", put("claim", 0.9)),
    "mu = L": ("rows", put("class", "mu", "1")),
    "mu > L": ("rows", put("class", "mu", "2")),
    "mu above that of the multipliers": ("rows", put("class", "mu", "1/20")),
    "L below mu": ("method", put("class", "L", "-1")),
    "a larger L": ("method", put("class", "L", "11/10")),
    "no smoothness": ("method", put("class", "L", None)),
    "a larger ball": ("rows", put("start", "distance", "1001/1000")),
    "a larger spread": ("rows", put("start", "spread", "1001/1000")),
    "no spread": ("rows", lambda c: c["start"].pop("spread")),
    "a class with one name more": ("rows", put("class", "nu", None)),
    "a bound of heterogeneity that is none": ("rows", put("class", "heterogeneity", "-1")),
    "a long curvature": ("rows", put("class", "mu", "1/1" + "0" * 100)),
    "a start of another kind": ("rows", put("start", "luck", "1")),
    "a metric of another kind": ("rows", put("metric", "nothing")),
    "another metric": ("rows", put("metric", "gap")),
    "gradients without a bound": ("bent", put("class", "B", None)),
    "a larger bound of the gradients": ("bent", put("class", "B", "1001/1000")),
    "a class with x*": ("bent", put("class", "mu", "0")),
    "a larger gap": ("bent", put("start", "gap", "1001/10000")),
    "another step size": ("method", put("method", "eta", "11/20")),
    "another momentum": ("heavy", put("method", "alpha", "3/5")),
    "fewer local steps": ("heavy", put("method", "local_steps", 1)),
    "another round": ("method", put("method", "rounds", 3)),
    "a method with one name more": ("method", put("method", "rho", "0")),
    "rows beside a method": ("method", put("method", "queries", [[0, []]])),
    "a text for the rows of a method": ("method", put("method", "queries", "")),
    "no method": ("rows", put("method", None)),
    "a second proof": ("rows", put("proof", {})),
    "a P that loses mass": ("method", put("method", "P", 0, 0, 0, "1/4")),
    "a P with a negative entry": ("method", put("method", "P", 0, 0, ["-1/3", "0", "1/2"])),
    "a P of another size": ("method", put("method", "P", [[["1"]]])),
    "no P": ("method", put("method", "P", [])),
    "rows in another order": ("rows", lambda c: c["method"]["queries"].reverse()),
    "a row of a gradient to come": ("rows", put("method", "queries", 0, 1, ["1"])),
    "a row of another client": ("rows", put("method", "queries", 3, 0, 1)),
    "a client that is not there": ("rows", put("method", "queries", 3, 0, 3)),
    "a client that is a flag": ("rows", put("method", "queries", 3, 0, True)),
    "a row that is a text": ("rows", put("method", "averages", 0, "")),
    "a query that is a text": ("rows", put("method", "queries", 0, 1, "")),
    "a row that is changed": ("rows", put("method", "queries", 3, 1, 0, "-1/4")),
    "an average that is changed": ("rows", put("method", "averages", 2, 0, "-1/4")),
    "averages that do not begin with x^0": ("rows", lambda c: c["method"]["averages"].pop(0)),
    "one average": ("rows", lambda c: c["method"]["averages"].__delitem__(slice(1, None))),
    "more clients": ("rows", put("clients", 4)),
    "no clients": ("rows", put("clients", 0)),
    "a negative multiplier": ("rows", put("multipliers", 0, 0, -1)),
    "a multiplier that is a float": ("rows", put("multipliers", 0, 0, 0.5)),
    "a multiplier of nothing": ("rows", put("multipliers", 0, 1, "wish")),
    "a multiplier of the metric": ("rows", put("multipliers", 0, 1, "metric")),
    "a pair that is turned": ("rows", renamed),
    "a pair with itself": ("rows", put("multipliers", 0, [10**20, "pair", 0, 1, 1])),
    "a place from the end": ("rows", put("multipliers", 0, [10**20, "pair", 0, -1, 1])),
    "a place that is a flag": ("rows", put("multipliers", 0, [10**20, "pair", 0, True, 0])),
    "a place that is none": ("rows", put("multipliers", 0, [10**20, "pair", 0, 99, 1])),
    "a place that is missing": ("rows", put("multipliers", 0, [10**20, "pair", 0, 1])),
    "a place too many": ("rows", lambda c: c["multipliers"][0].append(0)),
    "another denominator": ("rows", moved),
    "a denominator of 0": ("rows", put("denominator", 0)),
    "a denominator below 0": ("rows", put("denominator", -(2**60))),
    "no multipliers": ("rows", put("multipliers", [])),
    "another version": ("rows", put("version", 1)),
    "a version that is a flag": ("rows", put("version", True)),
    "another kind": ("rows", put("kind", "forever")),
    "one name more": ("rows", put("met", True)),
    "one name less": ("rows", lambda c: c.pop("start")),
    "a number that divides by 0": ("rows", put("start", "distance", "1/0")),
    "a number without end": ("rows", put("start", "distance", "9" * 500)),
    "a number in other digits": ("rows", put("start", "distance", "\u0661")),
    "a huge integer": ("rows", put("multipliers", 0, 0, 10**4200)),
    "a huge number of rounds": ("method", put("method", "rounds", 10**9)),
    "a huge number of clients": ("rows", put("clients", 10**9)),
}


@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_certificate_is_not_proved(kind, good, capsys, tmp_path):
    of, damage = FORGED[kind]
    c = copy.deepcopy(good[of])
    damage(c)
    assert refused(c, capsys, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "1" * 5000,
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"claim":"1","claim":"2"}',
        '{"claim":NaN}',
        "\u0000",
    ],
    ids=lambda text: text[:12],
)
def test_a_text_that_is_no_certificate_is_not_proved(text, capsys, tmp_path):
    assert refused(text, capsys, tmp_path)


def test_a_name_that_comes_twice_is_not_proved(good, capsys, tmp_path):
    text = json.dumps(good["rows"])
    twice = text.replace('"claim": ', '"claim": "0", "claim": ')
    assert twice != text
    assert refused(twice, capsys, tmp_path)


@pytest.mark.parametrize("seed", range(4))
def test_a_lower_claim_is_not_proved_however_the_multipliers_are_moved(
    seed, good, capsys, tmp_path
):
    """The true worst case is above such a claim, so that whatever accepts it is wrong."""
    draw, c = random.Random(seed), copy.deepcopy(good["method"])
    lower(c)
    for _ in range(10):
        k = draw.randrange(len(c["multipliers"]))
        y = c["multipliers"][k][0]
        c["multipliers"][k][0] = max(0, y + draw.randrange(-y // 10 - 2, y // 10 + 2))
    assert refused(c, capsys, tmp_path)


def test_work_without_end_is_refused_before_it_is_done(capsys, tmp_path, good):
    c = copy.deepcopy(good["rows"])
    primes = [p for p in range(3, 3000, 2) if all(p % q for q in range(3, int(p**0.5) + 1, 2))]
    c["method"]["queries"] = [
        [k % 3, [f"1/{primes[(k * 7 + j) % 400]}" for j in range(k)]] for k in range(300)
    ]
    c["method"]["averages"] = [[], [f"1/{primes[j]}" for j in range(300)]]
    assert refused(c, capsys, tmp_path)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("a row of a gradient to come", "uses what is not known yet"),
        ("mu = L", "need -L <= mu < L"),
        ("mu > L", "need -L <= mu < L"),
        ("a negative multiplier", "an integer is not in its range"),
        ("a P that loses mass", "P loses or makes mass"),
    ],
)
def test_what_alone_would_prove_too_much_is_refused_by_name(kind, reason, good):
    of, damage = FORGED[kind]
    c = copy.deepcopy(good[of])
    damage(c)
    with pytest.raises(ValueError, match=reason):
        check_certificate.proved(c)


def test_weights_of_long_denominators_are_refused_before_the_work(good):
    """Columns of 188 digits: the weights of push-sum would have 19,000 after 100 rounds."""
    c = copy.deepcopy(good["method"]) | {"clients": 2}
    kept = [(Fraction(10**187, 10**188 + 2 * k + 1), Fraction(1, 3)) for k in range(100)]
    P = [[[str(a), str(b)], [str(1 - a), str(1 - b)]] for a, b in kept]
    c["method"] |= {"P": P, "rounds": 100, "eta": "0"}
    with pytest.raises(ValueError, match="a number is too long"):
        check_certificate.proved(c)
