"""``falsify`` refutes every rival of docs/gallery within a minute of the processor's time."""

import pathlib
import time

import pytest

from theorylab.falsify import falsify
from theorylab.verdicts.catalogue import loaded

GALLERY = pathlib.Path(__file__).parents[2] / "docs" / "gallery"
FILES = sorted(GALLERY.glob("*.py"))
MINUTE = 60.0


def rivals(path):
    for statement in loaded(str(path)).values():
        for name, version in statement.versions.items():
            if any(check.expect == "VIOLATED" for check in version.checks):
                yield statement, name


@pytest.mark.slow
@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_rival_is_refuted_within_a_minute(path):
    found = list(rivals(path))
    assert found
    for statement, name in found:
        began = time.process_time()
        finding = falsify(statement, name, budget=MINUTE, shrink=False, clock=time.process_time)
        took = time.process_time() - began
        assert finding.refuted, f"{statement.id} [{name}]: {finding.tried} tried"
        assert took < MINUTE, f"{statement.id} [{name}]: {took:.0f} s"
