"""The line about the whole class beside the checks of a theorem, and decimals in a first line."""

import pathlib
import re

import pytest

from theorylab.commands.worst.line import TREATED, class_line
from theorylab.topologies import topology
from theorylab.worst.theorems import THEOREMS
from theorylab.worst.triangle import _bound


@pytest.mark.parametrize("id", TREATED)
def test_a_theorem_has_a_line_with_three_numbers_in_order(id):
    line = class_line(id)
    pattern = r"at most ([0-9.]+), the bound is ([0-9.]+), and functions .* reach ([0-9.]+)\."
    claim, bound, reached = map(float, re.search(pattern, line).groups())
    assert reached <= claim <= bound
    assert f"theorylab worst {id} --clients 2 --rounds 2 --out DIR" in line


def test_every_theorem_with_a_class_has_the_line_and_others_have_none():
    assert {*TREATED} == {*THEOREMS}
    assert class_line("dfedpgp.lem1") == ""


def test_explain_names_the_certificate(run):
    done = run("explain", "dfedalt.thm1_bound", "--check", "step-above-cap")
    assert done.code == 0
    told = " ".join(done.out.split())
    assert "Of a whole class: [corrected] is PROVED for n = 2 on ring and T = 2" in told
    assert "theorylab worst dfedalt.thm1_bound --clients 2 --rounds 2 --out DIR" in told


@pytest.mark.parametrize(
    ("typed", "told"),
    [(".1", "1/10"), ("1e-1", "1/10"), ("0.30", "3/10"), ("6.14e-4", "307/500000")],
)
def test_a_decimal_is_told_as_the_rational_that_it_prints(run, typed, told):
    done = run("worst", "dpsgd", "--set", f"eta={typed}", "--start", "distance=1", "--L", ".5")
    first, second, *_ = done.out.splitlines()
    assert first == f"dpsgd (eta = {told}) on complete, n = 1, T = 1"
    assert "1/2-smooth" in second


def test_the_smallest_counterexamples_of_the_page_are_violated(run):
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs/worst.md").read_text()
    commands = re.findall(r"<!-- smallest -->\n```console\n\$ theorylab (.*)\n```", page)
    assert len(commands) == 2
    for command in commands:
        done = run(*command.split())
        assert done.code == 1
        assert "1 version: 1 VIOLATED." in done.out


@pytest.mark.parametrize("K", [1, 2])
def test_equal_quadratics_exceed_the_printed_bound_where_gradients_are_bounded_on_the_way(K):
    """f = x^2/2 from f = 1, K steps of a heavy ball a round; T = 26, and 27 with K = 2."""
    eta, alpha, T = (6.14e-4, 0.9895, 26) if K == 1 else (6.1e-5, 0.997846, 27)
    theorem = THEOREMS["dfedsgpsm.thm1"]
    options = {**theorem.options, "eta": eta, "alpha": alpha, "local_steps": K, "B": 1.415}
    known = theorem.known(topology("complete", K), T, options)
    bound = _bound(theorem, "printed", theorem.statement.versions["printed"], known).value
    x, total = 2**0.5, 0.0
    for _ in range(T):
        total += x * x / T
        v = 0.0
        for _ in range(K):
            v = alpha * v + x
            x -= eta * v
    assert 1.003 < total / bound < 1.05
