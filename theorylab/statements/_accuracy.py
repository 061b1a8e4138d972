"""What a paper reads off its accuracies, as claims about runs: a method is ahead of a rival.

The paper's own runs are on data sets, models and numbers of clients that no check has, so what is
run here is smaller. A lead that is seen here HOLDS, and the reason says where. A lead that is not
there, or is the rival's, is INCONCLUSIVE: no other setting refutes what a paper says of its own
(``Version.own_setting``). Every check measures one pair, run by run, with limits that stay valid
while runs are added. An instance with the paper's own setting can be VIOLATED.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from theorylab.statements._base import Check, Version
from theorylab.statements._quantity import Quantity
from theorylab.symbols import least_lead

LEAD = Quantity("lead", "rows", (0, 0), r"\text{lead of the test accuracy}")
LEAD_LOW = Quantity("lead_low", "rows", (0, 0), r"\text{lead at the 10th percentile of clients}")
ROUNDS_SAVED = Quantity("rounds", "rows", (0, 0), r"\text{rounds to the target, saved}")


def ahead(checks: Iterable[Check], own: Mapping[str, Any], note: str = "") -> Version:
    """The version that every method of ``checks`` is ahead of its rival.

    own: entries of an instance that make it the paper's own setting.
    """
    return Version(
        terms={"the claimed lead": least_lead},
        relation=">=",
        checks=tuple(checks),
        own_setting=own,
        note=note,
    )


def pairs(
    name: str,
    setting: Mapping[str, Any],
    methods: Sequence[str],
    rivals: Sequence[str],
    open_ones: Sequence[str] = (),
    quick: bool = False,
) -> tuple[Check, ...]:
    """A check for every method and rival in one setting, called "name: method on rival".

    open_ones: those of them, as "method on rival", of which this setting shows no lead.
    """
    made = []
    for method in methods:
        for rival in rivals:
            label = f"{method} on {rival}"
            expect = "INCONCLUSIVE" if label in open_ones else "HOLDS"
            instance = {**setting, "pairs": [[method, rival]]}
            if "sides" in setting:
                instance["sides"] = {side: setting["sides"][side] for side in (method, rival)}
            made.append(Check(f"{name}: {label}", instance, expect, quick=quick))
    wrong = {*open_ones} - {f"{m} on {r}" for m in methods for r in rivals}
    if wrong:
        raise ValueError(f"{name}: no pair {sorted(wrong)}; need some of the methods and rivals")
    return tuple(made)
