"""Every statement keeps the contract, whoever wrote it."""

import mpmath
import pytest

from theorylab import symbols
from theorylab.runs import COLUMNS
from theorylab.statements import BUILT_IN, QUANTITIES, evaluate, units_agree
from theorylab.symbols import Side

VERSIONS = [
    pytest.param(s, v, id=f"{s.id}-{name}")
    for s in BUILT_IN.values()
    for name, v in s.versions.items()
]
# A generic point inside every cap: small steps, moderate constants.
POINT = {
    "T": 50, "K": 4, "n": 6, "d": 3, "eta": 1e-3, "decay": 1, "alpha": 0.4, "rho": 0.02,
    "f0": 2.5, "x0_sq": 1.5, "L": 1.3, "L_sample": 1.7, "mu": 0.2, "B": 1.9, "sigma_l": 0.6,
    "sigma_g": 0.8, "f_star": 0.3, "window": 2, "delta": 0.4, "C": 2.2, "q": 0.7,
    "self_loops": 1, "uniform_out_degree": 1, "roundoff": 1e-16, "magnitude": 3.0,
}  # fmt: skip


@pytest.mark.parametrize(("statement", "version"), VERSIONS)
def test_both_sides_have_the_same_units(statement, version):
    quantity = statement.quantity_of(version)
    for name, term in version.terms.items():
        assert units_agree(term, quantity.units), name
        assert not units_agree(term * symbols.L, quantity.units), name


@pytest.mark.parametrize(("statement", "version"), VERSIONS)
def test_a_constant_known_from_its_side_never_makes_the_bound_smaller(statement, version):
    # what makes VIOLATED sound: an upper bound on L, a lower bound on delta only loosen
    values = {symbols.BY_NAME[k]: v for k, v in POINT.items()}
    base = evaluate(version.bound, values)
    for symbol in version.bound.free_symbols:
        side = symbols.MEANING[symbol].side
        if side is Side.EXACT:
            continue
        factor = mpmath.mpf("1.01") if side is Side.UPPER else mpmath.mpf("0.99")
        assert evaluate(version.bound, {**values, symbol: values[symbol] * factor}) >= base, symbol


@pytest.mark.parametrize(("statement", "version"), VERSIONS)
def test_every_version_has_a_check(statement, version):
    assert version.checks
    assert len({check.name for check in version.checks}) == len(version.checks)


def test_every_quantity_reads_a_column_that_traces_have():
    for quantity in QUANTITIES.values():
        assert quantity.column in {*COLUMNS, "suboptimality"}
