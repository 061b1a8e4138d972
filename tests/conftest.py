"""Options of the whole suite."""

import os
import zlib

import pytest

os.environ.pop("COLUMNS", None)  # a table is as wide as it needs to be, whatever starts the tests


def pytest_addoption(parser):
    parser.addoption(
        "--sample",
        type=int,
        default=1,
        metavar="K",
        help="with -m slow: one in K of the slow tests, the same ones every time",
    )


def pytest_collection_modifyitems(config, items):
    """The test's name decides, so no order, machine or day does."""
    share = config.getoption("--sample")
    if share < 1:
        raise pytest.UsageError(f"--sample is {share}; need at least 1")
    if share == 1:
        return
    kept, left = [], []
    for item in items:
        slow = item.get_closest_marker("slow") is not None
        out = slow and zlib.crc32(item.nodeid.encode()) % share != 0
        (left if out else kept).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept
