"""The files of docs/extending.md do what the page says."""

import json
import pathlib
import re

import pytest

from theorylab import cli
from theorylab.experiments import EXPERIMENTS
from theorylab.imports import import_file, scope
from theorylab.metrics import METRICS
from theorylab.topologies import topology

PAGE = (pathlib.Path(__file__).parents[1] / "docs" / "extending.md").read_text()
FILES = dict(re.findall(r"<!-- (\w+\.py) -->\n```python\n(.*?)```", PAGE, re.DOTALL))


@pytest.fixture
def mine(tmp_path, monkeypatch, registries):
    """Every file of the page in one, as a reader would put them together."""
    monkeypatch.chdir(tmp_path)
    pathlib.Path("mine.py").write_text("\n".join(FILES.values()))


def test_there_is_a_file_of_every_kind():
    assert set(FILES) == {"jump.py", "huber.py", "descent.py", "spread.py", "powers.py"}


@pytest.mark.parametrize("line", re.findall(r"^theorylab .*", PAGE, re.MULTILINE))
def test_the_commands_of_the_page_work(mine, capsys, line):
    assert cli.run(line.split()[1:]) == 0
    assert "jump" in capsys.readouterr().out


def test_the_run_is_the_descent_that_the_page_describes(mine, capsys):
    line = re.search(r"^theorylab run .*", PAGE, re.MULTILINE).group(0)
    assert cli.run([*line.split()[1:], "--columns", "consensus", "--json", "-"]) == 0
    content = json.loads(capsys.readouterr().out)
    x = [0.0] * 6
    for t in range(200):
        x = [a - 0.1 / (t + 1) * min(1, max(-1, a - i)) for i, a in enumerate(x)]
    mean = sum(x) / 6
    spread = sum((a - mean) ** 2 for a in x) / 6
    # 200 steps, each rounded a few times
    assert content["final"]["consensus"]["mean"] == pytest.approx(spread, rel=1e-12)
    assert [code["file"] for code in content["imports"]] == ["mine.py"]


def test_metric_and_experiment_of_the_page_are_found(mine):
    with scope():
        import_file("mine.py")
        assert METRICS["mine.spread"].__name__ == "Spread"
        made = EXPERIMENTS["mine.powers"](gap=0.25, last=2)
        rows = made.observe("power", range(1), 0).rows
        assert [row.values.tolist() for row in rows] == [[0.75], [0.5625]]
    assert "mine.spread" not in METRICS


def test_the_network_of_the_page_sends_half_of_everything(mine):
    with scope():
        import_file("mine.py")
        made = topology("jump", 6)
        for t in range(7):
            P = made.matrix(t).toarray()
            assert (P.sum(axis=0) == 1).all()
            assert P[(3 + 2 ** (t % 3)) % 6, 3] == 0.5
        assert (topology(**made.describe()).matrix(2) != made.matrix(2)).nnz == 0
