"""What falsify says of units is so: a printed 1 with units makes a claim depend on them."""

import sympy as sp

from theorylab import symbols
from theorylab.commands.falsify.work import units_line
from theorylab.statements import BUILT_IN, scale_free, units_agree

ONES = {s for s, meaning in symbols.MEANING.items() if meaning.text.startswith("1, ")}


def as_printed(expr):
    """With the number 1 where a symbol stands for it."""
    return expr.subs(dict.fromkeys(ONES, sp.Integer(1)))


def is_free(statement, version):
    """Whether no part of the claim, as printed, depends on the units in use."""
    units = statement.units_of(version)
    terms = [as_printed(term) for term in version.terms.values()]
    rules = [
        a.rule.func(as_printed(a.rule.lhs), as_printed(a.rule.rhs))
        for a in version.assumes
        if getattr(a.rule, "free_symbols", None)
    ]
    order = version.order
    sides = [] if order is None else [each for each in (order.bracket, order.left) if each]
    # a bracket was read with the symbol: its printed form has to scale as that does
    rules += [sp.Eq(as_printed(each), each, evaluate=False) for each in sides if each.has(*ONES)]
    # a sum may have units although a term of it has none: terms are looked at one by one
    return all(units_agree(term, units) for term in terms) and all(map(scale_free, rules))


def test_a_claim_is_called_free_of_units_where_its_printed_form_is(versions):
    for where, statement, version in versions:
        free = is_free(statement, version)
        assert units_line(version).startswith("units: every term scales") == free, where


def test_the_number_is_named():
    line = units_line(BUILT_IN["dfedpgp.eq28"].versions["printed"])
    assert line == (
        "units: the claim depends on the units in use: dfedpgp_unit is a 1 that the paper prints "
        "where something with units is needed."
    )


def test_there_are_such_numbers():
    assert len(ONES) >= 3
    assert all(symbols.MEANING[one].units != (0, 0) for one in ONES)
