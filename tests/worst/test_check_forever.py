"""Damaged and forged certificates of rates: none is accepted, none ends in a traceback."""

import copy
import functools
import importlib.util
import json
import pathlib
from fractions import Fraction

import numpy as np
import pytest

from theorylab.algorithms import algorithm
from theorylab.topologies import from_matrices
from theorylab.worst import (
    DoublyStochastic,
    check_certificate,
    forever,
)

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("linear_methods", HERE / "linear_methods.py")
methods = importlib.util.module_from_spec(spec)
spec.loader.exec_module(methods)

MU, L = Fraction(1, 10), Fraction(1)
RING = [[1, 1, 0], [0, 1, 1], [1, 0, 1]]


@functools.cache
def made(name):
    local = algorithm("dfedsgpsm", eta=0.25, alpha=0.5, local_steps=2)
    case = {
        "weights": (algorithm("sgp", eta=0.5), [methods.chord()], {}),
        "long": (algorithm("sgp", eta=1.5), [methods.chord()], {}),
        "tracking": (methods.Tracking(0.25), [methods.path(3)], {}),
        "floors": (algorithm("dpsgd", eta=0.5), [methods.path(3)], {"spread": True, "noise": True}),
        "local": (local, [methods.ring(3)], {"noise": True}),
        "values": (methods.HeavyBall(1.0, 0.25), [[[1]]], {}),
        "periodic": (algorithm("sgp", eta=0.5), [methods.chord(), methods.ring(3)], {}),
        "class": (algorithm("dpsgd", eta=0.5), None, {}),
    }
    method, rounds, options = case[name]
    network = DoublyStochastic(RING, Fraction(1, 4))
    if rounds is not None:
        network = from_matrices([np.array(P, dtype=float) for P in rounds])
    return forever(method, network, mu=MU, L=L, **options).certificate


def changed(name, *path, to):
    """The certificate with the entry at ``path`` replaced, or mapped by ``to``."""
    c = copy.deepcopy(made(name))
    at = c
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to(at[path[-1]]) if callable(to) else to
    return c


def scaled(factor):
    """Maps a rational in text, or multipliers, or a nest of lists of them."""

    def scale(value):
        if isinstance(value, list) and value[1:2] == ["pair"]:
            return [int(Fraction(factor) * value[0]), *value[1:]]
        if isinstance(value, list):
            return [scale(entry) for entry in value]
        return str(Fraction(factor) * Fraction(value)) if isinstance(value, str) else value

    return scale


def added(more):
    return lambda text: str(Fraction(text) + Fraction(more))


LESS = scaled("0.999")
ONE = [["1" if i == j else "0" for j in range(3)] for i in range(3)]
DAMAGED = [
    ("weights", ("claim",), LESS, "does not fall"),
    ("tracking", ("claim",), LESS, "does not fall"),
    ("values", ("claim",), LESS, "values of functions are left"),
    ("class", ("claim",), LESS, "does not fall"),
    ("periodic", ("claim",), LESS, "does not fall"),
    ("weights", ("claim",), "1", "a rate below 1"),
    ("weights", ("claim",), "-1/2", "too small"),
    ("weights", ("class", "mu"), "1", "mu < L"),
    ("weights", ("class", "mu"), "-1/10", "x\\* is of convex"),
    ("weights", ("class", "L"), None, "class is another"),
    ("weights", ("class", "B"), "1", "class is another"),
    ("weights", ("class", "heterogeneity"), "1", "class is another"),
    ("weights", ("start", "distance"), "1", "class is another"),
    ("weights", ("metric",), "gradient", "a rate below 1"),
    ("weights", ("class", "mu"), "1/11", "does not fall"),
    ("tracking", ("class", "L"), "20", "does not fall"),
    ("values", ("class", "L"), "11/10", "does not fall"),
    ("weights", ("version",), 1, "reads version 2"),
    ("weights", ("kind",), "finite", None),
    ("weights", ("version",), True, "reads version 2"),
    ("weights", ("more",), 1, "other names"),
    ("weights", ("class", "more"), None, "other names"),
    ("weights", ("method", "more"), None, "other names"),
    ("weights", ("proof", "more"), None, "other names"),
    ("weights", ("method", "weights", "more"), None, "other names"),
    ("class", ("method", "networks", "more"), None, "other names"),
    ("values", ("proof", "values", "more"), None, "other names"),
    ("values", ("proof", "values", "above"), [], "values of functions are left"),
    ("values", ("proof", "values", "tau"), lambda told: told * 2, "no such V"),
    ("weights", ("multipliers", 0, 0), lambda told: told * 2, "one is twice"),
    ("weights", ("multipliers", 0, 0), lambda told: told[1:], "values of functions are left"),
    ("weights", ("multipliers", 0, 0), lambda told: told[2:], "does not fall"),
    ("weights", ("method", "owners", 0), 3, "integer"),
    ("weights", ("method", "owners", 0), True, "integer"),
    ("weights", ("method", "owners"), [0, 1], "another size"),
    ("weights", ("clients",), 10**9, "integer"),
    ("tracking", ("method", "after", 0, 3), added("1/100"), None),
    ("weights", ("method", "sends", 0, 6), "1", "not known yet"),
    ("weights", ("method", "networks", 0, 0, 0), added("1/7"), "loses or makes mass"),
    ("weights", ("method", "networks", 0, 0, 1), "-1", "too small"),
    ("weights", ("method", "weights", "width"), "0", "not near their limit"),
    ("weights", ("method", "weights", "width"), "1", "no such range"),
    ("weights", ("method", "weights", "width"), "1/100", "does not fall"),  # least curvature
    ("long", ("method", "weights", "width"), "1/100", "does not fall"),  # of the largest
    ("weights", ("method", "weights", "from"), 2, "not near their limit"),
    ("periodic", ("method", "weights", "from"), 3, "no such range"),
    ("weights", ("method", "weights", "limit"), scaled(2), "not near their limit"),
    ("weights", ("method", "weights", "limit", 0), added("1/10"), "another limit"),
    ("weights", ("method", "weights", "limit", 0), "0", None),
    (
        "class",
        ("method", "weights"),
        {"limit": ["1"] * 3, "width": "0", "from": 0},
        "no such range",
    ),
    ("weights", ("proof", "V"), scaled("1/2"), "does not fall"),
    ("weights", ("proof", "V", 0, 0, 1), added(1), None),
    ("periodic", ("proof", "V"), lambda V: V[:1], "no such V"),
    ("periodic", ("proof", "V", 1), scaled(2), "does not fall"),
    ("weights", ("multipliers", 0, 0, 0), scaled(-1), "integer"),
    ("weights", ("multipliers", 0, 0, 0), scaled(2), "values of functions are left"),
    ("class", ("multipliers", 0), lambda m: m[:1], None),
    ("periodic", ("multipliers",), lambda m: m[:1], None),
    ("weights", ("multipliers", 0, 0), scaled("3/2"), "does not fall"),
    ("weights", ("denominator",), lambda d: 2 * d, "does not fall"),
    ("weights", ("denominator",), 0, "integer"),
    ("values", ("proof", "values", "tau", 0), scaled(2), "values of functions are left"),
    ("values", ("proof", "values", "above", 0), scaled(2), "values of functions are left"),
    ("values", ("multipliers", 0, 0, 0), scaled(2), "values of functions are left"),
    ("values", ("proof", "spread"), "1", "no such V"),
    ("floors", ("proof", "spread"), LESS, "does not fall"),
    ("floors", ("proof", "noise", 0), scaled("9/10"), "does not fall"),
    ("floors", ("proof", "noise"), lambda nu: nu[:2], "no such noise"),
    ("local", ("proof", "noise", 0), scaled("9/10"), "does not fall"),
    ("floors", ("method", "starts", 0), ["2"] * 3, "nothing to compare with"),
    ("tracking", ("proof", "coordinates", 0, 0), added(1), "no combination"),
    ("tracking", ("proof", "coordinates"), lambda E: E[:-1], "no"),
    ("tracking", ("proof", "span"), lambda U: U[:-1], "no combination"),
    ("tracking", ("proof", "span", 0, 0), added(1), "no combination"),
    ("class", ("method", "networks", "least"), "1/5", "does not fall"),
    ("class", ("method", "networks", "least"), "2/3", "no such networks"),
    ("class", ("method", "networks", "support"), [["0"] * 3] * 3, "no such networks"),
    ("class", ("method", "networks", "support", 0, 2), "1", "no such networks"),
    ("class", ("method", "networks", "support", 0, 0), "2", "entries 0 and 1"),
    ("weights", ("claim",), "9" * 500, "no p/q"),
    ("weights", ("claim",), 0.95, "no p/q"),
    ("weights", ("proof", "V", 0, 0, 0), f"1/{10**390}", None),
    ("weights", ("method", "networks"), [], "no network"),
]


@pytest.mark.parametrize(("name", "path", "to", "why"), DAMAGED)
def test_a_changed_entry_is_not_proved(name, path, to, why):
    c = changed(name, *path, to=to)
    with pytest.raises(Exception, match=why):
        check_certificate.proved(c)


@pytest.mark.parametrize("name", ["weights", "tracking", "floors", "local", "values", "class"])
def test_the_certificate_itself_is_accepted(name):
    assert "falls by" in check_certificate.proved(copy.deepcopy(made(name)))


@pytest.mark.parametrize("name", ["weights", "values"])
def test_a_smaller_v_is_below_the_distance(name):
    c, half = copy.deepcopy(made(name)), scaled("1/2")
    c["denominator"] *= 2
    c["proof"]["V"] = half(c["proof"]["V"])
    if c["proof"]["values"]:
        c["proof"]["values"]["tau"] = half(c["proof"]["values"]["tau"])
    with pytest.raises(ValueError, match="below the distance"):
        check_certificate.proved(c)


def test_a_class_of_networks_enters_a_round_once():
    """V+ is convex in a network that is applied once; of two exchanges vertices tell nothing."""
    twice = copy.deepcopy(made("class"))
    told = twice["method"]
    told["sends"] += [["0"] * 6 + [str(int(i == j)) for j in range(3)] for i in range(3)]
    told["after"] = [["0"] * 9 + [str(int(i == j)) for j in range(3)] for i in range(3)]
    with pytest.raises(ValueError, match="not convex in the network"):
        check_certificate.proved(twice)


@pytest.mark.parametrize(("asked", "share", "start"), [(2, 405, "1"), ("1/2", 1620, "2")])
def test_a_point_that_is_not_x_star_is_no_reference(asked, share, start):
    """Queries at 2 x; or at x / 2 from x^0 = 2: consensus there is no run with a mean at x*."""
    c = changed("floors", "method", "queries", to=scaled(asked))
    c["method"]["starts"] = [[start] * 3]
    c["claim"], c["denominator"] = "999/1000", 1000
    c["multipliers"] = [[[[share, "pair", j, *at] for j in range(3) for at in ((0, 1), (1, 0))]]]
    c["proof"] |= {"V": [ONE], "span": ONE, "coordinates": ONE, "spread": "99", "noise": ["9"] * 3}
    with pytest.raises(ValueError, match="does not stay"):
        check_certificate.proved(c)


def test_a_query_elsewhere_has_no_x_star_to_compare_with():
    """Differences of two runs do fall; nothing is said of the distance from x*."""
    c = changed("tracking", "method", "queries", 0, 0, to=added("1/100"))
    said, numbers = check_certificate.decided(c)
    assert "x*" not in said
    assert numbers["factor"] is None


@pytest.mark.parametrize("h", [Fraction(1, 10), Fraction(1, 2), Fraction(1)])
def test_the_floor_of_local_steps_is_not_below_the_exact_variance(h):
    """Two steps with momentum 1/2 on h/2 x^2: the noise of the first is in the second's point."""
    eta, alpha = Fraction(1, 4), Fraction(1, 2)
    x, e, f = (np.array(row) for row in ([Fraction(1), 0, 0], [0, Fraction(1), 0], [0, 0, 1]))
    v = h * x + e
    y = x - eta * v
    y = y - eta * (alpha * v + h * y + f)
    variance = (y[1] ** 2 + y[2] ** 2) / 3 / (1 - y[0] ** 2)  # of the mean of three clients
    assert variance <= check_certificate.decided(made("local"))[1]["noise"]


def test_the_command_says_why_in_one_line(tmp_path, capsys):
    texts = ["{", "[" * 100_000, '{"a": 1, "a": 2}', json.dumps(made("class")), "1" * 5000]
    texts.append(texts[3].replace('{"version": 2', '{"version": 2, "version": 2', 1))
    paths = [str(tmp_path / f"{k}.json") for k in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        pathlib.Path(path).write_text(text, encoding="utf-8")
    assert check_certificate.main(paths) == 1
    lines, no = capsys.readouterr().out.splitlines(), ["NOT PROVED"]
    assert [line.split(":")[0] for line in lines] == [*no * 3, "PROVED", *no * 2]
    assert check_certificate.main([]) == 1
