"""The constants that a paper's statements speak of, by the paper's own names."""

from __future__ import annotations

from collections.abc import Iterable

from theorylab import constants
from theorylab.constants._bench import Bench
from theorylab.known import Known

PAPERS = {  # algorithm: what its paper's names begin with, and the function that makes them
    "deprl": ("deprl_", "deprl_instance_constants"),
    "dfedalt": ("dfedalt_", "dfedalt_constants"),
    "dfedpgp": ("dfedpgp_", "dfedpgp_constants"),
    "dfedsalt": ("dfedalt_", "dfedalt_constants"),
}


def paper_constants(algorithm: str, bench: Bench, needed: Iterable[str]) -> dict[str, Known]:
    """Those of the paper of ``algorithm``, where a needed name is one of them; none otherwise.

    Raises ValueError, one line, where the instance has none: a problem without a personal part.
    """
    if not paper_names(algorithm, needed):
        return {}
    known: dict[str, Known] = getattr(constants, PAPERS[algorithm][1])(bench)
    return known


def paper_names(algorithm: str, names: Iterable[str]) -> set[str]:
    """Those that begin as the names of the paper of ``algorithm`` do: no network defines them.

    >>> paper_names("dfedpgp", ["dfedpgp_L_u", "delta"])
    {'dfedpgp_L_u'}
    """
    prefix, _ = PAPERS.get(algorithm, ("", ""))
    return {name for name in names if prefix and name.startswith(prefix)}
