"""What a test costs is its own processor time and that of its children, whoever waits for them."""

import json
import pathlib

import pytest
from theorylab_suite import costs

TESTS = """
import subprocess, sys, time
import pytest

def burn(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass

@pytest.fixture(scope="module")
def inner():
    burn(.12)

@pytest.fixture(scope="module")
def outer(inner):
    burn(.24)

def test_first(outer):
    burn(.1)

@pytest.mark.parametrize("k", range(4))
def test_some(k, outer):
    burn(.08 * (k == 0) + .12 * (k == 1))

def test_child():
    subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < .2: pass"])

def test_asleep():
    time.sleep(.1)
"""


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """The costs that a session of the tests above writes, beside what was known before."""
    (tmp_path / "test_it.py").write_text(TESTS)
    file = tmp_path / "costs.json"
    gone, cheaper = "tests/none/test_gone.py::test_gone", "test_it.py::test_asleep"
    file.write_text(json.dumps({"functions": {gone: 3.0, cheaper: 2.0}, "fixtures": {}}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(costs, "CHEAP", 0.02)
    monkeypatch.setattr(costs, "DEAR", 0.2)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setattr(costs.tree, "ROOT", pathlib.Path(tmp_path))
    words = ["-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), "-c", "/dev/null"]
    sums = costs.Sums(file)
    assert pytest.main([*words, "test_it.py"], plugins=[costs.Clock(), sums]) == 0
    return json.loads(file.read_text())


def test_each_pays_for_itself(measured):
    paid = {name.split("::")[1]: s for name, s in measured["functions"].items()}
    assert set(paid) == {"test_first", "test_some", "test_child"}  # nobody pays for sleep
    assert 0.1 <= paid["test_first"] <= 0.2  # not for the fixtures, although it was first
    assert 0.05 <= paid["test_some"] <= 0.12
    assert 0.15 <= paid["test_child"] <= 2  # the system counts a child's time by hundredths
    (fixture,) = measured["fixtures"].items()
    assert fixture[0].endswith("test_it.py::outer")
    assert 0.24 <= fixture[1] <= 0.34  # the inner one is its own


def test_what_is_done_apart_is_no_tests_cost():
    before = costs._APART[0]
    with costs.apart():
        sum(range(10**6))
    assert costs._APART[0] > before
    kept = costs._APART[0]
    with costs.apart(False):
        sum(range(10**6))
    assert costs._APART[0] == kept
