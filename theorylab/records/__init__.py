"""Runs from elsewhere: files of what a run measured and exchanged, and who writes them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.records.record import Record as Record
    from theorylab.records.record import joined as joined
    from theorylab.records.record import read as read
    from theorylab.records.recorder import Recorder as Recorder
else:
    from theorylab.lazy import attach

    attach(__name__)
