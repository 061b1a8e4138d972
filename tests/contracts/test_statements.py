"""Every statement keeps the contract, whoever wrote it."""

import math

import mpmath
import pytest

from theorylab import symbols
from theorylab.runs import COLUMNS
from theorylab.statements import (
    BUILT_IN,
    QUANTITIES,
    Severity,
    evaluate,
    scale_free,
    units_agree,
    worst_of,
)
from theorylab.symbols import Side

LONG = [
    pytest.param(s, name, c, id=f"{s.id}-{name}-{c.name}")
    for s in BUILT_IN.values()
    for name, v in s.versions.items()
    if v.severity is not None
    for c in v.checks
    if not c.quick
]
# A generic point inside every cap: small steps, moderate constants.
POINT = {
    "T": 5e8, "K": 4, "n": 6, "d": 3, "eta": 1e-3, "decay": 1, "alpha": 0.4, "rho": 0.02,
    "f0": 2.5, "x0_sq": 1.5, "L": 1.3, "L_sample": 1.7, "mu": 0.2, "B": 1.9, "sigma_l": 0.6,
    "sigma_g": 0.8, "f_star": 0.3, "window": 2, "delta": 0.4, "C": 2.2, "q": 0.7,
    "self_loops": 1, "uniform_out_degree": 1, "roundoff": 1e-16, "magnitude": 3.0,
    "vr_alpha": 0.7, "vr_beta": 0.3, "terms": 9, "term_index": 3, "rounds_left": 6, "hgp_size": 8,
    "eta_A": 0.6, "eta_B": 1.7, "kappa": 7.5, "op_A": 0.5, "op_B": 1.1, "batch": 2,
    "edge_weight": 0.3, "edge_chance": 0.4, "norm_A": 0.8, "norm_A_full": 0.9, "resolvent": 4,
    "power_norm": 0.2, "outcomes": 64, "balance_gap": 0.3, "pull": 2,
    "dfedsgpsm_least_share": 0.3,
    "dfedpgp_eta_u": 1e-5, "dfedpgp_eta_v": 1e-5, "dfedpgp_L_vu": 0.01,
    "dfedalt_eta_u": 1e-3, "dfedalt_eta_v": 1e-3, "dfedalt_lambda": 0.6,
    "deprl_alpha": 1e-3, "deprl_beta": 1e-3, "deprl_p": 0.3, "deprl_q2": 0.6, "deprl_C2": 1.2,
}  # fmt: skip
# Bounds that fall in a constant, and why a number on its side is sound all the same: the assumption
# asks for any L_u that is large enough, and the left side uses that very number.
FALLS = {"dfedpgp.thm1": {"dfedpgp_L_u"}, "dfedpgp.cor1": {"dfedpgp_L_u"}}
OTHER = 1.5  # for symbols with no cap among them


def is_false(version, check):
    """Whether the check tells against the version; VACUOUS does where the version is empty."""
    empty = check.expect == "VACUOUS" and version.severity is Severity.EMPTY
    return not check.control and (check.expect in ("VIOLATED", "UNSATISFIABLE") or empty)


def generic(name):
    """A value of the symbol inside every cap."""
    value = POINT.get(name, OTHER)
    return math.ceil(value) if symbols.BY_NAME[name].is_integer else value


def test_both_sides_have_the_same_units(versions):
    for where, statement, version in versions:
        for name, term in version.terms.items():
            assert units_agree(term, statement.units_of(version)), (where, name)
            assert not units_agree(term * symbols.L, statement.units_of(version)), (where, name)


def test_what_a_corrected_version_assumes_does_not_depend_on_the_units(statements):
    # a printed one may: then that is a finding, and falsify says so
    for statement in statements:
        for name, version in statement.versions.items():
            if name.startswith("corrected"):
                scaled = [a.name for a in version.assumes if not scale_free(a.rule)]
                assert scaled == [], (statement.id, name)


def test_a_rule_depends_on_the_units_only_where_its_sides_scale_apart():
    step, smooth, noise = symbols.eta, symbols.L, symbols.sigma_l
    assert scale_free(step < 1 / smooth)
    assert scale_free(step * smooth < 1)
    assert scale_free(noise > 0)
    assert scale_free(None)
    assert not scale_free(step < 1)
    assert not scale_free(step < 1 / mpmath.mpf(8) / smooth**2)
    assert not scale_free(noise <= smooth)


def test_a_constant_known_from_its_side_never_makes_the_bound_smaller(versions):
    # what makes VIOLATED sound: an upper bound on L, a lower bound on delta only loosen
    for where, statement, version in versions:
        values = {s: generic(symbols.name_of(s)) for s in version.bound.free_symbols}
        base = evaluate(version.bound, values)
        for symbol in version.bound.free_symbols:
            side = symbols.MEANING[symbol].side
            if side is Side.EXACT or symbols.name_of(symbol) in FALLS.get(statement.id, ()):
                continue
            factor = mpmath.mpf("1.01") if side is Side.UPPER else mpmath.mpf("0.99")
            looser = {**values, symbol: values[symbol] * factor}
            assert evaluate(version.bound, looser) >= base, (where, symbol)


def against(result, version, check):
    """What the result of a check says against its version is what the check shows."""
    causes = version.causes_of(check) if is_false(version, check) else ()
    return (result.severity, result.causes) == (worst_of(causes) or "", [c.id for c in causes])


def test_a_check_that_tells_against_its_version_says_how(statements, judged):
    # that every check gets its verdict, the plugin tests
    for statement in statements:
        for name, check in judged(statement):
            version = statement.versions[name]
            if version.severity is not None:
                result = judged(statement)[name, check]
                asked = next(each for each in version.checks if each.name == check)
                assert against(result, version, asked), (statement.id, name, check)


@pytest.mark.slow
@pytest.mark.parametrize(("statement", "name", "check"), LONG)
def test_a_long_check_that_tells_against_its_version_says_how(statement, name, check, judged):
    assert against(judged(statement)[name, check.name], statement.versions[name], check)


def test_a_severity_stands_where_a_claim_is_false_and_nowhere_else(versions):
    for where, statement, version in versions:
        false = any(is_false(version, check) for check in version.checks)
        assert (version.severity is not None) == false, where
        assert not (false and statement.versions.get("corrected") is version), where


def test_every_cause_is_shown_by_a_check_and_every_check_against_a_version_shows_one(versions):
    for where, _, version in versions:
        shown = [version.causes_of(c) for c in version.checks if is_false(version, c)]
        assert {cause for causes in shown for cause in causes} == set(version.causes), where
        assert all(shown) or not version.causes, where
        assert all(len(cause.clause) <= 90 for cause in version.causes), where


def test_a_cause_stands_in_lines_of_statements_and_refutes_one_of_them():
    refuted = {}
    for statement in BUILT_IN.values():
        for cause in (cause for each in statement.versions.values() for cause in each.causes):
            refuted.setdefault(cause, set()).add(statement.id)
    for cause, where in refuted.items():
        assert set(cause.homes) <= set(BUILT_IN), cause.id
        assert set(cause.homes) & where, cause.id


def test_every_version_has_a_check(versions):
    for where, _, version in versions:
        assert version.checks, where
        assert len({check.name for check in version.checks}) == len(version.checks), where


def test_every_quantity_reads_a_column_that_traces_have():
    for quantity in QUANTITIES.values():
        assert quantity.column in {*COLUMNS, "suboptimality"}


def test_a_version_is_named_after_whose_claim_it_is(statements):
    for statement in statements:
        heads = {name.split("/")[0] for name in statement.versions}
        assert heads <= {"printed", "implied", "corrected", "control"}, statement.id


def test_a_version_that_is_called_a_control_has_controls_alone(versions):
    for where, _, version in versions:
        if where.endswith("[control]"):
            assert all(check.control for check in version.checks), where
