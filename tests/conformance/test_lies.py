"""Each planted lie is found, in the row that it belongs to; without it the same file passes."""

import json
import pathlib
import re

import pytest

from theorylab import cli

LIES = pathlib.Path(__file__).parent / "lies"
FOUND = {  # by file: the rows that are lies, and no others are
    "wrong_sign": {"gradient", "optimum"},
    "small_smoothness": {"L"},
    "large_convexity": {"mu"},
    "large_minimum": {"f_star"},
    "understated_noise": {"sigma_l and measured_noise"},
    "lost_option": {"describe()"},
    "leaking_columns": {"columns sum to 1"},
    "wrong_period": {"period"},
    "changed_input": {"inputs", "a batch is its runs"},
    "global_draws": {"draws by counter", "draws", "a batch is its runs", "options()"},
    "mixed_runs": {"a batch is its runs"},
    "shared_coin": {"draws of its own"},
    "other_step": {"step_size"},
}
DOUBTED = {"lost_mass": "mass of x", "hidden_server": "edges"}  # a method may mean it
NEEDED = {"wrong_sign": "gradient", "changed_input": "inputs", "global_draws": "draws by counter"}


def checked(file, tmp_path, *more):
    target = tmp_path / "out.json"
    code = cli.run(["check", str(file), "--json", str(target), *more])
    content = json.loads(target.read_text())
    assert content["exit"] == code
    return code, content["findings"]


def test_every_file_is_here():
    assert {path.stem for path in LIES.glob("*.py")} == {*FOUND, *DOUBTED}


@pytest.mark.parametrize("name", FOUND)
def test_the_lie_is_found_where_it_is(name, tmp_path):
    code, findings = checked(LIES / f"{name}.py", tmp_path)
    found = {each["checked"] for each in findings if each["result"] == "LIE"}
    assert code == 1
    assert found <= FOUND[name]
    assert NEEDED.get(name, next(iter(FOUND[name]))) in found


@pytest.mark.parametrize("name", DOUBTED)
def test_what_a_method_may_mean_is_a_doubt_unless_its_class_declares_it(name, tmp_path):
    code, findings = checked(LIES / f"{name}.py", tmp_path)
    doubts = [each for each in findings if each["result"] == "doubtful"]
    assert [each["checked"] for each in doubts] == [DOUBTED[name]]
    assert "on the class says that it is meant" in doubts[0]["by"]
    assert code == 0


@pytest.mark.parametrize("name", [*FOUND, *DOUBTED])
def test_without_the_lie_the_file_passes(name, tmp_path):
    text = (LIES / f"{name}.py").read_text()
    honest, many = re.subn(r"(?m)^( *)\S.*\n *# honest: (.*)$", r"\1\2", text)
    assert many == 1
    file = tmp_path / f"{name}.py"
    file.write_text(honest)
    code, findings = checked(file, tmp_path)
    assert [each for each in findings if each["result"] in ("LIE", "raises", "doubtful")] == []
    assert code == 0
    assert len(findings) >= 6


def test_a_coin_of_an_unknown_law_raises_on_every_instance(tmp_path):
    text = (LIES / "shared_coin.py").read_text()
    file = tmp_path / "unknown.py"
    file.write_text(text.replace("np.random.default_rng([net.seed, state.t]).integers(2)",
                                 "net.coins(1, 'poisson')"))  # fmt: skip
    code, findings = checked(file, tmp_path)
    (found,) = findings
    assert (code, found["result"]) == (2, "raises")
    assert "net.coins: no law 'poisson'; need one of bernoulli" in found["by"]
