"""``theorylab list KIND``: every name, option and default, as the code has them."""

import json
import pathlib

import pytest

from theorylab.algorithms import ALGORITHMS, algorithm
from theorylab.commands.completion import KINDS, ids_and_papers, members, methods, methods_and_ids
from theorylab.commands.completion import listed as completed
from theorylab.constants import PAIRS
from theorylab.letters import BY_NAME, EVERYWHERE
from theorylab.metrics import LAWS, METRICS
from theorylab.problems import names as problems
from theorylab.statements import QUANTITIES
from theorylab.symbols import ABBREVIATIONS
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
    known |= {"metrics": METRICS, "laws": LAWS, "symbols": BY_NAME.keys() & EVERYWHERE}
    known |= {"quantities": {*QUANTITIES, "loss", "suboptimality", "squared_distance"}}
    known |= {"constants": {"L", "mu", "lambda2", "delta", "diameter", *PAIRS}}
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
        (["topology"], "no statement 'topology'; did you mean topologies?"),
    ],
)
def test_what_there_is_not_is_one_line(refused, words, line):
    assert line in refused("list", *words)


def test_a_letter_is_listed_with_units_side_and_who_defines_it(run):
    rows = listed(run, "symbols")
    assert rows["lambda2"]["by"] == "the network"
    assert rows["R2"]["units"] == "x^2"
    assert rows["L"]["side"] == "any number at least the constant"
    assert rows["B"]["also"][0] == "G"
    assert rows["eta"]["units"] == "x^2/f"
    assert rows["kappa"]["by"] == "= L/mu"
    assert set(ABBREVIATIONS) <= set(rows)
    assert listed(run, "symbols", "lambda*").keys() == {"lambda2"}


def test_an_unknown_letter_is_one_line_with_the_nearest(run):
    done = run("list", "symbols", "lamda2")
    assert done.code == 2
    assert "did you mean lambda2?" in done.err


class Typed:
    def __init__(self, *words):
        self.params = {"selection": list(words)}


def test_the_shell_completes_kinds_names_and_letters():
    assert completed(Typed(), "sym") == ["symbols"]
    assert completed(Typed("symbols"), "lam") == ["lambda2"]
    assert completed(Typed("problems"), "quad") == ["quadratic"]
    assert "deprl.thm1" in completed(Typed(), "deprl.")
    assert completed(Typed(), "stat") == ["statements"]
    assert "pdbo" in methods("pd")
    assert {"sgp", "sgp-directed"} & set(methods_and_ids("sgp"))
    assert "dfedalt.thm1" in methods_and_ids("dfedalt.")
    assert "sgp" in members("algorithm")("s")
    assert ids_and_papers("dfedal")[0] == "dfedalt"
