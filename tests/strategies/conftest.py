import pytest
from hypothesis import Phase, find, settings

FIXED = settings(derandomize=True, database=None, max_examples=2000)


@pytest.fixture
def searched():
    """searched(strategy, condition): the first of 2000 fixed draws that meets the condition."""
    first = settings(FIXED, phases=[Phase.generate])
    return lambda strategy, condition: find(strategy, condition, settings=first)


@pytest.fixture
def smallest():
    """smallest(strategy, condition): what such a draw shrinks to."""
    return lambda strategy, condition: find(strategy, condition, settings=FIXED)
