"""Counterexamples that other versions of theorylab found are found again, to nine digits."""

import pathlib

import pytest

from theorylab.falsify import Counterexample, replay

FILES = sorted(pathlib.Path(__file__).with_name("counterexamples").glob("*.json"))


def test_there_are_twenty_files_of_another_version():
    assert len(FILES) >= 20


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_of_another_version_is_replayed(file):
    kept = Counterexample.parsed(file.read_text())
    found = replay(kept)
    assert found.verdict == kept.verdict == "VIOLATED"
    assert found.older
    assert found.same, found.differences


def test_a_number_that_is_another_one_is_told_of_such_a_file():
    file = next(file for file in FILES if file.stem.startswith("dfedpgp.lem3"))
    kept = Counterexample.parsed(file.read_text())
    wrong = kept.model_copy(update={"bound_hex": (kept.bound * (1 + 1e-8)).hex()})
    found = replay(wrong)
    assert found.older
    assert [line.split(":")[0] for line in found.differences] == ["bound"]
