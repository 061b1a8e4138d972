"""Cells are handed out in chunks, to processes that may end."""

import dataclasses
import math
import os
import pathlib
import signal
import threading

import pytest

import theorylab
from theorylab.campaigns import Folder, backends, worker, writer
from theorylab.campaigns.folder import current


def test_two_processes_one_of_them_killed_give_the_digest_of_one(campaign, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(theorylab.__file__).parents[1]))
    changed = {"axes": {"clients": [2, 3], "problem.seed": list(range(50))}}
    changed["set"] = {"topology": "directed-ring"}  # it needs no networkx, which takes a second
    want = campaign(changes=changed)[0]
    submit, deaf = backends.Processes.submit, []

    def deadly(self, chunk):
        """It is killed at its start, where a Ctrl-C would end it with a traceback."""
        submit(self, chunk)
        if not deaf:
            ((pid,),) = (pool._processes for pool in self._pools.values())
            deaf.append(hears_no_interrupt(pid))
            os.kill(pid, signal.SIGKILL)

    def hears_no_interrupt(pid):
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
        masks = [int(line.split()[1], 16) for line in lines if line[:7] in ("SigBlk:", "SigIgn:")]
        return bool((masks[0] | masks[1]) & 1 << signal.SIGINT - 1)

    monkeypatch.setattr(backends.Processes, "submit", deadly)
    got, told = campaign(folder="two", changes=changed, jobs=2)
    assert got == want
    assert deaf == [True]
    assert any("a worker has ended" in line for line in told.notes)


def test_finished_cells_are_kept_before_a_slow_one_ends(campaign, monkeypatch, tmp_path):
    changed = {"axes": {"clients": [2], "problem.seed": list(range(60))}}
    played, commit = worker.played, writer.Writer._commit
    counts, rows, there = [], [], threading.Event()

    def watched(self, group):
        commit(self, group)
        rows.extend(group)
        if len(rows) == 50:
            there.set()

    def slow(document):
        if document["instance"]["problem"]["seed"] == 50:
            there.wait(60)  # as long as it takes; only what is never committed waits in vain
            with Folder(tmp_path / "folder").reading() as store:
                counts.append(store.count(current(store)[0]))
            raise KeyboardInterrupt
        return played(document)

    monkeypatch.setattr(writer.Writer, "_commit", watched)
    monkeypatch.setattr(worker, "played", slow)
    with pytest.raises(KeyboardInterrupt):
        campaign(changes=changed)
    assert counts == [50]  # committed while the next one was on its way
    assert writer.GROUP + worker.OPEN < 0.5  # seconds, as docs promise, with those of the commit
    monkeypatch.undo()
    assert campaign(changes=changed)[1].computed == 10


def test_a_chunk_is_one_cell_once_a_cell_was_slow(campaign, monkeypatch):
    from theorylab.campaigns import campaign as module

    sizes, slow = [], []
    monkeypatch.setattr(worker, "OPEN", math.inf)  # no chunk comes back in parts

    class Chunks(module.Here):
        most = 512

        def submit(self, chunk):
            sizes.append(len(chunk.tasks))
            super().submit(chunk)

        def finished(self, seconds):
            return [(chunk, list(map(self.told, done))) for chunk, done in super().finished(0)]

        def told(self, done):
            """Every cell is fast, but for one."""
            if max(sizes) < 4 or slow:
                return dataclasses.replace(done, seconds=0.001)
            slow.append(len(sizes))
            return dataclasses.replace(done, seconds=60.0)

    monkeypatch.setattr(module, "Here", Chunks)
    campaign(changes={"axes": {"clients": [2], "problem.seed": list(range(250))}})
    assert sizes[slow[0] - 1] == 4
    assert {*sizes[slow[0] :]} == {1}


def test_a_cell_that_ends_its_process_is_found_and_named(campaign, monkeypatch):
    from theorylab.campaigns import campaign as module

    class Sudden(module.Here):
        """A backend whose worker ends where one cell is among its own."""

        def finished(self, seconds):
            (chunk,) = self._chunks
            if any('"problem.seed":1,"topology":"ring"' in task.about for task in chunk.tasks):
                self._chunks.clear()
                return [(chunk, None)]
            return super().finished(seconds)

    monkeypatch.setattr(module, "Here", Sudden)
    line = 'the cell .*"problem.seed":1,"topology":"ring".* has ended 9 processes'
    with pytest.raises(ValueError, match=line):
        campaign(changes={"axes": {"topology": ["ring", "complete"], "problem.seed": [0, 1]}})
