"""verify/campaign.py at a small size: kills, flips, copies, full disks, shards, Dask workers."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("part", ["two,shards", "kills", "flips,copies,full", "dask"])
def test_what_is_left_is_what_an_undisturbed_campaign_has(part):
    if part == "dask":
        pytest.importorskip("distributed")
    sizes = ("--cells", "320", "--kills", "10", "--flips", "20", "--copies", "3", "--only", part)
    words = [sys.executable, str(ROOT / "verify/campaign.py"), *sizes]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "every digest is that of the undisturbed campaign" in done.stdout
