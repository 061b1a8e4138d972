"""One registration: a name in the class statement, and what is refused of it."""

import dataclasses
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from theorylab import registry
from theorylab.algorithms import ALGORITHMS, SGP, Algorithm, algorithm
from theorylab.experiments import Experiment, experiment
from theorylab.metrics import Metric, metric
from theorylab.problems import Problem, Quadratic, problem
from theorylab.topologies import Ring, Topology, topology

pytestmark = pytest.mark.usefixtures("registries")
KINDS = (Problem, Topology, Algorithm, Metric, Experiment)
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def finder(kind):
    return {
        Problem: lambda name: problem(name, 2),
        Topology: lambda name: topology(name, 2),
        Algorithm: algorithm,
        Metric: metric,
        Experiment: experiment,
    }[kind]


def line_of(text):
    """The first line of this file that holds ``text``."""
    lines = pathlib.Path(__file__).read_text().splitlines()
    return 1 + next(k for k, line in enumerate(lines) if text in line)


@every_kind
def test_a_class_is_registered_by_the_keyword_and_only_so(kind):
    table = registry.table(kind.__name__.lower())

    class Named(kind, name="test-named"):
        pass

    class Unnamed(Named):
        pass

    assert table["test-named"] is Named
    assert Named.name == "test-named"
    assert Unnamed.name == "Unnamed"  # not its parent's
    assert Unnamed not in table.values()
    found = table.entry("test-named")
    assert (pathlib.Path(found.file), found.line) == (pathlib.Path(__file__), line_of("Named(kind"))


@every_kind
@pytest.mark.parametrize(
    ("name", "error", "line"),
    [
        (3, TypeError, r"the name is 3 \(int\); need text"),
        (float("inf"), TypeError, r"the name is inf \(float\); need text"),
        ("", ValueError, "need 1 to 100 characters"),
        ("x" * 10**6, ValueError, "need 1 to 100 characters"),
        ("my ring", ValueError, "none of them a blank"),
        ("my/ring", ValueError, "a slash"),
        ("ring\n", ValueError, "none of them a blank"),
        ("--ring", ValueError, "need one that starts with neither"),
    ],
)
def test_a_name_that_no_command_could_take_is_one_line(kind, name, error, line):
    with pytest.raises(error, match=f"^{kind.__name__.lower()}: [^\n]*{line}") as caught:
        type("Wrong", (kind,), {}, name=name)
    assert len(str(caught.value)) < 400


@every_kind
def test_a_taken_name_is_refused_with_both_places(kind):
    class First(kind, name="test-taken"):
        pass

    with pytest.raises(ValueError, match="'test-taken' is taken") as caught:

        class Second(kind, name="test-taken"):
            pass

    for text in ("First(kind", "Second(kind"):
        assert f"test_registry.py, line {line_of(text)}" in str(caught.value)
    assert registry.table(kind.__name__.lower())["test-taken"] is First


@every_kind
def test_the_same_statement_may_run_again(kind):
    def again():
        class Again(kind, name="test-again"):
            pass

        return Again

    first, second = again(), again()
    assert first is not second
    assert registry.table(kind.__name__.lower())["test-again"] is second


@every_kind
def test_an_unknown_name_is_told_what_it_may_mean(kind):
    class Near(kind, name="test-nearly"):
        pass

    word = kind.__name__.lower()
    with pytest.raises(ValueError, match=f"^{word}: no 'test-nearlx'; did you mean test-nearly[?]"):
        finder(kind)("test-nearlx")
    with pytest.raises(ValueError, match=f"^{word}: no 'zzz'; need one of .*test-nearly"):
        finder(kind)("zzz")
    with pytest.raises(ValueError, match=f"^{word}: no None; need one of"):
        finder(kind)(None)


@every_kind
def test_a_class_that_lacks_a_method_is_named_with_its_file(kind):
    class Lacking(kind, name="test-lacking"):
        pass

    needs = {Algorithm: "step", Topology: "_build", Metric: "rows", Problem: "gradient"}
    need = needs.get(kind, "describe")
    line = rf"test-lacking \(.*test_registry.py, line {line_of('Lacking(kind')}\) lacks .*{need}"
    with pytest.raises(ValueError, match=line):
        finder(kind)("test-lacking")


def test_an_algorithm_needs_nothing_but_its_step():
    class Plain(Algorithm, name="test-plain"):
        def __init__(self, *, eta, power=2):
            self.eta, self.power = eta, power

        def step(self, state, context):
            return state

    made = algorithm("test-plain", eta=0.5)
    assert made.options() == {"eta": 0.5, "power": 2}
    first = made.init(np.ones((1, 2, 3)))
    assert first.t == 0
    assert (first.w == 1).all()
    with pytest.raises(ValueError, match="no step size eta is given; need eta > 0"):
        algorithm("test-plain")
    with pytest.raises(ValueError, match="unknown option 'eto'; need one of eta, power"):
        algorithm("test-plain", eto=1)


def test_an_option_that_is_not_kept_is_named():
    class Loses(Algorithm, name="test-loses"):
        def __init__(self, *, eta):
            pass

        def step(self, state, context):
            return state

    with pytest.raises(ValueError, match=r"test-loses: the option eta .*; need self\.eta"):
        algorithm("test-loses", eta=1).options()


def test_a_dataclass_with_slots_is_the_class_that_is_found():
    @dataclasses.dataclass(frozen=True, slots=True)
    class Slotted(Algorithm, name="test-slotted"):
        eta: float = 1.0

        def step(self, state, context):
            return state

    assert type(algorithm("test-slotted")) is Slotted


def test_options_that_a_subclass_hands_on_are_known():
    class Mine(Quadratic, name="test-handing-on"):
        def __init__(self, clients, *, power=2, **options):
            super().__init__(clients, **options)
            self.power = power

    assert problem("test-handing-on", 3, power=4, dim=2).dim == 2
    with pytest.raises(ValueError, match=r"no option 'dims'; has power, dim, mu"):
        problem("test-handing-on", 3, dims=2)


def test_the_tables_are_read_only():
    with pytest.raises(TypeError):
        ALGORITHMS["test-boxed"] = SGP


def test_a_notebooks_cell_may_be_run_again():
    cell = "class Mine(Ring, name='test-cell'): pass"
    scope = {"Ring": Ring, "__name__": "__main__"}
    for number in (1, 2):
        exec(compile(cell, f"<cell {number}>", "exec"), scope)
    assert topology("test-cell", 3).name == "test-cell"
    with pytest.raises(ValueError, match="'test-cell' is taken: <cell 2>, line 1, and <cell 3>"):
        exec(compile(cell.replace("Mine", "Other"), "<cell 3>", "exec"), scope)


def test_what_a_failing_file_registered_is_gone():
    def fails():
        class Half(Ring, name="test-half"):
            pass

        raise RuntimeError("half way")

    with pytest.raises(RuntimeError), registry.restored(after=False):
        fails()
    assert "test-half" not in registry.table("topology")


def test_the_registry_imports_next_to_nothing_of_theorylab():
    code = (
        "import sys, theorylab.registry;"
        "print([m for m in sys.modules if m.startswith('theorylab.')], 'numpy' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split("]")[0] == "['theorylab.lazy', 'theorylab.registry'"
    assert "False" in shown.stdout
