"""Cells are handed out in chunks, to processes that may end."""

import dataclasses
import os
import pathlib
import signal
import threading
import time

import pytest

import theorylab
from theorylab.campaigns import Folder
from theorylab.campaigns.folder import current


def test_two_processes_one_of_them_killed_give_the_digest_of_one(campaign, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(theorylab.__file__).parents[1]))
    changed = {"axes": {"clients": [2, 3], "problem.seed": list(range(50))}}
    changed["set"] = {"topology": "directed-ring"}  # it needs no networkx, which takes a second
    want = campaign(changes=changed)[0]
    gone, deaf = [], []

    def kill():
        while not gone:
            time.sleep(0.05)
            for pid in children():
                deaf.append(hears_no_interrupt(pid))
                os.kill(pid, signal.SIGKILL)
                gone.append(pid)

    def children():
        told = f"/proc/{os.getpid()}/task/{threading.main_thread().native_id}/children"
        mine = pathlib.Path(told).read_text().split()
        texts = ((int(p), pathlib.Path(f"/proc/{p}/cmdline").read_bytes()) for p in mine)
        return [pid for pid, text in texts if b"popen_loky" in text][:1]

    def hears_no_interrupt(pid):
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
        masks = [int(line.split()[1], 16) for line in lines if line[:7] in ("SigBlk:", "SigIgn:")]
        return bool((masks[0] | masks[1]) & 1 << signal.SIGINT - 1)

    thread = threading.Thread(target=kill)
    thread.start()
    got, told = campaign(folder="two", changes=changed, jobs=2)
    thread.join()
    assert got == want
    assert deaf == [
        True
    ]  # it was killed at its start; a Ctrl-C there would end it with a traceback
    assert any("a worker has ended" in line for line in told.notes)


def test_finished_cells_are_kept_before_a_slow_one_ends(campaign, monkeypatch, tmp_path):
    from theorylab.campaigns import worker

    changed = {"axes": {"clients": [2], "problem.seed": list(range(250))}}
    played, counts = worker.played, []

    def slow(document):
        if document["instance"]["problem"]["seed"] == 240:
            time.sleep(0.6)  # half a second, and what a machine in use takes
            with Folder(tmp_path / "folder").reading() as store:
                counts.append(store.count(current(store)[0]))
            raise KeyboardInterrupt
        return played(document)

    monkeypatch.setattr(worker, "played", slow)
    with pytest.raises(KeyboardInterrupt):
        campaign(changes=changed)
    assert counts == [240]  # committed while the next one was on its way
    monkeypatch.undo()
    assert campaign(changes=changed)[1].computed == 10


def test_a_chunk_is_one_cell_once_a_cell_was_slow(campaign, monkeypatch):
    from theorylab.campaigns import campaign as module

    sizes, slow = [], []

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
