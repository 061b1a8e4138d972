"""An alarm that rings while a module starts, or a ``with`` begins, is heard once that is over."""

import contextlib
import itertools
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from theorylab.falsify.time_limit import at_most

FAR = 1e6  # seconds, which no test takes
RING = "import signal; signal.raise_signal(signal.SIGPROF)"
NUMBERS = itertools.count()


def endless():
    """It is to be ended at once: an alarm that is lost fails a test, and hangs none."""
    late = time.thread_time() + 5.0
    while time.thread_time() < late:
        pass
    pytest.fail("no alarm rang")


@pytest.fixture
def module(tmp_path, monkeypatch):
    """module(text): the name of a new module, which other modules of the test may import."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def made(text):
        name = f"rung_{next(NUMBERS)}"
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
        return name

    return made


PLACES = {
    "before all": RING + "\nvalue = 1",
    "after all": "value = 1\n" + RING,
    "in what it calls": f"def f():\n    {RING}\nf()\nvalue = 1",
    "in a function that C calls": f"import functools\ndef f(a, b):\n    {RING}\n    return 1\n"
    "value = functools.reduce(f, [0, 0])",
    "in what it imports": "import {inner}\nvalue = 1",
    "where it tries another": "try:\n    import {inner}\nexcept ImportError:\n    value = 0\n"
    "else:\n    value = 1",
}


@pytest.mark.parametrize("place", PLACES)
def test_an_alarm_inside_an_import_leaves_a_whole_module(module, place):
    name = module(PLACES[place].format(inner=module(RING)))

    def imported():
        __import__(name)
        endless()

    with pytest.raises(TimeoutError), at_most(FAR, processor=True):
        imported()
    assert sys.modules[name].value == 1


def test_an_import_that_fails_by_itself_is_told_as_ever(module):
    with pytest.raises(ZeroDivisionError), at_most(FAR, processor=True):
        __import__(module("1 / 0"))


def test_an_alarm_that_was_set_inside_an_import_rings(module, monkeypatch):
    """The frames of whoever set it say nothing: a file that searches while it is imported."""
    monkeypatch.setattr("builtins.search", endless, raising=False)
    name = module(f"""
        from theorylab.falsify.time_limit import at_most
        try:
            with at_most({FAR}, processor=True):
                {RING}
                search()
        except TimeoutError:
            value = 1
    """)
    assert __import__(name).value == 1


@contextlib.contextmanager
def held(store):
    store.append("held")
    signal.raise_signal(signal.SIGPROF)
    try:
        yield
    finally:
        signal.raise_signal(signal.SIGPROF)
        store.remove("held")


def test_what_a_with_takes_is_given_back():
    store = []
    for _ in range(2):
        with pytest.raises(TimeoutError), at_most(FAR, processor=True), held(store):
            endless()
        assert store == []


REAL = """
import importlib, signal, sys
from theorylab.falsify.time_limit import at_most

class Rings:
    def find_spec(self, name, path=None, target=None):
        if callable(signal.getsignal(signal.SIGPROF)):
            signal.raise_signal(signal.SIGPROF)
            rung.append(name)

rung = []
sys.meta_path.insert(0, Rings())
for name in sys.argv[1:]:
    try:
        with at_most(1e6, processor=True):
            importlib.import_module(name)
            for _ in range(10**7):
                pass
    except TimeoutError:
        pass
    else:
        sys.exit(f"{name}: no alarm")
print(len(rung))
import networkx
from networkx.utils import configs
from scipy.optimize import brentq, linprog, minimize_scalar
from scipy.special import expit
networkx.connected_watts_strogatz_graph(6, 2, 0.1, seed=1)
assert brentq(lambda x: x - 1, 0, 3) == 1
assert linprog([1], bounds=[(2, 3)]).fun == 2
"""


def test_an_alarm_in_every_import_of_a_large_package_breaks_none_of_it():
    names = ["networkx", "scipy.special", "scipy.sparse.csgraph", "scipy.optimize"]
    done = subprocess.run(
        [sys.executable, "-c", REAL, *names], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100
