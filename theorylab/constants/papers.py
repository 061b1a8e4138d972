"""The constants that a paper's statements speak of, by the paper's own names."""

from __future__ import annotations

from collections.abc import Callable

from theorylab.constants._bench import Bench
from theorylab.constants.deprl_instance import deprl_instance_constants
from theorylab.constants.dfedalt import dfedalt_constants
from theorylab.constants.dfedpgp import dfedpgp_constants
from theorylab.known import Known

PAPERS: dict[str, Callable[[Bench], dict[str, Known]]] = {
    "deprl": deprl_instance_constants,
    "dfedalt": dfedalt_constants,
    "dfedpgp": dfedpgp_constants,
    "dfedsalt": dfedalt_constants,
}


def paper_constants(paper: str, bench: Bench) -> dict[str, Known]:
    """Those of ``paper``, as its ids spell it; none for a paper that names no constants of its own.

    Raises ValueError, one line, where the instance has none: a problem without a personal part.
    """
    return PAPERS[paper](bench) if paper in PAPERS else {}
