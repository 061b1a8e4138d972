"""The constants that a paper's statements speak of, by the paper's own names."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from theorylab.constants._bench import Bench
from theorylab.constants.deprl_instance import deprl_instance_constants
from theorylab.constants.dfedalt import dfedalt_constants
from theorylab.constants.dfedpgp import dfedpgp_constants
from theorylab.known import Known

Constants = Callable[[Bench], dict[str, Known]]
PAPERS: dict[str, tuple[str, Constants]] = {  # algorithm: what its paper's names begin with
    "deprl": ("deprl_", deprl_instance_constants),
    "dfedalt": ("dfedalt_", dfedalt_constants),
    "dfedpgp": ("dfedpgp_", dfedpgp_constants),
    "dfedsalt": ("dfedalt_", dfedalt_constants),
}


def paper_constants(algorithm: str, bench: Bench, needed: Iterable[str]) -> dict[str, Known]:
    """Those of the paper of ``algorithm``, where a needed name is one of them; none otherwise.

    Raises ValueError, one line, where the instance has none: a problem without a personal part.
    """
    prefix, constants = PAPERS.get(algorithm, ("", None))
    if constants is None or not any(name.startswith(prefix) for name in needed):
        return {}
    return constants(bench)
