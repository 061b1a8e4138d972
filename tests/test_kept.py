"""What is kept is made once, and the oldest goes first."""

import pytest

from theorylab.kept import kept


def test_a_value_is_made_once_and_the_oldest_goes_first():
    store, made = {}, []

    def value(key):
        return kept(store, key, lambda: made.append(key) or -key, 2)

    assert [value(1), value(2), value(1), value(2)] == [-1, -2, -1, -2]
    assert made == [1, 2]
    assert value(3) == -3
    assert list(store) == [2, 3]
    assert value(1) == -1
    assert made == [1, 2, 3, 1]


def test_what_raises_is_not_kept():
    store = {}
    with pytest.raises(ZeroDivisionError):
        kept(store, 1, lambda: 1 / 0, 2)
    assert store == {}
