"""The descent behind an infimum is kept by the bits of the problem's tables, and by no less."""

import pytest

from theorylab.problems import _sin_sin_bounds as bounds
from theorylab.problems import problem

FIRST = {
    "A": [[2.0]], "B": [[3.0]], "c": [0.4, 0.2], "phases": [[0.3], [1.1]],
    "a": [[1.0], [-1.0]], "b": [[0.5], [2.0]],
}  # fmt: skip
CHANGES = [
    {"A": [[2.5]]}, {"B": [[2.5]]}, {"c": [0.4, 0.3]}, {"phases": [[0.3], [2.0]]},
    {"a": [[1.5], [-1.0]]}, {"b": [[0.5], [1.0]]},
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
@pytest.mark.parametrize("personal", [False, True])
def test_the_infimum_is_that_of_its_own_tables(monkeypatch, change, personal):
    one, other = (problem("sin-sin", 2, **{**FIRST, **new}) for new in ({}, change))
    monkeypatch.setattr(bounds, "_KEPT", {})
    first, after = bounds.infimum(one, personal), bounds.infimum(other, personal)
    monkeypatch.setattr(bounds, "_KEPT", {})
    alone = bounds.infimum(other, personal)
    assert "near-minimiser" in alone.source  # the descent was used
    assert after == alone
    assert first != alone


def test_one_point_for_all_and_a_point_a_client_are_two_infima(monkeypatch):
    losses = problem("sin-sin", 2, **FIRST)
    monkeypatch.setattr(bounds, "_KEPT", {})
    alone = bounds.infimum(losses, False)
    monkeypatch.setattr(bounds, "_KEPT", {})
    assert bounds.infimum(losses, True).value < alone.value - 0.1
    assert bounds.infimum(losses, False) == alone


def test_the_same_tables_are_descended_on_once(monkeypatch):
    calls, descended = [], bounds._descended
    monkeypatch.setattr(bounds, "_KEPT", {})
    monkeypatch.setattr(
        bounds, "_descended", lambda *given: calls.append(given) or descended(*given)
    )
    first = bounds.infimum(problem("sin-sin", 2, **FIRST), True)
    assert bounds.infimum(problem("sin-sin", 2, **FIRST), True) == first
    assert len(calls) == 1
