"""``theorylab sweep --backend dask``: what is wrong with a cluster is one line before any work."""

import re
import socket
import subprocess
import sys
import threading

import pytest

from theorylab.campaigns import backends


@pytest.fixture
def plan(tmp_path, monkeypatch, grid):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "grid.toml"
    file.write_text(grid('"problem.seed" = [0, 1, 2]'))
    return file


def test_a_scheduler_that_is_not_there_is_one_line(plan, refused, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(backends, "_PATIENCE", 0.1)
    with socket.socket() as deaf:  # a port of this test's own, at which nobody listens
        deaf.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{deaf.getsockname()[1]}"
        line = refused("sweep", plan, "--backend", "dask", "--scheduler", address)
    assert "no scheduler answers" in line
    assert not plan.with_name("grid.campaign").exists()


def test_a_worker_of_another_version_is_one_line_before_any_work(plan, refused, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(backends, "_PATIENCE", 600)  # the worker is there: nothing waits for it
    here = threading.Event()

    class Watch(distributed.SchedulerPlugin):
        def add_worker(self, scheduler, worker):
            here.set()

    script = "import theorylab as t, distributed.cli.dask_worker as w"
    script += "; t.__version__ = '0.0.1'; w.main()"
    # Any free ports: with None for the second it takes 8787, which another's cluster may have.
    ports = {"scheduler_port": 0, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(n_workers=0, host="127.0.0.1", **ports) as cluster:
        cluster.scheduler.add_plugin(Watch())
        address = cluster.scheduler_address
        words = [sys.executable, "-c", script, address, "--no-nanny", "--no-dashboard"]
        worker = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not here.wait(0.05):
                assert worker.poll() is None  # else it would never come
            line = refused("sweep", plan, "--backend", "dask", "--scheduler", address)
        finally:
            worker.kill()
            worker.wait()
    assert re.search(r"the worker tcp://\S+ has theorylab 0\.0\.1 \w+; need .*, as here", line)
    assert not plan.with_name("grid.campaign").exists()
