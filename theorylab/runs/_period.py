"""After how many rounds a round repeats to the bit."""

from __future__ import annotations

from theorylab.algorithms import is_schedule
from theorylab.own import is_own
from theorylab.runs.setting import Setting


def period(setting: Setting) -> int:
    """After how many rounds the same map follows from the same weights; 0 where nothing says so:
    matrices do not return, or steps do not stay.

    Of a class that is not one of theorylab's own nothing is known; a user's may be registered, too.
    """
    method = setting.algorithm
    own = is_own(type(method))
    steady = getattr(method, "decay", 1.0) == 1.0 and not is_schedule(getattr(method, "eta", 0.0))
    topology = setting.topology
    told = not any(each._rewritten for each in (topology, *topology.networks.values()))
    return (topology.period or 0) if own and steady and told else 0
