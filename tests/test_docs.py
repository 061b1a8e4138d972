"""The how-to pages: their files run as they stand, and what they say is refused is refused so."""

import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

from theorylab import cli
from theorylab.falsify.recheck import recheck
from theorylab.problems import problem
from theorylab.registry import restored
from theorylab.runs import simulate
from theorylab.scripts import UnscriptedError, script
from theorylab.topologies import from_function, from_matrices, topology
from theorylab.verdicts import judge_check, selected

DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"
PAGES = {
    **{"my_algorithm": "own-algorithm", "my_network": "own-network", "my_problem": "own-problem"},
    "my_coin": "own-problem",
    "my_game": "own-problem",
    "my_coins": "own-algorithm",
    "my_hypergradient": "hypergradients",
}


def shown(name):
    text = (DOCS / f"{PAGES[name]}.md").read_text()
    found = re.search(rf"<!-- {name}\.py -->\n```python\n(.*?)```", text, re.DOTALL)
    assert found, f"{PAGES[name]}.md has no file {name}.py"
    return found.group(1)


@pytest.mark.parametrize("name", PAGES)
def test_the_file_of_a_page_runs_by_itself(name, tmp_path):
    file = tmp_path / f"{name}.py"
    file.write_text(shown(name))
    assert len(shown(name).splitlines()) < 40
    done = subprocess.run(
        [sys.executable, "-W", "error", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("loss") >= 1


def loaded(name):
    scope = {"__name__": name}
    exec(compile(shown(name), f"{name}.py", "exec"), scope)
    return scope


def test_the_algorithm_reaches_the_optimum():
    with restored():
        method = loaded("my_algorithm")["Tracking"](0.2)
        losses = problem("quadratic", 6, dim=3)
        trace = simulate(losses, topology("ring", 6), method, rounds=300, x0=1.0)
        assert np.abs(trace.final_x - losses.optimum).max() < 1e-9


def test_the_networks_are_what_the_page_says():
    with restored():
        scope = loaded("my_network")
        assert [scope[name].period for name in ("switching", "jumping", "drawn")] == [2, 2, None]
        assert topology("my-ring", 7).clients == 7
        assert scope["both"].networks["push"].seed == 1
        for network in scope["switching"], scope["jumping"], scope["drawn"], scope["graph"]:
            for t in range(4):
                assert np.allclose(network.matrix(t).toarray().sum(axis=0), 1, atol=1e-15)


def test_both_problems_are_one():
    with restored():
        scope = loaded("my_problem")
        x = np.random.default_rng(1).standard_normal((2, 4, 3))
        by_hand = scope["Ridge"](4)
        assert np.allclose(by_hand.loss(x), scope["by_torch"].loss(x), rtol=1e-13)
        assert np.allclose(by_hand.gradient(x), scope["by_torch"].gradient(x), atol=1e-13)
        assert by_hand.describe() == {"name": "my-ridge", "clients": 4, "reg": 0.1, "seed": 0}


def test_the_hypergradient_of_the_page_is_that_of_finite_differences():
    scope = loaded("my_hypergradient")
    found = scope["hypergradient"](scope["problem"], scope["topology"], lam=scope["lam"], step=0.4)
    change = np.eye(5)[:, 1:2] * 1e-4  # another client than the page's
    ends = [scope["loss"](scope["lam"] + sign * change) for sign in (1, -1)]
    # truncation 1e-8 and rounding 1e-12 / 1e-4, each times a few
    assert abs(found.gradient[1, 0] - (ends[0] - ends[1]) / 2e-4) <= 1e-7
    assert found.radius < 1


def test_lines_that_the_pages_quote_are_the_lines_that_come():
    network = (DOCS / "own-network.md").read_text()
    leaks = [[0.5, 0.0, 0.4], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]
    pulls = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.25, 0.25]]
    with pytest.raises(ValueError, match="column 2") as caught:
        from_function(lambda t: leaks, period=1)
    assert str(caught.value).rpartition("t=0: ")[2] in network
    with pytest.raises(ValueError, match="column 1") as caught:
        from_matrices([pulls])
    assert str(caught.value).rpartition(": column")[2] in network
    algorithm = (DOCS / "own-algorithm.md").read_text()
    with restored():
        Tracking = loaded("my_algorithm")["Tracking"]

        class Same(Tracking, name="my-tracking-2"):
            def step(self, state, net):
                return state

        with pytest.raises(ValueError, match="step gave a state") as caught:
            simulate(problem("quadratic", 6, dim=3), topology("ring", 6), Same(0.1), rounds=1)
    assert str(caught.value).partition(": ")[2] in algorithm


def block(page, name, language):
    text = (DOCS / page).read_text()
    return re.search(rf"<!-- {name} -->\n```{language}\n(.*?)```", text, re.DOTALL).group(1)


def test_a_metric_gets_its_script_with_nothing_but_the_page(tmp_path, capsys, registries):
    file, both = tmp_path / "my_metric.py", tmp_path / "both.py"
    text = block("own-metric.md", "my_metric\\.py", "python")
    assert len(text.splitlines()) < 40
    file.write_text(text)
    assert cli.run(["verify", str(file), "--jobs", "1", "--script", str(both)]) == 0
    assert "2 checks: 2 as expected." in capsys.readouterr().out
    assert both.read_text() == block("own-metric.md", "both\\.py", "text")
    done = subprocess.run([sys.executable, "-I", both], capture_output=True, text=True, check=True)
    assert done.stdout == block("own-metric.md", "output", "text")
    ((statement, _),) = selected([str(file)]).values()
    found = judge_check(statement, "rival", statement.versions["rival"].checks[0])
    assert recheck(statement, "rival", found).holds is True


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        away = before", "        time.time()\n        away = before"),
        ("        away = before", "        np.random.default_rng()\n        away = before"),
    ],
)
def test_what_a_script_refuses_is_what_the_page_quotes(tmp_path, registries, old, new):
    file = tmp_path / "my_metric.py"
    text = block("own-metric.md", "my_metric\\.py", "python")
    file.write_text("import time\nimport numpy as np\n" + text.replace(old, new))
    ((statement, _),) = selected([str(file)]).values()
    check = statement.versions["rival"].checks[0]
    with pytest.raises(UnscriptedError) as caught:
        script(statement, judge_check(statement, "rival", check))
    quoted = re.sub(r"Spread, line \d+", "Mine, line 7", str(caught.value))
    assert f"`no script was written: {quoted}.`" in (DOCS / "own-metric.md").read_text()
