"""C.2: a round's error is its edges' and its samples', and Lemma 5 is their sum."""

from dataclasses import replace

import numpy as np
import pytest

from theorylab.experiments.pdbo import blocks
from theorylab.statements import Check
from theorylab.statements.pdbo.appc2 import CHECKS, STATEMENT
from theorylab.verdicts import judge_check


def changed(attribute, how):
    """The experiment's ``attribute`` with its result changed."""
    right = getattr(blocks.HgpBlocks, attribute)
    return attribute, lambda self, *args: how(right(self, *args), *args)


FAULTS = {  # of the right-hand side of line 676
    "no samples": changed("_y_row", lambda row, *args: 0 * row),
    "twice the samples": changed("_y_row", lambda row, *args: 2 * row),
    "only the first side": changed("_sides", lambda sides, *args: sides[:1]),
    "no left factor": changed(
        "_sides", lambda sides, *args: [(None if a is None else 0 * a, b) for a, b in sides]
    ),
    "right factor halved": changed("_sides", lambda sides, *args: [(a, b / 2) for a, b in sides]),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_refuted(name, monkeypatch):
    attribute, fault = FAULTS[name]
    monkeypatch.setattr(blocks.HgpBlocks, attribute, fault)
    seed = 1 + list(FAULTS).index(name)  # nothing measured under another fault is reused
    found = judge_check(STATEMENT, "printed/rewritten", CHECKS[0], seeds=4, seed=seed)
    assert found.verdict == "VIOLATED"


@pytest.mark.parametrize("version", ["printed", "printed/b"])
def test_a_split_without_the_mean_is_refuted(version, monkeypatch):
    right = blocks.edge_by_edge

    def of_another_run(drawn, *rest):
        return right(replace(drawn, batch=np.roll(drawn.batch, 1, axis=0)), *rest)

    monkeypatch.setattr(blocks, "edge_by_edge", of_another_run)
    found = judge_check(STATEMENT, version, CHECKS[0], seeds=4, seed=77)
    assert found.verdict == "VIOLATED"


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_hold(count):
    for k in range(count):
        instance = {
            "network": {"name": ("sto-d", "sto-u")[k % 2], "low": 0.1, "high": 0.9, "seed": k},
            "clients": 1 + k % 3, "dim": 1 + k % 3, "batch": 1 + k % 2, "terms": [1 + k % 3],
            "alpha": (k % 11) / 10, "beta": (k % 7) / 6, "seed": k,
        }  # fmt: skip
        for version in STATEMENT.versions:
            found = judge_check(STATEMENT, version, Check(str(k), instance), seeds=2, seed=k)
            assert found.verdict == "HOLDS", (version, instance)
