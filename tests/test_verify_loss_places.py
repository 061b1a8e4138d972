"""verify/loss_places.py: in how many files a loss is named."""

import importlib.util
import pathlib

import pytest

FILE = pathlib.Path(__file__).resolve().parents[1] / "verify/loss_places.py"


@pytest.fixture(scope="module")
def loss_places():
    spec = importlib.util.spec_from_file_location("loss_places", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_loss_that_is_one_function_is_named_in_its_own_file_alone(loss_places):
    texts = loss_places.files()
    for name in ("logistic-l2", "piecewise-quadratic", "rosenbrock"):
        code, _ = loss_places.places(name, texts)
        assert [path.name for path in code] == [f"{name.replace('-', '_')}.py"]


def test_a_name_in_another_file_is_found(loss_places):
    texts = {
        pathlib.Path("theorylab/x.py"): 'if name == "sin-sin":',
        pathlib.Path("theorylab/y.py"): "sins",
    }
    code, tests = loss_places.places("sin-sin", texts)
    assert ([path.name for path in code], tests) == (["x.py"], 0)


def test_an_unknown_loss_is_one_line(loss_places, capsys):
    assert loss_places.main(["nothing"]) == 2
    assert capsys.readouterr().err.startswith("loss_places: no 'nothing'; has ")
