"""What is so passes: everything built in, and the files of the pages. A false alarm is a fault."""

import pathlib
import re

import pytest

from theorylab import cli
from theorylab.algorithms import ALGORITHMS
from theorylab.conformance import check_things
from theorylab.metrics import METRICS
from theorylab.problems import PROBLEMS
from theorylab.topologies import TOPOLOGIES

DOCS = pathlib.Path(__file__).parents[2] / "docs"
FILES = [
    pytest.param(text, id=name)
    for page in ("extending", "own-algorithm", "own-network", "own-problem")
    for name, text in re.findall(
        r"<!-- (\w+\.py) -->\n```python\n(.*?)```", (DOCS / f"{page}.md").read_text(), re.DOTALL
    )
]
SMALL = {  # so that it takes milliseconds
    "composite": {"base": {"name": "huber"}, "set": {"kind": "ball", "radius": 1e3}},
    "noisy": {"base": {"name": "quadratic", "dim": 3}, "field": "two-point", "sigma": 0.5},
    "rippled": {"a": [[1.0, 2.0]] * 4, "b": [[0.0, 0.5]] * 4},
    "edge-list": {"edges": [[0, 1], [1, 2], [2, 0]]},
    "networks": {"of": {"pull": {"name": "random-in", "degree": 2}, "push": {"name": "ring"}}},
    "dis-pfl": {"rounds": 4},
    "deprl": {"alpha": 0.1, "beta": 0.05},
}
FIELDS = ["aligned", "common", "coordinate", "gaussian", "rademacher", "state", "two-point"]
LARGE = {"cnn", "lstm", "mlp", "resnet18", "mixture", "softmax", "logistic"}  # seconds: data sets
THINGS = [
    *(("problem", name) for name in PROBLEMS if name not in LARGE),
    *(("topology", name) for name in TOPOLOGIES),
    *(("algorithm", name) for name in ALGORITHMS if name not in ("dfedem", "fedem")),
    *(("metric", name) for name in METRICS if name.startswith("dfedsgpsm.")),
    *(("experiment", name) for name in ("momentum-sums", "hgp-norms", "edge-estimates", "itd")),
]


def wrong(findings):
    return [each for each in findings if each.result in ("LIE", "raises")]


@pytest.mark.parametrize(("kind", "name"), THINGS, ids=[f"{k} {n}" for k, n in THINGS])
def test_what_is_built_in_passes(kind, name):
    findings = list(check_things([(kind, name)], SMALL.get(name, {})))
    assert wrong(findings) == []
    assert len(findings) >= 4
    doubts = {(f.name, f.checked) for f in findings if f.result == "doubtful"}
    # both say with matrix() and one number what a lie would say with them, and are none
    assert doubts <= {("one-peer-exponential", "period"), ("hgp-norms", "rows of R3")} | {
        ("hgp-norms", "rows of R1")
    }


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("name", ["quadratic", "log-cosh", "clipped-linear"])
def test_every_noise_is_what_it_says(name, field):
    options = {"base": {"name": name, "dim": 3}, "field": field, "sigma": 0.7}
    findings = list(check_things([("problem", "noisy")], options))
    assert wrong(findings) == []
    assert "sigma_l and measured_noise" in {each.checked for each in findings}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["logistic", "softmax", "mixture"])
def test_regressions_on_data_pass(name):
    assert wrong(check_things([("problem", name)], {})) == []


@pytest.mark.parametrize("text", FILES)
def test_the_files_of_the_pages_pass(text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("mine.py").write_text(text)
    assert cli.run(["check", "mine.py"]) == 0
    shown = capsys.readouterr().out
    assert "0 lies" in shown
    assert "holds" in shown
