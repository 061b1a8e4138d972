"""Worst cases that are known in closed form, from the solver and from certificates."""

import json
import subprocess
import sys
from fractions import Fraction

import pytest

from theorylab.algorithms import algorithm
from theorylab.topologies import topology
from theorylab.worst import Functions, Question, check_certificate, record, worst
from theorylab.worst.certificate import CHECKER, certify
from theorylab.worst.generation import solved
from theorylab.worst.program import Program

MU = Fraction(1, 10)
SMOOTH, STRONG, BENT = Functions(0, 1), Functions(MU, 1), Functions(-1, 1)
KNOWN = [  # class, start, metric, T, the worst case of gradient descent with eta = 1/L = 1
    (SMOOTH, "distance", "gap", 3, Fraction(1, 14)),  # Drori, Teboulle 2014: 1/(4T + 2)
    (SMOOTH, "distance", "gap", 10, Fraction(1, 42)),
    (STRONG, "distance", "distance", 4, (1 - MU) ** 8),  # (1 - mu eta)^{2T}
    (BENT, "gap", "mean-gradient", 5, Fraction(2, 5)),  # 2/T
    (
        BENT,
        "gap",
        "least-gradient",
        5,
        Fraction(4, 14),
    ),  # Abbaszadehpeivasti et al. 2022: 4/(3T - 1)
    (SMOOTH, "gap", "gradient", 5, Fraction(2, 11)),  # 2/(2T + 1); x* is anywhere
    (SMOOTH, "gap", "gradient", 1, Fraction(2, 3)),
]


def question(functions, start, metric, rounds, eta=1.0):
    made = record(algorithm("dpsgd", eta=eta), topology("complete", 1), rounds)
    return Question(made, functions, dict.fromkeys([start], 1), metric)


@pytest.mark.parametrize(("functions", "start", "metric", "rounds", "worst"), KNOWN)
def test_gradient_descent_has_the_worst_case_of_the_literature(
    functions, start, metric, rounds, worst
):
    asked = question(functions, start, metric, rounds)
    program = Program(asked.theorem())
    found = solved(program)
    # the solver stops at a gap of 1e-11; programs that bend slowly leave some of its digits
    assert found.solution.dual == pytest.approx(float(worst), rel=1e-6)
    certificate = certify(asked, program, found, 1e-6)
    assert worst <= certificate.claim <= worst * (1 + Fraction(2, 10**6))


@pytest.mark.parametrize("size", [Fraction(1, 1000), 1000])
@pytest.mark.parametrize("n", [1, 3])
def test_conditions_of_any_size_are_solved_and_certified(size, n):
    """Of x^0, x* and gradients that are all ``size`` times as large f is size^2 times as much;
    gradient descent on smooth functions has L R^2/(4T + 2)."""
    network, value = topology("complete", n), {}
    for s in (1, size):
        kind = Functions(0, None, B=s)
        asked = {"rounds": 3, "start": {"distance": s}, "metric": "gap-of-mean", "certify": True}
        made = worst(algorithm("dpsgd", eta=0.5), network, functions=kind, **asked)
        value[s] = made.certificate.claim
    assert float(value[size] / Fraction(size) ** 2) == pytest.approx(float(value[1]), rel=2e-6)
    start = {"distance": size, **({"spread": 0} if n > 1 else {})}
    exact = Fraction(size) ** 2 / 14
    made = worst(
        algorithm("dpsgd", eta=1.0), network, rounds=3, functions=SMOOTH, start=start, certify=True
    )
    assert exact <= made.certificate.claim <= exact * (1 + Fraction(2, 10**6))


def test_the_standalone_file_proves_it_without_theorylab(tmp_path):
    asked = question(*KNOWN[0][:4])
    program = Program(asked.theorem())
    certificate = certify(asked, program, solved(program), 1e-6)
    certificate.save(tmp_path / "c.json")
    low = json.loads((tmp_path / "c.json").read_text())
    low["claim"] = str(Fraction(low["claim"]) * (1 - Fraction(1, 10**5)))
    (tmp_path / "low.json").write_text(json.dumps(low))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "check_certificate.py", "c.json", "low.json", "none.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    first, second, third = done.stdout.splitlines()
    assert first.startswith("PROVED: 'c.json': n = 1, T = 3, every dimension, every f_i of ")
    assert "curvature 0 to 1; one x^0 at all clients, |x^0 - x*| <= 1; 3 gradients by " in first
    assert ": f(xbar^T) - f* <= 0.0714286" in first
    assert second == "NOT PROVED: 'low.json': 'the claim is too small'"
    assert third.startswith("NOT PROVED: 'none.json': ")
    assert (done.returncode, done.stderr) == (1, "")


def test_the_checker_imports_the_standard_library_alone():
    text = CHECKER.read_text()
    imports = [line.split()[1] for line in text.splitlines() if line.startswith(("import", "from"))]
    assert set(imports) <= set(sys.stdlib_module_names)
    assert check_certificate.main([]) == 1  # no file proves nothing
