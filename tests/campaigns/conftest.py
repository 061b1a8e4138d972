"""A campaign of small runs, each of some milliseconds."""

import pytest

from theorylab.campaigns import Cells, Folder, Options, Progress, plan, run


def document(**changes):
    made = {
        "columns": ["loss"],
        "instance": {
            "algorithm": {"name": "sgp", "eta": 0.1},
            "problem": {"name": "quadratic", "dim": 2},
            "topology": {"name": "ring"},
            "clients": 2,
            "rounds": 3,
        },
        "axes": {"clients": [2, 3], "topology": ["ring", "complete"], "problem.seed": [0, 1, 2]},
    }
    return made | changes


class Told(Progress):
    """Notes, and how many cells were computed."""

    def __init__(self):
        self.notes, self.computed, self.stored = [], 0, 0

    def note(self, line):
        self.notes.append(line)

    def moves(self, done, stored, seconds):
        self.computed, self.stored = done, stored


@pytest.fixture
def campaign(tmp_path):
    """``campaign(folder="a", limit=3, **changes)`` -> ((rows, digest), what it told)."""

    def ran(folder="folder", changes=None, **options):
        told = Told()
        cells = Cells(plan(document(**(changes or {}))))
        return run(cells, Folder(tmp_path / folder), Options(**options), told), told

    return ran
