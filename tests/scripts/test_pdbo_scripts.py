"""Scripts of pdbo's experiments: each is run where theorylab is not."""

import math
import re
import subprocess
import sys

import pytest

from theorylab.falsify.recheck import recheck
from theorylab.scripts import LONGEST, WIDEST, UnscriptedError, script
from theorylab.scripts.__main__ import violated
from theorylab.scripts._agreement import differences
from theorylab.scripts._plain_lines import fitted
from theorylab.statements import BUILT_IN, Check
from theorylab.verdicts import judge_check

ALONE = "import sys; sys.modules['theorylab'] = None; exec(compile(sys.stdin.read(), 's', 'exec'))"
SIDES = re.compile(r"measured (\S+) [<>]= bound (\S+) is claimed")
CHEAP = {  # one of every left side
    *(("pdbo.eq9", "printed", "sto-u-three"), ("pdbo.eq11", "printed/directed", "sto-d")),
    *(("pdbo.eq13", "printed/line157", "sto-d"), ("pdbo.sec61", "printed", "sto-d")),
    *(("pdbo.appa31", "printed", "4a"), ("pdbo.appb", "printed/variance", "mostly-w")),
    *(("pdbo.alg3", "printed/letter", "one-term"), ("pdbo.alg4", "printed/letter", "sto-u")),
    *(("pdbo.alg5", "printed", "sto-d-4a"), ("pdbo.alg5", "printed/c-twice", "sto-u")),
    *(("pdbo.eq6", "printed", "sto-u-4a"), ("pdbo.eq6", "printed/unique", "sto-d")),
    *(("pdbo.eq6", "printed/unique-x", "opposed"), ("pdbo.eq6", "printed/exists", "4a-large-step")),
    *(("pdbo.eq6", "printed", "steps"), ("pdbo.sec2_convergence", "printed/no-share", "periodic")),
    ("pdbo.sec61_point", "implied", "sto-d"),
    ("pdbo.sec61_point", "implied/z", "constant-weights"),
    ("pdbo.sec61_point", "implied/nearer", "sto-d"),
    *(("pdbo.appc6", "printed", "sto-u"), ("pdbo.appc6_rounds", "printed/any-step", "steps")),
    ("pdbo.sec5", "printed/every-instance", "three-in-a-ring"),
    ("pdbo.appf", "implied", "two-clients"),
    *(("pdbo.thm10", "printed/c1-start", "one-client"), ("pdbo.thm11", "printed", "near-one")),
    ("pdbo.thm11", "printed/c-at-yt", "three-affine-clients"),
    *(
        ("pdbo.thm11_gap", "printed", "one-client"),
        ("pdbo.thm11_gap", "printed/edges", "rare-edge"),
    ),
    ("pdbo.thm11_cross", "printed", "one-client"),
    ("pdbo.thm11_cross", "printed/edges", "rarer-edges"),
    *(("pdbo.thm11_sum", "printed", "to-one"), ("pdbo.lem9_lines", "printed/two", "rare")),
    *(("pdbo.alg2_estimates", "implied", "sto-d"), ("pdbo.sec2", "printed/fedavg-local", None)),
    *(("pdbo.lem4", "printed/line597", "normal"), ("pdbo.lem4", "printed/line603", "normal")),
    *(("pdbo.lem5", "printed/m-terms", "normal"), ("pdbo.lem7_lines", "printed", "many-samples")),
    *(("pdbo.lem7_lines", "printed/a", "alone"), ("pdbo.eq41", "printed", "two-clients")),
    ("pdbo.itd_backward", "printed", "two-clients"),
}
TOO_LARGE = {  # of these statements smaller checks have a script
    **dict.fromkeys(
        ["eight-clients", "eight-in-a-ring", "twenty-clients", "thirty-in-a-ring", "conditioning"],
        "too many for a script",
    ),
    "large-step": "too many for a script",
    "random-edges": "the script has 5. lines",
}


def false_claims():
    """(id, version, check) of every false claim that is about one of these experiments."""
    for claim, version, check in violated(["pdbo.*"]):
        if claim.experiment != "printed-table":  # another file has them
            yield claim.id, version, check.name


def cases():
    for name, version, check in false_claims():
        cheap = CHEAP & {(name, version, check), (name, version, None)}
        if check not in TOO_LARGE:
            slow = () if cheap else pytest.mark.slow
            yield pytest.param(name, version, check, id=f"{name} {version} {check}", marks=slow)


def result_of(name, version, check, **options):
    claim = BUILT_IN[name]
    (found,) = (each for each in claim.versions[version].checks if each.name == check)
    return claim, judge_check(claim, version, found, **options)


def run(text):
    """(measured, bound) as a script prints them where theorylab cannot be imported."""
    command = [sys.executable, "-I", "-W", "error", "-c", ALONE]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = SIDES.search(done.stdout)
    assert found, done.stdout
    return float(found[1]), float(found[2])


def agree(sides, result):
    measured, bound = sides
    if result.relation == ">=":  # a claim that something is not 0, where it is 0 up to rounding
        return max(measured, result.measured) < 1e-3 * bound and math.isclose(bound, result.bound)
    same = math.isclose(measured, result.measured, rel_tol=1e-9)
    return same and math.isclose(bound, result.bound, rel_tol=1e-9)


@pytest.mark.parametrize(("name", "version", "check"), list(cases()))
def test_a_script_prints_both_sides_of_the_result(name, version, check):
    claim, result = result_of(name, version, check)
    assert result.verdict == "VIOLATED"
    text = script(claim, result)
    assert len(text.splitlines()) <= LONGEST
    assert max(map(len, text.splitlines())) <= WIDEST
    assert agree(run(text), result)
    again = recheck(claim, version, result)
    assert again.holds is True, again.how  # its lines in balls, and the engine's number is met


def test_every_left_side_has_a_cheap_sample():
    sides = {True: set(), False: set()}
    for name, version, check in false_claims():
        cheap = bool(CHEAP & {(name, version, check), (name, version, None)})
        claim = BUILT_IN[name]
        column = claim.quantity_of(claim.versions[version]).column
        sides[cheap].add((claim.experiment, column))
    assert sides[False] - sides[True] <= {("aid-products", "rb_iterations")}  # as "rb"


@pytest.mark.parametrize(
    ("name", "version", "check"),
    [
        ("pdbo.sec5", "printed/every-instance", "eight-in-a-ring"),
        ("pdbo.eq41", "printed", "random-edges"),
        ("pdbo.itd_backward", "printed", "random-edges"),
    ],
)
def test_what_is_too_large_says_so_and_a_smaller_check_has_a_script(name, version, check):
    with pytest.raises(UnscriptedError, match=TOO_LARGE[check]):
        script(*result_of(name, version, check))
    assert any(each[:2] == (name, version) for each in CHEAP)


FAULTS = {  # a script, a part of it, and a wrong one
    "chances left out": ("pdbo.sec61_point", "implied", "sto-d", "sum(p * P for", "sum(P for"),
    "weights of another rule": ("pdbo.eq6", "printed", "sto-u-4a", "e.sum(axis=0)", "n"),
    "(4b) for (4a)": ("pdbo.eq6", "printed", "sto-u-4a", "mean * step", "np.eye(n) * step"),
    "omega left out": ("pdbo.alg4", "printed/letter", "sto-d", "(n * omega[:, None])", "n"),
    "undivided edges": ("pdbo.appb", "printed/variance", "mostly-w", " / often", ""),
    "a term more": ("pdbo.eq11", "printed/directed", "sto-d", "range(2))", "range(3))"),
    "w_j for u_j": ("pdbo.alg5", "printed", "sto-d-4a", "(A - own) @ u", "(A - own) @ w"),
    "the mean's power": ("pdbo.eq9", "printed", "sto-u-three", "power(A, m)", "power(A_, m)"),
    "the point left out": ("pdbo.appc6", "printed", "sto-u", "+ push - x", "+ push"),
    "psi_i left out": ("pdbo.appf", "implied", "two-clients", "np.eye(n), psi", "0 * mean, psi"),
    "kappa once": ("pdbo.thm11", "printed", "near-one", "eta_A / (2 * kappa)", "eta_A / kappa"),
    "the own weight": ("pdbo.thm11_gap", "printed/edges", "rare-edge", "w + np.eye(n)", "w"),
    "beta twice": ("pdbo.thm11_sum", "printed", "to-one", "beta * slow", "beta**2 * slow"),
    "no local steps": ("pdbo.sec2", "printed/fedavg-local", None, "% K == 0", "% 1 == 0"),
    "edges of another round": ("pdbo.eq41", "printed", "two-clients", "= P[t] @ z", "= P[0] @ z"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_error_is_seen(fault):
    name, version, check, right, wrong = FAULTS[fault]
    if check is None:
        ((_, _, check),) = [each for each in false_claims() if each[:2] == (name, version)]
    claim, result = result_of(name, version, check)
    text = script(claim, result)
    assert right in text
    if "A_" in wrong:  # the mean matrix for every outcome
        text = text.replace("v = c_lam", "A_ = sum(p * A for p, A, _ in cases)\nv = c_lam")
    assert not agree(run(text.replace(right, wrong)), result)


def test_a_realisation_of_another_seed_is_not_taken_for_this_one():
    with pytest.raises(UnscriptedError, match="another seed"):
        script(*result_of("pdbo.lem4", "printed/line597", "normal", seed=1))


PLACE = {"problem": {"clients": 4, "dim": 1, "hyper": 1, "seed": 1}, "network": {"name": "sto-u"}}
NUMBERS = {"problem": {"clients": 3, "dim": 3, "hyper": 2}, "network": {"name": "sto-u"}}
PAIRS = {
    "problem": {"clients": 3, "dim": 2, "hyper": 2, "seed": 1},
    "network": {"name": "sto-u", "weights": "constant", "seed": 2},
}


@pytest.mark.parametrize(
    ("name", "version", "instance", "why"),
    [
        ("pdbo.eq6", "printed", PLACE, "patterns of edges of 4 clients"),
        ("pdbo.eq6", "printed", {**PLACE, "network": {"name": "random-out"}}, "not listed"),
        ("pdbo.alg4", "printed/letter", {"place": NUMBERS, "reading": "alg4"}, "has 58 lines"),
    ],
)
def test_an_instance_that_no_script_covers_says_why(name, version, instance, why):
    claim = BUILT_IN[name]
    result = judge_check(claim, version, Check("x", instance))
    with pytest.raises(UnscriptedError, match=why):
        script(claim, result)


@pytest.mark.parametrize(
    ("name", "version", "instance"),
    [
        ("pdbo.sec61_point", "implied/z", PAIRS),
        ("pdbo.sec61_point", "implied/nearer", {**PAIRS, "network": {"name": "sto-d"}}),
        ("pdbo.appc6", "printed", {**PAIRS, "variant": "4a", "rounds": [500], "start": 1.5}),
        ("pdbo.appc6_rounds", "printed/any-step", {"place": PAIRS, "terms": [9], "early": 4}),
        ("pdbo.eq6", "printed/unique", PAIRS),
    ],
)
def test_several_numbers_a_client_have_their_lines(name, version, instance):
    claim = BUILT_IN[name]
    result = judge_check(claim, version, Check("x", instance))
    assert result.measured > 1e-6
    assert differences(script(claim, result, long=True), result) == []


def test_a_long_comment_stays_one():
    """Broken inside of brackets its rest would be code."""
    (line,) = fitted(["# (" + "import os " * 30])
    assert len(line) <= WIDEST
    code, rest = fitted([f"x = [{', '.join(['0.123456'] * 12)}]  # {'a word ' * 12}"])
    assert "#" not in code + rest


def test_a_quantile_that_every_pattern_of_edges_exceeds_in_chance_is_the_largest_error():
    statement = BUILT_IN["pdbo.thm10"]
    (check,) = (
        c for c in statement.versions["printed/c1-start"].checks if c.name == "large-outer-gradient"
    )
    result = judge_check(statement, "printed/c1-start", check)
    assert differences(script(statement, result), result) == []
    assert recheck(statement, "printed/c1-start", result).holds is True
    likelier = {**result.instance, "eps_chance": 0.4}  # than the pattern without any edge
    other = result.model_copy(update={"instance": likelier})
    with pytest.raises(UnscriptedError, match="no script where rounds are drawn"):
        script(statement, other)
