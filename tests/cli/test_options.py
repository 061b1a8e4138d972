"""An option is one name of a class: its value reaches the work, and the run's document."""

from collections.abc import Sequence
from typing import Annotated

import pytest
import typer

from theorylab.cli import COMMANDS
from theorylab.commands.options import Least, Options, Place, command
from theorylab.commands.refusal import Refused
from theorylab.commands.request import overlaid
from theorylab.commands.run import Run


class Count(Options):
    """Count words."""

    words: Annotated[Sequence[str], typer.Argument()]
    also: Annotated[Sequence[str], typer.Option("--also")] = ()
    most: Annotated[int | None, typer.Option(), Least(2)] = None

    def work(self):
        return len(self.words) + 10 * len(self.also) + 100 * (self.most or 0)


@pytest.fixture
def counted():
    app = typer.Typer(add_completion=False)
    app.command()(command(Count))
    return lambda *words: app(words, prog_name="count", standalone_mode=False)


def test_the_work_has_what_came_and_the_defaults_of_what_did_not(counted):
    assert counted("a", "b") == 2
    assert counted("a", "--also", "b", "--also", "c", "--most", "2") == 221


def test_a_number_below_the_least_is_refused_before_the_work(counted):
    with pytest.raises(Refused, match="count: --most is 1; need at least 2"):
        counted("a", "--most", "1")


def test_every_option_of_a_run_stands_in_its_document_where_its_name_says():
    names = {"problem": "quadratic", "topology": "ring", "algorithm": "sgp"}
    every = Run(**dict.fromkeys(Run.hints(), 1))
    given = {name: mark for name, mark, _ in every.marked(Place)}
    assert {"rounds", "eta", "loss", "own_graphs"} <= given.keys()
    for number, name in enumerate(given):
        value = number + 5
        document = overlaid({"rounds": 1}, "sgp", Run(**names, **{name: value}), "run")
        for part in given[name].path.split("."):
            document = document[part]
        assert document == value, name


def test_every_command_says_what_it_is_for():
    assert all(
        options.__doc__ and options.work is not Options.work for options in COMMANDS.values()
    )
