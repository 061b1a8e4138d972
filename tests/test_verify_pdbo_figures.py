"""PDBO's figures are drawn, and their numbers are those of the formulas where these are known."""

import pathlib
import runpy
import subprocess
import sys

import numpy as np
import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "verify" / "pdbo_figures.py"


def run(*arguments):
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, timeout=300
    )


@pytest.mark.slow
def test_the_figures_are_drawn_and_the_tables_printed(tmp_path):
    done = run("--quick", "--terms", "4", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "relative error at M = 4 terms" in done.stdout
    for name in ("figure1.svg", "figure1.png", "figure2.svg", "figure2.png"):
        assert (tmp_path / name).stat().st_size > 1000


def test_bad_options_are_refused(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), "--terms", "1"])
    with pytest.raises(SystemExit, match=r"^2$"):
        runpy.run_path(str(SCRIPT), run_name="__main__")
    assert "--terms is 1, --runs 24; need 2..2000, 1..1000" in capsys.readouterr().err


def test_its_instances_stand_where_they_say():
    script = runpy.run_path(str(SCRIPT))
    losses = script["appendix_c6"]()
    assert losses.clients == 3
    assert losses.sizes.tolist() == [59, 59, 59]  # 357 images of 3 and 8, in six equal parts
    here = script["place"](losses, "complete", 0.5)
    # nothing random: every pair's error is the tail of the series, and at M = 200 only rounding
    for pair in ((1.0, 0.0), (0.0, 1.0)):
        assert here.error(pair, 200, 0)[-1] < 1e-10
    exact, sampled = here.error((0.9, 0.1), 10, 0), here.error((0.9, 0.1), 10, 1)[:, 0]
    assert np.abs(exact - sampled).max() < 1e-12


def test_mu_of_hgp_is_least_where_its_derivative_vanishes():
    # d/dx (x^2 + (1-x)^2) / (1 - x^2) = 0 at x = (3 - sqrt 5) / 2
    mu_hgp = runpy.run_path(str(SCRIPT))["mu_hgp"]
    x = (3 - 5**0.5) / 2
    assert mu_hgp(x) < min(mu_hgp(x - 1e-3), mu_hgp(x + 1e-3))
