"""Which tests run: by what they cost, and by a draw that the tree's contents decide.

    daily   functions of at most .05 s an item, and new ones, whole; dearer ones with two of their
            parameters, above .15 s with one; those above 1 s, or with a fixture above 2 s
            that they share, take turns within a budget
    full    all but the slow ones, which take minutes
    slow    of the slow ones those that the draw gives: one in --sample
    random  what Hypothesis draws, at random; in the other tiers it draws the same each time

Without --tier it is daily where nothing is named; of named files it is all but the slow ones.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import pytest

from . import costs, tree

TIERS = ("daily", "full", "slow", "random")
NAMED, USUAL = "named", "usual"  # all that is named; of what files are named all but the slow
PARAMETERS = 2  # of a function that is not cheap
ALONE = 0.15  # seconds an item, from which on one of them is enough
SHARED = 2.0  # seconds of a fixture that is made once for many tests, in each process
TURNS = 20.0  # seconds of the processor for those that take turns
CHUNK = 24  # tests that a process of pytest-xdist is given at once


def add_options(parser: pytest.Parser) -> None:
    """The options of the suite."""
    group = parser.getgroup("suite", "which tests run")
    group.addoption("--tier", metavar="TIER", help="daily, full, slow or random")
    group.addoption("--draw", metavar="HEX", help="the tree whose draw is repeated; default: this")
    group.addoption("--sample", type=int, default=1, metavar="K", help="one in K slow tests")
    group.addoption("--costs", metavar="FILE", help="measure what tests cost, and keep it in FILE")


def settle(config: pytest.Config) -> None:
    """Decide the tier and the draw, once, for all processes. Raises pytest.UsageError."""
    option = config.option
    if option.tier is None:
        option.tier = _default(config)
    elif option.tier not in TIERS:
        raise pytest.UsageError(f"--tier is {option.tier!r}; need {', '.join(TIERS)}")
    if option.draw is None:
        option.draw = tree.tree_id()
    elif not re.fullmatch("[0-9a-f]{4,64}", option.draw):
        raise pytest.UsageError(f"--draw is {option.draw!r}; need 4 to 64 hex digits, as printed")
    if option.sample < 1:
        raise pytest.UsageError(f"--sample is {option.sample}; need at least 1")
    if getattr(option, "maxschedchunk", 0) is None:
        option.maxschedchunk = CHUNK


def _default(config: pytest.Config) -> str:
    named = config.args if config.args_source is config.ArgsSource.ARGS else []
    if config.option.markexpr or any("::" in name for name in named):
        return NAMED
    return USUAL if named or config.option.keyword else "daily"


def header(config: pytest.Config) -> str:
    """What is run, and how to run the same again."""
    tier, draw = config.option.tier, config.option.draw
    line = f"tier: {tier}" + (f", drawn by --draw {draw}" if tier in ("daily", "slow") else "")
    without = tier == "daily" and not costs.Costs.read().functions
    return line + (f"; without {costs.FILE.name} it is all but the slow tests" if without else "")


class Chosen:
    """The plugin: keeps the items of a tier."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        option = config.option
        kept = chosen(items, option.tier, option.draw, option.sample)
        left = set(items).difference(kept)
        if left:
            config.hook.pytest_deselected(items=[item for item in items if item in left])
        items[:] = kept


def chosen(
    items: Sequence[pytest.Item], tier: str, draw: str, sample: int = 1
) -> list[pytest.Item]:
    """The items of a tier: a function of the items' names, the draw and the known costs."""
    slow = [item for item in items if item.get_closest_marker("slow")]
    usual = [item for item in items if not item.get_closest_marker("slow")]
    if tier == "slow":
        return [item for item in slow if tree.rank(draw, item.nodeid) % sample == 0]
    if tier == "random":
        return [item for item in usual if item.get_closest_marker("hypothesis")]
    if tier == "daily":
        return daily(usual, draw, costs.Costs.read())
    return {"full": usual, USUAL: usual, NAMED: list(items)}[tier]


def daily(items: Sequence[pytest.Item], draw: str, known: costs.Costs) -> list[pytest.Item]:
    """The daily tier of items that are not slow, the dearest files first."""
    functions: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        functions[costs.function_of(item.nodeid)].append(item)
    kept: set[pytest.Item] = set()
    turns: dict[str, list[pytest.Item]] = defaultdict(list)
    prices: dict[str, float] = defaultdict(float)
    for name, group in functions.items():
        seconds, shared = known.functions.get(name, 0.0), _dear_fixture(group[0], known)
        few = sorted(group, key=lambda item: tree.rank(draw, item.nodeid))
        few = few[: PARAMETERS if seconds <= ALONE else 1]
        few = few if seconds > costs.CHEAP else group
        if shared or seconds > costs.DEAR:
            turns[shared or name] += few
            prices[shared or name] += seconds * len(few)
        else:
            kept.update(few)
    left = TURNS
    for turn in sorted(turns, key=lambda turn: tree.rank(draw, turn)):
        price = prices[turn] + known.fixtures.get(turn, 0.0)
        if left < TURNS and price > left:  # the first one runs, whatever it costs
            break
        left -= price
        kept.update(turns[turn])
    return dearest_first([item for item in items if item in kept], known)


def _dear_fixture(item: pytest.Item, known: costs.Costs) -> str:
    """The dear fixture that the item needs; "" if none."""
    file = _file(item)
    names = [f"{file}::{name}" for name in getattr(item, "fixturenames", ())]
    return next((name for name in names if known.fixtures.get(name, 0.0) > SHARED), "")


def dearest_first(items: Sequence[pytest.Item], known: costs.Costs) -> list[pytest.Item]:
    """File by file, so that what a file makes is made once; a run ends with what is short."""
    price: dict[str, float] = defaultdict(float)
    for item in items:
        price[_file(item)] += known.functions.get(costs.function_of(item.nodeid), 0.0)
    place = {item: k for k, item in enumerate(items)}
    return sorted(items, key=lambda item: (-price[_file(item)], _file(item), place[item]))


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
