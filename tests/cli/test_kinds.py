"""``theorylab list KIND``: every name, option and default, as the code has them."""

import json
import pathlib

import pytest

from theorylab.algorithms import ALGORITHMS, algorithm
from theorylab.cli import KINDS
from theorylab.metrics import LAWS, METRICS
from theorylab.problems import names as problems
from theorylab.topologies import names as topologies

OWN = '''
from dataclasses import dataclass, field
from theorylab.algorithms import Algorithm
from theorylab.topologies import Ring

@dataclass(frozen=True)
class Mine(Algorithm, name="test-listed"):
    """Descent with a list.

    More of it.
    """
    eta: float
    rates: list = field(default_factory=lambda: [1, 2])
    scale: object = complex(1, 2)

    def step(self, state, net):
        return state

@dataclass(frozen=True)
class Silent(Mine, name="test-silent"):
    pass
'''


def listed(run, *words):
    done = run("list", *words, "--json", "-")
    assert done.code == 0, done.err
    (rows,) = json.loads(done.out).values()
    return {row["name"]: row for row in rows}


@pytest.mark.parametrize("word", sorted(KINDS))
def test_everything_of_a_kind_is_listed_with_a_line(run, word):
    known = {"topologies": topologies(), "problems": problems(), "algorithms": ALGORITHMS}
    known |= {"metrics": METRICS, "laws": LAWS}
    rows = listed(run, word)
    assert set(rows) >= set(known.get(word, ["drawn-points"]))
    shown = run("list", word).out
    assert all(name in shown for name in rows)
    assert all(row["text"] for row in rows.values() if not row.get("file"))


@pytest.mark.parametrize("name", ["sgp", "dfedsgpsm", "dfedpgp", "fedavg"])
def test_the_defaults_are_those_that_a_built_one_has(run, name):
    options = listed(run, "algorithms", name)[name]["options"]
    needed = {option: 0.1 for option, given in options.items() if not given}
    made = algorithm(name, **needed).options()
    assert {option: given.get("default", 0.1) for option, given in options.items()} == made


def test_an_imported_one_is_listed_with_its_file(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("own.py").write_text(OWN)
    rows = listed(run, "algorithms", "test-*", "--import", "own.py")
    assert rows["test-listed"] == {
        "name": "test-listed",
        "text": "Descent with a list.",
        "options": {"eta": {}, "rates": {"default": [1, 2]}, "scale": {"default": "(1+2j)"}},
        "file": "own.py",
    }
    assert rows["test-silent"]["text"] == ""
    shown = run("list", "algorithms", "test-*", "--import", "own.py").out
    assert "eta (no default)" in shown
    assert "rates=[1, 2]" in shown
    assert "(own.py)" in shown


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["topologies", "rong"], "list topologies: no topology 'rong'; did you mean ring?"),
        (["laws", "x"], "list laws: no law 'x'; need one of auto"),
        (["topology"], "no statement 'topology'"),
    ],
)
def test_what_there_is_not_is_one_line(refused, words, line):
    assert line in refused("list", *words)
