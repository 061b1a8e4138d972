"""Studies of real models: data that is not there, what is kept, a small run, personal heads."""

import re

import numpy as np
import pytest

from theorylab.data.load import PACKAGED
from theorylab.speedup import speedup
from theorylab.speedup.pattern import Pattern

pytest.importorskip("torch")
TINY = {"hidden": [3], "samples": 60, "batch": 1}
SMALL = {"problem": "mlp", "clients": [2, 4, 8], "rounds": 4, "seeds": 16, "transient": False}


def test_data_that_is_not_there_is_one_line_with_folder_and_package(monkeypatch, tmp_path):
    away = tmp_path / "away"
    monkeypatch.setitem(PACKAGED, "fashion-mnist", (str(away), "dataset-fashion-mnist"))
    line = f"fashion-mnist is not in {away}; need the Debian package dataset-fashion-mnist"
    with pytest.raises(ValueError, match=re.escape(line)) as error:
        speedup("sgp", problem_options={"data": "fashion-mnist"}, **SMALL)
    assert "\n" not in str(error.value)


def test_the_first_samples_are_kept_and_each_client_has_some():
    base = Pattern("mlp", TINY, 4).base
    assert base.sizes.sum() == 60
    assert base.sizes.min() >= 1


def test_the_sizes_of_the_paper_are_those_of_the_problem():
    from theorylab.problems import MLP

    full = Pattern("mlp", MLP.study.full, 2).base
    assert full.dim == MLP(2).dim == 55210
    assert full.sizes.sum() == 1442


def test_a_study_of_a_network_ends_and_all_runs_start_alike():
    found = speedup("sgp", problem_options=TINY, **SMALL)
    assert found.verdict.name == "INCONCLUSIVE"  # 4 rounds: the transient is not over
    assert not found.exact
    assert found.table()["n"] == [2, 4, 8]
    losses = Pattern("mlp", TINY, 2).losses(4)
    start = losses.initial(5, np.arange(3))
    assert (start == start[:1, :1]).all()
    assert start.any()


def test_a_method_with_personal_parts_keeps_its_heads():
    found = speedup("dfedpgp", problem_options=TINY, **SMALL)
    assert all(np.isfinite(row.error[1]) and row.error[1] > 0 for row in found.rows)
    over = speedup("dfedpgp", problem_options=TINY, measure="clients", **SMALL)
    assert all(np.isfinite(row.error[1]) for row in over.rows)


def test_a_killed_study_of_a_network_goes_on(tmp_path):
    def die(line):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        speedup("sgp", problem_options=TINY, out=tmp_path, say=die, **SMALL)
    resumed = speedup("sgp", problem_options=TINY, out=tmp_path, **SMALL).as_json()
    assert resumed == speedup("sgp", problem_options=TINY, **SMALL).as_json()
