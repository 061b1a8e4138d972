"""What an assumption may ask of a record."""

import numpy as np
import pytest

from theorylab.records import Record
from theorylab.statements import jointly_connected
from theorylab.topologies import from_matrices
from theorylab.verdicts.recording import RecordedSetting

APART, TOGETHER = np.eye(2), np.full((2, 2), 0.5)


@pytest.mark.parametrize(("first", "holds"), [("atta", True), ("aatt", False), ("ttta", True)])
def test_no_window_of_rounds_reaches_beyond_a_record(first, holds):
    """The last round and the first one of a list are no two rounds in a row."""
    matrices = [APART if letter == "a" else TOGETHER for letter in first]
    columns = {"loss": np.ones((1, len(matrices) + 1))}
    record = Record("run.npz", columns, from_matrices(matrices), {}, len(matrices))
    found, _, why = jointly_connected(2).holds(RecordedSetting(record, "sgp"))
    assert found is holds
    assert ("rounds 0..3" if holds else "rounds 0..1") in why
