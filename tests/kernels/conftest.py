import pytest

from theorylab import _core
from theorylab.kernels import get_threads, set_threads


@pytest.fixture(autouse=True)
def switches_are_restored():
    """Threads, instruction set and schedule, which tests here change, are as before afterwards."""
    threads, isa = get_threads(), _core.isa()
    yield
    _core.tune()
    _core.use_isa(isa)
    set_threads(threads)
