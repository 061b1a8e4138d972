"""``--set`` by path is one spelling for ``run``, ``compare`` and ``verify``."""

import pytest

from theorylab.commands.run import work as command

RUN = ["run", "dfedsgpsm", "--problem", "log-cosh", "--topology", "ring", "--clients", 3,
       "--rounds", 6, "--eta", 0.1]  # fmt: skip


@pytest.fixture
def plain(monkeypatch):
    """Without pictures, which take most of the time of a small run."""
    monkeypatch.setattr(command, "pictures", lambda *_: {})


def test_an_option_by_its_path_is_that_of_its_flag(run, tmp_path, plain):
    by_path = ["--set", "problem.sigma=0.3", "--set", "topology.weights=metropolis"]
    by_flag = ["--problem-option", "sigma=0.3", "--topology-option", "weights=metropolis"]
    for name, words in (("a", by_path), ("b", by_flag)):
        assert run(*RUN, *words, "--out", tmp_path / name).code == 0
    for kept in ("trace.npz", "run.json"):
        assert (tmp_path / "a" / kept).read_bytes() == (tmp_path / "b" / kept).read_bytes()


@pytest.mark.parametrize("words", [RUN, ["compare", "sgp", "osgp", *RUN[2:]]])
def test_a_path_to_nowhere_is_refused(refused, words):
    assert "has no 'problm.sigma'; need one of" in refused(*words, "--set", "problm.sigma=1")
    assert "--set is 'alpha'; need PATH=VALUE" in refused(*words, "--set", "alpha")
