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
    NotCertifiedError,
    check_forever,
    forever,
    lyapunov,
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
    """Maps a rational in text, or a nest of lists of them."""

    def scale(value):
        if isinstance(value, list):
            return [scale(entry) for entry in value]
        return str(Fraction(factor) * Fraction(value)) if isinstance(value, str) else value

    return scale


def added(more):
    return lambda text: str(Fraction(text) + Fraction(more))


LESS = scaled("0.999")
DAMAGED = [
    ("weights", ("claim", "rate"), LESS, "does not fall"),
    ("tracking", ("claim", "rate"), LESS, "does not fall"),
    ("values", ("claim", "rate"), LESS, "values of functions are left"),
    ("class", ("claim", "rate"), LESS, "does not fall"),
    ("periodic", ("claim", "rate"), LESS, "does not fall"),
    ("weights", ("claim", "rate"), "1", "a rate below 1"),
    ("weights", ("claim", "rate"), "-1/2", "too small"),
    ("weights", ("class", "mu"), "1", "mu < L"),
    ("weights", ("class", "mu"), "1/11", "does not fall"),
    ("tracking", ("class", "L"), "20", "does not fall"),
    ("values", ("class", "L"), "11/10", "does not fall"),
    ("weights", ("version",), 2, "another kind"),
    ("weights", ("kind",), "finite", "another kind"),
    ("weights", ("version",), True, "another kind"),
    ("weights", ("more",), lambda c: 1, None),
    ("weights", ("class", "more"), None, "other names"),
    ("weights", ("claim", "more"), None, "other names"),
    ("weights", ("rows", "more"), None, "other names"),
    ("weights", ("weights", "more"), None, "other names"),
    ("class", ("networks", "more"), None, "other names"),
    ("values", ("values", "more"), None, "other names"),
    ("values", ("values", "above"), lambda told: told * 2, "no part in V"),
    ("weights", ("multipliers", 0, 0), lambda told: told * 2, "no multipliers"),
    ("weights", ("owners", 0), 3, "integer"),
    ("weights", ("owners", 0), True, "integer"),
    ("weights", ("clients",), 10**9, "integer"),
    ("tracking", ("rows", "after", 0, 3), added("1/100"), None),
    ("tracking", ("rows", "queries", 0, 0), added("1/100"), None),
    ("weights", ("rows", "sends", 0, 6), "1", "not known yet"),
    ("weights", ("networks", 0, 0, 0), added("1/7"), "loses or makes mass"),
    ("weights", ("networks", 0, 0, 1), "-1", "too small"),
    ("weights", ("weights", "width"), "0", "not near their limit"),
    ("weights", ("weights", "width"), "1", "no such range"),
    ("weights", ("weights", "width"), "1/100", "does not fall"),  # of the least curvature
    ("long", ("weights", "width"), "1/100", "does not fall"),  # of the largest
    ("weights", ("weights", "from"), 2, "not near their limit"),
    ("periodic", ("weights", "from"), 3, "no such range"),
    ("weights", ("weights", "limits"), scaled(2), "not near their limit"),
    ("weights", ("weights", "limits", 0, 0), added("1/10"), "another limit"),
    ("weights", ("V",), scaled("1/2"), "does not fall"),
    ("weights", ("V", 0, 0, 1), added(1), None),
    ("periodic", ("V",), lambda V: V[:1], "no such V"),
    ("periodic", ("V", 1), scaled(2), "does not fall"),
    ("weights", ("multipliers", 0, 0, 0, 0, 0), scaled(-1), "too small"),
    ("weights", ("multipliers", 0, 0, 0, 0, 0), scaled(2), "values of functions are left"),
    ("class", ("multipliers", 0), lambda m: m[:1], None),
    ("weights", ("multipliers", 0, 0), scaled("3/2"), "does not fall"),
    ("values", ("values", "tau", 0), scaled(2), "values of functions are left"),
    ("values", ("values", "above", 0, 0, 0), scaled(2), "values of functions are left"),
    ("values", ("multipliers", 0, 0, 0, 0, 0), added(1), "values of functions are left"),
    ("values", ("spread",), "1", "no such V"),
    ("floors", ("claim", "spread"), LESS, "floor of spread is above"),
    ("floors", ("claim", "noise"), LESS, "floor of noise is above"),
    ("floors", ("claim", "spread"), None, "not claimed"),
    ("floors", ("claim", "noise"), None, "not claimed"),
    ("floors", ("spread",), LESS, "does not fall"),
    ("floors", ("noise", 0), scaled("9/10"), "does not fall"),
    ("floors", ("noise",), lambda nu: nu[:2], "no such noise"),
    ("local", ("noise", 0), scaled("9/10"), "does not fall"),
    ("floors", ("claim", "reference"), False, "nothing to compare with"),
    ("floors", ("claim", "factor"), "9/10", "above the factor"),
    ("weights", ("claim", "factor"), "100", "V of the start is not known"),
    ("values", ("claim", "factor"), "100", None),
    ("tracking", ("rows", "starts", 0), lambda row: ["2"] * 3 + row[3:], "is not the start"),
    ("tracking", ("quotient", 0, 0), "2", None),
    ("tracking", ("quotient",), lambda Q: Q[:-1], None),
    ("tracking", ("span",), lambda U: U[:-1], None),
    ("class", ("networks", "least"), "1/5", "does not fall"),
    ("class", ("networks", "least"), "2/3", "no such networks"),
    ("class", ("networks", "support"), [["0"] * 3] * 3, "no such networks"),
    ("class", ("networks", "support", 0, 2), "1", "no such networks"),
    ("class", ("networks", "support", 0, 0), "2", "entries 0 and 1"),
    ("weights", ("claim", "rate"), "9" * 500, "no p/q"),
    ("weights", ("claim", "rate"), 0.95, "no p/q"),
    ("weights", ("V", 0, 0, 0), f"1/{10**390}", "denominator is too long"),
    ("weights", ("V",), None, None),
    ("weights", ("networks",), [], "no network"),
]


@pytest.mark.parametrize(("name", "path", "to", "why"), DAMAGED)
def test_a_changed_entry_is_not_proved(name, path, to, why):
    if path[-1] == "more":
        c = copy.deepcopy(made(name))
        (c if len(path) == 1 else c[path[0]])["more"] = None
    else:
        c = changed(name, *path, to=to)
    with pytest.raises(Exception, match=why):
        check_forever.forever(c)


@pytest.mark.parametrize("name", ["weights", "tracking", "floors", "local", "values", "class"])
def test_the_certificate_itself_is_accepted(name):
    assert "falls by" in check_forever.forever(copy.deepcopy(made(name)))


@pytest.mark.parametrize("name", ["weights", "values"])
def test_a_smaller_v_is_below_the_distance(name):
    c, half = copy.deepcopy(made(name)), scaled("1/2")
    c["V"], c["multipliers"] = half(c["V"]), half(c["multipliers"])
    if c["values"]:
        c["values"] = {key: half(value) for key, value in c["values"].items()}
    with pytest.raises(ValueError, match="below the distance"):
        check_forever.forever(c)


def test_a_class_of_networks_enters_a_round_once():
    """V+ is convex in a network that is applied once; of two exchanges vertices tell nothing."""
    twice = copy.deepcopy(made("class"))
    twice["rows"]["sends"] += [["0"] * 6 + [str(int(i == j)) for j in range(3)] for i in range(3)]
    for rows in twice["rows"].values():
        if len(rows[0]) > 3:
            rows[:] = [[*row, *["0"] * (12 - len(row))] for row in rows]
    twice["rows"]["after"] = [["0"] * 9 + [str(int(i == j)) for j in range(3)] for i in range(3)]
    with pytest.raises(ValueError, match="not convex in the network"):
        check_forever.forever(twice)


def test_a_point_that_is_not_x_star_is_no_reference():
    """A query at 2 x: consensus at x* is then no run of functions with minimiser x*."""
    c = changed("floors", "rows", "queries", to=scaled(2))
    c["quotient"], c["span"] = [[str(int(i == j)) for j in range(3)] for i in range(3)], None
    c["span"] = c["quotient"]
    c["V"] = [[[str(int(i == j)) for j in range(3)] for i in range(3)]]
    with pytest.raises(ValueError, match="does not stay"):
        check_forever.forever(c)


@pytest.mark.parametrize("h", [Fraction(1, 10), Fraction(1, 2), Fraction(1)])
def test_the_floor_of_local_steps_is_not_below_the_exact_variance(h):
    """Two steps with momentum 1/2 on h/2 x^2: the noise of the first is in the second's point."""
    eta, alpha = Fraction(1, 4), Fraction(1, 2)
    x, e, f = (np.array(row) for row in ([Fraction(1), 0, 0], [0, Fraction(1), 0], [0, 0, 1]))
    v = h * x + e
    y = x - eta * v
    y = y - eta * (alpha * v + h * y + f)
    variance = (y[1] ** 2 + y[2] ** 2) / 3 / (1 - y[0] ** 2)  # of the mean of three clients
    assert variance <= Fraction(made("local")["claim"]["noise"])


@pytest.mark.parametrize("paths", [0, 1])
def test_noise_that_comes_by_another_query_is_not_called_orthogonal(monkeypatch, paths):
    """A program that takes e_0 for orthogonal to g_2, or to g_1 and g_2, has too small a floor."""
    method, alone = methods.LookAhead(0.5, 0.5), from_matrices([np.ones((1, 1))])

    def direct(depends, m, q, spread):
        size, first = m + q + spread + q, m + q + spread
        made = np.zeros((size, size), dtype=bool)
        for j in range(q):
            made[first + j] = True
            made[first + j, first + j] = False
            made[first + j, m : m + q] = ~depends[:, j] if paths else True
        return made | made.T

    monkeypatch.setattr(lyapunov, "orthogonal", direct)
    with pytest.raises(NotCertifiedError, match="no certificate near"):
        forever(method, alone, mu=MU, L=L, noise=True)


def test_the_command_says_why_in_one_line(tmp_path, capsys):
    texts = ["{", "[" * 100_000, '{"a": 1, "a": 2}', json.dumps(made("class")), "1" * 5000]
    texts.append(texts[3].replace('{"version": 1', '{"version": 1, "version": 1', 1))
    paths = [str(tmp_path / f"{k}.json") for k in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        pathlib.Path(path).write_text(text, encoding="utf-8")
    assert check_forever.main(paths) == 1
    lines, no = capsys.readouterr().out.splitlines(), ["NOT PROVED"]
    assert [line.split(":")[0] for line in lines] == [*no * 3, "PROVED", *no * 2]
    assert check_forever.main([]) == 1
