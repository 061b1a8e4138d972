"""Cells of a study: kept in a folder, and computed by processes or on a cluster."""

import functools
import json
import pathlib
import re

import pytest

import theorylab
from theorylab.speedup import speedup as whole_speedup

SMALL = {"clients": [4, 8, 16], "rounds": 256}
speedup = functools.partial(whole_speedup, transient=False)


def test_a_killed_study_goes_on_where_it_was(tmp_path):
    calls = []

    def die(line):
        calls.append(line)
        if len(calls) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        speedup("sgp", out=tmp_path, say=die, **SMALL)
    import theorylab.speedup.cells as study

    made, whole = [], study.errors
    try:
        study.errors = lambda *given: made.append(given) or whole(*given)
        resumed = speedup("sgp", out=tmp_path, **SMALL)
        first = len(made)
        again = speedup("sgp", out=tmp_path, **SMALL)
    finally:
        study.errors = whole
    assert first == 3 * 7 - 4  # seven arms of three cells, four of which were kept
    assert len(made) == first
    fresh = speedup("sgp", **SMALL)
    texts = {json.dumps(each.as_json()) for each in (resumed, again, fresh)}
    assert len(texts) == 1


def test_a_class_that_nobody_imported_is_kept_in_no_folder(tmp_path, registries):
    from theorylab.algorithms import SGP

    class Mine(SGP, name="mine-unheard"):
        pass

    with pytest.raises(ValueError, match="out or jobs came with Mine, whose file was not imported"):
        speedup("mine-unheard", out=tmp_path / "kept", **SMALL)
    with pytest.raises(ValueError, match="need --import FILE"):
        speedup("mine-unheard", jobs=2, **SMALL)
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ({"jobs": 0}, "--jobs is 0; need 1 .. 1024"),
        ({"backend": "slurm"}, "--backend is 'slurm'; need one of processes, dask"),
        ({"backend": "dask"}, "need --scheduler ADDRESS with --backend dask"),
    ],
)
def test_where_cells_are_computed_is_checked_first(where, line):
    with pytest.raises(ValueError, match=re.escape(line)):
        speedup("sgp", **where, **SMALL)


@pytest.mark.slow
def test_two_processes_measure_what_one_does(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(theorylab.__file__).parents[1]))
    small = {"problem": "log-cosh", "clients": [2, 4, 8], "rounds": 8, "seeds": 16}
    one, two = (json.dumps(speedup("sgp", jobs=jobs, **small).as_json()) for jobs in (1, 2))
    assert one == two


@pytest.mark.slow
def test_a_cluster_measures_what_one_process_does(tmp_path):
    """Its worker is a thread of this process, so that nothing has to start."""
    distributed = pytest.importorskip("distributed")
    ports = {"scheduler_port": 0, "dashboard_address": "127.0.0.1:0"}
    few = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "host": "127.0.0.1"}
    small = {"problem": "log-cosh", "clients": [2, 4, 8], "rounds": 8, "seeds": 16}
    with distributed.LocalCluster(protocol="tcp://", **few, **ports) as cluster:
        where = {"backend": "dask", "scheduler": cluster.scheduler_address, "out": tmp_path}
        there = speedup("sgp", **where, **small).as_json()
    assert json.dumps(there) == json.dumps(speedup("sgp", **small).as_json())


def test_a_run_that_diverges_in_a_kept_study_is_one_line_and_no_row(tmp_path):
    for _ in range(2):
        with pytest.raises(ValueError, match="need smaller steps or fewer rounds"):
            speedup("sgp", options={"eta": 9.0}, out=tmp_path, clients=[4, 8, 16], rounds=2000)
