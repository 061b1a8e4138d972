"""Instances of one true version, measured once for all slips in it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from quality_distance import parts
from quality_probe import SURE, measured, refuted_at
from quality_rows import Row, alone, checks_of, hashed, is_growth
from quality_slips import kind_of
from quality_variants import Variant

from theorylab.falsify.costs import limits, too_large
from theorylab.falsify.instances import Instance
from theorylab.falsify.moves import Choices, choices, leaps
from theorylab.falsify.score import FAILURES, claim_of, constants_of
from theorylab.falsify.time_limit import at_most
from theorylab.statements import Check, Statement
from theorylab.user_file import guarded
from theorylab.verdicts import judge_check
from theorylab.verdicts.case import Case, Place
from theorylab.words import Verdict

PATIENCE, SURELY = 3.0, 20.0  # seconds for an instance; and for the verdict that counts
GOOD = tuple(v.name for v in Verdict if v.agrees and v.word.applies)
_PAIRED, _TRIED = 300, 4  # witnesses looked at for one slip, and pairs that are judged


def verdict(statement: Statement, version: str, instance: Mapping[str, Any], sure: bool) -> str:
    """What the judge says; "" where it is no instance, or takes too long."""
    seconds = SURELY if sure else PATIENCE
    try:
        with guarded(), at_most(2 * seconds, processor=True):
            check = Check("row", instance)
            seeds = SURE if sure else 16
            ends = time.process_time() + seconds
            found = judge_check(
                statement, version, check, seeds=seeds, budget=math.inf,
                going=lambda: time.process_time() <= ends,
            )  # fmt: skip
            return str(found.verdict)
    except FAILURES:
        return ""


def claims_of(statement: Statement, instance: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a witness that say which claim is judged, constants included."""
    held = json.loads(claim_of(statement, instance))
    found = {key: value for key, value in held.items() if value is not None}
    if instance.get("constants"):
        found["constants"] = instance["constants"]
    return found


def nearest(instance: Instance, witnesses: Sequence[Instance]) -> Instance:
    return min(witnesses, key=lambda one: len(parts(instance, one)))


def row_of(
    kind: str,
    statement: Statement,
    version: str,
    change: str,
    benign: Instance,
    witness: Instance,
) -> Row:
    return {
        "kind": kind,
        "id": statement.id,
        "version": version,
        "change": change,
        "growth": is_growth(statement.versions[version], benign, witness),
        "parts": list(parts(benign, witness)),
        "benign": benign,
        "witness": witness,
    }


def _pairs(
    good: Sequence[Instance], shown: Sequence[Instance], drawn: str
) -> list[tuple[Instance, Instance]]:
    """A few benign checks with the witness nearest to each: of the distances that there are, one
    move, two and more, a drawn one first, so that none of them is rare."""
    by_class: dict[int, list[tuple[Instance, Instance]]] = {}
    for benign in sorted(good, key=lambda one: hashed(drawn + json.dumps(one, sort_keys=True))):
        if shown:
            witness = nearest(benign, shown)
            by_class.setdefault(min(3, len(parts(benign, witness))), []).append((benign, witness))
    order = sorted(by_class, key=lambda far: hashed(f"{drawn} {far}"))
    return [pair for far in order for pair in by_class[far][:2]][:_TRIED]


class Pool:
    """Instances of one true version, measured once for all its slips."""

    def __init__(self, statement: Statement, version: str) -> None:
        self.statement, self.version = statement, version
        own = [c.instance for v, c in checks_of(statement, version) if v == version]
        claims = {(claim_of(statement, one), constants_of(one)) for one in own}
        self.most = limits(statement, version)
        self.first: list[tuple[Case, tuple[Place, ...]]] = []
        self.all: list[tuple[Case, tuple[Place, ...]]] = []
        self.outside: list[Instance] = []
        raw: list[Instance] = [dict(c.instance) for _, c in checks_of(statement, version)]
        self.others: Choices = choices(raw)
        seen: list[Instance] = []
        for instance in raw:
            same = (claim_of(statement, instance), constants_of(instance)) in claims
            if same and instance not in seen:
                seen.append(instance)
                self._look(instance, self.first)
        self.all = list(self.first)

    def _look(self, instance: Instance, into: list[tuple[Case, tuple[Place, ...]]]) -> None:
        try:
            with guarded(), at_most(PATIENCE, processor=True):
                found = measured(self.statement, self.version, instance)
        except FAILURES:
            return
        if found is None:
            self.outside.append(instance)
        else:
            into.append(found)

    def leap(self, seconds: float) -> None:
        ends = time.process_time() + seconds
        where = f"{self.statement.id} [{self.version}]"
        draw = np.random.Generator(np.random.Philox(int(hashed(where)[:15], 16)))
        bases = [dict(case.check.instance) for case, _ in self.first]
        for count in range(2000):
            if time.process_time() > ends:
                return
            base = bases[int(draw.integers(len(bases)))]
            held: dict[str, Any] = {k: base[k] for k in ("sweep", "constants") if k in base}
            held |= {k: v for k, v in claims_of(self.statement, base).items() if k not in held}
            made = {**leaps(base, draw, 1 + count % 3, self.others), **held}
            if not too_large(made, self.most):
                self._look(made, self.all)

    def row(self, variant: Variant) -> Row | None:
        """The slip beside one check on which it holds, with the nearest instance that refutes it;
        None where there is none such."""
        refuted = [case for case, places in self.all if self._refuted(variant, case, places)]
        good = [
            dict(case.check.instance)
            for case, places in self.first
            if not any(case is one for one in refuted)
        ]
        shown = [dict(case.check.instance) for case in refuted]
        if kind_of(variant.change) == "assumption":
            shown += [one for one in self.outside[:40] if self._outside(variant, one)]
        drawn = f"{self.statement.id} [{self.version}] {variant.change}"
        for benign, witness in _pairs(good, shown[:_PAIRED], drawn):
            one = alone(variant.statement, self.version, benign)
            given = one.versions[self.version].checks[0].instance
            if verdict(one, self.version, given, sure=False) not in GOOD:
                continue
            if self._stands(variant, witness):
                return row_of(
                    "planted", self.statement, self.version, variant.change, benign, witness
                )
        return None

    def _refuted(self, variant: Variant, case: Case, places: Sequence[Place]) -> bool:
        return refuted_at(variant, self.version, case, places)

    def _outside(self, variant: Variant, instance: Instance) -> bool:
        """Whether an instance outside the true version's assumptions refutes one with fewer."""
        try:
            with guarded(), at_most(PATIENCE, processor=True):
                found = measured(variant.statement, self.version, instance)
        except FAILURES:
            return False
        return found is not None and refuted_at(variant, self.version, *found)

    def _stands(self, variant: Variant, witness: Instance) -> bool:
        """The verdicts that count: of the slip, and of the true version on the same instance."""
        if verdict(variant.statement, self.version, witness, sure=True) != "VIOLATED":
            return False
        true = verdict(self.statement, self.version, witness, sure=True)
        return true in (*GOOD, "INCONCLUSIVE", "ASSUMPTION_FAILS")
