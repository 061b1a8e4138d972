"""A refused ``run`` names a command line that runs, for every method."""

import shlex

import pytest

from theorylab.algorithms import ALGORITHMS

LINE = ["--topology", "ring", "--clients", "4", "--rounds", "2"]


def named(line):
    """The words of the command line at the end of a refusal."""
    before, _, words = line.strip().rpartition("; theorylab ")
    assert before
    assert words.endswith(" runs")
    return shlex.split(words.removesuffix(" runs"))


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_without_its_needed_options_a_method_names_a_line_that_runs(run, refused, name):
    words = named(refused("run", name, "--problem", "quadratic", *LINE))
    assert words[:2] == ["run", name]
    done = run(*words)
    assert done.code == 0, done.err


def test_a_problem_that_the_method_cannot_take_is_told_with_one_that_it_takes(run, refused):
    steps = ["--set", "eta_u=.1", "--set", "eta_v=.1"]
    line = refused("run", "dfedpgp", "--problem", "quadratic", *LINE, *steps)
    assert "need a problem with a shared and a personal part" in line
    assert "--problem coupled-quadratic" in line
    assert run(*named(line)).code == 0


@pytest.mark.parametrize("words", [(), ("--problem", "quadratic"), ("--problem", "nosuch", *LINE)])
def test_what_is_missing_beside_the_method_is_told_with_a_whole_line(run, refused, words):
    assert run(*named(refused("run", "sgp", *words))).code == 0


def test_a_line_that_lacks_nothing_gets_no_other_one(refused):
    line = refused("run", "sgp", "--problem", "quadratic", *LINE, "--set", "eta=-1")
    assert " runs" not in line
