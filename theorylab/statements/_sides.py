"""An equality as its two sides: what is measured is at most the bound, and at least it."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from theorylab.statements._base import EQUAL, Statement, Version

SIDES = ("<=", ">=")


def side(version: Version, relation: str) -> Version:
    """The side of an equality within ``tight``: <= bound + tight |bound|, or >= bound - ..."""
    terms = dict(version.terms)
    if version.tight != 0:
        room = version.tight * sp.Abs(version.bound)
        terms["tight"] = room if relation == "<=" else -room
    return replace(version, terms=terms, relation=relation, tight=sp.S.Zero)


def one_sided(statement: Statement, name: str, relation: str) -> Statement:
    """``statement`` with that side in the place of the version ``name``, where it is an equality;
    else itself. A result of an equality names in its ``relation`` the side that it shows."""
    version = statement.versions[name]
    if version.relation != EQUAL:
        return statement
    return replace(statement, versions={**statement.versions, name: side(version, relation)})
