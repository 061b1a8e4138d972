"""The text of a user's classes: what is carried, what is refused, and by which name."""

import linecache
import sys
import textwrap
import types

import numpy as np
import pytest

from theorylab import user_file
from theorylab.scripts import UnscriptedError, stub
from theorylab.scripts._carried_text import Bundle
from theorylab.scripts.text import constant, renamed

HEAD = "import numpy as np\nfrom theorylab.algorithms import Algorithm\n\n"


pytestmark = pytest.mark.usefixtures("registries")


def loaded(folder, text):
    path = folder / "mine.py"
    path.write_text(HEAD + textwrap.dedent(text))
    return user_file.load(path)


def texts(module, name="Mine", needed=("step",)):
    bundle = Bundle({name: getattr(module, name)}, {*needed})
    return "\n".join([*bundle.import_lines, *bundle.lines(False), *bundle.lines(True)])


def step(body, before=""):
    """A file whose class ``Mine`` has that step."""
    inside = textwrap.indent(textwrap.dedent(body), "        ")
    head = f"class Mine(Algorithm, name='texts.mine'):\n    def step(self, state, net):\n{inside}"
    return textwrap.dedent(before) + "\n" + head


@pytest.mark.parametrize(
    ("before", "body", "name"),
    [
        ("import time", "return time.time()", "time.time"),
        ("from time import perf_counter as now", "return now()", "time.perf_counter"),
        ("import os", "return os.environ['HOME']", "os.environ"),
        ("import random", "return random.random()", "random.random"),
        ("from random import gauss", "return gauss(0, 1)", "random.gauss"),
        ("", "return np.random.rand()", "numpy.random.rand"),
        ("from numpy.random import normal as draw", "return draw()", "numpy.random.normal"),
        ("", "return np.random.default_rng().normal()", "default_rng without a seed"),
        ("", "return np.load('x.npy')", "numpy.load"),
        ("", "return open('x').read()", "reads open"),
        ("", "import socket\nreturn socket.gethostname()", "socket"),
        ("COUNT = 0", "global COUNT\nCOUNT += 1", "the global COUNT, which it changes"),
        (
            "def late():\n    import datetime\n    return datetime.date.today()",
            "late()",
            "datetime",
        ),
        ("RNG = np.random.default_rng(0)", "return RNG.normal()", "the generator RNG"),
        ("import networkx as nx", "return nx.path_graph(3)", "networkx"),
        ("from scipy.special import erf", "return erf(1)", "erf cannot be had: it is compiled"),
        ("from theorylab.kernels import Stream", "return Stream(0, 'noise')", "theorylab's Stream"),
        ("from theorylab.symbols import eta", "return eta", "eta: a value of type Symbol"),
    ],
)
def test_what_a_step_reads_of_the_world_is_refused_by_its_name(tmp_path, before, body, name):
    with pytest.raises(UnscriptedError, match=r"Mine|late|erf") as error:
        texts(loaded(tmp_path, step(body, before)))
    assert name in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "body",
    [
        "id = state.x\nreturn id",
        "return np.random.default_rng(3).normal()",
        "return np.random.Generator(np.random.Philox(key=[net.seed, 1])).normal()",
        "return [time for time in (1, 2)]",
        "return state.open()",
    ],
)
def test_what_looks_like_the_world_and_is_not_is_carried(tmp_path, body):
    text = texts(loaded(tmp_path, step(body, "import time")))
    assert textwrap.indent(body, "        ") in text
    assert "import time" not in text


def test_only_what_is_called_is_carried_and_what_it_uses_stands_before_it(tmp_path):
    module = loaded(
        tmp_path,
        '''
        from dataclasses import dataclass
        from theorylab.symbols import eta

        RATES = {"slow": (0.5, 1)}
        EDGE = np.array([[1.0, 2.0], [3.0, 4.0]])

        class Base(Algorithm):
            def half(self, x):
                return deep(x) @ EDGE  # the edge

            def other(self):
                return open("x")

        def deep(x):
            # why it is deep
            return x * RATES["slow"][0]

        @dataclass(frozen=True)
        class Mine(Base, name="texts.whole"):
            """Text with a # sign."""

            eta: float = 0.5

            def step(self, state, net):
                return net.next(state, x=self.half(state.x))
        ''',
    )
    text = texts(module)
    assert "open" not in text
    assert "symbols" not in text
    places = [text.index(part) for part in ("RATES = ", "def deep", "class Base", "class Mine")]
    assert places == sorted(places)
    assert text.index("EDGE = ") < text.index("class Base")
    assert "# why it is deep" in text
    assert "class Mine(Base):" in text
    assert "@dataclass(frozen=True)" in text
    found = {"__name__": "__main__"}
    exec(text, found)
    made = found["Mine"](0.25)
    assert made.eta == 0.25
    assert made.half(np.eye(2)).tolist() == [[0.5, 1.0], [1.5, 2.0]]


def test_a_cell_of_a_notebook_is_a_text(monkeypatch):
    cells = {"<cell 1>": "SCALE = 3\ndef scaled(x):\n    return SCALE * x\n"}
    cells["<cell 2>"] = (
        "class Mine:\n    def step(self, state, net):\n        return scaled(state)\n"
    )
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    for name, text in cells.items():
        monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(True), name))
        exec(compile(text, name, "exec"), vars(main))
    text = texts(main)
    assert text.index("SCALE = 3") < text.index("def scaled") < text.index("class Mine")


def test_a_text_that_cannot_be_had_is_one_line(tmp_path):
    module = loaded(
        tmp_path,
        """
        def factory():
            class Inner(Algorithm):
                def step(self, state, net):
                    return state
            return Inner

        Inside = factory()
        made = {}
        exec(compile("class Ghost:\\n    def step(self):\\n        pass", "<none>", "exec"), made)
        Ghost = made["Ghost"]
        """,
    )
    with pytest.raises(UnscriptedError, match=r"Inner is made inside of a function"):
        texts(module, "Inside")
    with pytest.raises(UnscriptedError, match=r"the text of Ghost cannot be had: it is compiled"):
        texts(module, "Ghost")


def test_two_things_of_one_name_are_refused(tmp_path):
    module = loaded(tmp_path, step("return Net()", "class Net:\n    pass\n"))
    bundle = {"Mine": module.Mine}
    with pytest.raises(UnscriptedError, match="two things of the files are called Net"):
        Bundle({**bundle, "Net": stub.Net}, {"step"})


@pytest.mark.parametrize(
    "value",
    [
        [1, 2.0, True, None, "a'\"\n"],
        {"a": (1,), 2: [0.5] * 9},
        {3, 1, 2},
        frozenset([1]),
        float("-inf"),
        range(3),
        np.arange(7),
        np.array([1, 2], np.int32),
        np.array([[True, False]]),
    ],
)
def test_a_constant_is_the_same_value_again(value):
    text = constant(value)
    again = eval(text, {"np": np})
    assert type(again) is type(value)
    if isinstance(value, np.ndarray):
        assert again.dtype == value.dtype
        assert (again == value).all()
    else:
        assert again == value
    assert "\n" not in text


def test_other_names_leave_attributes_options_and_texts_alone():
    lines = ["H = f(H=H, x=a.H)", 'print("H", H)']
    assert renamed(lines, {"H": "H_"}) == ["H_ = f(H=H_, x=a.H)", 'print("H", H_)']
