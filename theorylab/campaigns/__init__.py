"""Campaigns: claims, metrics and runs over a grid, a list or a sample of instances.

Every row is kept once, in a folder that survives what ends a process, and says how to get it again.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorylab.campaigns.axes import Axis as Axis
    from theorylab.campaigns.campaign import Options as Options
    from theorylab.campaigns.campaign import Progress as Progress
    from theorylab.campaigns.campaign import run as run
    from theorylab.campaigns.campaign import sweep as sweep
    from theorylab.campaigns.cells import Cells as Cells
    from theorylab.campaigns.folder import Folder as Folder
    from theorylab.campaigns.folder import merge as merge
    from theorylab.campaigns.loop import Loop as Loop
    from theorylab.campaigns.plan import Plan as Plan
    from theorylab.campaigns.plan import plan as plan
    from theorylab.campaigns.plan import read_plan as read_plan
    from theorylab.campaigns.play import Played as Played
    from theorylab.campaigns.reading import Rows as Rows
    from theorylab.campaigns.reading import changes as changes
    from theorylab.campaigns.store import Store as Store
    from theorylab.campaigns.stored import Stored as Stored
    from theorylab.campaigns.text import canonical as canonical
    from theorylab.campaigns.worker import Task as Task
    from theorylab.campaigns.worker import stamp as stamp
else:
    from theorylab.lazy import attach

    attach(__name__)
